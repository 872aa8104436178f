#include "sm/coalesce.h"

#include <string.h>

#include "base/diag.h"

/* Maximum number of 32-byte sectors that a lane's access spans: 128 bytes, at
 * any alignment. */
enum { MAX_SPANNED = 5 };

static bool coalesce_add(uint64_t *list, unsigned *n, uint64_t v)
{
	/* Most lanes share a sector with the lane before. */
	for (unsigned i = *n; i-- > 0;)
		if (list[i] == v)
			return false;
	list[(*n)++] = v;
	return true;
}

unsigned coalesce_sectors(const uint64_t addr[WARP_LANES], uint32_t mask,
			  uint32_t bytes, uint32_t sector)
{
	uint64_t list[WARP_LANES * MAX_SPANNED];
	unsigned n = 0;

	for (; mask && bytes; mask &= mask - 1) {
		uint64_t at = addr[__builtin_ctz(mask)];
		uint64_t last = (at + bytes - 1) / sector;

		for (uint64_t s = at / sector; s <= last; s++)
			coalesce_add(list, &n, s);
	}
	return n;
}

unsigned coalesce_ideal(uint32_t mask, uint32_t bytes, uint32_t sector)
{
	uint32_t all = (uint32_t)__builtin_popcount(mask) * bytes;

	return (all + sector - 1) / sector;
}

/* Bits from..to-1 of a word; from < to <= 32. */
static uint32_t bit_range(unsigned from, unsigned to)
{
	return (uint32_t)((UINT64_C(1) << to) - (UINT64_C(1) << from));
}

/* Adds the bytes from..to-1 of a unit to its byte masks; old: pieces whose
 * masks are already valid. */
static void coalesce_add_bytes(uint32_t written[UNIT_PIECES], uint32_t old,
			       unsigned from, unsigned to)
{
	for (unsigned p = from / PIECE_BYTES; p * PIECE_BYTES < to; p++) {
		unsigned first = p * PIECE_BYTES, a = 0, b = PIECE_BYTES;

		if (from > first)
			a = from - first;
		if (to < first + PIECE_BYTES)
			b = to - first;
		written[p] = (old >> p & 1 ? written[p] : 0) | bit_range(a, b);
	}
}

/* The units of the bytes at..end-1, all of which are touched, by lanes of
 * `bytes` each, a power of two. */
static unsigned range_units(struct unit *out, uint32_t (*written)[UNIT_PIECES],
			    uint64_t at, uint64_t end, uint32_t bytes,
			    unsigned shift)
{
	unsigned n = 0, lane = (unsigned)__builtin_ctz(bytes);

	while (at < end) {
		uint64_t number = at >> shift, base = number << shift;
		uint64_t stop = base + (UINT64_C(1) << shift);
		unsigned from = (unsigned)(at - base), to;

		if (stop > end)
			stop = end;
		to = (unsigned)(stop - base);
		out[n].number = number;
		out[n].pieces =
			bit_range(from >> PIECE_SHIFT,
				  (to + PIECE_BYTES - 1) >> PIECE_SHIFT);
		out[n].lanes = (to - from) >> lane;
		if (written)
			coalesce_add_bytes(written[n], 0, from, to);
		at = stop;
		n++;
	}
	return n;
}

/* The same, added to the n units that there are already; both are few. */
static unsigned add_range(struct unit *out, unsigned n,
			  uint32_t (*written)[UNIT_PIECES], uint64_t at,
			  uint64_t end, uint32_t bytes, unsigned shift)
{
	struct unit more[2];
	uint32_t bits[2][UNIT_PIECES];
	unsigned k =
		range_units(more, written ? bits : NULL, at, end, bytes, shift);

	for (unsigned j = 0; j < k; j++) {
		unsigned i = 0;

		while (i < n && out[i].number != more[j].number)
			i++;
		if (i == n)
			out[n++] = (struct unit){ .number = more[j].number };
		for (unsigned p = 0; written && p < UNIT_PIECES; p++)
			if (more[j].pieces >> p & 1)
				written[i][p] = (out[i].pieces >> p & 1 ?
							 written[i][p] :
							 0) |
						bits[j][p];
		out[i].pieces |= more[j].pieces;
		out[i].lanes += more[j].lanes;
	}
	return n;
}

