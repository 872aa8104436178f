/*
 * The resources that an instruction takes when it issues: a pipe of its unit,
 * and its operands from the banks of the register file. For issue.c only; in a
 * header so that the compiler can inline it.
 */
#ifndef HEDDLE_SM_PIPES_H
#define HEDDLE_SM_PIPES_H

#ifdef __AVX2__
#include <immintrin.h>
#endif
#include <string.h>

#include "base/minmax.h"
#include "sm/core.h"

/* Four bytes as numbers. One instruction, which compilers do not find. By
 * reference, as in signs_of_four. */
static inline void four_numbers(const uint8_t *of, numbers_t *to)
{
#ifdef __AVX2__
	int32_t bytes;

	memcpy(&bytes, of, sizeof(bytes));
	*to = (numbers_t)_mm256_cvtepu8_epi64(_mm_cvtsi32_si128(bytes));
#else
	*to = (numbers_t){ of[0], of[1], of[2], of[3] };
#endif
}

/* A bit for each of four numbers that are 0 or -1. By reference: how a vector is
 * passed by value depends on the host. */
static inline uint32_t signs_of_four(const numbers_t *of)
{
#ifdef __AVX2__
	typedef double signs_t __attribute__((vector_size(sizeof(*of))));

	return (uint32_t)__builtin_ia32_movmskpd256((signs_t)*of);
#else
	const numbers_t n = *of;

	return (uint32_t)((n[0] & 1) | (n[1] & 2) | (n[2] & 4) | (n[3] & 8));
#endif
}

/* Units of sub-core `sub` that are busy at t, as bits. All are looked at together:
 * which of them are busy is unpredictable. */
static inline uint32_t busy_units(const struct sm *s, unsigned sub, cycle_t t)
{
	const numbers_t *free = s->unit_free[sub].four;
	uint32_t busy = 0;

	for (unsigned i = 0; i < UNITS / 4; i++) {
		numbers_t later = free[i] > (int64_t)t;

		busy |= signs_of_four(&later) << 4 * i;
	}
	return busy;
}

static inline unsigned first_unit(uint32_t units)
{
	return (unsigned)__builtin_ctz(units | 1u << NO_UNIT);
}

/* Warps whose next instruction needs one of these units. */
static inline uint64_t warps_needing(const struct sm *s, uint32_t units)
{
	uint64_t warps = s->needs[first_unit(units)];

	/* Without a branch for the first two: there are seldom more. */
	units &= units - 1;
	warps |= s->needs[first_unit(units)];
	for (units &= units - 1; UNLIKELY(units); units &= units - 1)
		warps |= s->needs[first_unit(units)];
	return warps;
}

/* When the unit is free that a warp's next instruction needs. */
static inline cycle_t unit_free_for(const struct sm *s, int slot, unsigned sub)
{
	return s->unit_free[sub].of[SM_SLOT(s, slot)->unit];
}

/* The same of one warp: whether its next instruction can issue at t, as far as
 * its unit goes. */
static inline bool finds_unit(const struct sm *s, int slot, unsigned sub,
			      cycle_t t)
{
	return unit_free_for(s, slot, sub) <= t;
}

/* Of a mask that is not empty. */
static inline bool is_single(uint64_t warps)
{
	return !(warps & (warps - 1));
}

/* All sub-cores share the unit. */
static __attribute__((noinline)) void hold_shared_unit(struct sm *s, unsigned u,
						       cycle_t until)
{
	for (uint32_t sub = 0; sub < s->subcores; sub++)
		s->unit_free[sub].of[u] = until;
}

/* A unit with several pipes: takes the one that is free first. */
static __attribute__((noinline)) void hold_pipe(struct sm *s, unsigned sub,
						unsigned u, cycle_t until)
{
	cycle_t *pipe = s->pipe_free[sub][u], first;
	unsigned best = 0;

	for (unsigned i = 1; i < s->pipes[u]; i++)
		if (pipe[i] < pipe[best])
			best = i;
	pipe[best] = until;
	first = pipe[0];
	for (unsigned i = 1; i < s->pipes[u]; i++)
		if (pipe[i] < first)
			first = pipe[i];
	s->unit_free[sub].of[u] = first;
}

/* The instruction occupies a pipe of its unit for its initiation interval. */
static inline void hold_unit(struct sm *s, unsigned sub,
			     const struct timed_inst *ti, cycle_t t)
{
	unsigned u = ti->unit;
	bool hidden = ti->interval <= s->hidden_interval[u];
	cycle_t until = t + ti->interval, *free = &s->unit_free[sub].of[u];

	/* Without a branch: which it is, is unpredictable. */
	if (LIKELY(s->pipes[u] == 1))
		*free = hidden ? *free : until;
	else if (s->pipes[u] && !hidden)
		hold_pipe(s, sub, u, until);
	else if (!hidden)
		hold_shared_unit(s, u, until);
}

/* Whether the reuse cache holds operands of the instruction. */
static inline bool reuses(const struct sm *s, unsigned k, int slot)
{
	/* Without branches: it is unpredictable. */
	return s->reuse & (SM_SCHED(s, k)->last == slot) &
	       SM_SLOT(s, slot)->sequential;
}

/* The cycle in which a bank has served the passes, after those that are
 * queued. */
