#include "base/human.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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

uint64_t whole_of_real(double v)
{
	/* 2 to the power of 64; a NaN is neither. */
	return v >= 18446744073709551616.0 ? UINT64_MAX :
	       v > 0                       ? (uint64_t)v :
					     0;
}

const char *grouped_real(char text[GROUPED_TEXT], double v)
{
	return grouped(text, whole_of_real(v));
}

/* Three significant digits and the unit. */
static const char *three_digits(char text[GROUPED_TEXT], double v,
				const char *unit)
{
	int decimals = v < 10 ? 2 : v < 100 ? 1 : 0;

	snprintf(text, GROUPED_TEXT, "%.*f %s", decimals, v, unit);
	return text;
}

const char *duration(char text[GROUPED_TEXT], double s)
{
	if (s < 1e-3)
		return three_digits(text, s * 1e6, "us");
	if (s < 1)
		return three_digits(text, s * 1e3, "ms");
	if (s < 100)
		return three_digits(text, s, "s");
	snprintf(text, GROUPED_TEXT, "%" PRIu64 " min %" PRIu64 " s",
		 whole_of_real(s / 60), whole_of_real(fmod(s, 60)));
	return text;
}

const char *scaled(char text[GROUPED_TEXT], double v)
{
	if (v >= 1e9)
		return three_digits(text, v / 1e9, "G");
	if (v >= 1e6)
		return three_digits(text, v / 1e6, "M");
	if (v >= 1e3)
		return three_digits(text, v / 1e3, "k");
	return three_digits(text, v, "");
}

const char *counted(char text[GROUPED_TEXT], double v)
{
	return v < 9999.5 ? grouped_real(text, v + 0.5) : scaled(text, v);
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
