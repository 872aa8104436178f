// Textures of three dimensions, with layers, and cube maps: which texels are read
// together, and what fetches of 32 lanes take, by their shape.
#include "micro.cuh"

enum { PLANE, VOLUME, LAYERS, KINDS };
static const char *const kind_names[] = { "plane", "volume", "layers" };

template <int KIND>
static __device__ __forceinline__ float fetch(cudaTextureObject_t t, float x,
					      float y, float z)
{
	if (KIND == PLANE)
		return tex2D<float>(t, x, y);
	if (KIND == VOLUME)
		return tex3D<float>(t, x, y, z);
	return tex2DLayered<float>(t, x, y, (int)z);
}

struct Shape {
	int x, y, z; // lanes along them
};

// One fetch of a warp, lanes in the shape.
template <int KIND>
__global__ void once(cudaTextureObject_t t, Shape s, int lanes, u32 *out)
{
	int l = threadIdx.x;
	if (l >= lanes)
		return;
	float v = fetch<KIND>(t, l % s.x + 0.5f, l / s.x % s.y + 0.5f,
			      l / s.x / s.y + 0.5f);
	if (v == 12345)
		out[0] = 1;
}

// Warps read a column along the depth, slice by slice, as rays do.
template <int KIND>
__global__ void rays(cudaTextureObject_t t, Shape s, int depth, int passes,
		     Span *out, u32 *sink)
{
	int l = threadIdx.x % 32, warp = threadIdx.x / 32;
	float x = l % s.x + 0.5f, y = l / s.x + warp * s.y + 0.5f, sum = 0;
	u64 start = 0;
	for (int pass = 0; pass < passes; pass++) {
		__syncthreads();
		start = now();
#pragma unroll 1
		for (int z = 0; z < depth; z++)
			sum += fetch<KIND>(t, x, y, z + 0.5f + (sum == 5));
	}
	if (l == 0)
		out[warp] = Span{ smid(), start, now() };
	if (sum == 12345)
		*sink = 1;
}

// The same with four fetches that do not wait for each other.
template <int KIND>
__global__ void rate(cudaTextureObject_t t, Shape s, int depth, Span *out,
		     u32 *sink)
{
	int l = threadIdx.x % 32, warp = threadIdx.x / 32;
	float x = l % s.x + 0.5f, y = l / s.x % s.y + 0.5f;
	float z = l / s.x / s.y + 0.5f, sum[4] = {};
	u64 start = 0;
	for (int pass = 0; pass < 2; pass++) {
		__syncthreads();
		start = now();
#pragma unroll 1
		for (int i = 0; i < depth; i += 4)
#pragma unroll
			for (int k = 0; k < 4; k++)
				sum[k] += fetch<KIND>(t, x, y, z + (k & 1));
	}
	if (l == 0)
		out[warp] = Span{ smid(), start, now() };
	if (sum[0] + sum[1] + sum[2] + sum[3] == 12345)
		*sink = 1;
}

static cudaTextureObject_t make(int kind, int side, int depth, bool linear)
{
	cudaChannelFormatDesc form = cudaCreateChannelDesc<float>();
	cudaResourceDesc resource = {};
	cudaTextureDesc how = {};
	cudaMemcpy3DParms copy = {};
	cudaTextureObject_t t;
	cudaArray_t array;
	std::vector<float> data((size_t)side * side * depth);
	CHECK(cudaMalloc3DArray(&array, &form,
				make_cudaExtent(side, side,
						kind == PLANE ? 0 : depth),
				kind == LAYERS ? cudaArrayLayered : 0));
	copy.srcPtr = make_cudaPitchedPtr(data.data(), side * sizeof(float),
					  side, side);
	copy.dstArray = array;
	copy.extent = make_cudaExtent(side, side, kind == PLANE ? 1 : depth);
	copy.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&copy));
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
	how.readMode = cudaReadModeElementType;
	CHECK(cudaCreateTextureObject(&t, &resource, &how, NULL));
	return t;
}

