/*
 * Runs the launches of kernels.csv on the GPU and prints results as CSV.
 *
 *   nvcc -O2 -o micro host.cu -lcuda && ./micro [NAME...] > results.csv
 *
 * Reads micro.ptx and kernels.csv from the current folder. Runs every launch
 * once to warm up and then REPS times; prints the median, for times between
 * events the minimum.
 */
#include <cuda.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

enum { REPS = 9 };

#define DO(call)                                                               \
	do {                                                                   \
		CUresult rc_ = (call);                                         \
		if (rc_ != CUDA_SUCCESS) {                                     \
			const char *s_ = "?";                                  \
			cuGetErrorString(rc_, &s_);                            \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, \
				#call, s_);                                    \
			exit(1);                                               \
		}                                                              \
	} while (0)

struct launch_row {
	std::string name, kernel, metric, unit, args;
	unsigned grid, block, shared;
	bool cold;
	double work;
};

struct device_array {
	CUdeviceptr memory, address; /* as allocated, as passed */
	size_t bytes;
};

static const size_t scratch_bytes = (size_t)512 << 20;
static CUdeviceptr scratch;
static double mhz;

static std::vector<launch_row> read_rows(const char *path)
{
	std::vector<launch_row> rows;
	std::ifstream in(path);
	std::string line;

	while (std::getline(in, line)) {
		if (line.empty() || line[0] == '#' ||
		    line.compare(0, 5, "name,") == 0)
			continue;
		std::istringstream s(line);
		std::string f[11];
		for (int i = 0; i < 10; i++)
			std::getline(s, f[i], ',');
		std::getline(s, f[10]);
		rows.push_back({ f[0], f[1], f[6], f[8], f[10],
				 (unsigned)atoi(f[2].c_str()),
				 (unsigned)atoi(f[3].c_str()),
				 (unsigned)atoi(f[4].c_str()), f[5] == "1",
				 atof(f[7].c_str()) });
	}
	return rows;
}

/* NAME:TYPE[COUNT][=fill:VALUE]; large ones lie within 4 GiB of addresses. */
static device_array make_array(const std::string &spec)
{
	size_t colon = spec.find(':'), open = spec.find('[');
	size_t fill = spec.find("=fill:");
	std::string type = spec.substr(colon + 1, open - colon - 1);
	size_t count = strtoull(spec.c_str() + open + 1, NULL, 0);
	device_array a;

	a.bytes = count * (type == "u64" ? 8 : 4);
	size_t align = 256;
	while (align < a.bytes)
		align *= 2;
	DO(cuMemAlloc(&a.memory, a.bytes + align));
	a.address = (a.memory + align - 1) / align * align;
	DO(cuMemsetD8(a.address, 0, a.bytes));
	if (fill != std::string::npos) {
		const char *text = spec.c_str() + fill + 6;
		uint32_t bits = strtoul(text, NULL, 0);
		if (type == "f32") {
			float v = strtof(text, NULL);
			memcpy(&bits, &v, 4);
		}
		DO(cuMemsetD32(a.address, bits, count));
	}
	return a;
}

/* Records are (SM, first clock, last clock). */
static double longest_span(const std::vector<uint64_t> &out)
{
	std::map<uint64_t, std::pair<uint64_t, uint64_t>> sm;
	uint64_t best = 0;

	for (size_t i = 0; i + 2 < out.size(); i += 3) {
		auto it = sm.emplace(out[i],
				     std::make_pair(out[i + 1], out[i + 2]));
		auto &s = it.first->second;
		s.first = std::min(s.first, out[i + 1]);
		s.second = std::max(s.second, out[i + 2]);
		best = std::max(best, s.second - s.first);
	}
	return (double)best;
}

static double median(std::vector<double> v)
{
	std::sort(v.begin(), v.end());
	return v.empty() ? 0 : v[v.size() / 2];
}

static double median_gap(const std::vector<uint64_t> &out)
{
	std::map<uint64_t, std::vector<std::pair<uint64_t, uint64_t>>> sm;
	std::vector<double> gaps;

	for (size_t i = 0; i + 2 < out.size(); i += 3)
		sm[out[i]].push_back({ out[i + 1], out[i + 2] });
	for (auto &s : sm) {
		auto &b = s.second;
		std::sort(b.begin(), b.end());
		for (size_t i = 1; i < b.size(); i++)
			gaps.push_back((double)(int64_t)(b[i].first -
							 b[i - 1].second));
	}
	return median(gaps);
}

static double reduce(const launch_row &r, const std::vector<uint64_t> &out,
		     float us)
{
	if (r.metric == "latency")
		return (double)out[0] / r.work;
	if (r.metric == "rate")
		return r.work / longest_span(out);
	if (r.metric == "gap")
		return median_gap(out);
	return us * mhz / r.work;
}

