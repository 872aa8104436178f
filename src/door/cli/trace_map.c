/*
 * heddle trace map: a trace as one GPU would see it, one text file for each of
 * its SMs. docs/traces.md explains the lines.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arch/isa.h"
#include "door/cli/commands.h"
#include "door/cli/configs.h"
#include "door/cli/interrupt.h"
#include "door/cli/text.h"
#include "door/cli/trace.h"
#include "replay/walk.h"
#include "sm/coalesce.h"

struct map_options {
	const char *gpu, *out, *launch;
	struct words set;
};

#define AT(field) offsetof(struct map_options, field)

static const struct opt map_opts[] = {
	OPT_HEADING("Options:"),
	{ "gpu", 0, "NAME", "the GPU, see 'heddle gpus', or a .cfg file",
	  opt_string, AT(gpu) },
	{ "set", 'o', "KEY=VALUE",
	  "another value for one parameter; may be given several times",
	  opt_words, AT(set) },
	{ "out", 0, "FOLDER", "where the files go; made if it is not there",
	  opt_string, AT(out) },
	{ "launch", 0, "N", "only this launch; default: all", opt_string,
	  AT(launch) },
	OPT_END
};

/* What the instructions of the trace become. */
struct counts {
	uint64_t blocks;
	uint64_t recorded; /* warp-instructions */
	uint64_t reg, shared, constant;
	uint64_t whole, split; /* of memory: in one access, in several */
	uint64_t accesses;
};

struct map {
	struct trace *t;
	struct walker *walker;
	const struct cfg *cfg;
	struct bank_shape banks;
	uint32_t launch;
	FILE **files; /* of the SMs */
	uint32_t sms;
	FILE *to; /* of the block at hand */
	struct counts n;
};

/* An aligned piece of memory, and the lanes that touch it. */
struct piece {
	uint64_t at;
	uint32_t lanes;
};

enum { PIECES_MOST = LANES * (128 / 4 + 1) };

static void touch(struct piece *p, unsigned *n, uint64_t at, unsigned lane)
{
	for (unsigned i = 0; i < *n; i++)
		if (p[i].at == at) {
			p[i].lanes |= 1u << lane;
			return;
		}
	CHECK(*n < PIECES_MOST);
	p[(*n)++] = (struct piece){ at, 1u << lane };
}

/* The same of all pieces of `size` bytes from `at` to `last`. */
static void touch_all(struct piece *p, unsigned *n, uint64_t at, uint64_t last,
		      unsigned lane, uint64_t size)
{
	for (at /= size; at <= last / size; at++)
		touch(p, n, at * size, lane);
}

/* Local memory lies lane by lane: word w of lane l is the word 32 w + l. */
static void touch_local(struct piece *p, unsigned *n, uint64_t at,
			uint64_t last, unsigned lane, uint64_t size)
{
	for (uint64_t w = at / BANK_BYTES; w <= last / BANK_BYTES; w++) {
		uint64_t word = (w * LANES + lane) * BANK_BYTES;

		touch_all(p, n, word, word + BANK_BYTES - 1, lane, size);
	}
}

/* Pieces of `size` bytes that the lanes touch, in the order of the first lane
 * of each. */
static unsigned split(struct piece *p, const struct access *a, uint32_t lanes,
		      uint64_t size)
{
	unsigned n = 0;

	for (unsigned l = 0; l < LANES; l++) {
		uint64_t at = a->addr[l], last = at + a->bytes - 1;

		if (!(lanes >> l & 1) || !a->bytes)
			continue;
		if (a->space == SPACE_LOCAL)
			touch_local(p, &n, at, last, l, size);
		else
			touch_all(p, &n, at, last, l, size);
	}
	return n;
}

/* The start of a line: warp, place, lanes, opcode. */
static void print_start(const struct map *m, const struct step *wi,
			uint32_t lanes, const char *what)
{
	const struct function *f = wi->code->func;
	struct inst_text in;
	const char *op;

	f->program->isa->describe(f, wi->in->index, &in);
	/* The guard is in the mask, the operands are registers. */
	op = in.text[0] == '@' ? strchr(in.text, ' ') : in.text;

	op += op && *op == ' ';
	fprintf(m->to, "%" PRIu32 " ", wi->warp);
	if (!f->is_kernel)
		fprintf(m->to, "%s:", f->name);
	fprintf(m->to, "%" PRIu32 " %08" PRIx32 " %s %.*s", wi->in->index,
		lanes, what, op ? (int)strcspn(op, " ") : 1, op ? op : "?");
}

/* One line for each coalesced access; lanes are looked at in groups, as the
 * GPU does. Returns how many there were. */
