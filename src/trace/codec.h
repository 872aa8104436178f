/*
 * The tokens of a trace: what values decided, one stream for the lanes of a
 * warp that ran together, as bytes and back.
 *
 * Writer and reader guess each fact before they see it, from what the same
 * place in the code did before, in the same way. A fact that was guessed costs
 * no byte: only how many of them came in a row before one that was not. So a
 * stream is
 *
 *	guessed-count record guessed-count record ... guessed-count
 *
 * and a loop that walks through arrays costs a few bytes however long it runs.
 *
 * There are three kinds of facts: a mask within the lanes that are active, a
 * 64-bit number of each lane (addresses, mostly), and one 64-bit number. The
 * reader must ask for the same kinds of facts, of the same sites, with the
 * same lanes, in the order in which they were written. A `site` is any number
 * that tells places in the code apart; sites that collide cost bytes, nothing
 * else.
 *
 * Reading is total: whatever the bytes are, it ends, stays within them, and
 * says when they make no sense or are at their end.
 */
#ifndef HEDDLE_TRACE_CODEC_H
#define HEDDLE_TRACE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

enum { TRACE_LANES = 32 };

/* Sites are told apart modulo this: the bits of a word. */
enum { TRACE_SITES = 64 };
/* The same of single numbers, which are rare. */
enum { TRACE_VALUES = 8 };
/* Irregular patterns of lanes that are remembered. */
enum { TRACE_SHAPES = 8 };

/* What lanes have, relative to the base of their site. */
struct trace_shape {
	uint32_t mask; /* lanes that it is known of; the others have 0 */
	uint64_t offset[TRACE_LANES];
};

/* The last numbers of a site: base + offset of the lane. */
struct trace_site {
	uint64_t base;
	uint64_t step;   /* the guess: the next base is as far from this one */
	uint64_t missed; /* what it was instead, if the last guess was wrong */
	uint64_t stride; /* offset of lane 1, of lane 2 twice as much ... */
	uint8_t shape;   /* not 0: offsets are those of shape number this - 1 */
	uint8_t bases;   /* how many there were, as far as it matters */
};

struct trace_mask_site {
	uint32_t mask;
	uint8_t kind, missed; /* enum mask_kind */
};

/* What guesses are made from: the same on both sides. A new one is all zeros,
 * an entry means nothing before its bit of `seen` is set. */
struct trace_memory {
	uint64_t seen_lanes, seen_values, seen_masks;
	uint64_t last; /* base of the last numbers of any site */
	uint32_t shapes, next_shape;
	/* Of a reader, by shape: how far all 32 lanes are apart, at most as far
	 * as the number can tell. */
	uint32_t spread[TRACE_SHAPES];
	struct trace_site lanes[TRACE_SITES];
	struct trace_site values[TRACE_VALUES];
	struct trace_mask_site masks[TRACE_SITES];
	struct trace_shape shape[TRACE_SHAPES];
};

struct trace_writer_stream {
	struct trace_memory memory;
	uint64_t guessed;
	uint8_t *bytes;
	size_t size, room;
	bool no_memory; /* sticky: trace_stream_end says it */
};

/* A stream that has written nothing; memory that it has had stays its own. A
 * new one is all zeros. */
void trace_stream_start(struct trace_writer_stream *s);
void trace_stream_free(struct trace_writer_stream *s);
/* mask: within active; active may not be 0. */
void trace_put_mask(struct trace_writer_stream *s, uint32_t site,
		    uint32_t active, uint32_t mask);
/* Of the lanes in `mask`; none of them: nothing is written. */
void trace_put_lanes(struct trace_writer_stream *s, uint32_t site,
		     uint32_t mask, const uint64_t lane[TRACE_LANES]);
void trace_put_value(struct trace_writer_stream *s, uint32_t site,
		     uint64_t value);
/* After the last fact: s->bytes has s->size bytes. ERR_NOMEM: it has not. */
MUST_USE enum err trace_stream_end(struct trace_writer_stream *s);

struct trace_reader_stream {
	uint64_t guessed; /* that follow */
	const uint8_t *at, *end;
	bool bad; /* sticky */
	struct trace_memory memory;
};

/* Reads from `bytes`, which stay the caller's. There is nothing to free. */
void trace_read_start(struct trace_reader_stream *s, const void *bytes,
		      size_t size);
/*
 * False: the bytes are at their end or make no sense, here and from now on;
 * *out is then all zeros. trace_get_lanes: lanes outside of the mask have any
 * number; without lanes nothing is read, and that is fine.
 */
MUST_USE bool trace_get_mask(struct trace_reader_stream *s, uint32_t site,
			     uint32_t active, uint32_t *out);
MUST_USE bool trace_get_lanes(struct trace_reader_stream *s, uint32_t site,
			      uint32_t mask, uint64_t out[TRACE_LANES]);
MUST_USE bool trace_get_value(struct trace_reader_stream *s, uint32_t site,
			      uint64_t *out);
/*
 * The same as trace_get_lanes without the numbers of single lanes: lane l has
 * base + shape->offset[l], or base + l * stride where there is no shape. The
 * shape stays until the next fact is read.
 */
struct trace_pattern {
	uint64_t base, stride;
	const struct trace_shape *shape;
	uint32_t spread; /* of all 32 lanes, as in struct trace_memory */
};

MUST_USE bool trace_get_pattern(struct trace_reader_stream *s, uint32_t site,
				uint32_t mask, struct trace_pattern *out);

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

/* All facts have been read, and nothing else is there. */
bool trace_read_done(const struct trace_reader_stream *s);

#endif
