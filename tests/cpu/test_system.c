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

static void run(struct outcome *out, unsigned threads, uint64_t limit)
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
	while (!system_ended(s))
		EQ(ERR_OK, system_run(s, 100000, &d));
	out->cycles = system_cycles(s);
	system_cpu_stats(s, &out->cpu);
	system_cgm_stats(s, &out->cgm);
	for (unsigned i = 0; i < 2; i++)
		system_core_stats(s, i, &out->core[i]);
	OK(!cpu_stats_broken_law(&out->cpu, &d));
	OK(!cgm_stats_broken_law(&out->cgm, &d));
	system_free(s);
	x86_process_free(p);
	cfg_sheet_free(&sheet);
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
