#include "isa/ptx/time_live.h"

#include <string.h>

#include "base/minmax.h"
#include "isa/ptx/flow.h"

/* Turing and later SMs have a uniform datapath beside the lanes. */
enum { UNIFORM_CAPABILITY = 75 };

enum { NONE = 0xffffffffu };

/* Shared by the passes over one function, until time_live_analyse returns. */
struct pressure_pass {
	struct time_live *l;
	const struct ptx_func *f;
	const struct cfg *cfg;
	struct arena *keep, scratch;
	struct ptx_flow flow;
	struct ptx_live x;
	bool *now;               /* by cell: live at the current point */
	uint32_t *use_at, *uses; /* by cell: instructions that read it */
};

static uint8_t words_of(enum ptx_type t)
{
	if (t == PTX_PRED)
		return 0;
	return (uint8_t)((ptx_types[t].bytes + 3) / 4);
}

/* Takes over the cells and references of the liveness analysis. */
static bool pressure_make_cells(struct pressure_pass *p)
{
	struct time_live *l = p->l;
	const struct ptx_func *f = p->f;
	uint32_t n = f->inst_count;

	l->cells = p->x.cells;
	l->carry = p->x.carry;
	l->first = p->x.first;
	l->at = p->x.at;
	l->ref = p->x.ref;
	l->words = arena_new(p->keep, uint8_t, l->cells);
	l->home = arena_new(p->keep, uint16_t, l->cells);
	l->leads = arena_new(p->keep, bool, n + 1);
	l->read = arena_new(p->keep, bool, l->cells);
	l->held = arena_new(p->keep, uint16_t, n + 1);
	if (!l->words || !l->home || !l->leads || !l->read || !l->held)
		return false;
	for (uint32_t i = 0; i < f->reg_count; i++)
		for (unsigned k = 0; k < f->regs[i].vec; k++)
			l->words[l->first[i] + k] = words_of(f->regs[i].type);
	for (uint32_t b = 0; b < p->flow.block_count; b++)
		l->leads[p->flow.starts[b]] = true;
	for (uint32_t r = 0; r < l->at[n]; r++)
		l->read[l->ref[r].cell] |= !l->ref[r].write;
	return true;
}

/* ---- values that need no register ---- */

static bool is_uniform_sreg(uint32_t s)
{
	switch (s) {
	case PTX_SREG_NTID_X:
	case PTX_SREG_NTID_Y:
	case PTX_SREG_NTID_Z:
	case PTX_SREG_NCTAID_X:
	case PTX_SREG_NCTAID_Y:
	case PTX_SREG_NCTAID_Z:
	case PTX_SREG_CTAID_X:
	case PTX_SREG_CTAID_Y:
	case PTX_SREG_CTAID_Z:
		return true;
	default:
		return false;
	}
}

/* Whether a source is available without a register. */
static bool is_at_hand(const struct pressure_pass *p, const struct ptx_opnd *o,
		       const bool *at_hand)
{
	switch (o->kind) {
	case PTX_OPND_IMM:
	case PTX_OPND_VAR:
	case PTX_OPND_FUNC:
		return true;
	case PTX_OPND_REG:
		return o->elem < 0 && at_hand[p->l->first[o->reg]];
	case PTX_OPND_SREG:
		return is_uniform_sreg(o->sreg);
	default:
		return false;
	}
}

/* Not a variable of the kernel that holds arguments or the result of a call. */
static bool is_own_param(const struct ptx_func *f, const struct ptx_opnd *o)
{
	for (uint32_t i = 0; o->kind == PTX_OPND_VAR && i < f->param_count; i++)
		if (f->params[i] == o->var)
			return true;
	return false;
}

bool time_is_param_load(const struct ptx_func *f, const struct ptx_inst *in)
{
	unsigned ss = in->op->attr[PTX_CLASS_SS];

	return f->is_entry && in->op->op == PTX_OP_LD &&
	       (ss == PTX_SS_PARAM || ss == PTX_SS_PARAM_ENTRY) &&
	       is_own_param(f, &in->opnds[1].elems[0]);
}

/* Whether a uniform datapath can compute it. */
static bool is_uniform_op(const struct pressure_pass *p, unsigned op)
{
	const struct ptx_row *row = &ptx_rows[op];

	return p->cfg->gpu.capability >= UNIFORM_CAPABILITY &&
	       row->class == PTX_ROW_LANE && row->unit == UNIT_INT &&
	       (row->lat == LAT_ALU || row->lat == LAT_MAD) &&
	       !ptx_is_carry(op);
}

