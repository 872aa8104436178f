/* Runs a program with or without time. */
#include "law.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat/stat.h"
#include "watch.h"

#define KERNELS HEDDLE_SOURCE_DIR "/bench/kernels.ptx"
#define ENTRY ".visible .entry "

/* A program that needs more than this is considered hung. */
enum { CYCLES_MOST = 40000000 };

static char *read_kernels(void)
{
	FILE *f = fopen(KERNELS, "rb");
	char *text = calloc(1, 1 << 20);

	if (!f || !text || !fread(text, 1, (1 << 20) - 1, f)) {
		printf("cannot read " KERNELS "\n");
		exit(1);
	}
	fclose(f);
	return text;
}

/* The text before the first kernel and the kernel itself, malloc'ed: a machine
 * without tensor cores refuses a module that needs them, even if another kernel
 * is run. */
static char *kernel_text(const char *name)
{
	char *all = read_kernels(), *at = strstr(all, ENTRY), *end;
	size_t head = (size_t)(at - all), n = strlen(name);
	char *text = calloc(1, strlen(all) + 1);

	while (strncmp(at + strlen(ENTRY), name, n) != 0 ||
	       at[strlen(ENTRY) + n] != '(')
		at = strstr(at + 1, ENTRY);
	end = strstr(at + 1, ENTRY);
	memcpy(text, all, head);
	memcpy(text + head, at, end ? (size_t)(end - at) : strlen(at));
	free(all);
	return text;
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 16;
}

static void fill(unsigned char *to, enum fill how, uint32_t bytes)
{
	uint32_t seed = 12345 + bytes;

	for (uint32_t i = 0; i < bytes; i += 4) {
		uint32_t n = next_random(&seed), word = 0;
		float f = (float)(n % 17) - 8;

		switch (how) {
		case FILL_INDEX:
			word = n % 1024;
			break;
		case FILL_FLOAT:
			memcpy(&word, &f, 4);
			break;
		case FILL_HALF:
			word = (n & 1 ? 0x3c00 : 0) | (n & 2 ? 0x3c000000 : 0);
			break;
		case FILL_START:
			word = i / 4 * 3;
			break;
		case FILL_BYTE:
			word = n | next_random(&seed) << 16;
			break;
		default:
			break;
		}
		memcpy(to + i, &word, 4);
	}
}

struct params {
	uint64_t pointer[BUFFERS];
	size_t bytes;
	unsigned char block[8 * BUFFERS + 4 * INTS];
};

/* Even buffers are copied from the host; odd ones are only allocated if they
 * are zero. So some are in the L2 and some are not. */
static bool make_buffers(const struct program *p, struct heddle_device *dev,
			 struct params *to)
{
	static unsigned char host[SNAPSHOT];
	struct heddle_error err;

	for (int i = 0; i < BUFFERS && p->buffer[i].fill; i++) {
		uint32_t bytes = p->buffer[i].bytes;

		if (heddle_alloc(dev, bytes, &to->pointer[i], &err))
			return printf("alloc: %s\n", err.text), false;
		memcpy(to->block + to->bytes, &to->pointer[i], 8);
		to->bytes += 8;
		if (p->buffer[i].fill == FILL_ZERO)
			continue;
		fill(host, p->buffer[i].fill, bytes);
		heddle_write(dev, to->pointer[i], host, bytes, NULL);
	}
	memcpy(to->block + to->bytes, p->ints, 4 * p->int_count);
	to->bytes += 4 * p->int_count;
	return true;
}

static void snapshot(const struct program *p, struct heddle_device *dev,
		     const struct params *from, struct outcome *out)
{
	for (int i = 0; i < BUFFERS && p->buffer[i].fill; i++) {
		heddle_read(dev, out->memory + out->bytes, from->pointer[i],
			    p->buffer[i].bytes, NULL);
		out->bytes += p->buffer[i].bytes;
	}
}

static bool keep_stats(struct heddle_device *dev, struct outcome *out)
{
	const struct heddle_timing *t = heddle_device_timing(dev);
	struct heddle_timing_info info;

	watch_launch(dev, "law");
	heddle_timing_info(t, &info);
	out->cycles = info.cycles;
	out->window = info.window;
	out->threads = info.threads;
	if (info.law)
		return printf("law broken: %s\n", info.law), false;
	snprintf(out->engine, sizeof(out->engine), "%s", info.engine);
	out->exact = info.exact;
	if (!info.whole)
		return printf("not whole\n"), false;
	out->stats = heddle_stats_count();
	if (out->stats > STATS)
		return printf("no room for the statistics\n"), false;
	for (size_t i = 0; i < out->stats; i++)
		heddle_stats_get(heddle_timing_stats(t), i, &out->stat[i],
				 NULL);
	return true;
}

