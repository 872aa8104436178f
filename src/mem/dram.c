#include "mem/dram.h"

#ifdef __SSE4_1__
#include <smmintrin.h>
#endif
#include <string.h>

#include "base/fetch.h"
#include "base/minmax.h"
#include "mem/dram_impl.h"

/* Rates are below 2^24 (DRAM_MAX_KHZ), so the products fit. */
#define CYCLE_LIMIT (UINT64_C(1) << 40)

static uint64_t dram_clock_at(const struct dram *m, cycle_t cycle)
{
	return divide(&m->rules->core, cycle * m->rules->dram.by);
}

static cycle_t dram_cycle_at(const struct dram *m, uint64_t clock)
{
	return divide_up(&m->rules->dram, clock * m->rules->core.by);
}

static bool dram_has_requests(const struct dram *m)
{
	return m->lone || m->queued;
}

/* Whether a request of that kind would be the only one, of the kind that is being
 * served. */
static bool may_become_lone(const struct dram *m, bool write)
{
	return !m->not_lone && m->draining == write;
}

/*
 * Rules
 */

/* A struct dram_allowed as a vector. */
typedef rel_t dram_clocks_t
	__attribute__((vector_size(sizeof(struct dram_allowed)),
		       aligned(sizeof(rel_t)), may_alias));

/* The later of each two. */
static inline dram_clocks_t later_clocks(dram_clocks_t a, dram_clocks_t b)
{
#ifdef __SSE4_1__ /* compilers do not find this instruction by themselves */
	return (dram_clocks_t)_mm_max_epu32((__m128i)a, (__m128i)b);
#else
	dram_clocks_t second = (dram_clocks_t)(b > a);

	return (b & second) | (a & ~second);
#endif
}

static inline void apply_delays(struct dram_allowed *a,
				const struct dram_allowed *delay, rel_t clock)
{
	dram_clocks_t *to = (dram_clocks_t *)(void *)a;
	dram_clocks_t was = *to;
	dram_clocks_t from =
		*(const dram_clocks_t *)(const void *)delay + clock;

	*to = later_clocks(from, was);
}

static void apply_refresh_delay(struct dram *m, enum dram_cmd c, rel_t clock)
{
	m->refresh = dram_later(m->refresh, clock + m->rules->delay_ref[c]);
}

/* Where it says what is allowed in a bank: its own rules, and those that it
 * shares with others. */
struct dram_scopes {
	struct dram_allowed *bank, *group, *rank;
	struct activate_window *window;
};

static inline struct dram_scopes scopes_of(struct dram *m, uint32_t bank)
{
	uint32_t pseudo = bank & m->rules->pseudo_mask;

	return (struct dram_scopes){
		.bank = &m->bank[bank].allows,
		.group = &m->group[bank & m->rules->group_mask],
		.rank = &m->rank[pseudo],
		.window = &m->window[pseudo],
	};
}

/* A vector: a clock stored by itself would delay the next load of all. */
static inline void apply_window(const struct dram_scopes *s, rel_t clock,
				uint32_t window_clocks)
{
	rel_t *end = s->window->end;
	dram_clocks_t *rank = (dram_clocks_t *)(void *)s->rank;
	dram_clocks_t from = { 0 };

	from[ACT] = end[0]; /* this is the fourth, the next one the fifth */
	end[0] = end[1];
	end[1] = end[2];
	end[2] = clock + window_clocks;
	*rank = later_clocks(from, *rank);
}

/* Issues a command: delays later ones as the rules say. Where there is no rule,
 * nothing changes. */
static inline void dram_issue(const struct dram_rules *r, enum dram_cmd c,
			      const struct dram_scopes *s, rel_t clock)
{
	apply_delays(s->bank, &r->delay[c][BANK], clock);
	apply_delays(s->group, &r->delay[c][GROUP], clock);
	apply_delays(s->rank, &r->delay[c][RANK], clock);
	if (c == ACT)
		apply_window(s, clock, r->window_clocks);
}

/* The first clock at which bank group and rank allow a command; the bank's own
 * rules are in its alarm. */
static inline rel_t shared_allows(const struct dram_scopes *s, enum dram_cmd c)
{
	return dram_later(s->group->at[c], s->rank->at[c]);
}

/* The first clock at which any pseudo channel allows the command. */
static rel_t rank_allows(const struct dram *m, enum dram_cmd c)
{
	rel_t t = m->rank[0].at[c];

	for (uint32_t i = 1; i <= m->rules->pseudo_mask; i++)
		t = dram_sooner(t, m->rank[i].at[c]);
	return t;
}

/*
 * What each bank wants, and from which clock on it is allowed
 */

static enum dram_cmd wanted_command(const struct dram *m, enum dram_want w)
{
	if (w == WANT_COLUMN)
		return m->draining ? WR : RD;
	return w == WANT_CLOSE ? PRE : ACT;
}

static void mark_ready(struct dram *m, uint32_t bank)
{
	struct dram_queue *q = m->active;
	const struct dram_bank *b = &m->bank[bank];

	if (b->entry == DRAM_NONE)
		m->idle |= BIT(bank);
	else
		q->ready[b->want] |= BIT(q->position[b->entry]);
}

