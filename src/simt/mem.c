/*
 * Loads and stores: resolves the addresses of a warp to host memory, with all
 * checks.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "base/fetch.h"
#include "simt/block.h"
#include "simt/mem.h"
#include "simt/mem_quick.h"
#include "simt/outside.h"
#include "simt/view.h"

uint64_t slot_lane(const struct warp *w, slot_t s, unsigned bytes, int lane)
{
	const void *p = slot_at(w, s);

	switch (bytes) {
	case 2:
		return ((const uint16_t *)p)[lane];
	case 4:
		return ((const uint32_t *)p)[lane];
	default:
		return ((const uint64_t *)p)[lane];
	}
}

void put_any(struct warp *w, slot_t s, unsigned bytes, const uint64_t v[LANES])
{
	uint32_t words[LANES];
	uint16_t halves[LANES];

	for (int l = 0; l < LANES; l++) {
		words[l] = (uint32_t)v[l];
		halves[l] = (uint16_t)v[l];
	}
	if (bytes <= 2)
		put16(w, s, halves);
	else if (bytes == 4)
		put32(w, s, words);
	else
		put64(w, s, v);
}

/* The values of a pair, plus an offset. */
static inline void mem_read_pair(const struct warp *w, slot_t s,
				 uint64_t offset, uint64_t out[LANES])
{
	const uint32_t *low = slot_at(w, s), *high = low + LANES;

	for (int l = 0; l < LANES; l++)
		out[l] = (low[l] | (uint64_t)high[l] << 32) + offset;
}

const uint64_t *mem_wide_register(const struct warp *w, const struct inst *in,
				  uint64_t room[LANES])
{
	if (in->addr == ADDR_REG64)
		return slot_at(w, in->a);
	if (in->addr != ADDR_PAIR)
		return NULL;
	mem_read_pair(w, in->a, 0, room);
	return room;
}

/* Addresses with a base in operand e. */
static void based_addresses(const struct warp *w, const struct inst *in,
			    uint64_t addr[LANES])
{
	const uint32_t *r = slot_at(w, in->a), *base = slot_at(w, in->e);
	uint64_t wide[LANES];

	if (mem_has_short_base(in)) {
		unsigned shift = mem_address_shift(in);

		for (int l = 0; l < LANES; l++)
			addr[l] = (r[l] << shift) + base[l] +
				  (uint32_t)in->offset;
		return;
	}
	mem_read_pair(w, in->e, (uint64_t)in->offset, wide);
	if (in->addr == ADDR_PAIR_BASE)
		mem_read_pair(w, in->a, 0, addr);
	else
		for (int l = 0; l < LANES; l++)
			addr[l] = r[l];
	for (int l = 0; l < LANES; l++)
		addr[l] += wide[l];
}

static void rounded_addresses(struct warp *w, const struct inst *in,
			      uint64_t addr[LANES])
{
	struct inst plain = *in;

	plain.addr &= (uint8_t)~ADDR_ROUNDED;
	mem_addresses(w, &plain, addr);
	for (int l = 0; l < LANES; l++)
		addr[l] &= -(uint64_t)in->width;
}

void mem_addresses(struct warp *w, const struct inst *in, uint64_t addr[LANES])
{
	uint64_t offset = (uint64_t)in->offset;

	switch ((enum addr_mode)in->addr) {
	case ADDR_REG64: {
		const uint64_t *r = slot_at(w, in->a);

		for (int l = 0; l < LANES; l++)
			addr[l] = r[l] + offset;
		break;
	}
	case ADDR_REG32: {
		const uint32_t *r = slot_at(w, in->a);

		for (int l = 0; l < LANES; l++)
			addr[l] = (uint32_t)(r[l] + (uint32_t)offset);
		break;
	}
	case ADDR_FRAME:
		offset += w->frame->local_base;
		/* fall through */
	case ADDR_ABS:
		for (int l = 0; l < LANES; l++)
			addr[l] = offset;
		return;
	case ADDR_PAIR:
		mem_read_pair(w, in->a, offset, addr);
		break;
	default:
		if (in->addr & ADDR_ROUNDED) {
			rounded_addresses(w, in, addr);
			return;
		}
		based_addresses(w, in, addr);
	}
	mem_fill_inactive(addr, w->mask);
}

static const char *const space_name[] = {
	[SPACE_REG] = "register",    [SPACE_CONST] = "constant",
	[SPACE_GLOBAL] = "global",   [SPACE_LOCAL] = "local",
	[SPACE_PARAM] = "parameter", [SPACE_SHARED] = "shared",
	[SPACE_GENERIC] = "generic"
};

static const char *access_verb(const struct warp *w)
{
	switch ((enum timing_kind)w->effect->kind) {
	case KIND_STORE:
		return "store to";
	case KIND_LOAD:
		return "load from";
	default:
		return "access to";
	}
}