unsigned coalesce_halves(struct unit out[COALESCE_MAX],
			 uint32_t (*written)[UNIT_PIECES],
			 const uint64_t half[2], unsigned shift)
{
	const uint64_t size = WARP_LANES / 2 * BANK_BYTES;
	unsigned n;

	if (half[1] == half[0] + size)
		return range_units(out, written, half[0], half[1] + size,
				   BANK_BYTES, shift);
	n = range_units(out, written, half[0], half[0] + size, BANK_BYTES,
			shift);
	return add_range(out, n, written, half[1], half[1] + size, BANK_BYTES,
			 shift);
}

/* Reads all lanes, which vectorises, into eight sums that do not depend on each
 * other. */
uint64_t coalesce_spread(const uint64_t addr[WARP_LANES], uint32_t mask)
{
	uint64_t first = addr[__builtin_ctz(mask)], sum[8] = { 0 }, all = 0;

	if (mask == ~0u) {
		for (unsigned l = 0; l < WARP_LANES; l += 8)
			for (unsigned i = 0; i < 8; i++)
				sum[i] |= addr[l + i] ^ first;
	} else {
		for (unsigned l = 0; l < WARP_LANES; l += 8)
			for (unsigned i = 0; i < 8; i++)
				sum[i] |= (addr[l + i] ^ first) &
					  -(uint64_t)(mask >> (l + i) & 1);
	}
	for (unsigned i = 0; i < 8; i++)
		all |= sum[i];
	return all;
}

unsigned coalesce_same(const uint64_t addr[WARP_LANES], uint32_t mask)
{
	unsigned max = 0;

	if (!coalesce_spread(addr, mask))
		return (unsigned)__builtin_popcount(mask);
	while ((unsigned)__builtin_popcount(mask) > max) {
		uint64_t at = addr[__builtin_ctz(mask)];
		uint32_t same = 0;
		unsigned n;

		for (unsigned l = 0; l < WARP_LANES; l++)
			same |= (uint32_t)(addr[l] == at) << l;
		same &= mask;
		n = (unsigned)__builtin_popcount(same);
		max = n > max ? n : max;
		mask &= ~same;
	}
	return max;
}

void coalesce_atomics(uint32_t sectors[COALESCE_MAX],
		      const struct unit unit[COALESCE_MAX], unsigned n,
		      const uint64_t addr[WARP_LANES], uint32_t mask,
		      unsigned same)
{
	uint8_t most[COALESCE_MAX][UNIT_PIECES] = { 0 };

	for (unsigned i = 0; i < n; i++)
		sectors[i] = pieces_count(unit[i].pieces);
	while (same > 1 && mask) {
		uint64_t at = addr[__builtin_ctz(mask)];
		uint32_t equal = 0;
		unsigned i = 0, piece = at >> PIECE_SHIFT & (UNIT_PIECES - 1);
		uint8_t count;

		for (unsigned l = 0; l < WARP_LANES; l++)
			equal |= (uint32_t)(addr[l] == at) << l;
		equal &= mask;
		mask &= ~equal;
		count = (uint8_t)(__builtin_popcount(equal) - 1);
		while (i < n && unit[i].number != at >> UNIT_SHIFT)
			i++;
		CHECK(i < n);
		if (count > most[i][piece]) {
			sectors[i] += count - most[i][piece];
			most[i][piece] = count;
		}
	}
}

/* Whether each lane's address is `stride` after that of the lane before it.
 * Lanes in mask are neighbours. */
static bool consecutive(const uint64_t addr[WARP_LANES], uint32_t mask,
			uint64_t stride)
{
	unsigned first = (unsigned)__builtin_ctz(mask);
	unsigned last = 31 - (unsigned)__builtin_clz(mask);
	uint64_t bad = addr[last] - addr[first] - (last - first) * stride;

	if (bad)
		return false;
	if (mask == ~0u) {
		uint64_t sum[8] = { 0 };

		for (unsigned l = 0; l < WARP_LANES - 8; l += 8)
			for (unsigned i = 0; i < 8; i++)
				sum[i] |= (addr[l + i + 1] - addr[l + i]) ^
					  stride;
		for (unsigned i = 0; i < 7; i++)
			sum[i] |= (addr[25 + i] - addr[24 + i]) ^ stride;
		for (unsigned i = 0; i < 8; i++)
			bad |= sum[i];
		return !bad;
	}
	for (unsigned l = first + 1; l <= last; l++)
		bad |= (addr[l] - addr[l - 1]) ^ stride;
	return !bad;
}

