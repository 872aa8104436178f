/*
 * Digits of numbers that are written out, whatever the locale.
 */
#ifndef HEDDLE_BASE_DIGIT_H
#define HEDDLE_BASE_DIGIT_H

/* The value of a decimal or hexadecimal digit; 16: it is none. */
static inline unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 16;
}

#endif