/* Ends the launch: this lane's address is bad. */
static void mem_bad_address(struct warp *w, const struct inst *in, int kind,
			    enum space space, uint64_t address, uint32_t lane,
			    uint32_t size)
{
	const struct block *b = w->block;
	const char *what = space_name[space];

	switch (kind) {
	case FAULT_MISALIGNED:
		warp_fault(w, in, kind, lane_bit(lane), address,
			   "%u-byte %s %s memory at 0x%" PRIx64
			   ", which is not a multiple of %u",
			   size, access_verb(w), what, address, size);
		break;
	case FAULT_SHARED:
		warp_fault(w, in, kind, lane_bit(lane), address,
			   "%u-byte %s shared memory at 0x%" PRIx64
			   ", the block has %u bytes",
			   size, access_verb(w), address, b->shared_bytes);
		break;
	case FAULT_LOCAL:
		warp_fault(w, in, kind, lane_bit(lane), address,
			   "%u-byte %s local memory at 0x%" PRIx64
			   ", a thread has %" PRIu64 " bytes",
			   size, access_verb(w), address, w->local_size);
		break;
	default:
		warp_fault(w, in, kind, lane_bit(lane), address,
			   "%u-byte %s %s memory at 0x%" PRIx64
			   ", where nothing is allocated",
			   size, access_verb(w), what, address);
	}
}

/* The allocation that this instruction, or one that shares its entry, used
 * last. */
static inline struct range *recent_range(const struct warp *w,
					 const struct inst *in)
{
	return &w->worker->last[in->index % RECENT];
}

static inline bool range_holds(const struct range *r, uint64_t at,
			       uint64_t size)
{
	return at - r->base < r->size && r->size - (at - r->base) >= size;
}

const struct range *mem_range(struct warp *w, const struct inst *in,
			      uint64_t at, uint64_t size)
{
	struct range *r = recent_range(w, in);
	const struct range *found;

	if (LIKELY(range_holds(r, at, size)))
		return r;
	found = gmem_find(w->block->launch->machine->gmem, at, size);
	if (found)
		*r = *found;
	return found;
}

/*
 * The host address of one lane in any space; or 0, with the kind of fault in
 * *kind. Resolves *space, and makes *addr an address in it.
 */
static uintptr_t lane_host(struct warp *w, const struct inst *in,
			   enum space *space, uint64_t *addr, uint32_t lane,
			   uint32_t size, int *kind)
{
	const struct block *b = w->block;
	const struct launch *l = b->launch;
	const struct range *r;

	if (*space == SPACE_GENERIC) {
		*space = window_of(*addr);
		*addr -= window_start(*space, *addr);
	}
	*kind = FAULT_ADDRESS;
	switch (*space) {
	case SPACE_SHARED:
		*kind = FAULT_SHARED;
		if (*addr > b->shared_bytes || b->shared_bytes - *addr < size)
			return 0;
		return (uintptr_t)b->shared + *addr;
	case SPACE_LOCAL:
		*kind = FAULT_LOCAL;
		if (*addr > w->local_size || w->local_size - *addr < size)
			return 0;
		return (uintptr_t)w->local + lane * w->local_size + *addr;
	case SPACE_PARAM:
		if (*addr > l->param_bytes || l->param_bytes - *addr < size ||
		    w->effect->kind != KIND_LOAD)
			return 0;
		return (uintptr_t)l->params + *addr;
	default:
		r = mem_range(w, in, *addr, size);
		return r ? (uintptr_t)r->host + (*addr - r->base) : 0;
	}
}

/* The host address of bytes of global memory in no allocation, if they work as
 * on hardware; else 0. */
static uintptr_t outside_host(const struct warp *w, enum space space,
			      uint64_t addr, uint32_t size)
{
	struct gmem *g = w->block->launch->machine->gmem;

	if (space != SPACE_GLOBAL)
		return 0;
	return (uintptr_t)gmem_outside(g, addr, size,
				       w->effect->kind != KIND_LOAD);
}

/* Lane by lane, for what the fast path does not cover, including faults. */
static bool resolve_slowly(struct warp *w, const struct inst *in,
			   enum space space, const uint64_t addr[LANES],
			   uint32_t size, uint32_t align, uintptr_t host[LANES])
{
	uint32_t first = lanes_first(w->mask);
	lanes_t outside = 0;

	for (lanes_t left = w->mask; left; left &= left - 1) {
		uint32_t lane = lanes_first(left);
		enum space s = space;
		uint64_t a = addr[lane];
		int kind;

		if (addr[lane] & (align - 1)) {
			mem_bad_address(w, in, FAULT_MISALIGNED, space,
					addr[lane], lane, align);
			return false;
		}
		host[lane] = lane_host(w, in, &s, &a, lane, size, &kind);
		if (!host[lane]) {
			host[lane] = outside_host(w, s, a, size);
			outside |= lane_bit(lane);
		}
		if (!host[lane]) {
			mem_bad_address(w, in, kind, s, a, lane, size);
			return false;
		}
	}
	if (outside)
		outside_note(w, in, access_verb(w), addr, outside, size);
	for (int l = 0; l < LANES; l++)
		if (!(w->mask >> l & 1))
			host[l] = host[first];
	return true;
}

/*
 * The fast path: whether all lanes are in one piece of memory, that of the
 * first lane. delta[] are offsets in it. The OR of all offsets is no less than
 * the largest, and shows the alignment too, because pieces are aligned.
 */
