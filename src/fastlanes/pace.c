#include "fastlanes/pace.h"

#include <stdlib.h>
#include <string.h>

/* Host cycles of the parts of rtl/, as their headers state them. */
enum {
	PICK = 1,   /* fl_cycle: a warp issues */
	FETCH = 2,  /* it asks for an instruction, and gets it */
	FLOW = 2,   /* a control instruction: do lanes execute it? */
	MEETS = 1,  /* another one, whose lanes reconverge */
	STACK = 2,  /* the stack, and what it says */
	POP = 1,    /* of an entry */
	COUNT = 1,  /* warps at a barrier, or ended */
	FIRST = 2,  /* the first instruction of a warp: its r0 */
	BEGINS = 3, /* a block; and one for each warp */
	JUMP = 1,   /* to the next result */
	RESULT = 1, /* that arrives */
	TURN_BEGINS = 4,
	TURN_ENDS = 2,
	LD_ST_UNITS = 6,
	MOST_DUE = 2048 /* results of a multiprocessor under way */
};

/* From the pick to the end of an instruction, and how long the SIMD is not ready. */
static const struct {
	uint8_t done, waits;
} fl_simd_time[FL_UNIT_COUNT] = {
	[FL_UNIT_ALU] = { 10, 0 },  [FL_UNIT_MUL] = { 10, 0 },
	[FL_UNIT_FP] = { 10, 0 },   [FL_UNIT_SFU] = { 13, 4 },
	[FL_UNIT_DIV] = { 41, 37 },
};

struct fl_pace_sm {
	uint64_t due[MOST_DUE]; /* target cycles, the soonest first */
	uint32_t count;
	uint64_t hold_at; /* of the last memory instruction */
};

/* A turn that has ended. */
struct fl_pace_turn {
	uint32_t sm, live; /* warps whose registers it has left */
	uint64_t cycles, lines;
};

struct fl_pace {
	struct fl_watch watch;
	struct fl_external e;
	uint32_t regs;
	bool exchanges;      /* two files do not hold all multiprocessors */
	uint64_t now;        /* host cycle */
	uint64_t simd_ready; /* likewise */
	uint64_t lsu_ready, resolved; /* likewise */
	uint64_t warp_done[FL_MAX_WARPS];
	bool fresh[FL_MAX_SMS][FL_MAX_WARPS]; /* no instruction yet */
	struct fl_pace_sm sm[FL_MAX_SMS];
	/* sums over turns */
	uint64_t turn_began, turns, host, moved;
	uint64_t lines; /* of loads and stores */
	double longer;
	/* The last two turns, the latest first, and what each multiprocessor has left. */
	struct fl_pace_turn last[2];
	uint32_t live[FL_MAX_SMS];
	uint64_t lines_before; /* this turn */
};

static uint64_t pace_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ---- results under way ------------------------------------------------------ */

static void add_due(struct fl_pace_sm *s, uint64_t at)
{
	uint32_t i = s->count;

	if (s->count == MOST_DUE)
		return;
	while (i && s->due[i - 1] > at) {
		s->due[i] = s->due[i - 1];
		i--;
	}
	s->due[i] = at;
	s->count++;
}

/* Takes the results that are due up to a cycle, and returns how many; *times: in how
 * many different cycles before it. */
static uint32_t take_due(struct fl_pace_sm *s, uint64_t upto, uint32_t *times)
{
	uint32_t n = 0;

	*times = 0;
	while (n < s->count && s->due[n] <= upto) {
		*times += s->due[n] < upto && (!n || s->due[n] > s->due[n - 1]);
		n++;
	}
	memmove(s->due, s->due + n, (s->count - n) * sizeof(s->due[0]));
	s->count -= n;
	return n;
}

/* ---- instructions ------------------------------------------------------------ */

/* Lines of global memory: addresses go by six lanes, then lines, then data for each
 * group of six in a line. Lanes in order are assumed. */