static bool makes_constant(const struct pressure_pass *p,
			   const struct ptx_inst *in, const bool *at_hand)
{
	unsigned op = in->op->op;

	if (in->guard != PTX_NO_REG || !in->opnd_count)
		return false;
	if (time_is_param_load(p->f, in))
		return true;
	if (op != PTX_OP_MOV && op != PTX_OP_CVTA && op != PTX_OP_CVTA_TO &&
	    !is_uniform_op(p, op))
		return false;
	for (unsigned i = 1; i < in->opnd_count; i++)
		if (!is_at_hand(p, &in->opnds[i], at_hand))
			return false;
	return true;
}

/* Takes away the registers of cells that are written once, from sources that are
 * available without registers. */
static bool fold_constants(struct pressure_pass *p)
{
	struct time_live *l = p->l;
	bool *at_hand = arena_new(&p->scratch, bool, l->cells);
	uint32_t *defs = arena_new(&p->scratch, uint32_t, l->cells);

	if (!at_hand || !defs)
		return false;
	for (uint32_t r = 0; r < l->at[p->f->inst_count]; r++)
		defs[l->ref[r].cell] += l->ref[r].write;
	for (uint32_t i = 0; i < p->f->inst_count; i++) {
		if (!makes_constant(p, &p->f->insts[i], at_hand))
			continue;
		for (uint32_t r = l->at[i]; r < l->at[i + 1]; r++) {
			uint32_t cell = l->ref[r].cell;

			if (!l->ref[r].write || defs[cell] != 1)
				continue;
			at_hand[cell] = true;
			l->words[cell] = 0;
		}
	}
	return true;
}

/* ---- pressure ---- */

static uint32_t pressure_block_end(const struct pressure_pass *p, uint32_t b)
{
	return ptx_block_end(&p->flow, p->f, b);
}

static bool pressure_kills(const struct pressure_pass *p, uint32_t inst)
{
	return ptx_overwrites(&p->f->insts[inst]);
}

static uint32_t enter_block(struct pressure_pass *p, uint32_t b, bool live)
{
	const struct ptx_live *x = &p->x;
	const uint64_t *out = x->out + (size_t)b * x->set_words;
	uint32_t words = 0;

	for (uint32_t w = 0; w < x->set_words; w++)
		for (uint64_t v = out[w]; v; v &= v - 1) {
			uint32_t c = x->cell_of[w * 64 + __builtin_ctzll(v)];

			p->now[c] = live;
			words += p->l->words[c];
		}
	return words;
}

static uint16_t clamp16(uint32_t n)
{
	return (uint16_t)(n < UINT16_MAX ? n : UINT16_MAX);
}

/* Steps backwards over an instruction. `live` is the number of registers live
 * after it; returns the number before it. */
static uint32_t pressure_step(struct pressure_pass *p, uint32_t i,
			      uint32_t live)
{
	struct time_live *l = p->l;
	uint32_t lost = 0, dead = 0;

	for (uint32_t k = l->at[i]; k < l->at[i + 1] && l->ref[k].write; k++) {
		uint32_t c = l->ref[k].cell;

		if (!p->now[c])
			dead += l->words[c];
		else if (pressure_kills(p, i))
			lost += l->words[c];
		if (pressure_kills(p, i))
			p->now[c] = false;
	}
	if (live + dead > l->max)
		l->max = live + dead;
	live -= lost;
	l->held[i] = clamp16(live);
	for (uint32_t k = l->at[i]; k < l->at[i + 1]; k++) {
		uint32_t c = l->ref[k].cell;

		if (l->ref[k].write)
			continue;
		live += p->now[c] ? 0 : l->words[c];
		p->now[c] = true;
	}
	if (live > l->max)
		l->max = live;
	p->l->before[i] = clamp16(live);
	return live;
}

static void walk_block(struct pressure_pass *p, uint32_t b)
{
	uint32_t first = p->flow.starts[b], live = enter_block(p, b, true);

	for (uint32_t i = pressure_block_end(p, b); i-- > first;)
		live = pressure_step(p, i, live);
	/* Cells that nothing in the block kills are still marked. */
	enter_block(p, b, false);
	for (uint32_t r = p->l->at[first];
	     r < p->l->at[pressure_block_end(p, b)]; r++)
		p->now[p->l->ref[r].cell] = false;
}

static bool pressure_walk(struct pressure_pass *p)
{
	p->now = arena_new(&p->scratch, bool, p->l->cells);
	p->l->before = arena_new(p->keep, uint16_t, p->f->inst_count + 1);
	if (!p->now || !p->l->before)
		return false;
	for (uint32_t b = 0; b < p->flow.block_count; b++)
		walk_block(p, b);
	return true;
}

