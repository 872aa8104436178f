#include "simt/view.h"

#include <string.h>

#include "simt/atomic.h"
#include "simt/warp.h"

/* Bytes of a line, as bits. */
typedef unsigned __int128 bits_t;

static bits_t bits_of(const struct view_entry *e)
{
	bits_t bits;

	_Static_assert(sizeof(bits) == sizeof(e->bytes), "bits of a line");
	memcpy(&bits, e->bytes, sizeof(bits));
	return bits;
}

/* The bits of n bytes from `at` on. */
static bits_t span_bits(unsigned at, unsigned n)
{
	return (~(bits_t)0 >> (VIEW_LINE - n)) << at;
}

static unsigned view_lowest(bits_t bits)
{
	uint64_t low = (uint64_t)bits;

	return low ? (unsigned)__builtin_ctzll(low) :
		     64 + (unsigned)__builtin_ctzll((uint64_t)(bits >> 64));
}

static uint32_t view_hash(uint64_t line)
{
	return (uint32_t)(line * 0x9e3779b97f4a7c15ull >> 56);
}

_Static_assert(VIEW_HASH == 256, "the hash has 8 bits");

enum err view_new(struct view **out, struct arena *a, uint32_t stores,
		  uint32_t atomics, struct diag *d)
{
	struct view *v = arena_new(a, struct view, 1);

	if (!v)
		return fail(d, ERR_NOMEM, "no memory for a view");
	v->room = stores;
	v->log = arena_room(a, struct view_entry, stores);
	v->atomic_room = atomics;
	v->atomics = arena_room(a, struct atomic, atomics);
	if (!v->log || !v->atomics)
		return fail(d, ERR_NOMEM,
			    "no memory for %u stores and %u atomics of an SM",
			    stores, atomics);
	v->atomic_free = VIEW_NONE;
	memset(v->newest, 0xff, sizeof(v->newest));
	*out = v;
	return ERR_OK;
}

void view_clear(struct view *v)
{
	if (!v->count)
		return;
	v->count = v->first = 0;
	v->filled = 0;
	memset(v->newest, 0xff, sizeof(v->newest));
}

/* ---- loads ---- */

/* The first entry of this line in a chain, from entry i on. */
static uint32_t view_find(const struct view *v, uint64_t line, uint32_t i)
{
	while (i != VIEW_NONE && v->log[i].line != line)
		i = v->log[i].older;
	return i;
}

static uint32_t newest_of(const struct view *v, uint64_t line)
{
	return view_find(v, line, v->newest[view_hash(line)]);
}

/* Copies what entry i and older ones of its line stored to bytes [at, at + n)
 * of the line. */
static void overlay(const struct view *v, uint32_t i, unsigned at, unsigned n,
		    unsigned char *to)
{
	bits_t want = span_bits(at, n);

	while (i != VIEW_NONE && want) {
		const struct view_entry *e = &v->log[i];
		bits_t have = bits_of(e) & want;

		if (have == span_bits(at, n)) {
			memcpy(to, e->data + at, n);
			return;
		}
		want &= ~have;
		for (; have; have &= have - 1)
			to[view_lowest(have) - at] = e->data[view_lowest(have)];
		i = view_find(v, e->line, e->older);
	}
}

/* For a lane that spans two lines. */
static void load_both(struct view *v, uint64_t addr, uint32_t size,
		      uintptr_t *host, unsigned char *to)
{
	unsigned at = addr % VIEW_LINE, n = VIEW_LINE - at;
	uint32_t low = newest_of(v, addr / VIEW_LINE);
	uint32_t high = newest_of(v, addr / VIEW_LINE + 1);

	if (low == VIEW_NONE && high == VIEW_NONE)
		return;
	memcpy(to, (const void *)*host, size);
	overlay(v, low, at, n, to);
	overlay(v, high, 0, size - n, to + n);
	*host = (uintptr_t)to;
}

/* Whether the lanes' bytes are consecutive, as they usually are. */
static bool consecutive_bytes(const uint64_t addr[LANES], uint32_t size)
{
	uint64_t off = 0;

	for (uint64_t l = 0; l < LANES; l++)
		off |= addr[l] - addr[0] - l * size;
	return !off;
}

static bool all_same(const uint64_t addr[LANES])
{
	uint64_t off = 0;

	for (int l = 0; l < LANES; l++)
		off |= addr[l] ^ addr[0];
	return !off;
}

/* Whether no line of the bytes from `at` to `last` is in the log. */
static bool log_misses(const struct view *v, uint64_t at, uint64_t last)
{
	for (uint64_t line = at / VIEW_LINE; line <= last / VIEW_LINE; line++)
		if (newest_of(v, line) != VIEW_NONE)
			return false;
	return true;
}

bool view_misses(const struct view *v, const uint64_t addr[LANES],
		 uint32_t size)
{
	if (!v->count)
		return true;
	if (consecutive_bytes(addr, size))
		return log_misses(v, addr[0], addr[0] + LANES * size - 1);
	return all_same(addr) && log_misses(v, addr[0], addr[0] + size - 1);
}