static void cancel_want(struct dram *m, uint32_t bank)
{
	struct dram_queue *q = m->active;
	struct dram_bank *b = &m->bank[bank];
	uint64_t bit = BIT(bank);

	m->armed &= ~bit;
	m->idle &= ~bit;
	if (b->entry != DRAM_NONE)
		q->ready[b->want] &= ~BIT(q->position[b->entry]);
	b->entry = DRAM_NONE;
}

static void set_alarm(struct dram *m, uint32_t bank, rel_t clock)
{
	/* An alarm more than one turn of the wheel away goes off early and is
	 * set again. */
	uint32_t slot = clock % WHEEL_SLOTS;

	m->bank[bank].alarm = clock;
	m->armed |= BIT(bank);
	m->wheel[slot] |= BIT(bank);
	m->wheel_used |= BIT(slot);
}

static rel_t next_alarm(const struct dram *m)
{
	uint32_t first = (m->tick + 1) % WHEEL_SLOTS;
	uint64_t used = m->wheel_used;

	if (!used)
		return CLOCK_NEVER;
	used = used >> first | used << (WHEEL_SLOTS - first) % WHEEL_SLOTS;
	return m->tick + 1 + dram_lowest(used);
}

/* The controller never skips an alarm, so one slot is enough. Slots keep banks
 * that are no longer armed, which at most wastes a check. */
static void run_alarms(struct dram *m, rel_t clock)
{
	uint64_t banks;

	m->tick = clock;
	m->wheel_used &= ~BIT(clock % WHEEL_SLOTS);
	banks = m->wheel[clock % WHEEL_SLOTS] & m->armed;
	m->wheel[clock % WHEEL_SLOTS] = 0;
	for (; banks; banks &= banks - 1) {
		uint32_t bank = dram_lowest(banks);

		if (m->bank[bank].alarm > clock) {
			set_alarm(m, bank, m->bank[bank].alarm);
			continue;
		}
		m->armed &= ~BIT(bank);
		mark_ready(m, bank);
	}
}

/* Whether the bank's oldest request must be served before a younger hit. */
static bool must_serve_first(const struct dram *m, uint32_t bank)
{
	const struct dram_queue *q = m->active;

	return m->in_order ||
	       (q->passed >= q->starve && q->position[q->first[bank]] == 0);
}

/* Chooses what the bank wants; it wants nothing yet. */
static inline void choose_want(struct dram *m, uint32_t bank, rel_t clock)
{
	const struct dram_queue *q = m->active;
	struct dram_bank *b = &m->bank[bank];
	uint64_t bit = BIT(bank);
	rel_t from;

	if (q->waiting & bit) {
		bool hit = (q->hits & bit) && (q->hit[bank] == q->first[bank] ||
					       !must_serve_first(m, bank));

		b->entry = hit ? q->hit[bank] : q->first[bank];
		b->want = hit             ? WANT_COLUMN :
			  (m->open & bit) ? WANT_CLOSE :
					    WANT_OPEN;
	} else if (m->cfg.close_page && (m->open & bit)) {
		b->want = WANT_CLOSE;
	} else {
		return;
	}
	from = b->allows.at[wanted_command(m, b->want)];
	if (from > clock)
		set_alarm(m, bank, from);
	else
		mark_ready(m, bank);
}

/* Chooses again after a change in the bank. */
static void update_want(struct dram *m, uint32_t bank, rel_t clock)
{
	cancel_want(m, bank);
	choose_want(m, bank, clock);
}

/* The same for every bank: another queue is served, or a refresh has closed all
 * rows. */
static void update_all_wants(struct dram *m, rel_t clock)
{
	struct dram_queue *q = m->active;
	uint64_t left = q->waiting;

	memset(q->ready, 0, sizeof(q->ready));
	for (uint32_t i = 0; i < m->cfg.banks; i++)
		m->bank[i].entry = DRAM_NONE;
	m->armed = m->idle = 0;
	q->hits = 0;
	if (m->cfg.close_page)
		left |= m->open;
	for (; left; left &= left - 1) {
		uint32_t bank = dram_lowest(left);

		if (m->open & BIT(bank))
			dram_queue_open(q, bank, m->bank[bank].row);
		choose_want(m, bank, clock);
	}
}

/*
 * Commands
 */

/* Pseudo channels can finish out of order at a switch from reads to writes. */
static struct dram_completion *add_done(struct dram *m, cycle_t cycle)
{
	uint32_t i = m->done_tail++, head = m->done_head, mask = m->done_mask;

	CHECK(i - head <= mask);
	while (i != head && m->done[(i - 1) & mask].when >> 1 > cycle) {
		m->done[i & mask] = m->done[(i - 1) & mask];
		i--;
	}
	return &m->done[i & mask];
}