static void issue_global(struct fl_pace *p, const struct fl_visit *v,
			 uint64_t start)
{
	uint32_t lanes = (uint32_t)__builtin_popcount(v->lanes);
	uint32_t groups = (lanes + LD_ST_UNITS - 1) / LD_ST_UNITS;
	uint32_t pairs = groups + (v->segments ? v->segments - 1 : 0);
	uint64_t found = start + 1 + groups + v->segments;
	uint64_t end;

	if (pairs > lanes)
		pairs = lanes;
	p->lines += v->segments;
	end = found + pairs + 4;
	if (v->load && v->segments)
		end += (uint64_t)p->e.latency;
	if (v->segments > 1 && v->load) {
		uint64_t all = (uint64_t)((v->segments - 1) * p->e.interval);

		if (all > pairs)
			end += all - pairs;
	}
	p->resolved = found + 2;
	p->warp_done[v->warp] = p->lsu_ready = end;
}

static void issue_shared(struct fl_pace *p, const struct fl_visit *v,
			 uint64_t start)
{
	uint32_t lanes = (uint32_t)__builtin_popcount(v->lanes);
	uint32_t groups = (lanes + LD_ST_UNITS - 1) / LD_ST_UNITS;
	/* Of lanes that want the same bank, some are in a group. */
	uint32_t passes = groups * ((v->segments * LD_ST_UNITS + 31) / 32);
	uint64_t end = start + 4 + (passes > groups ? passes : groups);

	p->warp_done[v->warp] = end;
	p->resolved = end - 1;
	/* They are counted, by row and group. */
	if (v->segments > 1)
		p->resolved += groups + v->segments - 1;
	p->lsu_ready = pace_later(end, p->resolved);
}

static void issue(struct fl_pace *p, const struct fl_visit *v)
{
	struct fl_pace_sm *s = &p->sm[v->sm];
	unsigned unit = fl_ops[v->in->op].unit;
	uint64_t start;

	if (p->fresh[v->sm][v->warp]) {
		p->fresh[v->sm][v->warp] = false;
		p->now += FIRST;
	}
	p->now = pace_later(p->now, p->warp_done[v->warp]);
	if (unit == FL_UNIT_MEM)
		p->now = pace_later(p->now, p->lsu_ready);
	start = pace_later(p->now + PICK, p->simd_ready);
	p->now = start;
	if (unit == FL_UNIT_MEM) {
		s->hold_at = v->processed;
		if (v->shared)
			issue_shared(p, v, start + 1);
		else
			issue_global(p, v, start + 1);
	} else if (unit != FL_UNIT_CTRL) {
		p->warp_done[v->warp] = start + fl_simd_time[unit].done - 1;
		p->simd_ready = start + 1 + fl_simd_time[unit].waits;
	}
	if (unit == FL_UNIT_CTRL)
		p->now += FLOW;
	else if (v->pops)
		p->now += MEETS;
	if (v->stack)
		p->now += STACK + POP * v->pops;
	if (v->in->op == FL_BAR || v->ended)
		p->now += COUNT;
	if (v->due)
		add_due(s, v->due);
}

static void begin_warps(struct fl_pace *p, const struct fl_visit *v)
{
	if (!v->began)
		return;
	p->now += BEGINS + (uint32_t)__builtin_popcount(v->began);
	for (uint32_t w = 0; w < FL_MAX_WARPS; w++)
		if (v->began >> w & 1) {
			p->fresh[v->sm][w] = true;
			p->warp_done[w] = 0;
		}
}

/* ---- what the model tells ----------------------------------------------------- */

static void pace_visit(void *ctx, const struct fl_visit *v)
{
	struct fl_pace *p = ctx;
	struct fl_pace_sm *s = &p->sm[v->sm];
	uint32_t times, results = take_due(s, v->cycle, &times);
	/* One may arrive while an instruction is fetched. */
	uint32_t hidden = results ? 1 : 0;

	p->now += JUMP * times + RESULT * (results - hidden);
	begin_warps(p, v);
	if (v->cycle >= s->hold_at)
		p->now = pace_later(p->now, p->resolved);
	if (v->in)
		issue(p, v);
	else
		p->now += PICK;
	if (v->in || v->fetched)
		p->now += FETCH - 1 + v->fetched;
}

