/* The blocks of a kernel's trace, and the order of its instructions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "accelsim/line.h"

/* ---- blocks -------------------------------------------------------------- */

void asim_block_clear(struct asim_block *b)
{
	free(b->record);
	free(b->address);
	memset(b, 0, sizeof(*b));
}

/* The next line that is not blank; *line is NULL at the end of the file. */
static enum err next_line(struct asim_source *s, const char **line,
			  struct diag *d)
{
	size_t size;

	do {
		if (asim_source_line(s, line, &size, d))
			return d->code;
		if (*line && memchr(*line, 0, size))
			return asim_fail(s, d, ERR_SYNTAX,
					 "a zero byte: this is no text");
	} while (*line && (*line)[strspn(*line, " \t")] == '\0');
	return ERR_OK;
}

/* The same inside of a block, which must not end there. */
static enum err line_of_block(struct asim_source *s, const char **line,
			      struct diag *d)
{
	if (next_line(s, line, d))
		return d->code;
	if (*line)
		return ERR_OK;
	return asim_fail(s, d, ERR_SYNTAX,
			 "the file ends inside of a block: it is cut");
}

/* "thread block = 1,0,0", "warp = 3" or "insts = 12": up to `count` numbers. */
static bool read_numbers(const char *line, const char *name, uint64_t out[],
			 unsigned count)
{
	size_t n = strlen(name);
	char *end;

	if (strncmp(line, name, n) != 0)
		return false;
	line += n;
	for (unsigned i = 0; i < count; i++) {
		if (i && *line++ != ',')
			return false;
		if (*line < '0' || *line > '9')
			return false;
		out[i] = strtoull(line, &end, 10);
		line = end;
	}
	return line[strspn(line, " \t")] == '\0';
}

static bool grow_records(struct asim_block *b, uint64_t more)
{
	uint64_t need = b->count + more;
	uint64_t room = b->room ? b->room : 256;
	struct asim_record *list;

	/* Of a number that is wrong, no more than the file can hold. */
	while (room < need && room < b->count + UINT64_C(65536))
		room *= 2;
	if (room <= b->room)
		return true;
	if (room >= UINT32_MAX)
		return false;
	list = realloc(b->record, room * sizeof(*list));
	if (!list)
		return false;
	b->record = list;
	b->room = (uint32_t)room;
	return true;
}

/* What the lanes of a warp have done so far. */
struct warp_state {
	uint32_t members, exited;
	uint32_t last; /* the instruction before; ASIM_NONE: none */
};

static enum err check_lanes(const struct warp_state *w,
			    const struct asim_record *r,
			    const struct asim_source *s, struct diag *d)
{
	if (r->mask & ~w->members)
		return asim_fail(s, d, ERR_SYNTAX,
				 "mask %08x: this warp has lanes %08x", r->mask,
				 w->members);
	if (r->mask & w->exited)
		return asim_fail(s, d, ERR_SYNTAX,
				 "mask %08x: lanes %08x have exited before",
				 r->mask, w->exited);
	return ERR_OK;
}

/* Notes which instruction follows which. */
static void note_order(struct asim_code *c, struct warp_state *w, uint32_t inst)
{
	if (w->last != ASIM_NONE) {
		struct asim_inst *last = &c->inst[w->last];

		last->listed.jumps |= last->after != ASIM_NONE &&
				      last->after != inst;
		last->after = inst;
	}
	w->last = inst;
}

static enum err read_record(struct asim_block *b, struct warp_state *w,
			    struct asim_code *c, struct asim_source *s,
			    struct diag *d)
{
	struct asim_record *r;
	const char *line;

	if (line_of_block(s, &line, d))
		return d->code;
	if (!grow_records(b, 1))
		return fail(d, ERR_NOMEM, "out of memory");
	r = &b->record[b->count];
	if (asim_read_line(r, b, c, s, line, d) || check_lanes(w, r, s, d))
		return d->code;
	if (c->inst[r->inst].exits)
		w->exited |= r->mask;
	if (c->complete) {
		r->inst = c->inst[r->inst].number;
	} else {
		note_order(c, w, r->inst);
		c->records++;
		c->lanes += (unsigned)__builtin_popcount(r->mask);
	}
	b->count++;
	return ERR_OK;
}

static uint32_t asim_members(const struct asim_header *h, uint32_t warp)
{
	uint32_t threads = h->block[0] * h->block[1] * h->block[2];
	uint32_t rest = threads - 32 * warp;

	return rest >= 32 ? UINT32_MAX : (UINT32_C(1) << rest) - 1;
}

static enum err read_warp(struct asim_block *b, uint64_t number,
			  struct asim_code *c, struct asim_source *s,
			  struct diag *d)
{
	struct warp_state w = { .last = ASIM_NONE };
	const char *line;
	uint64_t count;

