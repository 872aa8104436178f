#include "simt/wave_mem.h"

#include <inttypes.h>
#include <string.h>

#include "base/fp.h"
#include "simt/view.h"

enum { HALVES = WAVE_LANES / LANES };
_Static_assert(WAVE_LANES % LANES == 0, "a view takes whole parts of a wave");

/* ---- addresses --------------------------------------------------------- */

/* The allocation, or window, that holds all of the bytes, or what may be accessed
 * beyond; NULL: none. kept: it may be accessed in every way. */
static const struct range *find_range(struct wave *w, struct range *own,
				      uint64_t at, uint32_t bytes, bool write,
				      bool *kept)
{
	struct workgroup *g = w->group;
	const struct launch *l = g->launch;
	const struct gmem *mem = l->machine->gmem;
	uint64_t scratch = g->scratch_bytes * g->wave_count;
	const struct range *r;

	*kept = true;

	if (at >= WINDOW_PARAM && at < WINDOW_PARAM + WINDOW_BYTES && !write)
		*own = (struct range){ WINDOW_PARAM, l->param_bytes,
				       (char *)(uintptr_t)l->params };
	else if (at >= WAVE_SCRATCH && scratch)
		*own = (struct range){ wave_scratch_address(&g->waves[0]),
				       scratch, g->scratch };
	else if ((r = gmem_find(mem, at, bytes)) || !mem->beyond.find)
		return r;
	else
		return mem->beyond.find(mem->beyond.ctx, at, bytes, write, own,
					kept) ?
			       own :
			       NULL;
	return at >= own->base && at - own->base <= own->size &&
			       bytes <= own->size - (at - own->base) ?
		       own :
		       NULL;
}

static bool holds(const struct range *r, uint64_t at, uint32_t bytes)
{
	return at - r->base < r->size && bytes <= r->size - (at - r->base);
}

static struct range *recent_of(struct wave *w)
{
	return &w->group->worker->recent[(w->pc->at >> 2) % WAVE_RECENT];
}

static const char *verb_of(bool write)
{
	return write ? "store to" : "load from";
}

static void fault_address(struct wave *w, unsigned lane, uint64_t at,
			  uint32_t bytes, bool write)
{
	bool scratch = at >= WAVE_SCRATCH;

	wave_fault(w, scratch ? FAULT_LOCAL : FAULT_ADDRESS, lane, at,
		   "%s 0x%" PRIx64 ", %u bytes, which are in no %s",
		   verb_of(write), at, bytes,
		   scratch ? "scratch memory of the work-group" : "allocation");
}

/* The host's address of a lane's bytes; NULL: the launch has faulted. */
static char *wave_mem_locate(struct wave *w, unsigned lane, uint64_t at,
			     uint32_t bytes, bool write)
{
	struct range *last = recent_of(w), own;
	uint32_t align = bytes > 4 ? 4 : bytes;
	const struct range *r;
	bool kept;
	char *host;

	if (at & (align - 1)) {
		wave_fault(w, FAULT_MISALIGNED, lane, at,
			   "%s 0x%" PRIx64 ": not a multiple of %u",
			   verb_of(write), at, align);
		return NULL;
	}
	if (holds(last, at, bytes) && (!write || at >= WINDOWS_END))
		return last->host + (at - last->base);
	r = find_range(w, &own, at, bytes, write, &kept);
	if (!r) {
		host = gmem_outside(w->group->launch->machine->gmem, at, bytes,
				    write);
		if (!host)
			fault_address(w, lane, at, bytes, write);
		return host;
	}
	if (kept)
		*last = *r;
	return r->host + (at - r->base);
}

/* Whether all lanes access whole words of the allocation that was found last; at[]
 * is where, of inactive lanes 0. */
