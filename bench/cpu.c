/* Programs for x86-64. */
#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cfg/configs.h"
#include "isa/x86/process.h"
#include "system/system.h"

enum { IMAGE_MOST = 1 << 20, RUNS = 3 };

static struct x86_process *load_guest(const void *image, size_t size, int null,
				      const char *rounds)
{
	const char *argv[] = { "bare", rounds, NULL };
	struct x86_options o = { .image = image,
				 .size = size,
				 .argv = argv,
				 .root = "/",
				 .standard = { null, null, null },
				 .cores = 1,
				 .quantum = 10000 };
	struct x86_process *p;
	struct diag d;

	expect(!x86_process_new(&p, &o, &d), d.text);
	return p;
}

/* tests/x86/bare, 60 rounds: 135 million instructions. */
static double run_guest(const void *image, size_t size, int null)
{
	struct x86_process *p = load_guest(image, size, null, "60");
	struct x86_end end;
	double start = cpu_seconds();

	x86_process_run(p, &end);
	start = cpu_seconds() - start;
	x86_process_free(p);
	expect(end.how == X86_EXITED && end.status == 0, "exit status 0");
	return (double)end.instructions / start;
}

/* One round, 2.3 million instructions, on a core of configs/cgm.cfg. */
static double simulate_guest(const void *image, size_t size, int null)
{
	struct x86_process *p = load_guest(image, size, null, "1");
	struct system_options options = { 0 };
	struct cfg_sheet sheet;
	struct system *s;
	struct guest g;
	struct x86_end end;
	struct diag d;
	double start;

	cfg_sheet_init(&sheet);
	expect(!configs_read(&sheet, CONFIGS "/cgm.cfg", &d) &&
		       !cfg_sheet_set(&sheet, "cgm.cores=1", &d) &&
		       !x86_process_guest(p, &g, &d) &&
		       !system_new(&s, &sheet.cfg, &g, &options, &d),
	       "cannot make the system");
	start = cpu_seconds();
	while (!system_ended(s))
		expect(!system_run(s, 1 << 20, &d), d.text);
	start = cpu_seconds() - start;
	expect(x86_process_end(p, &end) && end.how == X86_EXITED &&
		       end.status == 0,
	       "exit status 0");
	system_free(s);
	x86_process_free(p);
	cfg_sheet_free(&sheet);
	return (double)end.instructions / start;
}

typedef double guest_rate(const void *image, size_t size, int null);

static double best_of(guest_rate *rate_of)
{
	FILE *f = need(fopen(GUEST, "rb"));
	void *image = need(malloc(IMAGE_MOST));
	size_t size = fread(image, 1, IMAGE_MOST, f);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	double best = 0;

	expect(null >= 0, "/dev/null");
	for (int i = 0; i < RUNS; i++) {
		double rate = rate_of(image, size, null);

		best = rate > best ? rate : best;
	}
	close(null);
	fclose(f);
	free(image);
	return best;
}

double bench_cpu_functional(void)
{
	return best_of(run_guest);
}

double bench_cpu_detailed(void)
{
	return best_of(simulate_guest);
}