static Buffer<u32> *sink;
static Buffer<Span> *spans;

static void metrics(const char *kind, const char *format, ...)
{
	static const char *const names[] = {
		"lts__t_sectors_srcunit_tex.sum",
		"l1tex__t_sectors_pipe_tex_mem_texture.sum",
	};
	char text[128];
	va_list list;
	va_start(list, format);
	std::vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	for (const char *metric : names)
		row_metric(kind, "", metric, "%s,%s", metric, text);
}

template <int KIND> static void measure(int side, int depth)
{
	const char *kind = kind_names[KIND];
	static const Shape lines[] = { { 32, 1, 1 },
				       { 1, 32, 1 },
				       { 1, 1, 32 } };
	static const Shape shapes[] = {
		{ 8, 4, 1 }, { 4, 8, 1 }, { 16, 2, 1 }, { 2, 16, 1 },
		{ 4, 4, 2 }, { 2, 2, 8 }, { 4, 2, 4 },  { 2, 4, 4 },
		{ 1, 4, 8 }, { 8, 1, 4 }, { 1, 2, 16 }, { 16, 1, 2 },
	};
	for (bool linear : { false, true }) {
		if (linear && (KIND != VOLUME || side != 64))
			continue;
		cudaTextureObject_t t = make(KIND, side, depth, linear);
		const char *how = linear ? "linear" : "point";
		for (const Shape &s : lines)
			for (int lanes : { 1, 2, 3, 4, 5, 8, 16, 32 }) {
				if (KIND == PLANE && s.z > 1)
					continue;
				LAUNCH(once<KIND>, 1, 32, 0, t, s, lanes,
				       sink->data);
				metrics(kind,
					"%s,side=%d,line=%dx%dx%d,lanes=%d",
					how, side, s.x, s.y, s.z, lanes);
			}
		for (const Shape &s : shapes) {
			if (KIND == PLANE && s.z > 1)
				continue;
			LAUNCH(once<KIND>, 1, 32, 0, t, s, 32, sink->data);
			metrics(kind, "%s,side=%d,shape=%dx%dx%d", how, side,
				s.x, s.y, s.z);
		}
		for (const Shape &s : { Shape{ 32, 1, 1 }, Shape{ 16, 2, 1 },
					Shape{ 8, 4, 1 }, Shape{ 1, 32, 1 } })
			for (int warps : { 1, 4 })
				for (int passes : { 1, 2 }) {
					if (s.y * warps > side)
						continue;
					LAUNCH(rays<KIND>, 1, warps * 32, 0, t,
					       s, 32, passes, spans->data,
					       sink->data);
					row(kind, "cycle",
					    longest(spans->read(warps)) / 32,
					    "rays,%s,side=%d,shape=%dx%d,warps=%d,passes=%d",
					    how, side, s.x, s.y, warps, passes);
					metrics(kind,
						"rays,%s,side=%d,shape=%dx%d,warps=%d,passes=%d",
						how, side, s.x, s.y, warps,
						passes);
				}
		for (const Shape &s :
		     { Shape{ 32, 1, 1 }, Shape{ 8, 4, 1 }, Shape{ 1, 32, 1 },
		       Shape{ 1, 1, 32 }, Shape{ 4, 4, 2 } })
			for (int warps : { 1, 4, 16 }) {
				if (KIND == PLANE && s.z > 1)
					continue;
				LAUNCH(rate<KIND>, 1, warps * 32, 0, t, s, 64,
				       spans->data, sink->data);
				row(kind, "cycle",
				    longest(spans->read(warps)) / 64 / warps,
				    "rate,%s,side=%d,shape=%dx%dx%d,warps=%d",
				    how, side, s.x, s.y, s.z, warps);
			}
	}
}

int main()
{
	part = "volume";
	sink = new Buffer<u32>(4);
	spans = new Buffer<Span>(64);
	measure<PLANE>(64, 1);
	measure<VOLUME>(64, 33);
	measure<VOLUME>(32, 8);
	measure<LAYERS>(64, 5);
	return 0;
}
