#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"
#include "test.h"

/* The values are those of an H200. */

static int attribute(const void *p, size_t size, int which)
{
	int v = 77;

	WORKS(cudaMemRangeGetAttribute(
		&v, sizeof(v), (enum cudaMemRangeAttribute)which, p, size));
	return v;
}

TEST(advice, is_remembered)
{
	const struct cudaMemLocation device = { cudaMemLocationTypeDevice, 0 };
	const struct cudaMemLocation host = { cudaMemLocationTypeHost, 0 };
	enum { SIZE = 1 << 20 };
	int by[3];
	char *p;

	WORKS(cudaMallocManaged((void **)&p, SIZE, cudaMemAttachGlobal));
	EQ(0, attribute(p, SIZE, cudaMemRangeAttributeReadMostly));
	EQ(-2, attribute(p, SIZE, cudaMemRangeAttributePreferredLocation));
	EQ(-2, attribute(p, SIZE, cudaMemRangeAttributeLastPrefetchLocation));
	WORKS(cudaMemAdvise(p, SIZE, cudaMemAdviseSetReadMostly, device));
	WORKS(cudaMemAdvise(p, SIZE, cudaMemAdviseSetPreferredLocation,
			    device));
	WORKS(cudaMemAdvise(p, SIZE, cudaMemAdviseSetAccessedBy, host));
	WORKS(cudaMemAdvise(p, SIZE, cudaMemAdviseSetAccessedBy, device));
	WORKS(cudaMemPrefetchAsync(p, SIZE, host, 0, 0));
	EQ(1, attribute(p, SIZE, cudaMemRangeAttributeReadMostly));
	EQ(0, attribute(p, SIZE, cudaMemRangeAttributePreferredLocation));
	EQ(cudaMemLocationTypeDevice,
	   attribute(p, SIZE, cudaMemRangeAttributePreferredLocationType));
	EQ(-1, attribute(p, SIZE, cudaMemRangeAttributeLastPrefetchLocation));
	EQ(cudaMemLocationTypeHost,
	   attribute(p, SIZE, cudaMemRangeAttributeLastPrefetchLocationType));
	WORKS(cudaMemRangeGetAttribute(
		by, sizeof(by), cudaMemRangeAttributeAccessedBy, p, SIZE));
	EQ(0, by[0]);
	EQ(-1, by[1]);
	EQ(-2, by[2]);
	WORKS(cudaMemAdvise(p, SIZE, cudaMemAdviseUnsetAccessedBy, host));
	WORKS(cudaMemAdvise(p, SIZE, cudaMemAdviseUnsetPreferredLocation,
			    host));
	WORKS(cudaMemAdvise(p, SIZE, cudaMemAdviseUnsetReadMostly, host));
	WORKS(cudaMemRangeGetAttribute(
		by, sizeof(by), cudaMemRangeAttributeAccessedBy, p, SIZE));
	EQ(0, by[0]);
	EQ(-2, by[1]);
	EQ(0, attribute(p, SIZE, cudaMemRangeAttributeReadMostly));
	EQ(-2, attribute(p, SIZE, cudaMemRangeAttributePreferredLocation));
	GIVES(cudaErrorInvalidValue,
	      cudaMemAdvise(p, SIZE + 1, cudaMemAdviseSetReadMostly, device));
	GIVES(cudaErrorInvalidValue,
	      cudaMemAdvise(by, 4, cudaMemAdviseSetReadMostly, device));
	WORKS(cudaFree(p));
}

static unsigned host_flags(void *p)
{
	unsigned flags = 99;

	WORKS(cudaHostGetFlags(&flags, p));
	return flags;
}

TEST(flags, of_the_hosts_memory_are_those_of_a_gpu)
{
	static char page[4096] __attribute__((aligned(4096)));

	for (unsigned i = 0; i < 8; i++) {
		void *p;

		WORKS(cudaHostAlloc(&p, 64, i));
		EQ(i & 4 ? 6 : 2, host_flags(p));
		WORKS(cudaFreeHost(p));
	}
	for (unsigned i = 0; i < 4; i++) {
		WORKS(cudaHostRegister(page, sizeof(page), i));
		EQ(i & 1 ? 3 : 2, host_flags(page));
		WORKS(cudaHostUnregister(page));
	}
}

TEST(flags, of_the_device_are_kept)
{
	unsigned flags;

	WORKS(cudaGetDeviceFlags(&flags));
	EQ(cudaDeviceMapHost, flags);
	WORKS(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
	WORKS(cudaGetDeviceFlags(&flags));
	EQ(cudaDeviceScheduleBlockingSync | cudaDeviceMapHost, flags);
	WORKS(cudaInitDevice(0, cudaDeviceScheduleSpin, 0));
	WORKS(cudaGetDeviceFlags(&flags));
	EQ(cudaDeviceScheduleBlockingSync | cudaDeviceMapHost, flags);
}

static size_t limit(int which)
{
	size_t v = 77;

	WORKS(cudaDeviceGetLimit(&v, (enum cudaLimit)which));
	return v;
}

TEST(limits, are_those_of_a_gpu)
{
	size_t v;

	GIVES(cudaErrorUnsupportedLimit,
	      cudaDeviceGetLimit(&v, cudaLimitDevRuntimeSyncDepth));
	EQ(11796480, limit(cudaLimitPersistingL2CacheSize));
	WORKS(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20));
	EQ(1 << 20, limit(cudaLimitPersistingL2CacheSize));
	GIVES(cudaErrorInvalidValue,
	      cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 39321601));
	EQ(232448, limit(7));
	GIVES(cudaErrorNotPermitted, cudaDeviceSetLimit((enum cudaLimit)7, 1));
	GIVES(cudaErrorInvalidValue,
	      cudaDeviceGetLimit(&v, (enum cudaLimit)99));
}

