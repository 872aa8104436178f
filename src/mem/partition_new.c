/* Builds a memory partition from a configuration; partition.c simulates it. */
#include "mem/partition.h"

#include <inttypes.h>
#include <string.h>

#include "base/minmax.h"
#include "mem/dram_sched.h"
#include "mem/link.h"

/* The configuration's choices have the same values as the components' own. */
_Static_assert((int)CFG_HASH_NONE == MAP_NONE && (int)CFG_HASH_XOR == MAP_XOR &&
		       (int)CFG_HASH_ROTATE == MAP_ROTATE,
	       "hashes");
_Static_assert((int)CFG_WRITE_MISS_AROUND == TAGS_AROUND &&
		       (int)CFG_WRITE_MISS_FETCH == TAGS_FETCH &&
		       (int)CFG_WRITE_MISS_VALIDATE == TAGS_VALIDATE,
	       "write misses");

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

/*
 * Shape
 */

/*
 * The data bus moves exactly dram.bandwidth. A burst takes whole clocks, and no
 * fewer than there must be between two column commands: if dram.clock does not
 * allow that, the channel runs at another clock, which does. Times in
 * nanoseconds stay as they are. But on a bus that is faster than the
 * standard's, column commands of a bank group also follow each other faster:
 * their distance in clocks stays the same.
 */
static void set_rate(struct dram_config *d, const struct cfg_dram *c)
{
	const struct dram_standard *s = &dram_standards[d->standard];
	double bursts = c->bandwidth * 1e9 / d->burst_bytes; /* a second */
	double khz = c->clock * 1e3;
	double clocks = khz * 1e3 * (double)c->channels * d->pseudo / bursts;
	uint32_t column = s->clocks[DRAM_T_CCD_S];
	double change;

	if (clocks < 0.999 * column)
		d->clocks[DRAM_T_CCD_L] = (uint32_t)ceil_div(
			s->clocks[DRAM_T_CCD_L] * (uint64_t)(khz + 0.5),
			s->khz);
	d->burst_clocks = (uint32_t)max_u64((uint64_t)(clocks + 0.5), column);
	change = d->burst_clocks / clocks;
	/* Bandwidths are given with few digits: this close to 1 counts as 1. */
	if (change < 0.999 || change > 1.001)
		khz *= change;
	d->dram_khz = khz < DRAM_MAX_KHZ ? (uint32_t)(khz + 0.5) :
					   DRAM_MAX_KHZ + 1;
}

static struct dram_config dram_config_of(const struct cfg *cfg)
{
	static const enum dram_std standards[] = {
#define STANDARD(id, ...) [CFG_DRAM_##id] = DRAM_STD_##id,
#include "mem/dram.def"
	};
	const struct cfg_dram *c = &cfg->dram;
	struct dram_config d = dram_defaults(standards[c->standard]);
	const struct dram_standard *s = &dram_standards[d.standard];

	d.core_khz = (uint32_t)(cfg->gpu.clock * 1000 + 0.5);
	d.reads = (uint32_t)c->queue;
	d.writes = (uint32_t)c->write_queue;
	d.drain_high = (uint32_t)c->write_high;
	d.drain_low = (uint32_t)c->write_low;
	d.policy = dram_policy(c->policy == CFG_DRAM_POLICY_FCFS ? "fcfs" :
								   "frfcfs");
	d.starve = (uint32_t)c->starve;
	d.refresh = c->refresh;
	d.close_page = c->page == CFG_PAGE_CLOSE;
	d.pseudo = c->pseudo ? (uint32_t)c->pseudo : s->pseudo;
	d.banks = c->banks ? (uint32_t)c->banks : s->banks;
	d.groups = c->bank_groups ? (uint32_t)c->bank_groups : s->groups;
	d.row_bytes = c->row ? (uint32_t)c->row : s->row_bytes;
	d.burst_bytes = c->burst ? (uint32_t)c->burst : s->burst_bytes;
	set_rate(&d, c);
	return d;
}

static uint32_t lcm(uint32_t a, uint32_t b)
{
	uint32_t n = a;

	while (n % b)
		n += a;
	return n;
}

static uint32_t net_channels_of(const struct cfg *cfg)
{
	return (uint32_t)(cfg->net.channels ? cfg->net.channels :
					      cfg->l2.slices);
}

