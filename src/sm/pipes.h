/*
 * The resources that an instruction takes when it issues: a pipe of its unit,
 * and its operands from the banks of the register file. For issue.c only; in a
 * header so that the compiler can inline it.
 */
#ifndef HEDDLE_SM_PIPES_H
#define HEDDLE_SM_PIPES_H

#include "base/minmax.h"
#include "sm/core.h"

/* Warps whose next instruction cannot issue at t in sub-core `sub` because its
 * unit is busy. */
static inline uint64_t busy_warps(struct sm *s, unsigned sub, cycle_t t)
{
	const cycle_t *free = s->unit_free[sub];
	uint64_t busy = 0;
	uint32_t held = 0;

	/* Without a branch: which of them are free again is unpredictable. */
	for (uint32_t left = s->held[sub]; left; left &= left - 1) {
		unsigned u = (unsigned)__builtin_ctz(left);
		uint32_t still = free[u] > t;

		held |= still << u;
		busy |= s->needs[u] & -(uint64_t)still;
	}
	s->held[sub] = held;
	return busy;
}

/* The same of one warp: whether its next instruction can issue at t, as far as
 * its unit goes. */
static inline bool finds_unit(const struct sm *s, int slot, unsigned sub,
			      cycle_t t)
{
	return s->unit_free[sub][SM_SLOT(s, slot)->unit] <= t;
}

/* All sub-cores share the unit. */
static __attribute__((noinline)) void hold_shared_unit(struct sm *s, unsigned u,
						       cycle_t until)
{
	for (uint32_t sub = 0; sub < s->subcores; sub++) {
		s->held[sub] |= 1u << u;
		s->unit_free[sub][u] = until;
	}
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
	s->unit_free[sub][u] = first;
}

/* The instruction occupies a pipe of its unit for its initiation interval. */
static inline void hold_unit(struct sm *s, unsigned sub,
			     const struct timed_inst *ti, cycle_t t)
{
	unsigned u = ti->unit;

	if (ti->interval <= s->hidden_interval[u])
		return;
	s->held[sub] |= 1u << u;
	if (LIKELY(s->pipes[u] == 1))
		s->unit_free[sub][u] = t + ti->interval;
	else if (s->pipes[u])
		hold_pipe(s, sub, u, t + ti->interval);
	else
		hold_shared_unit(s, u, t + ti->interval);
}

/* Whether the reuse cache holds operands of the instruction. */
static inline bool reuses(const struct sm *s, unsigned k, int slot)
{
	return s->reuse && SM_SCHED(s, k)->last == slot &&
	       SM_SLOT(s, slot)->sequential;
}

/* The cycle in which a bank has served the passes, after those that are
 * queued. */
static inline cycle_t bank_end(const struct sm *s, unsigned sub, unsigned b,
			       unsigned passes, cycle_t t)
{
	cycle_t start = s->bank_free[sub][b] > t ? s->bank_free[sub][b] : t;

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
			s->bank_free[sub][b] = t + passes[b];
		s->bank_busy[sub] = unit[free] = alone;
		return 0;
	}
	for (unsigned b = 0; b < s->banks; b++) {
		if (!passes[b])
			continue;
		s->bank_free[sub][b] = bank_end(s, sub, b, passes[b], t);
		end = max_u64(end, s->bank_free[sub][b]);
	}
	s->bank_busy[sub] = max_u64(s->bank_busy[sub], end);
	unit[free] = end;
	s->st.register_conflicts += end - alone;
	return end - alone;
}

/*
 * Read ports: operands are read in regs.read_cycles cycles after issue. If they
 * do not fit, the issue waits. Returns 0, or CYCLE_NEVER as above.
 */
static inline cycle_t read_operands(struct sm *s, unsigned k,
				    const uint8_t *passes, cycle_t t)
{
	unsigned sub = s->sub_of[k];
	cycle_t *free = s->bank_free[sub], last = t + s->read_cycles, end;

	for (unsigned b = 0; b < s->banks; b++) {
		end = bank_end(s, sub, b, passes[b], t);
		/* An instruction with more reads than ever fit issues when the
		 * bank is free. */
		if (UNLIKELY(end > last && passes[b] && free[b] > t)) {
			s->operands[k] = end - s->read_cycles;
			if (s->operands[k] <= t)
				s->operands[k] = t + 1;
			s->st.register_conflicts += s->operands[k] - t;
			return CYCLE_NEVER;
		}
	}
	for (unsigned b = 0; b < s->banks; b++) {
		/* A bank that is not read stays as it is, or becomes t. */
		free[b] = bank_end(s, sub, b, passes[b], t);
		s->bank_busy[sub] = max_u64(s->bank_busy[sub], free[b]);
	}
	return 0;
}

/* Whether each bank needs at most one cycle for its reads, so that all banks
 * are free when the sub-core can issue again. */
static inline bool reads_at_once(const struct sm *s, unsigned sub,
				 uint32_t passes, cycle_t t)
{
	return !(passes & ~UINT32_C(0x01010101)) && s->exclusive &&
	       s->bank_busy[sub] <= t;
}

/* Reads the operands of an instruction that issues at t. Returns by how many
 * cycles its result is late. CYCLE_NEVER: it cannot issue before
 * s->operands[k]. */
static inline cycle_t take_operands(struct sm *s, unsigned k, int slot,
				    const struct timed_inst *ti, cycle_t t)
{
	bool reused = reuses(s, k, slot);
	const uint8_t *passes = reused ? ti->reuse_passes : ti->passes;
	cycle_t late = 0;
	uint32_t any;

	_Static_assert(sizeof(any) == TIMED_BANKS, "one word holds all banks");
	memcpy(&any, passes, sizeof(any));
	if (s->collect && any)
		late = collect_operands(s, k, passes, t);
	else if (any && !reads_at_once(s, s->sub_of[k], any, t))
		late = read_operands(s, k, passes, t);
	if (reused && late != CYCLE_NEVER)
		s->st.reused += ti->saved;
	return late;
}

#endif
