/* Shared by the files of replay only. */
#ifndef HEDDLE_REPLAY_REPLAY_H
#define HEDDLE_REPLAY_REPLAY_H

#include "replay/tape_impl.h"

/* A stream of facts that is read. */
struct replay_stream {
	/* The next fact has been read already and is in `ahead`. The most used
	 * fields of the stream are in the same line of the host's cache. */
	_Alignas(64) bool peeked;
	/* The lanes wait for an mbarrier: `done` and `ahead` are the facts of
	 * the test that will succeed, its lanes and its addresses. */
	bool waits;
	lanes_t done;
	struct trace_reader_stream stream;
	uint64_t ahead[LANES];
	/* The group whose facts have been read, and how many of them are not
	 * used yet; NULL: none. */
	const struct tape_group *group;
	uint32_t left;
	/* Facts of iterations that were read ahead, in the room for a group;
	 * those before `used` have been used. */
	uint32_t have, used;
};

/* A fact of a group: a mask, or a number for each lane. */
struct replay_fact {
	struct trace_shape lanes;
	uint32_t spread; /* trace_pattern.spread */
	uint32_t mask;
};

/* block.tape of a replay. */
struct replay_block {
	struct trace_block_view view;
	bool open;    /* view must be dropped */
	uint64_t max; /* maximum instructions: recorded ones and waits */
	/* first: the first stream of each warp, beside the warps; more: the
	 * others. */
	struct replay_stream *first, *more;
	uint32_t room; /* of more */
	uint32_t warps;
	/* By stream: room for the facts of a group, made when it is needed. */
	struct replay_fact **facts;
	uint32_t facts_room;
	bool indexed; /* index[] is filled in */
	/* [warp * LANES + lane]: 0: no stream; 1 + an index in first; or
	 * 1 + warps + an index in more. */
	uint16_t index[];
};

static inline struct replay_stream *stream_at(const struct replay_block *b,
					      uint32_t at)
{
	return LIKELY(at <= b->warps) ? &b->first[at - 1] :
					&b->more[at - 1 - b->warps];
}

/* Ends the launch: there is no stream for the lanes that run together. */
void replay_no_stream(struct warp *w, const struct inst *in);
/* Ends the launch: the stream has ended or is damaged. */
void replay_bad_stream(struct warp *w, const struct inst *in);

/* The stream of lanes that run together; NULL: the launch has faulted. */
static inline struct replay_stream *
replay_stream_of_lanes(struct warp *w, const struct inst *in, lanes_t lanes)
{
	const struct replay_block *b = w->block->tape;
	uint32_t leader = lanes_first(lanes);
	uint16_t at = UNLIKELY(!b) ? 0 : b->index[w->id * LANES + leader];

	if (UNLIKELY(!at || w->steps > b->max)) {
		replay_no_stream(w, in);
		return NULL;
	}
	return stream_at(b, at);
}

static inline struct replay_stream *replay_stream_of(struct warp *w,
						     const struct inst *in)
{
	return replay_stream_of_lanes(w, in, w->active);
}

/* Ends the launch: the trace does not fit the program. */
void replay_misfit(struct warp *w, const struct inst *in, const char *why);
/* Read the next fact of the lanes that run together. False: the launch has
 * faulted. */
MUST_USE bool replay_lanes(struct warp *w, const struct inst *in, uint32_t site,
			   uint64_t out[LANES]);
MUST_USE bool replay_value(struct warp *w, const struct inst *in, uint32_t site,
			   uint64_t *out);
MUST_USE bool replay_mask(struct warp *w, const struct inst *in, uint32_t site,
			  lanes_t *out);
/* The same as replay_lanes, but the fact remains the next one. */
MUST_USE bool replay_ahead(struct warp *w, const struct inst *in, uint32_t site,
			   uint64_t out[LANES]);

/* For instructions of groups: the fact that is next for `in`, which counts as
 * used if `use` is set. NULL: the launch has faulted. */
const struct replay_fact *replay_group_fact(struct warp *w,
					    const struct inst *in,
					    uint32_t site, bool use);

/* replay_mem.c */
bool replay_peek(struct warp *w, const struct inst *in,
		 uint64_t addr[LANES]); /* block_hooks.peek */
bool replay_shared(struct warp *w, const struct inst *in,
		   uint64_t *host[LANES]); /* block_hooks.locate_shared */
exec_fn replay_load, replay_load_shared, replay_store, replay_atom,
	replay_atom_vec, replay_mbar, replay_mbar_test, replay_async,
	replay_bulk, replay_rows, replay_matrix, replay_surface,
	replay_surface_red, replay_texels, replay_no_texels;

#endif