static enum err check_sizes(const struct cfg *c, struct diag *d)
{
	if (c->l2.interleave < CHUNK_BYTES)
		return fail(d, ERR_RANGE,
			    "l2.interleave = %" PRId64
			    ": must be at least %d, the bytes of a request",
			    c->l2.interleave, CHUNK_BYTES);
	if (c->l2.on && c->l2.interleave < c->l2.line)
		return fail(d, ERR_RANGE,
			    "l2.interleave = %" PRId64
			    ": must be at least l2.line = %" PRId64,
			    c->l2.interleave, c->l2.line);
	if (c->l2.on && c->dram.bank_bytes < c->l2.sector)
		return fail(d, ERR_RANGE,
			    "dram.bank_bytes = %" PRId64
			    ": must be at least l2.sector = %" PRId64,
			    c->dram.bank_bytes, c->l2.sector);
	return ERR_OK;
}

enum err mem_dram_config(struct dram_config *out, const struct cfg *cfg,
			 struct diag *d)
{
	const struct cfg_dram *c = &cfg->dram;

	*out = dram_config_of(cfg);
	if (out->dram_khz <= DRAM_MAX_KHZ)
		return dram_resolve(out, d);
	return fail(
		d, ERR_RANGE,
		"dram.bandwidth = %g: %g GB/s per channel need a clock above "
		"%d MHz; raise dram.channels",
		c->bandwidth, c->bandwidth / (double)c->channels,
		DRAM_MAX_KHZ / 1000);
}

/* Checks what cfg_check cannot, because it does not know the standards. */
static enum err check_channel(const struct cfg *cfg, struct diag *d)
{
	struct dram_config resolved;

	if (cfg->mem.kind == CFG_MEM_LATENCY) /* there are no channels */
		return ERR_OK;
	return mem_dram_config(&resolved, cfg, d);
}

/* The part of a fixed latency, which is that of the whole load, from the
 * arrival of a request to the arrival of its answer (sm/lsu.h). */
static int64_t fixed_lag(const struct cfg *c, int64_t latency)
{
	return latency - c->l1.miss_latency - c->net.request_latency -
	       c->l1.fill_latency;
}

static enum err check_fixed(const struct cfg *c, struct diag *d)
{
	int64_t lookahead = c->net.request_latency;

	if (c->mem.kind != CFG_MEM_LATENCY)
		return ERR_OK;
	if (c->net.reply_latency < lookahead)
		lookahead = c->net.reply_latency;
	if (c->dispatch.block_latency < lookahead)
		lookahead = c->dispatch.block_latency;
	if (fixed_lag(c, c->mem.l2_latency) >= lookahead)
		return ERR_OK;
	return fail(
		d, ERR_RANGE,
		"mem.l2_latency = %" PRId64
		": must be at least l1.miss_latency + net.request_latency + "
		"l1.fill_latency = %" PRId64 " plus %" PRId64
		", the minimum for an answer",
		c->mem.l2_latency,
		c->mem.l2_latency - fixed_lag(c, c->mem.l2_latency), lookahead);
}

bool mem_find_far(const struct mem_shape *s, uint64_t chunk)
{
	uint32_t low = 0, high = s->fars;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->far[middle].end <= chunk)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->fars && s->far[low].first <= chunk;
}

enum err mem_shape_init(struct mem_shape *s, const struct cfg *cfg,
			struct diag *d)
{
	struct dram_config dram = dram_config_of(cfg);
	uint32_t slices = (uint32_t)cfg->l2.slices,
		 net_channels = net_channels_of(cfg);
	uint32_t channels = (uint32_t)cfg->dram.channels;
	struct addrmap_cfg map = {
		.slices = slices,
		.partitions = (uint32_t)cfg->l2.partitions,
		.interleave = (uint32_t)cfg->l2.interleave,
		.hash = (enum map_hash)cfg->l2.hash,
		.channels = channels,
		.banks = dram.banks,
		.row_bytes = dram.row_bytes,
		.bank_bytes = (uint32_t)cfg->dram.bank_bytes,
		.bank_hash = (enum map_hash)cfg->dram.hash,
	};

