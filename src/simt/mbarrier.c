/*
 * mbarrier objects in shared memory: arrival counts and transaction counts.
 *
 * The 64 bits are opaque to PTX, but machine code writes those of a new barrier
 * and reads the count of a state. So they are those of the hardware, as an H200
 * shows them: the count of the next phase in bits 1-20, the outstanding
 * transaction bytes in bits 21-41, the pending arrivals in bits 43-62, all of
 * them negative, and the phase's parity in bit 63.
 */
#include "simt/mbarrier.h"

#include "simt/block.h"
#include "simt/mem.h"

enum {
	COUNT_BITS = 20,
	EXPECTED_SHIFT = 1,
	TX_SHIFT = 21,
	TX_BITS = 21,
	PENDING_SHIFT = 43
};

struct mbar {
	uint32_t pending, expected;
	int32_t tx;
	bool phase;
};

/* A count of the 64 bits: it is negative there. */
static uint32_t mbar_count(uint64_t v, unsigned shift)
{
	return -(uint32_t)(v >> shift) & ((1u << COUNT_BITS) - 1);
}

static struct mbar mbar_unpack(uint64_t v)
{
	return (struct mbar){
		.pending = mbar_count(v, PENDING_SHIFT),
		.expected = mbar_count(v, EXPECTED_SHIFT),
		.tx = -(int32_t)((int64_t)(v << (64 - TX_SHIFT - TX_BITS)) >>
				 (64 - TX_BITS)),
		.phase = v >> 63,
	};
}

static uint64_t mbar_pack(struct mbar b)
{
	uint64_t ones = (1u << COUNT_BITS) - 1, tx = (1u << TX_BITS) - 1;

	return (-(uint64_t)b.pending & ones) << PENDING_SHIFT |
	       (-(uint64_t)b.expected & ones) << EXPECTED_SHIFT |
	       (-(uint64_t)b.tx & tx) << TX_SHIFT | (uint64_t)b.phase << 63;
}

static struct mbar mbar_advance_phase(struct mbar b)
{
	if (b.pending == 0 && b.tx == 0) {
		b.pending = b.expected;
		b.phase = !b.phase;
	}
	return b;
}

/* Finds the mbarriers of the lanes. Needs no atomics: only lanes of one block
 * touch its shared memory, and they run one after the other. */
static bool mbar_locate(struct warp *w, const struct inst *in,
			uint64_t *at[LANES])
{
	uintptr_t host[LANES];

	w->syncs++;
	if (launch_replays(w->block->launch))
		return w->block->launch->hooks->locate_shared(w, in, at);
	if (!mem_locate(w, in, KIND_PLAIN, 8, 8, host))
		return false;
	for (int l = 0; l < LANES; l++)
		at[l] = (uint64_t *)host[l];
	return true;
}

void mbar_init(struct warp *w, const struct inst *in)
{
	const uint32_t *count = slot_at(w, in->b);
	uint64_t *at[LANES];

	if (!mbar_locate(w, in, at))
		return;
	for (int l = 0; l < LANES; l++)
		if (w->mask >> l & 1)
			*at[l] = mbar_pack(
				(struct mbar){ count[l], count[l], 0, false });
}

void mbar_inval(struct warp *w, const struct inst *in)
{
	uint64_t *at[LANES];

	if (!mbar_locate(w, in, at))
		return;
	for (int l = 0; l < LANES; l++)
		if (w->mask >> l & 1)
			*at[l] = 0;
}

/*
 * Writes the states before the arrivals to the destination. Lanes that arrive at
 * a barrier together have the same one, as on an H200, unless they are told
 * apart. The low word is no part of it.
 */
static void mbar_put_states(struct warp *w, const struct inst *in,
			    uint64_t *const at[LANES], uint64_t state[LANES])
{
	bool apart = in->k & MBAR_MASK, words = in->k & MBAR_WORDS;
	uint32_t lo[LANES], hi[LANES];

	for (unsigned l = 0; l < LANES; l++) {
		lanes_t same = 0;
		uint64_t first;

		for (unsigned k = 0; k < LANES; k++)
			same |= (lanes_t)(at[k] == at[l]) << k;
		same &= w->mask;
		lo[l] = apart ? (uint32_t)same : 0;
		hi[l] = (uint32_t)(state[l] >> 32);
		first = state[same ? lanes_first(same) : l];
		if ((!apart || words) && first >> 63 == state[l] >> 63)
			hi[l] = (uint32_t)(first >> 32);
	}
	if (words) {
		put32(w, in->d, lo);
		put32(w, in->d + 4 * LANES, hi);
		return;
	}
	for (int l = 0; l < LANES; l++)
		state[l] = (uint64_t)hi[l] << 32 | lo[l];
	put64(w, in->d, state);
}

