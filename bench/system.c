/* Four cores and eight compute units in one memory, all of them busy. */
#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/device.h"
#include "apu/apu.h"
#include "cfg/configs.h"
#include "isa/x86/process.h"
#include "system/system.h"

enum { IMAGE_MOST = 1 << 20, ORDER = 128 };

/* The kernel on the units. */
struct busy {
	struct rig rig;
	struct {
		heddle_ptr a, b, c;
		int32_t n;
	} params;
	struct heddle_launch launch;
	struct system *system;
	struct apu *apu;
	struct job job;
	int ended; /* kernels */
};

static void busy_step(void *ctx, cycle_t now);

static void busy_begin(struct busy *b, cycle_t now)
{
	struct diag d;

	b->job = (struct job){ .mod = b->rig.module, .launch = &b->launch };
	expect(!job_open(&b->job, b->rig.device, &d), d.text);
	expect(!apu_begin(b->apu, now,
			  &(struct apu_kernel){ &b->job.run,
						b->rig.module->timed,
						b->job.occupancy },
			  &d),
	       d.text);
	system_at(b->system, now, busy_step, b);
}

/* One kernel follows the other. */
static void busy_step(void *ctx, cycle_t now)
{
	struct busy *b = ctx;
	cycle_t next = apu_advance(b->apu, now);

	if (next != CYCLE_NEVER) {
		system_at(b->system, next, busy_step, b);
		return;
	}
	expect(apu_result(b->apu)->done, "the kernel has faulted");
	launch_clear(&b->job.run);
	free(b->job.params);
	b->ended++;
	busy_begin(b, now);
}

static void busy_kernel(struct busy *b, const struct cfg *cfg)
{
	static float m[ORDER * ORDER];
	struct diag d;

	for (int i = 0; i < ORDER * ORDER; i++)
		m[i] = (float)(i % ORDER);
	b->params.a = rig_array(&b->rig, m, sizeof(m));
	b->params.b = rig_array(&b->rig, m, sizeof(m));
	b->params.c = rig_array(&b->rig, NULL, sizeof(m));
	b->params.n = ORDER;
	b->launch =
		(struct heddle_launch){ .kernel = "matmul_tiled",
					.grid = { ORDER / 16, ORDER / 16, 1 },
					.block = { 16, 16, 1 },
					.params = &b->params,
					.param_bytes = 28 };
	expect(!apu_new(&b->apu, cfg, system_memory(b->system), &d), d.text);
	system_busy(b->system, 1);
	busy_begin(b, 0);
}

static void busy_check(struct busy *b)
{
	static float c[ORDER * ORDER];

	rig_read(&b->rig, c, b->params.c, sizeof(c));
	for (int i = 0; i < ORDER * ORDER; i++)
		expect(c[i] == (float)(i % ORDER * (ORDER * (ORDER - 1) / 2)),
		       "matmul_tiled: a wrong product");
}

static struct x86_process *busy_guest(void)
{
	static const char *const argv[] = { "busy", NULL };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	FILE *f = need(fopen(BUSY_GUEST, "rb"));
	void *image = need(malloc(IMAGE_MOST));
	struct x86_options o = { .image = image,
				 .size = fread(image, 1, IMAGE_MOST, f),
				 .argv = argv,
				 .root = "/",
				 .standard = { null, null, null },
				 .cores = 4,
				 .quantum = 10000 };
	struct x86_process *p;
	struct diag d;

	expect(!x86_process_new(&p, &o, &d), d.text);
	fclose(f);
	free(image);
	return p;
}

/* Cycles of the cores a second, from when all four have a thread. */
static double busy_rate(struct busy *b, uint64_t cycles)
{
	struct cpu_stats before, after;
	uint64_t begin;
	double start;
	struct diag d;

	expect(!system_run(b->system, 200000, &d), d.text);
	system_cpu_stats(b->system, &before);
	begin = system_cycles(b->system);
	start = cpu_seconds();
	expect(!system_run(b->system, cycles, &d), d.text);
	start = cpu_seconds() - start;
	system_cpu_stats(b->system, &after);
	expect(after.busy - before.busy == after.cycles - before.cycles,
	       "a core has no thread");
	expect(b->ended > 1, "no kernel has ended");
	return (double)(system_cycles(b->system) - begin) / start;
}

double bench_cgm_system(void)
{
	struct busy b = { .ended = 0 };
	struct system_options options = { 0 };
	const char *plain = rig_code;
	struct x86_process *p = busy_guest();
	struct cfg_sheet sheet;
	struct guest g;
	struct diag d;
	double rate;

	rig_code = ".hsaco";
	rig_init_timed(&b.rig, "cgm");
	rig_code = plain;
	cfg_sheet_init(&sheet);
	expect(!configs_read(&sheet, CONFIGS "/cgm.cfg", &d) &&
		       !cfg_sheet_set(&sheet, "cgm.cus=8", &d) &&
		       !x86_process_guest(p, &g, &d) &&
		       !system_new(&b.system, &sheet.cfg, &g, &options, &d),
	       "cannot make the system");
	busy_kernel(&b, &sheet.cfg);
	rate = busy_rate(&b, 1000000);
	busy_check(&b);
	launch_clear(&b.job.run);
	free(b.job.params);
	apu_free(b.apu);
	system_free(b.system);
	x86_process_free(p);
	rig_free(&b.rig);
	cfg_sheet_free(&sheet);
	return rate;
}
