#include "mem/cgm/wheel.h"

#include <string.h>

#include "base/minmax.h"

void cgm_wheel_wake(struct cgm_wheel *w, const struct cgm_part *p)
{
	w->base = min_u64(w->base, p->wake);
	cgm_wheel_add(w, 64 * (uint32_t)(p->mailed - w->mail) +
				 (uint32_t)__builtin_ctzll(p->bit));
}

/* The parts that wake later come nearer. */
static void cgm_wheel_refill(struct cgm_wheel *w)
{
	w->far_first = CYCLE_NEVER;
	for (uint32_t k = 0; k < w->words; k++) {
		uint64_t set = w->far[k];

		w->far[k] = 0;
		for (; set; set &= set - 1)
			cgm_wheel_add(w,
				      64 * k + (uint32_t)__builtin_ctzll(set));
	}
}

static void cgm_wheel_mail(struct cgm_wheel *w)
{
	for (uint32_t k = 0; k < w->words; k++) {
		uint64_t set =
			atomic_load_explicit(&w->mail[k], memory_order_relaxed);

		if (set)
			atomic_store_explicit(&w->mail[k], 0,
					      memory_order_relaxed);
		for (; set; set &= set - 1) {
			uint32_t i = 64 * k + (uint32_t)__builtin_ctzll(set);
			cycle_t before = w->part[i]->wake;

			if (cgm_part_take_mail(w->part[i]) < before)
				cgm_wheel_add(w, i);
		}
	}
}

/* The tick of the first slot that is not empty, or CYCLE_NEVER. */
static cycle_t cgm_wheel_first(const struct cgm_wheel *w)
{
	enum { WORDS = CGM_WHEEL_SLOTS / 64 };
	unsigned base = w->base % CGM_WHEEL_SLOTS;
	uint64_t set = w->live[base / 64] & UINT64_MAX << base % 64;

	for (unsigned k = 0; k <= WORDS; k++) {
		unsigned at = (base / 64 + k) % WORDS;

		if (k)
			set = w->live[at];
		if (set) {
			unsigned slot =
				64 * at + (unsigned)__builtin_ctzll(set);

			return w->base +
			       (slot - base) % (unsigned)CGM_WHEEL_SLOTS;
		}
	}
	return CYCLE_NEVER;
}

/* Whether anything wakes at a tick; drops from its slot what wakes at other times, up
 * to the first that does not. */
static bool cgm_wheel_holds(struct cgm_wheel *w, cycle_t at)
{
	unsigned slot = at % CGM_WHEEL_SLOTS;
	uint64_t *set = w->slot + (size_t)slot * w->words;

	for (uint32_t k = 0; k < w->words; k++)
		for (uint64_t m = set[k]; m; m &= m - 1) {
			uint32_t i = 64 * k + (uint32_t)__builtin_ctzll(m);

			if (w->wake[i] == at)
				return true;
			set[k] &= ~(m & -m);
		}
	w->live[slot / 64] &= ~(UINT64_C(1) << slot % 64);
	return false;
}

cycle_t cgm_wheel_next(struct cgm_wheel *w)
{
	cycle_t at;

	cgm_wheel_mail(w);
	if (w->far_first < w->base + CGM_WHEEL_AHEAD)
		cgm_wheel_refill(w);
	while (at = cgm_wheel_first(w), at != CYCLE_NEVER)
		if (cgm_wheel_holds(w, at))
			return at;
	if (w->far_first != CYCLE_NEVER)
		cgm_wheel_refill(w);
	at = cgm_wheel_first(w);
	return at == CYCLE_NEVER ? w->far_first : at;
}

void cgm_wheel_begin(struct cgm_wheel *w, cycle_t now, cycle_t to)
{
	/* Nobody wakes before now. */
	w->base = now;
	if (w->far_first < to)
		cgm_wheel_refill(w);
	memset(w->due, 0, w->words * sizeof(*w->due));
	for (cycle_t t = now; t < to; t++) {
		unsigned slot = t % CGM_WHEEL_SLOTS;
		uint64_t *set = w->slot + (size_t)slot * w->words;

		if (!(w->live[slot / 64] >> slot % 64 & 1))
			continue;
		w->live[slot / 64] &= ~(UINT64_C(1) << slot % 64);
		for (uint32_t k = 0; k < w->words; k++) {
			w->due[k] |= set[k];
			set[k] = 0;
		}
	}
	w->base = to;
}

void cgm_wheel_end(struct cgm_wheel *w)
{
	for (uint32_t k = 0; k < w->words; k++)
		for (uint64_t set = w->due[k]; set; set &= set - 1)
			cgm_wheel_add(w,
				      64 * k + (uint32_t)__builtin_ctzll(set));
}

bool cgm_wheel_init(struct cgm_wheel *w, struct arena *a,
		    struct cgm_part *const *part, uint32_t count)
{
	*w = (struct cgm_wheel){ .part = part,
				 .words = (count + 63) / 64,
				 .far_first = CYCLE_NEVER };
	w->wake = arena_new(a, cycle_t, count);
	w->slot = arena_new(a, uint64_t, (size_t)CGM_WHEEL_SLOTS * w->words);
	w->far = arena_new(a, uint64_t, w->words);
	w->due = arena_new(a, uint64_t, w->words);
	w->mail = arena_new(a, _Atomic uint64_t, w->words);
	if (!w->wake || !w->slot || !w->far || !w->due || !w->mail)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		part[i]->mailed = &w->mail[i / 64];
		part[i]->bit = UINT64_C(1) << i % 64;
		w->wake[i] = CYCLE_NEVER;
	}
	return true;
}