static bool wave_mem_recent(struct wave *w, const uint64_t addr[WAVE_LANES],
			    uint64_t mask, uint32_t bytes, bool write,
			    uint64_t at[WAVE_LANES])
{
	const struct range *r = recent_of(w);
	uint64_t bad = 0, last = r->size - bytes;

	if (bytes % 4 || r->size < bytes || r->base & 3 ||
	    (write && r->base < WINDOWS_END))
		return false;
	for (unsigned l = 0; l < WAVE_LANES; l++)
		at[l] = (addr[l] - r->base) & -(mask >> l & 1);
	for (unsigned l = 0; l < WAVE_LANES; l++)
		bad |= at[l] > last;
	for (unsigned l = 0; l < WAVE_LANES; l++)
		bad |= at[l] & 3;
	return !bad;
}

static bool locate_all(struct wave *w, const uint64_t addr[WAVE_LANES],
		       uint64_t mask, uint32_t bytes, bool write,
		       uintptr_t host[WAVE_LANES])
{
	uint64_t at[WAVE_LANES];

	if (wave_mem_recent(w, addr, mask, bytes, write, at)) {
		uintptr_t first = (uintptr_t)recent_of(w)->host;

		for (unsigned l = 0; l < WAVE_LANES; l++)
			host[l] = first + at[l];
		return true;
	}
	for (uint64_t m = mask; m; m &= m - 1) {
		unsigned l = lanes_first(m);
		char *p = wave_mem_locate(w, l, addr[l], bytes, write);

		if (!p)
			return false;
		host[l] = (uintptr_t)p;
	}
	return true;
}

static void set_effect(struct wave *w, const uint64_t addr[WAVE_LANES],
		       uint64_t mask, uint32_t bytes, bool write)
{
	struct wave_effect *e = w->effect;

	e->space = mask ? WAVE_GLOBAL : WAVE_NOWHERE;
	e->write = write;
	e->is_atomic = e->returns = e->pairs = e->invalidate = e->image = false;
	e->coherent = false;
	e->bytes = bytes;
	e->mask = mask;
	if (addr != e->addr)
		memcpy(e->addr, addr, sizeof(e->addr));
}

/* ---- loads and stores -------------------------------------------------- */

static void wave_mem_take(wave_data out, unsigned lane, uintptr_t from,
			  uint32_t bytes)
{
	uint32_t v[WAVE_WORDS] = { 0 };

	memcpy(v, (const void *)from, bytes);
	for (unsigned i = 0; i < (bytes + 3) / 4; i++)
		out[i][lane] = v[i];
}

/* Each part of the wave at a time: a view patches as many lanes. */
static void load_through(struct wave *w, const uint64_t addr[WAVE_LANES],
			 uint64_t mask, uint32_t bytes,
			 uintptr_t host[WAVE_LANES], wave_data out)
{
	for (unsigned h = 0; h < HALVES; h++) {
		unsigned first = h * LANES;
		uint64_t m = mask >> first & LANES_ALL;

		if (!m)
			continue;
		view_load(w->view, addr + first, m, bytes, host + first);
		for (; m; m &= m - 1) {
			unsigned l = first + lanes_first(m);

			wave_mem_take(out, l, host[l], bytes);
		}
	}
}

/* Words of consecutive addresses, of every lane: the most common load. Returns
 * where they begin; NULL: they are something else. */
static char *wave_mem_consecutive(struct wave *w,
				  const uint64_t addr[WAVE_LANES],
				  uint64_t mask, bool write)
{
	const struct range *r = recent_of(w);
	uint64_t differs = 0;

	if (mask + 1)
		return NULL;
	for (unsigned l = 0; l < WAVE_LANES; l++)
		differs |= addr[l] - addr[0] - 4 * l;
	if (differs || addr[0] & 3 || !holds(r, addr[0], 4 * WAVE_LANES) ||
	    (write && addr[0] < WINDOWS_END))
		return NULL;
	return r->host + (addr[0] - r->base);
}

/* Words that all lie in the allocation that was found last, and in no store in
 * flight. False: they do not. */