	if (slices % channels && channels % slices)
		return fail(d, ERR_RANGE,
			    "l2.slices = %u: neither divides dram.channels = "
			    "%u nor is divided by it",
			    slices, channels);
	if (slices % net_channels)
		return fail(d, ERR_RANGE,
			    "l2.slices = %u: not a multiple of net.channels = "
			    "%u",
			    slices, net_channels);
	if (check_sizes(cfg, d) || check_channel(cfg, d) ||
	    check_fixed(cfg, d) || addrmap_init(&s->map, &map, d))
		return d->code;
	s->slices = lcm(slices > channels ? slices / channels : 1,
			slices / net_channels);
	s->partitions = slices / s->slices;
	s->channels = channels / s->partitions;
	return ERR_OK;
}

/*
 * Bounds
 */

static bool is_fixed(const struct cfg *cfg)
{
	return cfg->mem.kind == CFG_MEM_LATENCY;
}

static uint64_t data_bytes(const struct cfg *cfg, uint64_t sectors)
{
	return (uint64_t)cfg->net.header + sectors * CHUNK_SECTOR_BYTES;
}

static uint64_t atomic_bytes(const struct cfg *cfg, uint64_t lanes)
{
	return (uint64_t)cfg->net.header + lanes * ATOMIC_LANE_BYTES;
}

/* Maximum number of reads of a slice that wait for the DRAM. */
static uint32_t max_waiters(const struct cfg *cfg)
{
	const uint64_t limit = 1 << 16;
	uint64_t n = (uint64_t)cfg->l2.mshrs;

	if (cfg->l2.on)
		n *= (uint64_t)cfg->l2.merges;
	return (uint32_t)(n < limit ? n : limit);
}

/* Number of answers that may wait for a port before the slice stops taking
 * reads. Without an L2 no read is answered at once: stopping those that have
 * yet to go to the DRAM would only leave it idle. */
static uint32_t max_answers(const struct cfg *cfg)
{
	return cfg->l2.on ? (uint32_t)cfg->net.queue : max_waiters(cfg);
}

/* Maximum number of requests that arrive, or leave a queue, in so many cycles:
 * a credit is used again only after it and then a new request have crossed the
 * network. */
static uint64_t requests_in(const struct cfg *cfg, uint32_t sms, cycle_t cycles)
{
	return (uint64_t)sms * (uint64_t)cfg->net.queue *
	       (1 + cycles / (2 * (uint64_t)cfg->net.request_latency));
}

/* Maximum number of lanes that an SM issues in a cycle. */
static uint64_t lanes_issued(const struct cfg *cfg)
{
	return (uint64_t)cfg->sm.schedulers * (uint64_t)cfg->sm.issue_width *
	       ATOMIC_LANES;
}

/* The same with mem.kind = latency, where credits do not limit an SM: every
 * lane of every issued instruction requests as much as possible. */
static uint64_t requests_fixed(const struct cfg *cfg, uint32_t sms,
			       cycle_t cycles)
{
	uint64_t line =
		max_u64((uint64_t)cfg->l1.line, (uint64_t)cfg->tex.line);
	uint64_t chunks = 2 * ceil_div(line, CHUNK_BYTES) + 1;

	/* 16 bytes of a lane's local memory lie in four chunks. */
	return sms * cycles * lanes_issued(cfg) * 4 * chunks;
}

static struct wire_room fixed_room(const struct cfg *cfg, uint32_t sms,
				   cycle_t window)
{
	cycle_t way = (cycle_t)cfg->net.request_latency + 2 * window;

	return (struct wire_room){
		.in = (uint32_t)requests_fixed(cfg, sms, way),
		.out = (uint32_t)requests_fixed(cfg, sms, window),
	};
}

