#include "explore/trace_map.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arch/isa.h"
#include "replay/walk.h"
#include "sm/coalesce.h"

struct trace_mapper {
	const struct trace_map_request *q;
	const struct cfg *cfg;
	struct walker *walker;
	struct bank_shape banks;
	uint32_t launch;
	FILE **files; /* of the SMs */
	uint32_t sms;
	FILE *to; /* that of the current block */
	struct trace_map_counts *n;
};

const char *trace_space(enum space space)
{
	switch (space) {
	case SPACE_GLOBAL:
		return "global";
	case SPACE_SHARED:
		return "shared";
	case SPACE_LOCAL:
		return "local";
	case SPACE_CONST:
		return "const";
	case SPACE_PARAM:
		return "param";
	default:
		return "generic";
	}
}

/* An aligned piece of memory, and the lanes that access it. */
struct mem_piece {
	uint64_t at;
	uint32_t lanes;
};

enum { MAX_PIECES = LANES * (128 / 4 + 1) };

static void piece_touch(struct mem_piece *p, unsigned *n, uint64_t at,
			unsigned lane)
{
	for (unsigned i = 0; i < *n; i++)
		if (p[i].at == at) {
			p[i].lanes |= 1u << lane;
			return;
		}
	CHECK(*n < MAX_PIECES);
	p[(*n)++] = (struct mem_piece){ at, 1u << lane };
}

/* The same for all pieces of `size` bytes from `at` to `last`. */
static void piece_touch_all(struct mem_piece *p, unsigned *n, uint64_t at,
			    uint64_t last, unsigned lane, uint64_t size)
{
	for (at /= size; at <= last / size; at++)
		piece_touch(p, n, at * size, lane);
}

/* Local memory is interleaved by lane: word w of lane l is word 32 w + l. */
static void piece_touch_local(struct mem_piece *p, unsigned *n, uint64_t at,
			      uint64_t last, unsigned lane, uint64_t size)
{
	for (uint64_t w = at / BANK_BYTES; w <= last / BANK_BYTES; w++) {
		uint64_t word = (w * LANES + lane) * BANK_BYTES;

		piece_touch_all(p, n, word, word + BANK_BYTES - 1, lane, size);
	}
}

/* Splits an access of these lanes into pieces of `size` bytes, in the order of
 * their first lanes. */
static unsigned split_access(struct mem_piece *p, const struct access *a,
			     uint32_t lanes, uint64_t size)
{
	unsigned n = 0;

	for (unsigned l = 0; l < LANES; l++) {
		uint64_t at = a->addr[l], last = at + a->bytes - 1;

		if (!(lanes >> l & 1) || !a->bytes)
			continue;
		if (a->space == SPACE_LOCAL)
			piece_touch_local(p, &n, at, last, l, size);
		else
			piece_touch_all(p, &n, at, last, l, size);
	}
	return n;
}

/* Prints the start of a line: warp, place, lanes, kind and opcode. */
static void map_print_start(const struct trace_mapper *m, const struct step *wi,
			    uint32_t lanes, const char *what)
{
	const struct function *f = wi->code->func;
	struct inst_text in;
	const char *op;

	f->program->isa->describe(f, wi->in->index, &in);
	/* The mask shows the guard; operands are left out. */
	op = in.text[0] == '@' ? strchr(in.text, ' ') : in.text;

	op += op && *op == ' ';
	fprintf(m->to, "%" PRIu32 " ", wi->warp);
	if (!f->is_kernel)
		fprintf(m->to, "%s:", f->name);
	fprintf(m->to, "%" PRIu32 " %08" PRIx32 " %s %.*s", wi->in->index,
		lanes, what, op ? (int)strcspn(op, " ") : 1, op ? op : "?");
}

/* Prints one line for each coalesced access and returns their number. Lanes are
 * coalesced in groups, as the GPU does. */
static unsigned map_print_memory(struct trace_mapper *m, const struct step *wi,
				 const struct access *a, uint64_t size)
{
	unsigned group = (unsigned)m->cfg->lsu.coalesce_lanes, all = 0;
	struct mem_piece p[MAX_PIECES];

	group = group < LANES ? group : LANES;
	for (unsigned first = 0; first < LANES; first += group) {
		uint32_t lanes = (uint32_t)(((uint64_t)1 << group) - 1)
				 << first;
		unsigned n = split_access(p, a, a->mask & lanes, size);

		for (unsigned i = 0; i < n; i++) {
			map_print_start(m, wi, p[i].lanes,
					trace_space(a->space));
			fprintf(m->to, " %c 0x%" PRIx64 " %" PRIu64 "\n",
				a->write ? 'w' : 'r', p[i].at, size);
		}
		all += n;
	}
	return all;
}

static void map_print_shared(struct trace_mapper *m, const struct step *wi,
			     const struct access *a)
{
	unsigned passes =
		a->write ?
			bank_count(&m->banks, a->addr, a->mask, a->bytes) :
			bank_count_load(&m->banks, a->addr, a->mask, a->bytes);

	map_print_start(m, wi, a->mask, "shared");
	fprintf(m->to, " %c %" PRIu32 " %u\n", a->write ? 'w' : 'r', a->bytes,
		passes);
}

