// Shared memory: bank conflicts by width, stores, matrices, atomics, and
// asynchronous copies into it.
#include "micro.cuh"

static __device__ __forceinline__ u32 address(const void *p)
{
	return (u32)__cvta_generic_to_shared(p);
}

template <int BYTES> static __device__ __forceinline__ u32 lds(u32 a)
{
	u32 v, x = 0, y = 0, z = 0;
	if (BYTES == 4)
		asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(a));
	else if (BYTES == 8)
		asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
			     : "=r"(v), "=r"(x)
			     : "r"(a));
	else
		asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
			     : "=r"(v), "=r"(x), "=r"(y), "=r"(z)
			     : "r"(a));
	return v ^ x ^ y ^ z;
}

template <int BYTES> static __device__ __forceinline__ void sts(u32 a, u32 v)
{
	if (BYTES == 4)
		asm volatile("st.shared.u32 [%0], %1;" ::"r"(a), "r"(v));
	else if (BYTES == 8)
		asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(a),
			     "r"(v));
	else
		asm volatile(
			"st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(a),
			"r"(v));
}

template <int N> static __device__ __forceinline__ u32 ldsm(u32 a)
{
	u32 v, x = 0, y = 0, z = 0;
	if (N == 1)
		asm volatile(
			"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
			: "=r"(v)
			: "r"(a));
	else if (N == 2)
		asm volatile(
			"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
			: "=r"(v), "=r"(x)
			: "r"(a));
	else
		asm volatile(
			"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
			: "=r"(v), "=r"(x), "=r"(y), "=r"(z)
			: "r"(a));
	return v ^ x ^ y ^ z;
}

// kind: 0 load, 1 store, 2 matrix of BYTES / 4
template <int KIND, int BYTES>
__global__ void __launch_bounds__(1024)
	access(u32 stride, int n, u64 *latency, Span *out, u32 *sink)
{
	__shared__ __align__(16) u32 s[10240];
	for (u32 i = threadIdx.x; i < 10240; i += blockDim.x)
		s[i] = 0;
	__syncthreads();
	u32 base = address(s), lane = threadIdx.x % 32;
	u32 a = base + (lane * stride & 32767), sum = 0;
	u64 t = now();
	for (int i = 0; i < n; i++) { // a chain
		if (KIND == 0)
			sum += lds<BYTES>(a + sum);
		else if (KIND == 2)
			sum += ldsm<BYTES / 4>(a + sum);
	}
	if (sum == 7)
		*sink = sum;
	u64 e = now();
	if (threadIdx.x == 0)
		*latency = e - t;
#pragma unroll 1
	for (int i = 0; i <= n; i++) {
		if (i == 1) {
			__syncthreads();
			t = now();
		}
#pragma unroll
		for (int k = 0; k < 8; k++) {
			u32 at = a + k * 512 + (i & 1) * 4096; // the same banks
			if (KIND == 0)
				sum += lds<BYTES>(at);
			else if (KIND == 1)
				sts<BYTES>(at, k);
			else
				sum += ldsm<BYTES / 4>(at);
		}
	}
	if (sum == 7)
		*sink = sum;
	__syncthreads();
	if (lane == 0)
		out[threadIdx.x / 32] = Span{ smid(), t, now() };
}

// Copies from global to shared memory, then the wait for them.
template <int BYTES>
__global__ void __launch_bounds__(1024)
	copies(const char *from, int n, int group, Span *out)
{
	extern __shared__ char d[];
	u32 to = address(d) + threadIdx.x * BYTES;
	u64 t = 0;
#pragma unroll 1
	for (int i = 0; i <= n; i++) {
		if (i == 1) {
			__syncthreads();
			t = now();
		}
		for (int k = 0; k < group; k++) {
			const char *p =
				from +
				((size_t)k * blockDim.x + threadIdx.x) * BYTES;
			u32 s = to + k * blockDim.x * BYTES;
			if (BYTES == 16)
				asm volatile(
					"cp.async.cg.shared.global [%0], [%1], 16;" ::
						"r"(s),
					"l"(p)
					: "memory");
			else
				asm volatile(
					"cp.async.ca.shared.global [%0], [%1], %2;" ::
						"r"(s),
					"l"(p), "n"(BYTES)
					: "memory");
		}
		asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::
				     : "memory");
	}
	if (threadIdx.x % 32 == 0)
		out[threadIdx.x / 32] = Span{ smid(), t, now() };
}

