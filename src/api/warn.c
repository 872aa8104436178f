/* Warnings about accesses that a GPU does not notice, and about code that
 * computes something else on a GPU. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/device.h"
#include "simt/hazard.h"
#include "simt/outside.h"

enum { LINE_TEXT = 1024 };

/* Where an instruction is: its function's file and line. */
static struct inst_text outside_place(const struct program *p,
				      const struct outside *o)
{
	struct inst_text in = { .file = p->name };

	p->isa->describe(o->func, o->inst, &in);
	return in;
}

/* Whether this is the first time on this device; takes the key. If the host has
 * no memory to remember it, it may be warned about again. */
static bool warn_is_new(struct heddle_device *dev, char *key)
{
	char **more;

	for (size_t i = 0; key && i < dev->warned_count; i++)
		if (!strcmp(dev->warned[i], key)) {
			free(key);
			return false;
		}
	more = realloc(dev->warned, (dev->warned_count + 1) * sizeof(*more));
	if (more)
		dev->warned = more;
	if (more && key)
		more[dev->warned_count++] = key;
	else
		free(key);
	return true;
}

/* What a warning is about, malloc'ed. NULL: out of memory. */
static char *warn_key(const char *kernel, const struct inst_text *in)
{
	size_t size = strlen(kernel) + strlen(in->file) + 16;
	char *key = malloc(size);

	if (key)
		snprintf(key, size, "%s\n%s:%u", kernel, in->file, in->line);
	return key;
}

void warn_clear(struct heddle_device *dev)
{
	for (size_t i = 0; i < dev->warned_count; i++)
		free(dev->warned[i]);
	free(dev->warned);
	dev->warned = NULL;
	dev->warned_count = 0;
}

/* "12 bytes past the end of": how an access is related to the nearest
 * allocation. */
static const char *outside_distance(char *text, size_t size,
				    const struct outside *o)
{
	uint64_t end = o->base + o->size, last = o->address + o->bytes;

	if (o->address < o->base)
		snprintf(text, size, "%" PRIu64 " bytes before",
			 o->base - o->address);
	else if (o->address < end)
		snprintf(text, size,
			 "the last %" PRIu64 " bytes past the end of",
			 last - end);
	else if (o->address == end)
		snprintf(text, size, "just past the end of");
	else
		snprintf(text, size, "%" PRIu64 " bytes past the end of",
			 o->address - end);
	return text;
}

static void warn_line(const struct job *j, const struct outside *o,
		      const struct inst_text *in, uint64_t count)
{
	char line[LINE_TEXT], distance[64];

	snprintf(line, sizeof(line),
		 "%.400s:%u: %u-byte %s global memory at 0x%" PRIx64
		 ", %s the allocation of %" PRIu64 " bytes at 0x%" PRIx64
		 " (%" PRIu64 " such access%s in this launch)",
		 in->file, in->line, o->bytes, o->verb, o->address,
		 outside_distance(distance, sizeof(distance), o), o->size,
		 o->base, count, count == 1 ? "" : "es");
	j->launch->warn(j->launch->ctx, j->launch->kernel, line);
}

static bool same_line(const struct inst_text *a, const struct inst_text *b)
{
	return a->line == b->line && !strcmp(a->file, b->file);
}

/* The example of a source line: of its instructions, the one with an access by
 * the lowest block. *count: the accesses of all of them. */
static const struct outside *line_example(const struct program *p,
					  const struct outside *first,
					  const struct inst_text *line,
					  uint64_t *count)
{
	const struct outside *best = first;

	*count = 0;
	for (const struct outside *o = first; o; o = o->next) {
		struct inst_text in = outside_place(p, o);

		if (!same_line(&in, line))
			continue;
		*count += o->count;
		if (o->block < best->block)
			best = o;
	}
	return best;
}

/* Warns of the line of this instruction, unless an earlier one of the list had
 * the same. */
static void warn_once(struct heddle_device *dev, const struct job *j,
		      const struct outside *o)
{
	const struct program *p = j->mod->program;
	struct inst_text in = outside_place(p, o);
	const struct outside *example;
	uint64_t count;

	if (!warn_is_new(dev, warn_key(j->launch->kernel, &in)))
		return;
	example = line_example(p, o, &in, &count);
	if (j->launch->warn)
		warn_line(j, example, &in, count);
}

void warn_outside(struct heddle_device *dev, struct job *j,
		  struct heddle_result *r)
{
	outside_sort(&j->run);
	for (const struct outside *o = j->run.outside; o; o = o->next) {
		r->outside_accesses += o->count;
		warn_once(dev, j, o);
	}
}

/* ---- hazards ------------------------------------------------------------- */

static void hazard_line(const struct job *j, const struct hazard *h,
			uint64_t inst_bytes)
{
	const struct program *p = j->mod->program;
	struct inst_text reader = { .file = p->name }, writer = reader;
	char line[LINE_TEXT], missing[64] = "while it is on its way";

	p->isa->describe(h->func, h->reader, &reader);
	p->isa->describe(h->func, h->writer, &writer);
	if (h->cycles != HAZARD_UNKNOWN)
		snprintf(missing, sizeof(missing), "%" PRIu32 " cycle%s early",
			 h->cycles, h->cycles == 1 ? "" : "s");
	snprintf(line, sizeof(line),
		 "0x%" PRIx64 ": %.200s reads a result of 0x%" PRIx64
		 ": %.200s %s (%" PRIu64 " time%s in this launch)",
		 h->reader * inst_bytes, reader.text, h->writer * inst_bytes,
		 writer.text, missing, h->count, h->count == 1 ? "" : "s");
	j->launch->hazard(j->launch->ctx, j->launch->kernel, line);
}

void warn_hazards(struct heddle_device *dev, struct job *j,
		  struct heddle_result *r)
{
	hazard_sort(&j->run);
	for (const struct hazard *h = j->run.hazards; h; h = h->next) {
		r->hazards += h->count;
		if (j->launch->hazard)
			hazard_line(j, h,
				    (uint64_t)gpu_cfg(dev->gpu)->front.inst);
	}
}