static bool wave_mem_gather(struct wave *w, const uint64_t addr[WAVE_LANES],
			    uint64_t mask, uint32_t bytes, wave_data out)
{
	const struct range *r = recent_of(w);
	uint64_t at[WAVE_LANES];

	if ((w->view && w->view->count) ||
	    !wave_mem_recent(w, addr, mask, bytes, false, at))
		return false;
	for (unsigned i = 0; i < bytes / 4; i++)
		for (unsigned l = 0; l < WAVE_LANES; l++)
			memcpy(&out[i][l], r->host + at[l] + 4 * i, 4);
	return true;
}

/* Whether the log has none of the words of all lanes; without a log, true. */
static bool wave_mem_misses(const struct wave *w,
			    const uint64_t addr[WAVE_LANES])
{
	for (unsigned h = 0; w->view && h < HALVES; h++)
		if (!view_misses(w->view, addr + h * LANES, 4))
			return false;
	return true;
}

bool wave_load(struct wave *w, const uint64_t addr[WAVE_LANES], uint64_t mask,
	       uint32_t bytes, wave_data out)
{
	uintptr_t host[WAVE_LANES] = { 0 };
	char *all = bytes == 4 ? wave_mem_consecutive(w, addr, mask, false) :
				 NULL;

	if (w->tells)
		set_effect(w, addr, mask, bytes, false);
	if (all && wave_mem_misses(w, addr)) {
		memcpy(out[0], all, 4 * WAVE_LANES);
		return true;
	}
	if (wave_mem_gather(w, addr, mask, bytes, out))
		return true;
	if (!locate_all(w, addr, mask, bytes, false, host))
		return false;
	if (w->view) {
		load_through(w, addr, mask, bytes, host, out);
		return true;
	}
	for (uint64_t m = mask; m; m &= m - 1) {
		unsigned l = lanes_first(m);

		wave_mem_take(out, l, host[l], bytes);
	}
	return true;
}

static void wave_mem_put(wave_data in, unsigned lane, char *to, uint32_t bytes)
{
	uint32_t v[WAVE_WORDS];

	for (unsigned i = 0; i < (bytes + 3) / 4; i++)
		v[i] = in[i][lane];
	memcpy(to, v, bytes);
}

bool wave_store(struct wave *w, const uint64_t addr[WAVE_LANES], uint64_t mask,
		uint32_t bytes, wave_data in)
{
	uintptr_t host[WAVE_LANES] = { 0 };
	char *all = bytes == 4 ? wave_mem_consecutive(w, addr, mask, true) :
				 NULL;

	if (w->tells)
		set_effect(w, addr, mask, bytes, true);
	if (all && !w->view) {
		memcpy(all, in[0], 4 * WAVE_LANES);
		return true;
	}
	if (w->view)
		view_begin(w->view);
	if (all) {
		view_write(w->view, addr[0], all, in[0], 4 * WAVE_LANES);
		return true;
	}
	if (!locate_all(w, addr, mask, bytes, true, host))
		return false;
	for (uint64_t m = mask; m; m &= m - 1) {
		unsigned l = lanes_first(m);
		char piece[4 * WAVE_WORDS];

		if (!w->view) {
			wave_mem_put(in, l, (char *)host[l], bytes);
			continue;
		}
		wave_mem_put(in, l, piece, bytes);
		view_write(w->view, addr[l], (char *)host[l], piece, bytes);
	}
	return true;
}

bool wave_load_scalar(struct wave *w, uint64_t addr, uint32_t words,
		      uint32_t *out)
{
	struct wave_effect *e = w->effect;
	uint64_t at[LANES] = { addr };
	char *host = wave_mem_locate(w, 0, addr, 4, false);
	uintptr_t from[LANES];

	/* The last words may lie in another allocation, or in none. */
	if (host && words > 1 && !holds(recent_of(w), addr, 4 * words))
		host = wave_mem_locate(w, 0, addr, 4 * words, false);
	if (!host)
		return false;
	if (w->tells) {
		set_effect(w, e->addr, 1, 4 * words, false);
		e->space = WAVE_SCALAR;
		e->addr[0] = addr;
	}
	if (w->view) {
		from[0] = (uintptr_t)host;
		view_load(w->view, at, 1, 4 * words, from);
		host = (char *)from[0];
	}
	memcpy(out, host, (size_t)4 * words);
	return true;
}

