/*
 * Builds a CGM system: the clocks, the ring, then element by element with its
 * wires.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "base/team.h"
#include "mem/cgm/build.h"
#include "mem/partition.h"

static enum err cgm_no_memory(struct diag *d)
{
	return fail(d, ERR_NOMEM, "out of memory");
}

/*
 * Wires
 */

/* The buffers between a processor, its L1 and its L2, and their width: a block
 * with its header in a cycle. */
enum { LOCAL_ROOM = 8, LOCAL_BYTES = CGM_BLOCK + CGM_HEADER };

/* A wire of `latency` cycles of a clock. NULL: out of memory. */
static struct cgm_wire *cgm_build_wire(struct cgm_system *s, cycle_t period,
				       uint32_t latency, uint32_t bytes,
				       uint32_t room, uint32_t burst)
{
	struct cgm_wire_config cfg = { .latency = latency * period,
				       .beat = period,
				       .width = bytes,
				       .room = room,
				       .burst = burst,
				       .bare = s->options.bare,
				       .jitter = s->options.jitter,
				       .seed = s->options.seed + s->wires + 1 };
	struct cgm_wire *w;

	CHECK(s->wires < s->wire_room);
	w = cgm_wire_new(&s->arena, &cfg);
	if (w) {
		s->wire[s->wires++] = w;
		s->window = min_u64(s->window, cfg.latency);
	}
	return w;
}

/* Both directions of a link of the ring, or of the GPU or memory to it. */
static bool cgm_build_link(struct cgm_system *s, struct cgm_wire *pair[2])
{
	const struct cfg_cgm *c = &s->cfg->cgm;

	for (unsigned i = 0; i < 2; i++) {
		pair[i] = cgm_build_wire(s, s->mem_period,
					 (uint32_t)c->link_latency,
					 (uint32_t)c->link_bytes,
					 (uint32_t)c->link_room, 1);
		if (!pair[i])
			return false;
	}
	return true;
}

/* burst: messages that pass in a cycle. */
static bool cgm_build_local(struct cgm_system *s, cycle_t period,
			    uint32_t burst, struct cgm_wire *pair[2])
{
	for (unsigned i = 0; i < 2; i++) {
		pair[i] = cgm_build_wire(s, period, 1, LOCAL_BYTES,
					 LOCAL_ROOM * burst, burst);
		if (!pair[i])
			return false;
	}
	return true;
}

/* One end of a pair of wires: "L2 3". */
struct cgm_end {
	const char *what;
	uint32_t number; /* CGM_ALONE: there is one */
};
#define CGM_ALONE UINT32_MAX

static void cgm_end_text(char *text, size_t size, const struct cgm_end *e)
{
	if (e->number == CGM_ALONE)
		snprintf(text, size, "%s", e->what);
	else
		snprintf(text, size, "%s %u", e->what, e->number);
}

/* pair[0] leads from a to b. */
static void cgm_build_names(struct cgm_wire *const pair[2], struct cgm_end a,
			    struct cgm_end b)
{
	char one[24], two[24];

	cgm_end_text(one, sizeof(one), &a);
	cgm_end_text(two, sizeof(two), &b);
	snprintf(pair[0]->name, sizeof(pair[0]->name), "%s to %s", one, two);
	snprintf(pair[1]->name, sizeof(pair[1]->name), "%s to %s", two, one);
}

static void cgm_build_part(struct cgm_system *s, struct cgm_part *p)
{
	CHECK(s->parts < s->part_room);
	s->part[s->parts++] = p;
}

static uint32_t cgm_sets(int64_t bytes, int64_t ways)
{
	return (uint32_t)(bytes / CGM_BLOCK / ways);
}

/*
 * The ring
 */

/* Which switch an element is at, and on which side. */
static uint32_t cgm_place(const struct cgm_system *s, uint32_t node,
			  enum cgm_side *side)
{
	*side = CGM_NORTH;
	if (node < s->cores)
		return node;
	if (node < CGM_AGENTS || node == CGM_NODE_HUB) {
		if (s->gpu_on_ring)
			return s->cores;
		*side = CGM_SOUTH; /* by way of the system agent */
		return s->slices;
	}
	*side = CGM_SOUTH;
	return node < CGM_NODE_MEMORY ? node - CGM_NODE_SLICE : s->slices;
}

