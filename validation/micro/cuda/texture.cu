// Texture fetches: latency by footprint, and throughput by kind and pattern.
#include "micro.cuh"

// A chain: the coordinate depends on the last texel, which is 0.
__global__ void chain_linear(cudaTextureObject_t t, u32 n, u32 step, u64 *out)
{
	u32 j = 0, sum = 0;
	u64 begin = 0;
	for (int pass = 0; pass < 2; pass++) {
		j = threadIdx.x;
		begin = now();
#pragma unroll 1
		for (u32 i = 0; i < n; i++)
			j += step + (tex1Dfetch<float>(t, (int)j) != 0);
		sum += j;
		if (sum == 12345)
			out[1] = sum;
		begin = now() - begin;
	}
	out[0] = begin;
}

__global__ void chain_2d(cudaTextureObject_t t, u32 n, float dx, float dy,
			 u64 *out)
{
	u64 begin = 0;
	for (int pass = 0; pass < 2; pass++) {
		float x = threadIdx.x % 8, y = threadIdx.x / 8;
		begin = now();
#pragma unroll 1
		for (u32 i = 0; i < n; i++) {
			float v = tex2D<float>(t, x + 0.25f, y + 0.25f);
			x += dx + v;
			y += dy + v;
		}
		begin = now() - begin + (x == -1);
	}
	out[0] = begin;
}

// All warps fetch, four fetches in flight each.
__global__ void __launch_bounds__(1024)
	rate_2d(cudaTextureObject_t t, int n, int tile, Span *out, float *sink)
{
	float x = tile ? threadIdx.x % 8 : threadIdx.x % 32,
	      y = tile ? threadIdx.x / 8 : threadIdx.x / 32, sum = 0;
	u64 begin = 0;
#pragma unroll 1
	for (int i = 0; i <= n; i++) {
		if (i == 1) {
			__syncthreads();
			begin = now();
		}
		x += i & 1 ? 8 : -8;
		float a = tex2D<float>(t, x + 0.25f, y + 0.25f);
		float b = tex2D<float>(t, x + 32.25f, y + 0.25f);
		float c = tex2D<float>(t, x + 0.25f, y + 32.25f);
		float d = tex2D<float>(t, x + 32.25f, y + 32.25f);
		sum += a + b + c + d;
	}
	if (threadIdx.x % 32 == 0)
		out[blockIdx.x * 32 + threadIdx.x / 32] =
			Span{ smid(), begin, now() };
	if (sum == 7)
		*sink = sum;
}

__global__ void __launch_bounds__(1024)
	rate_linear(cudaTextureObject_t t, int n, u32 stride, Span *out,
		    float *sink)
{
	float sum = 0;
	u64 begin = 0;
#pragma unroll 1
	for (int i = 0; i <= n; i++) {
		if (i == 1) {
			__syncthreads();
			begin = now();
		}
		int j = threadIdx.x % 32 * stride + threadIdx.x / 32 * 64 +
			(i & 1) * 4096;
		sum += tex1Dfetch<float>(t, j) + tex1Dfetch<float>(t, j + 1) +
		       tex1Dfetch<float>(t, j + 2) +
		       tex1Dfetch<float>(t, j + 3);
	}
	if (threadIdx.x % 32 == 0)
		out[threadIdx.x / 32] = Span{ smid(), begin, now() };
	if (sum == 7)
		*sink = sum;
}

static cudaTextureObject_t plane(cudaArray_t array, bool linear)
{
	cudaResourceDesc r = {};
	r.resType = cudaResourceTypeArray;
	r.res.array.array = array;
	cudaTextureDesc d = {};
	d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
	d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
	cudaTextureObject_t t;
	CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
	return t;
}

int main()
{
	part = "texture";
	Buffer<float> data(4 << 20), sink(16);
	Buffer<u64> out(16);
	Buffer<Span> spans(132 * 32);
	data.zero();
	cudaResourceDesc r = {};
	r.resType = cudaResourceTypeLinear;
	r.res.linear.devPtr = data.data;
	r.res.linear.desc = cudaCreateChannelDesc<float>();
	r.res.linear.sizeInBytes = data.count * 4;
	cudaTextureDesc d = {};
	cudaTextureObject_t line;
	CHECK(cudaCreateTextureObject(&line, &r, &d, nullptr));
	cudaArray_t array;
	cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
	CHECK(cudaMallocArray(&array, &f, 1024, 1024));
	std::vector<float> zeros(1024 * 1024);
	CHECK(cudaMemcpy2DToArray(array, 0, 0, zeros.data(), 4096, 4096, 1024,
				  cudaMemcpyHostToDevice));
	cudaTextureObject_t near = plane(array, false),
			    far = plane(array, true);

	struct {
		u32 n, step;
	} chains[] = {
		{ 64, 0 }, { 64, 32 }, { 1024, 32 }, { 4096, 32 }, { 16384, 32 }
	};
	for (auto &c : chains)
		for (int threads : { 1, 32 }) {
			LAUNCH(chain_linear, 1, threads, 0, line, c.n, c.step,
			       out.data);
			row("linear", "cycle", (double)out.read(1)[0] / c.n,
			    "kib=%u,threads=%d", c.n * c.step * 4 / 1024,
			    threads);
		}
	struct {
		const char *what;
		float dx, dy;
	} moves[] = { { "same", 0, 0 }, { "row", 8, 0 }, { "column", 0, 8 } };
	for (auto &m : moves)
		for (int bilinear : { 0, 1 }) {
			LAUNCH(chain_2d, 1, 32, 0, bilinear ? far : near, 100,
			       m.dx, m.dy, out.data);
			row(bilinear ? "plane_bilinear" : "plane_nearest",
			    "cycle", (double)out.read(1)[0] / 100, "%s",
			    m.what);
		}
	for (int bilinear : { 0, 1 })
		for (int tile : { 0, 1 })
			for (int threads : { 32, 256, 1024 }) {
				LAUNCH(rate_2d, 1, threads, 0,
				       bilinear ? far : near, 8, tile,
				       spans.data, sink.data);
				row(bilinear ? "rate_bilinear" : "rate_nearest",
				    "cycle/fetch",
				    longest(spans.read(threads / 32)) /
					    (8 * 4 * threads / 32.0),
				    "%s,threads=%d",
				    tile ? "tile=8x4" : "tile=32x1", threads);
			}
	for (u32 stride : { 0u, 1u, 2u, 8u, 32u }) {
		LAUNCH(rate_linear, 1, 1024, 0, line, 8, stride, spans.data,
		       sink.data);
		row("rate_linear", "cycle/fetch",
		    longest(spans.read(32)) / (8 * 4 * 32.0), "stride=%uB",
		    stride * 4);
	}
	return 0;
}
