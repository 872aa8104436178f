/*
 * Shared by the programs of this folder: what workloads/common.h has, and an
 * array that exists on the host and on the device.
 */
#ifndef PROGRAMS_COMMON_H
#define PROGRAMS_COMMON_H

#include "../../workloads/common.h"

#define WARP 32
#define ALL 0xffffffffu /* lanes of a full warp */

/* Both copies are made when it is declared and freed when it goes out of scope;
 * the host's is zeroed, the device's is not initialized. */
template <class T> struct array {
	const size_t n;
	T *const host;
	T *const device;

	explicit array(size_t n)
	    : n(n), host(host_alloc<T>(n)), device(device_alloc<T>(n))
	{
	}
	~array()
	{
		free(host);
		cudaFree(device);
	}
	array(const array &) = delete;
	array &operator=(const array &) = delete;

	T &operator[](size_t i)
	{
		return host[i];
	}
	const T &operator[](size_t i) const
	{
		return host[i];
	}
	void upload()
	{
		to_device(device, host, n);
	}
	void download()
	{
		from_device(host, device, n);
	}
	/* All bytes of the device's copy become `byte`. */
	void fill(int byte)
	{
		CHECK(cudaMemset(device, byte, n * sizeof(T)));
	}
};

/* From 0 to below - 1. */
template <class T>
static inline void random_ints(array<T> &x, uint32_t below, uint64_t seed)
{
	for (size_t i = 0; i < x.n; i++)
		x[i] = (T)random_below(&seed, below);
}

static inline void random_floats(array<float> &x, float low, float high,
				 uint64_t seed)
{
	random_floats(x.host, x.n, low, high, seed);
}

/* Multiples of 1/64 from -1 to 1. Their products are multiples of 2^-12: sums of
 * up to 4096 of these are exact in a float, in any order. */
template <class T> static inline void random_exact(array<T> &x, uint64_t seed)
{
	for (size_t i = 0; i < x.n; i++)
		x[i] = (T)(((int)random_below(&seed, 129) - 64) / 64.0f);
}

#endif