/* The way from a switch to a node: the shorter one round the ring. */
static uint8_t cgm_route(const struct cgm_system *s, uint32_t at, uint32_t node)
{
	enum cgm_side side;
	uint32_t to = cgm_place(s, node, &side);
	uint32_t east = (to + s->switches - at) % s->switches;

	if (!east)
		return (uint8_t)side;
	return 2 * east <= s->switches ? CGM_EAST : CGM_WEST;
}

/* link[i]: from switch i to the next, [0] eastwards. north, south: from an
 * element to its switch, and back. */
struct cgm_ring {
	struct cgm_wire *(*link)[2], *(*north)[2], *(*south)[2];
};

static void cgm_name_ring(const struct cgm_system *s, const struct cgm_ring *r,
			  uint32_t i)
{
	const struct cgm_end at = { "switch", i };
	const struct cgm_end next = { "switch", (i + 1) % s->switches };

	cgm_build_names(r->link[i], at, next);
	if (r->north[i][0]) {
		r->north[i][0]->source = true;
		cgm_build_names(r->north[i],
				i < s->cores ?
					(struct cgm_end){ "L2", i } :
					(struct cgm_end){ "hub", CGM_ALONE },
				at);
	}
	if (r->south[i][0]) {
		r->south[i][0]->source = i < s->slices;
		cgm_build_names(r->south[i],
				i < s->slices ?
					(struct cgm_end){ "L3", i } :
					(struct cgm_end){ "agent", CGM_ALONE },
				at);
	}
}

static enum err cgm_build_ring(struct cgm_system *s, struct cgm_ring *r,
			       struct diag *d)
{
	uint32_t n = s->switches;

	r->link = arena_alloc(&s->arena, n, sizeof(*r->link));
	r->north = arena_alloc(&s->arena, n, sizeof(*r->north));
	r->south = arena_alloc(&s->arena, n, sizeof(*r->south));
	s->route = arena_alloc(&s->arena, n, sizeof(*s->route));
	s->crossbar = arena_new(&s->arena, struct cgm_switch *, n);
	if (!r->link || !r->north || !r->south || !s->route || !s->crossbar)
		return cgm_no_memory(d);
	for (uint32_t i = 0; i < n; i++) {
		bool north = i < s->cores + s->gpu_on_ring;

		if (!cgm_build_link(s, r->link[i]) ||
		    (north && !cgm_build_link(s, r->north[i])) ||
		    (i <= s->slices && !cgm_build_link(s, r->south[i])))
			return cgm_no_memory(d);
		cgm_name_ring(s, r, i);
		for (uint32_t k = 0; k < CGM_NODES; k++)
			s->route[i][k] = cgm_route(s, i, k);
	}
	s->links = s->wires;
	return ERR_OK;
}

static enum err cgm_build_switches(struct cgm_system *s,
				   const struct cgm_ring *r, struct diag *d)
{
	uint32_t n = s->switches;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t west = (i + n - 1) % n;
		struct cgm_switch_config cfg = {
			.period = s->mem_period,
			.latency = (uint32_t)s->cfg->cgm.switch_latency,
			.route = s->route[i],
		};
		struct cgm_wire *const wire[CGM_SIDES][2] = {
			[CGM_NORTH] = { r->north[i][0], r->north[i][1] },
			[CGM_SOUTH] = { r->south[i][0], r->south[i][1] },
			[CGM_EAST] = { r->link[i][1], r->link[i][0] },
			[CGM_WEST] = { r->link[west][0], r->link[west][1] },
		};

		if (cgm_switch_new(&s->crossbar[i], &s->arena, &cfg, wire, d))
			return d->code;
		cgm_build_part(s, &s->crossbar[i]->part);
	}
	return ERR_OK;
}

/*
 * Processors' caches
 */

