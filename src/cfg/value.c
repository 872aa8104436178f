/*
 * Reads and prints values. Numbers are converted by hand, because the C library
 * would follow the locale of the program that has loaded Heddle.
 */
#include "cfg/param.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A real of at most 15 digits is the quotient of two exact doubles. */
#define REAL_DIGITS 15

/* Text quoted in a message must not disturb the terminal. */
#define QUOTE_SIZE 40
static const char *printable(char out[QUOTE_SIZE + 4], const char *text,
			     size_t size)
{
	size_t n = size < QUOTE_SIZE ? size : QUOTE_SIZE;

	if (!size)
		return "''";
	for (size_t i = 0; i < n; i++)
		out[i] = text[i] < 0x20 || text[i] > 0x7e ? '?' : text[i];
	memcpy(out + n, size > QUOTE_SIZE ? "..." : "",
	       size > QUOTE_SIZE ? 4 : 1);
	return out;
}

static enum err cfg_refuse(struct diag *d, enum err code, enum cfg_id id,
			   const char *what, const char *text, size_t size)
{
	const struct cfg_param *p = &cfg_params[id];
	bool words = p->type == CFG_BOOL || p->type == CFG_ENUM;
	char value[QUOTE_SIZE + 4], range[256];

	cfg_range_print(range, sizeof(range), id);
	return fail(d, code, "%s = %s: %s; expected %s%s%s%s", p->key,
		    printable(value, text, size), what, words ? "one of " : "",
		    range, *p->unit ? " " : "", p->unit);
}

static enum err cfg_value_refuse(struct diag *d, enum err code, enum cfg_id id,
				 const char *text, size_t size)
{
	return cfg_refuse(d, code, id,
			  code == ERR_RANGE ? "out of range" : "invalid value",
			  text, size);
}

static bool digit_of(char c, unsigned base, unsigned *v)
{
	if (c >= '0' && c <= '9')
		*v = (unsigned)(c - '0');
	else if (c >= 'a' && c <= 'f')
		*v = (unsigned)(c - 'a') + 10;
	else if (c >= 'A' && c <= 'F')
		*v = (unsigned)(c - 'A') + 10;
	else
		return false;
	return *v < base;
}

/* The shift that a size's suffix_shift stands for, or -1. */
static int suffix_shift(char c)
{
	return c == 'K' ? 10 : c == 'M' ? 20 : c == 'G' ? 30 : -1;
}

static enum err parse_int(int64_t *out, const char *s, size_t n, bool bytes)
{
	unsigned base = 10, digit;
	uint64_t v = 0;
	int shift = 0;

	if (n > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
		n -= 2;
	} else if (bytes && n > 1 && suffix_shift(s[n - 1]) > 0) {
		shift = suffix_shift(s[--n]);
	}
	if (!n)
		return ERR_SYNTAX;
	for (size_t i = 0; i < n; i++) {
		if (!digit_of(s[i], base, &digit))
			return ERR_SYNTAX;
		if (v > ((uint64_t)INT64_MAX - digit) / base)
			v = INT64_MAX; /* further digits keep it there */
		else
			v = v * base + digit;
	}
	if (v > (uint64_t)INT64_MAX >> shift)
		return ERR_RANGE;
	*out = (int64_t)(v << shift);
	return ERR_OK;
}

static double power_of_ten(int n)
{
	double v = 1;

	while (n--)
		v *= 10;
	return v;
}

static enum err parse_real(double *out, const char *s, size_t n)
{
	int digits = 0, decimals = 0;
	bool point = false;
	int64_t v = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (s[i] < '0' || s[i] > '9')
			return ERR_SYNTAX;
		v = v * 10 + (s[i] - '0');
		decimals += point;
		if (v && ++digits > REAL_DIGITS)
			return ERR_RANGE;
		if (decimals > REAL_DIGITS)
			return ERR_RANGE;
	}
	if (n == 0 || (n == 1 && point))
		return ERR_SYNTAX;
	*out = (double)v / power_of_ten(decimals);
	return ERR_OK;
}

static enum err cfg_value_set_int(struct cfg *c, enum cfg_id id, const char *s,
				  size_t n, struct diag *d)
{
	const struct cfg_param *p = &cfg_params[id];
	enum err e;
	int64_t v;

	e = parse_int(&v, s, n, p->type == CFG_BYTES);
	if (!e && (v < p->min || v > p->max))
		e = ERR_RANGE;
	if (e)
		return cfg_value_refuse(d, e, id, s, n);
	memcpy((char *)c + p->at, &v, sizeof(v));
	return ERR_OK;
}

