/* `make jain`: the rule of the classes, and its runs. */
#include <math.h>

#include "jain.h"
#include "test.h"

static enum jain_class class_of(double cache, double bandwidth, double ipc)
{
	struct jain_traits t = { .ipc = ipc,
				 .cache_gain = cache,
				 .bandwidth_gain = bandwidth };

	return jain_classify(&t);
}

TEST(jain, a_program_is_sensitive_from_a_tenth_on)
{
	EQ(JAIN_CACHE, class_of(1.10, 1.00, 0.1));
	EQ(JAIN_BALANCED, class_of(1.09, 1.09, 0.1));
	EQ(JAIN_MEMORY, class_of(1.00, 1.10, 0.1));
	/* Slower with larger caches is not sensitive. */
	EQ(JAIN_BALANCED, class_of(0.50, 1.00, 0.1));
}

TEST(jain, the_larger_gain_decides_and_caches_a_tie)
{
	EQ(JAIN_MEMORY, class_of(1.20, 1.30, 0.1));
	EQ(JAIN_CACHE, class_of(1.30, 1.20, 0.1));
	EQ(JAIN_CACHE, class_of(1.30, 1.30, 0.1));
}

TEST(jain, ipc_counts_only_for_the_insensitive)
{
	EQ(JAIN_COMPUTE, class_of(1.0, 1.0, 1.5));
	EQ(JAIN_BALANCED, class_of(1.0, 1.0, 1.49));
	EQ(JAIN_CACHE, class_of(1.5, 1.0, 3.0));
	EQ(JAIN_MEMORY, class_of(1.0, 1.5, 3.0));
}

TEST(jain, what_is_not_known_is_no_reason)
{
	EQ(JAIN_BALANCED, class_of(NAN, NAN, NAN));
	EQ(JAIN_COMPUTE, class_of(NAN, NAN, 2.0));
	EQ(JAIN_MEMORY, class_of(NAN, 1.2, 2.0));
	EQ(JAIN_CACHE, class_of(1.2, NAN, NAN));
}

TEST(jain, schedulers_are_found_by_caches_set_and_policy)
{
	STREQ("gto-ptx",
	      jain_variants[jain_scheduled(false, JAIN_PTX, false)].name);
	STREQ("ccws-ptx",
	      jain_variants[jain_scheduled(false, JAIN_PTX, true)].name);
	STREQ("gto-sass",
	      jain_variants[jain_scheduled(false, JAIN_SASS, false)].name);
	STREQ("ccws-sass",
	      jain_variants[jain_scheduled(false, JAIN_SASS, true)].name);
	STREQ("own-gto-ptx",
	      jain_variants[jain_scheduled(true, JAIN_PTX, false)].name);
	STREQ("own-ccws-sass",
	      jain_variants[jain_scheduled(true, JAIN_SASS, true)].name);
}
