#define _GNU_SOURCE
#include "circuit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "fl_sim.h"
#include "rig.h"
#include "test.h"

/* BEFORE: events that are printed before one that differs. */
enum { EVENTS = 4 << 20, BEFORE = 12, HANGS = 3000000 };

/* ---- memory: two files, so that what has been written is known ------------ */

struct file_memory {
	int file;
	uint8_t *at;
};

static struct file_memory make_memory(uint64_t bytes)
{
	struct file_memory m = { .file = memfd_create("heddle", 0) };
	void *at;

	OK(m.file >= 0 && !ftruncate(m.file, (off_t)bytes));
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m.file, 0);
	OK(at != MAP_FAILED);
	m.at = at;
	return m;
}

static struct file_memory *model_memory(void)
{
	static struct file_memory m;

	if (!m.at)
		m = make_memory(FL_MEMORY_BYTES);
	return &m;
}

static struct file_memory *external_memory(void)
{
	static struct file_memory m;

	if (!m.at)
		m = make_memory((uint64_t)FL_CIRCUIT_LINES * FL_SEGMENT);
	return &m;
}

uint8_t *circuit_memory(void)
{
	return external_memory()->at;
}

static uint8_t *shared_memory(void)
{
	return model_memory()->at;
}

/* Calls visit for each part that has been written in one of the two. */
static void each_part(const struct file_memory *m,
		      void (*visit)(uint32_t at, uint32_t bytes))
{
	off_t at = 0;

	while ((at = lseek(m->file, at, SEEK_DATA)) >= 0 &&
	       at < (off_t)FL_MEMORY_BYTES) {
		off_t end = lseek(m->file, at, SEEK_HOLE);

		if (end > (off_t)FL_MEMORY_BYTES)
			end = FL_MEMORY_BYTES;
		visit((uint32_t)at, (uint32_t)(end - at));
		at = end;
	}
}

static void copy_part(uint32_t at, uint32_t bytes)
{
	if (memcmp(circuit_memory() + at, shared_memory() + at, bytes))
		memcpy(circuit_memory() + at, shared_memory() + at, bytes);
}

static void compare_part(uint32_t at, uint32_t bytes)
{
	const uint8_t *got = circuit_memory() + at;
	const uint8_t *want = shared_memory() + at;
	uint32_t i = 0;

	if (!memcmp(got, want, bytes))
		return;
	while (got[i] == want[i])
		i++;
	printf("  memory at 0x%x: 0x%02x, the model has 0x%02x\n", at + i,
	       got[i], want[i]);
	OK(false);
}

/* ---- the link ---------------------------------------------------------------- */

static struct fl_sim *circuit_sim(void)
{
	static struct fl_sim *sim;

	if (!sim) {
		const char *latency = getenv("RTL_LATENCY");
		const char *interval = getenv("RTL_INTERVAL");

		sim = fl_sim_new(circuit_memory(),
				 latency ? (unsigned)atoi(latency) : 8,
				 interval ? (unsigned)atoi(interval) : 1);
	}
	return sim;
}

static enum err link_write(void *ctx, uint32_t at, uint32_t data,
			   struct diag *d)
{
	(void)d;
	fl_sim_write(ctx, at, data);
	return ERR_OK;
}

static enum err link_read(void *ctx, uint32_t at, uint32_t *data,
			  struct diag *d)
{
	(void)d;
	*data = fl_sim_read(ctx, at);
	return ERR_OK;
}

static enum err link_record(void *ctx, bool on, struct diag *d)
{
	(void)d;
	fl_sim_record(ctx, on);
	return ERR_OK;
}

/* Cycles of the circuit since the last event: one that hangs fails instead of running
 * forever. */
static uint64_t silence;

static enum err link_wait(void *ctx, const struct fl_launch *l, struct diag *d)
{
	static struct fl_sim_event events[1024];
	uint64_t cycles = 100000;
	size_t n;

	do {
		uint64_t before = cycles;

		n = fl_sim_run(ctx, &cycles, events, 1024);
		for (size_t i = 0; i < n; i++)
			l->event(l->ctx, &(struct fl_event){
						 events[i].cycle, events[i].sm,
						 events[i].warp, events[i].pc,
						 events[i].lanes });
		silence = n ? 0 : silence + (before - cycles);
		if (l->event && silence > HANGS)
			return fail(d, ERR_UNKNOWN, "the circuit hangs");
	} while (n == 1024 || (cycles && fl_sim_busy(ctx)));
	return ERR_OK;
}