/* ---- the demand of a compiler ---- */

/*
 * ptxas spends registers on parallelism as long as they cost no occupancy: in a
 * run of instructions that it may reorder, loads are issued together, and
 * stores wait for each other. The numbers are fitted to those of ptxas 13 on
 * sm_90 for the 75 kernels of bench/ and tests/prog (median error 6 %, nine
 * tenths within 20 %); for 25 other kernels the errors are 9 % and 27 %.
 */
enum {
	DEPTHS = 4,        /* of loads that depend on loads */
	OVERHEAD = 3,      /* stack pointer, temporaries of sequences */
	RUN_OVERHEAD = 6,  /* addresses and temporaries of parallel work */
	RUN_LENGTH = 10,   /* instructions of a block for one more register */
	MIN_REGISTERS = 16 /* no GPU allocates fewer */
};

/* Words written by long-latency instructions, by the depth of their chain. */
struct pressure_run {
	uint32_t words[DEPTHS];
	uint32_t live; /* at the start of the run */
};

static bool is_slow(const struct pressure_pass *p, const struct ptx_inst *in)
{
	unsigned lat = ptx_rows[in->op->op].lat;

	return (lat == LAT_MEM || lat == LAT_TEX || lat == LAT_SHFL ||
		lat == LAT_MMA) &&
	       !time_is_param_load(p->f, in);
}

/* Whether a compiler moves nothing across it. */
static bool is_wall(const struct ptx_inst *in)
{
	return in->op->op == PTX_OP_CALL || ptx_rows[in->op->op].lat == LAT_BAR;
}

static uint32_t run_peak(const struct pressure_run *r)
{
	uint32_t max = 0;

	for (int i = 0; i < DEPTHS; i++)
		if (r->words[i] > max)
			max = r->words[i];
	return r->live + max;
}

static void add_to_run(const struct pressure_pass *p, struct pressure_run *r,
		       uint32_t i, uint8_t *depth)
{
	const struct time_live *l = p->l;
	const struct ptx_inst *in = &p->f->insts[i];
	bool slow = is_slow(p, in);
	unsigned d = 0;

	for (uint32_t k = l->at[i]; k < l->at[i + 1]; k++) {
		const struct ptx_live_ref *ref = &l->ref[k];

		if (!ref->write && depth[ref->cell] > d)
			d = depth[ref->cell];
		/* The stored value; the address has position 0. */
		if (in->op->op == PTX_OP_ST && ref->position)
			r->words[0] += l->words[ref->cell];
	}
	for (uint32_t k = l->at[i]; k < l->at[i + 1] && l->ref[k].write; k++) {
		r->words[d] += slow ? l->words[l->ref[k].cell] : 0;
		depth[l->ref[k].cell] =
			(uint8_t)(d + slow < DEPTHS ? d + slow : DEPTHS - 1);
	}
}

/* Resets the depths of the cells of a run. */
static void home_forget(const struct pressure_pass *p, uint32_t from,
			uint32_t to, uint8_t *depth)
{
	for (uint32_t k = p->l->at[from]; k < p->l->at[to]; k++)
		depth[p->l->ref[k].cell] = 0;
}

/* The maximum of registers live in a run of block b if its work is parallel. */
static uint32_t block_peak(const struct pressure_pass *p, uint32_t b,
			   uint8_t *depth)
{
	uint32_t first = p->flow.starts[b], end = pressure_block_end(p, b),
		 peak = 0;
	struct pressure_run r = { .live = p->l->before[first] };

	for (uint32_t i = first, from = first; i < end; i++) {
		add_to_run(p, &r, i, depth);
		if (i + 1 < end && !is_wall(&p->f->insts[i + 1]))
			continue;
		if (run_peak(&r) > peak)
			peak = run_peak(&r);
		home_forget(p, from, i + 1, depth);
		from = i + 1;
		if (from < end)
			r = (struct pressure_run){ .live = p->l->before[from] };
	}
	return peak;
}

/* The registers for values that the text names, if the function needs so many
 * that not all warps fit anyway: with twice as many half of the warps do. */
static void set_room(struct pressure_pass *p, uint32_t parallel, uint32_t cheap)
{
	uint32_t most = cheap;

	p->l->room = p->l->max;
	while (most && most < p->l->max + OVERHEAD)
		most *= 2;
	parallel = parallel < most ? parallel : most;
	if (most > cheap && parallel > p->l->max + RUN_OVERHEAD)
		p->l->room = parallel - RUN_OVERHEAD;
}