static inline void record_completion(struct dram *m, const struct dram_entry *e,
				     rel_t clock)
{
	bool write = m->draining;
	rel_t end = clock + m->rules->data_clocks[write];
	cycle_t cycle = dram_cycle_at(m, m->base + end);
	struct dram_completion *x = add_done(m, cycle);

	x->tag = e->tag;
	x->when = cycle << 1 | write;
	m->st.writes += write;
	m->st.reads += !write;
	m->st.bytes += e->bytes;
	m->st.wait_clocks += clock - e->arrival;
	m->st.row_hits += e->row_result == DRAM_HIT;
	m->st.row_misses += e->row_result == DRAM_MISS;
	m->st.row_conflicts += e->row_result == DRAM_CONFLICT;
}

static bool wants_drain(const struct dram *m)
{
	uint32_t reads = m->reads.count, writes = m->writes.count;

	if (m->draining)
		return writes > 0 && (reads == 0 || writes > m->cfg.drain_low);
	return writes >= m->cfg.drain_high || (reads == 0 && writes > 0);
}

/* Call it when a request was added or removed. */
static void check_direction(struct dram *m)
{
	m->switch_pending = wants_drain(m) != m->draining;
}

/* Retires the bank's request, which is served. */
static void dram_retire(struct dram *m, uint32_t bank, rel_t clock)
{
	struct dram_queue *q = m->active;

	record_completion(m, &q->entry[m->bank[bank].entry], clock);
	cancel_want(m, bank);
	dram_queue_remove_hit(q, bank);
	m->queued--;
	check_direction(m);
	/* From now on the bank of the oldest request must serve that one. */
	if (q->passed == q->starve && q->count > 0 && q->bank_at[0] != bank)
		update_want(m, q->bank_at[0], clock);
	choose_want(m, bank, clock);
}

static void issue_column(struct dram *m, uint32_t bank, rel_t clock)
{
	enum dram_cmd c = m->draining ? WR : RD;
	struct dram_bank *b = &m->bank[bank];
	const struct dram_scopes s = scopes_of(m, bank);

	dram_issue(m->rules, c, &s, clock);
	m->st.bus_clocks += m->rules->burst_clocks;
	if (--m->active->entry[b->entry].bursts == 0)
		dram_retire(m, bank, clock);
	else if (b->allows.at[c] > clock)
		update_want(m, bank, clock);
}

static inline void close_row(struct dram *m, uint32_t bank,
			     const struct dram_scopes *s, rel_t clock)
{
	dram_issue(m->rules, PRE, s, clock);
	apply_refresh_delay(m, PRE, clock);
	m->open &= ~BIT(bank);
	dram_queue_close(m->active, bank);
	m->st.precharges++;
}

/* Opens the row that a request needs. */
static inline void open_row(struct dram *m, uint32_t bank,
			    const struct dram_scopes *s, struct dram_entry *e,
			    rel_t clock)
{
	dram_issue(m->rules, ACT, s, clock);
	m->open |= BIT(bank);
	m->bank[bank].row = e->row;
	m->st.activates++;
	if (e->row_result == DRAM_HIT)
		e->row_result = DRAM_MISS;
}

/* Closes the bank's row, or opens the row that its request needs. */
static void issue_row(struct dram *m, uint32_t bank, rel_t clock)
{
	struct dram_queue *q = m->active;
	struct dram_bank *b = &m->bank[bank];
	struct dram_entry *e = b->entry == DRAM_NONE ? NULL :
						       &q->entry[b->entry];
	const struct dram_scopes s = scopes_of(m, bank);

	if (b->want == WANT_CLOSE) {
		close_row(m, bank, &s, clock);
		if (e)
			e->row_result = DRAM_CONFLICT;
	} else {
		open_row(m, bank, &s, e, clock);
		dram_queue_open(q, bank, e->row);
	}
	update_want(m, bank, clock);
}

/*
 * One clock of the controller
 */

static void switch_direction(struct dram *m, rel_t clock)
{
	m->draining = !m->draining;
	m->active = m->draining ? &m->writes : &m->reads;
	m->st.drains += m->draining;
	check_direction(m);
	update_all_wants(m, clock);
}

/* The oldest of these positions, or DRAM_NONE. */
static uint32_t dram_oldest(uint64_t positions)
{
	return positions ? dram_lowest(positions) : DRAM_NONE;
}

/* The oldest of these positions whose command may be issued now, or DRAM_NONE;
 * lowers *next to the first clock at which one of them may. */
static uint32_t dram_pick(const struct dram *m, uint64_t positions,
			  enum dram_cmd c, rel_t clock, rel_t *next)
{
	const struct dram_queue *q = m->active;
	rel_t soonest = CLOCK_NEVER;
	uint64_t left = 0;

	/* Of pseudo channels that allow it. Masks instead of branches, which
	 * the host would mispredict too often. */
	for (uint32_t i = 0; i <= m->rules->pseudo_mask; i++) {
		uint64_t of = positions & q->of_pseudo[i];
		rel_t t = m->rank[i].at[c];
		bool now = t <= clock;

		left |= of & -(uint64_t)now;
		soonest = dram_sooner(soonest, t | -(rel_t)(now | !of));
	}
	for (; left; left &= left - 1) {
		uint32_t position = dram_lowest(left);
		uint32_t bank = q->bank_at[position];
		rel_t t = m->group[bank & m->rules->group_mask].at[c];

		if (t <= clock)
			return position;
		soonest = dram_sooner(soonest, t);
	}
	*next = dram_sooner(*next, soonest);
	return DRAM_NONE;
}