static struct cgm_l1_config cgm_l1_shape(const struct cgm_system *s,
					 uint32_t at)
{
	const struct cfg_cgm *c = &s->cfg->cgm;
	bool gpu = at >= 2 * s->cores, second = at & 1;
	int64_t ways = gpu ? c->gpu_l1_ways : c->l1_ways;
	int64_t bytes = gpu ? (second ? c->scalar_bytes : c->vector_bytes) :
			      (second ? c->l1d_bytes : c->l1i_bytes);
	int64_t mshrs = gpu ? c->gpu_l1_mshrs : c->l1_mshrs;

	return (struct cgm_l1_config){
		.period = gpu ? s->gpu_period : s->cpu_period,
		.sets = cgm_sets(bytes, ways),
		.ways = (uint32_t)ways,
		/* The wires to it and back take a cycle each. */
		.latency =
			(uint32_t)(gpu ? c->gpu_l1_latency : c->l1_latency) - 2,
		.ports = (uint32_t)(gpu    ? 1 :
				    second ? c->l1d_ports :
					     c->l1i_ports),
		.mshrs = (uint32_t)mshrs,
		.waiters = (uint32_t)(gpu ? 4 * mshrs : c->l1_waiters),
		.coherent = (gpu ? c->gpu_protocol : c->cpu_protocol) ==
			    CFG_CGM_PROTOCOL_MESI,
		.translates = !gpu,
		.tlb_sets = (uint32_t)(c->tlb_entries / c->tlb_ways),
		.tlb_ways = (uint32_t)c->tlb_ways,
		.walk_levels = (uint32_t)c->walk_levels,
		.page = (uint32_t)c->page,
	};
}

static void cgm_name_l1(const struct cgm_system *s, uint32_t at,
			struct cgm_wire *const up[2],
			struct cgm_wire *const below[2])
{
	static const char *const l1[2][2] = { { "L1I", "L1D" },
					      { "vector L1", "scalar L1" } };
	static const char *const processor[] = { "core", "unit" };
	bool gpu = at >= 2 * s->cores;
	uint32_t n = gpu ? at / 2 - s->cores : at / 2;
	struct cgm_end e = { l1[gpu][at % 2], n };

	cgm_build_names(up, (struct cgm_end){ processor[gpu], n }, e);
	cgm_build_names(below, e,
			gpu ? (struct cgm_end){ "bank", n / s->bank_cus } :
			      (struct cgm_end){ "L2", n });
}

/* A source with its L1; *below: the wires from the L1 to the L2, and back. */
static enum err cgm_build_l1(struct cgm_system *s, uint32_t at, uint16_t kid,
			     struct cgm_wire *below[2], struct diag *d)
{
	struct cgm_l1_config cfg = cgm_l1_shape(s, at);
	struct cgm_wire *up[2];
	struct cgm_port port;

	if (!cgm_build_local(s, cfg.period, cfg.ports, up) ||
	    !cgm_build_local(s, cfg.period, 1, below))
		return cgm_no_memory(d);
	cgm_name_l1(s, at, up, below);
	cfg.kid = kid;
	if (cgm_l1_new(&s->l1[at], &s->arena, &cfg, up,
		       (struct cgm_wire *[]){ below[1], below[0] }, d))
		return d->code;
	port = (struct cgm_port){ up[0], up[1] };
	cgm_source_init(&s->source[at], cfg.period, &port);
	cgm_build_part(s, &s->source[at].part);
	cgm_build_part(s, &s->l1[at]->part);
	return ERR_OK;
}

static struct cgm_cache_config cgm_l2_shape(const struct cgm_system *s,
					    uint32_t at)
{
	const struct cfg_cgm *c = &s->cfg->cgm;
	bool gpu = at >= s->cores;
	int64_t ways = gpu ? c->gpu_l2_ways : c->l2_ways;

	return (struct cgm_cache_config){
		.table = s->options.table     ? s->options.table :
			 c->migratory && !gpu ? &s->migratory :
						&cgm_table,
		.period = gpu ? s->gpu_period : s->cpu_period,
		.sets = cgm_sets(gpu ? c->gpu_l2_bytes : c->l2_bytes, ways),
		.ways = (uint32_t)ways,
		.latency = (uint32_t)(gpu ? c->gpu_l2_latency : c->l2_latency),
		.snoop = gpu ? 0 : (uint32_t)c->l2_snoop,
		.mshrs = (uint32_t)(gpu ? c->gpu_l2_mshrs : c->l2_mshrs),
		.buffers = (uint32_t)(gpu ? c->gpu_l2_buffers : c->l2_buffers),
		.coherent = (gpu ? c->gpu_protocol : c->cpu_protocol) ==
			    CFG_CGM_PROTOCOL_MESI,
		.self = (uint16_t)at,
		.homes = { gpu ? 0 : s->slices,
			   gpu ? CGM_HUB_HOME : CGM_NODE_SLICE },
		.kid_misses = (uint32_t)(gpu ? c->gpu_l1_mshrs : c->l1_mshrs),
		.prefetch = gpu ? 0 : (uint32_t)c->l2_prefetch,
	};
}