bool view_misses_halves(const struct view *v, const uint64_t half[2])
{
	const uint64_t last = VIEW_HALF * 4 - 1;

	return !v->count || (log_misses(v, half[0], half[0] + last) &&
			     log_misses(v, half[1], half[1] + last));
}

void view_load(struct view *v, const uint64_t addr[LANES], lanes_t mask,
	       uint32_t size, uintptr_t host[LANES])
{
	uint64_t line = UINT64_MAX;
	uint32_t i = VIEW_NONE;

	if (!v->count || (lanes_are_all(mask) && view_misses(v, addr, size)))
		return;
	for (; mask; mask &= mask - 1) {
		unsigned l = lanes_first(mask);
		unsigned at = addr[l] % VIEW_LINE;

		if (UNLIKELY(at + size > VIEW_LINE)) {
			load_both(v, addr[l], size, &host[l], v->patch[l]);
			continue;
		}
		if (addr[l] / VIEW_LINE != line) {
			line = addr[l] / VIEW_LINE;
			i = newest_of(v, line);
		}
		if (LIKELY(i == VIEW_NONE))
			continue;
		memcpy(v->patch[l], (const void *)host[l], size);
		overlay(v, i, at, size, v->patch[l]);
		host[l] = (uintptr_t)v->patch[l];
	}
}

/* ---- stores ---- */

static struct view_entry *new_entry(struct view *v, uint64_t line, char *host)
{
	uint32_t i = v->count, *newest = &v->newest[view_hash(line)];
	unsigned bucket = line % VIEW_BUCKETS;
	struct view_entry *e = &v->log[i];

	CHECK(i < v->room);
	v->count++;
	e->line = line;
	e->cycle = v->now;
	e->host = host;
	e->older = *newest;
	e->newer = VIEW_NONE;
	memset(e->bytes, 0, sizeof(e->bytes));
	*newest = i;
	if (v->filled >> bucket & 1)
		v->log[v->tail[bucket]].newer = i;
	else
		v->head[bucket] = i;
	v->tail[bucket] = i;
	v->filled |= 1ull << bucket;
	return e;
}

/* The entry of this instruction for the line; chains run to lower indices. */
static struct view_entry *entry_of(struct view *v, uint64_t line, char *host)
{
	uint32_t i = v->newest[view_hash(line)];

	for (; i != VIEW_NONE && i >= v->first; i = v->log[i].older)
		if (v->log[i].line == line)
			return &v->log[i];
	return new_entry(v, line, host);
}

static void view_mark(struct view_entry *e, unsigned at, unsigned n)
{
	bits_t bits = bits_of(e) | span_bits(at, n);

	memcpy(e->bytes, &bits, sizeof(bits));
}

void view_begin(struct view *v)
{
	v->first = v->count;
}

void view_write(struct view *v, uint64_t addr, char *host, const void *from,
		uint32_t size)
{
	const char *p = from;

	while (size) {
		unsigned at = addr % VIEW_LINE;
		unsigned n = size < VIEW_LINE - at ? size : VIEW_LINE - at;
		struct view_entry *e = entry_of(v, addr / VIEW_LINE, host - at);

		memcpy(e->data + at, p, n);
		view_mark(e, at, n);
		addr += n;
		host += n;
		p += n;
		size -= n;
	}
}

/* For lanes with consecutive bytes: one entry for each line. */
static void store_consecutive(struct view *v, uint64_t addr, uint32_t size,
			      uintptr_t host[LANES])
{
	for (unsigned l = 0; l < LANES;) {
		unsigned at = addr % VIEW_LINE;
		unsigned n = (VIEW_LINE - at) / size;
		struct view_entry *e;

		if (n > LANES - l)
			n = LANES - l;
		e = new_entry(v, addr / VIEW_LINE, (char *)host[l] - at);
		view_mark(e, at, n * size);
		for (unsigned i = 0; i < n; i++)
			host[l + i] = (uintptr_t)e->data + at + i * size;
		l += n;
		addr += n * size;
	}
}

void view_store(struct view *v, const uint64_t addr[LANES], lanes_t mask,
		uint32_t size, uintptr_t host[LANES])
{
	struct view_entry *e = NULL;

	view_begin(v);
	if (lanes_are_all(mask) && consecutive_bytes(addr, size)) {
		store_consecutive(v, addr[0], size, host);
		return;
	}
	for (; mask; mask &= mask - 1) {
		unsigned l = lanes_first(mask);
		uint64_t line = addr[l] / VIEW_LINE;
		unsigned at = addr[l] % VIEW_LINE;

		if (!e || e->line != line)
			e = entry_of(v, line, (char *)host[l] - at);
		/* Aligned, so it is within 32 bytes. */
		e->bytes[at / 32] |= 0xffffffffu >> (32 - size) << at % 32;
		host[l] = (uintptr_t)e->data + at;
	}
}

/* ---- the end of an epoch ---- */

static void apply_word(char *to, const unsigned char *from, unsigned bits)
{
	if (bits == 0xff) {
		memcpy(to, from, 8);
		return;
	}
	for (; bits; bits &= bits - 1)
		to[__builtin_ctz(bits)] = (char)from[__builtin_ctz(bits)];
}