/* Returns whether a command was issued; lowers *next. */
static bool step_column(struct dram *m, rel_t clock, rel_t *next)
{
	struct dram_queue *q = m->active;
	enum dram_cmd c = m->draining ? WR : RD;
	uint64_t ready = q->ready[WANT_COLUMN];
	uint32_t position;

	/* Only the oldest may transfer data. */
	if (m->in_order || q->passed >= q->starve)
		ready &= 1;
	if (!ready)
		return false;
	position = dram_pick(m, ready, c, clock, next);
	if (position == DRAM_NONE)
		return false;
	issue_column(m, q->bank_at[position], clock);
	if (q->ready[WANT_COLUMN])
		*next = dram_sooner(*next,
				    dram_later(rank_allows(m, c), clock + 1));
	return true;
}

static void step_row(struct dram *m, bool bus_free, rel_t clock, rel_t *next)
{
	struct dram_queue *q = m->active;
	uint32_t close = dram_oldest(q->ready[WANT_CLOSE]);
	uint32_t open = q->ready[WANT_OPEN] ? dram_pick(m, q->ready[WANT_OPEN],
							ACT, clock, next) :
					      (uint32_t)DRAM_NONE;
	uint32_t first = close < open ? close : open;
	uint32_t bank;

	if (first != DRAM_NONE)
		bank = q->bank_at[first];
	else if (m->idle)
		bank = dram_lowest(m->idle);
	else
		return;
	if (!bus_free) {
		*next = clock + 1;
		return;
	}
	issue_row(m, bank, clock);
	if (q->ready[WANT_CLOSE] | m->idle)
		*next = clock + 1;
	else if (q->ready[WANT_OPEN])
		*next = dram_sooner(*next,
				    dram_later(rank_allows(m, ACT), clock + 1));
}

static void apply_refresh(struct dram *m, rel_t clock)
{
	for (uint32_t i = 0; i <= m->rules->pseudo_mask; i++)
		apply_delays(&m->rank[i], &m->rules->delay[REF][RANK], clock);
	apply_refresh_delay(m, REF, clock);
}

static void issue_refresh(struct dram *m, rel_t clock)
{
	apply_refresh(m, clock);
	m->st.refreshes++;
	m->ref_due += m->cfg.clocks[DRAM_T_REFI];
	if (m->active->waiting)
		update_all_wants(m, clock);
	else /* no bank wants anything but to close a row, and all are closed */
		m->armed = m->idle = 0;
}

/* Closes every row, then refreshes; no other command is issued until then. */
static void step_refresh(struct dram *m, rel_t clock)
{
	rel_t t = m->open ? 0 : m->refresh;
	uint64_t left;

	for (left = m->open; left; left &= left - 1)
		t = dram_later(t, m->bank[dram_lowest(left)].allows.at[PRE]);
	if (t > clock) {
		m->next = t;
		return;
	}
	if (!m->open) {
		issue_refresh(m, clock);
		/* At rest, nothing happens before the next one. */
		m->next = m->lone || m->active->waiting || m->switch_pending ?
				  clock + 1 :
				  m->ref_due;
		return;
	}
	for (left = m->open; left; left &= left - 1) {
		const struct dram_scopes s = scopes_of(m, dram_lowest(left));

		close_row(m, dram_lowest(left), &s, clock);
	}
	m->next = dram_later(m->refresh, clock + 1);
}

static void dram_step(struct dram *m, rel_t clock)
{
	rel_t next = CLOCK_NEVER;
	bool column;

	if (clock >= m->ref_due) {
		step_refresh(m, clock);
		return;
	}
	run_alarms(m, clock);
	if (m->switch_pending)
		switch_direction(m, clock);
	column = step_column(m, clock, &next);
	if (m->active->ready[WANT_CLOSE] | m->active->ready[WANT_OPEN] |
	    m->idle)
		step_row(m, !(column && m->one_bus), clock, &next);
	next = (column & m->switch_pending) ? clock + 1 : next;
	next = dram_sooner(next, next_alarm(m));
	m->next = dram_sooner(next, m->ref_due);
}

/* Whether refreshes are all there is to do, and the next one has not begun. */
static bool is_at_rest(const struct dram *m)
{
	return !dram_has_requests(m) && !m->switch_pending &&
	       m->next == m->ref_due;
}

/* When the refresh that is due is issued to a channel at rest: after its rows have
 * been closed. */
static inline rel_t refresh_clock(const struct dram *m)
{
	rel_t at = m->ref_due;

	if (!m->open)
		return dram_later(at, m->refresh);
	for (uint64_t left = m->open; left; left &= left - 1)
		at = dram_later(at, m->bank[dram_lowest(left)].allows.at[PRE]);
	at += dram_later(m->rules->delay_ref[PRE], 1);
	return dram_later(at, m->refresh);
}

