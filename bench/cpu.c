/* Programs for x86-64. */
#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "isa/x86/process.h"

enum { IMAGE_MOST = 1 << 20, RUNS = 3 };

/* tests/x86/bare, 60 rounds: 135 million instructions. */
static double run_guest(const void *image, size_t size, int null)
{
	const char *argv[] = { "bare", "60", NULL };
	struct x86_options o = { .image = image,
				 .size = size,
				 .argv = argv,
				 .root = "/",
				 .standard = { null, null, null },
				 .cores = 1,
				 .quantum = 10000 };
	struct x86_process *p;
	struct x86_end end;
	struct diag d;
	double start;

	expect(!x86_process_new(&p, &o, &d), d.text);
	start = cpu_seconds();
	x86_process_run(p, &end);
	start = cpu_seconds() - start;
	x86_process_free(p);
	expect(end.how == X86_EXITED && end.status == 0, "exit status 0");
	return (double)end.instructions / start;
}

double bench_cpu_functional(void)
{
	FILE *f = need(fopen(GUEST, "rb"));
	void *image = need(malloc(IMAGE_MOST));
	size_t size = fread(image, 1, IMAGE_MOST, f);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	double best = 0;

	expect(null >= 0, "/dev/null");
	for (int i = 0; i < RUNS; i++) {
		double rate = run_guest(image, size, null);

		best = rate > best ? rate : best;
	}
	close(null);
	fclose(f);
	free(image);
	return best;
}
