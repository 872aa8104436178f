// Texture fetches that a filter makes of several texels: which sectors the L2
// sees. Every value is a metric of a launch.
#include "micro.cuh"

static void rows(const char *name, const char *format, ...)
{
	static const char *const metrics[] = {
		"lts__t_sectors_srcunit_tex.sum",
		"lts__t_requests_srcunit_tex.sum",
	};
	char text[128];
	va_list list;
	va_start(list, format);
	std::vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	for (const char *metric : metrics)
		row_metric(name, "", metric, "%s,%s", metric, text);
}

// Each of the 16 warps of a block fetches a piece of width x (32 / width) places
// of its own, `apart` texels from each other, x and y from its beginning.
__global__ void fetches(cudaTextureObject_t t, u32 *out, u32 width, u32 lanes,
			u32 apart, float x, float y)
{
	u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	if (lane >= lanes)
		return;
	float v = tex2D<float>(t, warp % 4 * 128 + lane % width * apart + x,
			       warp / 4 * 128 + lane / width * apart + y);
	if (v == 12345)
		out[0] = 1;
}

template <class T> static void filtered(const char *type, bool integer)
{
	const int SIDE = 512;
	cudaChannelFormatDesc form = cudaCreateChannelDesc<T>();
	cudaResourceDesc resource = {};
	cudaTextureDesc how = {};
	cudaArray_t array;
	Buffer<u32> out(32);
	Buffer<char> memory((size_t)SIDE * SIDE * sizeof(T));
	cudaTextureObject_t t;
	memory.zero();
	CHECK(cudaMallocArray(&array, &form, SIDE, SIDE));
	CHECK(cudaMemcpy2DToArray(array, 0, 0, memory.data, SIDE * sizeof(T),
				  SIDE * sizeof(T), SIDE,
				  cudaMemcpyDeviceToDevice));
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	how.filterMode = cudaFilterModeLinear;
	how.readMode = integer ? cudaReadModeNormalizedFloat :
				 cudaReadModeElementType;
	CHECK(cudaCreateTextureObject(&t, &resource, &how, NULL));
	struct {
		u32 width, lanes, apart;
	} shapes[] = {
		{ 1, 1, 1 },  { 2, 2, 1 },  { 8, 8, 1 },   { 32, 32, 1 },
		{ 1, 2, 1 },  { 1, 8, 1 },  { 1, 32, 1 },  { 4, 8, 1 },
		{ 8, 32, 1 }, { 4, 32, 1 }, { 16, 32, 1 }, { 8, 8, 2 },
		{ 8, 32, 2 }, { 8, 32, 3 }, { 32, 32, 3 }, { 4, 16, 8 },
		{ 8, 8, 16 }, { 1, 8, 16 },
	};
	struct {
		float x, y;
	} places[] = {
		{ 0.5f, 0.5f }, { 1, 0.5f }, { 0.5f, 1 }, { 1, 1 },
		{ 2, 2 },       { 4, 1 },    { 8, 8 },    { 3, 3 },
	};
	for (auto &s : shapes)
		for (auto &p : places) {
			LAUNCH(fetches, 1, 512, 0, t, out.data, s.width,
			       s.lanes, s.apart, p.x, p.y);
			rows("linear",
			     "%s,width=%u,lanes=%u,apart=%u,x=%g,y=%g", type,
			     s.width, s.lanes, s.apart, p.x, p.y);
		}
	cudaFreeArray(array);
}

int main()
{
	part = "filter";
	filtered<float>("float", false);
	filtered<unsigned char>("uchar", true);
	return 0;
}
