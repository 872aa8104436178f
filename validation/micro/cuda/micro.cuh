// What the programs of this folder share: clocks, launches that are counted,
// and one line per measurement,
//
//   part name parameters value unit
//
// A value that only the profiler (or the simulator's statistics) knows is
// written as @N:METRIC, the N-th launch of the process; `compare` fills it in.
#pragma once

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

typedef unsigned long long u64;
typedef unsigned int u32;

#define CHECK(call)                                                            \
	do {                                                                   \
		cudaError_t e_ = (call);                                       \
		if (e_ != cudaSuccess) {                                       \
			std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__,      \
				     __LINE__, #call, cudaGetErrorString(e_)); \
			std::exit(1);                                          \
		}                                                              \
	} while (0)

static int launches; // of this process, in the order of the profiler's report

#define LAUNCH(kernel, grid, block, shared, ...)                             \
	(kernel<<<(grid), (block), (shared)>>>(__VA_ARGS__), CHECK_LAUNCH(), \
	 launches++)

static inline void check_launch(const char *file, int line)
{
	cudaError_t e = cudaGetLastError();
	if (e == cudaSuccess)
		e = cudaDeviceSynchronize();
	if (e != cudaSuccess) {
		std::fprintf(stderr, "%s:%d: %s\n", file, line,
			     cudaGetErrorString(e));
		std::exit(1);
	}
}
#define CHECK_LAUNCH() check_launch(__FILE__, __LINE__)

// MICRO_SCALE in the environment makes the work smaller for a simulator: 1 is
// all of it, 2 a half or fewer rows. Rows that are left out are not printed.
static inline int scale()
{
	static int value;
	if (!value) {
		const char *s = std::getenv("MICRO_SCALE");
		value = s ? std::max(1, std::atoi(s)) : 1;
	}
	return value;
}

static const char *part = "?";

static inline void row(const char *name, const char *unit, double value,
		       const char *format, ...)
{
	std::printf("%s %s ", part, name);
	va_list list;
	va_start(list, format);
	std::vprintf(format, list);
	va_end(list);
	std::printf(" %.6g %s\n", value, unit);
	std::fflush(stdout);
}

// The value is a metric of the launch that was made last.
static inline void row_metric(const char *name, const char *unit,
			      const char *metric, const char *format, ...)
{
	std::printf("%s %s ", part, name);
	va_list list;
	va_start(list, format);
	std::vprintf(format, list);
	va_end(list);
	std::printf(" @%d:%s %s\n", launches - 1, metric, unit);
	std::fflush(stdout);
}

#define CYCLES "gpc__cycles_elapsed.max"

static __device__ __forceinline__ u64 now()
{
	u64 t;
	asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
	return t;
}

static __device__ __forceinline__ u32 smid()
{
	u32 s;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
	return s;
}

// When a warp, or a block, ran, and on which SM.
struct Span {
	u64 sm, start, end;
};

template <class T> struct Buffer {
	T *data;
	size_t count;
	explicit Buffer(size_t n) : count(n)
	{
		CHECK(cudaMalloc((void **)&data, n * sizeof(T)));
	}
	~Buffer()
	{
		cudaFree(data);
	}
	void zero()
	{
		CHECK(cudaMemset(data, 0, count * sizeof(T)));
	}
	std::vector<T> read(size_t n) const
	{
		std::vector<T> v(n);
		CHECK(cudaMemcpy(v.data(), data, n * sizeof(T),
				 cudaMemcpyDeviceToHost));
		return v;
	}
	void write(const std::vector<T> &v)
	{
		CHECK(cudaMemcpy(data, v.data(), v.size() * sizeof(T),
				 cudaMemcpyHostToDevice));
	}
};

// The longest time that an SM needed, from its first start to its last end.
// Clocks of different SMs are not compared.
static inline double longest(const std::vector<Span> &spans)
{
	std::vector<u64> from(1024, ~0ull), to(1024, 0);
	for (const Span &s : spans) {
		if (!s.end || s.sm >= from.size())
			continue;
		from[s.sm] = std::min(from[s.sm], s.start);
		to[s.sm] = std::max(to[s.sm], s.end);
	}
	u64 most = 0;
	for (size_t i = 0; i < from.size(); i++)
		if (to[i] > from[i])
			most = std::max(most, to[i] - from[i]);
	return (double)most;
}

static inline double quantile(std::vector<double> v, double q)
{
	if (v.empty())
		return 0;
	std::sort(v.begin(), v.end());
	return v[std::min(v.size() - 1, (size_t)(q * v.size()))];
}