/*
 * Does what step_refresh does for a channel at rest, up to a clock, as far as
 * that is before it: closes all rows and refreshes at once, and skips refreshes
 * between the first and the last one. Rules that have no say after `clock` are
 * not applied.
 */
static inline void refresh_at_rest(struct dram *m, rel_t clock)
{
	uint32_t interval = m->cfg.clocks[DRAM_T_REFI];

	while (m->ref_due <= clock) {
		rel_t at;

		if (!m->open && clock - m->ref_due >= interval) {
			uint32_t count = (clock - m->ref_due) / interval;

			m->st.refreshes += count;
			m->ref_due += count * interval;
			m->next = m->ref_due;
		}
		at = refresh_clock(m);
		if (UNLIKELY(at > clock))
			return;
		m->st.precharges += (uint32_t)__builtin_popcountll(m->open);
		m->open = 0;
		if (UNLIKELY(at + m->rules->refresh_span > clock))
			apply_refresh(m, at);
		m->st.refreshes++;
		m->armed = m->idle = 0;
		m->ref_due += interval;
		m->next = m->ref_due;
	}
}

/* Refreshes for as long as that is what is due, up to a clock. */
static __attribute__((noinline)) void run_refreshes(struct dram *m, rel_t clock)
{
	while (m->next >= m->ref_due && m->next <= clock) {
		if (is_at_rest(m))
			refresh_at_rest(m, clock);
		if (m->next <= clock)
			step_refresh(m, m->next);
	}
}

/*
 * A single request: all there is to do on a GPU that is nearly idle
 */

/* What the request of a bank needs next. */
static enum dram_cmd lone_command(const struct dram *m, uint32_t bank,
				  const struct dram_entry *e)
{
	if (!(m->open & BIT(bank)))
		return ACT;
	if (m->bank[bank].row != e->row)
		return PRE;
	return m->draining ? WR : RD;
}

/* The first clock at which the rules allow a command. */
static inline rel_t lone_allows(const struct dram_scopes *s, enum dram_cmd c)
{
	rel_t own = s->bank->at[c];

	/* Bank group and rank have no say in when a row is closed. */
	return c == PRE ? own : dram_later(own, shared_allows(s, c));
}

/* Moves *at to the first clock from then on at which command c may be issued for
 * the request. False: that is not before `end`. The function is compiled for
 * each command. */
static inline __attribute__((always_inline)) bool
lone_may_issue(const struct dram_scopes *s, enum dram_cmd c, rel_t end,
	       rel_t *at)
{
	*at = dram_later(*at, lone_allows(s, c));
	return *at < end;
}

/* The same for the transfer of data. True: all is transferred. */
static inline __attribute__((always_inline)) bool
lone_transfers(struct dram *m, enum dram_cmd c, const struct dram_scopes *s,
	       rel_t end, rel_t *at)
{
	const struct dram_rules *r = m->rules;
	struct dram_entry *e = &m->single;
	rel_t interval = r->column_interval[c == WR];

	while (lone_may_issue(s, c, end, at)) {
		rel_t last = *at + (e->bursts - 1u) * interval;
		uint16_t bursts = 1;

		/* All at once if possible: what the last one delays, the others
		 * do not delay any longer. */
		if (last < end) {
			bursts = e->bursts;
			*at = last;
		}
		dram_issue(r, c, s, (*at)++);
		m->st.bus_clocks += bursts * r->burst_clocks;
		e->bursts -= bursts;
		if (e->bursts)
			continue;
		record_completion(m, e, *at - 1);
		m->lone = false;
		/* What check_direction finds if no request is left. */
		m->switch_pending = m->draining;
		return true;
	}
	return false;
}

/* Issues the commands of the request that may be issued before `end`; moves *at
 * to the clock after the last of them, or to that of the next one. True: it is
 * served. */
static inline bool lone_proceeds(struct dram *m, uint32_t bank, rel_t end,
				 rel_t *at)
{
	struct dram_entry *e = &m->single;
	const struct dram_scopes s = scopes_of(m, bank);

	if (m->open & BIT(bank) && m->bank[bank].row != e->row) {
		if (!lone_may_issue(&s, PRE, end, at))
			return false;
		close_row(m, bank, &s, (*at)++);
		e->row_result = DRAM_CONFLICT;
	}
	if (!(m->open & BIT(bank))) {
		if (!lone_may_issue(&s, ACT, end, at))
			return false;
		open_row(m, bank, &s, e, (*at)++);
	}
	return LIKELY(!m->draining) ? lone_transfers(m, RD, &s, end, at) :
				      lone_transfers(m, WR, &s, end, at);
}

/* Does what dram_step does while `single` waits, up to a clock, or to the next
 * refresh. */
static void run_lone(struct dram *m, rel_t clock)
{
	uint32_t bank = m->single.bank;
	rel_t end = dram_sooner(clock + 1, m->ref_due), at = m->next, own;

	m->wheel_used = 0; /* no bank is armed */
	if (lone_proceeds(m, bank, end, &at)) {
		m->next = m->switch_pending ? at : m->ref_due;
		return;
	}
	m->tick = end - 1;
	/* In a queue, it would have an alarm until its bank allows it. */
	own = m->bank[bank].allows.at[lone_command(m, bank, &m->single)];
	m->next = dram_sooner(own > m->tick ? own : at, m->ref_due);
}

