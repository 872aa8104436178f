#include "apu/bridge.h"

#include "base/minmax.h"

/*
 * CGM's side: one thread for each port
 */

static cycle_t bridge_ask(void *ctx, cycle_t now, struct cgm_request *r)
{
	static const uint8_t nothing[CGM_BLOCK];
	struct bridge_port *p = ctx;
	struct bridge_request *q = &p->queue[p->first];

	if (!p->count || p->holds)
		return CYCLE_NEVER;
	if (q->at > now)
		return q->at;
	*r = (struct cgm_request){ .tag = q->pending,
				   .address = q->address,
				   .op = (enum cgm_op)q->op,
				   .size = q->size,
				   .mask = q->mask,
				   .value = nothing };
	p->credits += q->last && q->pending < BRIDGE_PENDING;
	p->holds = q->op == CGM_OP_FENCE && q->pending < BRIDGE_PENDING;
	p->fences += p->holds;
	p->sent++;
	p->first = (p->first + 1) % BRIDGE_QUEUE;
	p->count--;
	return now;
}

static void bridge_answer(void *ctx, cycle_t now, const struct cgm_answer *a)
{
	struct bridge_port *p = ctx;
	struct bridge_pending *x = &p->pending[a->tag % BRIDGE_PENDING];
	uint32_t at = (p->done_first + p->done_count) % BRIDGE_PENDING;

	if (a->tag == BRIDGE_FENCE) {
		p->fencing = false;
		return;
	}
	if (a->tag >= BRIDGE_COPY) {
		p->copy_left[a->tag - BRIDGE_COPY]--;
		return;
	}
	if (--x->left)
		return;
	p->holds &= x->msg.kind != MSG_FENCE;
	p->done[at] = (struct bridge_done){ x->msg, now };
	p->done_count++;
	x->next = p->free;
	p->free = (uint32_t)a->tag;
}

/*
 * The GPU's side
 */

static void queue_add(struct bridge *b, struct bridge_port *p,
		      const struct bridge_request *r)
{
	CHECK(p->count < BRIDGE_QUEUE);
	p->queue[(p->first + p->count++) % BRIDGE_QUEUE] = *r;
	if (p->count == 1)
		cgm_system_wake(b->memory, p->source);
}

/* The bytes of a block that a write has, from the masks of its sectors. */
static uint64_t block_mask(const struct msg *m, unsigned half)
{
	uint64_t low = m->bytes[2 * half], high = m->bytes[2 * half + 1];

	return low | high << CHUNK_SECTOR_BYTES;
}

/* One request for each block of the chunk. */
static unsigned add_blocks(struct bridge *b, struct bridge_port *p,
			   const struct msg *m, struct bridge_request *r)
{
	bool writes = m->kind == MSG_WRITE;
	unsigned n = 0;

	r->op = writes ? CGM_OP_STORE : CGM_OP_LOAD;
	r->size = CGM_BLOCK;
	for (unsigned half = 0; half < CHUNK_BYTES / CGM_BLOCK; half++) {
		bool more = m->sectors >> 2 * (half + 1) != 0;

		if (!(m->sectors >> 2 * half & 3))
			continue;
		r->address = m->chunk * CHUNK_BYTES + half * CGM_BLOCK;
		r->mask = writes ? block_mask(m, half) : 0;
		r->last = !more;
		queue_add(b, p, r);
		n++;
	}
	return n;
}

/* Whether an earlier lane has the same address. */
static bool lane_repeats(const struct atomic *a, unsigned lane)
{
	for (unsigned i = 0; i < lane; i++)
		if ((a->mask >> i & 1) && a->addr[i] == a->addr[lane])
			return true;
	return false;
}

/* As many bytes as an address is a multiple of: an atomic has no more. */
static uint8_t atomic_size(uint64_t address)
{
	return (uint8_t)(address & -address & 7 ? address & -address & 7 : 8);
}

/* One request for each address; lanes on one address combine. */
static unsigned add_atomics(struct bridge *b, struct bridge_port *p,
			    const struct msg *m, struct bridge_request *r)
{
	const struct atomic *a = &b->views[m->source]->atomics[m->id];
	unsigned n = 0;

	r->op = CGM_OP_ADD;
	for (unsigned l = 0; l < LANES; l++) {
		if (!(a->mask >> l & 1) ||
		    a->addr[l] / CHUNK_BYTES != m->chunk || lane_repeats(a, l))
			continue;
		r->size = atomic_size(a->addr[l]);
		r->address = a->addr[l];
		r->last = !n++;
		queue_add(b, p, r);
	}
	return n;
}

/* What came before it in its port is in the caches' order; what comes after it is
 * sent when it has been performed. */
static unsigned add_fence(struct bridge *b, struct bridge_port *p,
			  struct bridge_request *r)
{
	r->op = CGM_OP_FENCE;
	r->size = 1;
	r->last = true;
	queue_add(b, p, r);
	return 1;
}