static bool estimate_demand(struct pressure_pass *p)
{
	const struct cfg_sm *sm = &p->cfg->sm;
	uint8_t *depth = arena_new(&p->scratch, uint8_t, p->l->cells);
	uint32_t cheap = (uint32_t)(sm->registers / sm->max_threads);
	uint32_t peak = 0, length = 0, n;

	if (!depth)
		return false;
	for (uint32_t b = 0; b < p->flow.block_count; b++) {
		uint32_t here = pressure_block_end(p, b) - p->flow.starts[b];

		n = block_peak(p, b, depth);
		peak = n > peak ? n : peak;
		length = here > length ? here : length;
	}
	n = peak + RUN_OVERHEAD + length / RUN_LENGTH;
	set_room(p, n, cheap);
	n = n < cheap ? n : cheap;
	n = n > p->l->max + OVERHEAD ? n : p->l->max + OVERHEAD;
	p->l->demand = n > MIN_REGISTERS ? n : MIN_REGISTERS;
	p->l->room = (uint32_t)max_u64(p->l->room, p->l->demand - RUN_OVERHEAD);
	return true;
}

static uint64_t threads_of(const struct ptx_func *f)
{
	const uint32_t *n = f->limits.reqntid[0] ? f->limits.reqntid :
						   f->limits.maxntid;

	if (!n[0])
		return 0;
	return (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
}

uint32_t time_register_limit(const struct ptx_func *f, const struct cfg *cfg)
{
	const struct cfg_sm *sm = &cfg->sm;
	uint64_t threads = threads_of(f), max = (uint64_t)sm->thread_registers;

	if (f->limits.maxnreg && f->limits.maxnreg < max)
		max = f->limits.maxnreg;
	if (threads) {
		uint64_t warps = (threads + (uint64_t)sm->warp_size - 1) /
				 (uint64_t)sm->warp_size;
		uint64_t blocks = max_u64(f->limits.minnctapersm, 1);
		uint64_t warp = (uint64_t)sm->registers / (warps * blocks);
		uint64_t unit = (uint64_t)sm->register_unit;
		uint64_t each;

		if (sm->register_scope == CFG_REG_SCOPE_WARP && warp >= unit)
			warp = warp / unit * unit;
		each = warp / (uint64_t)sm->warp_size;
		if (each && each < max)
			max = each;
	}
	return (uint32_t)max;
}

/* ---- homes in the register file ---- */

enum { MAX_HOMES = 1024 };

struct register_file {
	struct pressure_pass *p;
	uint32_t limit;  /* registers of a thread */
	uint32_t budget; /* beyond it, any free register is taken */
	uint32_t banks;
	uint32_t taken[MAX_HOMES]; /* number of cells that have it */
	uint32_t *expire; /* by half instruction: cells whose interval ends */
	uint32_t *next;
	uint32_t *clash; /* by bank */
};

/* Counts, by bank, the other sources of the instructions that read a cell. */
static void count_clashes(struct register_file *t, uint32_t cell)
{
	const struct pressure_pass *p = t->p;
	const struct time_live *l = p->l;

	memset(t->clash, 0, t->banks * sizeof(uint32_t));
	for (uint32_t u = p->use_at[cell]; u < p->use_at[cell + 1]; u++)
		for (uint32_t k = l->at[p->uses[u]]; k < l->at[p->uses[u] + 1];
		     k++) {
			uint32_t c = l->ref[k].cell;

			if (l->ref[k].write || c == cell ||
			    l->home[c] == LIVE_NO_HOME)
				continue;
			for (unsigned w = 0; w < l->words[c]; w++)
				t->clash[(l->home[c] + w) % t->banks]++;
		}
}

static bool is_free(const struct register_file *t, uint32_t at, unsigned words)
{
	for (unsigned w = 0; w < words; w++)
		if (t->taken[at + w])
			return false;
	return true;
}

/* The free home with the fewest clashes within the budget; else the first free
 * one beyond it; else one that is shared. */
static uint32_t home_choose(const struct register_file *t, uint32_t cell,
			    unsigned words)
{
	uint32_t best = NONE, min = NONE;

	for (uint32_t at = 0; at + words <= t->limit; at += words) {
		uint32_t cost = 0;

		if (at >= t->budget && best != NONE)
			break;
		if (!is_free(t, at, words))
			continue;
		for (unsigned w = 0; w < words; w++)
			cost += t->clash[(at + w) % t->banks];
		if (cost < min) {
			best = at;
			min = cost;
		}
		if (!cost)
			break;
	}
	return best != NONE ? best : cell * words % (t->limit / words * words);
}

static void home_expire(struct register_file *t, uint32_t when)
{
	const struct time_live *l = t->p->l;

	for (uint32_t c = t->expire[when]; c; c = t->next[c - 1])
		for (unsigned w = 0; w < l->words[c - 1]; w++)
			t->taken[l->home[c - 1] + w]--;
	t->expire[when] = 0;
}

static void home_settle(struct register_file *t, uint32_t cell)
{
	struct time_live *l = t->p->l;
	unsigned words = l->words[cell];
	uint32_t at;

	count_clashes(t, cell);
	at = home_choose(t, cell, words);
	l->home[cell] = (uint16_t)at;
	if (at + words > l->used)
		l->used = at + words;
	for (unsigned w = 0; w < words; w++)
		t->taken[at + w]++;
	t->next[cell] = t->expire[t->p->x.end[cell]];
	t->expire[t->p->x.end[cell]] = cell + 1;
}

static bool index_uses(struct pressure_pass *p)
{
	const struct time_live *l = p->l;
	uint32_t *at = arena_new(&p->scratch, uint32_t, l->cells + 2);
	uint32_t refs = l->at[p->f->inst_count];

	p->uses = arena_new(&p->scratch, uint32_t, refs + 1);
	if (!at || !p->uses)
		return false;
	for (uint32_t r = 0; r < refs; r++)
		at[l->ref[r].cell + 2] += !l->ref[r].write;
	for (uint32_t c = 0; c < l->cells; c++)
		at[c + 2] += at[c + 1];
	for (uint32_t i = 0; i < p->f->inst_count; i++)
		for (uint32_t r = l->at[i]; r < l->at[i + 1]; r++)
			if (!l->ref[r].write)
				p->uses[at[l->ref[r].cell + 1]++] = i;
	p->use_at = at;
	return true;
}

/* Lists of cells by the start of their interval. */
static bool by_start(struct pressure_pass *p, uint32_t **head, uint32_t **next)
{
	uint32_t n = 2 * p->f->inst_count + 2;

	*head = arena_new(&p->scratch, uint32_t, n);
	*next = arena_new(&p->scratch, uint32_t, p->l->cells);
	if (!*head || !*next)
		return false;
	for (uint32_t c = p->l->cells; c-- > 0;) {
		if (!p->l->words[c] || p->x.start[c] == NONE)
			continue;
		(*next)[c] = (*head)[p->x.start[c]];
		(*head)[p->x.start[c]] = c + 1;
	}
	return true;
}

static bool home_place_cells(struct pressure_pass *p)
{
	uint32_t n = 2 * p->f->inst_count + 2, *head, *next;
	const struct cfg *cfg = p->cfg;
	struct register_file t = { .p = p,
				   .limit = (uint32_t)cfg->sm.thread_registers,
				   .budget = p->l->demand,
				   .banks = (uint32_t)cfg->regs.banks };

	CHECK(t.limit <= MAX_HOMES);
	t.expire = arena_new(&p->scratch, uint32_t, n);
	t.next = arena_new(&p->scratch, uint32_t, p->l->cells);
	t.clash = arena_new(&p->scratch, uint32_t, t.banks);
	if (!t.expire || !t.next || !t.clash || !index_uses(p) ||
	    !by_start(p, &head, &next))
		return false;
	memset(p->l->home, 0xff, p->l->cells * sizeof(uint16_t));
	for (uint32_t when = 0; when < n; when++) {
		for (uint32_t c = head[when]; c; c = next[c - 1])
			home_settle(&t, c - 1);
		home_expire(&t, when);
	}
	return true;
}

static bool pressure_run(struct pressure_pass *p)
{
	return pressure_make_cells(p) && fold_constants(p) &&
	       pressure_walk(p) && estimate_demand(p) && home_place_cells(p);
}

enum err time_live_analyse(struct time_live *out, struct arena *a,
			   const struct ptx_func *f, const struct cfg *cfg,
			   struct diag *d)
{
	struct pressure_pass p = { .l = out, .f = f, .cfg = cfg, .keep = a };
	enum err e;

	memset(out, 0, sizeof(*out));
	e = ptx_flow(&p.flow, f, &p.scratch, d);
	if (e == ERR_OK)
		e = ptx_live(&p.x, f, &p.flow, a, d);
	if (e == ERR_OK && !pressure_run(&p))
		e = fail(d, ERR_NOMEM, "%s: out of memory", f->name);
	arena_free(&p.scratch);
	return e;
}