/* The L2 at `at` with the L1s first .. first + kids - 1; net: the wires to it
 * and from it. */
static enum err cgm_build_cache(struct cgm_system *s, uint32_t at,
				uint32_t first, uint32_t kids,
				struct cgm_wire *const net[2], struct diag *d)
{
	struct cgm_cache_config cfg = cgm_l2_shape(s, at);
	struct cgm_wire *kid[CGM_KIDS][2];

	cfg.kids = kids;
	for (uint32_t i = 0; i < kids; i++)
		if (cgm_build_l1(s, first + i, (uint16_t)i, kid[i], d))
			return d->code;
	if (cgm_cache_new(&s->cache[at], &s->arena, &cfg,
			  (struct cgm_wire *const(*)[2])kid, net, d))
		return d->code;
	cgm_build_part(s, &s->cache[at]->part);
	return ERR_OK;
}

/*
 * The GPU
 */

static enum err cgm_build_hub(struct cgm_system *s, struct cgm_wire *(*bank)[2],
			      struct cgm_wire *const net[2], struct diag *d)
{
	const struct cfg_cgm *c = &s->cfg->cgm;
	struct cgm_hub_config cfg = {
		.period = s->mem_period,
		.latency = (uint32_t)c->hub_latency,
		.reverse_latency = (uint32_t)c->hub_reverse,
		.tlb_sets = (uint32_t)(c->hub_entries / c->hub_ways),
		.tlb_ways = (uint32_t)c->hub_ways,
		.walk_levels = (uint32_t)c->walk_levels,
		.page = (uint32_t)c->page,
		.distance = c->shared ? 0 :
					(uint64_t)c->gpu_distance / CGM_BLOCK,
		.homes = { s->gpu_on_ring ? s->slices : 0,
			   s->gpu_on_ring ? CGM_NODE_SLICE : CGM_NODE_MEMORY },
		.self = CGM_NODE_HUB,
		.first_bank = (uint16_t)s->cores,
		.banks = s->banks,
		.room = (uint32_t)c->link_room + 8,
	};

	if (cgm_hub_new(&s->hub, &s->arena, &cfg,
			(struct cgm_wire *const(*)[2])bank, net, d))
		return d->code;
	cgm_build_part(s, &s->hub->part);
	return ERR_OK;
}

/* net: the wires to the hub and from it. */
static enum err cgm_build_gpu(struct cgm_system *s,
			      struct cgm_wire *const net[2], struct diag *d)
{
	uint32_t each = s->bank_cus;
	struct cgm_wire *bank[CGM_BANKS][2];

	for (uint32_t i = 0; i < s->banks; i++) {
		uint32_t cus = (uint32_t)min_u64(each, s->cus - i * each);

		if (!cgm_build_link(s, bank[i]))
			return cgm_no_memory(d);
		cgm_build_names(bank[i], (struct cgm_end){ "bank", i },
				(struct cgm_end){ "hub", CGM_ALONE });
		if (cgm_build_cache(
			    s, s->cores + i, 2 * (s->cores + i * each), 2 * cus,
			    (struct cgm_wire *[]){ bank[i][1], bank[i][0] }, d))
			return d->code;
	}
	return cgm_build_hub(s, bank, net, d);
}

/*
 * L3 and memory
 */

static enum err cgm_build_slice(struct cgm_system *s, uint32_t at,
				struct cgm_wire *const net[2], struct diag *d)
{
	const struct cfg_cgm *c = &s->cfg->cgm;
	struct cgm_slice_config cfg = {
		.table = s->options.table ? s->options.table : &cgm_table,
		.period = s->mem_period,
		.sets = cgm_sets(c->l3_bytes, c->l3_ways),
		.ways = (uint32_t)c->l3_ways,
		.latency = (uint32_t)c->l3_latency,
		.pending = (uint32_t)c->l3_pending,
		.agents = s->caches,
		.slices = s->slices,
		.self = (uint16_t)(CGM_NODE_SLICE + at),
		.memory = CGM_NODE_MEMORY,
	};

	if (cgm_slice_new(&s->slice[at], &s->arena, &cfg, net, d))
		return d->code;
	cgm_build_part(s, &s->slice[at]->part);
	return ERR_OK;
}

