/*
 * Turns the text of a kernel into instructions that are executed. exec.h says
 * what executors find in them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sass/exec.h"
#include "isa/sass/lower.h"
#include "isa/sass/program.h"

/* ---- the pool of constants ----------------------------------------------- */

enum { POOL_ENTRY = 2 * SASS_REG_BYTES }; /* a pair */

/* What an entry of the pool holds. */
struct pool_key {
	uint64_t value; /* an immediate, or offset in a bank */
	uint8_t bank;
	uint8_t bytes; /* of the bank; 0: an immediate */
	bool is_signed;
};

struct pool {
	struct pool_key *keys; /* by entry */
	uint32_t count, room;
	uint32_t *table; /* hash: entry + 1 */
	uint32_t table_room;
	bool failed;
};

static uint32_t hash_key(const struct pool_key *k)
{
	uint64_t v = (k->value ^ (uint64_t)k->bank << 56 ^
		      (uint64_t)k->bytes << 48 ^ (uint64_t)k->is_signed << 47) *
		     UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(v >> 32);
}

static bool same_key(const struct pool_key *a, const struct pool_key *b)
{
	return a->value == b->value && a->bank == b->bank &&
	       a->bytes == b->bytes && a->is_signed == b->is_signed;
}

static bool grow_pool(struct pool *p)
{
	uint32_t room = p->room ? 2 * p->room : 64;
	struct pool_key *keys = realloc(p->keys, room * sizeof(*keys));
	uint32_t *table = calloc(2 * room, sizeof(*table));

	if (keys)
		p->keys = keys;
	if (!keys || !table) {
		free(table);
		p->failed = true;
		return false;
	}
	free(p->table);
	p->table = table;
	p->room = room;
	p->table_room = 2 * room;
	for (uint32_t i = 0; i < p->count; i++) {
		uint32_t at = hash_key(&keys[i]);

		while (table[at % p->table_room])
			at++;
		table[at % p->table_room] = i + 1;
	}
	return true;
}

static slot_t pool_slot(struct pool *p, struct pool_key k)
{
	uint32_t at = hash_key(&k);

	if (p->count == p->room && !grow_pool(p))
		return SLOT(SLOT_CONST, 0);
	for (; p->table[at % p->table_room]; at++) {
		uint32_t i = p->table[at % p->table_room] - 1;

		if (same_key(&p->keys[i], &k))
			return SLOT(SLOT_CONST, i * POOL_ENTRY);
	}
	p->table[at % p->table_room] = p->count + 1;
	p->keys[p->count] = k;
	return SLOT(SLOT_CONST, p->count++ * POOL_ENTRY);
}

static slot_t value_slot(struct pool *p, uint64_t value)
{
	return pool_slot(p, (struct pool_key){ .value = value });
}

/* Makes the pool of the program out of the keys. False: out of memory. */
static bool make_pool(struct sass_program *p, struct sass_code *c,
		      const struct pool *from)
{
	c->pool_bytes = from->count * POOL_ENTRY;
	c->pool = aligned_alloc(64, c->pool_bytes + 64);
	c->consts =
		arena_new(&p->base.arena, struct sass_const, from->count + 1);
	if (!c->pool || !c->consts)
		return false;
	for (uint32_t i = 0; i < from->count; i++) {
		const struct pool_key *k = &from->keys[i];
		uint32_t *to = (uint32_t *)(void *)(c->pool + i * POOL_ENTRY);

		for (int l = 0; l < LANES; l++) {
			to[l] = (uint32_t)k->value;
			to[LANES + l] = (uint32_t)(k->value >> 32);
		}
		if (k->bytes)
			c->consts[c->const_count++] = (struct sass_const){
				.at = i * POOL_ENTRY,
				.offset = (uint32_t)k->value,
				.bank = k->bank,
				.bytes = k->bytes,
				.is_signed = k->is_signed,
			};
	}
	return true;
}

/* ---- operands ------------------------------------------------------------ */

void sass_lower_refuse(struct sass_lower *lo, const char *fmt, ...)
{
	char why[160], text[200] = "";
	va_list ap;

	if (lo->refused[0])
		return;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	if (lo->si)
		sass_print(text, sizeof(text), lo->si,
			   (uint64_t)lo->index * SASS_BYTES);
	snprintf(lo->refused, sizeof(lo->refused), "%s: %s+0x%x: %s%s%s",
		 lo->p->base.name, lo->f->name, lo->index * SASS_BYTES, text,
		 text[0] ? ": " : "", why);
}

static slot_t register_slot(uint32_t offset)
{
	return SLOT(SLOT_REG, offset);
}

