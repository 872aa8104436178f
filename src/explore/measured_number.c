/* Numbers and units as profilers write them. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore/measured.h"

enum { NUMBER_TEXT = 64 };

/* The length of a separator of thousands that is neither comma nor point: a
 * blank, an apostrophe, or one of Unicode's fixed blanks; 0: there is none. */
static size_t thin_separator(const char *at)
{
	if (*at == ' ' || *at == '\'')
		return 1;
	if (!strncmp(at, "\xc2\xa0", 2))
		return 2;
	return strncmp(at, "\xe2\x80\xaf", 3) ? 0 : 3;
}

/* The length of what a number at the start of the text could be. */
static size_t number_length(const char *text)
{
	size_t n = *text == '-' || *text == '+';

	for (;;) {
		size_t thin = thin_separator(text + n);

		if (isdigit((unsigned char)text[n]) || text[n] == ',' ||
		    text[n] == '.')
			n++;
		else if (thin && n && isdigit((unsigned char)text[n - 1]) &&
			 isdigit((unsigned char)text[n + thin]))
			n += thin;
		else
			return n;
	}
}

/* What a number says about the character of its fraction: ',', '.', or 0 if it
 * could be either. */
static char number_decimal(const char *text)
{
	size_t n = number_length(text), commas = 0, points = 0, after = 0;
	size_t first = 0;
	char last = 0;

	for (size_t i = 0; i < n; i++) {
		commas += text[i] == ',';
		points += text[i] == '.';
		after++;
		first += !last && isdigit((unsigned char)text[i]);
		if (text[i] != ',' && text[i] != '.')
			continue;
		last = text[i];
		after = 0;
	}
	if (commas && points)
		return last;
	if (commas > 1 || points > 1)
		return commas ? '.' : ',';
	if (!last || (after == 3 && first >= 1 && first <= 3 && *text != '0'))
		return 0;
	return last;
}

void measured_find_decimal(struct measured *m)
{
	for (size_t i = 0; i < m->count; i++)
		for (size_t k = 0; k < m->launches[i].value_count; k++) {
			char c = number_decimal(m->launches[i].values[k].text);

			if (c) {
				m->decimal = c;
				return;
			}
		}
}

/* Copies a number without separators of thousands, which must stand before
 * three digits each. False: it is no number. */
static bool number_plain(char out[NUMBER_TEXT], const char *text, size_t n,
			 char decimal)
{
	size_t used = 0, group = 0;
	bool grouped = false, fraction = false;

	for (size_t i = 0; i < n;) {
		size_t thin = thin_separator(text + i);
		bool comma = text[i] == ',' || text[i] == '.';

		if (used + 2 >= NUMBER_TEXT)
			return false;
		if (!thin && !comma) {
			out[used++] = text[i++];
			group += isdigit((unsigned char)out[used - 1]) != 0;
			continue;
		}
		if (fraction || (grouped && group != 3))
			return false;
		if (text[i] == decimal) {
			fraction = true;
			out[used++] = '.';
		} else if (group < 1 || group > 3) {
			return false;
		} else {
			grouped = true;
		}
		group = 0;
		i += thin ? thin : 1;
	}
	out[used] = '\0';
	return !grouped || fraction || group == 3;
}

/* ---- units ---- */

struct unit_word {
	const char *word;
	double scale;
};

/* Words that may have one of the prefixes below. */
static const struct unit_word scaled_words[] = {
	{ "byte", 1 }, { "B", 1 },  { "second", 1 }, { "s", 1 },
	{ "hz", 1 },   { "Hz", 1 }, { "inst", 1 },   { "cycle", 1 },
};
static const struct unit_word unit_prefixes[] = {
	{ "n", 1e-9 }, { "u", 1e-6 }, { "m", 1e-3 }, { "K", 1e3 },
	{ "k", 1e3 },  { "M", 1e6 },  { "G", 1e9 },  { "T", 1e12 },
};
/* Words that count things, and a percentage. */
static const struct unit_word plain_words[] = {
	{ "", 1 },       { "%", 0.01 },   { "warp", 1 },      { "block", 1 },
	{ "thread", 1 }, { "sector", 1 }, { "request", 1 },   { "register", 1 },
	{ "SM", 1 },     { "access", 1 }, { "wavefront", 1 }, { "pass", 1 },
	{ "way", 1 },    { "line", 1 },   { "sample", 1 },
};

