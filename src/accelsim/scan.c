/* Reads the whole trace of a kernel, and makes a program of its instructions. */
#include <inttypes.h>
#include <string.h>

#include "accelsim/exec.h"
#include "isa/isa.h"

/* How often a caller is told: between blocks, after so many records. */
enum { TELL_RECORDS = 1 << 16 };

static enum err check_next(const struct asim_block *b,
			   const struct asim_code *c,
			   const struct asim_source *s, uint64_t *expected,
			   struct diag *d)
{
	const uint32_t *grid = c->header.grid;
	uint64_t i = *expected;

	if (b->index == i) {
		++*expected;
		return ERR_OK;
	}
	return asim_fail(s, d, ERR_SYNTAX,
			 "thread block %" PRIu64 ",%" PRIu64 ",%" PRIu64
			 " is missing before this one, or out of order",
			 i % grid[0], i / grid[0] % grid[1],
			 i / grid[0] / grid[1]);
}

static enum err read_blocks(struct asim_code *c, struct asim_source *s,
			    asim_progress_fn *progress, void *ctx,
			    struct diag *d)
{
	struct asim_block b = { 0 };
	uint64_t told = 0;
	bool found = true;
	enum err e = ERR_OK;

	while (!e) {
		e = asim_read_block(&b, c, s, &found, d);
		if (e || !found)
			break;
		e = check_next(&b, c, s, &c->blocks, d);
		if (!e && progress && c->records - told > TELL_RECORDS) {
			told = c->records;
			if (!progress(ctx, asim_source_done(s)))
				e = fail(d, ERR_FAULT, "stopped");
		}
	}
	asim_block_clear(&b);
	return e;
}

static enum err check_whole(const struct asim_code *c,
			    const struct asim_source *s, struct diag *d)
{
	const uint32_t *grid = c->header.grid;
	uint64_t all = (uint64_t)grid[0] * grid[1] * grid[2];

	if (c->blocks == all)
		return ERR_OK;
	return asim_fail(s, d, ERR_SYNTAX,
			 "the file ends after %" PRIu64 " of %" PRIu64
			 " thread blocks: it is cut, or tracing was stopped",
			 c->blocks, all);
}

enum err asim_scan(struct asim_code *c, const char *path,
		   asim_progress_fn *progress, void *ctx, struct diag *d)
{
	struct asim_source *s;
	enum err e;

	memset(c, 0, sizeof(*c));
	c->local_low = UINT64_MAX;
	e = asim_source_open(&s, path, d);
	if (e)
		return e;
	e = asim_read_header(&c->header, s, d);
	if (!e)
		e = read_blocks(c, s, progress, ctx, d);
	if (!e)
		e = check_whole(c, s, d);
	asim_source_free(s);
	return e ? e : asim_sort(c, d);
}

/* ---- program ------------------------------------------------------------- */

static const struct isa *listing_isa(void)
{
	for (int i = 0; isa_all[i]; i++)
		if (isa_all[i]->listed)
			return isa_all[i];
	return NULL;
}

static enum err at_line(const char *path, uint32_t line, struct diag *d,
			enum err code, const char *what)
{
	return fail(d, code, "%.200s:%u: %s", path, line, what);
}

static bool accesses(enum timing_kind kind)
{
	return kind == KIND_LOAD || kind == KIND_STORE || kind == KIND_ATOMIC ||
	       kind == KIND_ASYNC;
}

static enum err check_alignment(const struct asim_inst *in,
				const struct inst *to, const char *path,
				struct diag *d)
{
	for (int i = 0; i < 4; i++)
		if (in->bit_line[i] && to->width > 1 << i)
			return fail(d, ERR_SYNTAX,
				    "%.200s:%u: %s: an address that is no "
				    "multiple of %u bytes",
				    path, in->bit_line[i], in->listed.opcode,
				    to->width);
	return ERR_OK;
}

