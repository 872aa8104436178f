#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "program.h"
#include "test.h"

/* The libraries of 11 and 12 beside that of 13, which the program is linked
 * with: all of them see one world. */
static void *function(const char *version, const char *name)
{
	char path[4096];
	void *lib, *at;

	snprintf(path, sizeof(path), "%s/libcudart.so.%s", CUDA_FOLDER,
		 version);
	lib = dlopen(path, RTLD_NOW);
	OK(lib);
	at = dlsym(lib, name);
	OK(at);
	return at;
}

static int int_at(const char *p, size_t offset)
{
	int v;

	memcpy(&v, p + offset, sizeof(v));
	return v;
}

/* Fields where they lie since CUDA 11, and not a byte behind the struct. */
static void check_properties(const char *version, const char *name, size_t size)
{
	cudaError_t (*get)(void *, int) = function(version, name);
	char p[2048];

	memset(p, 0x55, sizeof(p));
	WORKS(get(p, 0));
	STREQ("NVIDIA H200", p);
	EQ(1980000, int_at(p, 348)); /* clockRate */
	EQ(9, int_at(p, 360));       /* major */
	EQ(132, int_at(p, 388));     /* multiProcessorCount */
	EQ(1024, int_at(p, 720));    /* reservedSharedMemPerBlock */
	for (size_t i = size; i < sizeof(p); i++)
		EQ(0x55, p[i]);
	GIVES(cudaErrorInvalidDevice, get(p, 7));
}

TEST(old, properties_have_the_layout_of_their_version)
{
	check_properties("11.0", "cudaGetDeviceProperties", 728);
	check_properties("12", "cudaGetDeviceProperties", 728);
	check_properties("12", "cudaGetDeviceProperties_v2", 1032);
}

TEST(old, structs_that_grew_are_written_as_far_as_they_went)
{
	cudaError_t (*pointer)(void *, const void *) =
		function("11.0", "cudaPointerGetAttributes");
	cudaError_t (*func)(void *, const void *) =
		function("11.0", "cudaFuncGetAttributes");
	char p[256];
	int *q;

	WORKS(cudaMalloc((void **)&q, 64));
	memset(p, 0x55, sizeof(p));
	WORKS(pointer(p, q));
	EQ(cudaMemoryTypeDevice, int_at(p, 0));
	EQ(0x55, p[24]);
	memset(p, 0x55, sizeof(p));
	WORKS(func(p, (void *)kernel_add));
	EQ(1024, int_at(p, 24));
	EQ(0x55, p[56]);
	WORKS(cudaFree(q));
}

TEST(old, every_library_tells_its_version)
{
	static const struct {
		const char *version;
		int number;
	} rows[] = { { "11.0", 11080 }, { "12", 12080 }, { "13", 13000 } };

	for (size_t i = 0; i < 3; i++) {
		cudaError_t (*get)(int *) =
			function(rows[i].version, "cudaRuntimeGetVersion");
		int v;

		WORKS(get(&v));
		EQ(rows[i].number, v);
	}
}

TEST(old, bad_launches_have_the_errors_of_their_time)
{
	cudaError_t (*launch12)(const void *, dim3, dim3, void **, size_t,
				cudaStream_t) =
		function("12", "cudaLaunchKernel");
	int v = 0;

	GIVES(cudaErrorInvalidConfiguration,
	      launch12((void *)kernel_add, DIM(1, 1, 1), DIM(1025, 1, 1), NULL,
		       0, 0));
	GIVES(cudaErrorInvalidDeviceFunction,
	      launch12(&v, DIM(1, 1, 1), DIM(1, 1, 1), NULL, 0, 0));
	GIVES(cudaErrorInvalidDeviceFunction, cudaGetLastError());
}