slot_t sass_source(struct sass_lower *lo, const struct sass_opnd *o)
{
	const struct sass_layout *at = &lo->c->at;
	uint64_t v = (uint64_t)o->imm;

	switch ((enum sass_type)o->type) {
	case SASS_REG:
		return o->reg == SASS_RZ ?
			       value_slot(lo->pool, 0) :
			       register_slot(o->reg * SASS_REG_BYTES);
	case SASS_UREG:
		return o->reg == SASS_RZ ?
			       value_slot(lo->pool, 0) :
			       register_slot(at->ureg +
					     o->reg * SASS_REG_BYTES);
	case SASS_PRED:
		return o->reg == SASS_PT ?
			       value_slot(lo->pool, ~UINT64_C(0)) :
			       register_slot(at->pred + 4u * o->reg);
	case SASS_UPRED:
		return o->reg == SASS_PT ?
			       value_slot(lo->pool, ~UINT64_C(0)) :
			       register_slot(at->upred + 4u * o->reg);
	case SASS_SINT:
		return value_slot(lo->pool, (uint64_t)(int64_t)(int32_t)v);
	case SASS_F64:
		return value_slot(lo->pool, v);
	case SASS_CONST:
		sass_check_constant(lo, o);
		return sass_bank_slot(lo, o->bank, sass_const_offset(o), 8,
				      false);
	case SASS_BARRIER:
	case SASS_STATE:
		return register_slot(at->barrier +
				     o->reg % SASS_BARRIERS * SASS_REG_BYTES);
	case SASS_XCONST:
		sass_lower_refuse(lo, "a constant of a bank that a register "
				      "names is not supported");
		return value_slot(lo->pool, 0);
	case SASS_NONE:
		return value_slot(lo->pool, 0);
	default:
		return value_slot(lo->pool, (uint32_t)v);
	}
}

slot_t sass_target(struct sass_lower *lo, const struct sass_opnd *o)
{
	const struct sass_layout *at = &lo->c->at;

	switch ((enum sass_type)o->type) {
	case SASS_REG:
	case SASS_UREG:
		return o->reg == SASS_RZ ? register_slot(at->sink) :
					   sass_source(lo, o);
	/* The sinks are the predicates number PT. */
	case SASS_PRED:
		return register_slot(at->pred + 4u * o->reg);
	case SASS_UPRED:
		return register_slot(at->upred + 4u * o->reg);
	case SASS_NONE:
		return SLOT_NONE;
	default:
		return sass_source(lo, o);
	}
}

slot_t sass_value_slot(struct sass_lower *lo, uint64_t value)
{
	return value_slot(lo->pool, value);
}

slot_t sass_bank_slot(struct sass_lower *lo, unsigned bank, uint32_t offset,
		      unsigned bytes, bool is_signed)
{
	return pool_slot(lo->pool, (struct pool_key){ .value = offset,
						      .bank = (uint8_t)bank,
						      .bytes = (uint8_t)bytes,
						      .is_signed = is_signed });
}

void sass_check_constant(struct sass_lower *lo, const struct sass_opnd *o)
{
	const struct sass_cubin *c = &lo->p->cubin;

	for (uint32_t b = 0; b < c->bank_count; b++) {
		const struct sass_data *data = &c->banks[b].data;

		if (c->banks[b].bank != o->bank)
			continue;
		for (uint32_t i = 0; i < data->reloc_count; i++) {
			const struct sass_reloc *r = &data->relocs[i];

			if (r->symbol && r->offset == sass_const_offset(o) &&
			    r->symbol->place == SASS_UNDEFINED &&
			    !sass_service_address(r->symbol->name))
				sass_lower_refuse(lo,
						  "function '%.80s' of the "
						  "system is not supported",
						  r->symbol->name);
		}
	}
}

/* A predicate source; one that the row does not have is true. */
static slot_t predicate(struct sass_lower *lo, enum sass_role role,
			uint8_t *flip, unsigned bit)
{
	const struct sass_opnd *o = &lo->si->opnd[role];

	if (o->type == SASS_NONE)
		return value_slot(lo->pool, ~UINT64_C(0));
	if (o->neg)
		*flip |= (uint8_t)(1u << bit);
	return sass_source(lo, o);
}

static void sass_guard(struct sass_lower *lo, struct inst *out)
{
	const struct sass_inst *si = lo->si;
	struct sass_opnd guard = { .reg = si->guard };

	out->guard = SLOT_NONE;
	if (si->guard == SASS_PT && !si->guard_not)
		return;
	guard.type = si->enc->uniform_guard ? SASS_UPRED : SASS_PRED;
	out->guard = sass_source(lo, &guard);
	out->guard_flip = si->guard_not ? ~0 : 0;
}