	if (number >= b->warps)
		return asim_fail(s, d, ERR_SYNTAX,
				 "warp %" PRIu64 ": a block has %u warps",
				 number, b->warps);
	if (b->warp[number].first != ASIM_NONE)
		return asim_fail(s, d, ERR_SYNTAX,
				 "warp %" PRIu64 " for the second time",
				 number);
	if (line_of_block(s, &line, d))
		return d->code;
	if (!read_numbers(line, "insts = ", &count, 1))
		return asim_fail(s, d, ERR_SYNTAX,
				 "'%.60s': expected insts = and their number",
				 line);
	if (!grow_records(b, count))
		return fail(d, ERR_NOMEM, "out of memory");
	w.members = asim_members(&c->header, (uint32_t)number);
	b->warp[number] = (struct asim_warp){ b->count, (uint32_t)count };
	for (uint64_t i = 0; i < count; i++)
		if (read_record(b, &w, c, s, d))
			return d->code;
	if (w.last != ASIM_NONE)
		c->inst[w.last].listed.jumps = true;
	return ERR_OK;
}

static enum err start_block(struct asim_block *b, const struct asim_code *c,
			    struct asim_source *s, struct diag *d)
{
	const struct asim_header *h = &c->header;
	uint32_t threads = h->block[0] * h->block[1] * h->block[2];
	const char *line;
	uint64_t at[3];

	if (line_of_block(s, &line, d))
		return d->code;
	if (!read_numbers(line, "thread block = ", at, 3))
		return asim_fail(s, d, ERR_SYNTAX,
				 "'%.60s': expected thread block = x,y,z",
				 line);
	if (at[0] >= h->grid[0] || at[1] >= h->grid[1] || at[2] >= h->grid[2])
		return asim_fail(s, d, ERR_SYNTAX,
				 "a thread block outside of the grid, %ux%ux%u",
				 h->grid[0], h->grid[1], h->grid[2]);
	b->index = at[0] + h->grid[0] * (at[1] + h->grid[1] * at[2]);
	b->count = b->address_count = 0;
	b->warps = (threads + 31) / 32;
	for (uint32_t i = 0; i < b->warps; i++)
		b->warp[i] = (struct asim_warp){ ASIM_NONE, 0 };
	return ERR_OK;
}

static enum err check_warps(struct asim_block *b, const struct asim_source *s,
			    struct diag *d)
{
	for (uint32_t i = 0; i < b->warps; i++)
		if (b->warp[i].first == ASIM_NONE)
			return asim_fail(s, d, ERR_SYNTAX,
					 "warp %u of the block is missing", i);
	return ERR_OK;
}

enum err asim_read_block(struct asim_block *b, struct asim_code *c,
			 struct asim_source *s, bool *found, struct diag *d)
{
	const char *line;
	uint64_t warp;

	*found = false;
	if (next_line(s, &line, d))
		return d->code;
	if (!line)
		return ERR_OK;
	if (strncmp(line, "#BEGIN_TB", 9) != 0)
		return asim_fail(s, d, ERR_SYNTAX,
				 "'%.60s': expected #BEGIN_TB%s", line,
				 *line >= '0' && *line <= '9' ?
					 "; has the file been processed?" :
					 "");
	if (start_block(b, c, s, d))
		return d->code;
	for (;;) {
		if (line_of_block(s, &line, d))
			return d->code;
		if (!strncmp(line, "#END_TB", 7))
			break;
		if (!read_numbers(line, "warp = ", &warp, 1))
			return asim_fail(s, d, ERR_SYNTAX,
					 "'%.60s': expected warp = and its "
					 "number, or #END_TB",
					 line);
		if (read_warp(b, warp, c, s, d))
			return d->code;
	}
	*found = true;
	return check_warps(b, s, d);
}

/* ---- code ---------------------------------------------------------------- */

void asim_code_free(struct asim_code *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		free(c->inst[i].text);
	free(c->inst);
	free(c->at);
	free(c->sorted);
	memset(c, 0, sizeof(*c));
}

/* The instructions of the kernel itself keep their places in its text. Those of
 * functions that it calls, which begin at the same program counters, follow
 * them, the first of each program counter, then the second and so on. */
enum err asim_sort(struct asim_code *c, struct diag *d)
{
	uint32_t n = 0, places = c->at_room, *left;

	c->sorted = malloc((c->count + 1) * sizeof(*c->sorted));
	left = malloc((places + 1) * sizeof(*left));
	if (!c->sorted || !left) {
		free(left);
		return fail(d, ERR_NOMEM, "out of memory");
	}
	if (places)
		memcpy(left, c->at, places * sizeof(*left));
	for (bool first = true; n < c->count; first = false)
		for (uint32_t i = 0; i < places; i++) {
			struct asim_inst *in;

			if (left[i] == ASIM_NONE)
				continue;
			in = &c->inst[left[i]];
			in->listed.index = first ? i : c->text;
			c->text = in->listed.index + 1;
			in->number = n;
			c->sorted[n++] = left[i];
			left[i] = in->next;
		}
	free(left);
	for (uint32_t i = 0; i < c->count; i++) {
		struct asim_inst *in = &c->inst[i];

		in->listed.jumps |= in->after == ASIM_NONE ||
				    c->inst[in->after].listed.index !=
					    in->listed.index + 1;
	}
	c->complete = true;
	return ERR_OK;
}
