/* What the files of a replay share. Not for anyone else. */
#ifndef HEDDLE_REPLAY_REPLAY_H
#define HEDDLE_REPLAY_REPLAY_H

#include "replay/tape_impl.h"

/* A stream that is read. */
struct replay_stream {
	/* The next fact has been read: it is in `ahead`. Beside it, in the same
	 * line of the host's cache, is what the stream is asked for most. */
	_Alignas(64) bool peeked;
	/* The lanes wait for an mbarrier: the facts of the test that will
	 * succeed, addresses in `ahead`. */
	bool waits;
	lanes_t done;
	struct trace_reader_stream stream;
	uint64_t ahead[LANES];
};

/* block.tape of a replay. */
struct replay_block {
	struct trace_block_view view;
	bool open;    /* view has to be given back */
	uint64_t max; /* instructions of the block, and of its waits */
	/* The first of each warp lies with the warp, the others in `more`. */
	struct replay_stream *first, *more;
	uint32_t room; /* of more */
	uint32_t warps;
	bool indexed; /* the index is filled */
	/* [warp * LANES + lane]: 0, or 1 + a warp, or 1 + warps + a number. */
	uint16_t index[];
};

static inline struct replay_stream *stream_at(const struct replay_block *b,
					      uint32_t at)
{
	return LIKELY(at <= b->warps) ? &b->first[at - 1] :
					&b->more[at - 1 - b->warps];
}

/* Why there is no stream for the lanes that run together. */
void replay_no_stream(struct warp *w, const struct inst *in);
/* The facts of a stream are at their end. */
void replay_bad_stream(struct warp *w, const struct inst *in);

/* The stream of the lanes that run together; NULL: the launch has faulted. */
static inline struct replay_stream *replay_stream_of(struct warp *w,
						     const struct inst *in)
{
	const struct replay_block *b = w->block->tape;
	uint32_t leader = lanes_first(w->active);
	uint16_t at = UNLIKELY(!b) ? 0 : b->index[w->id * LANES + leader];

	if (UNLIKELY(!at || w->steps > b->max)) {
		replay_no_stream(w, in);
		return NULL;
	}
	return stream_at(b, at);
}

/* Ends the launch. */
void replay_misfit(struct warp *w, const struct inst *in, const char *why);
/* The next fact of the lanes that run together. False: the launch has
 * faulted. */
MUST_USE bool replay_lanes(struct warp *w, const struct inst *in, uint32_t site,
			   uint64_t out[LANES]);
MUST_USE bool replay_value(struct warp *w, const struct inst *in, uint32_t site,
			   uint64_t *out);
MUST_USE bool replay_mask(struct warp *w, const struct inst *in, uint32_t site,
			  lanes_t *out);
/* The same as replay_lanes, and the fact stays the next one. */
MUST_USE bool replay_ahead(struct warp *w, const struct inst *in, uint32_t site,
			   uint64_t out[LANES]);

/* replay_mem.c */
bool replay_shared(struct warp *w, const struct inst *in,
		   uint64_t *host[LANES]); /* block_hooks.locate_shared */
exec_fn replay_load, replay_load_shared, replay_store, replay_atom,
	replay_atom_vec, replay_mbar, replay_mbar_test, replay_async,
	replay_bulk, replay_rows, replay_matrix, replay_surface,
	replay_surface_red;

#endif