/* ---- atomics ----------------------------------------------------------- */

static bool is_less_float(bool wide, uint64_t a, uint64_t b)
{
	return wide ? f64_of(a) < f64_of(b) :
		      f32_of((uint32_t)a) < f32_of((uint32_t)b);
}

static bool is_equal_float(bool wide, uint64_t a, uint64_t b)
{
	return wide ? f64_of(a) == f64_of(b) :
		      f32_of((uint32_t)a) == f32_of((uint32_t)b);
}

static int64_t wave_mem_extend(bool wide, uint64_t v)
{
	return wide ? (int64_t)v : (int32_t)(uint32_t)v;
}

uint64_t wave_atomic_value(enum wave_atomic_op op, bool wide, uint64_t old,
			   uint64_t b, uint64_t c)
{
	switch (op) {
	case WAVE_SWAP:
		return b;
	case WAVE_CMPSWAP:
		return old == c ? b : old;
	case WAVE_ADD:
		return old + b;
	case WAVE_SUB:
		return old - b;
	case WAVE_RSUB:
		return b - old;
	case WAVE_SMIN:
		return wave_mem_extend(wide, b) < wave_mem_extend(wide, old) ?
			       b :
			       old;
	case WAVE_UMIN:
		return b < old ? b : old;
	case WAVE_SMAX:
		return wave_mem_extend(wide, b) > wave_mem_extend(wide, old) ?
			       b :
			       old;
	case WAVE_UMAX:
		return b > old ? b : old;
	case WAVE_AND:
		return old & b;
	case WAVE_OR:
		return old | b;
	case WAVE_XOR:
		return old ^ b;
	case WAVE_INC:
		return old >= b ? 0 : old + 1;
	case WAVE_DEC:
		return !old || old > b ? b : old - 1;
	case WAVE_FCMPSWAP:
		return is_equal_float(wide, old, c) ? b : old;
	case WAVE_FMIN:
		return is_less_float(wide, b, old) ? b : old;
	case WAVE_FMAX:
		return is_less_float(wide, old, b) ? b : old;
	default:
		return (old & ~c) | b;
	}
}

