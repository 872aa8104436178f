// Which reads the L2 sees: of several SMs of a GPC at once, of lines that were
// read before a fence, of texels. Every value is a metric of a launch.
#include "micro.cuh"

#include <cooperative_groups.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

static const char *const all_metrics[] = {
	"lts__t_sectors_srcunit_tex.sum",
	"lts__t_requests_srcunit_tex.sum",
};

static void rows(const char *name, const char *format, ...)
{
	char text[128];
	va_list list;
	va_start(list, format);
	std::vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	for (const char *metric : all_metrics)
		row_metric(name, "", metric, "%s,%s", metric, text);
}

template <class... T>
static void launch_cluster(void (*kernel)(T...), int blocks, int cluster,
			   int threads, int shared, T... arguments)
{
	cudaLaunchAttribute attribute;
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim.x = cluster;
	attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	cudaLaunchConfig_t c = {};
	c.gridDim = blocks;
	c.blockDim = threads;
	c.dynamicSmemBytes = shared;
	c.attrs = &attribute;
	c.numAttrs = 1;
	CHECK(cudaFuncSetAttribute(
		(const void *)kernel,
		cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	CHECK(cudaFuncSetAttribute((const void *)kernel,
				   cudaFuncAttributeMaxDynamicSharedMemorySize,
				   shared));
	cudaError_t e = cudaLaunchKernelEx(&c, kernel, arguments...);
	if (e != cudaSuccess) {
		std::fprintf(stderr, "cluster of %d: %s\n", cluster,
			     cudaGetErrorString(e));
		cudaGetLastError();
		return;
	}
	CHECK_LAUNCH();
	launches++;
}

// ---- which SMs lie in one GPC: those that clusters share; where blocks go ----

__global__ void where(u32 *sm)
{
	u64 t = now();
	sm[blockIdx.x] = smid();
	while (now() - t < 20000)
		;
}

static void groups()
{
	Buffer<u32> sm(256);
	std::vector<int> root(256);
	for (int i = 0; i < 256; i++)
		root[i] = i;
	auto find = [&](int i) {
		while (root[i] != i)
			i = root[i];
		return i;
	};
	for (int size : { 2, 4, 5, 6, 7, 8, 16, 3, 7, 5, 16 }) {
		int blocks = 128 / size * size;
		launch_cluster(where, blocks, size, 32, 200 << 10, sm.data);
		auto found = sm.read(blocks);
		for (int i = 0; i < blocks; i++) {
			int a = find(found[i]), b = find(found[i / size * size]);
			root[std::max(a, b)] = std::min(a, b);
		}
	}
	for (int i = 0; i < 132; i++)
		row("gpc", "-", find(i), "sm=%d", i);
	for (int blocks : { 4, 8, 12, 16, 24, 32, 64, 132 }) {
		LAUNCH(where, blocks, 256, 0, sm.data);
		auto found = sm.read(blocks);
		for (int i = 0; i < blocks; i++)
			row("place", "-", found[i], "blocks=%d,block=%d", blocks,
			    i);
	}
}

// ---- reads of the SMs of a cluster ----

enum { LINES = 16, ROUNDS = 8 };

template <bool CACHED>
static __device__ __forceinline__ u32 load(const u32 *p, bool on)
{
	u32 v = 0;
	if (on && CACHED)
		asm volatile("ld.global.ca.u32 %0, [%1];"
			     : "=r"(v)
			     : "l"(p)
			     : "memory");
	else if (on)
		asm volatile("ld.global.cg.u32 %0, [%1];"
			     : "=r"(v)
			     : "l"(p)
			     : "memory");
	return v;
}

static __device__ __forceinline__ void wait_until(u64 t)
{
	while ((long long)(now() - t) < 0)
		;
}

// The blocks of a cluster, or the warps of its block, read LINES lines, one every
// 150 cycles, each `pause` cycles after the one before it; the first one reads
// the sectors of `first`, the others those of `rest`. warm: all lines have been
// read before.
template <bool CACHED>
__global__ void together(const u32 *p, u32 *out, u32 pause, u32 warm, u32 first,
			 u32 rest)
{
	u32 lane = threadIdx.x % 32, sum = 0,
	    rank = blockIdx.x + threadIdx.x / 32;
	bool on = (rank ? rest : first) >> lane / 8 & 1;
	if (warm && !rank)
		for (u32 i = 0; i < ROUNDS * LINES; i++)
			sum += load<false>(p + i * 1024 + lane, true);
	for (u32 r = 0; r < ROUNDS; r++) {
		u32 v[LINES];
		cg::this_cluster().sync();
		u64 t = now() + 200 + (u64)rank * pause;
#pragma unroll
		for (int i = 0; i < LINES; i++) {
			wait_until(t + i * 150);
			v[i] = load<CACHED>(p + (r * LINES + i) * 1024 + lane,
					    on);
		}
		for (int i = 0; i < LINES; i++)
			sum += v[i];
	}
	if (sum == 1)
		out[0] = sum;
}

// The blocks of a cluster read `lines` lines each as fast as they can, all in
// the same order, without waiting for each other, `times` times.
__global__ void stream(const u32 *p, u32 *out, u32 lines, u32 times)
{
	u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32,
	    warps = blockDim.x / 32, sum = 0;
	cg::this_cluster().sync();
	for (u32 t = 0; t < times; t++)
		for (u32 i = warp; i < lines; i += 4 * warps) {
			u32 v[4];
#pragma unroll
			for (u32 k = 0; k < 4; k++)
				v[k] = load<false>(
					p + (i + k * warps) * 32 + lane,
					i + k * warps < lines);
			sum += v[0] + v[1] + v[2] + v[3];
		}
	if (sum == 1)
		out[0] = sum;
}

static void reads()
{
	Buffer<u32> p(4 << 20), out(32);
	p.zero();
	auto one = [&](int size, u32 pause, u32 warm, u32 first, u32 rest,
		       bool cached) {
		launch_cluster(cached ? together<true> : together<false>, size,
			       size, 32, 0, (const u32 *)p.data, out.data,
			       pause, warm, first, rest);
		rows("together",
		     "sms=%d,pause=%u,warm=%u,first=%u,rest=%u,cached=%d", size,
		     pause, warm, first, rest, cached);
	};
	for (u32 warm : { 0, 1 }) {
		for (int size : { 1, 2, 3, 4, 5, 6, 7, 8, 12, 16 })
			one(size, 0, warm, 15, 15, false);
		for (int size : { 2, 4, 8 })
			for (u32 pause : { 5, 10, 20, 30, 40, 50, 60, 80, 100,
					   150, 200, 300, 400, 500, 600, 800 })
				one(size, pause, warm, 15, 15, false);
		for (u32 pause : { 0, 20, 60, 200, 400 }) {
			one(2, pause, warm, 15, 15, true);
			one(2, pause, warm, 15, 1, false);
			one(2, pause, warm, 15, 3, false);
			one(2, pause, warm, 1, 15, false);
			one(2, pause, warm, 3, 1, false);
			one(2, pause, warm, 3, 2, false);
			one(2, pause, warm, 7, 14, false);
			one(2, pause, warm, 3, 12, false);
			one(2, pause, warm, 1, 1, false);
			one(2, pause, warm, 1, 2, false);
			one(2, pause, warm, 1, 8, false);
			one(2, pause, warm, 3, 3, false);
		}
		// Two warps of an SM.
		for (u32 pause : { 0, 20, 60, 200, 400 }) {
			launch_cluster(together<false>, 1, 1, 64, 0,
				       (const u32 *)p.data, out.data, pause,
				       warm, 15u, 15u);
			rows("warps", "warps=2,pause=%u,warm=%u", pause, warm);
		}
	}
	for (int size : { 1, 2, 4, 8, 16 })
		for (int threads : { 32, 128, 512 })
			for (u32 lines : { 64, 1024, 8192 })
				for (u32 times : { 1, 4 }) {
					launch_cluster(stream, size, size,
						       threads, 0,
						       (const u32 *)p.data,
						       out.data, lines, times);
					rows("stream",
					     "sms=%d,threads=%d,lines=%u,times=%u",
					     size, threads, lines, times);
				}
}

// ---- what the L1 still holds ----

enum Between {
	NOTHING,
	BARRIER,
	FENCE_CTA,
	FENCE_GPU,
	FENCE_SYS,
	FENCE_SC,
	LOAD_ACQUIRE,
	LOAD_RELAXED,
	LOAD_VOLATILE,
	ATOMIC,
	ATOMIC_ACQUIRE,
	STORE_RELEASE,
	RED_RELEASE,
	FENCE_PROXY,
	CLUSTER,
	BETWEEN
};
static const char *const between_name[] = {
	"nothing",	 "barrier",	  "fence_cta",	    "fence_gpu",
	"fence_sys",	 "fence_sc",	  "load_acquire",   "load_relaxed",
	"load_volatile", "atomic",	  "atomic_acquire", "store_release",
	"red_release",	 "fence_proxy", "cluster",
};

template <int WHAT> __device__ void between(u32 *p)
{
	u32 v = 0;
	if (WHAT == BARRIER)
		__syncthreads();
	if (WHAT == FENCE_CTA)
		__threadfence_block();
	if (WHAT == FENCE_GPU)
		__threadfence();
	if (WHAT == FENCE_SYS)
		__threadfence_system();
	if (WHAT == FENCE_SC)
		asm volatile("fence.sc.gpu;" ::: "memory");
	if (WHAT == LOAD_ACQUIRE)
		asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
			     : "=r"(v)
			     : "l"(p)
			     : "memory");
	if (WHAT == LOAD_RELAXED)
		asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
			     : "=r"(v)
			     : "l"(p)
			     : "memory");
	if (WHAT == LOAD_VOLATILE)
		asm volatile("ld.volatile.global.u32 %0, [%1];"
			     : "=r"(v)
			     : "l"(p)
			     : "memory");
	if (WHAT == ATOMIC)
		v = atomicAdd(p, 1);
	if (WHAT == ATOMIC_ACQUIRE)
		asm volatile("atom.acquire.gpu.global.add.u32 %0, [%1], 1;"
			     : "=r"(v)
			     : "l"(p)
			     : "memory");
	if (WHAT == STORE_RELEASE)
		asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(p)
			     : "memory");
	if (WHAT == RED_RELEASE)
		asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(p)
			     : "memory");
	if (WHAT == FENCE_PROXY)
		asm volatile("fence.proxy.async;" ::: "memory");
	if (WHAT == CLUSTER)
		cg::this_cluster().sync();
	if (v == 12345)
		p[1] = v;
}