const struct fl_link *circuit_link(void)
{
	static struct fl_link link = { link_write, link_read, link_record,
				       link_wait, NULL };

	link.ctx = circuit_sim();
	return &link;
}

/* ---- both ---------------------------------------------------------------------- */

static struct {
	struct fl_event *event;
	size_t count, seen;
	bool differs;
	struct fl_counters counters;
} circuit_run;

const struct fl_counters *circuit_counters(void)
{
	return &circuit_run.counters;
}

static void record_event(void *ctx, const struct fl_event *e)
{
	(void)ctx;
	if (circuit_run.count < EVENTS)
		circuit_run.event[circuit_run.count] = *e;
	circuit_run.count++;
}

static void print_event(const char *who, const struct fl_event *e)
{
	printf("  %s: cycle %" PRIu64 " multiprocessor %u warp %u instruction "
	       "%u lanes %08x\n",
	       who, e->cycle, e->sm, e->warp, e->pc, e->lanes);
}

static void compare_event(void *ctx, const struct fl_event *e)
{
	size_t i = circuit_run.seen++;
	const struct fl_event *want = &circuit_run.event[i];

	(void)ctx;
	if (circuit_run.differs || i >= circuit_run.count || i >= EVENTS)
		return;
	if (e->cycle == want->cycle && e->sm == want->sm &&
	    e->warp == want->warp && e->pc == want->pc &&
	    e->lanes == want->lanes)
		return;
	circuit_run.differs = true;
	printf("  event %zu of %zu differs\n", i, circuit_run.count);
	for (size_t k = i > BEFORE ? i - BEFORE : 0; k < i; k++)
		print_event("before ", &circuit_run.event[k]);
	print_event("model  ", want);
	print_event("circuit", e);
}

static void prepare_circuit(struct rig *r)
{
	if (!circuit_run.event)
		circuit_run.event = calloc(EVENTS, sizeof(struct fl_event));
	OK(circuit_run.event);
	each_part(external_memory(), copy_part);
	each_part(model_memory(), copy_part);
	circuit_run.count = circuit_run.seen = 0;
	circuit_run.differs = false;
	r->launch.event = record_event;
}

static void compare_stats(const struct fl_stats *want,
			  const struct fl_stats *got)
{
#define X(name, about)                                                   \
	if (want->name != got->name) {                                   \
		printf("  %s: %" PRIu64 ", the model has %" PRIu64 "\n", \
		       #name, got->name, want->name);                    \
		OK(false);                                               \
	}
	FL_STATS(X)
#undef X
}

static void compare_faults(const struct fl_fault *want,
			   const struct fl_fault *got)
{
	EQ(want->kind, got->kind);
	for (int i = 0; i < 3; i++)
		EQ(want->block[i], got->block[i]);
	EQ(want->warp, got->warp);
	EQ(want->lane, got->lane);
	EQ(want->pc, got->pc);
	EQ(want->address, got->address);
}

static void run_circuit(struct rig *r)
{
	struct fl_launch l = r->launch;
	struct fl_stats stats;
	struct fl_fault fault;
	clock_t start = clock();

	r->launch.event = NULL;
	l.event = compare_event;
	l.memory = circuit_memory();
	silence = 0;
	if (fl_circuit_run(circuit_link(), &r->config, &l, &stats,
			   &circuit_run.counters, &fault, &r->d))
		STREQ("", r->d.text);
	compare_faults(&r->fault, &fault);
	OK(!circuit_run.differs);
	if (r->fault.kind)
		return;
	EQ(circuit_run.count, circuit_run.seen);
	compare_stats(&r->stats, &stats);
	each_part(external_memory(), compare_part);
	each_part(model_memory(), compare_part);
	if (getenv("RTL_VERBOSE"))
		printf("  %" PRIu64 " instructions, %" PRIu64
		       " cycles, %" PRIu64 " of the circuit in %.1f s\n",
		       stats.instructions, stats.cycles,
		       circuit_run.counters.host_cycles,
		       (double)(clock() - start) / CLOCKS_PER_SEC);
}

static const struct rig_other circuit = { shared_memory, prepare_circuit,
					  run_circuit };

__attribute__((constructor)) static void use_circuit(void)
{
	rig_other = &circuit;
}