/* Whether the lanes in mask are neighbours. */
static bool adjacent(uint32_t mask)
{
	uint32_t run = mask >> __builtin_ctz(mask);

	return !(run & (run + 1));
}

/* Units by number: a hash table over what has been found so far. */
struct finder {
	uint8_t slot[2 * COALESCE_MAX]; /* number in out[], plus one */
	struct unit *out;
	unsigned n;
};

static unsigned coalesce_find(struct finder *f, uint64_t number)
{
	unsigned h = (unsigned)(number * UINT64_C(0x9e3779b97f4a7c15) >> 57);

	/* Most lanes share a unit with the lane before. */
	if (f->n && f->out[f->n - 1].number == number)
		return f->n - 1;
	for (;; h = (h + 1) % sizeof(f->slot)) {
		unsigned i = f->slot[h];

		if (i && f->out[i - 1].number == number)
			return i - 1;
		if (i)
			continue;
		CHECK(f->n < COALESCE_MAX);
		f->out[f->n] = (struct unit){ .number = number };
		f->slot[h] = (uint8_t)++f->n;
		return f->n - 1;
	}
}

/* Adds those of the bytes at..end-1 that are in the unit of the first, without
 * their lanes; returns the unit, and in *bytes how many they are. */
static inline struct unit *touch_unit(struct finder *f,
				      uint32_t (*written)[UNIT_PIECES],
				      uint64_t at, uint64_t end, unsigned shift,
				      unsigned *bytes)
{
	uint64_t size = UINT64_C(1) << shift;
	unsigned from = (unsigned)(at & (size - 1));
	uint64_t to = from + (end - at);
	unsigned i = coalesce_find(f, at >> shift);
	struct unit *u = &f->out[i];

	to = to < size ? to : size;
	if (written)
		coalesce_add_bytes(written[i], u->pieces, from, (unsigned)to);
	u->pieces |= bit_range(from >> PIECE_SHIFT,
			       (unsigned)(to + PIECE_BYTES - 1) >> PIECE_SHIFT);
	*bytes = (unsigned)to - from;
	return u;
}

/* Adds one lane's access. */
static void coalesce_touch(struct finder *f, uint32_t (*written)[UNIT_PIECES],
			   uint64_t at, uint32_t bytes, unsigned shift)
{
	uint64_t end = at + bytes;
	unsigned part;

	for (; at < end; at += part)
		touch_unit(f, written, at, end, shift, &part)->lanes++;
}

/* Adds the bytes at..end-1, aligned, all of which are touched by neighbouring
 * lanes of 1 << lane bytes each. */
static void touch_run(struct finder *f, uint32_t (*written)[UNIT_PIECES],
		      uint64_t at, uint64_t end, unsigned lane, unsigned shift)
{
	unsigned part;

	for (; at < end; at += part) {
		struct unit *u = touch_unit(f, written, at, end, shift, &part);

		u->lanes += part >> lane;
	}
}

/* Adds lanes whose accesses, a power of two up to 32 bytes, are aligned: each
 * run of lanes with consecutive addresses at once. */
static void scan_runs(struct finder *f, uint32_t (*written)[UNIT_PIECES],
		      const uint64_t addr[WARP_LANES], uint32_t mask,
		      uint32_t bytes, unsigned shift)
{
	unsigned lane = (unsigned)__builtin_ctz(bytes);
	uint32_t joins = 0, first;

	for (unsigned l = 1; l < WARP_LANES; l++)
		joins |= (uint32_t)(addr[l] - addr[l - 1] == bytes) << l;
	joins &= mask & mask << 1;
	for (first = mask & ~joins; first; first &= first - 1) {
		unsigned l = (unsigned)__builtin_ctz(first);
		/* The lanes that continue its run, then one that does not. */
		uint64_t rest = ~((uint64_t)joins >> l >> 1);
		unsigned more = (unsigned)__builtin_ctzll(rest);

		touch_run(f, written, addr[l], addr[l + more] + bytes, lane,
			  shift);
	}
}

