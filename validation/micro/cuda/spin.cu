// Additions to floating-point numbers in shared memory, which machine code makes of a
// load and a compare-and-swap that it repeats: instructions and cycles of launches, by
// lanes, words that they share, distances of words, values, types and warps.
#include "micro.cuh"

static const int WORDS = 4096; // of shared memory

// A lane adds to word lane / `same` * stride % `room`, and so does each warp at
// `apart` words from the one before.
struct Places {
	int lanes, same, stride, room, apart;
};

template <class T>
__global__ void add(Places p, int times, T value, T *sink)
{
	__shared__ T words[WORDS];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
		words[i] = 1;
	__syncthreads();
	T *at = &words[lane / p.same * p.stride % p.room + warp * p.apart];
	if (lane < p.lanes)
		for (int i = 0; i < times; i++)
			atomicAdd(at, value);
	__syncthreads();
	for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
		sink[i] = words[i];
}

// The same at places that a hash makes of the round, the warp and the lane.
template <class T>
__global__ void scatter(int room, int times, T value, T *sink)
{
	__shared__ T words[WORDS];
	for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
		words[i] = 1;
	__syncthreads();
	for (int i = 0; i < times; i++) {
		u32 h = (i * 1024 + threadIdx.x) * 0x9e3779b1u;
		h = (h ^ h >> 15) * 0x85ebca6bu;
		atomicAdd(&words[(h >> 8) % room], value);
	}
	__syncthreads();
	for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
		sink[i] = words[i];
}

static void rows(const char *name, const char *where)
{
	for (const char *m : { "smsp__inst_executed.sum",
			       "smsp__thread_inst_executed_pred_on.sum", CYCLES })
		row_metric(name, "", m, "%s,%s", m, where);
}

template <class T>
static void add_at(const char *name, Places p, int warps, double value, T *sink)
{
	char where[200];
	std::snprintf(where, sizeof where,
		      "lanes=%d,same=%d,stride=%d,room=%d,apart=%d,warps=%d,value=%g",
		      p.lanes, p.same, p.stride, p.room, p.apart, warps, value);
	LAUNCH(add<T>, 1, warps * 32, 0, p, 8, (T)value, sink);
	rows(name, where);
}

template <class T> static void all(const char *name, T *sink)
{
	for (int stride : { 0, 1, 2, 3, 4, 8, 16, 17, 32, 33, 64 })
		for (int lanes : { 1, 2, 5, 16, 17, 32 })
			add_at(name, { lanes, 1, stride, WORDS, 0 }, 1, 1, sink);
	for (int same : { 2, 4, 8, 16 })
		for (int stride : { 1, 16, 32 })
			add_at(name, { 32, same, stride, WORDS, 0 }, 1, 1, sink);
	for (int stride : { 0, 1, 32 })
		add_at(name, { 32, 1, stride, WORDS, 0 }, 1, 0, sink);
	for (int warps : { 2, 4, 5, 8, 16, 32 })
		for (int stride : { 0, 1, 32 })
			for (int apart : { 0, 1, 32 })
				for (int lanes : { 1, 8, 32 })
					add_at(name, { lanes, 1, stride, 1024,
						       apart },
					       warps, 1, sink);
	for (int warps : { 1, 2, 4, 8, 16, 32 })
		for (int room : { 1, 2, 4, 8, 16, 32, 64, 128, 200, 1024, 4096 }) {
			char where[80];
			std::snprintf(where, sizeof where, "room=%d,warps=%d",
				      room, warps);
			LAUNCH(scatter<T>, 1, warps * 32, 0, room, 8, (T)1, sink);
			rows(name, where);
		}
}

int main()
{
	part = "spin";
	Buffer<double> sink(WORDS);
	all<float>("float", (float *)sink.data);
	if (scale() == 1)
		all<double>("double", sink.data);
	return 0;
}
