/*
 * Constants and code that are requested from the memory (lsu_env.came): loads of
 * constants wait for tokens, as those of global memory do; operands and code have
 * requests of their own, which wait for credit and port in a ring.
 */
#include "sm/lsu_impl.h"

/* The other bits of an id of L1_ID_SCALAR: none of them, and a flight; or: */
enum {
	ASK_CODE = 1 << 30,
	ASK_OPERAND = 1 << 29,              /* and a sub-core */
	ASK_FENCE = ASK_CODE | ASK_OPERAND, /* and a tag */
	ASK_NUMBER = ASK_OPERAND - 1
};

/* Banks of machine code have numbers for addresses, which would be those of other
 * things: their place is far behind all memory. */
#define BANKS (UINT64_C(1) << 32)
#define BANKS_SPACE (UINT64_C(1) << 57)

bool lsu_make_asking(struct lsu *u, struct arena *a)
{
	const struct cfg *c = u->env.cfg;
	uint32_t lines = (uint32_t)c->front.prefetch_lines + 2;

	/* A warp waits for the last line that it has requested, which is sent
	 * after those before it: its own, the next one, and what each of
	 * them lets the prefetcher request. And for one operand, or a fence. */
	u->asking = arena_new(a, struct lsu_asking, 1);
	if (!u->asking)
		return false;
	u->asking->room = LSU_WARPS * (2 * lines + 1);
	u->asking->ring = arena_room(a, struct lsu_asked, u->asking->room);
	return u->asking->ring != NULL;
}

static bool is_fence(uint32_t id)
{
	return (id & ASK_FENCE) == ASK_FENCE;
}

static void ask(struct lsu *u, cycle_t now, const struct lsu_asked *r)
{
	struct lsu_asking *x = u->asking;

	CHECK(x->count < x->room);
	x->ring[(x->at + x->count++) % x->room] = *r;
	if (now + 1 < u->freed)
		u->freed = now + 1;
	if (u->freed < u->head.next)
		u->head.next = u->freed;
	u->head.only_queued = false;
}

void lsu_send_asked(struct lsu *u, cycle_t now)
{
	struct lsu_asking *x = u->asking;

	while (x->count) {
		const struct lsu_asked *r = &x->ring[x->at];
		cycle_t when;

		if (l1_send_scalar(u->l1, now, is_fence(r->id), r->address,
				   r->bytes, r->id, &when) != L1_GO) {
			/* Without a credit, lsu_answer says when. */
			u->freed = when < u->freed ? when : u->freed;
			return;
		}
		x->at = (x->at + 1) % x->room;
		x->count--;
	}
}

void lsu_ask_code(struct lsu *u, cycle_t now, uint64_t address, uint32_t bytes)
{
	ask(u, now,
	    &(struct lsu_asked){ address, bytes, L1_ID_SCALAR | ASK_CODE });
}

void lsu_ask_fence(struct lsu *u, cycle_t now, uint32_t tag)
{
	ask(u, now,
	    &(struct lsu_asked){ 0, CHUNK_SECTOR_BYTES,
				 L1_ID_SCALAR | ASK_FENCE | tag });
}

static uint64_t line_address(const struct lsu *u, uint64_t line)
{
	uint64_t at = line * constcache_line_bytes(u->cc);

	return at < BANKS ? at + BANKS_SPACE : at;
}

void lsu_ask_operand(struct lsu *u, cycle_t now, uint32_t subcore,
		     uint64_t access)
{
	uint64_t line = constcache_line(u->cc, access);

	ask(u, now,
	    &(struct lsu_asked){ line_address(u, line),
				 constcache_line_bytes(u->cc),
				 L1_ID_SCALAR | ASK_OPERAND | subcore });
}

bool lsu_same_constants(const struct lsu *u, uint64_t a, uint64_t b)
{
	uint32_t bytes = constcache_line_bytes(u->cc);

	return a / bytes == b / bytes;
}

bool lsu_ask_constant(struct lsu *u, const struct lsu_entry *e, cycle_t issued)
{
	struct flight *f = &u->flight[e->flight];
	uint64_t access = e->unit[e->at].number, line;
	cycle_t t = issued;
	cycle_t ready = constcache_read(u->cc, e->subcore, access,
					e->flags & TIMED_PARAMETER, issued, &t);

	if (ready != CYCLE_NEVER) {
		f->ready = ready > f->ready ? ready : f->ready;
		return true;
	}
	line = constcache_line(u->cc, access);
	l1_read_scalar(u->l1, line_address(u, line),
		       constcache_line_bytes(u->cc), L1_ID_SCALAR | e->flight);
	return false;
}

uint32_t lsu_asked_came(struct lsu *u, cycle_t now, uint32_t id, uint64_t chunk,
			unsigned sectors)
{
	uint64_t at = chunk * CHUNK_BYTES +
		      (unsigned)__builtin_ctz(sectors) * CHUNK_SECTOR_BYTES;
	uint32_t number = id & ASK_NUMBER;
	bool operand = id & ASK_OPERAND;

	if (is_fence(id)) {
		u->env.done(u->env.ctx, number, now);
		return LSU_NONE;
	}
	if (id & ASK_CODE) {
		u->env.came(u->env.ctx, now, false, 0, at);
		return LSU_NONE;
	}
	at = at >= BANKS_SPACE ? at - BANKS_SPACE : at;
	constcache_fill(u->cc, operand ? number : u->flight[number].subcore,
			at / constcache_line_bytes(u->cc));
	if (!operand)
		return number;
	u->env.came(u->env.ctx, now, true, number, at);
	return LSU_NONE;
}