static enum err set_real(struct cfg *c, enum cfg_id id, const char *s, size_t n,
			 struct diag *d)
{
	const struct cfg_param *p = &cfg_params[id];
	enum err e;
	double v;

	e = parse_real(&v, s, n);
	if (!e && (v < p->real_min || v > p->real_max))
		e = ERR_RANGE;
	if (e)
		return cfg_value_refuse(d, e, id, s, n);
	memcpy((char *)c + p->at, &v, sizeof(v));
	return ERR_OK;
}

static bool is_word(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(s, word, n);
}

static enum err set_bool(struct cfg *c, enum cfg_id id, const char *s, size_t n,
			 struct diag *d)
{
	bool v = is_word(s, n, "yes") || is_word(s, n, "true") ||
		 is_word(s, n, "on");

	if (!v && !is_word(s, n, "no") && !is_word(s, n, "false") &&
	    !is_word(s, n, "off"))
		return cfg_value_refuse(d, ERR_SYNTAX, id, s, n);
	memcpy((char *)c + cfg_params[id].at, &v, sizeof(v));
	return ERR_OK;
}

#define ENUM(section, name, list, def, doc)                    \
	_Static_assert(sizeof(enum cfg_##list) == sizeof(int), \
		       "a choice is stored through an unsigned");
#include "cfg/param.def"

static enum err set_choice(struct cfg *c, enum cfg_id id, const char *s,
			   size_t n, struct diag *d)
{
	const struct cfg_param *p = &cfg_params[id];

	for (unsigned i = 0; p->choices[i].word; i++)
		if (is_word(s, n, p->choices[i].word)) {
			memcpy((char *)c + p->at, &i, sizeof(i));
			return ERR_OK;
		}
	return cfg_value_refuse(d, ERR_UNKNOWN, id, s, n);
}

static enum err set_text(struct cfg *c, enum cfg_id id, const char *s, size_t n,
			 struct diag *d)
{
	char *to = (char *)c + cfg_params[id].at;

	if (n >= 2 && s[0] == '"' && s[n - 1] == '"') {
		s++;
		n -= 2;
	}
	for (size_t i = 0; i < n; i++)
		if (s[i] < 0x20 || s[i] > 0x7e || s[i] == '"')
			return cfg_value_refuse(d, ERR_SYNTAX, id, s, n);
	if (n >= CFG_TEXT_SIZE)
		return cfg_value_refuse(d, ERR_RANGE, id, s, n);
	memset(to, 0, CFG_TEXT_SIZE);
	memcpy(to, s, n);
	return ERR_OK;
}

enum err cfg_value_parse(struct cfg *c, enum cfg_id id, const char *text,
			 size_t size, struct diag *d)
{
	switch (cfg_params[id].type) {
	case CFG_INT:
	case CFG_BYTES:
		return cfg_value_set_int(c, id, text, size, d);
	case CFG_REAL:
	case CFG_MHZ:
		return set_real(c, id, text, size, d);
	case CFG_BOOL:
		return set_bool(c, id, text, size, d);
	case CFG_ENUM:
		return set_choice(c, id, text, size, d);
	case CFG_TEXT:
		return set_text(c, id, text, size, d);
	case CFG_TYPE_COUNT:
		break;
	}
	BUG("a parameter without a type");
}

void cfg_bytes_print(char text[CFG_VALUE_SIZE], int64_t v)
{
	static const char letters[] = "GMK";

	for (int i = 0; i < 3; i++) {
		int shift = 30 - 10 * i;

		if (v && !(v & ((INT64_C(1) << shift) - 1))) {
			snprintf(text, CFG_VALUE_SIZE, "%" PRId64 "%c",
				 v >> shift, letters[i]);
			return;
		}
	}
	snprintf(text, CFG_VALUE_SIZE, "%" PRId64, v);
}

/* Prints the fewest decimals that read back to the value, at most 15 digits. */
static void print_real(char text[CFG_VALUE_SIZE], double v)
{
	for (int k = 0;; k++) {
		double scale = power_of_ten(k);
		int64_t all = (int64_t)(v * scale + 0.5);
		int64_t one = (int64_t)scale, rest = all % one;
		char digits[REAL_DIGITS + 1];

		if ((double)all / scale != v && k < REAL_DIGITS &&
		    v * scale * 10 + 0.5 < 1e15)
			continue;
		digits[k] = 0;
		for (int i = k; i-- > 0; rest /= 10)
			digits[i] = (char)('0' + rest % 10);
		snprintf(text, CFG_VALUE_SIZE, "%" PRId64 "%s%s", all / one,
			 k ? "." : "", digits);
		return;
	}
}

void cfg_value_print(char text[CFG_VALUE_SIZE], const struct cfg *c,
		     enum cfg_id id)
{
	const struct cfg_param *p = &cfg_params[id];
	const char *from = (const char *)c + p->at;
	unsigned choice;
	int64_t i;
	double r;

	switch (p->type) {
	case CFG_INT:
		memcpy(&i, from, sizeof(i));
		snprintf(text, CFG_VALUE_SIZE, "%" PRId64, i);
		return;
	case CFG_BYTES:
		memcpy(&i, from, sizeof(i));
		cfg_bytes_print(text, i);
		return;
	case CFG_REAL:
	case CFG_MHZ:
		memcpy(&r, from, sizeof(r));
		print_real(text, r);
		return;
	case CFG_BOOL:
		snprintf(text, CFG_VALUE_SIZE, "%s",
			 *(const bool *)from ? "yes" : "no");
		return;
	case CFG_ENUM:
		memcpy(&choice, from, sizeof(choice));
		snprintf(text, CFG_VALUE_SIZE, "%s", p->choices[choice].word);
		return;
	case CFG_TEXT:
		snprintf(text, CFG_VALUE_SIZE, "\"%s\"", from);
		return;
	case CFG_TYPE_COUNT:
		break;
	}
	BUG("a parameter without a type");
}

bool cfg_value_number(const struct cfg *c, enum cfg_id id, double *out)
{
	const struct cfg_param *p = &cfg_params[id];
	const char *from = (const char *)c + p->at;
	int64_t i;

	switch (p->type) {
	case CFG_INT:
	case CFG_BYTES:
		memcpy(&i, from, sizeof(i));
		*out = (double)i;
		return true;
	case CFG_REAL:
	case CFG_MHZ:
		memcpy(out, from, sizeof(*out));
		return true;
	case CFG_BOOL:
		*out = *(const bool *)from;
		return true;
	default:
		*out = 0;
		return false;
	}
}

enum err cfg_value_set(struct cfg *c, enum cfg_id id, double v, struct diag *d)
{
	const struct cfg_param *p = &cfg_params[id];
	bool whole = p->type == CFG_INT || p->type == CFG_BYTES;
	bool real = p->type == CFG_REAL || p->type == CFG_MHZ;
	char text[CFG_VALUE_SIZE];

	/* A number that passes the checks below prints in 15 digits. */
	snprintf(text, sizeof(text), "%.15g", v);
	if (!whole && !real)
		return cfg_value_refuse(d, ERR_SYNTAX, id, text, strlen(text));
	if (!(v >= 0 && v < 1e15))
		return cfg_value_refuse(d, ERR_RANGE, id, text, strlen(text));
	if (whole && v != (double)(int64_t)v)
		return cfg_refuse(d, ERR_RANGE, id, "not a whole number", text,
				  strlen(text));
	print_real(text, v);
	return cfg_value_parse(c, id, text, strlen(text), d);
}

static void print_choices(char *text, size_t room, const struct cfg_choice *c)
{
	size_t used = 0;

	for (; c->word && used < room; c++)
		used += (size_t)snprintf(text + used, room - used, "%s%s",
					 used ? ", " : "", c->word);
}

void cfg_range_print(char *text, size_t room, enum cfg_id id)
{
	const struct cfg_param *p = &cfg_params[id];
	char min[CFG_VALUE_SIZE], max[CFG_VALUE_SIZE];

	switch (p->type) {
	case CFG_INT:
		if (p->min == p->max)
			snprintf(text, room, "%" PRId64, p->min);
		else
			snprintf(text, room, "%" PRId64 " to %" PRId64, p->min,
				 p->max);
		return;
	case CFG_BYTES:
		cfg_bytes_print(min, p->min);
		cfg_bytes_print(max, p->max);
		break;
	case CFG_REAL:
	case CFG_MHZ:
		print_real(min, p->real_min);
		print_real(max, p->real_max);
		break;
	case CFG_BOOL:
		snprintf(text, room, "yes, no");
		return;
	case CFG_ENUM:
		print_choices(text, room, p->choices);
		return;
	case CFG_TEXT:
		snprintf(text, room, "up to %d characters", CFG_TEXT_SIZE - 1);
		return;
	case CFG_TYPE_COUNT:
		BUG("a parameter without a type");
	}
	snprintf(text, room, "%s to %s", min, max);
}