/* Whether no request but one waits, in its queue. */
static bool is_last(const struct dram *m)
{
	return m->queued == 1 && !m->switch_pending && !m->never_lone;
}

/* Takes the last request out of its queue. */
static void make_lone(struct dram *m)
{
	struct dram_queue *q = m->active;
	uint32_t bank = q->bank_at[0];

	cancel_want(m, bank);
	m->single = q->entry[q->first[bank]];
	m->single_passed = q->passed;
	m->lone = true;
	dram_queue_remove_last(q);
	m->queued = 0;
}

/* Puts the only request into its queue, since another one comes. */
static void join_queue(struct dram *m)
{
	uint32_t bank = m->single.bank;
	struct dram_queue *q = m->active;
	struct dram_entry *e = dram_queue_add(q, bank);
	uint8_t prev = e->prev, next = e->next;

	m->queued = 1;
	*e = m->single;
	e->prev = prev;
	e->next = next;
	q->passed = m->single_passed;
	m->lone = false;
	if (m->open & BIT(bank))
		dram_queue_open(q, bank, m->bank[bank].row);
	choose_want(m, bank, m->tick + 1);
}

static uint16_t count_bursts(const struct dram *m, const struct dram_request *r)
{
	uint32_t last = r->column + r->bytes - 1;

	return (uint16_t)((last >> m->burst_shift) -
			  (r->column >> m->burst_shift) + 1);
}

static inline void set_entry(const struct dram *m, struct dram_entry *e,
			     const struct dram_request *r, rel_t clock)
{
	e->tag = r->tag;
	e->row = r->row;
	e->arrival = clock;
	e->bytes = r->bytes;
	e->bursts = count_bursts(m, r);
}

/* Accepts the only request. */
static void push_lone(struct dram *m, const struct dram_request *r, rel_t clock)
{
	uint32_t bank = r->bank;
	const struct dram_scopes s = scopes_of(m, bank);
	enum dram_cmd c;
	rel_t from;

	set_entry(m, &m->single, r, clock);
	m->single.bank = (uint8_t)bank;
	m->single.row_result = DRAM_HIT;
	m->single_passed = 0;
	m->lone = true;
	c = lone_command(m, bank, &m->single);
	from = s.bank->at[c];
	if (from <= clock)
		from = dram_later(clock, shared_allows(&s, c));
	m->next = dram_sooner(m->next, from);
}

/*
 * The interface
 */

/* The free entries of a queue, as bits. The only request has a place there. */
static uint64_t free_entries(const struct dram *m, bool write)
{
	uint64_t free = write ? m->writes.free : m->reads.free;

	return UNLIKELY(m->lone) && m->draining == write ? free & (free - 1) :
							   free;
}

bool dram_can_accept(const struct dram *m, bool write)
{
	return free_entries(m, write) != 0;
}

/* A new request may change what the bank wants. */
static void update_want_for_new(struct dram *m, uint32_t bank, rel_t clock)
{
	struct dram_queue *q = m->active;
	const struct dram_bank *b = &m->bank[bank];
	const struct dram_scopes s = scopes_of(m, bank);
	uint64_t bit = BIT(bank);
	rel_t from;

	if ((m->open & bit) && !(q->hits & bit))
		dram_queue_open(q, bank, b->row);
	update_want(m, bank, clock);
	from = m->armed & bit ? b->alarm :
				shared_allows(&s, wanted_command(m, b->want));
	m->next = dram_sooner(m->next, dram_later(clock, from));
}

/* Adds a request to its queue. Not inlined: push_lone needs fewer registers. */
static __attribute__((noinline)) bool
push_queued(struct dram *m, const struct dram_request *r, rel_t clock)
{
	struct dram_queue *q = r->write ? &m->writes : &m->reads;
	uint64_t bit = BIT(r->bank);
	struct dram_entry *e;
	bool first;

	if (m->lone)
		join_queue(m);
	if (!q->free) {
		m->st.rejected++;
		return false;
	}
	first = !(q->waiting & bit);
	e = dram_queue_add(q, r->bank);
	m->queued++;
	set_entry(m, e, r, clock);
	check_direction(m);
	if (m->switch_pending)
		m->next = dram_sooner(m->next, clock);
	/* If the bank has an older request, this one may change nothing. */
	if (q == m->active && (first || ((m->open & ~q->hits & bit) &&
					 m->bank[r->bank].row == r->row)))
		update_want_for_new(m, r->bank, clock);
	return true;
}

bool dram_push(struct dram *m, cycle_t now, const struct dram_request *r)
{
	rel_t clock = m->tick + 1;

	CHECK(now == m->now);
	CHECK(r->bank < m->rules->banks);
	CHECK(r->bytes > 0 && (r->bytes | r->column) % DRAM_SECTOR == 0);
	CHECK((uint64_t)r->column + r->bytes <= m->rules->row_bytes);
	if (UNLIKELY(!may_become_lone(m, r->write)))
		return push_queued(m, r, clock);
	push_lone(m, r, clock);
	return true;
}

