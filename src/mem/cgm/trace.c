#include "mem/cgm/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/digit.h"
#include "base/minmax.h"

/*
 * Reading
 */

enum { TRACE_WORDS = 9, TRACE_INDEX_MAX = 63 };

struct cgm_reader {
	const char *name;
	uint32_t line;
	const char *word[TRACE_WORDS];
	size_t length[TRACE_WORDS];
	unsigned words, at;
	struct diag *d;
};

static enum err cgm_syntax(struct cgm_reader *r, const char *what)
{
	if (r->at < r->words)
		return fail(r->d, ERR_SYNTAX, "%s:%" PRIu32 ": '%.*s': %s",
			    r->name, r->line,
			    (int)min_u64(r->length[r->at], 40), r->word[r->at],
			    what);
	return fail(r->d, ERR_SYNTAX, "%s:%" PRIu32 ": the line ends: %s",
		    r->name, r->line, what);
}

static bool cgm_is_word(const struct cgm_reader *r, const char *word)
{
	return r->at < r->words && r->length[r->at] == strlen(word) &&
	       !memcmp(r->word[r->at], word, r->length[r->at]);
}

/* A number of n characters, decimal or 0x; false: it is none, or too large. */
static bool cgm_number(const char *s, size_t n, uint64_t *out)
{
	unsigned base = 10;
	uint64_t v = 0;

	if (n > 2 && s[0] == '0' && (s[1] | 32) == 'x') {
		base = 16;
		s += 2;
		n -= 2;
	}
	if (!n)
		return false;
	for (size_t i = 0; i < n; i++) {
		unsigned digit = digit_value(s[i]);

		if (digit >= base || v > (UINT64_MAX - digit) / base)
			return false;
		v = v * base + digit;
	}
	*out = v;
	return true;
}

static enum err cgm_take_number(struct cgm_reader *r, uint64_t *out,
				const char *what)
{
	if (r->at >= r->words ||
	    !cgm_number(r->word[r->at], r->length[r->at], out))
		return cgm_syntax(r, what);
	r->at++;
	return ERR_OK;
}

/* Far from where products with a clock's ticks would overflow. */
static const uint64_t max_cycle = UINT64_C(1) << 48;

static enum err cgm_take_when(struct cgm_reader *r, struct cgm_trace_row *to)
{
	const char *s = r->word[r->at];
	size_t n = r->length[r->at];

	if (cgm_is_word(r, "*")) {
		to->when = CGM_WHEN_NOW;
		r->at++;
		return ERR_OK;
	}
	to->when = *s == '+' ? CGM_WHEN_AFTER : CGM_WHEN_CYCLE;
	if (!cgm_number(s + (*s == '+'), n - (*s == '+'), &to->at) ||
	    to->at > max_cycle)
		return cgm_syntax(r, "expected *, a cycle, or + and a number "
				     "of cycles");
	r->at++;
	return ERR_OK;
}

static const struct {
	const char *name;
	enum cgm_port_kind kind;
} who[] = { { "cpu", CGM_PORT_DATA },
	    { "cu", CGM_PORT_VECTOR },
	    { "scalar", CGM_PORT_SCALAR } };

const char *cgm_trace_who(enum cgm_port_kind kind)
{
	/* A core fetches by another port than it loads. */
	for (unsigned i = 1; i < 3; i++)
		if (who[i].kind == kind)
			return who[i].name;
	return who[0].name;
}

static enum err cgm_take_who(struct cgm_reader *r, struct cgm_trace_row *to)
{
	for (unsigned i = 0; r->at < r->words && i < 3; i++) {
		size_t n = strlen(who[i].name);
		uint64_t index;

		if (r->length[r->at] <= n ||
		    memcmp(r->word[r->at], who[i].name, n) ||
		    !cgm_number(r->word[r->at] + n, r->length[r->at] - n,
				&index) ||
		    index > TRACE_INDEX_MAX)
			continue;
		to->kind = (uint8_t)who[i].kind;
		to->index = (uint16_t)index;
		r->at++;
		return ERR_OK;
	}
	return cgm_syntax(r, "expected cpu, cu or scalar and a number from 0 "
			     "to 63");
}