static unsigned print_memory(struct map *m, const struct step *wi,
			     const struct access *a, uint64_t size)
{
	unsigned group = (unsigned)m->cfg->lsu.coalesce_lanes, all = 0;
	struct piece p[PIECES_MOST];

	group = group < LANES ? group : LANES;
	for (unsigned first = 0; first < LANES; first += group) {
		uint32_t lanes = (uint32_t)(((uint64_t)1 << group) - 1)
				 << first;
		unsigned n = split(p, a, a->mask & lanes, size);

		for (unsigned i = 0; i < n; i++) {
			print_start(m, wi, p[i].lanes, trace_space(a->space));
			fprintf(m->to, " %c 0x%" PRIx64 " %" PRIu64 "\n",
				a->write ? 'w' : 'r', p[i].at, size);
		}
		all += n;
	}
	return all;
}

static void print_shared(struct map *m, const struct step *wi,
			 const struct access *a)
{
	print_start(m, wi, a->mask, "shared");
	fprintf(m->to, " %c %" PRIu32 " %u\n", a->write ? 'w' : 'r', a->bytes,
		bank_count(&m->banks, a->addr, a->mask, a->bytes));
}

static void print_constant(struct map *m, const struct step *wi,
			   const struct access *a)
{
	struct piece p[PIECES_MOST];
	unsigned n = split(p, a, a->mask, a->bytes ? a->bytes : 1);

	for (unsigned i = 0; i < n; i++) {
		print_start(m, wi, p[i].lanes, trace_space(a->space));
		fprintf(m->to, " r 0x%" PRIx64 " %" PRIu32 "\n", p[i].at,
			a->bytes);
	}
}

static void print_access(struct map *m, const struct step *wi,
			 const struct access *a)
{
	unsigned n;

	switch (a->space) {
	case SPACE_SHARED:
		print_shared(m, wi, a);
		m->n.shared++;
		break;
	case SPACE_GLOBAL:
	case SPACE_LOCAL:
		n = print_memory(m, wi, a, (uint64_t)m->cfg->lsu.coalesce);
		m->n.accesses += n;
		m->n.whole += n == 1;
		m->n.split += n > 1;
		break;
	default:
		print_constant(m, wi, a);
		m->n.constant++;
	}
}

static void on_inst(void *ctx, unsigned worker, const struct step *wi)
{
	struct map *m = ctx;
	const struct function *f = wi->code->func;
	struct access access[STEP_ACCESSES];
	unsigned n = step_accesses(wi, access);
	struct inst_text in;

	(void)worker;
	m->n.recorded++;
	for (unsigned i = 0; i < n; i++)
		if (access[i].mask)
			print_access(m, wi, &access[i]);
	if (n)
		return;
	f->program->isa->describe(f, wi->in->index, &in);
	print_start(m, wi, wi->mask, "reg");
	fprintf(m->to, " %s\n", unit_names[in.unit]);
	m->n.reg++;
}

static enum err map_launch(struct map *m, const struct trace_launch *l,
			   struct diag *d)
{
	enum err e = ERR_OK;

	for (uint32_t i = 0; i < m->sms; i++)
		fprintf(m->files[i],
			"launch %" PRIu32 " %s grid %" PRIu32 " %" PRIu32
			" %" PRIu32 " block %" PRIu32 " %" PRIu32 " %" PRIu32
			"\n",
			m->launch, l->kernel, l->grid[0], l->grid[1],
			l->grid[2], l->block[0], l->block[1], l->block[2]);
	for (uint64_t i = 0;
	     !e && !interrupted() && trace_next_block(m->t, m->launch, i, &i);
	     i++) {
		uint64_t y = i / l->grid[0];

		m->to = m->files[i % m->sms];
		fprintf(m->to, "block %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			i % l->grid[0], y % l->grid[1], y / l->grid[1]);
		e = walker_block(m->walker, m->launch, i, on_inst, m, d);
		m->n.blocks++;
	}
	return e;
}

static enum err map_launches(struct map *m, const struct map_options *o,
			     struct diag *d)
{
	unsigned only = 0;
	enum err e = ERR_OK;

	if (o->launch) {
		if (opt_u32(&only, o->launch, d))
			return d->code;
		if (!trace_get_launch(m->t, only))
			return fail(d, ERR_RANGE, "there is no launch %s",
				    o->launch);
	}
	for (size_t i = 0; !e && i < trace_item_count(m->t); i++) {
		struct trace_item at = trace_item(m->t, i);

		if (at.kind != TRACE_LAUNCH || (o->launch && at.number != only))
			continue;
		m->launch = at.number;
		e = map_launch(m, &trace_get_launch(m->t, at.number)->launch,
			       d);
	}
	return e;
}

static enum err open_files(struct map *m, const char *folder, struct diag *d)
{
	char path[4096];

	if (mkdir(folder, 0777) && errno != EEXIST)
		return fail(d, ERR_IO, "%s: %s", folder, strerror(errno));
	m->files = calloc(m->sms, sizeof(*m->files));
	if (!m->files)
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < m->sms; i++) {
		snprintf(path, sizeof(path), "%s/sm%03" PRIu32 ".txt", folder,
			 i);
		m->files[i] = fopen(path, "w");
		if (!m->files[i])
			return fail(d, ERR_IO, "%s: %s", path, strerror(errno));
		fprintf(m->files[i],
			"# heddle mapped trace 1: SM %" PRIu32 " of %" PRIu32
			", %s, warps of %d lanes, accesses of %" PRId64
			" bytes by %" PRId64 " lanes\n",
			i, m->sms, m->cfg->gpu.name, LANES,
			(int64_t)m->cfg->lsu.coalesce,
			(int64_t)m->cfg->lsu.coalesce_lanes);
	}
	return ERR_OK;
}

