#include "door/cli/inlined.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "door/cli/dwarf.h"

enum { MAX_CHAIN = 32 }; /* calls around a line */

/* A call, or a function itself, with its labels resolved. */
struct inlined_range {
	const struct dwarf_call *call; /* NULL: the function itself */
	size_t function;               /* its number */
	size_t from, to;               /* in the text */
};

/* Where a function begins. */
struct function_start {
	uint32_t file, line; /* line 0: not known */
};

struct text_label {
	const char *name;
	size_t size, at;
};

struct inlining {
	const char *text, *end;
	FILE *to;
	bool keep;
	struct dwarf w;
	struct text_label *labels; /* by name */
	size_t label_count;
	struct function_start *start; /* by function */
	size_t *begun;                /* functions, by file and line */
	size_t begun_count;
	struct inlined_range *ranges; /* by `from` */
	size_t range_count, next;     /* next: begins after the current place */
	struct inlined_range *active; /* around the current place */
	size_t active_count;
	bool *named; /* by function: its name is used */
};

/* ---- labels ---- */

static int compare_names(const char *a, size_t n, const char *b, size_t m)
{
	int c = memcmp(a, b, n < m ? n : m);

	return c ? c : n < m ? -1 : n > m;
}

static int by_name(const void *a, const void *b)
{
	const struct text_label *x = a, *y = b;

	return compare_names(x->name, x->size, y->name, y->size);
}

static const char *end_of_line(const struct inlining *x, const char *p)
{
	const char *q = memchr(p, '\n', (size_t)(x->end - p));

	return q ? q : x->end;
}

/* Finds the lines that are a label; returns their number. labels: NULL only
 * counts. */
static size_t find_labels(const struct inlining *x, struct text_label *labels)
{
	size_t n = 0;

	for (const char *p = x->text; p < x->end;) {
		const char *stop = end_of_line(x, p);
		size_t size = strcspn(p, ": \t\n");

		if (size && p[size] == ':') {
			if (labels)
				labels[n] = (struct text_label){
					p, size, (size_t)(p - x->text)
				};
			n++;
		}
		p = stop + (stop < x->end);
	}
	return n;
}

static size_t label_at(const struct inlining *x, const char *name)
{
	struct text_label key = { .name = name, .size = strlen(name) }, *l;

	l = x->label_count ? bsearch(&key, x->labels, x->label_count,
				     sizeof(key), by_name) :
			     NULL;
	return l ? l->at : SIZE_MAX;
}

/* ---- functions and calls ---- */

static int by_begin(const void *a, const void *b)
{
	const struct inlined_range *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	/* Outer calls first, and before them the function itself. */
	return x->call < y->call ? -1 : x->call > y->call;
}