static unsigned coalesce_scan(struct unit *out,
			      uint32_t (*written)[UNIT_PIECES],
			      const uint64_t addr[WARP_LANES], uint32_t mask,
			      uint32_t bytes, unsigned shift)
{
	struct finder f = { .out = out };
	uint64_t low = addr[__builtin_ctz(mask)] | coalesce_spread(addr, mask);

	if (bytes <= PIECE_BYTES && !(bytes & (bytes - 1)) &&
	    !(low & (bytes - 1))) {
		scan_runs(&f, written, addr, mask, bytes, shift);
		return f.n;
	}
	for (; mask; mask &= mask - 1)
		coalesce_touch(&f, written, addr[__builtin_ctz(mask)], bytes,
			       shift);
	return f.n;
}

unsigned coalesce(struct unit out[COALESCE_MAX],
		  uint32_t (*written)[UNIT_PIECES],
		  const uint64_t addr[WARP_LANES], uint32_t mask,
		  uint32_t bytes, unsigned shift)
{
	unsigned first, last, n;
	uint64_t at;

	if (!mask || !bytes)
		return 0;
	first = (unsigned)__builtin_ctz(mask);
	last = 31 - (unsigned)__builtin_clz(mask);
	at = addr[first];
	if (addr[last] == at && !coalesce_spread(addr, mask)) {
		n = range_units(out, written, at, at + bytes, bytes, shift);
		for (unsigned i = 0; i < n; i++)
			out[i].lanes = (uint32_t)__builtin_popcount(mask);
		return n;
	}
	if (!(bytes & (bytes - 1)) && !(at & (bytes - 1)) && adjacent(mask) &&
	    consecutive(addr, mask, bytes))
		return range_units(out, written, at, addr[last] + bytes, bytes,
				   shift);
	return coalesce_scan(out, written, addr, mask, bytes, shift);
}

/* The byte masks of a line of local memory in which each lane of `mask`
 * accesses the bytes `word` of its own word. */
static void local_bytes(uint32_t written[UNIT_PIECES], uint32_t mask,
			uint32_t word)
{
	for (unsigned p = 0; p < UNIT_PIECES; p++) {
		uint32_t all = 0;

		for (unsigned l = 0; l < 8; l++)
			if (mask >> (8 * p + l) & 1)
				all |= word << 4 * l;
		written[p] = all;
	}
}

unsigned coalesce_local(struct unit out[COALESCE_MAX],
			uint32_t (*written)[UNIT_PIECES], uint64_t base,
			const uint64_t offset[WARP_LANES], uint32_t mask,
			uint32_t bytes, unsigned shift)
{
	uint64_t addr[WARP_LANES], at, first;
	uint32_t pieces = 0;

	if (!mask || !bytes)
		return 0;
	first = offset[__builtin_ctz(mask)];
	if (coalesce_spread(offset, mask)) {
		for (unsigned l = 0; l < WARP_LANES; l++)
			addr[l] = base + offset[l] / 4 * 128 + l * 4 +
				  offset[l] % 4;
		return coalesce_scan(out, written, addr, mask, bytes, shift);
	}
	at = base + first / 4 * 128;
	for (unsigned p = 0; p < UNIT_PIECES; p++)
		if (mask >> 8 * p & 0xff)
			pieces |= 1u << p;
	out[0].number = at >> shift;
	out[0].pieces = pieces << (at >> PIECE_SHIFT &
				   ((1u << (shift - PIECE_SHIFT)) - 1));
	out[0].lanes = (uint32_t)__builtin_popcount(mask);
	if (written)
		local_bytes(written[0], mask,
			    bit_range((unsigned)first % 4,
				      (unsigned)first % 4 + bytes));
	return 1;
}

/* Lanes that one pass can serve. */
static unsigned lanes_per_pass(const struct bank_shape *s, uint32_t bytes)
{
	unsigned lanes = s->lanes;

	if (bytes > s->bank_bytes)
		lanes = lanes * s->bank_bytes / bytes;
	return lanes ? lanes : 1;
}

enum { BANKS_MAX = 128, WORDS_MAX = WARP_LANES * (COALESCE_BYTES / 4 + 1) };