static bool in_piece(const uint64_t addr[LANES], const struct range *r,
		     uint32_t size, uint32_t align, uint64_t delta[LANES])
{
	uint64_t all = 0, max = 0;

	for (int l = 0; l < LANES; l++) {
		delta[l] = addr[l] - r->base;
		all |= delta[l];
	}
	if (UNLIKELY(all & (align - 1)))
		return false;
	if (LIKELY(all < r->size && r->size - all >= size))
		return true;
	for (int l = 0; l < LANES; l++)
		max = delta[l] > max ? delta[l] : max;
	return max < r->size && r->size - max >= size;
}

/* The piece of memory that contains an address: an allocation or the block's
 * shared memory. Not local memory, of which every lane has its own. */
static inline bool find_piece(struct warp *w, const struct inst *in,
			      uint64_t addr, struct range *out)
{
	const struct block *b = w->block;
	enum space space = (enum space)in->space;
	const struct range *r;
	uint64_t base = 0;

	if (space == SPACE_GENERIC) {
		space = window_of(addr);
		base = window_start(space, addr);
	}
	switch (space) {
	case SPACE_SHARED:
		*out = (struct range){ base, b->shared_bytes, b->shared };
		return true;
	case SPACE_GLOBAL:
	case SPACE_CONST:
		r = mem_range(w, in, addr, 1);
		if (r)
			*out = *r;
		return r != NULL;
	default:
		return false;
	}
}

static bool is_local(const struct inst *in, uint64_t addr)
{
	return in->space == SPACE_LOCAL ||
	       (in->space == SPACE_GENERIC && window_of(addr) == SPACE_LOCAL);
}

/* Local memory: every lane has its own, all of the same size. */
static bool in_local(const struct warp *w, const struct inst *in,
		     const uint64_t addr[LANES], uint32_t size, uint32_t align,
		     uintptr_t host[LANES])
{
	uint64_t base = 0, all = 0;

	if (in->space == SPACE_GENERIC)
		base = WINDOW_LOCAL;
	for (int l = 0; l < LANES; l++) {
		uint64_t at = addr[l] - base;

		all |= at;
		host[l] =
			(uintptr_t)w->local + (uint64_t)l * w->local_size + at;
	}
	/* The OR of all offsets is no less than the largest of them. */
	return !(all & (align - 1)) && all < w->local_size &&
	       w->local_size - all >= size;
}

static inline __attribute__((always_inline)) bool
locate_lanes(struct warp *w, const struct inst *in, enum timing_kind kind,
	     uint32_t size, uint32_t align, uintptr_t host[LANES])
{
	uint64_t *addr = w->effect->addr, delta[LANES];
	struct range piece;

	if (UNLIKELY(w->effect->reader != READER_NONE))
		effect_set(w->effect, kind, in->space, w->mask, size);
	else
		w->effect->kind = (uint8_t)kind; /* for faults */
	mem_addresses(w, in, addr);
	if (UNLIKELY(!find_piece(w, in, addr[0], &piece) ||
		     !in_piece(addr, &piece, size, align, delta))) {
		if (is_local(in, addr[0]) &&
		    in_local(w, in, addr, size, align, host))
			return true;
		return resolve_slowly(w, in, (enum space)in->space, addr, size,
				      align, host);
	}
	for (int l = 0; l < LANES; l++)
		host[l] = (uintptr_t)piece.host + delta[l];
	return true;
}

bool mem_locate(struct warp *w, const struct inst *in, enum timing_kind kind,
		uint32_t size, uint32_t align, uintptr_t host[LANES])
{
	return locate_lanes(w, in, kind, size, align, host);
}

/* Whether no lane points into a window of the generic space. */
static bool above_windows(const uint64_t addr[LANES])
{
	uint64_t below = 0;

	for (int l = 0; l < LANES; l++)
		below |= addr[l] < WINDOWS_END;
	return !below;
}

lanes_t mem_global(const struct warp *w, const struct inst *in)
{
	lanes_t global = 0;

	if (in->space == SPACE_GLOBAL)
		return w->mask;
	if (in->space != SPACE_GENERIC)
		return 0;
	if (LIKELY(above_windows(w->effect->addr)))
		return w->mask;
	for (int l = 0; l < LANES; l++)
		global |=
			(uint32_t)(window_of(w->effect->addr[l]) == SPACE_GLOBAL)
			<< l;
	return global & w->mask;
}

/* Lanes may point into different windows of the generic space. The first lane's
 * window counts; lanes that point elsewhere are dropped. */
void mem_resolve_effect(struct effect *e)
{
	lanes_t agree = 0;

	if (e->space != SPACE_GENERIC || !e->mask)
		return;
	if (LIKELY(above_windows(e->addr))) {
		e->space = SPACE_GLOBAL;
		return;
	}
	e->space = (uint8_t)window_of(e->addr[lanes_first(e->mask)]);
	for (int l = 0; l < LANES; l++) {
		agree |= (lanes_t)(window_of(e->addr[l]) == e->space) << l;
		e->addr[l] -= window_start((enum space)e->space, e->addr[l]);
	}
	e->mask &= agree;
	e->distinct &= agree;
}

