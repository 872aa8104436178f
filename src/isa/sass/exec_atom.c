/*
 * Atomics and reductions on memory, and barriers that are words of shared
 * memory, as sm_80 has them.
 *
 * sass_lower_unit describes an atomic as simt/atomic.h expects it.
 */
#include "isa/sass/exec.h"
#include "simt/atomic.h"

/* Whether the units of shared memory have the operation: those on words, and
 * exchanges. */
static bool atom_in_shared(const struct inst *in)
{
	enum atom_op op = (enum atom_op)(in->k & ((1 << ATOM_TYPE_SHIFT) - 1));
	enum num_type t = (enum num_type)(in->k >> ATOM_TYPE_SHIFT);

	return op == ATOM_EXCH || op == ATOM_CAS || t == NUM_U32 ||
	       t == NUM_S32;
}

/*
 * At a generic address. PU says that the atomic was performed. It is not in
 * local memory, nor in shared memory if its units lack the operation; code that
 * asks then does it in another way.
 */
void sass_atom(struct warp *w, const struct inst *in)
{
	bool shared = atom_in_shared(in);
	uint64_t addr[LANES];
	lanes_t done = 0;

	if (sass_more_of(in)->inst.opnd[SASS_PU].reg == SASS_PT) {
		atom_exec(w, in);
		return;
	}
	mem_addresses(w, in, addr);
	for (unsigned l = 0; l < LANES; l++) {
		enum space s = window_of(addr[l]);

		if (s == SPACE_GLOBAL || (s == SPACE_SHARED && shared))
			done |= lane_bit(l);
	}
	pred_put(w, in->d2, done);
	w->mask &= done;
	if (w->mask)
		atom_exec(w, in);
}

/* Every lane adds one. */
void sass_atoms_popc(struct warp *w, const struct inst *in)
{
	uintptr_t host[LANES];
	uint32_t old[LANES] = { 0 };

	if (!mem_locate(w, in, KIND_ATOMIC, 4, 4, host))
		return;
	w->syncs++;
	for (int l = 0; l < LANES; l++)
		if (w->mask >> l & 1)
			old[l] = (*(uint32_t *)host[l])++;
	put32(w, in->d, old);
}

/*
 * A barrier of sm_80: the low word has the count of arrivals of the next phase,
 * the high word those that are pending, both negative, and the phase in its top
 * bit. The last arrival carries into that bit.
 */
enum { EXPECTED_BIT = 30, PHASE_BIT = 31 };

static void barrier_arrive(uint32_t word[2])
{
	word[1]++;
	if (!(word[1] << 1)) /* the phase is complete */
		word[1] |= (word[0] + (1u << EXPECTED_BIT)) &
			   ~(1u << PHASE_BIT);
}

/* [a]; d receives the words before, for all lanes at a barrier those before the
 * first one's arrival. */
void sass_atoms_arrive(struct warp *w, const struct inst *in)
{
	uint32_t lo[LANES] = { 0 }, hi[LANES] = { 0 };
	uintptr_t host[LANES];

	if (!mem_locate(w, in, KIND_ATOMIC, 8, 8, host))
		return;
	w->syncs++;
	for (int l = 0; l < LANES; l++) {
		const uint32_t *word = (const uint32_t *)host[l];

		lo[l] = word[0];
		hi[l] = word[1];
	}
	for (int l = 0; l < LANES; l++)
		if (w->mask >> l & 1)
			barrier_arrive((uint32_t *)host[l]);
	if (in->d == SLOT_NONE)
		return;
	put32(w, in->d, lo);
	put32(w, in->d + SASS_PAIR_BYTES, hi);
}
