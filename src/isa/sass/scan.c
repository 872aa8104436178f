#include "isa/sass/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sass/latency.h"

enum {
	COUNTERS = 6,
	/* A stall count of 0 lasts until everything before has ended. */
	DRAIN = 36,
	FIRST_SCAN = 70, /* architectures */
	LAST_SCAN = 90
};

bool sass_scan_knows(unsigned sm)
{
	return sm >= FIRST_SCAN && sm <= LAST_SCAN;
}

size_t sass_print_register(char *out, size_t room, unsigned file, unsigned reg)
{
	static const char *const names[SASS_FILES] = { [SASS_FILE_R] = "R",
						       [SASS_FILE_UR] = "UR",
						       [SASS_FILE_P] = "P",
						       [SASS_FILE_UP] = "UP" };

	return (size_t)snprintf(out, room, "%s%u", names[file], reg);
}

/* ---- the text ------------------------------------------------------------ */

enum { NEXT = 1, TARGET = 2 }; /* what may follow an instruction */

struct scan_inst {
	struct sass_use use[SASS_USES];
	uint8_t uses;
	uint8_t follows; /* NEXT, TARGET */
	uint32_t target;
	/* Visited on the current walk: after how many cycles at least, plus 1;
	 * of results that end at a counter, with which sets of counters. */
	uint32_t seen;
	uint64_t seen_sets;
	uint32_t walk; /* of the last two */
};

struct scan_text {
	struct sass_inst *in;
	struct scan_inst *at;
	uint32_t count;
	struct sass_latencies l;
	uint32_t walk;
	/* Places to be visited. */
	struct place {
		uint32_t inst;
		uint32_t age; /* cycles since the write, or set of counters */
	} * stack;
	size_t depth, room;
};

/* Relocations make the targets of calls into other texts. */
static bool is_relocated(const struct sass_kernel *k, uint32_t i)
{
	uint64_t from = (uint64_t)i * SASS_BYTES, to = from + SASS_BYTES;

	for (uint32_t r = 0; r < k->reloc_count; r++)
		if (k->relocs[r].offset >= from && k->relocs[r].offset < to)
			return true;
	return false;
}

static bool find_target(const struct scan_text *t, uint32_t i, uint32_t *out)
{
	const struct sass_opnd *o = &t->in[i].opnd[SASS_T];
	int64_t at = o->imm;

	if (o->type == SASS_REL)
		at += ((int64_t)i + 1) * SASS_BYTES;
	else if (o->type != SASS_ABS)
		return false;
	if (at < 0 || at % SASS_BYTES || at / SASS_BYTES >= t->count)
		return false;
	*out = (uint32_t)(at / SASS_BYTES);
	return true;
}

static bool is_unguarded(const struct sass_inst *in)
{
	const struct sass_opnd *p = &in->opnd[SASS_PP];

	return in->guard == SASS_PT && !in->guard_not &&
	       (p->type == SASS_NONE || (p->reg == SASS_PT && !p->neg));
}

static void find_successors(struct scan_text *t, const struct sass_kernel *k,
			    uint32_t i)
{
	const struct sass_inst *in = &t->in[i];
	struct scan_inst *a = &t->at[i];

	a->follows = NEXT;
	switch (sass_row_of(in)->kind) {
	case KIND_BRANCH:
		if (sass_op_of(in) == SASS_OP_BSYNC)
			return;
		if (find_target(t, i, &a->target))
			a->follows |= TARGET;
		/* the others have conditions of their own */
		if (sass_op_of(in) == SASS_OP_BRA && is_unguarded(in) &&
		    !SASS_MOD(in, BRA) && !sass_bits(in->enc->value, 32, 2))
			a->follows &= (uint8_t)~NEXT;
		return;
	case KIND_CALL:
	case KIND_INDIRECT:
	case KIND_EXIT:
		if (is_unguarded(in))
			a->follows = 0;
		if (sass_op_of(in) == SASS_OP_CALL && !is_relocated(k, i) &&
		    find_target(t, i, &a->target))
			a->follows |= TARGET;
		return;
	default:
		return;
	}
}

