#include "door/common/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *tint(FILE *to, enum tint t)
{
	static const char *const code[] = {
		[TINT_OFF] = "\033[0m",
		[TINT_BOLD] = "\033[1m",
		[TINT_RED] = "\033[1;31m",
		[TINT_GREEN] = "\033[32m",
	};
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if ((no && *no) || (term && !strcmp(term, "dumb")) ||
	    !isatty(fileno(to)))
		return "";
	return code[t];
}
