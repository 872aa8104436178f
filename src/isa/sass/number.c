/*
 * Numbers and special registers, as the vendor's disassembler writes them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sass/inst.h"

static const struct {
	const char *text; /* the disassembler puts a space after these */
	uint64_t bits;    /* of the double */
} special[] = {
	{ "+INF ", 0x7ff0000000000000 },  { "-INF ", 0xfff0000000000000 },
	{ "+QNAN ", 0x7ff8000000000000 }, { "-QNAN ", 0xfff8000000000000 },
	{ "+SNAN ", 0x7ff0000100000000 }, { "-SNAN ", 0xfff0000100000000 },
	{ "-0.0 ", 0x8000000000000000 },
};

enum { NON_NUMBERS = 6 }; /* of these, which strtod would not read so */

/* The text of infinities, NaNs and -0, or NULL. */
static const char *special_text(double v)
{
	uint64_t u;

	memcpy(&u, &v, sizeof(u));
	if (isnan(v))
		return special[(u >> 51 & 1 ? 2 : 4) + (u >> 63)].text;
	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (u == special[i].bits)
			return special[i].text;
	return NULL;
}

size_t sass_print_float(char *out, size_t room, double v)
{
	const char *text = special_text(v);
	int n;

	if (text)
		n = snprintf(out, room, "%s", text);
	else if (fabs(v) >= 1e9)
		n = snprintf(out, room, "%.20e", v);
	else
		n = snprintf(out, room, "%.20g", v);
	return (size_t)n;
}

size_t sass_read_float(const char *text, double *v)
{
	char *end;

	for (size_t i = 0; i < NON_NUMBERS; i++) {
		size_t n = strlen(special[i].text) - 1;

		if (strncmp(text, special[i].text, n))
			continue;
		memcpy(v, &special[i].bits, sizeof(*v));
		return n + (text[n] == ' ');
	}
	*v = strtod(text, &end);
	if (special_text(*v) && *end == ' ')
		end++;
	return (size_t)(end - text);
}

const char *const sass_part_texts[][4] = {
	[SASS_PAIRED] = { "", ".F32", ".H0_H0", ".H1_H1" },
	[SASS_LONE] = { "", ".H1", ".INVALID2", ".INVALID3" },
	[SASS_OF_BYTES] = { "", ".B1", ".B2", ".B3" },
	[SASS_APART] = { "", "", "", "" },
	[SASS_CROSSED] = { ".H0_NH1", ".INVALID5", ".INVALID6", ".INVALID7" },
};

const char *const sass_swizzles[4] = { "PP", "PN", "NP", "ZP" };

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
	uint16_t number, from, to;
	const char *name;
} sregs[] = {
#define SREG(number, from, to, name) { number, from, to, name },
#include "isa/sass/sreg.def"
};

enum { SREGS = sizeof(sregs) / sizeof(sregs[0]) };

const char *sass_sreg_name(unsigned sm, unsigned number)
{
	for (size_t i = 0; i < SREGS; i++)
		if (sregs[i].number == number && sm >= sregs[i].from &&
		    sm <= sregs[i].to)
			return sregs[i].name;
	return NULL;
}

/* "SR36" */
static size_t read_unnamed_sreg(const char *text, unsigned *number)
{
	char *end;
	unsigned long v;

	if (strncmp(text, "SR", 2) || text[2] < '0' || text[2] > '9')
		return 0;
	v = strtoul(text + 2, &end, 10);
	*number = (unsigned)v;
	return v < 256 ? (size_t)(end - text) : 0;
}

size_t sass_read_sreg(unsigned sm, const char *text, unsigned *number)
{
	size_t best = read_unnamed_sreg(text, number);

	for (size_t i = 0; i < SREGS; i++) {
		size_t n = strlen(sregs[i].name);

		if (sm < sregs[i].from || sm > sregs[i].to || n <= best ||
		    strncmp(text, sregs[i].name, n))
			continue;
		best = n;
		*number = sregs[i].number;
	}
	return best;
}
