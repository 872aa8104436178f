/*
 * Any bytes as a trace: it must open or be refused with a message. In a trace
 * that opens, reading, looking up and walking must come to an end.
 *
 * The first byte says what the rest is: the file as it is; the file with its
 * checksums corrected, so that the code behind them is reached; or tokens.
 */
#define _GNU_SOURCE /* memfd_create */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "replay/walk.h"
#include "trace/codec.h"
#include "trace/crc.h"
#include "trace/format.h"
#include "trace/trace.h"

enum { AS_IT_IS, SEALED, TOKENS, KINDS };
/* More would only cost time. */
enum { MAX_BLOCKS = 4, MAX_FACTS = 2000, MAX_STEPS = 4000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put32(uint8_t *to, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(v >> 8 * i);
}

static uint32_t get32(const uint8_t *from)
{
	return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
	       (uint32_t)from[3] << 24;
}

/* Corrects the checksums of a file, as far as its sections can be found. */
static void seal(uint8_t *p, size_t size)
{
	size_t at = FILE_HEADER_BYTES;

	if (size < FILE_HEADER_BYTES + TAIL_BYTES)
		return;
	file_header_pack(p);
	while (at + SECTION_HEADER_BYTES <= size - TAIL_BYTES &&
	       get32(p + at) == SECTION_MAGIC) {
		uint8_t *h = p + at, *head = h + SECTION_HEADER_BYTES;
		size_t room = size - at - SECTION_HEADER_BYTES;
		uint32_t n = get32(h + 20), m = get32(h + 24);

		if (n > room || m > room - n)
			break;
		put32(h + 32, trace_crc(head, n));
		put32(h + 36, trace_crc(head + n, m));
		put32(h + 40, trace_crc(h, 40));
		if (h[4] == SECTION_INDEX)
			tail_pack(p + size - TAIL_BYTES, at);
		at += SECTION_HEADER_BYTES + n + m;
	}
}

/* Reads facts of the kinds that the bytes of the stream choose. */
static void read_facts(const uint8_t *bytes, size_t size)
{
	static struct trace_reader_stream s;
	uint64_t lane[TRACE_LANES], value;
	uint32_t mask = 0xffffffff;

	trace_read_start(&s, bytes, size);
	for (unsigned i = 0; i < MAX_FACTS; i++) {
		uint32_t site = size ? bytes[i % size] : 0;
		uint32_t active = mask ? mask : ~0u >> site % 32;
		bool ok;

		switch (site % 3) {
		case 0:
			ok = trace_get_mask(&s, site, active, &mask);
			if (mask & ~active)
				abort();
			break;
		case 1:
			ok = trace_get_lanes(&s, site, active, lane);
			break;
		default:
			ok = trace_get_value(&s, site, &value);
		}
		if (!ok)
			break;
	}
	if (s.bad && trace_read_done(&s))
		abort();
}

struct steps {
	uint64_t n;
};

static void on_inst(void *ctx, unsigned worker, const struct step *step)
{
	struct access access[STEP_ACCESSES];
	struct steps *s = ctx;

	(void)worker;
	s->n++;
	if (step_accesses(step, access) > STEP_ACCESSES ||
	    step->in->index >= step->code->func->inst_count)
		abort();
}

static void read_block(struct trace *t, struct walker *k, uint32_t launch,
		       uint64_t index)
{
	struct trace_block_view v;
	struct steps s = { 0 };
	struct diag d = { 0 };
	uint64_t instructions;

	if (trace_block_read(t, launch, index, &v, &d)) {
		if (!d.code || !d.text[0])
			abort();
		return;
	}
	for (uint32_t i = 0; i < v.block.stream_count; i++)
		read_facts(v.streams[i].bytes, v.streams[i].size);
	instructions = v.block.warp_instructions;
	trace_block_drop(t, &v);
	if (instructions > MAX_STEPS)
		return;
	if (walker_block(k, launch, index, on_inst, &s, &d) && !d.text[0])
		abort();
}

static void read_launch(struct trace *t, struct walker *k, uint32_t number)
{
	const struct trace_launch_record *r = trace_get_launch(t, number);
	uint64_t all = (uint64_t)r->launch.grid[0] * r->launch.grid[1] *
		       r->launch.grid[2];

	if (r->blocks > all || strlen(r->outcome.text) > 1 << 20)
		abort();
	for (uint64_t i = 0; i < all && i < MAX_BLOCKS; i++)
		read_block(t, k, number, i);
}

static void read_all(struct trace *t)
{
	struct walker *k;
	struct diag d = { 0 };
	char *text;
	size_t n;

	if (trace_check(t, &d) && !d.text[0])
		abort();
	if (walker_new(&k, t, &d))
		abort();
	for (size_t i = 0; i < trace_item_count(t); i++) {
		struct trace_item at = trace_item(t, i);

		switch (at.kind) {
		case TRACE_MODULE:
			if (!trace_module_name(t, at.number))
				abort();
			if (!trace_module_text(t, at.number, &text, &n, &d))
				free(text);
			break;
		case TRACE_COPY:
			if (trace_get_copy(t, at.number)->kind >=
			    TRACE_COPY_KINDS)
				abort();
			break;
		case TRACE_LAUNCH:
			read_launch(t, k, at.number);
			break;
		}
	}
	walker_free(k);
}

static void read_file(const uint8_t *bytes, size_t size)
{
	int file = memfd_create("trace", 0);
	struct diag d = { 0 };
	struct trace *t;
	char path[64];

	if (file < 0 || write(file, bytes, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (!trace_open(&t, path, &d)) {
		read_all(t);
		trace_close(t);
	} else if (!d.code || !d.text[0]) {
		abort();
	}
	close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	if (!size)
		return 0;
	copy = malloc(size);
	memcpy(copy, data + 1, size - 1);
	if (data[0] % KINDS == TOKENS) {
		read_facts(copy, size - 1);
	} else {
		if (data[0] % KINDS == SEALED)
			seal(copy, size - 1);
		read_file(copy, size - 1);
	}
	free(copy);
	return 0;
}