/* Words that lanes need, and how many of each bank. */
struct wanted_words {
	uint16_t head[BANKS_MAX]; /* plus one; 0: none */
	uint16_t count[BANKS_MAX];
	uint16_t next[WORDS_MAX]; /* plus one */
	uint64_t word[WORDS_MAX];
	unsigned n, max;
};

static void coalesce_want(struct wanted_words *w, unsigned bank, uint64_t word,
			  bool merge)
{
	if (merge)
		for (unsigned i = w->head[bank]; i; i = w->next[i - 1])
			if (w->word[i - 1] == word)
				return;
	w->word[w->n] = word;
	w->next[w->n] = w->head[bank];
	w->head[bank] = (uint16_t)++w->n;
	if (++w->count[bank] > w->max)
		w->max = w->count[bank];
}

/* Passes for the lanes of one group: the maximum number of words of a bank. */
static unsigned group_passes(const struct bank_shape *s,
			     const uint64_t addr[WARP_LANES], uint32_t mask,
			     uint32_t bytes, bool merge)
{
	unsigned shift = (unsigned)__builtin_ctz(s->bank_bytes);
	struct wanted_words w;

	w.n = 0;
	w.max = 0;
	memset(w.head, 0, s->banks * sizeof(*w.head));
	memset(w.count, 0, s->banks * sizeof(*w.count));
	for (; mask; mask &= mask - 1) {
		uint64_t at = addr[__builtin_ctz(mask)];
		uint64_t last = (at + bytes - 1) >> shift;

		for (uint64_t word = at >> shift; word <= last; word++)
			coalesce_want(&w, (unsigned)(word & (s->banks - 1)),
				      word, merge);
	}
	return w.max;
}

/*
 * Passes if each broadcasts one word to many lanes: the word of the first lane
 * that is left. Every other bank serves one lane. Lanes are assumed to need one
 * word each: those of GT200 do, whatever their bytes.
 */
static unsigned group_passes_one(const struct bank_shape *s,
				 const uint64_t addr[WARP_LANES], uint32_t mask)
{
	unsigned passes = 0;

	while (mask) {
		uint64_t shared = addr[__builtin_ctz(mask)] / s->bank_bytes;
		uint64_t busy[BANKS_MAX / 64] = { 0 };
		uint32_t left = 0;
		unsigned bank = (unsigned)(shared & (s->banks - 1));

		busy[bank / 64] |= UINT64_C(1) << bank % 64;
		for (; mask; mask &= mask - 1) {
			unsigned l = (unsigned)__builtin_ctz(mask);
			uint64_t word = addr[l] / s->bank_bytes;

			if (word == shared)
				continue;
			bank = (unsigned)(word & (s->banks - 1));
			if (busy[bank / 64] >> bank % 64 & 1)
				left |= 1u << l;
			busy[bank / 64] |= UINT64_C(1) << bank % 64;
		}
		mask = left;
		passes++;
	}
	return passes;
}

/* Whether each lane has a bank of its own; for up to 64 banks, and lanes of one
 * word. */
static bool own_banks(const struct bank_shape *s,
		      const uint64_t addr[WARP_LANES], uint32_t mask)
{
	unsigned shift = (unsigned)__builtin_ctz(s->bank_bytes);
	uint64_t used = 0;

	for (uint32_t m = mask; m; m &= m - 1) {
		uint64_t word = addr[__builtin_ctz(m)] >> shift;

		used |= UINT64_C(1) << (word & (s->banks - 1));
	}
	return __builtin_popcountll(used) == __builtin_popcount(mask);
}

/* Whether there is no conflict: all words lie within the width of the banks, or
 * are consecutive, or each is in a bank of its own. */
static bool no_conflict(const struct bank_shape *s,
			const uint64_t addr[WARP_LANES], uint32_t mask,
			uint32_t bytes, unsigned lanes)
{
	uint64_t width = (uint64_t)s->banks * s->bank_bytes;

	if (addr[__builtin_ctz(mask)] & (bytes - 1))
		return false;
	if (coalesce_spread(addr, mask) < width)
		return true;
	if ((uint64_t)lanes * bytes <= width && adjacent(mask) &&
	    consecutive(addr, mask, bytes))
		return true;
	return bytes <= s->bank_bytes && s->banks <= 64 &&
	       own_banks(s, addr, mask);
}