TEST(old, graphs_of_eleven_and_twelve_have_fewer_parameters)
{
	cudaError_t (*instantiate)(cudaGraphExec_t *, cudaGraph_t,
				   cudaGraphNode_t *, char *, size_t) =
		function("11.0", "cudaGraphInstantiate");
	cudaError_t (*edges)(cudaGraph_t, cudaGraphNode_t *, cudaGraphNode_t *,
			     size_t *) = function("12", "cudaGraphGetEdges");
	cudaError_t (*info)(cudaStream_t, enum cudaStreamCaptureStatus *,
			    unsigned long long *) =
		function("12", "cudaStreamGetCaptureInfo");
	enum cudaStreamCaptureStatus status;
	unsigned long long id = 0;
	cudaGraphNode_t bad;
	cudaGraphExec_t x;
	cudaGraph_t g;
	cudaStream_t s;
	char log[64];
	int *p;
	size_t n;

	WORKS(cudaMalloc((void **)&p, 256));
	WORKS(cudaStreamCreate(&s));
	WORKS(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
	WORKS(add(p, 64, 1, s));
	WORKS(add(p, 64, 1, s));
	WORKS(info(s, &status, &id));
	EQ(cudaStreamCaptureStatusActive, status);
	OK(id != 0);
	WORKS(cudaStreamEndCapture(s, &g));
	WORKS(edges(g, NULL, NULL, &n));
	EQ(1, n);
	WORKS(instantiate(&x, g, &bad, log, sizeof(log)));
	EQ(NULL, bad);
	EQ(0, log[0]);
	WORKS(cudaGraphLaunch(x, s));
	WORKS(cudaGraphExecDestroy(x));
	WORKS(cudaGraphDestroy(g));
	WORKS(cudaStreamDestroy(s));
	WORKS(cudaFree(p));
}

/* A texture reference as CUDA 11 lays it out. */
struct reference {
	int normalized, filter, address[3];
	struct cudaChannelFormatDesc channel;
	int rest[21];
};

static void sample(void)
{
}

TEST(old, texture_references_are_bound_to_memory)
{
	static const char text[] =
		".version 6.3\n.target sm_50\n.address_size 64\n"
		".visible .global .texref tex;\n"
		".visible .entry sample(.param .u64 p)\n"
		"{ .reg .u64 %a, %o; .reg .u32 %t; .reg .f32 %x, %y, %z, %w;\n"
		"mov.u32 %t, %tid.x; tex.1d.v4.f32.s32 {%x, %y, %z, %w}, "
		"[tex, {%t}];\n"
		"ld.param.u64 %a, [p]; mul.wide.u32 %o, %t, 4;\n"
		"add.u64 %a, %a, %o; st.global.f32 [%a], %x; ret; }\n";
	void (*add_texture)(void **, const void *, const void **, const char *,
			    int, int,
			    int) = function("11.0", "__cudaRegisterTexture");
	void (*add_func)(void **, const char *, char *, const char *, int,
			 void *, void *, void *, void *,
			 int *) = function("11.0", "__cudaRegisterFunction");
	void (*end)(void **) = function("11.0", "__cudaUnregisterFatBinary");
	cudaError_t (*bind)(size_t *, const void *, const void *,
			    const struct cudaChannelFormatDesc *,
			    size_t) = function("11.0", "cudaBindTexture");
	cudaError_t (*unbind)(const void *) =
		function("11.0", "cudaUnbindTexture");
	static struct reference r = { .address = { 1, 1, 1 } };
	float host[32], *from, *to;
	void **image = register_ptx(text);
	size_t offset = 1;

	add_texture(image, &r, NULL, "tex", 1, 0, 0);
	add_func(image, (const char *)sample, NULL, "sample", -1, NULL, NULL,
		 NULL, NULL, NULL);
	r.channel =
		cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
	for (int i = 0; i < 32; i++)
		host[i] = (float)(i * i);
	WORKS(cudaMalloc((void **)&from, sizeof(host)));
	WORKS(cudaMalloc((void **)&to, sizeof(host)));
	WORKS(cudaMemcpy(from, host, sizeof(host), cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidTexture,
	      bind(&offset, host, from, &r.channel, sizeof(host)));
	WORKS(bind(&offset, &r, from, &r.channel, (size_t)-1));
	EQ(0, offset);
	WORKS(launch(sample, DIM(1, 1, 1), DIM(32, 1, 1), 0, 0, ARGS(&to)));
	WORKS(cudaMemcpy(host, to, sizeof(host), cudaMemcpyDeviceToHost));
	EQ(961.0f, host[31]);
	WORKS(unbind(&r));
	WORKS(cudaFree(from));
	WORKS(cudaFree(to));
	end(image);
}
