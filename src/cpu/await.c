/*
 * Stores of other cores.
 *
 * Function is ahead of time: a load that is fetched finds what another core's store
 * has written when that was fetched, which may be long before it is performed. Where
 * it does, the load is held, and fetch with it, until the store has been performed;
 * before that the program would still have found the old value. A program that spins
 * until another thread writes so waits for the store, and then for the block.
 *
 * A filter, counters by hash of 16 bytes, says quickly that a core has no such store.
 */
#include "cpu/core.h"

enum { AWAIT_GRAIN = 16, AWAIT_COUNTERS = 4096 };

/* An entry of the queue that is not renamed before it is released. */
static const cycle_t held = (cycle_t)1 << 62;

bool cpu_await_init(struct cpu_core *c, struct arena *a)
{
	c->announced = arena_new(a, uint16_t, AWAIT_COUNTERS);
	return c->announced;
}

static uint32_t cpu_await_hash(uint64_t grain)
{
	return (uint32_t)((grain ^ grain >> 12) & (AWAIT_COUNTERS - 1));
}

/* Adds `by` to the counters of an access. */
static void cpu_await_count(struct cpu_core *c, uint64_t address,
			    uint32_t bytes, int by)
{
	uint64_t last = (address + bytes - 1) / AWAIT_GRAIN;

	for (uint64_t g = address / AWAIT_GRAIN; g <= last; g++) {
		uint16_t *to = &c->announced[cpu_await_hash(g)];

		*to = (uint16_t)(*to + by);
	}
	c->announcements = (uint32_t)((int)c->announcements + by);
}

static bool cpu_await_may(const struct cpu_core *c, uint64_t address,
			  uint32_t bytes)
{
	uint64_t last = (address + bytes - 1) / AWAIT_GRAIN;

	if (!c->announcements)
		return false;
	for (uint64_t g = address / AWAIT_GRAIN; g <= last; g++)
		if (c->announced[cpu_await_hash(g)])
			return true;
	return false;
}

static bool cpu_await_writes(const struct uop *op)
{
	return op->kind == UOP_STORE || op->kind == UOP_ATOMIC;
}

static bool cpu_await_reads(const struct uop *op)
{
	return op->kind == UOP_LOAD || op->kind == UOP_ATOMIC;
}

void cpu_await_announce(struct cpu_core *c, struct cpu_context *x,
			struct cpu_fetched *f)
{
	unsigned n = 0;

	if (!c->peers)
		return;
	f->stamp = ++*c->order;
	for (unsigned i = 0; i < f->inst->uops; i++) {
		const struct uop *op = &f->inst->uop[i];

		if (op->kind < UOP_LOAD)
			continue;
		if (cpu_await_writes(op)) {
			uint64_t at = cpu_access_address(f, n);

			cpu_await_count(c, at, cpu_access_bytes(f, op), 1);
			if (op->kind == UOP_ATOMIC) {
				x->atomic = at;
				x->atomic_bytes = cpu_access_bytes(f, op);
				x->atomic_stamp = f->stamp;
			}
		}
		n++;
	}
}

void cpu_await_performed(struct cpu_core *c, uint64_t address, uint32_t bytes)
{
	if (c->peers)
		cpu_await_count(c, address, bytes, -1);
}

/* What a load finds: bytes, and the stamp of its instruction. */
struct cpu_found {
	uint64_t address, stamp;
	uint32_t bytes;
};

static bool cpu_await_overlap(const struct cpu_found *load, uint64_t address,
			      uint32_t bytes)
{
	return load->address < address + bytes &&
	       address < load->address + load->bytes;
}

/* Whether a fetched instruction that is not renamed writes these bytes. */
static bool cpu_await_queued(const struct cpu_fetched *f,
			     const struct cpu_found *load)
{
	unsigned n = 0;

	if (f->wrong || f->idle || f->stamp > load->stamp)
		return false;
	for (unsigned i = 0; i < f->inst->uops; i++) {
		const struct uop *op = &f->inst->uop[i];

		if (op->kind < UOP_LOAD)
			continue;
		if (cpu_await_writes(op) &&
		    cpu_await_overlap(load, cpu_access_address(f, n),
				      cpu_access_bytes(f, op)))
			return true;
		n++;
	}
	return false;
}

static bool cpu_await_context(const struct cpu_core *c,
			      const struct cpu_context *x,
			      const struct cpu_found *load)
{
	if (x->atomic_bytes && x->atomic_stamp < load->stamp &&
	    cpu_await_overlap(load, x->atomic, x->atomic_bytes))
		return true;
	for (uint32_t n = 0; n < x->stores; n++) {
		const struct cpu_store *o = cpu_store_at(c, x, n);

		if (!o->wrong && !o->done && o->stamp < load->stamp &&
		    cpu_await_overlap(load, o->address, o->bytes))
			return true;
	}
	for (uint32_t n = 0; n < x->count; n++)
		if (cpu_await_queued(cpu_fetched_at(c, x, n), load))
			return true;
	return false;
}

/* Whether a core has yet to write what a load has found. */
static bool cpu_await_core(const struct cpu_core *c,
			   const struct cpu_found *load)
{
	if (!cpu_await_may(c, load->address, load->bytes))
		return false;
	for (int64_t t = 0; t < c->cfg.threads; t++)
		if (cpu_await_context(c, &c->context[t], load))
			return true;
	return false;
}

static bool cpu_await_peers(const struct cpu_core *c,
			    const struct cpu_found *load)
{
	for (unsigned k = 0; k < c->peers; k++)
		if (c->peer[k] != c && cpu_await_core(c->peer[k], load))
			return true;
	return false;
}

static bool cpu_await_must(const struct cpu_core *c,
			   const struct cpu_fetched *f)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->inst->uops; i++) {
		const struct uop *op = &f->inst->uop[i];
		struct cpu_found load = { .address = cpu_access_address(f, n),
					  .bytes = cpu_access_bytes(f, op),
					  .stamp = f->stamp };

		if (op->kind < UOP_LOAD)
			continue;
		n++;
		if (cpu_await_reads(op) && cpu_await_peers(c, &load))
			return true;
	}
	return false;
}

static struct cpu_fetched *cpu_await_last(const struct cpu_core *c,
					  const struct cpu_context *x)
{
	return cpu_fetched_at(c, x, x->count - 1);
}

bool cpu_await_hold(struct cpu_core *c, struct cpu_context *x)
{
	struct cpu_fetched *f = cpu_await_last(c, x);

	if (!cpu_await_must(c, f))
		return false;
	f->cycle = held;
	x->awaits = true;
	c->st.awaited++;
	return true;
}

void cpu_await_poll(struct cpu_core *c, struct cpu_context *x, cycle_t cycle)
{
	struct cpu_fetched *f = cpu_await_last(c, x);

	c->active = true;
	x->why = CPU_FRONT_ORDER;
	if (cpu_await_must(c, f))
		return;
	f->cycle = cycle;
	x->awaits = false;
}