static enum err cgm_take_op(struct cgm_reader *r, struct cgm_trace_row *to)
{
	for (unsigned i = 0; i < CGM_OPS; i++)
		if (cgm_is_word(r, cgm_ops[i].name)) {
			to->op = (uint8_t)i;
			if (i == CGM_OP_FETCH && to->kind == CGM_PORT_DATA)
				to->kind = CGM_PORT_FETCH;
			r->at++;
			return ERR_OK;
		}
	return cgm_syntax(r,
			  "expected fetch, load, store, an atomic (add, and, "
			  "or, xor, min, max, swap, cas), flush or fence");
}

static enum err cgm_take_place(struct cgm_reader *r, struct cgm_trace_row *to)
{
	struct cgm_request q = { .op = (enum cgm_op)to->op };
	uint64_t size;

	if (cgm_take_number(r, &to->address, "expected an address") ||
	    cgm_take_number(r, &size, "expected a size in bytes"))
		return r->d->code;
	if (to->address >> CGM_ADDRESS_BITS)
		return fail(r->d, ERR_RANGE,
			    "%s:%" PRIu32 ": address 0x%" PRIx64
			    ": expected less than 2^%d",
			    r->name, r->line, to->address, CGM_ADDRESS_BITS);
	q.address = to->address;
	q.size = size > CGM_BLOCK ? 0 : (unsigned)size;
	if (cgm_request_wrong(&q))
		return fail(r->d, ERR_RANGE, "%s:%" PRIu32 ": %s", r->name,
			    r->line, cgm_request_wrong(&q));
	to->size = (uint8_t)size;
	return ERR_OK;
}

static enum err cgm_take_values(struct cgm_reader *r, struct cgm_trace_row *to)
{
	enum cgm_sort sort = cgm_ops[to->op].sort;
	bool answers = sort == CGM_SORT_READ || sort == CGM_SORT_RMW;

	if (sort == CGM_SORT_WRITE || sort == CGM_SORT_RMW)
		if (cgm_take_number(r, &to->value, "expected a value"))
			return r->d->code;
	if (to->op == CGM_OP_CAS &&
	    cgm_take_number(r, &to->compare, "expected the value to compare"))
		return r->d->code;
	if (answers && cgm_is_word(r, "=")) {
		r->at++;
		to->expects = true;
		if (cgm_take_number(r, &to->expected,
				    "expected the value that is there"))
			return r->d->code;
	}
	if (r->at < r->words)
		return cgm_syntax(r, "nothing more was expected here");
	return ERR_OK;
}

static enum err cgm_read_row(struct cgm_reader *r, struct cgm_trace_row *to)
{
	if (cgm_take_when(r, to) || cgm_take_who(r, to) || cgm_take_op(r, to))
		return r->d->code;
	if (cgm_ops[to->op].sort != CGM_SORT_FENCE && cgm_take_place(r, to))
		return r->d->code;
	return cgm_take_values(r, to);
}

/* Splits a line; a # begins a comment. */
static enum err cgm_split(struct cgm_reader *r, const char *s, const char *end)
{
	r->words = r->at = 0;
	for (;;) {
		const char *start;

		while (s < end && (*s == ' ' || *s == '\t' || *s == '\r'))
			s++;
		if (s == end || *s == '#')
			return ERR_OK;
		start = s;
		while (s < end && *s != ' ' && *s != '\t' && *s != '\r' &&
		       *s != '#')
			s++;
		for (const char *p = start; p < s; p++)
			if (*p < 0x21 || *p > 0x7e)
				return fail(r->d, ERR_SYNTAX,
					    "%s:%" PRIu32
					    ": a byte that is no text",
					    r->name, r->line);
		if (r->words == TRACE_WORDS)
			return fail(r->d, ERR_SYNTAX,
				    "%s:%" PRIu32 ": more words than a "
				    "request has",
				    r->name, r->line);
		r->word[r->words] = start;
		r->length[r->words++] = (size_t)(s - start);
	}
}