bool dram_has_room(const struct dram *m, unsigned kinds)
{
	uint64_t reads = -(uint64_t)((kinds & DRAM_READ) != 0);
	uint64_t writes = -(uint64_t)((kinds & DRAM_WRITE) != 0);

	return ((free_entries(m, false) & reads) |
		(free_entries(m, true) & writes)) != 0;
}

static bool has_done(const struct dram *m)
{
	return m->done_head != m->done_tail &&
	       m->done[m->done_head & m->done_mask].when >> 1 <= m->now;
}

/* Does what is due up to a clock, which becomes the present. Returns whether
 * there are completions to take. Not inlined: it is seldom needed on a GPU that
 * is nearly idle. */
static __attribute__((noinline)) bool run_until(struct dram *m, rel_t clock)
{
	while (m->next <= clock) {
		if (m->next >= m->ref_due) {
			run_refreshes(m, clock);
			continue;
		}
		if (!m->lone && is_last(m))
			make_lone(m);
		if (m->lone)
			run_lone(m, clock);
		else
			dram_step(m, m->next);
	}
	m->tick = clock; /* there is no alarm before it */
	return has_done(m);
}

/* dram_advance_to_room for a cycle whose clock is less than MAX_SPAN from the
 * base. */
static cycle_t advance_within_span(struct dram *m, unsigned kinds,
				   cycle_t until, rel_t clock)
{
	while (kinds && m->next <= clock) {
		rel_t at = m->next;

		dram_step(m, at);
		/* Clocks of the same cycle come first, then the caller. */
		if (dram_has_room(m, kinds)) {
			kinds = 0;
			until = dram_cycle_at(m, m->base + at);
			clock = (rel_t)(dram_clock_at(m, until) - m->base);
		}
	}
	run_until(m, clock);
	m->now = until;
	return until;
}

static void rebase_rules(struct dram_allowed *a, uint32_t count, rel_t by)
{
	for (uint32_t i = 0; i < count; i++)
		for (int c = 0; c < BANK_CMDS; c++)
			a[i].at[c] = dram_later(a[i].at[c], by) - by;
}

/* Moves the base to the present. Commands that were allowed before it still
 * are. */
static void rebase(struct dram *m)
{
	rel_t by = m->tick - m->tick % WHEEL_SLOTS;

	m->base += by;
	m->tick -= by;
	m->next -= m->next == CLOCK_NEVER ? 0 : by;
	m->ref_due -= m->ref_due == CLOCK_NEVER ? 0 : by;
	m->refresh = dram_later(m->refresh, by) - by;
	rebase_rules(m->rank, DRAM_MAX_PSEUDO, by);
	rebase_rules(m->group, DRAM_MAX_BANKS, by);
	for (uint32_t i = 0; i < DRAM_MAX_BANKS; i++) {
		rebase_rules(&m->bank[i].allows, 1, by);
		m->bank[i].alarm -= by;
	}
	for (uint32_t i = 0; i < DRAM_MAX_PSEUDO; i++)
		for (int k = 0; k < WINDOW_MAX - 1; k++)
			m->window[i].end[k] =
				dram_later(m->window[i].end[k], by) - by;
	for (uint32_t i = 0; i < DRAM_MAX_QUEUE; i++) {
		m->reads.entry[i].arrival -= by;
		m->writes.entry[i].arrival -= by;
	}
}

static cycle_t half_span(const struct dram *m)
{
	return max_u64(m->now, dram_cycle_at(m, m->base + MAX_SPAN / 2));
}

cycle_t dram_advance_to_room(struct dram *m, unsigned kinds, cycle_t until)
{
	CHECK(until >= m->now && until < CYCLE_LIMIT);
	CHECK(!dram_has_room(m, kinds));
	if (m->lone)
		join_queue(m);
	for (;;) {
		uint64_t clock = dram_clock_at(m, until) - m->base;
		bool near = clock < MAX_SPAN;
		cycle_t part = near ? until : half_span(m), reached;

		if (!near)
			clock = dram_clock_at(m, part) - m->base;
		reached = advance_within_span(m, kinds, part, (rel_t)clock);
		if (near || reached < part || dram_has_room(m, kinds))
			return reached;
		rebase(m);
	}
}

/*
 * Does what run_lone does for a read of a closed bank, all at once, if a clock is
 * so late that no rule of its commands has a say after it, or in the next
 * refresh: then none is applied. Otherwise does nothing and returns false.
 */
