/* Construction and start of the caches of an SM. */
#include "sm/l1.h"

/* With mem.kind = latency, an instruction may exceed mem.fifo by its own
 * reads. */
enum { FIFO_MORE = COALESCE_MAX * COALESCE_BYTES / 4 };

uint32_t l1_outstanding_max(const struct cfg *cfg)
{
	if (cfg->mem.kind == CFG_MEM_LATENCY)
		return (uint32_t)cfg->mem.fifo + FIFO_MORE;
	return (uint32_t)cfg->lsu.pending * WARP_LANES;
}

static uint32_t chunks_of(int64_t line)
{
	return line > CHUNK_BYTES ? (uint32_t)(line / CHUNK_BYTES) : 1;
}

uint32_t l1_sends_max(const struct cfg *cfg)
{
	uint32_t max = 1;

	if (cfg->l1.on)
		max = chunks_of(cfg->l1.line);
	if (cfg->l1.on && cfg->l1.write == CFG_WRITE_BACK)
		max *= 2;
	if (cfg->tex.bytes && chunks_of(cfg->tex.line) > max)
		max = chunks_of(cfg->tex.line);
	return max + 1; /* a store that is forwarded */
}

/* The part that both caches have in common. */
static enum err l1_new_cache(struct l1_cache *c, struct arena *a,
			     const struct cfg *cfg, struct tags_cfg *k,
			     struct diag *d)
{
	uint32_t max = l1_outstanding_max(cfg);
	uint64_t waiters;
	enum err e;

	k->mshrs = (uint32_t)cfg->l1.mshrs;
	k->merges = (uint32_t)cfg->l1.merges;
	if (cfg->mem.kind == CFG_MEM_LATENCY)
		k->mshrs = k->merges = max;
	/* A read that waits belongs to an instruction in flight, so there
	 * cannot be more than max. */
	waiters = (uint64_t)k->mshrs * k->merges;
	k->waiters = waiters < max ? (uint32_t)waiters : max;
	if (k->sector_bytes < PIECE_BYTES)
		k->sector_bytes = PIECE_BYTES;
	if (k->line_bytes < PIECE_BYTES)
		return fail(d, ERR_RANGE,
			    "a cache with lines of %u bytes: must be at least "
			    "%d",
			    k->line_bytes, PIECE_BYTES);
	e = tags_new(&c->tags, a, k, d);
	if (e != ERR_OK)
		return e;
	c->shift = (unsigned)__builtin_ctz(k->line_bytes);
	c->per = k->sector_bytes / PIECE_BYTES;
	if (k->sector_bytes <= CHUNK_BYTES)
		return ERR_OK;
	c->arrived = arena_new(a, uint32_t, k->mshrs);
	if (!c->arrived)
		return fail(d, ERR_NOMEM, "no memory for an L1");
	return ERR_OK;
}

static enum err l1_new_data(struct l1_cache *c, struct arena *a,
			    const struct cfg *cfg, bool evicted, struct diag *d)
{
	static const enum map_hash hash[] = {
		[CFG_HASH_NONE] = MAP_NONE,
		[CFG_HASH_XOR] = MAP_XOR,
		[CFG_HASH_ROTATE] = MAP_ROTATE,
	};
	static const enum tags_write_miss miss[] = {
		[CFG_WRITE_MISS_AROUND] = TAGS_AROUND,
		[CFG_WRITE_MISS_FETCH] = TAGS_FETCH,
		[CFG_WRITE_MISS_VALIDATE] = TAGS_VALIDATE,
	};
	struct tags_cfg k = {
		.bytes = (uint64_t)cfg->l1.bytes,
		.line_bytes = (uint32_t)cfg->l1.line,
		.sector_bytes = (uint32_t)cfg->l1.sector,
		.ways = (uint32_t)cfg->l1.ways,
		.replace = cfg->l1.replace,
		.hash = hash[cfg->l1.hash],
		.write_back = cfg->l1.write == CFG_WRITE_BACK,
		.unnamed_victims = !evicted,
		.write_miss = miss[cfg->l1.write_miss],
	};

	c->id = L1_ID_DATA;
	return cfg->l1.on ? l1_new_cache(c, a, cfg, &k, d) : ERR_OK;
}

