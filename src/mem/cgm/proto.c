#include "mem/cgm/proto.h"

#include <string.h>

#include "base/diag.h"

/* clang-format off */
const struct cgm_table cgm_table = {
#define DO(id) CGM_DO(id)
	.cache = {
#define CACHE(state, event, next, actions) \
	[CGM_C_##state][CGM_CE_##event] = { (actions), CGM_C_##next, true },
#include "mem/cgm/proto.def"
	},
	.home = {
#define HOME(state, event, next, actions) \
	[CGM_H_##state][CGM_HE_##event] = { (actions), CGM_H_##next, true },
#include "mem/cgm/proto.def"
	},
#undef DO
};

void cgm_table_migratory(struct cgm_table *t)
{
	*t = cgm_table;
#define DO(id) CGM_DO(id)
#define CACHE_MIGRATORY(state, event, next, actions) \
	t->cache[CGM_C_##state][CGM_CE_##event] =    \
		(struct cgm_row){ (actions), CGM_C_##next, true };
#include "mem/cgm/proto.def"
#undef DO
}

const struct cgm_op_info cgm_ops[CGM_OPS] = {
#define OPERATION(id, name, sort, doc) { name, doc, CGM_SORT_##sort },
#include "mem/cgm/proto.def"
};
const struct cgm_msg_info cgm_messages[CGM_MESSAGES] = {
#define MESSAGE(id, name, lane, payload, doc) \
	{ name, doc, CGM_LANE_##lane, payload },
#include "mem/cgm/proto.def"
};
const struct cgm_state_info cgm_cstates[CGM_CSTATES] = {
#define CACHE_STATE(id, name, stable, doc) { name, doc, stable },
#include "mem/cgm/proto.def"
};
const struct cgm_state_info cgm_hstates[CGM_HSTATES] = {
#define HOME_STATE(id, name, stable, doc) { name, doc, stable },
#include "mem/cgm/proto.def"
};
const struct cgm_event_info cgm_cevents[CGM_CEVENTS] = {
#define CACHE_EVENT(id, name, doc) { name, doc },
#include "mem/cgm/proto.def"
};
const struct cgm_event_info cgm_hevents[CGM_HEVENTS] = {
#define HOME_EVENT(id, name, doc) { name, doc },
#include "mem/cgm/proto.def"
};
const struct cgm_event_info cgm_actions[CGM_ACTIONS] = {
#define ACTION(id, doc) { #id, doc },
#include "mem/cgm/proto.def"
};
/* clang-format on */

_Static_assert(CGM_ACTIONS <= 64, "a row has a bit for each action");

uint64_t cgm_mask(unsigned offset, unsigned size)
{
	uint64_t all = size < CGM_BLOCK ? (UINT64_C(1) << size) - 1 :
					  UINT64_MAX;

	return all << offset;
}

void cgm_merge(uint8_t *to, const uint8_t *from, uint64_t mask)
{
	if (mask == UINT64_MAX) {
		memcpy(to, from, CGM_BLOCK);
		return;
	}
	for (; mask; mask &= mask - 1) {
		int i = __builtin_ctzll(mask);

		to[i] = from[i];
	}
}

static uint64_t cgm_rmw(enum cgm_op op, uint64_t old, uint64_t v,
			uint64_t compare)
{
	switch (op) {
	case CGM_OP_ADD:
		return old + v;
	case CGM_OP_AND:
		return old & v;
	case CGM_OP_OR:
		return old | v;
	case CGM_OP_XOR:
		return old ^ v;
	case CGM_OP_MIN:
		return v < old ? v : old;
	case CGM_OP_MAX:
		return v > old ? v : old;
	case CGM_OP_CAS:
		return old == compare ? v : old;
	default: /* CGM_OP_SWAP */
		return v;
	}
}

void cgm_perform(uint8_t *block, struct cgm_packet *access)
{
	uint64_t old = 0, v = 0, compare = 0;

	if (access->bare)
		return;
	switch (cgm_ops[access->op].sort) {
	case CGM_SORT_READ:
		memcpy(access->data, block, CGM_BLOCK);
		break;
	case CGM_SORT_WRITE:
		cgm_merge(block, access->data, access->mask);
		break;
	case CGM_SORT_RMW:
		memcpy(&old, block + access->offset, access->size);
		memcpy(&v, access->data + access->offset, access->size);
		memcpy(&compare, &access->compare, access->size);
		v = cgm_rmw((enum cgm_op)access->op, old, v, compare);
		memcpy(block + access->offset, &v, access->size);
		memcpy(access->data + access->offset, &old, access->size);
		break;
	default:
		break;
	}
}

enum cgm_cevent cgm_access_event(enum cgm_op op, bool coherent)
{
	switch (cgm_ops[op].sort) {
	case CGM_SORT_READ:
		return coherent ? CGM_CE_LOAD : CGM_CE_NC_LOAD;
	case CGM_SORT_WRITE:
		return coherent ? CGM_CE_STORE : CGM_CE_NC_STORE;
	case CGM_SORT_RMW:
		return coherent ? CGM_CE_STORE : CGM_CE_NC_RMW;
	default:
		return CGM_CE_FLUSH;
	}
}

enum cgm_cevent cgm_cache_event(const struct cgm_copy *c,
				const struct cgm_packet *p)
{
	switch (p->kind) {
	case CGM_DATA_S:
		return CGM_CE_DATA_S;
	case CGM_DATA_E:
		return CGM_CE_DATA_E;
	case CGM_DATA_X:
		return c->acks + p->acks ? CGM_CE_DATA_XW : CGM_CE_DATA_X;
	case CGM_UPGRADED:
		return c->acks + p->acks ? CGM_CE_UPGRADEDW : CGM_CE_UPGRADED;
	case CGM_INV_ACK:
		return c->state == CGM_C_XA && c->acks == 1 ? CGM_CE_INV_LAST :
							      CGM_CE_INV_ACK;
	case CGM_INVAL:
		return CGM_CE_INVAL;
	case CGM_FWD_GETS:
		return CGM_CE_FWD_GETS;
	case CGM_FWD_GETX:
		return CGM_CE_FWD_GETX;
	case CGM_RECALL:
		return CGM_CE_RECALL;
	case CGM_PUT_ACK:
		return CGM_CE_PUT_ACK;
	case CGM_FLUSHED:
		return CGM_CE_FLUSHED;
	case CGM_NC_DATA:
		return CGM_CE_NC_DATA;
	case CGM_NC_ACK:
		return CGM_CE_NC_ACK;
	default:
		BUG("a message that no cache receives");
	}
}

static bool cgm_is_reader(const struct cgm_dir *h, unsigned agent)
{
	return h->readers[agent / 64] >> agent % 64 & 1;
}

enum cgm_hevent cgm_home_event(const struct cgm_dir *h,
			       const struct cgm_packet *p)
{
	switch (p->kind) {
	case CGM_GETS:
		return CGM_HE_GETS;
	case CGM_GETX:
		return CGM_HE_GETX;
	case CGM_UPGRADE:
		return h->state == CGM_H_SH && cgm_is_reader(h, p->from) ?
			       CGM_HE_UPGRADE :
			       CGM_HE_GETX;
	case CGM_PUTX:
		return h->state == CGM_H_X && h->owner == p->from ?
			       CGM_HE_PUTX :
			       CGM_HE_PUTX_OLD;
	case CGM_FLUSH:
		return h->dirty ? CGM_HE_FLUSH_D : CGM_HE_FLUSH;
	case CGM_NC_GET:
		return CGM_HE_NC_GET;
	case CGM_NC_PUT:
		return CGM_HE_NC_PUT;
	case CGM_NC_ATOMIC:
		return CGM_HE_NC_ATOMIC;
	case CGM_MC_DATA:
		return CGM_HE_MC_DATA;
	case CGM_MC_ACK:
		return CGM_HE_MC_ACK;
	case CGM_UNBLOCK:
		return CGM_HE_UNBLOCK;
	case CGM_DOWNGRADE:
		return CGM_HE_DOWNGRADE;
	case CGM_MOVED:
		return CGM_HE_MOVED;
	case CGM_INV_ACK:
	case CGM_RECALLED:
		return h->acks == 1 ? CGM_HE_INV_LAST : CGM_HE_INV_ACK;
	default:
		BUG("a message that no home receives");
	}
}

/*
 * Caches
 */

static void cgm_copy_send(const struct cgm_copy *c, enum cgm_msg kind,
			  uint16_t to, const struct cgm_env *env)
{
	struct cgm_packet p = { .block = c->block,
				.from = env->self,
				.to = to,
				.requester = env->self,
				.kind = (uint8_t)kind,
				.dirty = c->dirty && cgm_messages[kind].payload,
				.bare = env->bare,
				.mask = UINT64_MAX };

	if (kind == CGM_NC_PUT) {
		p.mask = c->mask;
		p.dirty = true;
	}
	if (cgm_messages[kind].payload && !env->bare)
		memcpy(p.data, c->data, CGM_BLOCK);
	env->send(env->ctx, &p);
}

/* An action that sends, and what it sends. */
struct cgm_sends {
	uint64_t action;
	enum cgm_msg kind;
};

static const struct cgm_sends copy_to_home[] = {
	{ CGM_DO(GETS), CGM_GETS },       { CGM_DO(GETX), CGM_GETX },
	{ CGM_DO(UPGRADE), CGM_UPGRADE }, { CGM_DO(PUTX), CGM_PUTX },
	{ CGM_DO(FLUSH), CGM_FLUSH },     { CGM_DO(NC_GET), CGM_NC_GET },
	{ CGM_DO(NC_PUT), CGM_NC_PUT },   { CGM_DO(UNBLOCK), CGM_UNBLOCK },
	{ CGM_DO(COPY), CGM_DOWNGRADE },  { CGM_DO(RETURN), CGM_RECALLED },
	{ CGM_DO(MOVED), CGM_MOVED },
};

static const struct cgm_sends copy_to_requester[] = {
	{ CGM_DO(INV_ACK), CGM_INV_ACK },
	{ CGM_DO(SHARE), CGM_DATA_S },
	{ CGM_DO(GIVE), CGM_DATA_X },
	{ CGM_DO(DATA_E), CGM_DATA_E },
};

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

static void cgm_copy_sends(const struct cgm_copy *c, uint64_t actions,
			   const struct cgm_packet *p,
			   const struct cgm_env *env)
{
	for (unsigned i = 0; i < LENGTH(copy_to_home); i++)
		if (actions & copy_to_home[i].action)
			cgm_copy_send(c, copy_to_home[i].kind, env->home, env);
	for (unsigned i = 0; i < LENGTH(copy_to_requester); i++)
		if (actions & copy_to_requester[i].action)
			cgm_copy_send(c, copy_to_requester[i].kind,
				      p->requester, env);
	if (actions & CGM_DO(NC_ATOMIC)) {
		struct cgm_packet out;

		cgm_packet_copy(&out, p);
		out.kind = CGM_NC_ATOMIC;
		out.from = out.requester = env->self;
		out.to = env->home;
		env->send(env->ctx, &out);
	}
}

uint64_t cgm_cache_step(struct cgm_copy *c, enum cgm_cevent e,
			const struct cgm_packet *p, const struct cgm_env *env,
			bool *hole)
{
	const struct cgm_row *r = &env->table->cache[c->state][e];
	uint64_t actions = r->actions;

	*hole = !r->there;
	if (*hole)
		return 0;
	if (actions & CGM_DO(FILL) && !env->bare)
		memcpy(c->data, p->data, CGM_BLOCK);
	if (actions & CGM_DO(COUNT))
		c->acks = (int16_t)(c->acks + p->acks);
	if (actions & CGM_DO(ACKED))
		c->acks--;
	if (actions & ~(CGM_DO(HIT) | CGM_DO(JOIN) | CGM_DO(STALL)))
		cgm_copy_sends(c, actions, p, env);
	c->state = r->next;
	if (r->next == CGM_C_M)
		c->dirty = true;
	else if (cgm_cstates[r->next].stable || r->next == CGM_C_II)
		c->dirty = false;
	if (r->next == CGM_C_I || r->next == CGM_C_N)
		c->mask = 0;
	return actions;
}

/*
 * Homes
 */

static unsigned cgm_count_readers(const struct cgm_dir *h)
{
	unsigned n = 0;

	for (unsigned i = 0; i < CGM_WORDS; i++)
		n += (unsigned)__builtin_popcountll(h->readers[i]);
	return n;
}

static void cgm_home_send(const struct cgm_dir *h, enum cgm_msg kind,
			  uint16_t to, uint16_t requester, int16_t acks,
			  const struct cgm_env *env)
{
	struct cgm_packet p = { .block = h->block,
				.from = env->self,
				.to = to,
				.requester = requester,
				.kind = (uint8_t)kind,
				.acks = acks,
				.dirty = h->dirty && cgm_messages[kind].payload,
				.bare = env->bare,
				.mask = UINT64_MAX };

	if (cgm_messages[kind].payload && !env->bare)
		memcpy(p.data, h->data, CGM_BLOCK);
	env->send(env->ctx, &p);
}

/* Sends inval to all readers but one. */
static void cgm_send_invals(const struct cgm_dir *h, unsigned but,
			    uint16_t requester, const struct cgm_env *env)
{
	for (unsigned w = 0; w < CGM_WORDS; w++)
		for (uint64_t m = h->readers[w]; m; m &= m - 1) {
			unsigned a = 64 * w + (unsigned)__builtin_ctzll(m);

			if (a != but)
				cgm_home_send(h, CGM_INVAL, (uint16_t)a,
					      requester, 0, env);
		}
}

/* What goes to the requester, to the owner, to memory. */
static const struct cgm_sends home_to_requester[] = {
	{ CGM_DO(DATA_S), CGM_DATA_S },   { CGM_DO(DATA_E), CGM_DATA_E },
	{ CGM_DO(PUT_ACK), CGM_PUT_ACK }, { CGM_DO(FLUSHED), CGM_FLUSHED },
	{ CGM_DO(DATA_X), CGM_DATA_X },   { CGM_DO(UPGRADED), CGM_UPGRADED },
	{ CGM_DO(NC_ACK), CGM_NC_ACK },
};
static const struct cgm_sends home_to_owner[] = {
	{ CGM_DO(FWD_GETS), CGM_FWD_GETS },
	{ CGM_DO(FWD_GETX), CGM_FWD_GETX },
};
static const struct cgm_sends home_to_memory[] = {
	{ CGM_DO(MC_LOAD), CGM_MC_LOAD },
	{ CGM_DO(MC_STORE), CGM_MC_STORE },
};

static void cgm_home_sends(struct cgm_dir *h, uint64_t actions, uint16_t to,
			   const struct cgm_env *env)
{
	bool grants = actions & (CGM_DO(DATA_X) | CGM_DO(UPGRADED));
	int16_t others = 0;

	if (grants)
		others = (int16_t)(cgm_count_readers(h) - cgm_is_reader(h, to));
	for (unsigned i = 0; i < LENGTH(home_to_requester); i++)
		if (actions & home_to_requester[i].action)
			cgm_home_send(h, home_to_requester[i].kind, to, to,
				      others, env);
	for (unsigned i = 0; i < LENGTH(home_to_owner); i++)
		if (actions & home_to_owner[i].action)
			cgm_home_send(h, home_to_owner[i].kind, h->owner, to, 0,
				      env);
	for (unsigned i = 0; i < LENGTH(home_to_memory); i++)
		if (actions & home_to_memory[i].action)
			cgm_home_send(h, home_to_memory[i].kind, env->home,
				      env->self, 0, env);
	if (actions & CGM_DO(INVALS))
		cgm_send_invals(h, to, to, env);
	if (actions & CGM_DO(MC_PUT) && h->dirty)
		cgm_home_send(h, CGM_MC_PUT, env->home, env->self, 0, env);
}

/* Takes copies back: how many caches must answer the home. */
static void cgm_home_recalls(struct cgm_dir *h, uint64_t actions,
			     const struct cgm_env *env)
{
	if (actions & CGM_DO(RECALLS)) {
		h->acks = (int16_t)cgm_count_readers(h);
		cgm_send_invals(h, CGM_AGENTS, env->self, env);
	}
	if (actions & CGM_DO(RECALL)) {
		h->acks = 1;
		cgm_home_send(h, CGM_RECALL, h->owner, env->self, 0, env);
	}
}

static void cgm_add_reader(struct cgm_dir *h, unsigned agent)
{
	h->readers[agent / 64] |= UINT64_C(1) << agent % 64;
}

/* Who has the block from now on. */
static void cgm_home_list(struct cgm_dir *h, uint64_t actions)
{
	if (actions & CGM_DO(READER))
		cgm_add_reader(h, h->requester);
	if (actions & (CGM_DO(BOTH) | CGM_DO(OWNER) | CGM_DO(ALONE)))
		memset(h->readers, 0, sizeof(h->readers));
	if (actions & CGM_DO(BOTH)) {
		cgm_add_reader(h, h->requester);
		cgm_add_reader(h, h->owner);
	}
	if (actions & CGM_DO(OWNER))
		h->owner = h->requester;
}

/* An atomic of a cache that is not coherent: the old bytes go back. */
static void cgm_home_answer(struct cgm_dir *h, uint64_t actions,
			    const struct cgm_packet *p,
			    const struct cgm_env *env)
{
	bool executes = actions & CGM_DO(EXECUTE);
	struct cgm_packet out;

	cgm_packet_copy(&out, p);
	if (executes)
		cgm_perform(h->data, &out);
	else if (!p->bare)
		memcpy(out.data, h->data, CGM_BLOCK);
	h->dirty |= executes;
	out.kind = CGM_NC_DATA;
	out.to = p->requester;
	out.from = env->self;
	env->send(env->ctx, &out);
}

/* Data that comes with a packet. */
static void cgm_home_take(struct cgm_dir *h, uint64_t actions,
			  const struct cgm_packet *p)
{
	if (actions & CGM_DO(FILL)) {
		if (!p->bare)
			memcpy(h->data, p->data, CGM_BLOCK);
		h->dirty = false;
	}
	if (actions & CGM_DO(MERGE) && p->dirty) {
		if (!p->bare)
			cgm_merge(h->data, p->data, p->mask);
		h->dirty = true;
	}
}

uint64_t cgm_home_step(struct cgm_dir *h, enum cgm_hevent e,
		       const struct cgm_packet *p, const struct cgm_env *env,
		       bool *hole)
{
	const struct cgm_row *r = &env->table->home[h->state][e];
	uint64_t actions = r->actions;

	*hole = !r->there;
	if (*hole)
		return 0;
	h->state = r->next;
	if (actions == CGM_DO(STALL))
		return actions;
	cgm_home_take(h, actions, p);
	if (actions & CGM_DO(ACKED))
		h->acks--;
	if (actions & CGM_DO(BEGIN))
		h->requester = p->requester;
	if (actions & (CGM_DO(NC_DATA)))
		cgm_home_answer(h, actions, p, env);
	else
		cgm_home_sends(h, actions,
			       e == CGM_HE_MC_ACK ? h->requester :
			       p                  ? p->requester :
						    0,
			       env);
	cgm_home_recalls(h, actions, env);
	cgm_home_list(h, actions);
	if (r->next == CGM_H_NP)
		h->dirty = false;
	return actions;
}