static unsigned add_requests(struct bridge *b, struct bridge_port *p,
			     const struct msg *m, struct bridge_request *r)
{
	switch (m->kind) {
	case MSG_ATOMIC:
		return add_atomics(b, p, m, r);
	case MSG_FENCE:
		return add_fence(b, p, r);
	default:
		return add_blocks(b, p, m, r);
	}
}

/* The unit's port: scalar loads, constants and code are not for the vectors'. */
static struct bridge_port *port_of_msg(struct bridge *b, const struct msg *m)
{
	return &b->port[2 * m->source + b->is_scalar(m)];
}

static void bridge_request(void *ctx, const struct msg *m)
{
	struct bridge *b = ctx;
	struct bridge_port *p = port_of_msg(b, m);
	struct bridge_request r = { .at = b->offset + m->time * b->period,
				    .pending = p->free };
	struct bridge_pending *x;

	CHECK(p->free < BRIDGE_PENDING);
	x = &p->pending[p->free];
	p->free = x->next;
	x->msg = *m;
	p->in_flight++;
	x->left = add_requests(b, p, m, &r);
	CHECK(x->left);
}

static void take_done(struct bridge *b, struct bridge_port *p,
		      struct mem_outside_event *e)
{
	struct bridge_done *x = &p->done[p->done_first];
	cycle_t at = (x->at - b->offset + b->period - 1) / b->period;

	*e = (struct mem_outside_event){
		.kind = x->msg.kind == MSG_WRITE ? MEM_OUTSIDE_WRITTEN :
						   MEM_OUTSIDE_ANSWER,
		.msg = x->msg,
		.at = max_u64(at + b->reply, b->window),
	};
	p->done_first = (p->done_first + 1) % BRIDGE_PENDING;
	p->done_count--;
	p->in_flight--;
}

static bool take_from(struct bridge *b, struct bridge_port *p,
		      struct mem_outside_event *e)
{
	if (p->credits) {
		p->credits--;
		*e = (struct mem_outside_event){ .kind = MEM_OUTSIDE_CREDIT,
						 .msg.source = p->source_unit };
		return true;
	}
	if (!p->done_count)
		return false;
	take_done(b, p, e);
	return true;
}

/* Port by port, the first one first. */
static bool bridge_next(void *ctx, struct mem_outside_event *e)
{
	struct bridge *b = ctx;

	for (; b->turn < b->ports; b->turn++)
		if (take_from(b, &b->port[b->turn], e))
			return true;
	b->turn = 0;
	return false;
}

static bool bridge_busy(void *ctx)
{
	return !bridge_is_idle(ctx);
}

bool bridge_is_idle(const struct bridge *b)
{
	for (uint32_t i = 0; i < b->ports; i++)
		if (b->port[i].in_flight || b->port[i].credits ||
		    b->port[i].fencing)
			return false;
	return true;
}

void bridge_fence(struct bridge *b, cycle_t at)
{
	for (uint32_t i = 0; i < b->ports; i++) {
		const struct bridge_request r = { .at = at,
						  .op = CGM_OP_FENCE,
						  .size = 1,
						  .pending = BRIDGE_FENCE,
						  .last = true };

		b->port[i].fencing = true;
		queue_add(b, &b->port[i], &r);
	}
}

void bridge_copy(struct bridge *b, uint32_t i, const struct bridge_request *r)
{
	struct bridge_request q = *r;

	q.size = CGM_BLOCK;
	q.pending = BRIDGE_COPY + i;
	b->copy_left[i]++;
	queue_add(b, &b->port[2 * i % b->ports], &q);
}

void bridge_forget(struct bridge *b)
{
	for (uint32_t i = 0; i < b->ports; i++) {
		struct bridge_port *p = &b->port[i];

		p->in_flight -= p->done_count;
		p->done_count = p->credits = 0;
	}
}

uint64_t bridge_sent(const struct bridge *b)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < b->ports; i++)
		n += b->port[i].sent;
	return n;
}

uint64_t bridge_fences(const struct bridge *b)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < b->ports; i++)
		n += b->port[i].fences;
	return n;
}

enum err bridge_init(struct bridge *b, struct arena *a,
		     struct cgm_system *memory, uint32_t units, bool coherent,
		     bridge_scalar *is_scalar, struct diag *d)
{
	*b = (struct bridge){ .memory = memory,
			      .is_scalar = is_scalar,
			      .outside = { .ctx = b,
					   .fences = !coherent,
					   .request = bridge_request,
					   .next = bridge_next,
					   .busy = bridge_busy },
			      .ports = 2 * units,
			      .port = arena_new(a, struct bridge_port,
						2 * units) };
	if (!b->port)
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < b->ports; i++) {
		struct bridge_port *p = &b->port[i];

		p->source = cgm_system_source(
			memory, i % 2 ? CGM_PORT_SCALAR : CGM_PORT_VECTOR,
			i / 2);
		p->source->driver =
			(struct cgm_driver){ bridge_ask, bridge_answer, p };
		p->source_unit = i / 2;
		p->copy_left = b->copy_left;
		for (uint32_t k = 0; k < BRIDGE_PENDING; k++)
			p->pending[k].next = k + 1;
	}
	return ERR_OK;
}