static uint64_t graph_memory(int which)
{
	uint64_t v = 77;

	WORKS(cudaDeviceGetGraphMemAttribute(
		0, (enum cudaGraphMemAttributeType)which, &v));
	return v;
}

TEST(graph_memory, is_counted_and_ends_with_its_graphs)
{
	struct cudaMemAllocNodeParams a = {
		.poolProps = { .allocType = cudaMemAllocationTypePinned,
			       .location = { cudaMemLocationTypeDevice, 0 } },
		.bytesize = 4096
	};
	cudaGraphNode_t made, freed;
	cudaGraphExec_t exec;
	cudaGraph_t g;
	uint64_t zero = 0;

	EQ(0, graph_memory(cudaGraphMemAttrUsedMemCurrent));
	WORKS(cudaGraphCreate(&g, 0));
	WORKS(cudaGraphAddMemAllocNode(&made, g, NULL, 0, &a));
	WORKS(cudaGraphAddMemFreeNode(&freed, g, &made, 1, a.dptr));
	WORKS(cudaGraphInstantiate(&exec, g, 0));
	WORKS(cudaGraphDestroy(g));
	WORKS(cudaGraphLaunch(exec, 0));
	WORKS(cudaGraphLaunch(exec, 0));
	EQ(4096, graph_memory(cudaGraphMemAttrUsedMemCurrent));
	EQ(4096, graph_memory(cudaGraphMemAttrReservedMemHigh));
	GIVES(cudaErrorInvalidValue, cudaFree(a.dptr));
	WORKS(cudaGraphExecDestroy(exec));
	EQ(0, graph_memory(cudaGraphMemAttrReservedMemCurrent));
	EQ(4096, graph_memory(cudaGraphMemAttrUsedMemHigh));
	WORKS(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh,
					     &zero));
	EQ(0, graph_memory(cudaGraphMemAttrUsedMemHigh));
	GIVES(cudaErrorInvalidValue,
	      cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent,
					     &zero));
}

/* What a graph allocates and does not free is the program's. */
TEST(graph_memory, can_be_freed_by_the_program)
{
	struct cudaMemAllocNodeParams a = {
		.poolProps = { .allocType = cudaMemAllocationTypePinned,
			       .location = { cudaMemLocationTypeDevice, 0 } },
		.bytesize = 256
	};
	cudaGraphNode_t made;
	cudaGraphExec_t exec;
	cudaGraph_t g;
	int host[64];

	WORKS(cudaGraphCreate(&g, 0));
	WORKS(cudaGraphAddMemAllocNode(&made, g, NULL, 0, &a));
	WORKS(cudaGraphInstantiate(&exec, g, 0));
	for (int i = 0; i < 2; i++) {
		WORKS(cudaGraphLaunch(exec, 0));
		WORKS(cudaMemset(a.dptr, 0, 256));
		WORKS(add(a.dptr, 64, 3, 0));
		WORKS(cudaMemcpy(host, a.dptr, 256, cudaMemcpyDefault));
		EQ(3, host[63]);
		if (i == 0)
			WORKS(cudaFree(a.dptr));
	}
	WORKS(cudaGraphExecDestroy(exec));
	WORKS(cudaGraphDestroy(g));
	WORKS(add(a.dptr, 64, 3, 0));
	WORKS(cudaFree(a.dptr));
	EQ(0, graph_memory(cudaGraphMemAttrUsedMemCurrent));
}

/* The status of a child that runs fn. */
static int in_child(int (*fn)(void))
{
	int status;
	pid_t pid = fork();

	OK(pid >= 0);
	if (!pid)
		exit(fn());
	EQ(pid, waitpid(pid, &status, 0));
	OK(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int allocate(void)
{
	void *p;

	return cudaMalloc(&p, 4);
}

static int start(void)
{
	int *p = NULL;

	return add(p, 1, 1, 0);
}

/* The order of the two matters. */
TEST(fork, a_child_of_a_process_that_did_nothing_can_work)
{
	EQ(cudaSuccess, in_child(allocate));
}

TEST(fork, a_child_has_no_part_of_its_parents_devices)
{
	int *p, host = 0;

	WORKS(cudaMalloc((void **)&p, 4));
	EQ(cudaErrorInitializationError, in_child(allocate));
	EQ(cudaErrorInitializationError, in_child(start));
	WORKS(cudaMemset(p, 0, 4));
	WORKS(add(p, 1, 7, 0));
	WORKS(cudaMemcpy(&host, p, 4, cudaMemcpyDefault));
	EQ(7, host);
}