// Warp 0 reads 16 lines, twice; warp `who` does something in between.
template <int WHAT>
__global__ void again(const u32 *p, u32 *other, u32 who)
{
	u32 sum = 0, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	for (int pass = 0; pass < 2; pass++) {
		if (!warp)
			for (int i = 0; i < 16; i++)
				sum += load<true>(p + i * 1024 + lane, true);
		if (sum == 12345)
			other[3] = sum;
		__syncthreads();
		if (!pass && (warp == who || WHAT == BARRIER || WHAT == CLUSTER))
			between<WHAT>(other);
		__syncthreads();
	}
}

template <int WHAT> static void kept(Buffer<u32> &p, Buffer<u32> &out)
{
	for (u32 who : { 0, 1 }) {
		LAUNCH(again<WHAT>, 1, 64, 0, p.data, out.data, who);
		rows("again", "%s,warp=%u", between_name[WHAT], who);
	}
	if constexpr (WHAT + 1 < BETWEEN)
		kept<WHAT + 1>(p, out);
}

// ---- texels ----

// Each of the 16 warps of a block fetches a piece of width x (32 / width) texels
// of its own, `step` apart in both directions, `x`, `y` from there.
template <class T>
__global__ void texels(cudaTextureObject_t t, u32 *out, u32 width, u32 lanes,
		       u32 step, u32 x, u32 y, float fraction)
{
	u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	if (lane >= lanes)
		return;
	u32 tx = warp % 4 * step + x + lane % width,
	    ty = warp / 4 * step + y + lane / width;
	T v = tex2D<T>(t, tx + fraction, ty + fraction);
	u32 bits;
	memcpy(&bits, &v, sizeof(T) < 4 ? sizeof(T) : 4);
	if (bits == 12345)
		out[0] = 1;
}