/* If time is modelled. Not inlined, so that functional mode pays for one branch
 * and no register. */
static __attribute__((noinline)) void load_viewed(struct warp *w,
						  const struct inst *in,
						  uint32_t bytes,
						  uintptr_t host[LANES])
{
	struct view *v = warp_view(w);

	if (v->count)
		view_load(v, w->effect->addr, mem_global(w, in), bytes, host);
}

static __attribute__((noinline)) void store_viewed(struct warp *w,
						   const struct inst *in,
						   uint32_t bytes,
						   uintptr_t host[LANES])
{
	view_store(warp_view(w), w->effect->addr, mem_global(w, in), bytes,
		   host);
}

bool mem_resolve(struct warp *w, const struct inst *in, enum space space,
		 const uint64_t addr[LANES], uint32_t size, uint32_t align,
		 void *host[LANES])
{
	uintptr_t at[LANES];

	if (!resolve_slowly(w, in, space, addr, size, align, at))
		return false;
	for (int l = 0; l < LANES; l++)
		host[l] = (void *)at[l];
	return true;
}

/*
 * Relaxed atomic accesses compile to plain ones; they are needed because blocks
 * on other host threads may touch the same word, as on the GPU.
 */
#define LOAD(T, p) __atomic_load_n((const T *)(p), __ATOMIC_RELAXED)
#define STORE(T, p, v) __atomic_store_n((T *)(p), (T)(v), __ATOMIC_RELAXED)

#define LOAD_LANES(M, R)                                 \
	do {                                             \
		R v[LANES];                              \
		for (int l = 0; l < LANES; l++)          \
			v[l] = (R)LOAD(M, host[l] + at); \
		memcpy(out, v, sizeof(v));               \
	} while (0)

/* Loads one element of every lane, extended to the register's width. */
static void load_element(void *out, const uintptr_t host[LANES], uint32_t at,
			 unsigned width, unsigned reg, bool is_signed)
{
	/* Cases by (width, register, sign); a wider register is extended. */
	switch (width << 8 | reg << 1 | is_signed) {
	case 1 << 8 | 2 << 1:
		LOAD_LANES(uint8_t, uint16_t);
		break;
	case 1 << 8 | 2 << 1 | 1:
		LOAD_LANES(int8_t, int16_t);
		break;
	case 1 << 8 | 4 << 1:
		LOAD_LANES(uint8_t, uint32_t);
		break;
	case 1 << 8 | 4 << 1 | 1:
		LOAD_LANES(int8_t, int32_t);
		break;
	case 1 << 8 | 8 << 1:
		LOAD_LANES(uint8_t, uint64_t);
		break;
	case 1 << 8 | 8 << 1 | 1:
		LOAD_LANES(int8_t, int64_t);
		break;
	case 2 << 8 | 2 << 1:
	case 2 << 8 | 2 << 1 | 1:
		LOAD_LANES(uint16_t, uint16_t);
		break;
	case 2 << 8 | 4 << 1:
		LOAD_LANES(uint16_t, uint32_t);
		break;
	case 2 << 8 | 4 << 1 | 1:
		LOAD_LANES(int16_t, int32_t);
		break;
	case 2 << 8 | 8 << 1:
		LOAD_LANES(uint16_t, uint64_t);
		break;
	case 2 << 8 | 8 << 1 | 1:
		LOAD_LANES(int16_t, int64_t);
		break;
	case 4 << 8 | 4 << 1:
	case 4 << 8 | 4 << 1 | 1:
		LOAD_LANES(uint32_t, uint32_t);
		break;
	case 4 << 8 | 8 << 1:
		LOAD_LANES(uint32_t, uint64_t);
		break;
	case 4 << 8 | 8 << 1 | 1:
		LOAD_LANES(int32_t, int64_t);
		break;
	case 8 << 8 | 8 << 1:
	case 8 << 8 | 8 << 1 | 1:
		LOAD_LANES(uint64_t, uint64_t);
		break;
	default:
		BUG("width of a load");
	}
}

static void mem_put_element(struct warp *w, slot_t d, const void *value,
			    unsigned reg)
{
	if (reg == 2)
		put16(w, d, value);
	else if (reg == 4)
		put32(w, d, value);
	else
		put64(w, d, value);
}

/* A kernel parameter at a fixed offset: one value for all lanes. */
void mem_load_param(struct warp *w, const struct inst *in)
{
	uintptr_t host[LANES];
	uint64_t value[LANES];
	const struct launch *l = w->block->launch;
	uint32_t bytes = (uint32_t)in->width * in->count;
	const char *at = (const char *)l->params + in->offset;

	CHECK((uint64_t)in->offset + bytes <= l->param_bytes);
	if (LIKELY(bytes == 8 && in->k == 8)) {
		uint64_t one;

		memcpy(&one, at, sizeof(one));
		for (int k = 0; k < LANES; k++)
			value[k] = one;
		put64(w, mem_slot(in, 0), value);
		return;
	}
	if (bytes == 4 && in->k == 4) {
		uint32_t one, words[LANES];

		memcpy(&one, at, sizeof(one));
		for (int k = 0; k < LANES; k++)
			words[k] = one;
		put32(w, mem_slot(in, 0), words);
		return;
	}
	for (int k = 0; k < LANES; k++)
		host[k] = (uintptr_t)at;
	for (uint32_t i = 0; i < in->count; i++) {
		load_element(value, host, i * in->width, in->width, in->k,
			     in->m & MEM_SIGNED);
		mem_put_element(w, mem_slot(in, i), value, in->k);
	}
}