struct wire_room mem_partition_room(const struct cfg *cfg,
				    const struct mem_shape *shape, uint32_t sms,
				    cycle_t window)
{
	uint64_t requests = requests_in(cfg, sms, window), answers;
	uint64_t net_channels = net_channels_of(cfg) / shape->partitions;
	uint64_t small = (uint64_t)cfg->net.header;

	if (is_fixed(cfg))
		return fixed_room(cfg, sms, window);
	requests = min_u64(requests,
			   shape->slices * (uint64_t)cfg->l2.lookups * window);
	answers = requests + shape->slices * (uint64_t)max_waiters(cfg) +
		  net_channels * (uint64_t)max_answers(cfg);
	/* An answer has at least a header. */
	if (small)
		answers = min_u64(
			answers,
			net_channels *
				((window + 1) * (uint64_t)cfg->net.slice_out /
					 small +
				 1));
	/* The link answers one a cycle. */
	answers += cfg->host.access_latency ? window + 1 : 0;
	return (struct wire_room){
		.in = (uint32_t)(sms * (uint64_t)cfg->net.queue),
		.out = (uint32_t)(requests + answers),
	};
}

/* l2.hit_latency minus the time to pass the ports. */
static cycle_t hit_slack(const struct cfg *c, uint64_t in, uint64_t out)
{
	uint64_t pass = ceil_div(in, (uint64_t)c->net.slice_in) +
			ceil_div(out, (uint64_t)c->net.slice_out);
	uint64_t hit = (uint64_t)c->l2.hit_latency;

	return hit > pass ? hit - pass : 0;
}

enum { CROSS_MOST = 16384 };

/* What the data of all lines in flight take to another region, within reason: a
 * waiter has 16 bits for it. */
static cycle_t cross_most(const struct cfg *c)
{
	double sectors = (double)(c->l2.mshrs * c->l2.line / c->l2.sector);
	double time = sectors * c->l2.far_sector;

	return time < CROSS_MOST ? (cycle_t)time : CROSS_MOST;
}

cycle_t mem_partition_horizon(const struct cfg *c)
{
	uint64_t data = data_bytes(c, CHUNK_SECTORS);
	uint64_t atomic = atomic_bytes(c, ATOMIC_LANES);
	uint64_t pass =
		ceil_div(max_u64(data, atomic), (uint64_t)c->net.slice_out);
	cycle_t answer = pass + 1 + (uint64_t)c->l2.hit_latency +
			 (uint64_t)c->l2.far_latency +
			 max_u64(max_u64((uint64_t)c->l2.far_miss,
					 (uint64_t)c->l2.far_first),
				 (uint64_t)c->l2.far_atomic) +
			 (uint64_t)c->net.reply_latency + cross_most(c);

	if (is_fixed(c))
		answer = (uint64_t)fixed_lag(c, c->mem.dram_latency);
	return max_u64(answer + (uint64_t)c->l2.atomic_latency,
		       (uint64_t)c->net.request_latency);
}

/*
 * Creation
 */

