/*
 * Instructions with the text that the vendor's disassembler wrote for them:
 * prints, encodes and reads each one again.
 *
 *   corpus FILE [SM]   lines of: sm, file, function, address, low word, high
 *                      word, text; separated by tabs
 *
 * Prints the differences by opcode, with one example each, and a summary.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sass/inst.h"

struct tally {
	unsigned count;
	char example[512];
};

enum { OPCODES = 8192 };
static struct tally unknown[OPCODES], left[OPCODES], text[OPCODES],
	word[OPCODES], again[OPCODES];

static void note(struct tally *t, const char *line, const char *what)
{
	if (!t->count++)
		snprintf(t->example, sizeof(t->example), "%.200s => %.250s",
			 line, what);
}

static char *field(char **line)
{
	char *s = *line, *end = strchr(s, '\t');

	if (end) {
		*end = '\0';
		*line = end + 1;
	}
	return s;
}

/* The text must give the same word, but for the control word and what the row
 * says is not written. */
static void check_again(unsigned op, const char *line, const char *expected,
			unsigned sm, uint64_t address, const uint64_t w[2])
{
	uint64_t control = UINT64_C(0x3fffff) << 41;
	/* The text of a NaN does not tell which one it is. */
	uint64_t nan = strstr(expected, "NAN") ? UINT64_C(0xffffffff) << 32 : 0;
	struct sass_inst in;
	uint64_t got[2];
	char shown[64];
	struct diag d;

	if (sass_parse(&in, sm, address, expected, &d)) {
		note(&again[op], line, "not read");
		return;
	}
	sass_encode(&in, got);
	snprintf(shown, sizeof(shown), "%016" PRIx64 " %016" PRIx64, got[0],
		 got[1]);
	if ((got[0] ^ w[0]) & ~(nan | in.enc->hidden[0]) ||
	    (got[1] ^ w[1]) & ~(control | in.enc->hidden[1]))
		note(&again[op], line, shown);
}

static void check(const char *whole, char *line, unsigned only)
{
	unsigned sm = (unsigned)atoi(field(&line));
	struct sass_inst in;
	uint64_t address, w[2], got[2];
	enum sass_decoded how;
	char shown[256];
	unsigned op;

	if (only && sm != only)
		return;
	field(&line);
	field(&line);
	address = strtoull(field(&line), NULL, 16);
	w[0] = strtoull(field(&line), NULL, 16);
	w[1] = strtoull(field(&line), NULL, 16);
	line[strcspn(line, "\n")] = '\0';
	op = (unsigned)(sass_bits(w, 0, 12) | sass_bits(w, 91, 1) << 12);
	how = sass_decode(&in, sm, w);
	if (how == SASS_UNKNOWN) {
		note(&unknown[op], whole, "unknown");
		return;
	}
	if (how == SASS_LEFT_OVER) {
		snprintf(shown, sizeof(shown),
			 "left over %016" PRIx64 " %016" PRIx64, in.rest[0],
			 in.rest[1]);
		note(&left[op], whole, shown);
	}
	sass_print(shown, sizeof(shown), &in, address);
	for (size_t n = strlen(shown); n && shown[n - 1] == ' ';)
		shown[--n] = '\0';
	if (strcmp(shown, line))
		note(&text[op], whole, shown);
	sass_encode(&in, got);
	if (got[0] != w[0] || got[1] != w[1])
		note(&word[op], whole, "encoded differently");
	check_again(op, whole, line, sm, address, w);
}

static unsigned report(const char *what, const struct tally *t)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < OPCODES; i++) {
		if (!t[i].count)
			continue;
		printf("%s 0x%04x %u: %s\n", what, i, t[i].count, t[i].example);
		sum += t[i].count;
	}
	return sum;
}

int main(int argc, char **argv)
{
	FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
	unsigned sm = argc > 2 ? (unsigned)atoi(argv[2]) : 0, lines = 0, bad;
	static char line[4096], whole[4096];

	if (!f) {
		fprintf(stderr, "corpus: cannot read the file\n");
		return 2;
	}
	while (fgets(line, sizeof(line), f)) {
		strcpy(whole, line);
		whole[strcspn(whole, "\n")] = '\0';
		check(whole, line, sm);
		lines++;
	}
	fclose(f);
	bad = report("unknown", unknown) + report("left", left) +
	      report("text", text) + report("word", word) +
	      report("again", again);
	printf("%u instructions, %u differences\n", lines, bad);
	return bad != 0;
}
