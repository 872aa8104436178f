/*
 * The address map: from an address to its L2 slice, then to its DRAM channel,
 * bank, row and column.
 *
 *   address --> (slice, offset in the slice) --> (channel, bank, row, column)
 *
 * Both steps are one-to-one and invertible. Offsets number the bytes of a slice
 * without gaps, so that the slice's tags (mem/tags.h) and its DRAM see dense
 * numbers.
 *
 * Models:  interleaving of any granularity over any number of slices, powers
 *          of two or not; hashing of slices and banks.
 * Does not model: virtual memory, the unknown hash of a particular product.
 * Owner:   the GPU; read only after addrmap_init, so threads may share it.
 */
#ifndef HEDDLE_MEM_ADDRMAP_H
#define HEDDLE_MEM_ADDRMAP_H

#include <stdint.h>

#include "base/diag.h"

enum map_hash {
	MAP_NONE,  /* plain modulo */
	MAP_XOR,   /* upper bits folded into the lower ones */
	MAP_ROTATE /* each round starts at another bin; any count */
};

/*
 * Distributes consecutive numbers over bins: the n-th number goes to one of
 * `bins` bins, as the (n / bins)-th of that bin. Whatever the hash, each
 * aligned run of `bins` numbers fills every bin once.
 */
struct spread {
	uint64_t reciprocal; /* of bins, in units of 2^-64 */
	uint32_t bins;
	uint8_t hash;      /* enum map_hash */
	uint8_t power;     /* bins is a power of two */
	uint8_t even_bits; /* bins = odd number << even_bits */
	uint8_t fold[6];   /* shifts that fold 64 bits into even_bits */
};

enum { SPREAD_MAX = 1 << 24 };
/* Shifts that fold all groups of most numbers, which are eight. */
enum { SPREAD_FEW = 3 };

/* 1 <= bins <= SPREAD_MAX */
void spread_init(struct spread *s, uint32_t bins, enum map_hash hash);

/* Returns n / bins; the remainder goes to *rest. Faster than a division. The
 * reciprocal is rounded down: n + 1 makes up for that unless n is so large that
 * n + 1 times what it lacks, which is less than bins, reaches 2^64. */
static inline uint64_t spread_divide(const struct spread *s, uint64_t n,
				     uint32_t *rest)
{
	uint64_t q, r;

	if (s->power) {
		*rest = (uint32_t)n & (s->bins - 1);
		return n >> s->even_bits;
	}
	q = (unsigned __int128)(n + (n != UINT64_MAX)) * s->reciprocal >> 64;
	r = n - q * s->bins;
	if (UNLIKELY(r >= s->bins)) { /* q lacks one */
		r -= s->bins;
		q++;
	}
	*rest = (uint32_t)r;
	return q;
}

/* The exclusive or of n's groups of even_bits bits; n < 2^63. */
static inline uint32_t spread_fold(const struct spread *s, uint64_t n)
{
	for (unsigned i = 0; i < SPREAD_FEW; i++)
		n ^= n >> s->fold[i];
	if (UNLIKELY(n >> s->fold[SPREAD_FEW]))
		for (unsigned i = SPREAD_FEW; i < sizeof(s->fold); i++)
			n ^= n >> s->fold[i];
	return (uint32_t)n & ((1u << s->even_bits) - 1);
}

/*
 * Round q starts at bin frac(q * sqrt 2) * bins. Multiples of an irrational
 * number that no fraction approximates well are spread evenly, whatever the
 * stride; sqrt 2 times a power of two is still such a number.
 */
static inline uint32_t spread_start(const struct spread *s, uint64_t q)
{
	uint64_t part = q * UINT64_C(0x6a09e667f3bcc909) >> 32;

	return (uint32_t)(part * s->bins >> 32);
}

/* The bin of the n-th number; *round is how many numbers precede it in that
 * bin. */