static unsigned coalesce_count(const struct bank_shape *s,
			       const uint64_t addr[WARP_LANES], uint32_t mask,
			       uint32_t bytes, bool merge)
{
	unsigned lanes = lanes_per_pass(s, bytes), passes = 0;
	uint32_t group = lanes >= WARP_LANES ? ~0u : (1u << lanes) - 1;
	bool power = !(bytes & (bytes - 1));

	if (LIKELY(mask && group == ~0u && power && merge &&
		   !s->broadcast_one &&
		   no_conflict(s, addr, mask, bytes, lanes)))
		return 1;
	for (unsigned first = 0; first < WARP_LANES; first += lanes) {
		uint32_t lanes_now = mask & group << first;

		if (!lanes_now)
			continue;
		if (merge && s->broadcast_one)
			passes += group_passes_one(s, addr, lanes_now);
		else if (merge && power &&
			 no_conflict(s, addr, lanes_now, bytes, lanes))
			passes++;
		else
			passes +=
				group_passes(s, addr, lanes_now, bytes, merge);
	}
	return passes;
}

unsigned bank_count(const struct bank_shape *s, const uint64_t addr[WARP_LANES],
		    uint32_t mask, uint32_t bytes)
{
	return coalesce_count(s, addr, mask, bytes, true);
}

/* Whether the lanes need one word of each bank at most. */
static bool share_pass(const struct bank_shape *s,
		       const uint64_t addr[WARP_LANES], uint32_t mask,
		       uint32_t bytes, unsigned lanes)
{
	return (!(bytes & (bytes - 1)) &&
		no_conflict(s, addr, mask, bytes, 2 * lanes)) ||
	       group_passes(s, addr, mask, bytes, true) == 1;
}

unsigned bank_count_load(const struct bank_shape *s,
			 const uint64_t addr[WARP_LANES], uint32_t mask,
			 uint32_t bytes)
{
	unsigned lanes = lanes_per_pass(s, bytes), passes = 0;
	uint32_t pair = 2 * lanes >= WARP_LANES ? ~0u : (1u << 2 * lanes) - 1;

	if (!s->pairs || lanes >= WARP_LANES || s->broadcast_one)
		return bank_count(s, addr, mask, bytes);
	for (unsigned first = 0; first < WARP_LANES; first += 2 * lanes) {
		uint32_t both = mask & pair << first;

		if (both && share_pass(s, addr, both, bytes, lanes))
			passes++;
		else
			passes += bank_count(s, addr, both, bytes);
	}
	return passes;
}

unsigned bank_count_atomic(const struct bank_shape *s,
			   const uint64_t addr[WARP_LANES], uint32_t mask,
			   uint32_t bytes)
{
	return coalesce_count(s, addr, mask, bytes, false);
}

unsigned bank_min(const struct bank_shape *s, uint32_t mask, uint32_t bytes)
{
	unsigned lanes = lanes_per_pass(s, bytes), passes = 0;
	uint32_t group = (1u << (lanes & 31)) - 1;

	if (lanes >= WARP_LANES)
		return mask != 0;
	for (unsigned first = 0; first < WARP_LANES; first += lanes)
		passes += (mask & group << first) != 0;
	return passes;
}

static const struct bank_shape default_banks = {
	.banks = SHARED_BANKS,
	.bank_bytes = BANK_BYTES,
	.lanes = WARP_LANES,
};

unsigned bank_passes(const uint64_t addr[WARP_LANES], uint32_t mask,
		     uint32_t bytes)
{
	return bank_count(&default_banks, addr, mask, bytes);
}

/* The words of a half are in as many banks. Words that both need count once: the
 * halves overlap, or are next to each other. */
unsigned bank_passes_of_halves(const uint64_t half[2])
{
	const uint64_t words = WARP_LANES / 2;
	uint64_t from = half[0] / BANK_BYTES, to = half[1] / BANK_BYTES;
	uint64_t apart = to > from ? to - from : from - to;

	return apart <= words || apart % SHARED_BANKS == words ? 1 : 2;
}

unsigned bank_ideal(uint32_t mask, uint32_t bytes)
{
	return bank_min(&default_banks, mask, bytes);
}