/* Two 64-bit halves of a 128-bit register, one after the other. */
static void load_wide(struct warp *w, const struct inst *in,
		      const uintptr_t host[LANES])
{
	uint64_t value[LANES];

	for (uint32_t i = 0; i < in->count; i++)
		for (uint32_t half = 0; half < 2; half++) {
			load_element(value, host, 16 * i + 8 * half, 8, 8, 0);
			put64(w, mem_slot(in, i) + half * 8 * LANES, value);
		}
}

/* Machine code has registers of 32 bits. Two of them are one access of 64: nobody
 * sees only one half of what another thread stores. */
static bool accesses_two_words(const struct inst *in)
{
	return in->width == 4 && in->k == 4 && in->count % 2 == 0;
}

static void load_both_words(struct warp *w, const struct inst *in,
			    const uintptr_t host[LANES])
{
	uint32_t low[LANES], high[LANES];
	uint64_t value[LANES];

	for (uint32_t i = 0; i < in->count; i += 2) {
		load_element(value, host, 4 * i, 8, 8, 0);
		for (int l = 0; l < LANES; l++) {
			low[l] = (uint32_t)value[l];
			high[l] = (uint32_t)(value[l] >> 32);
		}
		put32(w, mem_slot(in, i), low);
		put32(w, mem_slot(in, i + 1), high);
	}
}

/* Whether all lanes access the same place. */
static inline bool is_one_place(const uintptr_t host[LANES])
{
	uintptr_t differs = 0;

	for (int l = 0; l < LANES; l++)
		differs |= host[l] ^ host[0];
	return !differs;
}

/* Gives all lanes the value of one place, which is faster than to load it for
 * each of them. */
static void load_one_place(struct warp *w, const struct inst *in,
			   uintptr_t host)
{
	uint64_t one = LOAD(uint64_t, host), value[LANES];

	for (int l = 0; l < LANES; l++)
		value[l] = one;
	put64(w, mem_slot(in, 0), value);
}

/* Whether all lanes of a register of 64 bits are the same. */
static inline bool is_one_value(const uint64_t r[LANES])
{
	uint64_t differs = 0;

	if (r[0] != r[LANES - 1]) /* most that are not */
		return false;
	for (int l = 0; l < LANES; l++)
		differs |= r[l] ^ r[0];
	return !differs;
}

/* Loads 64 bits of global memory for the whole warp, if all lanes read one place,
 * in the allocation used last. False: nothing was done, they may not, or not as
 * simply. Calls nothing, so that mem_load need not save registers. */
static inline bool load_same(struct warp *w, const struct inst *in)
{
	const struct view *v = warp_view(w);
	const uint64_t *r = slot_at(w, in->a);
	struct effect *e = w->effect;
	const struct range *piece = recent_range(w, in);
	slot_t slot = mem_slot(in, 0);
	uint64_t at, one, *to;

	if (!is_one_value(r) || slot == SLOT_NONE)
		return false;
	at = *r + (uint64_t)in->offset;
	if ((in->space == SPACE_GENERIC && at < WINDOWS_END) || (v && v->count))
		return false;
	if (UNLIKELY(!range_holds(piece, at, 8) || (at - piece->base) % 8))
		return false;
	if (e->reader == READER_TIMING) {
		effect_set_pattern(e, KIND_LOAD, EFFECT_PLACE, 8);
		e->half[0] = at;
	} else if (UNLIKELY(e->reader == READER_WATCH)) {
		effect_set(e, KIND_LOAD, SPACE_GLOBAL, w->mask, 8);
		for (int l = 0; l < LANES; l++)
			e->addr[l] = at;
	}
	one = LOAD(uint64_t, (uintptr_t)piece->host + (at - piece->base));
	to = slot_at(w, slot);
	for (int l = 0; l < LANES; l++)
		to[l] = one;
	return true;
}

/* Whether load_same may do it. */
static inline bool is_plain_load(const struct warp *w, const struct inst *in)
{
	return in->addr == ADDR_REG64 && in->width == 8 && in->count == 1 &&
	       in->k == 8 && !(in->m & (MEM_STRONG | MEM_ACQUIRE)) &&
	       (in->space == SPACE_GENERIC || in->space == SPACE_GLOBAL) &&
	       lanes_are_all(w->mask);
}

