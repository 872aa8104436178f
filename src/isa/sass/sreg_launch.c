/*
 * The values of special registers: those that warps store when they start.
 */
#include "isa/sass/program.h"
#include "simt/block.h"

/* Numbers of special registers, as sreg.def names them. */
enum {
	SR_LANEID = 0,
	SR_CLOCK = 1,
	SR_VIRTCFG = 2,
	SR_VIRTID = 3,
	SR_TID_X = 33,
	SR_TID_Y = 34,
	SR_TID_Z = 35,
	SR_CTAID_X = 37,
	SR_CTAID_Y = 38,
	SR_CTAID_Z = 39,
	SR_LWINHI = 46,
	SR_SWINHI = 47,
	SR_SWINLO = 48,
	SR_SWINSZ = 49,
	SR_SMEMSZ = 50,
	SR_LWINLO = 52,
	SR_LWINSZ = 53,
	SR_LMEMHIOFF = 55,
	SR_EQMASK = 56,
	SR_LTMASK = 57,
	SR_LEMASK = 58,
	SR_GTMASK = 59,
	SR_GEMASK = 60,
	SR_VIRTUALSMID = 67,
	SR_CLOCKLO = 80,
	SR_CLOCKHI = 81,
	SR_TIMERLO = 82,
	SR_TIMERHI = 83,
	SR_CGACTAID = 136,
	SR_CGASIZE = 138,
	SR_ZERO = 255
};

enum sass_sreg_when sass_sreg_when(unsigned number)
{
	switch (number) {
	case SR_CLOCK:
	case SR_CLOCKLO:
	case SR_CLOCKHI:
	case SR_TIMERLO:
	case SR_TIMERHI:
		return SASS_SREG_READ;
	case SR_LANEID:
	case SR_VIRTCFG:
	case SR_VIRTID:
	case SR_TID_X:
	case SR_TID_Y:
	case SR_TID_Z:
	case SR_CTAID_X:
	case SR_CTAID_Y:
	case SR_CTAID_Z:
	case SR_LWINHI:
	case SR_SWINHI:
	case SR_SWINLO:
	case SR_SWINSZ:
	case SR_SMEMSZ:
	case SR_LWINLO:
	case SR_LWINSZ:
	case SR_LMEMHIOFF:
	case SR_EQMASK:
	case SR_LTMASK:
	case SR_LEMASK:
	case SR_GTMASK:
	case SR_GEMASK:
	case SR_VIRTUALSMID:
	case SR_CGACTAID:
	case SR_ZERO:
		return SASS_SREG_STORED;
	default:
		return SASS_SREG_NONE;
	}
}

bool sass_sreg_is_timer(unsigned number)
{
	return number == SR_TIMERLO || number == SR_TIMERHI;
}

bool sass_sreg_is_high(unsigned number)
{
	return number == SR_CLOCKHI || number == SR_TIMERHI;
}

bool sass_sreg_is_place(unsigned number)
{
	return number == SR_VIRTUALSMID;
}

/* The lanes of a special register, or NULL if no instruction reads it. */
static uint32_t *stored_lanes(const struct launch *l, char *sregs,
			      unsigned number)
{
	uint32_t at = sass_program_of(l->program)->sreg_at[number];

	return at == SASS_SREG_UNUSED ? NULL : (uint32_t *)(void *)(sregs + at);
}

static void store_all(const struct launch *l, char *sregs, unsigned number,
		      uint32_t v)
{
	uint32_t *to = stored_lanes(l, sregs, number);

	for (int k = 0; to && k < LANES; k++)
		to[k] = v;
}

/* Special registers that differ by lane. */
static void store_lanes(char *s, const struct launch *l, uint32_t id)
{
	const uint32_t *dim = l->block;
	uint32_t first = id * LANES;

#define EACH(sreg, value)                                     \
	do {                                                  \
		uint32_t *to = stored_lanes(l, s, SR_##sreg); \
		for (uint32_t k = 0; to && k < LANES; k++)    \
			to[k] = (value);                      \
	} while (0)
	EACH(TID_X, (first + k) % dim[0]);
	EACH(TID_Y, (first + k) / dim[0] % dim[1]);
	EACH(TID_Z, (first + k) / dim[0] / dim[1]);
	EACH(LANEID, k);
	EACH(EQMASK, 1u << k);
	EACH(LTMASK, (1u << k) - 1);
	EACH(LEMASK, (2u << k) - 1);
	EACH(GTMASK, ~((2u << k) - 1));
	EACH(GEMASK, ~((1u << k) - 1));
#undef EACH
}

void sass_start_launch(char *s, const struct launch *l, uint32_t id)
{
	store_lanes(s, l, id);
	store_all(l, s, SR_VIRTCFG, LAUNCH_WARP_IDS << 8);
	store_all(l, s, SR_VIRTID, id << 8);
	store_all(l, s, SR_SWINHI, (uint32_t)(WINDOW_SHARED_HIGH >> 32));
	store_all(l, s, SR_SWINLO, (uint32_t)WINDOW_SHARED_HIGH);
	store_all(l, s, SR_SWINSZ, WINDOW_BYTES);
	store_all(l, s, SR_SMEMSZ,
		  (uint32_t)program_shared_units(l->shared_bytes));
	store_all(l, s, SR_LWINHI, 0);
	store_all(l, s, SR_LWINLO, WINDOW_LOCAL);
	store_all(l, s, SR_LWINSZ, WINDOW_BYTES);
	/* The stack may grow to the beginning of local memory. */
	store_all(l, s, SR_LMEMHIOFF, 0);
	store_all(l, s, SR_CGACTAID, 0);
	store_all(l, s, SR_ZERO, 0);
}

void sass_start_block(char *s, const struct block *b)
{
	const struct launch *l = b->launch;

	store_all(l, s, SR_CTAID_X, b->ctaid[0]);
	store_all(l, s, SR_CTAID_Y, b->ctaid[1]);
	store_all(l, s, SR_CTAID_Z, b->ctaid[2]);
	store_all(l, s, SR_VIRTUALSMID,
		  b->worker->view ?
			  b->worker->smid :
			  (uint32_t)(b->index % l->machine->sm_count));
}