static enum err cgm_build_memory(struct cgm_system *s,
				 struct cgm_wire *const net[2], struct diag *d)
{
	const struct cfg_cgm *c = &s->cfg->cgm;
	struct cgm_memory_config cfg = {
		.period = s->mem_period,
		.latency = (uint32_t)c->memory_latency,
		.queue = (uint32_t)c->memory_queue,
		.channels = (uint32_t)s->cfg->dram.channels,
		.self = CGM_NODE_MEMORY,
	};

	if (mem_dram_config(&cfg.dram, s->cfg, d))
		return d->code;
	cfg.dram.core_khz = (uint32_t)s->khz;
	if (cgm_memory_new(&s->memory, &s->arena, &cfg, s->store, net, d))
		return d->code;
	cgm_build_part(s, &s->memory->part);
	return ERR_OK;
}

/* The agent between ring, GPU and memory. */
static enum err cgm_build_agent(struct cgm_system *s,
				struct cgm_wire *const ring[2],
				struct cgm_wire *const gpu[2], struct diag *d)
{
	struct cgm_agent_config cfg = {
		.period = s->mem_period,
		.latency = (uint32_t)s->cfg->cgm.agent_latency,
		.room = (uint32_t)s->cfg->cgm.link_room + 8,
		.gpu_first = (uint16_t)s->cores,
		.gpu_end = (uint16_t)s->caches,
		.hub = CGM_NODE_HUB,
	};
	struct cgm_wire *memory[2];

	if (!cgm_build_link(s, memory))
		return cgm_no_memory(d);
	cgm_build_names(memory, (struct cgm_end){ "agent", CGM_ALONE },
			(struct cgm_end){ "memory", CGM_ALONE });
	memory[1]->source = true;
	if (cgm_agent_new(
		    &s->agent, &s->arena, &cfg,
		    (struct cgm_wire *const[CGM_AGENT_PORTS][2]){
			    [CGM_AGENT_RING] = { ring[1], ring[0] },
			    [CGM_AGENT_GPU] = { gpu[1], gpu[0] },
			    [CGM_AGENT_MEMORY] = { memory[1], memory[0] } },
		    d))
		return d->code;
	cgm_build_part(s, &s->agent->part);
	return cgm_build_memory(s, memory, d);
}

/* The hub's link to the agent. */
static void cgm_name_gpu(struct cgm_wire *const gpu[2])
{
	gpu[0]->source = true;
	cgm_build_names(gpu, (struct cgm_end){ "hub", CGM_ALONE },
			(struct cgm_end){ "agent", CGM_ALONE });
}

/*
 * All of it
 */

static enum err cgm_build_all(struct cgm_system *s, struct diag *d)
{
	struct cgm_wire *gpu[2] = { NULL, NULL }, **hub = gpu;
	struct cgm_ring r;

	if (cgm_build_ring(s, &r, d))
		return d->code;
	for (uint32_t i = 0; i < s->cores; i++)
		if (cgm_build_cache(s, i, 2 * i, 2,
				    (struct cgm_wire *[]){ r.north[i][1],
							   r.north[i][0] },
				    d))
			return d->code;
	for (uint32_t i = 0; i < s->slices; i++)
		if (cgm_build_slice(s, i,
				    (struct cgm_wire *[]){ r.south[i][1],
							   r.south[i][0] },
				    d))
			return d->code;
	if (s->cus && !s->gpu_on_ring && !cgm_build_link(s, gpu))
		return cgm_no_memory(d);
	if (s->gpu_on_ring)
		hub = r.north[s->cores];
	else if (s->cus)
		cgm_name_gpu(gpu);
	if (s->cus &&
	    cgm_build_gpu(s, (struct cgm_wire *[]){ hub[1], hub[0] }, d))
		return d->code;
	/* The agent's end of the GPU's link: hub[0] comes from the hub. */
	if (cgm_build_agent(s,
			    (struct cgm_wire *[]){ r.south[s->slices][0],
						   r.south[s->slices][1] },
			    (struct cgm_wire *[]){ gpu[1], gpu[0] }, d))
		return d->code;
	return cgm_build_switches(s, &r, d);
}

/* Parts of a kind side by side: they run in this order, and the next one finds its
 * code in the host's cache. */