/* Shared and local memory: an offset, or an address in the window. */
static enum err check_window(const struct asim_code *c,
			     const struct asim_inst *in, const struct inst *to,
			     const char *path, struct diag *d)
{
	bool shared = to->space == SPACE_SHARED;
	uint64_t base = shared ? c->header.shared_base : c->header.local_base;

	if (to->space != SPACE_SHARED && to->space != SPACE_LOCAL)
		return ERR_OK;
	if (in->high < ASIM_WINDOW ||
	    (in->low >= base && in->high - base < ASIM_WINDOW))
		return ERR_OK;
	return fail(d, ERR_SYNTAX,
		    "%.200s:%u: %s: an address outside of %s memory", path,
		    in->high_line, in->listed.opcode,
		    shared ? "shared" : "local");
}

/* A barrier of all threads has no count. The number of another one is not in the
 * trace, nor is one that is in a register. */
static enum err check_barrier(const struct asim_code *c,
			      const struct asim_inst *in, const char *path,
			      struct diag *d)
{
	const uint32_t *b = c->header.block;
	int64_t n = in->listed.imm, threads = (int64_t)b[0] * b[1] * b[2];

	if (!in->listed.regs &&
	    ((n >= 0 && n < BARRIERS) || n == (threads + 31) / 32 * 32))
		return ERR_OK;
	return fail(d, ERR_UNSUPP,
		    "%.200s:%u: %s: the trace does not hold which barrier it "
		    "is, of which threads",
		    path, in->first_line, in->listed.opcode);
}

static enum err check_inst(const struct asim_code *c,
			   const struct asim_inst *in, const struct inst *to,
			   enum timing_kind kind, const char *path,
			   struct diag *d)
{
	enum err e;

	if (kind == KIND_BARRIER || kind == KIND_ARRIVE)
		return check_barrier(c, in, path, d);
	if (!accesses(kind))
		return ERR_OK;
	if (in->bare_line) {
		char text[200];

		snprintf(text, sizeof(text), "%s without addresses",
			 in->listed.opcode);
		return at_line(path, in->bare_line, d, ERR_SYNTAX, text);
	}
	if (!in->high_line)
		return ERR_OK;
	e = check_alignment(in, to, path, d);
	return e ? e : check_window(c, in, to, path, d);
}

static enum err check_and_set(struct program *p, const struct asim_code *c,
			      const char *path, struct diag *d)
{
	const struct function *f = &p->funcs[0];
	struct inst *to = f->code->insts;
	struct inst_text text;
	enum err e = ERR_OK;

	for (uint32_t i = 0; !e && i < c->count; i++) {
		p->isa->describe(f, to[i].index, &text);
		to[i].exec = asim_executor(text.kind);
		e = check_inst(c, &c->inst[c->sorted[i]], &to[i], text.kind,
			       path, d);
	}
	to[c->count].exec = asim_finish;
	return e;
}

static enum err list_program(struct program **out, const struct asim_code *c,
			     const struct listing *l, struct gmem *g,
			     const char *path, struct diag *d)
{
	struct diag why;
	uint32_t which = 0;
	enum err e = listing_isa()->listed(out, l, g, &which, &why);

	if (!e)
		return ERR_OK;
	if (e == ERR_NOMEM || !l->count)
		return fail(d, e, "%s", why.text);
	return fail(d, e, "%.200s:%u: %s", path,
		    c->inst[c->sorted[which]].first_line, why.text);
}

void asim_program_free(struct program *p)
{
	p->isa->unload(p);
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

enum err asim_program(struct program **out, const struct asim_code *c,
		      const char *path, struct gmem *g, struct diag *d)
{
	struct arena a = { 0 };
	struct listed_inst *list =
		arena_new(&a, struct listed_inst, c->count + 1);
	struct listing l = { .name = path,
			     .kernel = c->header.kernel,
			     .file = c->header.lines ? "source" :
						       file_name(path),
			     .target = c->header.target,
			     .registers = c->header.registers,
			     .inst = list,
			     .count = c->count,
			     .text = c->text };
	enum err e;

	if (!list)
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < c->count; i++)
		list[i] = c->inst[c->sorted[i]].listed;
	e = list_program(out, c, &l, g, path, d);
	if (!e) {
		e = check_and_set(*out, c, path, d);
		if (e) {
			asim_program_free(*out);
			*out = NULL;
		}
	}
	arena_free(&a);
	return e;
}
