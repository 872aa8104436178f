#include "script.h"

#include <stdlib.h>
#include <string.h>

#include "api/device.h"
#include "base/minmax.h"
#include "engine/drift.h"
#include "gpu/machine.h"

/*
 * The program: in round i each thread stores its number plus i to its own word.
 * Block b has 20 + (37 b + 11) mod 23 rounds.
 */

enum { THREADS = 64, ROUNDS = 43 }; /* of a block; more than any block has */

static const char text[] =
	".version 8.4\n.target sm_90\n.address_size 64\n"
	".visible .entry stores(.param .u64 a) {\n"
	".reg .pred %p0; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
	"ld.param.u64 %rd0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; "
	"mov.u32 %r2, %nctaid.x; mul.wide.u32 %rd2, %r2, 256; "
	"mad.lo.u32 %r3, %r1, 64, %r0; mul.wide.u32 %rd1, %r3, 4; "
	"add.u64 %rd1, %rd0, %rd1; mad.lo.u32 %r4, %r1, 37, 11; "
	"rem.u32 %r4, %r4, 23; add.u32 %r4, %r4, 20; mov.u32 %r5, 0;\n"
	"A: add.u32 %r6, %r3, %r5; st.global.u32 [%rd1], %r6; "
	"add.u64 %rd1, %rd1, %rd2; add.u32 %r5, %r5, 1; "
	"setp.lt.u32 %p0, %r5, %r4; @%p0 bra A;\nret;\n}\n";

static uint32_t rounds_of(uint32_t block)
{
	return 20 + (37 * block + 11) % 23;
}

static bool all_stored(const uint32_t *word, uint32_t blocks)
{
	for (uint32_t i = 0; i < ROUNDS; i++)
		for (uint32_t k = 0; k < blocks * THREADS; k++) {
			bool stores = i < rounds_of(k / THREADS);

			if (*word++ != (stores ? k + i : 0))
				return false;
		}
	return true;
}

/*
 * The script of the current run, and the rule that it wraps
 */

static struct script *script;
static const struct drift_rule *real;

static void set_mark(struct mark *m, const struct drift *x, uint64_t requests)
{
	*m = (struct mark){ .set = true,
			    .fast = drift_clock(x, FAST),
			    .slow = drift_clock(x, SLOW),
			    .dispatcher = drift_clock(x, x->dispatcher),
			    .requests = requests };
	for (uint32_t i = x->mems.first; i < x->mems.end; i++)
		m->memory = max_u64(m->memory, drift_clock(x, i));
}

static struct gpu_side held_partitions(const struct drift *x)
{
	switch (script->target) {
	case HOLD_MEMORY:
		return x->mems;
	case HOLD_DISPATCHER:
		return (struct gpu_side){ x->dispatcher, x->dispatcher + 1 };
	default:
		return (struct gpu_side){ SLOW, SLOW + 1 };
	}
}

/* The minimum clock of the partitions that are held back, or will be. */
static cycle_t held_clock(const struct drift *x)
{
	return drift_min(x, held_partitions(x));
}

static bool is_held(const struct drift *x)
{
	return held_clock(x) >= atomic_load(&script->hold);
}

static bool holds(const struct drift *x, uint32_t partition)
{
	struct gpu_side held = held_partitions(x);

	return partition >= held.first && partition < held.end && is_held(x);
}

/* Lets the held partitions advance. Their thread may be asleep. */
static void release_held(struct drift *x)
{
	set_mark(&script->end, x, gpu_requests_waiting(x->g));
	script->held_rounds = 0;
	atomic_store(&script->hold, script->every ?
					    held_clock(x) + script->every :
					    CYCLE_NEVER);
	eventcount_notify(&x->changed);
}

/* Called by the thread of FAST, which may advance up to `to`. */
static void watch(struct drift *x, const struct drift_snapshot *s, cycle_t to)
{
	cycle_t at = drift_clock(x, FAST);

	if (!is_held(x)) {
		if (script->stopped.set && at > script->stopped.fast)
			atomic_store(&script->went_on, true);
		return;
	}
	if (to <= at && !script->stopped.set)
		set_mark(&script->stopped, x, s->requests);
	if (at >= held_clock(x) + SCRIPT_FAR * x->step && !script->far.set)
		set_mark(&script->far, x, s->requests);
	if (!script->rounds && (script->stopped.set || script->far.set))
		release_held(x);
}

static void begin(struct drift *x)
{
	if (real->begin)
		real->begin(x);
	script->room = x->room;
	script->step = x->step;
	script->request = x->request;
	script->block = x->block;
	if (script->no_bound)
		x->room = UINT64_MAX;
}

