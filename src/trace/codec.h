/*
 * Encodes and decodes the tokens of a trace: facts that depend on values, one
 * stream for each group of lanes of a warp that ran together.
 *
 * Writer and reader predict each fact, in the same way, from what the same site
 * in the code did before. A fact that was predicted correctly takes no bytes:
 * only the length of a run of them is written, before the next fact that was
 * not. So a stream is
 *
 *	predicted-count record predicted-count record ... predicted-count
 *
 * and a loop that walks through arrays takes a few bytes however long it runs.
 *
 * There are three kinds of facts: a mask within the active lanes, a 64-bit
 * number for each lane (usually an address), and a single 64-bit number. The
 * reader must ask for the same kinds of facts, at the same sites, with the same
 * lanes, in the order in which they were written. A `site` is a number that
 * identifies a place in the code; sites that collide cost bytes, nothing else.
 *
 * Reading is safe for any bytes: it terminates, stays within them, and reports
 * when they are invalid or at their end.
 */
#ifndef HEDDLE_TRACE_CODEC_H
#define HEDDLE_TRACE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

enum { TRACE_LANES = 32 };

/* Sites are distinguished modulo this: the bits of a word. */
enum { TRACE_SITES = 64 };
/* Sites of single numbers, which are rare, are distinguished modulo this. */
enum { TRACE_VALUES = 8 };
/* Irregular patterns of lanes that a stream remembers. */
enum { TRACE_SHAPES = 8 };

/* Offsets of the lanes from the base of their site. */
struct trace_shape {
	uint32_t mask; /* lanes whose offset is known; the others have 0 */
	uint64_t offset[TRACE_LANES];
};

/* The last numbers of a site: base + offset of the lane. */
struct trace_site {
	uint64_t base;
	uint64_t step;   /* predicted distance from this base to the next */
	uint64_t missed; /* actual distance if the last prediction was wrong */
	uint64_t stride; /* the offset of lane l is l times this */
	uint8_t shape;   /* not 0: offsets are those of shape number this - 1 */
	uint8_t bases;   /* how many bases were seen, up to 2 */
};

struct trace_mask_site {
	uint32_t mask;
	uint8_t kind, missed; /* enum mask_kind */
};

/* The state from which facts are predicted: the same on both sides. A new one
 * is all zeros; an entry is undefined until its bit of `seen` is set. */
struct trace_memory {
	uint64_t seen_lanes, seen_values, seen_masks;
	uint64_t last; /* base of the last numbers of any site */
	uint32_t shapes, next_shape;
	/* In a reader, by shape: the distance from the lowest to the highest of
	 * all 32 lanes, saturated at UINT32_MAX. */
	uint32_t spread[TRACE_SHAPES];
	struct trace_site lanes[TRACE_SITES];
	struct trace_site values[TRACE_VALUES];
	struct trace_mask_site masks[TRACE_SITES];
	struct trace_shape shape[TRACE_SHAPES];
};

struct trace_writer_stream {
	struct trace_memory memory;
	uint64_t predicted;
	uint8_t *bytes;
	size_t size, room;
	bool no_memory; /* sticky: trace_stream_end reports it */
};

/* Resets a stream to empty, keeping its memory for reuse. A new one is all
 * zeros. */
void trace_stream_start(struct trace_writer_stream *s);
void trace_stream_free(struct trace_writer_stream *s);
/* Writes a mask, which must lie within `active`; `active` may not be 0. */
void trace_put_mask(struct trace_writer_stream *s, uint32_t site,
		    uint32_t active, uint32_t mask);
/* Writes the numbers of the lanes in `mask`; if it is 0, nothing is written. */
void trace_put_lanes(struct trace_writer_stream *s, uint32_t site,
		     uint32_t mask, const uint64_t lane[TRACE_LANES]);
void trace_put_value(struct trace_writer_stream *s, uint32_t site,
		     uint64_t value);
/* Call after the last fact. The stream is s->size bytes at s->bytes. ERR_NOMEM:
 * it is incomplete. */
MUST_USE enum err trace_stream_end(struct trace_writer_stream *s);

struct trace_reader_stream {
	uint64_t predicted; /* facts until the next record */
	const uint8_t *at, *end;
	bool bad; /* sticky */
	struct trace_memory memory;
};

/* Starts to read `bytes`, which still belong to the caller. There is nothing to
 * free. */
void trace_read_start(struct trace_reader_stream *s, const void *bytes,
		      size_t size);
/*
 * Read a fact. False: the bytes are at their end or invalid; all further reads
 * fail, too, and *out is zero. trace_get_lanes: lanes outside of the mask get
 * undefined numbers; if the mask is 0, nothing is read, and that succeeds.
 */
MUST_USE bool trace_get_mask(struct trace_reader_stream *s, uint32_t site,
			     uint32_t active, uint32_t *out);
MUST_USE bool trace_get_lanes(struct trace_reader_stream *s, uint32_t site,
			      uint32_t mask, uint64_t out[TRACE_LANES]);
MUST_USE bool trace_get_value(struct trace_reader_stream *s, uint32_t site,
			      uint64_t *out);
/*
 * The numbers of lanes in compact form: lane l has base + shape->offset[l], or
 * base + l * stride if shape is NULL. The shape is valid until the next fact is
 * read.
 */
struct trace_pattern {
	uint64_t base, stride;
	const struct trace_shape *shape;
	uint32_t spread; /* of all 32 lanes, see struct trace_memory */
};

MUST_USE bool trace_get_pattern(struct trace_reader_stream *s, uint32_t site,
				uint32_t mask, struct trace_pattern *out);

/* Expands a pattern to the number of every lane. */
static inline void trace_spread_out(const struct trace_pattern *p,
				    uint64_t out[TRACE_LANES])
{
	if (p->shape) {
		for (unsigned l = 0; l < TRACE_LANES; l++)
			out[l] = p->base + p->shape->offset[l];
		return;
	}
	for (unsigned l = 0; l < TRACE_LANES; l++)
		out[l] = p->base + l * p->stride;
}

/* Whether all facts have been read and no bytes are left. */
bool trace_read_done(const struct trace_reader_stream *s);

#endif