static void scan_read(struct scan_text *t, struct sass_scan *s, unsigned sm,
		      const struct sass_kernel *k)
{
	for (uint32_t i = 0; i < t->count; i++) {
		uint64_t word[2];

		memcpy(word, k->text + (size_t)i * SASS_BYTES, sizeof(word));
		if (sass_decode(&t->in[i], sm, word) != SASS_UNKNOWN) {
			t->at[i].uses =
				(uint8_t)sass_uses(&t->in[i], t->at[i].use);
			find_successors(t, k, i);
			continue;
		}
		s->unknown++;
		t->in[i] = (struct sass_inst){ .sm = (uint16_t)sm };
		t->at[i].follows = 0;
	}
}

/* ---- walks --------------------------------------------------------------- */

/* The write that a walk starts from. */
struct write {
	uint32_t inst;
	const struct sass_use *use;
	enum sass_producer producer;
	uint8_t group;   /* of loads without a counter */
	uint32_t cycles; /* of the longest latency */
};

static enum err push(struct scan_text *t, uint32_t inst, uint32_t age)
{
	if (t->depth == t->room) {
		size_t room = t->room ? 2 * t->room : 64;
		void *p = realloc(t->stack, room * sizeof(*t->stack));

		if (!p)
			return ERR_NOMEM;
		t->stack = p;
		t->room = room;
	}
	t->stack[t->depth++] = (struct place){ inst, age };
	return ERR_OK;
}

/* Whether a place has been visited in this state or a worse one; notes it. */
static bool was_seen(struct scan_text *t, const struct write *w,
		     const struct place *p)
{
	struct scan_inst *a = &t->at[p->inst];
	bool seen;

	if (a->walk != t->walk) {
		a->walk = t->walk;
		a->seen = 0;
		a->seen_sets = 0;
	}
	if (w->producer == SASS_FROM_VARIABLE) {
		seen = a->seen_sets >> p->age & 1;
		a->seen_sets |= UINT64_C(1) << p->age;
		return seen;
	}
	seen = a->seen && a->seen <= p->age + 1;
	if (!seen)
		a->seen = p->age + 1;
	return seen;
}

static uint32_t waits_for(const struct sass_inst *in)
{
	uint32_t set = in->ctrl.wait;

	if (sass_op_of(in) != SASS_OP_DEPBAR)
		return set;
	if (in->opnd[SASS_J].type == SASS_COUNTER)
		set |= 1u << in->opnd[SASS_J].reg % COUNTERS;
	return set | (uint32_t)in->opnd[SASS_PV].imm;
}

/* How much too early the register is read; 0: not at all. UINT32_MAX: it is on
 * its way. */
static uint32_t too_early(struct sass_scan *s, const struct scan_text *t,
			  const struct write *w, const struct sass_inst *in,
			  const struct sass_use *u, uint32_t age)
{
	uint32_t need;

	if (w->producer == SASS_FROM_VARIABLE) {
		s->reads++;
		return UINT32_MAX;
	}
	need = t->l.cycles[w->producer][sass_consumer_of(in, u)];
	s->reads += need > 0;
	return need > age ? need - age : 0;
}

static void report(struct sass_scan *s, const struct scan_text *t,
		   const struct write *w, uint32_t reader, uint32_t cycles)
{
	struct sass_hazard h = { .insts = t->in,
				 .writer = w->inst,
				 .reader = reader,
				 .file = w->use->file,
				 .reg = w->use->reg };

	h.cycles = cycles == UINT32_MAX ? SASS_NEVER_WAITED : cycles;
	s->hazards++;
	if (s->found)
		s->found(s->ctx, &h);
}

/* Whether the register is written again for all lanes. */
static bool is_overwritten(const struct scan_text *t, const struct write *w,
			   uint32_t i)
{
	const struct scan_inst *a = &t->at[i];

	if (!(t->in[i].guard == SASS_PT && !t->in[i].guard_not))
		return false;
	for (unsigned k = 0; k < a->uses; k++)
		if (a->use[k].writes && a->use[k].file == w->use->file &&
		    a->use[k].reg == w->use->reg)
			return true;
	return false;
}

/* The reads of the register here. True: the walk goes on behind it. */
static bool check_reads(struct sass_scan *s, const struct scan_text *t,
			const struct write *w, const struct place *p)
{
	const struct sass_inst *in = &t->in[p->inst];
	const struct scan_inst *a = &t->at[p->inst];
	uint32_t worst = 0;

	for (unsigned k = 0; k < a->uses; k++) {
		const struct sass_use *u = &a->use[k];
		uint32_t early;

		if (u->writes || u->file != w->use->file ||
		    u->reg != w->use->reg)
			continue;
		early = too_early(s, t, w, in, u, p->age);
		if (early > worst)
			worst = early;
	}
	if (worst)
		report(s, t, w, p->inst, worst);
	return worst != UINT32_MAX && !is_overwritten(t, w, p->inst);
}

