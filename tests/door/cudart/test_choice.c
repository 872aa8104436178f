#define _GNU_SOURCE /* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "test.h"

/* A kernel for compute capability `sm` that stores it, after `more`. */
#define STORE(sm, more)                                        \
	".version 8.0\n.target sm_" #sm "\n.address_size 64\n" \
	".visible .entry which(.param .u64 p)\n"               \
	"{ .reg .u64 %a; ld.param.u64 %a, [p];\n" more         \
	"st.global.u32 [%a], " #sm "; ret; }\n"
/* What is not simulated. */
#define REFUSED "wgmma.fence.sync.aligned;\n"

/* A stub's address is all that matters. */
#define STUB(name)                                       \
	__attribute__((noinline)) static void name(void) \
	{                                                \
		__asm__ volatile("# " #name);            \
		abort();                                 \
	}
STUB(best)
STUB(older)
STUB(lowest)
STUB(nothing)
STUB(newer)

/* What the kernel stores; -1 if it does not run. */
static int chosen(void (*stub)(void), const struct ptx_image *list,
		  size_t count, cudaError_t want)
{
	int *p, host = -1;

	register_kernel(register_choice(list, count), stub, "which");
	WORKS(cudaMalloc((void **)&p, 4));
	WORKS(cudaMemset(p, 0xff, 4));
	GIVES(want, launch(stub, DIM(1, 1, 1), DIM(1, 1, 1), 0, 0, ARGS(&p)));
	cudaGetLastError();
	WORKS(cudaMemcpy(&host, p, 4, cudaMemcpyDefault));
	WORKS(cudaFree(p));
	return host;
}

TEST(choice, the_highest_that_the_device_can_run_is_taken)
{
	static const struct ptx_image list[] = { { 70, STORE(70, "") },
						 { 90, STORE(90, "") },
						 { 80, STORE(80, "") },
						 { 100, STORE(100, "") } };

	EQ(90, chosen(best, list, 4, cudaSuccess));
}

TEST(choice, what_is_refused_gives_way_to_older_ptx)
{
	static const struct ptx_image list[] = { { 70, STORE(70, "") },
						 { 90, STORE(90, REFUSED) },
						 { 80, STORE(80, REFUSED) },
						 { 100, STORE(100, "") } };

	EQ(70, chosen(older, list, 4, cudaSuccess));
}

TEST(choice, of_newer_ptx_only_the_lowest_is_tried)
{
	static const struct ptx_image list[] = { { 120, STORE(120, "") },
						 { 100, STORE(100, "") } };

	EQ(100, chosen(lowest, list, 2, cudaSuccess));
}

/* What goes to stderr while a kernel is refused. */
static void refusal(char *out, size_t room, void (*stub)(void),
		    const struct ptx_image *list, size_t count)
{
	int keep = dup(STDERR_FILENO);
	FILE *to = tmpfile();
	size_t n;

	OK(keep >= 0 && to != NULL);
	dup2(fileno(to), STDERR_FILENO);
	EQ(-1, chosen(stub, list, count, cudaErrorInvalidPtx));
	dup2(keep, STDERR_FILENO);
	close(keep);
	rewind(to);
	n = fread(out, 1, room - 1, to);
	out[n] = '\0';
	fclose(to);
}

TEST(choice, a_refusal_names_the_instruction_and_a_way_out)
{
	static const struct ptx_image list[] = { { 90, STORE(90, REFUSED) },
						 { 85, STORE(85, REFUSED) } };
	char text[1000];

	refusal(text, sizeof(text), nothing, list, 2);
	OK(strstr(text, "wgmma.fence") != NULL);
	OK(strstr(text, "arch=compute_80") != NULL);
	/* One line. */
	OK(strchr(text, '\n') == text + strlen(text) - 1);
}

TEST(choice, newer_ptx_that_is_refused_is_said_to_be_newer)
{
	static const struct ptx_image list[] = { { 100, STORE(100, REFUSED) },
						 { 120, STORE(120, "") } };
	char text[1000];

	refusal(text, sizeof(text), newer, list, 2);
	OK(strstr(text, "no PTX for sm_90 or lower") != NULL);
	OK(strstr(text, "compute_100") != NULL);
}
