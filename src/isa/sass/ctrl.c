/*
 * The control word as text: B-1----:R-:W0:Y:S04.
 *
 *   B  counters that must be zero, by their digits
 *   R  counter that falls when the operands have been read
 *   W  counter that falls when the result has been written
 *   Y  the scheduler may change to another warp; -: it stays
 *   S  cycles until the next instruction of the warp
 *   U  reuse bits that no operand shows, in hexadecimal; absent: none
 */
#include <stdio.h>
#include <string.h>

#include "isa/sass/inst.h"

enum { COUNTERS = 6, STALL_MAX = 15, REST_MAX = 15 };

static char counter_digit(uint8_t n)
{
	return (char)(n == SASS_NO_COUNTER ? '-' : '0' + n);
}

size_t sass_print_ctrl(char *out, size_t room, const struct sass_ctrl *c)
{
	char wait[COUNTERS + 1] = "------";
	int n;

	for (unsigned i = 0; i < COUNTERS; i++)
		if (c->wait >> i & 1)
			wait[i] = (char)('0' + i);
	n = snprintf(out, room, "B%s:R%c:W%c:%c:S%02u", wait,
		     counter_digit(c->read), counter_digit(c->write),
		     c->stay ? '-' : 'Y', c->stall);
	if (c->rest)
		n += snprintf(out + n, room - (size_t)n, ":U%x", c->rest);
	return (size_t)n;
}

/* A counter, or - for none. */
static const char *read_counter(const char *s, char letter, uint8_t *to)
{
	if (*s++ != letter)
		return NULL;
	*to = (uint8_t)(*s == '-' ? SASS_NO_COUNTER : *s - '0');
	return (*s == '-' || (*s >= '0' && *s < '7')) && s[1] == ':' ? s + 2 :
								       NULL;
}

static const char *read_wait(const char *s, uint8_t *to)
{
	if (*s++ != 'B')
		return NULL;
	*to = 0;
	for (unsigned i = 0; i < COUNTERS; i++, s++) {
		if (*s == (char)('0' + i))
			*to |= (uint8_t)(1u << i);
		else if (*s != '-')
			return NULL;
	}
	return *s == ':' ? s + 1 : NULL;
}

/* Digits of a number up to a limit. */
static const char *read_digits(const char *s, unsigned base, unsigned last,
			       uint8_t *to)
{
	static const char digits[] = "0123456789abcdef";
	unsigned v = 0;
	const char *start = s;

	for (const char *p; *s && (p = memchr(digits, *s, base)); s++) {
		v = v * base + (unsigned)(p - digits);
		if (v > last)
			return NULL;
	}
	*to = (uint8_t)v;
	return s > start ? s : NULL;
}

size_t sass_read_ctrl(const char *text, struct sass_ctrl *c)
{
	const char *s = read_wait(text, &c->wait);

	c->rest = 0;
	s = s ? read_counter(s, 'R', &c->read) : NULL;
	s = s ? read_counter(s, 'W', &c->write) : NULL;
	if (!s || (*s != 'Y' && *s != '-') || s[1] != ':' || s[2] != 'S')
		return 0;
	c->stay = *s == '-';
	s = read_digits(s + 3, 10, STALL_MAX, &c->stall);
	if (s && s[0] == ':' && s[1] == 'U')
		s = read_digits(s + 2, 16, REST_MAX, &c->rest);
	return s ? (size_t)(s - text) : 0;
}