/* Operands of all roles, whatever the instruction. */
static struct sass_more *sass_operands(struct sass_lower *lo, struct inst *out)
{
	const struct sass_inst *si = lo->si;
	const struct sass_opnd *o = si->opnd;
	struct sass_more *x =
		arena_new(&lo->p->base.arena, struct sass_more, 1);

	if (!x) {
		lo->pool->failed = true;
		return NULL;
	}
	x->inst = *si;
	x->list.slots = arena_new(&lo->p->base.arena, slot_t, SASS_LIST_SLOTS);
	if (!x->list.slots) {
		lo->pool->failed = true;
		return NULL;
	}
	x->list.room = SASS_LIST_SLOTS;
	out->x = x;
	out->d = sass_target(lo, &o[SASS_D]);
	out->d2 = sass_target(lo, &o[SASS_PU]);
	out->a = sass_source(lo, &o[SASS_A]);
	out->b = sass_source(lo, &o[SASS_B]);
	out->c = sass_source(lo, &o[SASS_C]);
	out->e = predicate(lo, SASS_PP, &out->flip, 0);
	x->pq = predicate(lo, SASS_PQ, &out->flip, 1);
	x->pr = predicate(lo, SASS_PR, &out->flip, 2);
	x->pv = sass_target(lo, &o[SASS_PV]);
	x->fourth = sass_source(lo, &o[SASS_E]);
	return x;
}

/* Instructions that move predicates from and to registers find all of them in
 * operand c. */
static void lower_predicates(struct sass_lower *lo, struct inst *out)
{
	switch (sass_op_of(lo->si)) {
	case SASS_OP_P2R:
	case SASS_OP_R2P:
		out->c = register_slot(lo->c->at.pred);
		break;
	case SASS_OP_UP2UR:
	case SASS_OP_UR2UP:
		out->c = register_slot(lo->c->at.upred);
		break;
	default:
		break;
	}
}

/* ---- instructions -------------------------------------------------------- */

static void sass_lower_inst(struct sass_lower *lo, struct inst *out)
{
	const struct sass_inst *si = lo->si;
	struct sass_more *x;

	memset(out, 0, sizeof(*out));
	out->exec = sass_exec_table[si->enc->op];
	out->op = si->enc->op;
	out->index = lo->index;
	sass_guard(lo, out);
	x = sass_operands(lo, out);
	if (!x)
		return;
	if (sass_lower_memory(lo, out, x) || sass_lower_flow(lo, out))
		return;
	lower_predicates(lo, out);
	if (!sass_lower_unit(lo, out, x))
		sass_prepare(out, si);
	if (out->exec == sass_refused)
		sass_lower_refuse(lo, "this instruction is not supported");
	/* Those with operands of their own act once for the warp anyway. */
	if (si->enc->uniform_guard && out->x == x) {
		x->vector = out->exec;
		out->exec = sass_uniform;
	}
}

/* ---- the text ------------------------------------------------------------ */

static void note_max(uint32_t *max, uint8_t reg)
{
	if (reg != SASS_RZ && reg + 1u > *max)
		*max = reg + 1u;
}

/* Finds out how many registers the code names. */
static void count_registers(struct sass_layout *at, const struct sass_inst *si)
{
	for (unsigned r = 0; r < SASS_ROLES; r++) {
		const struct sass_opnd *o = &si->opnd[r];

		switch ((enum sass_type)o->type) {
		case SASS_REG:
			note_max(&at->regs, o->reg);
			break;
		case SASS_UREG:
			note_max(&at->uregs, o->reg);
			break;
		case SASS_MEM:
		case SASS_CMEM:
			if (o->has_reg)
				note_max(&at->regs, o->reg);
			if (o->has_ureg)
				note_max(&at->uregs, o->ureg);
			break;
		case SASS_XCONST:
			note_max(&at->uregs, o->ureg);
			break;
		default:
			break;
		}
	}
}

/* Registers of calls of the system: arguments, and the return address. */
enum { ABI_REGS = 24 };

/* Groups of uniform registers have at most so many. */
enum { UREG_GROUP = 4 };

/* Code names the first register of a group; the kernel says how many there are
 * in all. If that cannot be, there is room for the largest group. */
static void place_registers(struct sass_layout *at, const struct sass_kernel *k)
{
	at->regs = at->regs > k->registers ? at->regs + SASS_SINK_REGS :
					     k->registers;
	if (at->regs < ABI_REGS)
		at->regs = ABI_REGS;
	at->uregs += at->uregs ? UREG_GROUP - 1 : 0;
	at->sink = at->regs * SASS_REG_BYTES;
	at->ureg = at->sink + SASS_SINK_REGS * SASS_REG_BYTES;
	at->pred = at->ureg + at->uregs * SASS_REG_BYTES;
	at->upred = at->pred + 4 * (SASS_PT + 1);
	/* Groups of uniform registers past the last one end in here. */
	at->barrier = at->pred + SASS_REG_BYTES;
	at->result = at->barrier + SASS_BARRIERS * SASS_REG_BYTES;
	at->result_pred = at->result + SASS_REG_BYTES;
	at->rpc = at->result_pred + SASS_REG_BYTES;
	at->bytes = at->rpc + 2 * SASS_REG_BYTES;
}