enum { SAMPLE_CYCLES = 100 };

/* FNV-1a. */
static uint64_t hash(uint64_t h, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		h = (h ^ (value >> 8 * i & 255)) * UINT64_C(1099511628211);
	return h;
}

/* Depends on the order of samples. */
static void on_sample(void *ctx, uint64_t from, uint64_t to,
		      const struct heddle_stats *s)
{
	struct outcome *out = ctx;
	struct heddle_stat one;

	out->samples = hash(hash(out->samples, from), to);
	for (size_t i = 0; i < heddle_stats_count(); i++) {
		heddle_stats_get(s, i, &one, NULL);
		out->samples = hash(out->samples, one.count);
	}
}

/* Does not depend on the order of events: windows cut their list into
 * pieces. */
static void on_event(void *ctx, const struct heddle_event *e)
{
	struct outcome *out = ctx;
	uint64_t h = hash(hash(e->kind, e->sm), e->slot);

	h = hash(hash(hash(h, e->launch), e->block), e->from);
	h = hash(h, e->to);
	for (const char *c = e->reason; c && *c; c++)
		h = hash(h, (uint64_t)*c);
	out->events += h;
}

static struct heddle_timing_options watch(bool all, struct outcome *out)
{
	struct heddle_timing_options o = { .max_cycles = CYCLES_MOST };

	if (!all)
		return o;
	o.interval = SAMPLE_CYCLES;
	o.sample = on_sample;
	o.event = on_event;
	o.ctx = out;
	return o;
}

static struct heddle_device_options device(const struct heddle_config *c,
					   struct way way)
{
	struct heddle_device_options o = { .threads = way.threads,
					   .config = c };

	if (!c)
		return o;
	o.window = way.window;
	o.engine = way.engine;
	o.timeline = way.watch;
	return o;
}

static bool launch(const struct program *p, struct heddle_device *dev,
		   struct heddle_module *mod, const struct params *params,
		   bool all, struct outcome *out)
{
	struct heddle_timing_options timing = watch(all, out);
	struct heddle_launch l = { .kernel = p->kernel,
				   .grid = p->grid,
				   .block = p->block,
				   .params = params->block,
				   .param_bytes = params->bytes,
				   .timing = &timing };
	struct heddle_result result;
	struct heddle_error err;

	out->status = heddle_launch(dev, mod, &l, &result, &err);
	snprintf(out->error, sizeof(out->error), "%s", err.text);
	if (out->status == HEDDLE_FAULT)
		return printf("fault: %s\n", err.text), false;
	if (out->status || !heddle_device_timing(dev))
		return true;
	return keep_stats(dev, out);
}

static bool start_trace(struct heddle_device *dev, struct way way)
{
	struct heddle_error err;

	if (!way.record || !heddle_trace_begin(dev, way.record, "a test", &err))
		return true;
	return printf("trace: %s\n", err.text), false;
}

static bool end_trace(struct heddle_device *dev, struct way way)
{
	struct heddle_error err;

	if (!way.record || !heddle_trace_end(dev, &err))
		return true;
	return printf("trace: %s\n", err.text), false;
}

bool program_run(const struct program *p, const struct heddle_config *c,
		 struct way way, struct outcome *out)
{
	struct heddle_device_options o = device(c, way);
	struct params params = { 0 };
	struct heddle_device *dev;
	struct heddle_module *mod = NULL;
	struct heddle_error err;
	char *own = p->text ? NULL : kernel_text(p->kernel);
	const char *text = p->text ? p->text : own;
	bool good = true;

	memset(out, 0, sizeof(*out));
	out->status = heddle_device_new(&dev, &o, &err);
	if (!out->status) {
		good = start_trace(dev, way);
		out->status = heddle_module_load(dev, &mod, p->kernel, text,
						 strlen(text), &err);
		good = good && (out->status || make_buffers(p, dev, &params));
		for (int i = 0; i < 2 && good && !out->status; i++)
			good = launch(p, dev, mod, &params, c && way.watch,
				      out);
		if (good && !out->status) {
			snapshot(p, dev, &params, out);
			watch_bytes(out->memory, out->bytes);
		}
		good = end_trace(dev, way) && good;
		heddle_module_free(dev, mod);
		heddle_device_free(dev);
	}
	if (out->status && !out->error[0])
		snprintf(out->error, sizeof(out->error), "%s", err.text);
	free(own);
	return good;
}