static uint32_t power_of_two_from(uint64_t n)
{
	uint32_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

/* Ways for lines of the slice itself. */
static int64_t l2_own_ways(const struct cfg *c)
{
	return c->l2.ways - c->l2.copy_ways;
}

static bool dirty_limited(const struct cfg *c)
{
	return c->l2.dirty_ways < l2_own_ways(c);
}

static void set_maps(struct mem_partition *m, const struct cfg *cfg)
{
	uint32_t line = (uint32_t)cfg->l2.line;
	uint32_t sector = (uint32_t)cfg->l2.sector;
	uint32_t piece = sector < TAGS_PIECE_BYTES ? sector : TAGS_PIECE_BYTES;
	uint32_t rows = line > CHUNK_BYTES ? line / CHUNK_BYTES :
					     CHUNK_BYTES / line;

	m->line_bits = (uint8_t)__builtin_ctz(line);
	m->lines = line < CHUNK_BYTES ? rows : 1;
	m->one_line = cfg->l2.on && m->lines == 1;
	m->chunk_mask = (uint8_t)(line > CHUNK_BYTES ? rows - 1 : 0);
	m->sector_bytes = sector;
	m->piece_bytes = piece;
	m->same_bytes = line == CHUNK_BYTES && piece == CHUNK_SECTOR_BYTES;
	m->write_back = cfg->l2.write == CFG_WRITE_BACK;
	m->dirty_limited = dirty_limited(cfg);
	for (uint32_t k = 0; k < rows; k++)
		for (uint32_t set = 0; set < 1 << CHUNK_SECTORS; set++)
			for (uint32_t at = 0; at < CHUNK_BYTES; at += piece) {
				/* From a byte of the chunk to that of the
				 * line. */
				uint32_t to = m->lines > 1 ?
						      at - k * line :
						      at + k * CHUNK_BYTES;

				if (!(set >> at / CHUNK_SECTOR_BYTES & 1) ||
				    to >= line)
					continue;
				m->sector_map[k][set] |= 1u << to / sector;
				m->piece_map[k][set] |= 1u << to / piece;
			}
}

static void set_write_times(struct mem_partition *m, const struct cfg *c)
{
	m->write_least = (uint32_t)(256 * c->l2.write_interval + 0.5);
	m->write_sector = (uint32_t)(256 * c->l2.write_sector + 0.5);
	m->write_masks = (uint32_t)(256 * c->l2.write_masks + 0.5);
	m->timed_writes = m->write_least || m->write_sector || m->write_masks;
	m->write_extra = (uint32_t)c->net.write_extra;
}

/* A parameter of cycles in 256ths; `other` stands for 0. */
static uint32_t cycle_parts(double cycles, uint32_t other)
{
	uint32_t parts = (uint32_t)(256 * cycles + 0.5);

	return parts ? parts : other;
}

static void set_atomic_sorts(struct mem_partition *m, const struct cfg *c)
{
	uint32_t again = cycle_parts(c->l2.atomic_again, m->atomic_sector);
	uint32_t lane = cycle_parts(c->l2.atomic_lane, 0);

	for (unsigned i = 0; i <= MSG_SORT_CAS; i++) {
		m->atomic_again[i] = again;
		m->atomic_lane[i] = lane;
	}
	m->atomic_again[MSG_SORT_CAS] = cycle_parts(c->l2.cas_again, again);
	m->atomic_lane[MSG_SORT_FLOAT] = cycle_parts(c->l2.float_lane, lane);
}

/* For answers of so many sectors. */
static void set_data_times(struct mem_partition *m, const struct cfg *c,
			   uint32_t sectors)
{
	uint64_t bytes = data_bytes(c, sectors);

	m->data_lag[sectors] = hit_slack(c, (uint64_t)c->net.header, bytes) +
			       (uint64_t)c->net.reply_latency;
	m->data_time[sectors] = m->data_lag[sectors] +
				ceil_div(bytes, (uint64_t)c->net.slice_out);
}

static void set_times(struct mem_partition *m, const struct cfg *c)
{
	uint64_t reply = (uint64_t)c->net.reply_latency;
	uint64_t header = (uint64_t)c->net.header;

	m->far_lag[true][false] = (cycle_t)c->l2.far_latency;
	m->far_miss = (cycle_t)c->l2.far_miss;
	m->far_lag[true][true] = m->far_lag[true][false] + m->far_miss;
	m->far_first = (cycle_t)c->l2.far_first;
	m->far_sector = (uint32_t)(256 * c->l2.far_sector + 0.5);
	m->far_room = (uint32_t)c->l2.far_queue * m->far_sector;
	m->cross_most = cross_most(c);
	m->copy_group = (uint8_t)max_u64((uint64_t)c->l2.fetch_sectors, 1);
	m->far_atomic = (cycle_t)c->l2.far_atomic;
	m->combine = (uint8_t)(c->l2.combine - 1);
	m->combine_cycles = (cycle_t)c->l2.combine_cycles;
	m->near_far = c->l2.partitions > 1 &&
		      (m->far_lag[true][true] || m->far_first || m->far_atomic);
	m->request_latency = (cycle_t)c->net.request_latency;
	m->dram_latency = (cycle_t)c->dram.latency;
	m->atomic_sector = (uint32_t)(256 * c->l2.atomic_interval + 0.5);
	set_atomic_sorts(m, c);
	m->atomic_latency = (cycle_t)c->l2.atomic_latency;
	set_write_times(m, c);
	m->header = (uint32_t)header;
	m->header_cycles = ceil_div(header, (uint64_t)c->net.slice_in);
	m->lookups = (uint32_t)c->l2.lookups;
	m->max_answers = max_answers(c);
	m->bank_bytes = (uint32_t)c->dram.bank_bytes;
	m->whole_lines = c->dram.bank_bytes >= c->l2.line &&
			 c->l2.sector >= DRAM_SECTOR;
	m->acknowledges = c->l2.acknowledge;
	m->credits_at_once = (uint32_t)max_u64(1, (uint64_t)c->net.queue / 4);
	for (uint32_t n = 1; n <= CHUNK_SECTORS; n++)
		set_data_times(m, c, n);
	for (uint32_t n = 1; n <= ATOMIC_LANES; n++) {
		uint64_t in = atomic_bytes(c, n);

		m->atomic_lag[0][n] =
			hit_slack(c, in, in) + reply + m->atomic_latency;
		m->atomic_lag[1][n] =
			hit_slack(c, in, header) + reply + m->atomic_latency;
	}
	if (!m->fixed)
		return;
	m->fixed_lag[0] = (cycle_t)fixed_lag(c, c->mem.l2_latency);
	m->fixed_lag[1] = (cycle_t)fixed_lag(c, c->mem.dram_latency);
}

static enum err new_tags(struct slice *s, struct arena *a, const struct cfg *c,
			 uint32_t number, struct diag *d)
{
	struct tags_cfg t = {
		.bytes = (uint64_t)(c->l2.bytes / c->l2.slices *
				    l2_own_ways(c) / c->l2.ways),
		.line_bytes = (uint32_t)c->l2.line,
		.sector_bytes = (uint32_t)c->l2.sector,
		.ways = (uint32_t)l2_own_ways(c),
		.mshrs = (uint32_t)c->l2.mshrs,
		.merges = (uint32_t)c->l2.merges,
		.group = (uint32_t)c->l2.fetch_sectors,
		.waiters = max_waiters(c),
		.replace = c->l2.replace,
		.seed = number,
		.hash = (enum map_hash)c->l2.hash,
		.write_back = c->l2.write == CFG_WRITE_BACK,
		.write_miss = (enum tags_write_miss)c->l2.write_miss,
		.dirty_ways = (uint32_t)c->l2.dirty_ways,
		.partial_ways = (uint32_t)c->l2.partial_ways,
	};

	return c->l2.on ? tags_new(&s->tags, a, &t, d) : ERR_OK;
}

/* Maximum number of DRAM requests that one request causes; with write-through
 * also those of atomics when their fills arrive, with a limit on dirty lines
 * those that the fills of atomics clean. */
static uint32_t staged_room(const struct cfg *c)
{
	uint64_t n = 4 * TAGS_PIECES_MAX, mshrs = (uint64_t)c->l2.mshrs;
	uint64_t sectors = (uint64_t)(c->l2.line / c->l2.sector);

	if (!c->l2.on || c->l2.write != CFG_WRITE_BACK)
		n += mshrs * TAGS_SECTORS_MAX * CHUNK_SECTORS;
	else if (dirty_limited(c))
		n += mshrs * sectors *
		     max_u64(sectors, (uint64_t)c->l2.line / TAGS_PIECE_BYTES);
	return power_of_two_from(n);
}

static enum err new_slice(struct mem_partition *m, uint32_t i, struct arena *a,
			  struct diag *d)
{
	const struct cfg *c = m->env.cfg;
	struct slice *s = &m->slice[i];
	uint32_t number = m->first_slice + i;
	uint32_t queue = power_of_two_from(
		max_u64(SLICE_RING, (uint64_t)c->net.queue * m->env.sms));
	uint32_t waiters = max_waiters(c), room = staged_room(c);
	enum err e = new_tags(s, a, c, number, d);

	if (e)
		return e;
	s->next = CYCLE_NEVER;
	s->net_channel = i * m->net_channels / m->slices;
	s->index = (uint16_t)i;
	s->region = (uint8_t)(number * c->l2.partitions / c->l2.slices);
	s->mask = SLICE_RING - 1;
	s->room = queue;
	s->token = SLICE_NONE;
	s->staged_mask = room - 1;
	if (m->fixed)
		return ERR_OK;
	if (m->combine && s->tags) {
		s->combining = arena_new(a, struct combining, COMBINING);
		if (!s->combining)
			return fail(d, ERR_NOMEM, "no memory for an L2 slice");
	}
	if (m->near_far && m->far_first && s->tags) {
		s->copying = arena_new(a, struct copying, COPYING);
		if (!s->copying)
			return fail(d, ERR_NOMEM, "no memory for an L2 slice");
	}
	s->queue = arena_room(a, struct request, queue);
	s->waiter = arena_room(a, struct slice_waiter, waiters);
	s->staged = arena_room(a, struct staged, room);
	if (!s->queue || !s->waiter || !s->staged)
		return fail(d, ERR_NOMEM, "no memory for an L2 slice");
	s->free_waiter = SLICE_NONE;
	s->waiter_room = waiters;
	return ERR_OK;
}

/* A channel that has been made before; NULL: there is none. */
static const struct dram *first_dram(const struct mem_partition *m)
{
	const struct mem_partition *first = m->env.first ? m->env.first : m;

	return first->channel->dram;
}

static enum err new_channel(struct mem_partition *m, uint32_t i,
			    struct arena *a, struct diag *d)
{
	struct dram_config cfg = dram_config_of(m->env.cfg);
	struct channel *c = &m->channel[i];
	/* Every sector of every line in flight, of all slices that share the
	 * channel. */
	uint64_t fills = ceil_div(m->slices, m->channels) *
			 (uint64_t)m->env.cfg->l2.mshrs * TAGS_SECTORS_MAX;
	enum err e;

	/* If all channels refreshed at the same time, requests that visit one
	 * after the other would follow that rhythm. Any multiplier spreads the
	 * refreshes. */
	cfg.refresh_early = (m->first_channel + i) * 40503u;
	e = dram_new(&c->dram, a, &cfg, first_dram(m), d);
	if (e)
		return e;
	c->mask = power_of_two_from(fills) - 1;
	c->fill = arena_new(a, struct fill, c->mask + 1);
	c->next = c->due = c->look = CYCLE_NEVER;
	return c->fill ? ERR_OK : fail(d, ERR_NOMEM, "no memory for fills");
}

static enum err new_net_channel(struct mem_partition *m, uint32_t i,
				struct arena *a, struct diag *d)
{
	const struct cfg *c = m->env.cfg;
	struct net_channel *o = &m->net_channel[i];
	/* Fills add answers even if the queue is full. */
	uint64_t room = (uint64_t)m->max_answers +
			(uint64_t)m->slices / m->net_channels *
				(max_waiters(c) + (uint64_t)c->l2.lookups);

	o->in = port_of((uint64_t)c->net.slice_in);
	o->out = port_of((uint64_t)c->net.slice_out);
	o->mask = power_of_two_from(room) - 1;
	o->answer = arena_room(a, struct slice_waiter, o->mask + 1);
	return o->answer ? ERR_OK : fail(d, ERR_NOMEM, "no memory for a port");
}

/* Maximum number of atomics that slices accept in an epoch, including the
 * windows before and after it. */
static uint64_t atomics_in_epoch(const struct mem_partition *m)
{
	const struct cfg *c = m->env.cfg;
	uint64_t cycles = max_u64((uint64_t)c->mem.epoch,
				  (uint64_t)c->net.request_latency +
					  (uint64_t)c->net.reply_latency);

	if (m->fixed)
		return 2 * cycles * lanes_issued(c) * m->env.sms;
	return 2 * cycles * m->slices;
}

static enum err new_components(struct mem_partition *m, struct arena *a,
			       struct diag *d)
{
	uint32_t channels = m->fixed ? 0 : m->channels;
	uint32_t net_channels = m->fixed ? 0 : m->net_channels;
	enum err e = ERR_OK;

	for (uint32_t i = 0; !e && i < m->slices; i++)
		e = new_slice(m, i, a, d);
	for (uint32_t i = 0; !e && i < channels; i++)
		e = new_channel(m, i, a, d);
	for (uint32_t i = 0; !e && i < net_channels; i++)
		e = new_net_channel(m, i, a, d);
	m->channels = channels;
	m->net_channels = net_channels;
	return e;
}

/* The group of an SM when blocks go to the first `used` of them. */
static uint8_t combine_group(const struct cfg_l2 *c, uint32_t used, uint32_t sm)
{
	uint32_t first = (uint32_t)c->combine_first, others;
	uint64_t groups = (uint64_t)c->combine_groups;

	if (sm < first || used <= first)
		return 0;
	others = used - first;
	sm = sm < used ? sm - first : others - 1;
	if (!first)
		return (uint8_t)(sm * groups / others);
	/* The last one has the first SMs, too, and half as many of these. */
	return (uint8_t)(1 +
			 (sm * (2 * groups - 1) + groups - 1) / (2 * others));
}

/* The region of the chip that an SM of this group is in. As many groups are in each, and
 * every other one is in that of the group before it, as in the one H200 whose
 * regions are known. */
static uint8_t sm_region(const struct mem_partition_env *env, uint32_t group,
			 uint32_t sm)
{
	const struct cfg_l2 *c = &env->cfg->l2;
	uint32_t regions = (uint32_t)c->partitions;

	if (c->combine_groups == 1)
		return (uint8_t)(sm * regions / env->sms);
	if (c->combine_first)
		group -= group > 0;
	return (uint8_t)((group + 1) / 2 % regions);
}

void mem_partition_spread(struct mem_partition *const *all, uint32_t count,
			  uint64_t blocks)
{
	struct mem_partition *m = all[0];
	uint32_t sms = m->env.sms;
	uint32_t used = blocks < sms ? (uint32_t)blocks : sms;

	if (m->spread == used)
		return;
	for (uint32_t i = 0; i < sms; i++) {
		m->sm_group[i] = combine_group(&m->env.cfg->l2, used, i);
		m->sm_region[i] = sm_region(&m->env, m->sm_group[i], i);
	}
	for (uint32_t i = 1; i < count; i++) {
		memcpy(all[i]->sm_group, m->sm_group, sms);
		memcpy(all[i]->sm_region, m->sm_region, sms);
	}
	for (uint32_t i = 0; i < count; i++)
		all[i]->spread = used;
}

enum err mem_partition_new(struct mem_partition **out, struct arena *a,
			   const struct mem_partition_env *env, struct diag *d)
{
	const struct cfg *cfg = env->cfg;
	struct mem_partition *m = arena_new(a, struct mem_partition, 1);

	if (!m)
		return fail(d, ERR_NOMEM, "no memory for a partition");
	m->env = *env;
	m->fixed = is_fixed(cfg);
	m->next = CYCLE_NEVER;
	m->slices = env->shape->slices;
	m->channels = env->shape->channels;
	m->first_slice = env->index * m->slices;
	m->first_channel = env->index * m->channels;
	m->net_channels = net_channels_of(cfg) / env->shape->partitions;
	m->single = m->slices == 1 && m->channels == 1 &&
		    m->net_channels == 1 && !m->fixed && !env->outside;
	m->inbox = &env->wires->box[env->self];
	set_maps(m, cfg);
	set_times(m, cfg);
	m->atomic_room = (uint32_t)atomics_in_epoch(m);
	/* Outside, and at the link, they are taken when they arrive: as many as
	 * have credits. */
	if (env->outside)
		m->atomic_room = 0;
	if (env->outside || cfg->host.access_latency)
		m->atomic_room += env->sms * (uint32_t)cfg->net.queue * 2;
	m->slice = arena_new(a, struct slice, m->slices);
	m->channel = arena_new(a, struct channel, m->channels);
	m->net_channel = arena_new(a, struct net_channel, m->net_channels);
	m->credits_owed = arena_new(a, uint32_t, env->sms);
	m->sm_region = arena_new(a, uint8_t, env->sms);
	m->sm_group = arena_new(a, uint8_t, env->sms);
	m->atomic = arena_room(a, struct atomic_record, m->atomic_room);
	m->token = arena_new(a, uint32_t, (size_t)cfg->l2.merges);
	m->own = arena_room(a, struct stat_l2, MSG_GRIDS);
	if (!m->slice || !m->channel || !m->net_channel || !m->credits_owed ||
	    !m->sm_region || !m->sm_group || !m->atomic || !m->token || !m->own)
		return fail(d, ERR_NOMEM, "no memory for a partition");
	mem_partition_spread(&m, 1, env->sms);
	*out = m;
	if (!env->index && cfg->host.access_latency && !m->fixed &&
	    !env->outside && link_new(&m->link, a, cfg, env->sms, d))
		return d->code;
	m->linked = m->link != NULL;
	return new_components(m, a, d);
}