// Atomics of shared memory: kind 0 add without a result, 1 with, 2 float, 3
// compare and swap, 4 maximum.
template <int KIND>
__global__ void __launch_bounds__(1024)
	atomics(u32 stride, int n, Span *out, u32 *sink)
{
	__shared__ u32 s[8192];
	for (u32 i = threadIdx.x; i < 8192; i += blockDim.x)
		s[i] = 0;
	u32 at = threadIdx.x * stride % 8192, sum = 0;
	u64 t = 0;
#pragma unroll 1
	for (int i = 0; i <= n; i++) {
		if (i == 1) {
			__syncthreads();
			t = now();
		}
		u32 v = threadIdx.x + i;
		if (KIND == 0)
			atomicAdd(&s[at], v);
		else if (KIND == 1)
			sum += atomicAdd(&s[at], v + (sum & 1));
		else if (KIND == 2)
			atomicAdd((float *)&s[at], 1.0f);
		else if (KIND == 3)
			sum += atomicCAS(&s[at], v + (sum & 1), v + 1);
		else
			atomicMax(&s[at], v);
	}
	__syncthreads();
	if (threadIdx.x % 32 == 0)
		out[threadIdx.x / 32] = Span{ smid(), t, now() };
	if (sum == 7)
		*sink = sum;
}

static Buffer<Span> *spans;
static Buffer<u32> *words;
static Buffer<u64> *clocks;

template <int KIND, int BYTES> static void measure(const char *name)
{
	for (u32 words_apart : { 0u, 1u, 2u, 4u, 8u, 16u, 32u }) {
		u32 stride = KIND == 2 ? 16 + words_apart * 16 :
					 words_apart * 4;
		if (stride % BYTES && KIND != 2)
			continue;
		int n = 16;
		if (KIND != 1) {
			LAUNCH((access<KIND, BYTES>), 1, 32, 0, stride, n,
			       clocks->data, spans->data, words->data);
			row("latency", "cycle", (double)clocks->read(1)[0] / n,
			    "%s,stride=%u", name, stride);
		}
		LAUNCH((access<KIND, BYTES>), 1, 1024, 0, stride, n,
		       clocks->data, spans->data, words->data);
		row("interval", "cycle",
		    longest(spans->read(32)) / (n * 8 * 32.0), "%s,stride=%u",
		    name, stride);
	}
}

template <int BYTES> static void copied(Buffer<char> &b)
{
	CHECK(cudaFuncSetAttribute(copies<BYTES>,
				   cudaFuncAttributeMaxDynamicSharedMemorySize,
				   128 << 10));
	for (int threads : { 32, 256, 1024 })
		for (int group : { 1, 4 }) {
			LAUNCH(copies<BYTES>, 1, threads, 128 << 10, b.data, 8,
			       group, spans->data);
			row("copy", "cycle/group",
			    longest(spans->read(threads / 32)) / 8,
			    "bytes=%d,threads=%d,group=%d", BYTES, threads,
			    group);
		}
}

template <int KIND> static void atomic(const char *name)
{
	for (u32 stride : { 0u, 1u, 32u })
		for (int threads : { 32, 256, 1024 }) {
			LAUNCH(atomics<KIND>, 1, threads, 0, stride, 8,
			       spans->data, words->data);
			row("atomic", "cycle/warp",
			    longest(spans->read(threads / 32)) /
				    (8 * threads / 32.0),
			    "%s,stride=%u,threads=%d", name, stride, threads);
		}
}

int main()
{
	part = "shared";
	Buffer<Span> s(64);
	Buffer<u32> w(64);
	Buffer<u64> c(64);
	Buffer<char> b(1 << 20);
	spans = &s;
	words = &w;
	clocks = &c;
	b.zero();
	measure<0, 4>("lds_32");
	measure<0, 8>("lds_64");
	measure<0, 16>("lds_128");
	measure<1, 4>("sts_32");
	measure<1, 8>("sts_64");
	measure<1, 16>("sts_128");
	measure<2, 4>("ldsm_1");
	measure<2, 8>("ldsm_2");
	measure<2, 16>("ldsm_4");
	copied<4>(b);
	copied<8>(b);
	copied<16>(b);
	atomic<0>("add");
	atomic<1>("add_result");
	atomic<2>("add_f32");
	atomic<3>("cas");
	atomic<4>("max");
	return 0;
}