/* Rounds of all threads. A run has some ten thousand: with more, it makes no
 * progress. */
enum { MAX_ROUNDS_SEEN = 2000000 };

static void observe(struct drift *x, struct drift_snapshot *s)
{
	uint64_t n = gpu_requests_waiting(x->g);
	uint64_t peak = atomic_load(&script->peak);

	while (n > peak)
		if (atomic_compare_exchange_weak(&script->peak, &peak, n))
			break;
	if (atomic_fetch_add(&script->rounds_seen, 1) == MAX_ROUNDS_SEEN)
		atomic_store(&x->g->grids[0].launch->machine->stop, true);
	if (real->observe)
		real->observe(x, s);
}

static cycle_t limit(struct drift *x, uint32_t partition,
		     const struct drift_snapshot *s)
{
	cycle_t to = real->limit(x, partition, s);

	if (partition == FAST)
		watch(x, s, to);
	return holds(x, partition) ? 0 : to;
}

static void advanced(struct drift *x, uint32_t sm)
{
	if (real->advanced)
		real->advanced(x, sm);
}

/* While rounds are counted there is always progress, even if no partition may
 * advance. */
static bool lead(struct drift *x)
{
	bool changed = real->lead && real->lead(x);

	if (!is_held(x) || !script->rounds)
		return changed;
	if (++script->held_rounds == script->rounds)
		release_held(x);
	return true;
}

static const struct drift_rule scripted = { begin, observe, limit, advanced,
					    lead };

/*
 * The run
 */

static void add_late(struct post_late *to, const struct post_late *from)
{
	to->messages += from->messages;
	to->cycles += from->cycles;
	to->max = max_u64(to->max, from->max);
}

static void keep(struct script *s, const struct heddle_device *dev)
{
	const struct gpu *g = dev->gpu;
	struct heddle_stat late;

	for (uint32_t i = 0; i < g->partitions - 1; i++)
		add_late(i < g->sms ? &s->late_sms : &s->late_memory,
			 &g->partition[i].late);
	heddle_stats_find(heddle_timing_stats(heddle_device_timing(dev)),
			  "engine.late_messages", &late, NULL);
	s->late = late.value;
	s->cycles = dev->timing.outcome.cycles;
}

static bool run(struct script *s, struct heddle_device *dev)
{
	size_t bytes = sizeof(uint32_t) * THREADS * ROUNDS * s->blocks;
	uint32_t *word = calloc(1, bytes);
	struct heddle_module *mod = NULL;
	struct heddle_result result;
	heddle_ptr at;
	struct heddle_launch l = { .kernel = "stores",
				   .grid = { s->blocks, 1, 1 },
				   .block = { THREADS, 1, 1 },
				   .params = &at,
				   .param_bytes = sizeof(at) };
	bool good = word &&
		    !heddle_module_load(dev, &mod, "stores", text, strlen(text),
					NULL) &&
		    !heddle_alloc(dev, bytes, &at, NULL) &&
		    !heddle_write(dev, at, word, bytes, NULL) &&
		    !heddle_launch(dev, mod, &l, &result, NULL) &&
		    !heddle_read(dev, word, at, bytes, NULL);

	if (good) {
		keep(s, dev);
		s->right = all_stored(word, s->blocks);
	}
	heddle_module_free(dev, mod);
	free(word);
	return good;
}

bool script_play(struct script *s, const char *engine, unsigned threads)
{
	struct heddle_device_options o = { .threads = threads,
					   .engine = engine };
	struct heddle_config *c;
	struct heddle_device *dev;
	bool good = false;

	if (heddle_config_load(&c, HEDDLE_SOURCE_DIR "/configs/tiny.cfg", NULL))
		return false;
	o.config = c;
	/* Steps may be as long as a message's latency; SMs get one block at a
	 * time; credits suffice for all requests. */
	if (!heddle_config_set(c, "dispatch.block_latency=20", NULL) &&
	    !heddle_config_set(c, "dispatch.blocks_per_cycle=0.05", NULL) &&
	    !heddle_config_set(c, "net.queue=1024", NULL) &&
	    !heddle_device_new(&dev, &o, NULL)) {
		script = s;
		atomic_store(&s->hold, s->from);
		real = dev->plan.engine.drift;
		if (real)
			dev->plan.engine.drift = &scripted;
		good = run(s, dev);
		heddle_device_free(dev);
	}
	heddle_config_free(c);
	return good;
}