/* How the state changes behind an instruction. */
static uint32_t age_behind(const struct write *w, const struct sass_inst *in,
			   uint32_t age)
{
	if (w->producer != SASS_FROM_VARIABLE)
		return age + (in->ctrl.stall ? in->ctrl.stall : DRAIN);
	if (w->group && sass_order_group(in) == w->group &&
	    in->ctrl.write != SASS_NO_COUNTER)
		age |= 1u << in->ctrl.write % COUNTERS;
	return age;
}

static bool is_ready(const struct write *w, const struct sass_inst *in,
		     uint32_t age)
{
	if (w->producer == SASS_FROM_VARIABLE)
		return (waits_for(in) & age) != 0;
	return age >= w->cycles;
}

static enum err go_on(struct scan_text *t, const struct write *w, uint32_t i,
		      uint32_t age)
{
	const struct scan_inst *a = &t->at[i];
	enum err e = ERR_OK;

	age = age_behind(w, &t->in[i], age);
	if (a->follows & NEXT && i + 1 < t->count)
		e = push(t, i + 1, age);
	if (!e && a->follows & TARGET)
		e = push(t, a->target, age);
	return e;
}

static enum err walk_from(struct sass_scan *s, struct scan_text *t,
			  const struct write *w, uint32_t age)
{
	enum err e;

	t->walk++;
	t->depth = 0;
	e = go_on(t, w, w->inst, age);
	while (!e && t->depth) {
		struct place p = t->stack[--t->depth];

		if (!t->in[p.inst].enc || was_seen(t, w, &p) ||
		    is_ready(w, &t->in[p.inst], p.age))
			continue;
		if (check_reads(s, t, w, &p))
			e = go_on(t, w, p.inst, p.age);
	}
	return e;
}

/* ---- writes -------------------------------------------------------------- */

static uint32_t longest(const struct sass_latencies *l, enum sass_producer p)
{
	uint32_t most = 0;

	for (unsigned c = 0; c < SASS_CONSUMERS; c++)
		if (l->cycles[p][c] > most)
			most = l->cycles[p][c];
	return most;
}

static enum err scan_write(struct sass_scan *s, struct scan_text *t, uint32_t i,
			   const struct sass_use *u)
{
	const struct sass_inst *in = &t->in[i];
	struct write w = { .inst = i,
			   .use = u,
			   .producer = sass_producer_of(in, u) };

	if (w.producer != SASS_FROM_VARIABLE) {
		w.cycles = longest(&t->l, w.producer);
		return walk_from(s, t, &w, 0);
	}
	if (in->ctrl.write != SASS_NO_COUNTER)
		return walk_from(s, t, &w, 1u << in->ctrl.write % COUNTERS);
	/* How long these take is not known where they have no counter. */
	if (sass_row_of(in)->pipe == SASS_PIPE_BRANCH ||
	    sass_row_of(in)->pipe == SASS_PIPE_TENSOR)
		return ERR_OK;
	w.group = sass_order_group(in);
	return walk_from(s, t, &w, 0);
}

static enum err scan_all(struct sass_scan *s, struct scan_text *t)
{
	enum err e = ERR_OK;

	for (uint32_t i = 0; i < t->count; i++)
		for (unsigned k = 0; !e && k < t->at[i].uses; k++)
			if (t->at[i].use[k].writes)
				e = scan_write(s, t, i, &t->at[i].use[k]);
	return e;
}

enum err sass_scan(struct sass_scan *s, unsigned sm,
		   const struct sass_kernel *k, struct diag *d)
{
	struct scan_text t = { .count = k->text_size / SASS_BYTES };
	enum err e = ERR_NOMEM;

	t.in = calloc(t.count + 1, sizeof(*t.in));
	t.at = calloc(t.count + 1, sizeof(*t.at));
	if (t.in && t.at) {
		sass_latencies(&t.l, sm);
		scan_read(&t, s, sm, k);
		e = scan_all(s, &t);
	}
	free(t.in);
	free(t.at);
	free(t.stack);
	return e ? fail(d, e, "%s: out of memory", k->name) : ERR_OK;
}