static inline cycle_t bank_end(const struct sm *s, unsigned sub, unsigned b,
			       unsigned passes, cycle_t t)
{
	cycle_t start = s->bank_free[sub].of[b] > t ? s->bank_free[sub].of[b] :
						      t;

	return start + passes;
}

/* A collector that is free at t, or else the first one that will be. The search
 * starts after the one used last, which is most likely free. */
static inline unsigned find_collector(struct sm *s, unsigned sub, cycle_t t)
{
	const cycle_t *unit = s->collector_free[sub];
	unsigned i = s->collector[sub], best;

	i = i + 1 < s->collectors ? i + 1 : 0;
	best = i;
	for (unsigned n = 0; unit[i] > t && n < s->collectors; n++)
		best = unit[n] < unit[best] ? n : best;
	s->collector[sub] = (uint8_t)best;
	return best;
}

/*
 * Operand collectors: reads queue at the banks while the instruction waits in a
 * collector. Returns by how many cycles its result is late. CYCLE_NEVER: no
 * collector is free before s->operands[k].
 */
static __attribute__((noinline)) cycle_t
collect_operands(struct sm *s, unsigned k, const uint8_t *passes, cycle_t t)
{
	unsigned sub = s->sub_of[k], free = find_collector(s, sub, t);
	cycle_t *unit = s->collector_free[sub], end = t, alone = t;

	if (unit[free] > t) {
		s->operands[k] = unit[free];
		return CYCLE_NEVER;
	}
	for (unsigned b = 0; b < TIMED_BANKS; b++)
		alone = max_u64(alone, t + passes[b]);
	if (LIKELY(s->bank_busy[sub] <= t)) { /* no reads are queued */
		for (unsigned b = 0; b < TIMED_BANKS; b++)
			s->bank_free[sub].of[b] = t + passes[b];
		s->bank_busy[sub] = unit[free] = alone;
		return 0;
	}
	for (unsigned b = 0; b < s->banks; b++) {
		if (!passes[b])
			continue;
		s->bank_free[sub].of[b] = bank_end(s, sub, b, passes[b], t);
		end = max_u64(end, s->bank_free[sub].of[b]);
	}
	s->bank_busy[sub] = max_u64(s->bank_busy[sub], end);
	unit[free] = end;
	s->st.register_conflicts += end - alone;
	return end - alone;
}

/* The same for an instruction that may read nothing. */
static inline cycle_t collect_any(struct sm *s, unsigned k,
				  const uint8_t *passes, cycle_t t)
{
	uint32_t any;

	_Static_assert(sizeof(any) == TIMED_BANKS, "one word holds all banks");
	memcpy(&any, passes, sizeof(any));
	return any ? collect_operands(s, k, passes, t) : 0;
}

/* The operands of an instruction do not fit at t: the first bank that is too busy
 * says when it is tried again. Returns CYCLE_NEVER as above, or 0: an instruction
 * with more reads than ever fit issues when the bank is free. */
static __attribute__((noinline)) cycle_t
wait_for_bank(struct sm *s, unsigned k, const uint8_t *passes, cycle_t t)
{
	unsigned sub = s->sub_of[k];
	const cycle_t *free = s->bank_free[sub].of;
	cycle_t last = t + s->read_cycles, end;

	for (unsigned b = 0; b < s->banks; b++) {
		end = max_u64(free[b], t) + passes[b];
		if (end <= last || !passes[b] || free[b] <= t)
			continue;
		s->operands[k] = max_u64(end - s->read_cycles, t + 1);
		s->st.register_conflicts += s->operands[k] - t;
		return CYCLE_NEVER;
	}
	return 0;
}

/*
 * Read ports: operands are read in regs.read_cycles cycles after issue. If they
 * do not fit, the issue waits. Returns 0, or CYCLE_NEVER as above. All banks are
 * looked at together: how many passes they need is unpredictable.
 */
static inline cycle_t read_operands(struct sm *s, unsigned k, unsigned sub,
				    const uint8_t *passes, cycle_t t)
{
	union by_bank *free = &s->bank_free[sub];
	numbers_t end, now = { (int64_t)t, (int64_t)t, (int64_t)t, (int64_t)t };
	numbers_t more, late;

	_Static_assert(TIMED_BANKS == 4, "as many as a vector has");
	four_numbers(passes, &more);
	late = free->all > now;
	/* A bank that is not read stays as it is, or becomes t. */
	end = ((free->all & late) | (now & ~late)) + more;
	late &= end > now + (int64_t)s->read_cycles;
	if (UNLIKELY(signs_of_four(&late)) && wait_for_bank(s, k, passes, t))
		return CYCLE_NEVER;
	free->all = end;
	return 0;
}

/* Reads the operands of an instruction that issues at t, of scheduler k in this
 * sub-core. Returns by how many cycles its result is late. CYCLE_NEVER: it cannot
 * issue before s->operands[k]. */
static inline cycle_t take_operands(struct sm *s, unsigned k, unsigned sub,
				    int slot, const struct timed_inst *ti,
				    cycle_t t)
{
	bool reused = reuses(s, k, slot);
	const uint8_t *passes = reused ? ti->reuse_passes : ti->passes;
	cycle_t late;

	if (UNLIKELY(s->collect))
		late = collect_any(s, k, passes, t);
	else
		late = read_operands(s, k, sub, passes, t);
	s->st.reused += ti->saved & -(uint64_t)(reused & (late != CYCLE_NEVER));
	return late;
}

#endif
