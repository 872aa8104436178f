/*
 * Numbers and special registers, as the vendor's disassembler writes them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sass/inst.h"

static const struct {
	const char *text;
	double value;
} special[] = {
	/* The disassembler puts a space after these. */
	{ "+INF ", (double)INFINITY },
	{ "-INF ", -(double)INFINITY },
	{ "+QNAN ", (double)NAN },
	{ "-QNAN ", -(double)NAN },
};

size_t sass_print_float(char *out, size_t room, double v)
{
	int n;

	if (isinf(v))
		n = snprintf(out, room, "%cINF ", v < 0 ? '-' : '+');
	else if (isnan(v))
		n = snprintf(out, room, "%cQNAN ", signbit(v) ? '-' : '+');
	else if (fabs(v) >= 1e9)
		n = snprintf(out, room, "%.20e", v);
	else
		n = snprintf(out, room, "%.20g", v);
	return (size_t)n;
}

size_t sass_read_float(const char *text, double *v)
{
	char *end;

	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
		size_t n = strlen(special[i].text) - 1;

		if (strncmp(text, special[i].text, n))
			continue;
		*v = special[i].value;
		return n + (text[n] == ' ');
	}
	*v = strtod(text, &end);
	return (size_t)(end - text);
}

size_t sass_print_int(char *out, size_t room, int64_t v)
{
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	return (size_t)snprintf(out, room, "%s0x%llx", v < 0 ? "-" : "",
				(unsigned long long)u);
}

size_t sass_read_int(const char *text, int64_t *v)
{
	const char *s = text + (*text == '-');
	char *end;
	uint64_t u;

	if (*s < '0' || *s > '9')
		return 0;
	u = strtoull(s, &end, 0);
	*v = (int64_t)(*text == '-' ? 0 - u : u);
	return (size_t)(end - text);
}

/* Registers of the convergence unit, by number. */
static const char *const states[] = {
	"B0",
	"B1",
	"B2",
	"B3",
	"B4",
	"B5",
	"B6",
	"B7",
	"B8",
	"B9",
	"B10",
	"B11",
	"B12",
	"B13",
	"B14",
	"B15",
	"THREAD_STATE_ENUM.0",
	"THREAD_STATE_ENUM.1",
	"THREAD_STATE_ENUM.2",
	"THREAD_STATE_ENUM.3",
	"THREAD_STATE_ENUM.4",
	"TRAP_RETURN_PC.LO",
	"TRAP_RETURN_PC.HI",
	"TRAP_RETURN_MASK",
	"MEXITED",
	"MKILL",
	"MACTIVE",
	"MATEXIT",
	"OPT_STACK",
	"API_CALL_DEPTH",
	"ATEXIT_PC.LO",
	"ATEXIT_PC.HI",
	"MCOLLECTIVE",
};

enum { STATES = sizeof(states) / sizeof(states[0]) };

const char *sass_state_name(unsigned number)
{
	return number < STATES ? states[number] : "INVALID";
}

size_t sass_read_state(const char *text, unsigned *number)
{
	size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_.0123456789");

	for (unsigned i = 0; i < STATES; i++)
		if (strlen(states[i]) == n && !memcmp(text, states[i], n)) {
			*number = i;
			return n;
		}
	return 0;
}

static const struct {
	uint8_t number;
	const char *name;
} sregs[] = {
#define SREG(number, name) { number, name },
#include "isa/sass/sreg.def"
};

enum { SREGS = sizeof(sregs) / sizeof(sregs[0]) };

const char *sass_sreg_name(unsigned number)
{
	for (size_t i = 0; i < SREGS; i++)
		if (sregs[i].number == number)
			return sregs[i].name;
	return "SR_UNKNOWN";
}

size_t sass_read_sreg(const char *text, unsigned *number)
{
	size_t best = 0;

	for (size_t i = 0; i < SREGS; i++) {
		size_t n = strlen(sregs[i].name);

		if (n > best && !strncmp(text, sregs[i].name, n)) {
			best = n;
			*number = sregs[i].number;
		}
	}
	return best;
}
