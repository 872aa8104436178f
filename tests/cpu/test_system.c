/* A system, on any number of threads of the host: tests/x86/bare, which needs no
 * compiler, on two cores. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cfg/configs.h"
#include "isa/x86/process.h"
#include "system/system.h"
#include "test.h"

LABEL(system, threads);

enum { IMAGE_MOST = 1 << 20 };

/* What a run came to. */
struct outcome {
	uint64_t cycles;
	struct cpu_stats cpu, core[2];
	struct cgm_stats cgm;
};

static struct x86_process *load(void)
{
	const char *argv[] = { "bare", "1", NULL };
	FILE *f = fopen(HEDDLE_SOURCE_DIR "/tests/x86/bare", "rb");
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct x86_options o = { .argv = argv,
				 .root = "/",
				 .standard = { null, null, null },
				 .cores = 2,
				 .quantum = 1 };
	void *image = malloc(IMAGE_MOST);
	struct x86_process *p;
	struct diag d;

	OK(f && image && null >= 0);
	o.image = image;
	o.size = fread(image, 1, IMAGE_MOST, f);
	EQ(ERR_OK, x86_process_new(&p, &o, &d));
	fclose(f);
	free(image);
	return p;
}

/* The rows grow, and the last one is what the run came to. */
static void check_series(const struct system_series *all,
			 const struct outcome *out)
{
	const struct cgm_series *q = &all->all;
	const uint64_t *last = q->row + (size_t)(q->count - 1) * q->width;
	struct cgm_stats cgm = out->cgm;
	struct cpu_stats core = out->core[1];
	unsigned column = q->memory;

	EQ(out->cycles, last[0]);
	for (unsigned i = 1; i < q->count; i++)
		for (unsigned k = 0; k < q->width; k++)
			OK(q->row[(size_t)i * q->width + k] >=
			   q->row[(size_t)(i - 1) * q->width + k]);
	for (unsigned i = 0; i < cpu_stat_count; i++)
		EQ(cpu_stat_value(&out->cpu, &cpu_stat_rows[i]),
		   last[all->cpu + i]);
	for (unsigned i = 0; i < CPU_SLOT_USES; i++)
		EQ(*cpu_stat_slot(&core, (enum cpu_slot_use)i),
		   last[all->core + all->core_width + i]);
	for (unsigned i = 0; i < CGM_INSTANCES; i++)
		for (unsigned k = 0; k < cgm_stat_count; k++)
			if (cgm_stat_rows[k].kind == cgm_stat_places[i].kind)
				EQ(cgm_stat_value(&cgm, &cgm_stat_places[i],
						  &cgm_stat_rows[k]),
				   last[column++]);
	EQ(column, q->message);
}

/* Every slot of a core with a thread belongs to one instruction. */
static void check_profile(struct system *s, const struct outcome *out)
{
	uint64_t slot[CPU_SLOT_USES] = { 0 }, before = 0;
	struct cpu_stats cpu = out->cpu;
	struct system_hot *hot;
	size_t count;
	struct diag d;

	EQ(ERR_OK, system_profile(s, &hot, &count, &d));
	OK(count > 100);
	for (size_t i = 0; i < count; i++) {
		OK(!i || hot[i].at > before);
		before = hot[i].at;
		for (unsigned k = 0; k < CPU_SLOT_USES; k++)
			slot[k] += hot[i].slot[k];
	}
	for (unsigned k = 0; k < CPU_SLOT_USES; k++)
		EQ(k == CPU_SLOT_idle ?
			   0 :
			   *cpu_stat_slot(&cpu, (enum cpu_slot_use)k),
		   slot[k]);
	free(hot);
}

/* interval: of the samples; 0: there are none. */
static void run_with(struct outcome *out, unsigned threads, uint64_t limit,
		     uint64_t interval, struct cgm_series *series)
{
	struct x86_process *p = load();
	struct system_options o = { .threads = threads, .limit = limit };
	struct cfg_sheet sheet;
	struct system *s;
	struct guest g;
	struct diag d;

	memset(out, 0, sizeof(*out));
	cfg_sheet_init(&sheet);
	EQ(ERR_OK,
	   configs_read(&sheet, HEDDLE_SOURCE_DIR "/configs/cgm.cfg", &d));
	EQ(ERR_OK, cfg_sheet_set(&sheet, "cgm.cores=2", &d));
	EQ(ERR_OK, x86_process_guest(p, &g, &d));
	EQ(ERR_OK, system_new(&s, &sheet.cfg, &g, &o, &d));
	if (interval)
		EQ(ERR_OK, system_observe(s, interval, &d));
	while (!system_ended(s))
		EQ(ERR_OK, system_run(s, 100000, &d));
	out->cycles = system_cycles(s);
	system_cpu_stats(s, &out->cpu);
	system_cgm_stats(s, &out->cgm);
	for (unsigned i = 0; i < 2; i++)
		system_core_stats(s, i, &out->core[i]);
	OK(!cpu_stats_broken_law(&out->cpu, &d));
	OK(!cgm_stats_broken_law(&out->cgm, &d));
	if (interval) {
		const struct system_series *all = system_series(s);
		const struct cgm_series *q = &all->all;

		check_series(all, out);
		check_profile(s, out);
		*series = *q;
		series->row =
			malloc((size_t)q->count * q->width * sizeof(*q->row));
		OK(series->row);
		memcpy(series->row, q->row,
		       (size_t)q->count * q->width * sizeof(*q->row));
	}
	system_free(s);
	x86_process_free(p);
	cfg_sheet_free(&sheet);
}

static void run(struct outcome *out, unsigned threads, uint64_t limit)
{
	run_with(out, threads, limit, 0, NULL);
}

TEST(system, values_over_time_change_nothing_and_add_up)
{
	struct cgm_series one, many;
	struct outcome plain, seen;

	run(&plain, 1, 30000);
	/* So short an interval that neighbours are joined. */
	run_with(&seen, 1, 30000, 7, &one);
	EQ(0, memcmp(&plain, &seen, sizeof(seen)));
	OK(one.count <= CGM_SAMPLES + 1 && one.count > CGM_SAMPLES / 2);
	OK(one.interval > 7 && one.interval % 7 == 0);
	for (unsigned i = 0; i + 1 < one.count; i++)
		EQ((i + 1) * one.interval, one.row[(size_t)i * one.width]);
	run_with(&seen, 4, 30000, 7, &many);
	EQ(one.count, many.count);
	EQ(0, memcmp(one.row, many.row,
		     (size_t)one.count * one.width * sizeof(*one.row)));
	free(one.row);
	free(many.row);
	/* To the end of the program, which is no limit's. */
	run(&plain, 1, 0);
	run_with(&seen, 1, 0, 1000, &one);
	EQ(0, memcmp(&plain, &seen, sizeof(seen)));
	free(one.row);
}

TEST(system, threads_of_the_host_change_nothing)
{
	struct outcome one, many;

	run(&one, 1, 30000);
	OK(one.cpu.instructions >= 30000);
	for (unsigned threads = 2; threads <= 8; threads *= 2) {
		run(&many, threads, 30000);
		EQ(one.cycles, many.cycles);
		EQ(0, memcmp(&one, &many, sizeof(one)));
	}
}

TEST(system, a_run_gives_the_same_again)
{
	struct outcome one, two;

	run(&one, 1, 200000);
	run(&two, 1, 200000);
	EQ(0, memcmp(&one, &two, sizeof(one)));
}