static enum err cgm_add_row(struct cgm_trace *t, const struct cgm_trace_row *x,
			    struct diag *d)
{
	if (t->count == t->room) {
		size_t room = t->room ? 2 * t->room : 64;
		struct cgm_trace_row *more =
			realloc(t->row, room * sizeof(*more));

		if (!more)
			return fail(d, ERR_NOMEM, "out of memory");
		t->row = more;
		t->room = room;
	}
	t->row[t->count++] = *x;
	return ERR_OK;
}

enum err cgm_trace_read(struct cgm_trace *t, const char *name, const char *text,
			size_t size, struct diag *d)
{
	struct cgm_reader r = { .name = name, .d = d };
	const char *end = text + size;

	*t = (struct cgm_trace){ 0 };
	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		struct cgm_trace_row row = { 0 };

		eol = eol ? eol : end;
		r.line++;
		if (cgm_split(&r, text, eol))
			return d->code;
		text = eol + (eol < end);
		if (cgm_is_word(&r, "barrier") && r.words == 1) {
			t->phases++;
			continue;
		}
		if (!r.words)
			continue;
		row.line = r.line;
		row.phase = t->phases;
		if (cgm_read_row(&r, &row) || cgm_add_row(t, &row, d))
			return d->code;
	}
	t->phases++;
	return ERR_OK;
}

void cgm_trace_free(struct cgm_trace *t)
{
	free(t->row);
	*t = (struct cgm_trace){ 0 };
}

/*
 * Playing
 */

enum { TRACE_KINDS = 4, TRACE_SIDES = TRACE_KINDS * (TRACE_INDEX_MAX + 1) };

/* One requester: its rows are chained in their order. */
struct cgm_player {
	const struct cgm_trace *t;
	const uint32_t *next;      /* row to row, of all requesters */
	struct cgm_record *record; /* of each row; NULL: not asked for */
	cycle_t cycle;             /* ticks */
	cycle_t last;              /* when the last answer came */
	uint32_t at, tail;         /* rows; UINT32_MAX: none */
	uint32_t phase;
	uint32_t in_flight;
	uint8_t value[CGM_BLOCK];
	struct cgm_played own;
};

static cycle_t cgm_player_next(void *ctx, cycle_t now, struct cgm_request *r)
{
	struct cgm_player *p = ctx;
	const struct cgm_trace_row *x;
	cycle_t at = 0;

	if (p->at == UINT32_MAX || p->t->row[p->at].phase > p->phase)
		return CYCLE_NEVER;
	x = &p->t->row[p->at];
	if (x->when == CGM_WHEN_AFTER && p->in_flight)
		return CYCLE_NEVER;
	if (x->when == CGM_WHEN_CYCLE)
		at = x->at * p->cycle;
	else if (x->when == CGM_WHEN_AFTER)
		at = p->last + x->at * p->cycle;
	if (at > now)
		return at;
	for (unsigned i = 0; i < x->size; i += 8)
		memcpy(p->value + i, &x->value, min_u64(8, x->size - i));
	*r = (struct cgm_request){ .tag = p->at,
				   .address = x->address,
				   .op = (enum cgm_op)x->op,
				   .size = x->size,
				   .compare = x->compare,
				   .value = p->value };
	if (p->record)
		p->record[p->at].sent = now;
	p->at = p->next[p->at];
	p->in_flight++;
	return now;
}

static void cgm_player_record(const struct cgm_player *p, cycle_t now,
			      const struct cgm_answer *a)
{
	const struct cgm_trace_row *x = &p->t->row[a->tag];
	struct cgm_record *to = &p->record[a->tag];
	enum cgm_sort sort = cgm_ops[x->op].sort;

	to->answered = now;
	if (sort == CGM_SORT_READ || sort == CGM_SORT_RMW)
		memcpy(&to->found, a->value, min_u64(8, x->size));
}

static void cgm_player_answer(void *ctx, cycle_t now,
			      const struct cgm_answer *a)
{
	struct cgm_player *p = ctx;
	const struct cgm_trace_row *x = &p->t->row[a->tag];
	uint64_t found = 0, expected = x->expected;

	p->in_flight--;
	p->last = now;
	if (p->record)
		cgm_player_record(p, now, a);
	if (!x->expects)
		return;
	memcpy(&found, a->value, min_u64(8, x->size));
	if (x->size < 8)
		expected &= (UINT64_C(1) << 8 * x->size) - 1;
	if (found == expected)
		return;
	if (!p->own.wrong++ || x->line < p->own.line) {
		p->own.line = x->line;
		p->own.expected = expected;
		p->own.found = found;
	}
}

