#include "mem/addrmap.h"

#include <stdbool.h>

static bool addrmap_power_of_two(uint32_t n)
{
	return n && (n & (n - 1)) == 0;
}

void spread_init(struct spread *s, uint32_t bins, enum map_hash hash)
{
	CHECK(bins >= 1 && bins <= SPREAD_MAX);
	*s = (struct spread){
		.reciprocal = UINT64_MAX / bins,
		.bins = bins,
		.hash = (uint8_t)hash,
		.power = addrmap_power_of_two(bins),
		.even_bits = (uint8_t)__builtin_ctz(bins),
	};
	/* Each shift folds twice as many groups as the one before. A shift
	 * beyond the bits of n does no harm. */
	for (unsigned i = 0; i < sizeof(s->fold); i++) {
		unsigned shift = (unsigned)s->even_bits << i;

		s->fold[i] = (uint8_t)(shift < 64 ? shift : 63);
	}
}

uint64_t spread_from(const struct spread *s, uint32_t bin, uint64_t round)
{
	if (s->hash == MAP_XOR) {
		uint64_t odd = s->bins >> s->even_bits;
		uint64_t upper = round * odd + (bin >> s->even_bits);

		bin ^= spread_fold(s, upper);
	} else if (s->hash == MAP_ROTATE) {
		uint32_t start = spread_start(s, round);

		bin = bin >= start ? bin - start : bin + s->bins - start;
	}
	return round * s->bins + bin;
}

static enum err check_counts(const struct addrmap_cfg *c, struct diag *d)
{
	if (c->slices < 1 || c->slices > SPREAD_MAX)
		return fail(d, ERR_RANGE, "%u L2 slices: outside [1, %d]",
			    c->slices, SPREAD_MAX);
	if (c->channels < 1 || c->channels > SPREAD_MAX)
		return fail(d, ERR_RANGE, "%u DRAM channels: outside [1, %d]",
			    c->channels, SPREAD_MAX);
	if (c->banks < 1 || c->banks > SPREAD_MAX)
		return fail(d, ERR_RANGE, "%u DRAM banks: outside [1, %d]",
			    c->banks, SPREAD_MAX);
	if (c->partitions < 1 || c->slices % c->partitions)
		return fail(d, ERR_RANGE,
			    "%u L2 slices: not a multiple of %u partitions",
			    c->slices, c->partitions);
	if (c->slices % c->channels && c->channels % c->slices)
		return fail(d, ERR_RANGE,
			    "%u L2 slices and %u DRAM channels: one must be a "
			    "multiple of the other",
			    c->slices, c->channels);
	return ERR_OK;
}

static enum err check_bytes(const struct addrmap_cfg *c, struct diag *d)
{
	if (!addrmap_power_of_two(c->interleave))
		return fail(d, ERR_RANGE,
			    "slices interleaved by %u bytes: not a power of "
			    "two",
			    c->interleave);
	if (!addrmap_power_of_two(c->row_bytes))
		return fail(d, ERR_RANGE,
			    "DRAM rows of %u bytes: not a power of two",
			    c->row_bytes);
	if (!addrmap_power_of_two(c->bank_bytes) ||
	    c->bank_bytes > c->row_bytes)
		return fail(d, ERR_RANGE,
			    "banks interleaved by %u bytes: not a power of "
			    "two up to the row's %u",
			    c->bank_bytes, c->row_bytes);
	return ERR_OK;
}

enum err addrmap_init(struct addrmap *m, const struct addrmap_cfg *cfg,
		      struct diag *d)
{
	enum err e = check_counts(cfg, d);

	if (e == ERR_OK)
		e = check_bytes(cfg, d);
	if (e != ERR_OK)
		return e;
	*m = (struct addrmap){
		.cfg = *cfg,
		.sharing = 1,
		.interleave_bits = (uint8_t)__builtin_ctz(cfg->interleave),
		.bank_bits = (uint8_t)__builtin_ctz(cfg->bank_bytes),
		.column_bits = (uint8_t)__builtin_ctz(cfg->row_bytes /
						      cfg->bank_bytes),
	};
	spread_init(&m->slice, cfg->slices, cfg->hash);
	spread_init(&m->bank, cfg->banks, cfg->bank_hash);
	if (cfg->slices > cfg->channels)
		m->sharing = cfg->slices / cfg->channels;
	spread_init(&m->channel,
		    cfg->channels > cfg->slices ? cfg->channels / cfg->slices :
						  1,
		    cfg->hash);
	return ERR_OK;
}

uint64_t addrmap_address(const struct addrmap *m, struct slice_place p)
{
	uint64_t low = p.offset & (m->cfg.interleave - 1);
	uint64_t round = p.offset >> m->interleave_bits;

	return spread_from(&m->slice, p.slice, round) << m->interleave_bits |
	       low;
}

uint32_t addrmap_partition(const struct addrmap *m, uint32_t slice)
{
	return slice / (m->cfg.slices / m->cfg.partitions);
}

struct slice_place addrmap_from_dram(const struct addrmap *m,
				     struct dram_place p)
{
	uint64_t round = p.row << m->column_bits |
			 (uint64_t)p.column >> m->bank_bits;
	uint64_t in_channel = spread_from(&m->bank, p.bank, round)
				      << m->bank_bits |
			      (p.column & (m->cfg.bank_bytes - 1));
	uint64_t low = in_channel & (m->cfg.interleave - 1);
	uint64_t turn = in_channel >> m->interleave_bits;
	uint64_t piece = spread_from(&m->channel, p.channel % m->channel.bins,
				     turn / m->sharing);

	return (struct slice_place){
		.slice = p.channel / m->channel.bins * m->sharing +
			 (uint32_t)(turn % m->sharing),
		.offset = piece << m->interleave_bits | low,
	};
}
