#include "sm/coalesce.h"

#include <stdbool.h>
#include <string.h>

/* A lane's access spans this many sectors of 32 bytes at most: 128 bytes,
 * whatever its alignment. */
enum { MOST_SPANNED = 5 };

static bool add(uint64_t *list, unsigned *n, uint64_t v)
{
	/* Neighbours mostly share a sector with the lane before. */
	for (unsigned i = *n; i-- > 0;)
		if (list[i] == v)
			return false;
	list[(*n)++] = v;
	return true;
}

unsigned coalesce_sectors(const uint64_t addr[WARP_LANES], uint32_t mask,
			  uint32_t bytes, uint32_t sector)
{
	uint64_t list[WARP_LANES * MOST_SPANNED];
	unsigned n = 0;

	for (; mask && bytes; mask &= mask - 1) {
		uint64_t at = addr[__builtin_ctz(mask)];
		uint64_t last = (at + bytes - 1) / sector;

		for (uint64_t s = at / sector; s <= last; s++)
			add(list, &n, s);
	}
	return n;
}

unsigned coalesce_ideal(uint32_t mask, uint32_t bytes, uint32_t sector)
{
	uint32_t all = (uint32_t)__builtin_popcount(mask) * bytes;

	return (all + sector - 1) / sector;
}

/* Lanes that one pass can serve. */
static unsigned lanes_per_pass(uint32_t bytes)
{
	return bytes <= BANK_BYTES ? WARP_LANES :
				     WARP_LANES * BANK_BYTES / bytes;
}

/* Passes for the lanes of one group: the most words that one bank must give. */
static unsigned group_passes(const uint64_t addr[WARP_LANES], uint32_t mask,
			     uint32_t bytes)
{
	uint64_t word[SHARED_BANKS][WARP_LANES];
	unsigned words[SHARED_BANKS] = { 0 }, most = 0;

	for (; mask; mask &= mask - 1) {
		uint64_t at = addr[__builtin_ctz(mask)];
		uint64_t last = (at + bytes - 1) / BANK_BYTES;

		for (uint64_t w = at / BANK_BYTES; w <= last; w++) {
			unsigned b = (unsigned)(w % SHARED_BANKS);

			add(word[b], &words[b], w);
			most = words[b] > most ? words[b] : most;
		}
	}
	return most;
}

unsigned bank_passes(const uint64_t addr[WARP_LANES], uint32_t mask,
		     uint32_t bytes)
{
	unsigned lanes = lanes_per_pass(bytes), passes = 0;
	uint32_t group = lanes == WARP_LANES ? ~0u : (1u << lanes) - 1;

	for (unsigned first = 0; first < WARP_LANES; first += lanes)
		passes += group_passes(addr, mask & group << first, bytes);
	return passes;
}

unsigned bank_ideal(uint32_t mask, uint32_t bytes)
{
	unsigned lanes = lanes_per_pass(bytes), passes = 0;
	uint32_t group = lanes == WARP_LANES ? ~0u : (1u << lanes) - 1;

	for (unsigned first = 0; first < WARP_LANES; first += lanes)
		passes += (mask & group << first) != 0;
	return passes;
}
