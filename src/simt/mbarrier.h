/*
 * Barriers in shared memory (mbarrier objects): arrivals and transaction bytes.
 *
 * Models:  counts, phases, transaction bytes, tests by state and by parity.
 * Does not model: barriers of other blocks of a cluster; time.
 * Owner:   none; the objects are in the guest's shared memory.
 */
#ifndef HEDDLE_SIMT_MBARRIER_H
#define HEDDLE_SIMT_MBARRIER_H

#include "simt/warp.h"

/* Bits of in->k. */
enum {
	MBAR_COUNT = 1, /* operand b is present; of a copy: it arrives */
	/* b is the transaction bytes to expect; of a copy: it is one of
	 * them. */
	MBAR_TX = 2,
	MBAR_DROP = 4,      /* leaves the barrier: fewer arrivals expected */
	MBAR_STATE = 8,     /* a test by state, not by parity */
	MBAR_COMPLETE = 16, /* transaction bytes have arrived */
	MBAR_WORDS = 32,    /* a state is two arrays of words */
	MBAR_TOP = 64,      /* a test by the top bit of a word */
	/* Lanes that arrive at the same barrier are told apart. The low word of
	 * a state is the mask of these lanes; the high word is that of the
	 * lane's own arrival, with MBAR_WORDS that of the first lane's. */
	MBAR_MASK = 128
};

/* Executors. */
exec_fn mbar_init, mbar_inval, mbar_arrive, mbar_tx, mbar_test, mbar_pending,
	mbar_copy_done;
/* Exchanges the 64 bits of a barrier, once for the warp: d, [a], b; pairs of
 * words. */
exec_fn mbar_exchange;

/* `bytes` transaction bytes have arrived. */
void mbar_complete_tx(uint64_t *barrier, uint32_t bytes);
/* Bytes of the operand of an mbarrier instruction. */
unsigned mbar_bytes(const struct inst *in);
/* Lanes of a test whose phase is complete. */
lanes_t mbar_done(const struct warp *w, const struct inst *in,
		  uint64_t *const at[LANES]);

#endif