template <class T> __global__ void surface(cudaSurfaceObject_t t, u32 *out,
					   u32 width, u32 lanes, u32 step,
					   u32 x, u32 y, u32 write)
{
	u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	if (lane >= lanes)
		return;
	u32 tx = warp % 4 * step + x + lane % width,
	    ty = warp / 4 * step + y + lane / width;
	T v = {};
	if (write)
		surf2Dwrite(v, t, tx * sizeof(T), ty);
	else
		v = surf2Dread<T>(t, tx * sizeof(T), ty);
	u32 bits;
	memcpy(&bits, &v, sizeof(T) < 4 ? sizeof(T) : 4);
	if (bits == 12345)
		out[0] = 1;
}

template <class T> static void texture(const char *type, bool pitched)
{
	const int SIDE = 512;
	cudaChannelFormatDesc form = cudaCreateChannelDesc<T>();
	cudaResourceDesc resource = {};
	cudaTextureDesc how = {};
	cudaArray_t array;
	Buffer<u32> out(32);
	Buffer<char> memory((size_t)SIDE * SIDE * sizeof(T));
	cudaTextureObject_t t;
	cudaSurfaceObject_t s = 0;
	memory.zero();
	CHECK(cudaMallocArray(&array, &form, SIDE, SIDE,
			      cudaArraySurfaceLoadStore));
	CHECK(cudaMemcpy2DToArray(array, 0, 0, memory.data, SIDE * sizeof(T),
				  SIDE * sizeof(T), SIDE,
				  cudaMemcpyDeviceToDevice));
	if (pitched) {
		resource.resType = cudaResourceTypePitch2D;
		resource.res.pitch2D.devPtr = memory.data;
		resource.res.pitch2D.desc = form;
		resource.res.pitch2D.width = resource.res.pitch2D.height = SIDE;
		resource.res.pitch2D.pitchInBytes = SIDE * sizeof(T);
	} else {
		resource.resType = cudaResourceTypeArray;
		resource.res.array.array = array;
	}
	how.filterMode = cudaFilterModePoint;
	how.readMode = cudaReadModeElementType;
	CHECK(cudaCreateTextureObject(&t, &resource, &how, NULL));
	if (!pitched)
		CHECK(cudaCreateSurfaceObject(&s, &resource));
	struct {
		u32 width, lanes, x, y;
	} list[] = {
		{ 1, 1, 0, 0 },	  { 2, 2, 0, 0 },   { 4, 4, 0, 0 },
		{ 8, 8, 0, 0 },	  { 16, 16, 0, 0 }, { 32, 32, 0, 0 },
		{ 1, 2, 0, 0 },	  { 1, 4, 0, 0 },   { 1, 8, 0, 0 },
		{ 1, 16, 0, 0 },  { 1, 32, 0, 0 },  { 2, 4, 0, 0 },
		{ 2, 8, 0, 0 },	  { 4, 8, 0, 0 },   { 4, 16, 0, 0 },
		{ 4, 32, 0, 0 },  { 8, 16, 0, 0 },  { 8, 32, 0, 0 },
		{ 16, 32, 0, 0 }, { 2, 4, 1, 0 },   { 2, 4, 2, 0 },
		{ 2, 4, 3, 0 },	  { 2, 4, 0, 1 },   { 2, 4, 7, 0 },
		{ 1, 2, 0, 1 },	  { 1, 2, 0, 3 },   { 1, 2, 0, 7 },
		{ 1, 2, 0, 15 }, { 2, 2, 3, 0 },    { 2, 2, 7, 0 },
		{ 2, 2, 15, 0 }, { 2, 2, 31, 0 },   { 4, 32, 2, 1 },
	};
	for (auto &l : list) {
		LAUNCH(texels<T>, 1, 512, 0, t, out.data, l.width, l.lanes, 128,
		       l.x, l.y, 0.5f);
		rows("texels", "%s,pitched=%d,width=%u,lanes=%u,x=%u,y=%u",
		     type, pitched, l.width, l.lanes, l.x, l.y);
		for (u32 write = 0; write < 2 && !pitched; write++) {
			LAUNCH(surface<T>, 1, 512, 0, s, out.data, l.width,
			       l.lanes, 128, l.x, l.y, write);
			rows(write ? "surface_write" : "surface_read",
			     "%s,width=%u,lanes=%u,x=%u,y=%u", type, l.width,
			     l.lanes, l.x, l.y);
		}
	}
	cudaFreeArray(array);
}

int main()
{
	part = "reads";
	groups();
	reads();
	Buffer<u32> p(1 << 20), out(32);
	p.zero();
	out.zero();
	kept<0>(p, out);
	texture<float>("float", false);
	texture<unsigned char>("uchar", false);
	texture<float2>("float2", false);
	texture<float4>("float4", false);
	texture<float>("float", true);
	return 0;
}