static inline uint32_t spread_to(const struct spread *s, uint64_t n,
				 uint64_t *round)
{
	uint32_t bin;
	uint64_t q = spread_divide(s, n, &bin);

	*round = q;
	if (s->hash == MAP_XOR)
		return bin ^ spread_fold(s, n >> s->even_bits);
	if (s->hash == MAP_ROTATE) {
		bin += spread_start(s, q);
		return bin >= s->bins ? bin - s->bins : bin;
	}
	return bin;
}

/* The n that spread_to sends to this bin and round. */
uint64_t spread_from(const struct spread *s, uint32_t bin, uint64_t round);

/* All sizes in bytes are powers of two. */
struct addrmap_cfg {
	uint32_t slices, partitions;
	uint32_t interleave; /* consecutive bytes of a slice */
	enum map_hash hash;  /* of slices */
	/* channels is a multiple or a divisor of slices: slices share a
	 * channel, or a slice has several. */
	uint32_t channels;
	uint32_t banks;          /* of a channel */
	uint32_t row_bytes;      /* of a bank */
	uint32_t bank_bytes;     /* consecutive bytes of a bank, up to a row */
	enum map_hash bank_hash; /* of banks */
};

struct addrmap {
	struct addrmap_cfg cfg;
	struct spread slice, bank;
	struct spread channel; /* of a slice that has several */
	uint32_t sharing;      /* slices that share a channel, at least 1 */
	uint8_t interleave_bits, bank_bits, column_bits;
};

struct slice_place {
	uint32_t slice;
	uint64_t offset;
};

struct dram_place {
	uint32_t channel, bank;
	uint32_t column; /* byte in the row */
	uint64_t row;
};

/* ERR_RANGE: counts that do not divide, or sizes that are not powers of two. */
MUST_USE enum err addrmap_init(struct addrmap *m, const struct addrmap_cfg *cfg,
			       struct diag *d);

static inline struct slice_place addrmap_slice(const struct addrmap *m,
					       uint64_t address)
{
	uint64_t low = address & (m->cfg.interleave - 1), round;
	uint32_t slice =
		spread_to(&m->slice, address >> m->interleave_bits, &round);

	return (struct slice_place){
		.slice = slice,
		.offset = round << m->interleave_bits | low,
	};
}

/* The inverse of addrmap_slice. */
uint64_t addrmap_address(const struct addrmap *m, struct slice_place p);
/* Neighbouring slices share a partition. */
uint32_t addrmap_partition(const struct addrmap *m, uint32_t slice);
/* The channel and the offset there, unless slice i has channel i to itself. */
static inline uint64_t addrmap_in_channel(const struct addrmap *m,
					  struct slice_place p,
					  uint32_t *channel)
{
	uint64_t low = p.offset & (m->cfg.interleave - 1);
	uint64_t round = p.offset >> m->interleave_bits;

	if (m->channel.bins > 1) {
		*channel = p.slice * m->channel.bins +
			   spread_to(&m->channel, round, &round);
	} else {
		/* Slices that share a channel interleave there, piece by
		 * piece. */
		*channel = p.slice / m->sharing;
		round = round * m->sharing + p.slice % m->sharing;
	}
	return round << m->interleave_bits | low;
}

/* Inline: the caller needs the parts one by one. */
static inline struct dram_place addrmap_dram(const struct addrmap *m,
					     struct slice_place p)
{
	uint64_t in_channel = p.offset, round;
	struct dram_place to = { .channel = p.slice };

	if (m->channel.bins != m->sharing) /* else both are 1 */
		in_channel = addrmap_in_channel(m, p, &to.channel);
	to.bank = spread_to(&m->bank, in_channel >> m->bank_bits, &round);
	/* The pieces of a bank fill its rows one after the other. */
	to.row = round >> m->column_bits;
	to.column = (uint32_t)((round & ((1u << m->column_bits) - 1))
			       << m->bank_bits) |
		    (uint32_t)(in_channel & (m->cfg.bank_bytes - 1));
	return to;
}
/* The inverse of addrmap_dram. */
struct slice_place addrmap_from_dram(const struct addrmap *m,
				     struct dram_place p);

#endif