/* d, [a], b: count, or transaction bytes. */
void mbar_arrive(struct warp *w, const struct inst *in)
{
	uint64_t *at[LANES], state[LANES] = { 0 };
	bool tx = in->k & MBAR_TX;

	if (!mbar_locate(w, in, at))
		return;
	for (int l = 0; l < LANES; l++) {
		uint32_t b = 1;
		struct mbar m;

		if (!(w->mask >> l & 1))
			continue;
		if (in->k & MBAR_COUNT)
			b = (uint32_t)slot_lane(w, in->b, 4, l);
		state[l] = *at[l];
		m = mbar_unpack(state[l]);
		if (tx)
			m.tx += (int32_t)b;
		if (in->k & MBAR_DROP)
			m.expected -= b;
		m.pending -= tx ? 1 : b;
		*at[l] = mbar_pack(mbar_advance_phase(m));
	}
	if (in->d != SLOT_NONE)
		mbar_put_states(w, in, at, state);
}

void mbar_exchange(struct warp *w, const struct inst *in)
{
	unsigned first = lanes_first(w->mask);
	const uint32_t *b = slot_at(w, in->b);
	uint64_t *at[LANES], old;
	uint32_t lo[LANES], hi[LANES];

	if (!mbar_locate(w, in, at))
		return;
	old = *at[first];
	*at[first] = (uint64_t)b[LANES + first] << 32 | b[first];
	for (int l = 0; l < LANES; l++) {
		lo[l] = (uint32_t)old;
		hi[l] = (uint32_t)(old >> 32);
	}
	if (in->d == SLOT_NONE)
		return;
	put32(w, in->d, lo);
	put32(w, in->d + 4 * LANES, hi);
}

void mbar_complete_tx(uint64_t *barrier, uint32_t bytes)
{
	struct mbar m = mbar_unpack(*barrier);

	m.tx -= (int32_t)bytes;
	*barrier = mbar_pack(mbar_advance_phase(m));
}

void mbar_tx(struct warp *w, const struct inst *in)
{
	const uint32_t *bytes = slot_at(w, in->b);
	uint64_t *at[LANES];

	if (!mbar_locate(w, in, at))
		return;
	for (int l = 0; l < LANES; l++) {
		struct mbar m;

		if (!(w->mask >> l & 1))
			continue;
		if (in->k & MBAR_COMPLETE) {
			mbar_complete_tx(at[l], bytes[l]);
			continue;
		}
		m = mbar_unpack(*at[l]);
		m.tx += (int32_t)bytes[l];
		*at[l] = mbar_pack(m);
	}
}

/* Copies are complete when issued, so only the arrival is left: 0 for in->k is
 * that of a barrier that was told of it at the same time. */
void mbar_copy_done(struct warp *w, const struct inst *in)
{
	uint64_t *at[LANES];

	if (!mbar_locate(w, in, at))
		return;
	for (int l = 0; l < LANES; l++) {
		struct mbar m;

		if (!(w->mask >> l & 1) || !in->k)
			continue;
		m = mbar_unpack(*at[l]);
		if (in->k & MBAR_TX)
			m.tx--;
		else
			m.pending--;
		*at[l] = mbar_pack(mbar_advance_phase(m));
	}
}

unsigned mbar_bytes(const struct inst *in)
{
	return in->k & MBAR_STATE ? 8 : 4;
}

lanes_t mbar_done(const struct warp *w, const struct inst *in,
		  uint64_t *const at[LANES])
{
	unsigned top = in->k & MBAR_STATE ? 63 : in->k & MBAR_TOP ? 31 : 0;
	lanes_t done = 0;

	for (int l = 0; l < LANES; l++) {
		uint64_t b = slot_lane(w, in->b, mbar_bytes(in), l);
		bool phase = b >> top & 1;

		if (w->mask >> l & 1 && mbar_unpack(*at[l]).phase != phase)
			done |= lane_bit((unsigned)l);
	}
	return done;
}

/* p, [a], b: a state, or the parity of a phase. */
void mbar_test(struct warp *w, const struct inst *in)
{
	uint64_t *at[LANES];
	lanes_t done;

	if (!mbar_locate(w, in, at))
		return;
	done = mbar_done(w, in, at);
	pred_put(w, in->d, done);
	if (done != w->mask)
		w->event |= EVENT_YIELD;
}

void mbar_pending(struct warp *w, const struct inst *in)
{
	const uint64_t *a = slot_at(w, in->a);
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++)
		out[l] = mbar_unpack(a[l]).pending;
	put32(w, in->d, out);
}