void view_apply_entry(const struct view_entry *e)
{
	if (bits_of(e) == ~(bits_t)0) {
		memcpy(e->host, e->data, VIEW_LINE);
		return;
	}
	for (unsigned at = 0; at < VIEW_LINE; at += 8) {
		unsigned bits = e->bytes[at / 32] >> at % 32 & 0xff;

		if (bits)
			apply_word(e->host + at, e->data + at, bits);
	}
}

static void apply_all(const struct view *v, unsigned bucket)
{
	uint32_t i = v->head[bucket];

	for (; i != VIEW_NONE; i = v->log[i].newer)
		view_apply_entry(&v->log[i]);
}

/* Number of cycles that are sorted at a time. */
enum { SORT_CYCLES = 256 };

/* Counts the entries of each cycle in [from, from + SORT_CYCLES). */
static void count_cycles(struct view *const views[], uint32_t n,
			 unsigned bucket, cycle_t from,
			 uint32_t count[SORT_CYCLES])
{
	for (uint32_t k = 0; k < n; k++) {
		const struct view *v = views[k];
		uint32_t i;

		if (!(v->filled >> bucket & 1))
			continue;
		for (i = v->head[bucket]; i != VIEW_NONE; i = v->log[i].newer) {
			CHECK(v->log[i].cycle >= from);
			if (v->log[i].cycle - from >= SORT_CYCLES)
				break;
			count[v->log[i].cycle - from]++;
		}
	}
}

/* A counting sort: entries of one cycle stay in the order of SM and sequence.
 * Removes them from the bucket only if there are `more` cycles, because other
 * threads have buckets in the same lines of the host's cache. */
static uint32_t sort_cycles(struct view *const views[], uint32_t n,
			    unsigned bucket, cycle_t from, bool more,
			    const struct view_entry **to)
{
	uint32_t at[SORT_CYCLES] = { 0 }, all = 0;

	count_cycles(views, n, bucket, from, at);
	for (int c = 0; c < SORT_CYCLES; c++) {
		uint32_t here = at[c];

		at[c] = all;
		all += here;
	}
	for (uint32_t k = 0; k < n; k++) {
		struct view *v = views[k];
		uint32_t i;

		if (!(v->filled >> bucket & 1))
			continue;
		for (i = v->head[bucket]; i != VIEW_NONE; i = v->log[i].newer) {
			const struct view_entry *e = &v->log[i];

			if (e->cycle - from >= SORT_CYCLES)
				break;
			to[at[e->cycle - from]++] = e;
		}
		if (more)
			v->head[bucket] = i;
	}
	return all;
}

void view_apply(struct view *const views[], uint32_t n, unsigned bucket,
		cycle_t epoch, cycle_t length,
		const struct view_entry **scratch)
{
	const struct view *only = NULL;
	uint32_t users = 0;

	for (uint32_t k = 0; k < n; k++)
		if (views[k]->filled >> bucket & 1) {
			only = views[k];
			users++;
		}
	if (users <= 1) {
		if (only)
			apply_all(only, bucket);
		return;
	}
	for (cycle_t c = 0; c < length; c += SORT_CYCLES) {
		bool more = length - c > SORT_CYCLES;
		uint32_t all =
			sort_cycles(views, n, bucket, epoch + c, more, scratch);

		for (uint32_t i = 0; i < all; i++)
			view_apply_entry(scratch[i]);
	}
}

/* ---- atomics ---- */

struct atomic *view_atomic_new(struct view *v)
{
	struct atomic *a;

	if (v->atomic_free != VIEW_NONE) {
		a = &v->atomics[v->atomic_free];
		v->atomic_free = a->next_free;
	} else {
		CHECK(v->atomic_used < v->atomic_room);
		a = &v->atomics[v->atomic_used++];
	}
	v->atomic_count++;
	return a;
}

struct atomic *view_atomic(struct view *v, struct warp *w,
			   const struct inst *in, lanes_t mask, uint32_t bytes,
			   const uintptr_t host[LANES])
{
	struct atomic *a = view_atomic_new(v);

	a->in = in;
	a->put = NULL;
	a->vector = false;
	a->perform = NULL; /* a replay performs nothing */
	a->mask = a->left = mask;
	a->bytes = bytes;
	memcpy(a->addr, w->effect->addr, sizeof(a->addr));
	memcpy(a->host, host, sizeof(a->host));
	a->regs = w->base[SLOT_REG];
	w->effect->atomic = a;
	return a;
}

void atomic_perform(struct atomic *a, lanes_t lanes)
{
	/* Lanes of one atomic may be performed by different partitions, and so
	 * by different threads. */
	lanes &= __atomic_fetch_and(&a->left, ~lanes, __ATOMIC_RELAXED);
	for (; a->perform && lanes; lanes &= lanes - 1)
		a->perform(a, lanes_first(lanes));
}

void atomic_finish(struct view *v, struct atomic *a)
{
	CHECK(!a->left);
	if (a->put)
		a->put(a);
	else
		atom_put_results(a);
	a->next_free = v->atomic_free;
	v->atomic_free = (uint32_t)(a - v->atomics);
	v->atomic_count--;
}
