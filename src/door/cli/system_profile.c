/* heddle system --out: where the commit slots went, by function and by
 * instruction. */
#include <stdlib.h>

#include "door/cli/memory_json.h"
#include "door/cli/simulate.h"

enum { PROFILE_INSTRUCTIONS = 400, PROFILE_BLOCKS = 64 };

/* A function, or an instruction. */
struct profile_part {
	const char *name; /* NULL: not known */
	uint64_t at, total, pauses;
	uint64_t slot[CPU_SLOT_USES];
};

static int profile_order(const void *a, const void *b)
{
	const struct profile_part *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void profile_add(struct profile_part *to, const struct system_hot *h)
{
	to->pauses += h->pauses;
	for (unsigned i = 0; i < CPU_SLOT_USES; i++) {
		to->slot[i] += h->slot[i];
		to->total += h->slot[i];
	}
}

/* Instructions of a function follow each other. */
static size_t profile_functions(struct profile_part *to,
				const struct simulation *s,
				const struct system_hot *hot, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t start = 0;
		const char *name = NULL;

		if (hot[i].at)
			name = x86_process_function(s->process, hot[i].at,
						    &start);
		if (!n || to[n - 1].at != start || to[n - 1].name != name)
			to[n++] = (struct profile_part){ .name = name,
							 .at = start };
		profile_add(&to[n - 1], &hot[i]);
	}
	qsort(to, n, sizeof(*to), profile_order);
	return n;
}

static size_t profile_instructions(struct profile_part *to,
				   const struct system_hot *hot, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (!hot[i].at)
			continue;
		to[n] = (struct profile_part){ .at = hot[i].at };
		profile_add(&to[n++], &hot[i]);
	}
	qsort(to, n, sizeof(*to), profile_order);
	return n < PROFILE_INSTRUCTIONS ? n : PROFILE_INSTRUCTIONS;
}

static void profile_write_functions(struct json *j,
				    const struct profile_part *p, size_t n)
{
	json_open(j, "functions", '[');
	for (size_t i = 0; i < n; i++) {
		json_open_line(j, NULL, '{');
		if (p[i].name)
			json_string(j, "function", p[i].name);
		else
			json_null(j, "function");
		json_uint(j, "at", p[i].at);
		json_uint(j, "slots", p[i].total);
		json_uint(j, "pauses", p[i].pauses);
		simulate_json_slots(j, "slot", p[i].slot);
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void profile_write_instructions(struct json *j,
				       const struct simulation *s,
				       const struct profile_part *p, size_t n)
{
	char text[160];

	json_open(j, "hot_instructions", '[');
	for (size_t i = 0; i < n; i++) {
		json_open_line(j, NULL, '{');
		json_uint(j, "at", p[i].at);
		x86_process_place(s->process, p[i].at, text, sizeof(text));
		json_string(j, "place", text);
		x86_process_text(s->process, p[i].at, text, sizeof(text));
		json_string(j, "text", text);
		json_uint(j, "slots", p[i].total);
		simulate_json_slots(j, "slot", p[i].slot);
		json_close(j, '{');
	}
	json_close(j, '[');
}

/* The blocks with the most coherence. */
static void profile_write_blocks(struct json *j, const struct simulation *s)
{
	const struct cgm_system *cgm = system_memory(s->system);
	struct cgm_hot_block b;
	char text[160];

	json_open(j, "hot_blocks", '[');
	for (unsigned i = 0;
	     i < PROFILE_BLOCKS && cgm_system_hot_block(cgm, i, &b); i++) {
		x86_process_data(s->process, b.block * CGM_BLOCK, text,
				 sizeof(text));
		json_open_line(j, NULL, '{');
		memory_json_block(j, &b);
		json_string(j, "what", text);
		json_close(j, '{');
	}
	json_close(j, '[');
}

enum err simulate_json_profile(struct json *j, struct simulation *s,
			       struct diag *d)
{
	struct profile_part *part;
	struct system_hot *hot;
	size_t count;

	if (system_profile(s->system, &hot, &count, d))
		return d->code;
	part = calloc(count, sizeof(*part));
	if (!part) {
		free(hot);
		return fail(d, ERR_NOMEM, "out of memory");
	}
	profile_write_functions(j, part,
				profile_functions(part, s, hot, count));
	profile_write_instructions(j, s, part,
				   profile_instructions(part, hot, count));
	profile_write_blocks(j, s);
	free(part);
	free(hot);
	return ERR_OK;
}