/* Any load. */
static __attribute__((noinline)) void load_any(struct warp *w,
					       const struct inst *in)
{
	uint32_t bytes = (uint32_t)in->width * in->count;
	uintptr_t host[LANES];
	uint64_t value[LANES];

	if (!mem_locate(w, in, KIND_LOAD, bytes, bytes, host))
		return;
	if (UNLIKELY(in->m & MEM_STRONG))
		w->syncs++;
	if (UNLIKELY(warp_view(w) != NULL))
		load_viewed(w, in, bytes, host);
	if (in->width == 16) {
		load_wide(w, in, host);
	} else if (accesses_two_words(in)) {
		load_both_words(w, in, host);
	} else if (bytes == 8 && in->width == 8 && in->k == 8 &&
		   is_one_place(host)) {
		load_one_place(w, in, host[0]);
	} else {
		/* The address register may be one of the destinations: it has
		 * been read already. */
		for (uint32_t i = 0; i < in->count; i++) {
			load_element(value, host, i * in->width, in->width,
				     in->k, in->m & MEM_SIGNED);
			mem_put_element(w, mem_slot(in, i), value, in->k);
		}
	}
	if (UNLIKELY(in->m & MEM_ACQUIRE))
		atomic_thread_fence(memory_order_acquire);
}

void mem_load(struct warp *w, const struct inst *in)
{
	if (!is_plain_load(w, in) || !load_same(w, in))
		load_any(w, in);
}

/*
 * The most common load: a 32-bit word for each of 32 lanes. The addresses are
 * read twice, as vectors to check and one by one to load, which is faster than
 * passing them in memory. Anything unusual takes the general path. `to` may be
 * `from`: each lane is read before it is written.
 */
typedef uint64_t u64x8 __attribute__((vector_size(64)));

static inline uint64_t or_addresses(const uint64_t *r, uint64_t offset)
{
	u64x8 all = { 0 }, part;

	for (int i = 0; i < LANES; i += 8) {
		memcpy(&part, r + i, sizeof(part));
		all |= part + offset;
	}
	return ((all[0] | all[1]) | (all[2] | all[3])) |
	       ((all[4] | all[5]) | (all[6] | all[7]));
}

/* From the addresses in `from`, plus the offset. False: nothing is done, and
 * mem_load must do it. */
static inline bool load_words(struct warp *w, const struct inst *in,
			      const uint64_t *from)
{
	uint32_t *to = slot_at(w, in->d);
	uint64_t offset = (uint64_t)in->offset, all;
	struct range piece;

	if (!find_piece(w, in, from[0] + offset, &piece) || piece.size < 4)
		return false;
	offset -= piece.base;
	all = or_addresses(from, offset);
	if (UNLIKELY(all & 3 || all > piece.size - 4))
		return false;
	for (int l = 0; l < LANES; l += 4) {
		to[l] = LOAD(uint32_t, piece.host + (from[l] + offset));
		to[l + 1] = LOAD(uint32_t, piece.host + (from[l + 1] + offset));
		to[l + 2] = LOAD(uint32_t, piece.host + (from[l + 2] + offset));
		to[l + 3] = LOAD(uint32_t, piece.host + (from[l + 3] + offset));
	}
	return true;
}

/* The same for some lanes, whose addresses are in w->effect->addr. Diverged
 * lanes are few, so they are loaded one by one. */
static bool load_some_words(struct warp *w, const struct inst *in)
{
	const uint64_t *addr = w->effect->addr;
	uint32_t *to = slot_at(w, in->d);
	uint64_t delta[LANES];
	struct range piece;

	if (!find_piece(w, in, addr[0], &piece) ||
	    !in_piece(addr, &piece, 4, 4, delta))
		return false;
	for (lanes_t left = w->mask; left; left &= left - 1) {
		unsigned l = lanes_first(left);

		to[l] = LOAD(uint32_t, piece.host + delta[l]);
	}
	return true;
}

/* If time is modelled: whether the load sees memory itself, without the SM's
 * own stores over it. Leaves the addresses in the effect. */
static __attribute__((noinline)) bool plain_memory(struct warp *w,
						   const struct inst *in)
{
	effect_set(w->effect, KIND_LOAD, in->space, w->mask, in->width);
	mem_addresses(w, in, w->effect->addr);
	return view_misses(warp_view(w), w->effect->addr, in->width);
}

static inline bool load_timed(struct warp *w, const struct inst *in,
			      const uint64_t *from)
{
	if (w->effect->takes_halves && load_halves(w, in, from))
		return true;
	return plain_memory(w, in) &&
	       (lanes_are_all(w->mask) ? load_words(w, in, from) :
					 load_some_words(w, in));
}

static inline bool load_quickly(struct warp *w, const struct inst *in,
				const uint64_t *from)
{
	if (UNLIKELY(w->effect->reader != READER_NONE))
		return w->effect->reader == READER_TIMING &&
		       load_timed(w, in, from);
	if (LIKELY(lanes_are_all(w->mask)))
		return load_words(w, in, from);
	mem_addresses(w, in, w->effect->addr);
	return load_some_words(w, in);
}

bool mem_can_fetch(const struct inst *in)
{
	return (in->addr == ADDR_REG64 || in->addr == ADDR_PAIR) &&
	       (in->space == SPACE_GLOBAL || in->space == SPACE_GENERIC);
}

/* mem_wide_register of one lane. */
static inline uint64_t wide_lane(const struct warp *w, const struct inst *in,
				 unsigned l)
{
	const uint32_t *low = slot_at(w, in->a);

	if (in->addr == ADDR_REG64)
		return ((const uint64_t *)slot_at(w, in->a))[l];
	return low[l] | (uint64_t)low[LANES + l] << 32;
}