static enum err l1_new_tex(struct l1_cache *c, struct arena *a,
			   const struct cfg *cfg, bool evicted, struct diag *d)
{
	struct tags_cfg k = {
		.bytes = (uint64_t)cfg->tex.bytes,
		.line_bytes = (uint32_t)cfg->tex.line,
		.sector_bytes = (uint32_t)cfg->tex.line / TAGS_SECTORS_MAX,
		.ways = (uint32_t)cfg->tex.ways,
		.replace = CFG_REPLACE_LRU,
		.hash = MAP_XOR,
		.unnamed_victims = !evicted,
		.write_miss = TAGS_AROUND,
	};

	c->id = L1_ID_TEX;
	return cfg->tex.bytes ? l1_new_cache(c, a, cfg, &k, d) : ERR_OK;
}

enum err l1_new(struct l1 **out, struct arena *a, const struct lsu_env *env,
		cycle_t depth, struct diag *d)
{
	const struct cfg *cfg = env->cfg;
	struct l1 *u = arena_new(a, struct l1, 1);
	uint32_t partitions = env->shape->partitions;
	enum err e;

	if (!u)
		return fail(d, ERR_NOMEM, "no memory for an L1");
	u->env = env;
	tlb_init(&u->tlb, cfg, env->regions);
	u->latency = cfg->mem.kind == CFG_MEM_LATENCY;
	u->fence_empties = cfg->l1.fence_empties;
	u->acknowledged = lsu_acknowledged(cfg);
	u->far_write = (cycle_t)cfg->l2.far_write;
	u->merge_max = u->latency ? 0 : (uint8_t)cfg->lsu.merge;
	u->merge_cycles = (cycle_t)cfg->lsu.merge_cycles;
	u->merge_next = CYCLE_NEVER;
	u->claims = cfg->l1.local_claim && cfg->l1.write == CFG_WRITE_THROUGH;
	u->header = (uint32_t)cfg->net.header;
	u->write_extra = (uint32_t)cfg->net.write_extra;
	u->lead = (cycle_t)cfg->l1.miss_latency - depth;
	u->request_latency = (cycle_t)cfg->net.request_latency;
	u->port_out = port_of((uint64_t)cfg->net.sm_out);
	u->port_in = port_of((uint64_t)cfg->net.sm_in);
	u->header_cycles = port_cycles(&u->port_out, u->header);
	u->outstanding_max = l1_outstanding_max(cfg);
	e = l1_new_data(&u->data, a, cfg, env->evicted != NULL, d);
	if (e == ERR_OK)
		e = l1_new_tex(&u->tex, a, cfg, env->evicted != NULL, d);
	if (e != ERR_OK)
		return e;
	u->credit = arena_new(a, uint32_t, partitions);
	u->tokens = arena_new(a, uint32_t, u->outstanding_max + 1);
	if (!u->credit || !u->tokens)
		return fail(d, ERR_NOMEM, "no memory for an L1");
	for (uint32_t i = 0; i < partitions; i++)
		u->credit[i] = (uint32_t)cfg->net.queue;
	*out = u;
	return ERR_OK;
}

void l1_start(struct l1 *u, uint64_t shared_bytes)
{
	const struct cfg_l1 *k = &u->env->cfg->l1;
	uint64_t way = (uint64_t)k->bytes / (uint64_t)k->ways, left, ways;

	if (u->tex.tags)
		tags_invalidate_all(u->tex.tags);
	if (!u->data.tags)
		return;
	tags_invalidate_all(u->data.tags);
	if (!k->adaptive)
		return;
	left = (uint64_t)k->bytes > shared_bytes ?
		       (uint64_t)k->bytes - shared_bytes :
		       0;
	ways = left / way;
	tags_resize(u->data.tags, tags_sets(u->data.tags),
		    ways ? (uint32_t)ways : 1);
}