static int compare_starts(const struct function_start *a,
			  const struct function_start *b)
{
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static void add_range(struct inlining *x, const struct dwarf_call *c, size_t at,
		      const char *from, const char *to)
{
	struct inlined_range r = { .call = c };

	r.function = dwarf_number(&x->w, at);
	r.from = from ? label_at(x, from) : SIZE_MAX;
	r.to = to ? label_at(x, to) : SIZE_MAX;
	if (r.function < x->w.function_count && r.from < r.to &&
	    r.to != SIZE_MAX)
		x->ranges[x->range_count++] = r;
}

static void find_ranges(struct inlining *x)
{
	for (size_t i = 0; i < x->w.call_count; i++) {
		const struct dwarf_call *c = &x->w.calls[i];

		add_range(x, c, c->callee, c->from, c->to);
	}
	for (size_t i = 0; i < x->w.function_count; i++) {
		const struct dwarf_function *f = &x->w.functions[i];

		add_range(x, NULL, f->same ? f->same : f->at, f->from, f->to);
	}
	if (x->range_count)
		qsort(x->ranges, x->range_count, sizeof(*x->ranges), by_begin);
}

/* ---- where functions begin ---- */

/* The next .loc line from p on, with its numbers; NULL: there is none. */
static const char *next_loc(const struct inlining *x, const char *p,
			    uint32_t at[3])
{
	for (; p < x->end; p = end_of_line(x, p) + 1) {
		const char *q = p + strspn(p, " \t");

		at[2] = 0;
		if (!strncmp(q, ".loc", 4) &&
		    sscanf(q + 4, "%" SCNu32 " %" SCNu32 " %" SCNu32, &at[0],
			   &at[1], &at[2]) >= 2)
			return q;
	}
	return NULL;
}

/* Keeps the ranges around a place; places are asked for in order. Returns the
 * innermost of those that began since the last place, or NULL. */
static const struct inlined_range *move_to(struct inlining *x, size_t at)
{
	const struct inlined_range *begun = NULL;
	size_t n = 0;

	for (; x->next < x->range_count && x->ranges[x->next].from <= at;
	     x->next++) {
		x->active[x->active_count++] = x->ranges[x->next];
		if (x->ranges[x->next].to > at)
			begun = &x->ranges[x->next];
	}
	for (size_t i = 0; i < x->active_count; i++)
		if (x->active[i].to > at)
			x->active[n++] = x->active[i];
	x->active_count = n;
	return begun;
}

/* The first line of a range belongs to its function. */
static void seed_starts(struct inlining *x)
{
	const char *p = x->text;
	uint32_t at[3];

	x->next = x->active_count = 0;
	while ((p = next_loc(x, p, at))) {
		const struct inlined_range *r =
			move_to(x, (size_t)(p - x->text));
		struct function_start *s = r ? &x->start[r->function] : NULL;

		p = end_of_line(x, p);
		if (!s || !at[1] || x->w.functions[r->function].line)
			continue;
		if (!s->line || (s->file == at[0] && at[1] < s->line))
			*s = (struct function_start){ at[0], at[1] };
	}
}

static void find_starts(struct inlining *x)
{
	for (size_t i = 0; i < x->w.function_count; i++) {
		const struct dwarf_function *f =
			dwarf_declaration(&x->w, x->w.functions[i].at);

		if (f)
			x->start[i] =
				(struct function_start){ f->file, f->line };
	}
	seed_starts(x);
	for (size_t i = 0; i < x->w.function_count; i++) {
		size_t k = x->begun_count;

		if (!x->start[i].line)
			continue;
		for (; k && compare_starts(&x->start[i],
					   &x->start[x->begun[k - 1]]) < 0;
		     k--)
			x->begun[k] = x->begun[k - 1];
		x->begun[k] = i;
		x->begun_count++;
	}
}

/* The start of the function that a line stands in; NULL: not known. */
static const struct function_start *start_of(const struct inlining *x,
					     uint32_t file, uint32_t line)
{
	struct function_start key = { file, line };
	size_t i;

	SEARCH_FIRST(i, x->begun_count,
		     compare_starts(&x->start[x->begun[i]], &key) <= 0);
	return i && x->start[x->begun[i - 1]].file == file ?
		       &x->start[x->begun[i - 1]] :
		       NULL;
}

static enum err inlining_prepare(struct inlining *x, struct diag *d)
{
	struct arena *a = &x->w.arena;
	size_t n = find_labels(x, NULL);

	if (dwarf_read(&x->w, x->text, (size_t)(x->end - x->text), d))
		return d->code;
	x->labels = arena_new(a, struct text_label, n + 1);
	x->start = arena_new(a, struct function_start, x->w.function_count + 1);
	x->begun = arena_new(a, size_t, x->w.function_count + 1);
	x->ranges = arena_new(a, struct inlined_range,
			      x->w.call_count + x->w.function_count + 1);
	x->active = arena_new(a, struct inlined_range,
			      x->w.call_count + x->w.function_count + 1);
	x->named = arena_new(a, bool, x->w.function_count + 1);
	if (!x->labels || !x->start || !x->begun || !x->ranges || !x->active ||
	    !x->named)
		return fail(d, ERR_NOMEM, "out of memory");
	x->label_count = find_labels(x, x->labels);
	if (n)
		qsort(x->labels, n, sizeof(*x->labels), by_name);
	find_ranges(x);
	find_starts(x);
	x->next = x->active_count = 0;
	return ERR_OK;
}

/* ---- lines ---- */

/* The call that a line at the current place belongs to: of its function, the one
 * with the least code; NULL: none. */
static const struct dwarf_call *call_of(const struct inlining *x, uint32_t file,
					uint32_t line)
{
	const struct function_start *f = start_of(x, file, line);
	const struct inlined_range *best = NULL;

	for (size_t i = 0; f && i < x->active_count; i++) {
		const struct inlined_range *r = &x->active[i];

		if (!compare_starts(&x->start[r->function], f) &&
		    (!best || r->to - r->from <= best->to - best->from))
			best = r;
	}
	return best ? best->call : NULL;
}

static void write_loc(struct inlining *x, const uint32_t at[3],
		      const struct dwarf_call *c)
{
	size_t name = dwarf_number(&x->w, c->callee);

	x->named[name] = true;
	fprintf(x->to,
		"\t.loc\t%" PRIu32 " %" PRIu32 " %" PRIu32
		", function_name $L__info_string%zu, inlined_at %" PRIu32
		" %" PRIu32 " %" PRIu32 "\n",
		at[0], at[1], at[2], name, c->file, c->line, c->column);
}

/* Writes the calls around a call before the line itself: a reader takes the last
 * line at the place of a call for the one that it is part of. ptxas wants each
 * such place to be a line before it is one, also the outermost. */
static void write_chain(struct inlining *x, const uint32_t at[3],
			const struct dwarf_call *c)
{
	const struct dwarf_call *chain[MAX_CHAIN];
	size_t n = 0;

	for (; c && n < MAX_CHAIN; c = c->outer)
		chain[n++] = c;
	fprintf(x->to, "\t.loc\t%" PRIu32 " %" PRIu32 " %" PRIu32 "\n",
		chain[n - 1]->file, chain[n - 1]->line, chain[n - 1]->column);
	while (--n) {
		const struct dwarf_call *inner = chain[n - 1];

		write_loc(x,
			  (uint32_t[]){ inner->file, inner->line,
					inner->column },
			  chain[n]);
	}
	write_loc(x, at, chain[0]);
}

/* A .loc line, with its callers if it has any; false: it has none. */
static bool rewrite_loc(struct inlining *x, const char *p)
{
	const struct dwarf_call *c;
	uint32_t at[3];

	p += strspn(p, " \t");
	if (strncmp(p, ".loc", 4) != 0 || next_loc(x, p, at) != p)
		return false;
	move_to(x, (size_t)(p - x->text));
	c = call_of(x, at[0], at[1]);
	if (c)
		write_chain(x, at, c);
	return c != NULL;
}

/* A section of debugging information; returns its end. */
static const char *skip_section(const struct inlining *x, const char *p)
{
	const char *close = memchr(p, '}', (size_t)(x->end - p));
	const char *stop = close ? end_of_line(x, close) : x->end;

	return stop + (stop < x->end);
}

static bool begins_with(const char *p, const char *word)
{
	p += strspn(p, " \t");
	return !strncmp(p, word, strlen(word));
}

static bool begins_debug_section(const char *p)
{
	static const char word[] = ".section";

	return begins_with(p, word) &&
	       begins_with(p + strspn(p, " \t") + sizeof(word) - 1, ".debug_");
}

static void write_line(struct inlining *x, const char *p, const char *stop)
{
	static const char debug[] = ", debug";
	size_t n = (size_t)(stop - p), cut = sizeof(debug) - 1;

	if (!x->keep && begins_with(p, ".target") && n > cut &&
	    !memcmp(stop - cut, debug, cut))
		n -= cut;
	fwrite(p, 1, n, x->to);
	fputc('\n', x->to);
}

/* The names of the functions, as function_name needs them. */
static void write_names(const struct inlining *x)
{
	bool open = false;

	for (size_t i = 0; i < x->w.function_count; i++) {
		const char *s = dwarf_name(&x->w, x->w.functions[i].at);

		if (!x->named[i])
			continue;
		if (!open)
			fputs("\t.section\t.debug_str\n\t{\n", x->to);
		open = true;
		fprintf(x->to, "$L__info_string%zu:\n.b8 ", i);
		for (; *s; s++)
			fprintf(x->to, "%u,", (unsigned)(unsigned char)*s);
		fputs("0\n", x->to);
	}
	if (open)
		fputs("\t}\n", x->to);
}

static void rewrite(struct inlining *x)
{
	for (const char *p = x->text; p < x->end;) {
		const char *stop = end_of_line(x, p);

		if (!x->keep && begins_debug_section(p)) {
			p = skip_section(x, p);
			continue;
		}
		if (!rewrite_loc(x, p))
			write_line(x, p, stop);
		p = stop + (stop < x->end);
	}
	write_names(x);
}

enum err ptx_add_callers(char **text, size_t *size, bool keep, struct diag *d)
{
	struct inlining x = { .text = *text,
			      .end = *text + *size,
			      .keep = keep };
	char *out = NULL;
	size_t out_size = 0;
	enum err e;

	/* Later versions of clang may write it themselves. */
	if (strstr(*text, "inlined_at"))
		return ERR_OK;
	x.to = open_memstream(&out, &out_size);
	e = x.to ? inlining_prepare(&x, d) :
		   fail(d, ERR_NOMEM, "out of memory");
	if (!e)
		rewrite(&x);
	if (x.to && fclose(x.to) && !e)
		e = fail(d, ERR_NOMEM, "out of memory");
	dwarf_free(&x.w);
	if (e) {
		free(out);
		return e;
	}
	free(*text);
	*text = out;
	*size = out_size;
	return ERR_OK;
}