/* Lines that move beside the last turn, if the one after it is of this multiprocessor:
 * two files hold the registers of two turns. */
static double lines_beside(const struct fl_pace *p, uint32_t next)
{
	bool stay = !p->exchanges || next == p->last[0].sm ||
		    (p->turns > 1 && next == p->last[1].sm);
	uint32_t warps = p->live[next] + (p->turns > 1 ? p->last[1].live : 0);

	return stay ? 0 : (double)warps * (p->regs + 1);
}

/* Adds the last turn, or the exchange beside it. Its loads and stores come first. */
static void add_longer(struct fl_pace *p, double lines)
{
	double turn = (double)p->last[0].cycles + FL_TURN_CYCLES;
	double moves = (lines + (double)p->last[0].lines) * p->e.interval +
		       p->e.latency + FL_SWITCH_CYCLES;

	p->longer += lines > 0 && moves > turn ? moves : turn;
}

static void keep_turn(struct fl_pace *p, uint32_t sm, uint32_t live)
{
	p->last[1] = p->last[0];
	p->last[0] =
		(struct fl_pace_turn){ .sm = sm,
				       .live = live,
				       .cycles = p->now - p->turn_began,
				       .lines = p->lines - p->lines_before };
	p->live[sm] = live;
	p->lines_before = p->lines;
}

static void pace_turn(void *ctx, uint32_t sm, uint32_t live)
{
	struct fl_pace *p = ctx;
	uint64_t end = p->now;

	if (p->turns)
		add_longer(p, lines_beside(p, sm));
	for (uint32_t w = 0; w < FL_MAX_WARPS; w++) {
		end = pace_later(end, p->warp_done[w]);
		p->warp_done[w] = 0;
	}
	end = pace_later(end, pace_later(p->lsu_ready, p->resolved));
	p->now = end + TURN_ENDS;
	keep_turn(p, sm, live);
	p->turns++;
	p->host += p->now - p->turn_began;
	p->moved += p->exchanges ? live : 0;
	p->turn_began = p->now;
	p->now += TURN_BEGINS;
}

/* ---- all of it ------------------------------------------------------------------ */

struct fl_pace *fl_pace_new(const struct fl_config *c,
			    const struct fl_external *e, uint32_t regs)
{
	struct fl_pace *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->exchanges = c->sms > 2;
	memset(p->fresh, true, sizeof(p->fresh));
	p->e = *e;
	p->regs = regs;
	p->watch = (struct fl_watch){ pace_visit, pace_turn, p };
	p->now = TURN_BEGINS;
	return p;
}

void fl_pace_free(struct fl_pace *p)
{
	free(p);
}

const struct fl_watch *fl_pace_watch(const struct fl_pace *p)
{
	return &p->watch;
}

void fl_pace_rates(struct fl_rates *out, const struct fl_pace *p,
		   const struct fl_stats *stats)
{
	double turns = (double)p->turns, host = (double)p->host;
	double busy = (double)(stats->instructions + stats->stalled);
	double issued = (double)stats->instructions;
	/* Nothing comes after the last one. */
	double longer = p->longer + (double)p->last[0].cycles + FL_TURN_CYCLES;

	*out = (struct fl_rates){
		.turns = turns,
		.operations = (double)stats->lane_instructions,
		.cycle_fm = host / turns,
		.longer = longer / turns,
		.eta = busy / host,
		.ipc = issued / busy,
		.beta = (double)stats->lane_instructions / issued / FL_LANES,
		.p_ls = (double)p->lines * p->e.interval / host,
		.D = 32,
		.R = p->regs,
		.W = (double)p->moved / turns,
		.L = FL_LANES,
	};
}
