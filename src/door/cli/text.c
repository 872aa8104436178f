#include "door/cli/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"

void say_error(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "heddle: %serror:%s ", tint(stderr, TINT_RED),
		tint(stderr, TINT_OFF));
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

_Static_assert((int)HEDDLE_OK == (int)ERR_OK &&
		       (int)HEDDLE_FAULT == (int)ERR_FAULT &&
		       (int)HEDDLE_MISMATCH == (int)ERR_MISMATCH,
	       "the library's status codes are ours");

enum err fail_api(struct diag *d, const struct heddle_error *e)
{
	return fail(d, (enum err)e->code, "%s",
		    e->text[0] ? e->text : err_text((enum err)e->code));
}

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

void nearest_offer(struct nearest *n, const char *candidate)
{
	size_t far = word_distance(n->word, strlen(n->word), candidate,
				   strlen(candidate));

	/* Whoever types the beginning of a word means that word. */
	if (strlen(n->word) > 1 &&
	    !strncmp(n->word, candidate, strlen(n->word)))
		far = 1;
	if (!n->best || far < n->distance) {
		n->best = candidate;
		n->distance = far;
	}
}

const char *nearest_best(const struct nearest *n)
{
	size_t limit = strlen(n->word) / 3 + 1;

	return n->best && n->distance <= limit ? n->best : NULL;
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
