/* heddle system --out, --profile: where the commit slots went, by function, by line of
 * the source and by instruction. */
#include <stdlib.h>
#include <string.h>

#include "door/cli/simulate.h"

static int profile_order(const void *a, const void *b)
{
	const struct simulate_part *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void profile_add(struct simulate_part *to, const struct simulate_part *p)
{
	to->pauses += p->pauses;
	to->total += p->total;
	for (unsigned i = 0; i < CPU_SLOT_USES; i++)
		to->slot[i] += p->slot[i];
}

/* An instruction, with its line; *start: where its function begins. */
static struct simulate_part profile_of(const struct simulation *s,
				       const struct system_hot *h,
				       uint64_t *start)
{
	struct simulate_part p = { .at = h->at, .pauses = h->pauses };

	*start = 0;
	if (h->at) {
		p.name = x86_process_function(s->process, h->at, start);
		p.line = x86_process_line(s->process, h->at, &p.file);
	}
	for (unsigned i = 0; i < CPU_SLOT_USES; i++) {
		p.slot[i] = h->slot[i];
		p.total += h->slot[i];
	}
	return p;
}

/* Instructions of a function follow each other. */
static void profile_functions(struct simulate_profile *out,
			      const struct simulation *s,
			      const struct system_hot *hot, size_t count)
{
	struct simulate_part *to = out->functions;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t start;
		const struct simulate_part p = profile_of(s, &hot[i], &start);

		if (!n || to[n - 1].at != start || to[n - 1].name != p.name)
			to[n++] = (struct simulate_part){ .name = p.name,
							  .at = start };
		profile_add(&to[n - 1], &p);
		out->slots += p.total;
	}
	qsort(to, n, sizeof(*to), profile_order);
	out->function_count = n;
}

static void profile_instructions(struct simulate_profile *out,
				 const struct simulation *s,
				 const struct system_hot *hot, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t start;

		if (hot[i].at)
			out->instructions[n++] = profile_of(s, &hot[i], &start);
	}
	qsort(out->instructions, n, sizeof(*out->instructions), profile_order);
	out->instruction_count = n;
}

/* By file and line; what has no line by its function. */
static int profile_line_order(const void *a, const void *b)
{
	const struct simulate_part *x = a, *y = b;
	int by_file = strcmp(x->file ? x->file : "", y->file ? y->file : "");
	int by_name = strcmp(x->name ? x->name : "", y->name ? y->name : "");

	if (by_file)
		return by_file;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (!x->line && by_name)
		return by_name;
	return x->at < y->at ? -1 : x->at > y->at;
}

static bool profile_same_line(const struct simulate_part *x,
			      const struct simulate_part *y)
{
	if (x->line != y->line || !x->file != !y->file ||
	    (x->file && strcmp(x->file, y->file) != 0))
		return false;
	return x->line || x->name == y->name;
}

/* A line that is in several functions has the name of the first one. */
static void profile_lines(struct simulate_profile *out)
{
	struct simulate_part *to = out->lines;
	size_t n = 0;

	memcpy(to, out->instructions,
	       out->instruction_count * sizeof(*out->instructions));
	if (out->instruction_count)
		qsort(to, out->instruction_count, sizeof(*to),
		      profile_line_order);
	for (size_t i = 0; i < out->instruction_count; i++) {
		if (n && profile_same_line(&to[n - 1], &to[i]))
			profile_add(&to[n - 1], &to[i]);
		else
			to[n++] = to[i];
	}
	if (n)
		qsort(to, n, sizeof(*to), profile_order);
	out->line_count = n;
}

enum err simulate_profile_make(struct simulation *s, struct diag *d)
{
	struct simulate_profile *p = &s->profile;
	struct system_hot *hot;
	size_t count;

	if (!s->o->out && !s->o->profile)
		return ERR_OK;
	if (system_profile(s->system, &hot, &count, d))
		return d->code;
	p->functions = calloc(count + 1, sizeof(*p->functions));
	p->lines = calloc(count + 1, sizeof(*p->lines));
	p->instructions = calloc(count + 1, sizeof(*p->instructions));
	if (!p->functions || !p->lines || !p->instructions) {
		free(hot);
		return fail(d, ERR_NOMEM, "out of memory");
	}
	profile_functions(p, s, hot, count);
	profile_instructions(p, s, hot, count);
	profile_lines(p);
	free(hot);
	return ERR_OK;
}

void simulate_profile_free(struct simulate_profile *p)
{
	free(p->functions);
	free(p->lines);
	free(p->instructions);
	*p = (struct simulate_profile){ 0 };
}