static struct cgm_player *cgm_player_of(struct cgm_player *all,
					const struct cgm_trace_row *x)
{
	return &all[x->kind * (TRACE_INDEX_MAX + 1) + x->index];
}

/* Chains the rows of every requester and attaches it to its port. */
static enum err cgm_trace_attach(const struct cgm_trace *t, const char *name,
				 struct cgm_system *s, struct cgm_player *all,
				 uint32_t *next, struct cgm_record *record,
				 struct diag *d)
{
	for (unsigned i = 0; i < TRACE_SIDES; i++)
		all[i] = (struct cgm_player){ .t = t,
					      .next = next,
					      .record = record,
					      .at = UINT32_MAX,
					      .tail = UINT32_MAX,
					      .cycle = cgm_system_cycle(s) };
	for (uint32_t i = 0; i < t->count; i++) {
		const struct cgm_trace_row *x = &t->row[i];
		struct cgm_player *p = cgm_player_of(all, x);
		struct cgm_source *source = cgm_system_source(
			s, (enum cgm_port_kind)x->kind, x->index);

		if (!source)
			return fail(d, ERR_RANGE,
				    "%s:%" PRIu32 ": the configuration has no "
				    "%s %u; see cgm.%s",
				    name, x->line,
				    x->kind <= CGM_PORT_DATA ? "core" :
							       "compute unit",
				    x->index,
				    x->kind <= CGM_PORT_DATA ? "cores" : "cus");
		source->driver = (struct cgm_driver){ cgm_player_next,
						      cgm_player_answer, p };
		next[i] = UINT32_MAX;
		if (p->tail == UINT32_MAX)
			p->at = i;
		else
			next[p->tail] = i;
		p->tail = i;
	}
	return ERR_OK;
}

static enum err cgm_trace_phases(const struct cgm_trace *t,
				 struct cgm_system *s, struct cgm_player *all,
				 struct diag *d)
{
	for (uint32_t phase = 0; phase < t->phases; phase++) {
		for (unsigned i = 0; i < TRACE_SIDES; i++) {
			struct cgm_player *p = &all[i];

			p->phase = phase;
			if (p->at == UINT32_MAX)
				continue;
			p->last = cgm_system_now(s);
			cgm_system_wake(
				s,
				cgm_system_source(
					s,
					(enum cgm_port_kind)t->row[p->at].kind,
					t->row[p->at].index));
		}
		if (cgm_system_run(s, CYCLE_NEVER, d))
			return d->code;
	}
	return ERR_OK;
}

enum err cgm_trace_play(const struct cgm_trace *t, const char *name,
			struct cgm_system *s, struct cgm_record *record,
			struct cgm_played *out, struct diag *d)
{
	struct cgm_player *all = malloc(TRACE_SIDES * sizeof(*all));
	uint32_t *next = malloc((t->count + 1) * sizeof(*next));
	enum err e;

	*out = (struct cgm_played){ 0 };
	if (!all || !next)
		e = fail(d, ERR_NOMEM, "out of memory");
	else
		e = cgm_trace_attach(t, name, s, all, next, record, d);
	if (!e)
		e = cgm_trace_phases(t, s, all, d);
	for (unsigned i = 0; !e && i < TRACE_SIDES; i++) {
		const struct cgm_played *own = &all[i].own;
		uint64_t wrong = out->wrong + own->wrong;

		if (own->wrong && (!out->wrong || own->line < out->line))
			*out = *own;
		out->wrong = wrong;
	}
	for (unsigned i = 0; all && i < TRACE_SIDES; i++) {
		struct cgm_source *source = cgm_system_source(
			s, (enum cgm_port_kind)(i / (TRACE_INDEX_MAX + 1)),
			i % (TRACE_INDEX_MAX + 1));

		if (source)
			source->driver =
				(struct cgm_driver){ NULL, NULL, NULL };
	}
	free(all);
	free(next);
	return e;
}