/* alone: no other host thread accesses memory now. */
static uint64_t perform(enum wave_atomic_op op, bool wide, uintptr_t at,
			uint64_t b, uint64_t c, bool alone)
{
	uint64_t *q = (uint64_t *)at, was;
	uint32_t *p = (uint32_t *)at, old;

	/* 8 bytes are atomic where they are aligned, as they must be. */
	if (wide) {
		was = __atomic_load_n(q, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(
			q, &was, wave_atomic_value(op, true, was, b, c), true,
			__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			;
		return was;
	}
	old = __atomic_load_n(p, __ATOMIC_RELAXED);
	if (alone) {
		*p = (uint32_t)wave_atomic_value(op, false, old, b, c);
		return old;
	}
	while (!__atomic_compare_exchange_n(
		p, &old, (uint32_t)wave_atomic_value(op, false, old, b, c),
		true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
	return old;
}

static void perform_later(struct atomic *a, unsigned lane)
{
	a->b[0][lane] = perform((enum wave_atomic_op)a->op, a->bytes == 8,
				a->host[lane], a->b[0][lane], a->c[0][lane],
				true);
}

/* regs: the register of lane 0 of this part of the wave. */
static void put_later(struct atomic *a)
{
	uint32_t *regs = (uint32_t *)a->regs;

	for (lanes_t m = a->mask; regs && m; m &= m - 1) {
		unsigned l = lanes_first(m);

		regs[l] = (uint32_t)a->b[0][l];
		if (a->bytes == 8)
			regs[WAVE_LANES + l] = (uint32_t)(a->b[0][l] >> 32);
	}
}

static void record(struct wave *w, enum wave_atomic_op op, uint32_t bytes,
		   unsigned half, uint64_t mask, const uint64_t *b,
		   const uint64_t *c, const uintptr_t *host, uint32_t *old)
{
	struct atomic *a = view_atomic_new(w->view);
	unsigned first = half * LANES;

	a->in = NULL;
	a->perform = perform_later;
	a->put = put_later;
	a->op = (uint8_t)op;
	a->vector = false;
	a->bytes = bytes;
	a->mask = a->left = mask;
	a->regs = old ? (char *)(old + first) : NULL;
	memcpy(a->addr, w->effect->addr + first, sizeof(a->addr));
	memcpy(a->host, host + first, sizeof(a->host));
	memcpy(a->b[0], b + first, sizeof(a->b[0]));
	if (c)
		memcpy(a->c[0], c + first, sizeof(a->c[0]));
	w->effect->atomic[half] = a;
}

static void record_all(struct wave *w, enum wave_atomic_op op, uint32_t bytes,
		       const uint64_t *b, const uint64_t *c,
		       const uintptr_t *host, uint32_t *old)
{
	for (unsigned h = 0; h < HALVES; h++) {
		uint64_t m = w->effect->mask >> h * LANES & LANES_ALL;

		w->effect->atomic[h] = NULL;
		if (m)
			record(w, op, bytes, h, m, b, c, host, old);
	}
}

void wave_atomic_without_values(struct wave *w)
{
	struct wave_effect *e = w->effect;

	e->atomic[0] = e->atomic[1] = NULL;
	for (unsigned h = 0; w->view && h < HALVES; h++) {
		uint64_t m = e->mask >> h * LANES & LANES_ALL;
		struct atomic *a = m ? view_atomic_new(w->view) : NULL;

		e->atomic[h] = a;
		if (!a)
			continue;
		a->in = NULL;
		a->perform = NULL;
		a->put = put_later;
		a->bytes = e->bytes;
		a->mask = m;
		a->left = 0;
		a->regs = NULL;
		memcpy(a->addr, e->addr + h * LANES, sizeof(a->addr));
	}
}

bool wave_atomic(struct wave *w, enum wave_atomic_op op, bool wide,
		 const uint64_t addr[WAVE_LANES], uint64_t mask,
		 const uint64_t b[WAVE_LANES], const uint64_t c[WAVE_LANES],
		 uint32_t *old)
{
	uintptr_t host[WAVE_LANES] = { 0 };
	uint32_t bytes = wide ? 8 : 4;

	set_effect(w, addr, mask, bytes, true);
	w->effect->is_atomic = true;
	w->effect->returns = old != NULL;
	for (uint64_t m = mask; m; m &= m - 1) {
		unsigned l = lanes_first(m);

		if (!(addr[l] & (bytes - 1)))
			continue;
		wave_fault(w, FAULT_MISALIGNED, l, addr[l],
			   "atomic at 0x%" PRIx64 ": not a multiple of %u",
			   addr[l], bytes);
		return false;
	}
	if (!locate_all(w, addr, mask, bytes, true, host))
		return false;
	if (w->view && mask) {
		record_all(w, op, bytes, b, c, host, old);
		return true;
	}
	for (uint64_t m = mask; m; m &= m - 1) {
		unsigned l = lanes_first(m);
		uint64_t was =
			perform(op, wide, host[l], b[l], c ? c[l] : 0, false);

		if (old)
			old[l] = (uint32_t)was;
		if (old && wide)
			old[WAVE_LANES + l] = (uint32_t)(was >> 32);
	}
	return true;
}