static void cgm_build_kinds(struct cgm_system *s)
{
	for (uint32_t i = 0, end; i < s->parts; i = end) {
		end = i + 1;
		for (uint32_t k = end; k < s->parts; k++) {
			struct cgm_part *p = s->part[k];

			if (p->step != s->part[i]->step)
				continue;
			memmove(&s->part[end + 1], &s->part[end],
				(k - end) * sizeof(*s->part));
			s->part[end++] = p;
		}
	}
}

static void cgm_set_clocks(struct cgm_system *s)
{
	const struct cfg_cgm *c = &s->cfg->cgm;
	double fastest = c->clock;

	if (c->cpu_clock > fastest)
		fastest = c->cpu_clock;
	if (s->cus && c->gpu_clock > fastest)
		fastest = c->gpu_clock;
	s->khz = (uint64_t)(fastest * 1e3 + 0.5);
	s->cpu_period = (cycle_t)(fastest / c->cpu_clock + 0.5);
	s->gpu_period = (cycle_t)(fastest / c->gpu_clock + 0.5);
	s->mem_period = (cycle_t)(fastest / c->clock + 0.5);
}

static bool cgm_set_shape(struct cgm_system *s)
{
	const struct cfg_cgm *c = &s->cfg->cgm;

	s->cores = (uint32_t)c->cores;
	s->cus = (uint32_t)c->cus;
	s->bank_cus = (uint32_t)c->bank_cus;
	s->banks = (s->cus + s->bank_cus - 1) / s->bank_cus;
	s->slices = (uint32_t)c->slices;
	s->caches = s->cores + s->banks;
	s->l1s = 2 * (s->cores + s->cus);
	s->gpu_on_ring = s->cus && c->gpu_at == CFG_CGM_GPU_AT_L3;
	s->switches =
		(uint32_t)max_u64(s->cores + s->gpu_on_ring, s->slices + 1);
	s->window = CYCLE_NEVER;
	s->part_room = 2 * s->l1s + s->caches + s->slices + s->switches + 3 +
		       CGM_ATTACHED;
	s->wire_room = 4 * s->l1s + 6 * s->switches + 2 * s->banks + 4;
	s->part = arena_new(&s->arena, struct cgm_part *, s->part_room);
	s->wire = arena_new(&s->arena, struct cgm_wire *, s->wire_room);
	s->source = arena_new(&s->arena, struct cgm_source, s->l1s);
	s->l1 = arena_new(&s->arena, struct cgm_l1 *, s->l1s);
	s->cache = arena_new(&s->arena, struct cgm_cache *, s->caches);
	s->slice = arena_new(&s->arena, struct cgm_slice *, s->slices);
	return s->part && s->wire && s->source && s->l1 && s->cache && s->slice;
}

enum err cgm_system_new(struct cgm_system **out, const struct cfg *cfg,
			const struct cgm_options *options, struct diag *d)
{
	struct cgm_system *s = calloc(1, sizeof(*s));

	*out = NULL;
	if (!s)
		return cgm_no_memory(d);
	if (cfg->dram.channels > CGM_CHANNELS) {
		cgm_system_free(s);
		return fail(d, ERR_RANGE,
			    "dram.channels = %lld: CGM's memory controller has "
			    "at most %d",
			    (long long)cfg->dram.channels, CGM_CHANNELS);
	}
	s->cfg = cfg;
	s->options = *options;
	s->members = options->threads > 1 ? options->threads : 1;
	s->store = cgm_store_new();
	if (s->members > 1)
		s->team = team_new(s->members);
	if (!s->store || (s->members > 1 && !s->team) || !cgm_set_shape(s)) {
		cgm_system_free(s);
		return cgm_no_memory(d);
	}
	if (s->team)
		s->members = team_members(s->team);
	cgm_set_clocks(s);
	cgm_table_migratory(&s->migratory);
	if (cgm_build_all(s, d)) {
		cgm_system_free(s);
		return d->code;
	}
	cgm_build_kinds(s);
	s->own = s->parts;
	for (uint32_t i = 0; i < s->own; i++)
		s->part[i]->alone = s->members == 1;
	s->window = min_u64(s->window, CGM_WHEEL_BACK);
	if (options->window)
		s->window = min_u64(s->window, options->window);
	if (!cgm_wheel_init(&s->wheel, &s->arena, s->part, s->own)) {
		cgm_system_free(s);
		return cgm_no_memory(d);
	}
	arena_seal(&s->arena);
	s->cfg = NULL;
	*out = s;
	return ERR_OK;
}