static void map_print_constant(struct trace_mapper *m, const struct step *wi,
			       const struct access *a)
{
	struct mem_piece p[MAX_PIECES];
	unsigned n = split_access(p, a, a->mask, a->bytes ? a->bytes : 1);

	for (unsigned i = 0; i < n; i++) {
		map_print_start(m, wi, p[i].lanes, trace_space(a->space));
		fprintf(m->to, " r 0x%" PRIx64 " %" PRIu32 "\n", p[i].at,
			a->bytes);
	}
}

static void map_print_access(struct trace_mapper *m, const struct step *wi,
			     const struct access *a)
{
	unsigned n;

	switch (a->space) {
	case SPACE_SHARED:
		map_print_shared(m, wi, a);
		m->n->shared++;
		break;
	case SPACE_GLOBAL:
	case SPACE_LOCAL:
		n = map_print_memory(m, wi, a, (uint64_t)m->cfg->lsu.coalesce);
		m->n->accesses += n;
		m->n->whole += n == 1;
		m->n->split += n > 1;
		break;
	default:
		map_print_constant(m, wi, a);
		m->n->constant++;
	}
}

static void map_print_step(void *ctx, unsigned worker, const struct step *wi)
{
	struct trace_mapper *m = ctx;
	const struct function *f = wi->code->func;
	struct access access[STEP_ACCESSES];
	unsigned n = step_accesses(wi, access);
	struct inst_text in;

	(void)worker;
	m->n->recorded++;
	for (unsigned i = 0; i < n; i++)
		if (access[i].mask)
			map_print_access(m, wi, &access[i]);
	if (n)
		return;
	f->program->isa->describe(f, wi->in->index, &in);
	map_print_start(m, wi, wi->mask, "reg");
	fprintf(m->to, " %s\n", unit_names[in.unit]);
	m->n->reg++;
}

static enum err map_launch(struct trace_mapper *m, const struct trace_launch *l,
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
	for (uint64_t i = 0; !e && !m->q->stopped(m->q->ctx) &&
			     trace_next_block(m->q->trace, m->launch, i, &i);
	     i++) {
		uint64_t y = i / l->grid[0];

		m->to = m->files[i % m->sms];
		fprintf(m->to, "block %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			i % l->grid[0], y % l->grid[1], y / l->grid[1]);
		e = walker_block(m->walker, m->launch, i, map_print_step, m, d);
		m->n->blocks++;
	}
	return e;
}

static enum err map_launches(struct trace_mapper *m, struct diag *d)
{
	const struct trace_map_request *q = m->q;
	enum err e = ERR_OK;

	if (q->one && !trace_get_launch(q->trace, q->launch))
		return fail(d, ERR_RANGE, "the trace has no launch %" PRIu32,
			    q->launch);
	for (size_t i = 0; !e && i < trace_item_count(q->trace); i++) {
		struct trace_item at = trace_item(q->trace, i);

		if (at.kind != TRACE_LAUNCH ||
		    (q->one && at.number != q->launch))
			continue;
		m->launch = at.number;
		e = map_launch(
			m, &trace_get_launch(q->trace, at.number)->launch, d);
	}
	return e;
}

static enum err map_open_files(struct trace_mapper *m, const char *folder,
			       struct diag *d)
{
	char path[4096];

	if (mkdir(folder, 0777) && errno != EEXIST)
		return fail(d, ERR_IO, "cannot create the folder '%.300s': %s",
			    folder, strerror(errno));
	m->files = calloc(m->sms, sizeof(*m->files));
	if (!m->files)
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < m->sms; i++) {
		snprintf(path, sizeof(path), "%s/sm%03" PRIu32 ".txt", folder,
			 i);
		m->files[i] = fopen(path, "w");
		if (!m->files[i])
			return fail(d, ERR_IO, "cannot create '%.300s': %s",
				    path, strerror(errno));
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

static enum err map_close_files(struct trace_mapper *m, enum err e,
				struct diag *d)
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

enum err trace_map(const struct trace_map_request *q,
		   struct trace_map_counts *n, struct diag *d)
{
	const struct cfg *c = q->cfg;
	struct trace_mapper m = {
		.q = q, .cfg = c, .sms = (uint32_t)c->sm.count, .n = n
	};
	enum err e;

	*n = (struct trace_map_counts){ 0 };
	m.banks = (struct bank_shape){
		.banks = (uint32_t)c->shared.banks,
		.bank_bytes = (uint32_t)c->shared.bank_bytes,
		.lanes = (uint32_t)(c->shared.lanes < LANES ? c->shared.lanes :
							      LANES),
		.broadcast_one = c->shared.broadcast == CFG_BROADCAST_ONE,
		.pairs = c->shared.pairs,
	};
	e = walker_new(&m.walker, q->trace, d);
	if (!e)
		e = map_open_files(&m, q->folder, d);
	if (!e)
		e = map_launches(&m, d);
	e = map_close_files(&m, e, d);
	walker_free(m.walker);
	return e;
}