static float launch(CUfunction f, const launch_row &r, void **params)
{
	static CUevent before, after;
	float ms;

	if (!before) {
		DO(cuEventCreate(&before, CU_EVENT_DEFAULT));
		DO(cuEventCreate(&after, CU_EVENT_DEFAULT));
	}
	if (r.cold)
		DO(cuMemsetD8(scratch, 1, scratch_bytes));
	DO(cuCtxSynchronize());
	DO(cuEventRecord(before, 0));
	DO(cuLaunchKernel(f, r.grid, 1, 1, r.block, 1, 1, r.shared, 0, params,
			  NULL));
	DO(cuEventRecord(after, 0));
	DO(cuCtxSynchronize());
	DO(cuEventElapsedTime(&ms, before, after));
	return ms * 1000;
}

static void run_row(CUmodule module, const launch_row &r)
{
	CUfunction f;
	std::vector<device_array> arrays;
	std::vector<uint64_t> values;
	std::istringstream words(r.args);
	std::string word;

	DO(cuModuleGetFunction(&f, module, r.kernel.c_str()));
	if (r.shared > 48 * 1024)
		DO(cuFuncSetAttribute(
			f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
			(int)r.shared));
	while (words >> word) {
		if (word.find('[') != std::string::npos) {
			arrays.push_back(make_array(word));
			values.push_back(arrays.back().address);
		} else {
			values.push_back(strtoull(word.c_str(), NULL, 0));
		}
	}
	std::vector<void *> params;
	for (auto &v : values)
		params.push_back(&v);

	std::vector<double> value, time;
	std::vector<uint64_t> out(arrays[0].bytes / 8);
	launch(f, r, params.data());
	for (int i = 0; i < REPS; i++) {
		float us = launch(f, r, params.data());
		DO(cuMemcpyDtoH(out.data(), arrays[0].address,
				arrays[0].bytes));
		time.push_back(us);
		value.push_back(reduce(r, out, us));
	}
	double low = *std::min_element(value.begin(), value.end());
	double high = *std::max_element(value.begin(), value.end());
	printf("%s,%u,%u,%s,%.6g,%.6g,%.6g,%.5g\n", r.name.c_str(), r.grid,
	       r.block, r.unit.c_str(),
	       r.metric == "kernel" ? low : median(value), low, high,
	       median(time));
	fflush(stdout);
	for (auto &a : arrays)
		DO(cuMemFree(a.memory));
}

/* Cycles of %clock64 per microsecond of %globaltimer, over about 50 ms. */
static double measure_clock(CUmodule module)
{
	CUfunction f;
	CUdeviceptr out;
	uint64_t t[2];
	uint32_t n = 100000000;
	void *params[] = { &out, &n };

	DO(cuModuleGetFunction(&f, module, "clockrate"));
	DO(cuMemAlloc(&out, sizeof(t)));
	for (int i = 0; i < 4; i++)
		DO(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
	DO(cuMemcpyDtoH(t, out, sizeof(t)));
	DO(cuMemFree(out));
	return (double)t[0] / (double)t[1] * 1000;
}

int main(int argc, char **argv)
{
	CUdevice device;
	CUcontext context;
	CUmodule module;
	char name[128];
	int driver, sms;

	DO(cuInit(0));
	DO(cuDeviceGet(&device, 0));
	DO(cuDevicePrimaryCtxRetain(&context, device));
	DO(cuCtxSetCurrent(context));
	DO(cuDeviceGetName(name, sizeof(name), device));
	DO(cuDriverGetVersion(&driver));
	DO(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
				device));
	DO(cuModuleLoad(&module, "micro.ptx"));
	DO(cuMemAlloc(&scratch, scratch_bytes));
	mhz = measure_clock(module);
	printf("# %s, %d SMs, CUDA driver %d.%d, built with nvcc %d.%d\n", name,
	       sms, driver / 1000, driver % 1000 / 10, __CUDACC_VER_MAJOR__,
	       __CUDACC_VER_MINOR__);
	printf("# SM clock %.1f MHz (clock64 over globaltimer)\n", mhz);
	printf("# value: median of %d launches (kernel: minimum); min, max: over "
	       "them; us: median time between events\n",
	       REPS);
	printf("name,grid,block,unit,value,min,max,us\n");
	for (const launch_row &r : read_rows("kernels.csv"))
		if (argc == 1 ||
		    std::any_of(argv + 1, argv + argc,
				[&](const char *a) { return r.name == a; }))
			run_row(module, r);
	printf("# SM clock %.1f MHz at the end\n", measure_clock(module));
	return 0;
}