#define LENGTH_OF(table) (sizeof(table) / sizeof((table)[0]))

static double unit_find(const struct unit_word *table, size_t count,
			const char *word, size_t n)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(table[i].word) == n &&
		    !memcmp(table[i].word, word, n))
			return table[i].scale;
	return 0;
}

/* What one of the unit is; 0: it is not known. */
static double unit_word_scale(const char *word, size_t n)
{
	double scale = unit_find(plain_words, LENGTH_OF(plain_words), word, n);
	double prefix;

	if (!scale)
		scale = unit_find(scaled_words, LENGTH_OF(scaled_words), word,
				  n);
	if (scale || n < 2)
		return scale;
	prefix = unit_find(unit_prefixes, LENGTH_OF(unit_prefixes), word, 1);
	return prefix * unit_find(scaled_words, LENGTH_OF(scaled_words),
				  word + 1, n - 1);
}

/* A word, or two with a slash between them: "Gbyte/second". */
static double unit_scale(const char *unit)
{
	size_t n = strcspn(unit, "/");
	double over = unit_word_scale(unit, n), under = 1;

	if (unit[n])
		under = unit_word_scale(unit + n + 1, strlen(unit + n + 1));
	return under > 0 ? over / under : 0;
}

/* ---- values ---- */

static bool number_is_absent(const char *text)
{
	static const char *const words[] = { "",        "n/a",     "N/A",
					     "nan",     "-nan",    "(!) n/a",
					     "(!) nan", "no data", "inf" };

	for (size_t i = 0; i < LENGTH_OF(words); i++)
		if (!strcmp(text, words[i]))
			return true;
	return false;
}

static enum err number_convert(double *out, const struct measured *m,
			       const struct measured_value *v, struct diag *d)
{
	char plain[NUMBER_TEXT + 16];
	size_t n = number_length(v->text);
	const char *rest = v->text + n, *unit;
	double scale;
	char *end;

	if (!n || !number_plain(plain, v->text, n, m->decimal))
		return fail(d, ERR_SYNTAX,
			    "%.200s:%u: %.80s is '%.40s'; expected a number%s",
			    m->path, v->line, v->name, v->text,
			    m->decimal == ',' ? " with a decimal comma, as "
						"others in the file have" :
						"");
	n = strlen(plain);
	if ((*rest == 'e' || *rest == 'E') &&
	    strspn(rest + 1, "+-0123456789") <= 4 && rest[1]) {
		size_t more = 1 + strspn(rest + 1, "+-0123456789");

		memcpy(plain + n, rest, more);
		plain[n + more] = '\0';
		rest += more;
	}
	*out = strtod(plain, &end);
	unit = *rest ? rest + strspn(rest, " ") : v->unit;
	scale = unit_scale(unit);
	if (end == plain || *end || !isfinite(*out))
		return fail(d, ERR_SYNTAX,
			    "%.200s:%u: %.80s is '%.40s'; expected a number",
			    m->path, v->line, v->name, v->text);
	if (!scale)
		return fail(d, ERR_SYNTAX,
			    "%.200s:%u: %.80s has the unit '%.40s', which is "
			    "not known; try ncu's --print-units base",
			    m->path, v->line, v->name, unit);
	*out *= scale;
	return ERR_OK;
}

enum err measured_number(double *out, const struct measured *m,
			 const struct measured_launch *l, const char *name,
			 size_t size, struct diag *d)
{
	*out = NAN;
	for (size_t i = 0; i < l->value_count; i++) {
		const struct measured_value *v = &l->values[i];

		if (strncmp(v->name, name, size) != 0 || v->name[size])
			continue;
		return number_is_absent(v->text) ? ERR_OK :
						   number_convert(out, m, v, d);
	}
	return ERR_OK;
}
