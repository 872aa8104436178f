/*
 * The classes of programs.
 *
 * The paper (its Section 3 and Table 5) calls a program cache-sensitive if larger
 * caches make it significantly faster, memory-sensitive if it streams and depends
 * on the bandwidth of the DRAM, compute-intensive if its IPC is high, and
 * compute-balanced otherwise, without a number for any of them. Here:
 *
 *   sensitive       at least JAIN_GAIN times as fast with the H200's caches as
 *                   with those that the paper's GPU has by default, or with the
 *                   H200's DRAM as with half of its bandwidth; the larger gain
 *                   decides
 *   high            at least JAIN_IPC warp-instructions per SM and cycle with a
 *                   block, on hardware
 *
 * A gain that is not known is none.
 */
#include "jain.h"

enum jain_class jain_classify(const struct jain_traits *t)
{
	bool cache = t->cache_gain >= JAIN_GAIN;
	bool bandwidth = t->bandwidth_gain >= JAIN_GAIN;

	if (cache && !(bandwidth && t->bandwidth_gain > t->cache_gain))
		return JAIN_CACHE;
	if (bandwidth)
		return JAIN_MEMORY;
	return t->ipc >= JAIN_IPC ? JAIN_COMPUTE : JAIN_BALANCED;
}