/* The words of all lanes; offset: from addresses to the host's. Not inlined: most
 * loads need two of them, and no registers then. */
static __attribute__((noinline)) void
fetch_lanes_data(const struct warp *w, const struct inst *in, uint64_t offset)
{
	for (lanes_t left = w->active; left; left &= left - 1) {
		uint64_t at = wide_lane(w, in, lanes_first(left)) + offset;

		fetch_shared((const void *)(uintptr_t)at, 1);
	}
}

/* Checks only the first lane: a prefetch may point anywhere. If the words are
 * close together, it fetches those of the first and the last lane. */
void mem_fetch(const struct warp *w, const struct inst *in)
{
	const struct range *r = recent_range(w, in);
	uint64_t offset = (uint64_t)in->offset - r->base;
	uint64_t from, to;

	if (in->a == SLOT_NONE) /* in a replay */
		return;
	from = wide_lane(w, in, lanes_first(w->active));
	to = wide_lane(w, in, lanes_last(w->active));
	if (from + offset >= r->size)
		return;
	offset += (uintptr_t)r->host;
	if (UNLIKELY(to - from >= 2 * FETCH_LINE)) {
		fetch_lanes_data(w, in, offset);
		return;
	}
	fetch_shared((const void *)(uintptr_t)(from + offset), 1);
	fetch_shared((const void *)(uintptr_t)(to + offset), 1);
}

void mem_load_words(struct warp *w, const struct inst *in)
{
	if (UNLIKELY(in->d == SLOT_NONE || in->addr != ADDR_REG64) ||
	    !load_quickly(w, in, slot_at(w, in->a)))
		mem_load(w, in);
}

/*
 * The same for addresses in pairs of registers, most of which have the same
 * upper words. Then the sum of lower words and what is left of the offset must
 * not leave the lower word: either no lane carries, or all of them do, for a
 * base below the first address by less than 4 GiB.
 */
static inline bool load_pair_words(struct warp *w, const struct inst *in)
{
	const uint32_t *low = slot_at(w, in->a), *high = low + LANES;
	uint64_t base = ((uint64_t)high[0] << 32) + (uint64_t)in->offset, ahead;
	uint32_t *to = slot_at(w, in->d), add, all = 0, stray = 0;
	struct range piece;
	bool carries;

	if (!find_piece(w, in, base + low[0], &piece) || piece.size < 4)
		return false;
	ahead = base - piece.base;
	add = (uint32_t)ahead;
	carries = ahead >> 32 == UINT32_MAX;
	if (UNLIKELY(ahead >> 32 && !carries))
		return false;
	for (int l = 0; l < LANES; l++) {
		uint32_t at = low[l] + add;

		all |= at;
		stray |= (high[l] ^ high[0]) | ((at < add) ^ carries);
	}
	if (UNLIKELY(stray || all & 3 || all > piece.size - 4))
		return false;
	for (int l = 0; l < LANES; l += 2) {
		to[l] = LOAD(uint32_t, piece.host + (uint32_t)(low[l] + add));
		to[l + 1] = LOAD(uint32_t,
				 piece.host + (uint32_t)(low[l + 1] + add));
	}
	return true;
}

/* Eight lanes. As a place in memory: aligned as words are. */
typedef uint32_t lanes8_t __attribute__((vector_size(32)));
typedef uint32_t words8_t
	__attribute__((vector_size(32), aligned(4), may_alias));

static inline bool any_of8(lanes8_t v)
{
	uint64_t part[4];

	memcpy(part, &v, sizeof(v));
	return (part[0] | part[1]) | (part[2] | part[3]);
}

/* Whether the words of each half of the warp follow each other, and all upper
 * words are the same. */
static inline bool pairs_follow(const uint32_t *low, const uint32_t *high)
{
	const lanes8_t lane = { 0, 4, 8, 12, 16, 20, 24, 28 };
	lanes8_t stray = { 0 }, part;

	for (uint32_t l = 0; l < LANES; l += 8) {
		uint32_t first = low[l & LANES / 2] + (l & LANES / 4) * 4;

		memcpy(&part, low + l, sizeof(part));
		stray |= part ^ (lane + first);
		memcpy(&part, high + l, sizeof(part));
		stray |= part ^ high[0];
	}
	return !any_of8(stray);
}

/* Sixteen words that other threads of the host may be writing: each of them is
 * read whole, by vector loads that the compiler must not split or repeat. */
static inline __attribute__((no_sanitize("thread"))) void
load_run(void *to, const char *from)
{
	const volatile words8_t *run = (const volatile words8_t *)from;
	lanes8_t first = run[0], second = run[1];

	memcpy(to, &first, sizeof(first));
	memcpy((char *)to + sizeof(first), &second, sizeof(second));
}

/* Two runs of words in the allocation that the instruction accessed last: most
 * loads of most programs. */