static void decode_text(struct sass_lower *lo, struct sass_inst *out)
{
	const struct sass_kernel *k = lo->c->kernel;

	for (uint32_t i = 0; i < lo->f->inst_count && !lo->refused[0]; i++) {
		uint64_t word[2];
		enum sass_decoded how;

		memcpy(word, k->text + (size_t)i * SASS_BYTES, sizeof(word));
		how = sass_decode(&out[i], lo->p->cubin.sm, word);
		lo->index = i;
		lo->si = how == SASS_UNKNOWN ? NULL : &out[i];
		if (how == SASS_UNKNOWN)
			sass_lower_refuse(lo,
					  "unknown instruction 0x%016" PRIx64
					  "%016" PRIx64,
					  word[1], word[0]);
		else if (how == SASS_LEFT_OVER)
			sass_lower_refuse(lo,
					  "unknown bits 0x%" PRIx64
					  "%016" PRIx64,
					  out[i].rest[1], out[i].rest[0]);
		else
			count_registers(&lo->c->at, &out[i]);
	}
}

static void lower_text(struct sass_lower *lo, struct code *code)
{
	for (uint32_t i = 0; i < code->count && !lo->refused[0]; i++) {
		lo->index = i;
		lo->si = &lo->c->insts[i];
		sass_lower_inst(lo, &code->insts[i]);
	}
}

static bool lower_kernel(struct sass_lower *lo, struct code *code)
{
	struct sass_code *c = lo->c;
	uint32_t count = lo->f->inst_count;

	c->insts = arena_new(&lo->p->base.arena, struct sass_inst, count + 1);
	code->insts = calloc(count + INST_TAIL, sizeof(*code->insts));
	if (!c->insts || !code->insts)
		return false;
	decode_text(lo, c->insts);
	place_registers(&c->at, c->kernel);
	code->func = lo->f;
	code->count = count;
	code->reg_bytes = c->at.bytes;
	code->local_bytes = c->kernel->stack_bytes;
	if (!lo->refused[0])
		lower_text(lo, code);
	code->insts[count] = (struct inst){ .exec = sass_past_end,
					    .guard = SLOT_NONE,
					    .index = count ? count - 1 : 0 };
	if (!lo->refused[0])
		sass_lower_patterns(code, c->insts);
	return !lo->pool->failed && make_pool(lo->p, c, lo->pool);
}

/* Whether the kernel asks where the system's shared memory is: of sm_90 it lies
 * before the block's own, where it always is. */
static bool code_asks_for_system(const struct sass_program *p,
				 const struct sass_code *c)
{
	enum { END = 0x120, PART_1 = 0x124, BEHIND = 80, BEFORE = 90 };

	if (p->cubin.sm < BEHIND || p->cubin.sm >= BEFORE)
		return false;
	for (uint32_t i = 0; i < c->const_count; i++) {
		const struct sass_const *k = &c->consts[i];

		if (!k->bank && k->offset >= END && k->offset <= PART_1)
			return true;
	}
	return false;
}

/* What no launch of the kernel can have. */
static void refuse_cluster_launch(struct sass_lower *lo)
{
	const struct sass_kernel *k = lo->c->kernel;

	if (k->needs_cluster)
		snprintf(lo->refused, sizeof(lo->refused),
			 "%s: %s: clusters of blocks are not supported",
			 lo->p->base.name, k->name);
}

enum err sass_lower(struct sass_program *p, struct function *f, struct diag *d)
{
	struct pool pool = { 0 };
	struct sass_lower lo = {
		.p = p, .f = f, .c = &p->codes[f->index], .pool = &pool
	};
	struct code *code = arena_new(&p->base.arena, struct code, 1);
	bool ok = code && lower_kernel(&lo, code);

	free(pool.keys);
	free(pool.table);
	if (!ok) {
		if (code)
			free(code->insts);
		return fail(d, ERR_NOMEM, "out of memory");
	}
	refuse_cluster_launch(&lo);
	f->shared_system = code_asks_for_system(p, lo.c) ? SHARED_SYSTEM : 0;
	f->code = code;
	if (lo.refused[0]) {
		f->refused = arena_strndup(&p->base.arena, lo.refused,
					   strlen(lo.refused));
		free(code->insts);
		f->code = NULL;
	}
	return ERR_OK;
}
