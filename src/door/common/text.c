#include "door/common/text.h"

#include <inttypes.h>
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

const char *grouped(char text[GROUPED_TEXT], uint64_t v)
{
	char plain[24];
	int digits = snprintf(plain, sizeof(plain), "%" PRIu64, v);
	char *out = text;

	for (int i = 0; i < digits; i++) {
		if (i && (digits - i) % 3 == 0)
			*out++ = ',';
		*out++ = plain[i];
	}
	*out = '\0';
	return text;
}

/* Three digits, as people write them. */
static const char *three(char text[GROUPED_TEXT], double v, const char *unit)
{
	int decimals = v < 10 ? 2 : v < 100 ? 1 : 0;

	snprintf(text, GROUPED_TEXT, "%.*f %s", decimals, v, unit);
	return text;
}

const char *duration(char text[GROUPED_TEXT], double s)
{
	if (s < 1e-3)
		return three(text, s * 1e6, "us");
	if (s < 1)
		return three(text, s * 1e3, "ms");
	if (s < 100)
		return three(text, s, "s");
	snprintf(text, GROUPED_TEXT, "%" PRIu64 " min %d s", (uint64_t)(s / 60),
		 (int)(s - 60 * (double)(uint64_t)(s / 60)));
	return text;
}

const char *scaled(char text[GROUPED_TEXT], double v)
{
	if (v >= 1e9)
		return three(text, v / 1e9, "G");
	if (v >= 1e6)
		return three(text, v / 1e6, "M");
	if (v >= 1e3)
		return three(text, v / 1e3, "k");
	return three(text, v, "");
}

const char *bytes_text(char text[GROUPED_TEXT], double n)
{
	size_t used;

	if (n < 1e3) {
		snprintf(text, GROUPED_TEXT, "%.0f B", n);
		return text;
	}
	scaled(text, n);
	used = strlen(text);
	snprintf(text + used, GROUPED_TEXT - used, "B");
	return text;
}