struct member {
	struct heddle_module *mod;
	struct params params;
	struct heddle_launch launch;
};

static bool join(const struct program *p, struct heddle_device *dev,
		 struct member *m, const struct heddle_timing_options *timing)
{
	struct heddle_error err;

	if (heddle_module_load(dev, &m->mod, p->kernel, p->text,
			       strlen(p->text), &err))
		return printf("%s\n", err.text), false;
	m->launch = (struct heddle_launch){ .kernel = p->kernel,
					    .grid = p->grid,
					    .block = p->block,
					    .params = m->params.block,
					    .timing = timing };
	if (!make_buffers(p, dev, &m->params))
		return false;
	m->launch.param_bytes = m->params.bytes;
	return true;
}

/* Times of kernels that overlap add up to more than that of the group. */
static bool overlaps(const struct heddle_stat *s)
{
	return !strcmp(s->name, "cycles") || !strcmp(s->name, "slots") ||
	       !strcmp(s->name, "active_cycles");
}

/* What the kernels of a group counted adds up to what all did, but for what they
 * share, which is 0. */
static bool own_adds_up(const struct heddle_timing *t, size_t n, size_t i,
			struct outcome *out)
{
	const struct heddle_stat *all = &out->stat[i];
	bool own = stat_is_own(&stat_table[i]);
	uint64_t sum = 0;

	for (size_t k = 0; k < n; k++) {
		struct heddle_stat s;

		heddle_stats_get(heddle_timing_kernel_stats(t, k), i, &s, NULL);
		sum += s.count;
		out->own = (out->own ^ s.count) * 1099511628211u;
	}
	if (all->kind == HEDDLE_STAT_RATIO ||
	    (own && overlaps(all) && sum >= all->count) ||
	    sum == (own ? all->count : 0))
		return true;
	printf("%s.%s: %" PRIu64 " of all, %" PRIu64 " of the kernels\n",
	       all->group, all->name, all->count, sum);
	return false;
}

static uint64_t own_count(const struct heddle_stats *own, const char *key)
{
	struct heddle_stat s;
	struct heddle_error err;

	if (heddle_stats_find(own, key, &s, &err)) {
		printf("%s\n", err.text);
		abort();
	}
	return s.count;
}

/* What a kernel asked for is what the L2 did for it, and a kernel without
 * atomics, stores or loads has sent none. */
static bool own_memory_agrees(const struct heddle_stats *own)
{
	static const char *const same[][2] = {
		{ "lsu.writes_sent", "l2.writes" },
		{ "lsu.write_sectors_sent", "l2.sectors_written" },
		{ "lsu.atomics_sent", "l2.atomics" },
	};
	static const char *const cause[][2] = {
		{ "lsu.load_sectors", "lsu.reads_sent" },
		{ "lsu.store_sectors", "lsu.writes_sent" },
		{ "lsu.global_atomics", "lsu.atomics_sent" },
	};

	if (own_count(own, "lsu.reads_sent") !=
		    own_count(own, "l2.reads") +
			    own_count(own, "l2.combined") ||
	    own_count(own, "lsu.read_sectors_sent") !=
		    own_count(own, "l2.sectors_read") +
			    own_count(own, "l2.sectors_combined"))
		return printf("reads do not add up\n"), false;
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		if (own_count(own, same[i][0]) != own_count(own, same[i][1]))
			return printf("%s is not %s\n", same[i][0], same[i][1]),
			       false;
	for (size_t i = 0; i < sizeof(cause) / sizeof(*cause); i++)
		if (!own_count(own, cause[i][0]) && own_count(own, cause[i][1]))
			return printf("%s without %s\n", cause[i][1],
				      cause[i][0]),
			       false;
	if (!own_count(own, "l1.bypassed") && own_count(own, "l1.reads") &&
	    own_count(own, "l1.sectors_read") !=
		    own_count(own, "lsu.load_sectors"))
		return printf("loads are not lookups\n"), false;
	return true;
}

/* The instructions of a kernel, line by line. Not those that were executed: a
 * compiler folds some of PTX, which are not issued (sm.compiled). */