static inline bool load_pair_runs(struct warp *w, const struct inst *in)
{
	enum { BYTES = LANES / 2 * 4 };
	const uint32_t *low = slot_at(w, in->a), *high = low + LANES;
	const struct range *r = recent_range(w, in);
	uint64_t base = ((uint64_t)high[0] << 32) + (uint64_t)in->offset;
	uint64_t first = base + low[0] - r->base;
	uint64_t second = base + low[LANES / 2] - r->base;
	char *to = slot_at(w, in->d);

	if (!pairs_follow(low, high) || low[LANES / 2 - 1] < low[0] ||
	    low[LANES - 1] < low[LANES / 2] || (first | second) & 3 ||
	    r->size < BYTES || first > r->size - BYTES ||
	    second > r->size - BYTES)
		return false;
	load_run(to, r->host + first);
	load_run(to + BYTES, r->host + second);
	return true;
}

static __attribute__((noinline)) void load_other_pairs(struct warp *w,
						       const struct inst *in)
{
	uint64_t from[LANES];

	if (LIKELY(w->effect->reader == READER_NONE &&
		   lanes_are_all(w->mask)) &&
	    load_pair_words(w, in))
		return;
	mem_read_pair(w, in->a, 0, from);
	if (!load_quickly(w, in, from))
		mem_load(w, in);
}

void mem_load_pair_words(struct warp *w, const struct inst *in)
{
	if (w->effect->reader != READER_NONE || !lanes_are_all(w->mask) ||
	    !load_pair_runs(w, in))
		load_other_pairs(w, in);
}

#define STORE_LANES(M, R)                                             \
	do {                                                          \
		const R *v = from;                                    \
		if (LIKELY(lanes_are_all(mask)))                      \
			for (int l = 0; l < LANES; l++)               \
				STORE(M, host[l] + at, v[l]);         \
		else                                                  \
			for (int l = 0; l < LANES; l++)               \
				if (mask >> l & 1)                    \
					STORE(M, host[l] + at, v[l]); \
	} while (0)

static void store_element(const void *from, const uintptr_t host[LANES],
			  uint32_t at, lanes_t mask, unsigned width,
			  unsigned reg)
{
	switch (width << 8 | reg) {
	case 1 << 8 | 2:
		STORE_LANES(uint8_t, uint16_t);
		break;
	case 1 << 8 | 4:
		STORE_LANES(uint8_t, uint32_t);
		break;
	case 1 << 8 | 8:
		STORE_LANES(uint8_t, uint64_t);
		break;
	case 2 << 8 | 2:
		STORE_LANES(uint16_t, uint16_t);
		break;
	case 2 << 8 | 4:
		STORE_LANES(uint16_t, uint32_t);
		break;
	case 2 << 8 | 8:
		STORE_LANES(uint16_t, uint64_t);
		break;
	case 4 << 8 | 4:
		STORE_LANES(uint32_t, uint32_t);
		break;
	case 4 << 8 | 8:
		STORE_LANES(uint32_t, uint64_t);
		break;
	case 8 << 8 | 8:
		STORE_LANES(uint64_t, uint64_t);
		break;
	default:
		BUG("width of a store");
	}
}

static void store_both_words(const struct warp *w, const struct inst *in,
			     const uintptr_t host[LANES])
{
	uint64_t value[LANES];

	for (uint32_t i = 0; i < in->count; i += 2) {
		const uint32_t *low = slot_at(w, mem_slot(in, i));
		const uint32_t *high = slot_at(w, mem_slot(in, i + 1));

		for (int l = 0; l < LANES; l++)
			value[l] = low[l] | (uint64_t)high[l] << 32;
		store_element(value, host, 4 * i, w->mask, 8, 8);
	}
}

/* The fast paths: a word for each lane, without memory ordering. */
static inline bool store_quickly(struct warp *w, const struct inst *in)
{
	if (in->width != 4 || in->count != 1 || in->k != 4 || in->x ||
	    in->m & MEM_RELEASE)
		return false;
	if (in->space == SPACE_SHARED)
		return (in->addr == ADDR_REG32 || mem_has_short_base(in)) &&
		       store_shared_words(w, in);
	return w->effect->takes_halves && store_halves(w, in);
}

void mem_store(struct warp *w, const struct inst *in)
{
	uint32_t bytes = (uint32_t)in->width * in->count;
	uintptr_t host[LANES];

	if (store_quickly(w, in) ||
	    !mem_locate(w, in, KIND_STORE, bytes, bytes, host))
		return;
	if (UNLIKELY(in->m & MEM_RELEASE))
		atomic_thread_fence(memory_order_release);
	if (UNLIKELY(warp_view(w) != NULL))
		store_viewed(w, in, bytes, host);
	if (accesses_two_words(in)) {
		store_both_words(w, in, host);
		return;
	}
	for (uint32_t i = 0; i < in->count; i++) {
		const char *from = slot_at(w, mem_slot(in, i));

		if (in->width == 16) {
			store_element(from, host, 16 * i, w->mask, 8, 8);
			store_element(from + 8 * LANES, host, 16 * i + 8,
				      w->mask, 8, 8);
		} else {
			store_element(from, host, i * in->width, w->mask,
				      in->width, in->k);
		}
	}
}

void mem_fence(struct warp *w, const struct inst *in)
{
	(void)w;
	(void)in;
	atomic_thread_fence(memory_order_seq_cst);
}