static enum err close_files(struct map *m, enum err e, struct diag *d)
{
	for (uint32_t i = 0; m->files && i < m->sms; i++) {
		bool bad = m->files[i] && ferror(m->files[i]);

		if (m->files[i] && (fclose(m->files[i]) || bad) && !e)
			e = fail(d, ERR_IO,
				 "cannot write the file of SM %" PRIu32 ": %s",
				 i, strerror(errno));
	}
	free(m->files);
	return e;
}

static void print_line(const char *what, uint64_t n)
{
	char text[GROUPED_TEXT];

	printf("  %-34s %16s\n", what, grouped(text, n));
}

static void print_counts(const struct map *m, const char *folder)
{
	const struct counts *n = &m->n;

	printf("%s: %" PRIu32 " files, one for each SM of %s\n", folder, m->sms,
	       m->cfg->gpu.name);
	print_line("work-groups", n->blocks);
	print_line("warp-instructions", n->recorded);
	print_line("registers only", n->reg);
	print_line("shared memory", n->shared);
	print_line("constants", n->constant);
	print_line("memory, in one access", n->whole);
	print_line("memory, in several", n->split);
	print_line("accesses of memory", n->accesses);
}

/* Warps are formed when a program is recorded. */
static enum err check_gpu(const struct cfg *c, struct diag *d)
{
	if (c->sm.warp_size == LANES)
		return ERR_OK;
	return fail(d, ERR_UNSUPP,
		    "sm.warp_size = %" PRId64 ": warps of %d lanes are "
		    "recorded, and no others can be formed of them",
		    (int64_t)c->sm.warp_size, LANES);
}

static enum err map_all(struct map *m, const struct map_options *o,
			struct diag *d)
{
	const struct cfg *c = m->cfg;
	enum err e = check_gpu(c, d);

	if (e)
		return e;
	m->sms = (uint32_t)c->sm.count;
	m->banks = (struct bank_shape){
		.banks = (uint32_t)c->shared.banks,
		.bank_bytes = (uint32_t)c->shared.bank_bytes,
		.lanes = (uint32_t)(c->shared.lanes < LANES ? c->shared.lanes :
							      LANES),
		.broadcast_one = c->shared.broadcast == CFG_BROADCAST_ONE,
	};
	e = walker_new(&m->walker, m->t, d);
	if (!e)
		e = open_files(m, o->out, d);
	if (!e)
		e = map_launches(m, o, d);
	e = close_files(m, e, d);
	walker_free(m->walker);
	return e;
}

static int map_trace(const char *path, const struct map_options *o)
{
	struct map m = { 0 };
	struct cfg_sheet sheet;
	struct diag d;
	enum err e;

	if (!trace_begin(&m.t, path))
		return EXIT_INPUT;
	trace_warn(m.t, path);
	cfg_sheet_init(&sheet);
	m.cfg = &sheet.cfg;
	e = configs_load(&sheet, o->gpu, o->set.at, o->set.count, &d);
	if (!e)
		e = map_all(&m, o, &d);
	if (e)
		say_error("%s", d.text);
	else if (!interrupted())
		print_counts(&m, o->out);
	cfg_sheet_free(&sheet);
	trace_close(m.t);
	return e ? EXIT_INPUT : interrupted() ? EXIT_INTERRUPTED : EXIT_OK;
}

static int map(int argc, char **argv)
{
	struct map_options o = { 0 };
	struct words files = { 0 };
	void *const to[] = { &o };
	int code = trace_parse(&cmd_trace_map, to, argc, argv, &files, 1);

	if (code < 0 && (!o.gpu || !o.out)) {
		say_error("%s is needed", o.gpu ? "--out" : "--gpu");
		fputs("Try 'heddle trace map --help'.\n", stderr);
		code = EXIT_USAGE;
	}
	if (code < 0)
		code = map_trace(files.at[0], &o);
	words_free(&o.set);
	words_free(&files);
	return code;
}

const struct command cmd_trace_map = {
	.name = "trace map",
	.summary = "Write a trace as one GPU would see it, a file for each SM",
	.usage = "TRACE --gpu NAME --out FOLDER [OPTIONS]",
	.details =
		"Work-groups are dealt to the SMs in turn. A warp-instruction "
		"of memory is one line\nfor each coalesced access of the GPU; "
		"instructions of registers and of shared\nmemory are told "
		"apart.\n\n"
		"Example:\n"
		"  heddle trace map matmul.trace --gpu c2050 --out "
		"matmul.map\n",
	.tables = { map_opts },
	.run = map,
};
