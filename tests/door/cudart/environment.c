#include <stdlib.h>

/* Before the program of program.c registers anything. ENVIRONMENT: pairs of
 * names and values, from CMakeLists.txt. */
__attribute__((constructor(101))) static void set(void)
{
	static const char *const pairs[] = { ENVIRONMENT, NULL };

	for (int i = 0; pairs[i]; i += 2)
		setenv(pairs[i], pairs[i + 1], 1);
}