static uint64_t issued_by(const struct heddle_timing *t, size_t kernel)
{
	struct heddle_timing_info info;
	uint64_t n = 0;

	heddle_timing_info(t, &info);
	for (size_t i = 0; i < info.hot_lines; i++) {
		struct heddle_hot_line line;

		heddle_timing_hot(t, i, &line, NULL);
		n += line.kernel == kernel ? line.issued : 0;
	}
	return n;
}

static bool own_is_right(const struct heddle_timing *t, size_t k,
			 const struct heddle_result *r)
{
	const struct heddle_stats *own = heddle_timing_kernel_stats(t, k);
	struct heddle_kernel_timing time;

	heddle_timing_kernel(t, k, &time, NULL);
	return own_count(own, "sm.instructions") == issued_by(t, k) &&
	       own_count(own, "sm.lanes") <= r->thread_instructions &&
	       own_count(own, "gpu.cycles") == time.end - time.start &&
	       own_count(own, "gpu.blocks") == r->blocks &&
	       own_count(own, "gpu.threads") == r->threads &&
	       own_memory_agrees(own);
}

static bool keep_own(struct heddle_device *dev,
		     const struct heddle_result *results, size_t n,
		     struct outcome *out)
{
	const struct heddle_timing *t = heddle_device_timing(dev);

	for (size_t i = 0; i < out->stats; i++)
		if (!own_adds_up(t, n, i, out))
			return false;
	for (size_t k = 0; k < n; k++)
		if (!own_is_right(t, k, &results[k]))
			return printf("kernel %zu counts what is not its own\n",
				      k),
			       false;
	return true;
}

static bool launch_all(struct heddle_device *dev, const struct member *m,
		       size_t n, struct outcome *out)
{
	struct heddle_group_launch all[GROUP];
	struct heddle_result results[GROUP];
	struct heddle_error err;

	for (size_t i = 0; i < n; i++)
		all[i] = (struct heddle_group_launch){ m[i].mod, &m[i].launch,
						       (uint32_t)i % 3 };
	if (heddle_launch_group(dev, all, n, results, &err))
		return printf("%s\n", err.text), false;
	return !heddle_device_timing(dev) ||
	       (keep_stats(dev, out) && keep_own(dev, results, n, out));
}

bool group_run(const struct program *const *list, size_t n,
	       const struct heddle_config *c, struct way way,
	       struct outcome *out)
{
	struct heddle_timing_options timing = watch(c && way.watch, out);
	struct heddle_device_options o = device(c, way);
	struct member m[GROUP] = { 0 };
	struct heddle_device *dev;
	struct heddle_error err;
	bool good = true;

	memset(out, 0, sizeof(*out));
	if (heddle_device_new(&dev, &o, &err))
		return printf("%s\n", err.text), false;
	good = start_trace(dev, way);
	for (size_t i = 0; good && i < n; i++)
		good = join(list[i], dev, &m[i], c ? &timing : NULL);
	good = good && launch_all(dev, m, n, out);
	for (size_t i = 0; good && i < n; i++)
		snapshot(list[i], dev, &m[i].params, out);
	good = end_trace(dev, way) && good;
	for (size_t i = 0; i < n; i++)
		heddle_module_free(dev, m[i].mod);
	heddle_device_free(dev);
	return good;
}

struct replayed {
	struct heddle_device *dev;
	struct outcome *out;
	bool good;
};

static int on_replayed(void *ctx, const struct heddle_replayed *r)
{
	struct replayed *to = ctx;

	(void)r;
	if (heddle_device_timing(to->dev))
		to->good = keep_stats(to->dev, to->out);
	return !to->good;
}

bool trace_run(const char *path, const struct heddle_config *c, struct way way,
	       struct outcome *out)
{
	struct heddle_timing_options timing = watch(c && way.watch, out);
	struct heddle_device_options o = device(c, way);
	struct replayed to = { .out = out, .good = true };
	struct heddle_replay_options options = { .timing = c ? &timing : NULL,
						 .done = on_replayed,
						 .ctx = &to };
	struct heddle_error err;

	memset(out, 0, sizeof(*out));
	if (heddle_device_new(&to.dev, &o, &err))
		return printf("%s\n", err.text), false;
	out->status = heddle_replay(to.dev, path, &options, &err);
	snprintf(out->error, sizeof(out->error), "%s", err.text);
	if (out->status == HEDDLE_FAULT)
		to.good = (printf("fault: %s\n", err.text), false);
	heddle_device_free(to.dev);
	return to.good;
}
