/*
 * Division of unsigned numbers by one that is known ahead of time: a
 * multiplication, which takes the host a fraction of the time of a division.
 */
#ifndef HEDDLE_BASE_DIVIDE_H
#define HEDDLE_BASE_DIVIDE_H

#include <stdint.h>

struct divisor {
	uint64_t by;
	uint64_t inverse; /* of by, in units of 2^-64, rounded down */
};

/* by > 0 */
static inline struct divisor divisor_of(uint64_t by)
{
	return (struct divisor){ .by = by, .inverse = UINT64_MAX / by };
}

/* n / d->by, rounded down. */
static inline uint64_t divide(const struct divisor *d, uint64_t n)
{
	uint64_t q = (uint64_t)((unsigned __int128)n * d->inverse >> 64);

	/* inverse was rounded down: q may lack one, and no more. */
	return q + (n - q * d->by >= d->by);
}

/* n / d->by, rounded up. */
static inline uint64_t divide_up(const struct divisor *d, uint64_t n)
{
	return divide(d, n + d->by - 1);
}

#endif