static inline bool serve_at_once(struct dram *m, rel_t clock)
{
	const struct dram_rules *r = m->rules;
	const struct dram_entry *e = &m->single;
	const struct dram_scopes s = scopes_of(m, e->bank);
	rel_t at = dram_later(m->next, lone_allows(&s, ACT)), over;
	cycle_t cycle;

	if (m->draining || m->open & BIT(e->bank) || m->done_tail)
		return false;
	at = dram_later(at + r->open_clocks, lone_allows(&s, RD));
	at += (e->bursts - 1u) * r->column_interval[false];
	over = at + r->read_span;
	if (over > clock || over >= m->ref_due)
		return false;
	m->open |= BIT(e->bank);
	m->bank[e->bank].row = e->row;
	cycle = dram_cycle_at(m, m->base + at + r->data_clocks[false]);
	m->done[0] = (struct dram_completion){ e->tag, cycle << 1 };
	m->done_tail = 1;
	m->lone = false;
	m->wheel_used = 0; /* no bank is armed */
	m->next = m->ref_due;
	m->st.activates++;
	m->st.reads++;
	m->st.bytes += e->bytes;
	m->st.wait_clocks += at - e->arrival;
	m->st.bus_clocks += e->bursts * r->burst_clocks;
	if (LIKELY(e->row_result != DRAM_CONFLICT))
		m->st.row_misses++;
	else
		m->st.row_conflicts++;
	return true;
}

/* run_until for a single request. */
static __attribute__((noinline)) bool serve_until(struct dram *m, rel_t clock)
{
	if (!serve_at_once(m, clock) || m->next <= clock)
		return run_until(m, clock);
	m->tick = clock;
	return has_done(m);
}

/* run_until for a channel at rest. */
static __attribute__((noinline)) bool rest_until(struct dram *m, rel_t clock)
{
	refresh_at_rest(m, clock);
	if (m->next <= clock)
		return run_until(m, clock);
	m->tick = clock;
	return has_done(m);
}

bool dram_advance(struct dram *m, cycle_t until)
{
	uint64_t clock = dram_clock_at(m, until) - m->base;

	CHECK(until >= m->now);
	CHECK(until < CYCLE_LIMIT);
	if (UNLIKELY(clock >= MAX_SPAN)) {
		dram_advance_to_room(m, 0, until);
		return has_done(m);
	}
	m->now = until;
	if (m->next > clock) {
		m->tick = (rel_t)clock;
		return has_done(m);
	}
	if (m->lone)
		return serve_until(m, (rel_t)clock);
	return is_at_rest(m) ? rest_until(m, (rel_t)clock) :
			       run_until(m, (rel_t)clock);
}

enum dram_taken dram_take(struct dram *m, struct dram_done *out)
{
	const struct dram_completion *x = &m->done[m->done_head & m->done_mask];

	if (!has_done(m))
		return DRAM_TOOK_NONE;
	out->tag = x->tag;
	out->cycle = x->when >> 1;
	out->write = x->when & 1;
	/* Starting over keeps the ring short, and so in the host's cache. */
	if (++m->done_head != m->done_tail)
		return DRAM_TOOK_ONE;
	m->done_head = m->done_tail = 0;
	return dram_has_requests(m) ? DRAM_TOOK_ONE : DRAM_TOOK_LAST;
}

cycle_t dram_next_event(const struct dram *m)
{
	cycle_t event = CYCLE_NEVER;

	/* Without requests there are only refreshes, which are not visible. */
	if (dram_has_requests(m))
		event = dram_cycle_at(m, m->base + m->next);
	if (m->done_head != m->done_tail)
		event = min_u64(event,
				m->done[m->done_head & m->done_mask].when >> 1);
	return event;
}

struct dram_outlook dram_outlook(const struct dram *m)
{
	struct dram_outlook o = { .event = dram_next_event(m) };

	o.done = max_u64(o.event, dram_lone_read_done(m));
	return o;
}

cycle_t dram_lone_read_done(const struct dram *m)
{
	const struct dram_rules *r = m->rules;
	rel_t at = m->next;

	if (!m->lone || m->draining || m->done_head != m->done_tail)
		return 0;
	switch (lone_command(m, m->single.bank, &m->single)) {
	case PRE:
		at += r->delay[PRE][BANK].at[ACT];
		/* fall through */
	case ACT:
		at += r->delay[ACT][BANK].at[RD];
		/* fall through */
	default:
		at += (m->single.bursts - 1u) * r->delay[RD][GROUP].at[RD];
	}
	return dram_cycle_at(m, m->base + at + r->data_clocks[false]);
}

/* Most standards have no more bank groups. */
enum { PREFETCH_GROUPS = 8 };

void dram_prefetch(const struct dram *m)
{
	const size_t done = offsetof(struct dram, done_mask);
	const size_t queue = offsetof(struct dram_queue, entry);

	fetch_soon(m, offsetof(struct dram, group[PREFETCH_GROUPS]));
	fetch_soon(&m->done_mask, offsetof(struct dram, reads) - done);
	fetch_soon(m->done, 2 * sizeof(*m->done));
	fetch_soon(&m->reads, queue);
	fetch_soon(&m->writes, queue);
	fetch_soon(&m->st, sizeof(m->st));
}

const struct dram_stats *dram_stats(const struct dram *m)
{
	return &m->st;
}

const struct dram_config *dram_config(const struct dram *m)
{
	return &m->cfg;
}

uint64_t dram_clock(const struct dram *m, cycle_t cycle)
{
	return dram_clock_at(m, cycle);
}
