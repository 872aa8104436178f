/*
 * The prefetcher of a second-level cache: streams of blocks within pages.
 *
 *   accesses of first-level caches --> [ streams ] --> blocks to ask for
 *
 * Two accesses to neighbouring blocks of a page begin a stream in that direction. From
 * then on the blocks ahead of its last access are asked for, one at a time, up to a
 * distance and not beyond the page.
 *
 * Models:  a number of streams, the one used least recently replaced; one page each.
 * Does not model: strides of several blocks, confidence, throttling.
 * Owner:   the cache.
 */
#ifndef HEDDLE_MEM_CGM_STREAM_H
#define HEDDLE_MEM_CGM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CGM_STREAMS = 32, CGM_STREAM_PAGE = 64 /* blocks: 4 KiB */ };

struct cgm_stream {
	uint64_t last, next, used; /* next: the next block to ask for */
	int direction;             /* 0: not known yet */
	bool live;
};

struct cgm_streams {
	uint32_t distance; /* in blocks; 0: off */
	uint64_t clock;
	struct cgm_stream stream[CGM_STREAMS];
};

/* An access to a block. */
void cgm_streams_note(struct cgm_streams *s, uint64_t block);
/* The block to ask for next, of the stream used last; false: none. */
bool cgm_streams_next(const struct cgm_streams *s, uint64_t *block);
/* It was asked for, or need not be. */
void cgm_streams_took(struct cgm_streams *s, uint64_t block);

#endif
