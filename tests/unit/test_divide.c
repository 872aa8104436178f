/* Division by a number known ahead of time. */
#include <stddef.h>

#include "test.h"

#include "base/divide.h"

/* Around n: where a quotient changes, and a wrong rounding shows. */
static void check_around(uint64_t by, uint64_t n)
{
	struct divisor d = divisor_of(by);

	for (int i = -2; i <= 2; i++) {
		uint64_t x = n + (uint64_t)i; /* may wrap */

		EQ(x / by, divide(&d, x));
		if (x <= UINT64_MAX - by)
			EQ((x + by - 1) / by, divide_up(&d, x));
	}
}

TEST(divide, gives_what_a_division_gives)
{
	static const uint64_t by[] = { 1,
				       2,
				       3,
				       7,
				       32,
				       54,
				       127,
				       128,
				       16005,
				       1 << 24,
				       10007,
				       UINT32_MAX,
				       UINT64_C(1) << 40,
				       UINT64_MAX - 1,
				       UINT64_MAX };
	uint64_t seed = 1;

	for (size_t i = 0; i < sizeof(by) / sizeof(*by); i++) {
		for (uint64_t n = 0; n < 40; n++)
			check_around(by[i], n);
		for (int k = 0; k < 2000; k++) {
			seed = seed * UINT64_C(6364136223846793005) + 1;
			check_around(by[i], (seed >> k % 64) / by[i] * by[i]);
		}
		check_around(by[i], UINT64_MAX / by[i] * by[i]);
	}
}
