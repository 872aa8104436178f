/*
 * Instructions of compiled code with the text that the vendor's disassembler
 * wrote for them: decodes, prints, encodes and reads each one again.
 *
 *   corpus [FILE [SM]]   lines of: sm, file, function, address, low word, high
 *                        word, text; separated by tabs
 *
 * Prints the differences by opcode, with one example each, and a summary. An
 * instruction that is not known is a difference on the architectures that are
 * executed; on later ones it is only named.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sass/inst.h"

enum { OPCODES = 8192, EXECUTED = 90 };

struct tally {
	unsigned count;
	char example[512];
};

static struct tally unknown[OPCODES], named[OPCODES], left[OPCODES],
	text[OPCODES], word[OPCODES], again[OPCODES];

struct line {
	const char *whole, *text;
	unsigned sm, op;
	uint64_t address, w[2];
};

static void note(struct tally *t, const struct line *l, const char *what)
{
	if (!t[l->op].count++)
		snprintf(t[l->op].example, sizeof(t->example),
			 "%.200s => %.250s", l->whole, what);
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

static void read_line(struct line *l, const char *whole, char *s)
{
	l->whole = whole;
	l->sm = (unsigned)atoi(field(&s));
	field(&s);
	field(&s);
	l->address = strtoull(field(&s), NULL, 16);
	l->w[0] = strtoull(field(&s), NULL, 16);
	l->w[1] = strtoull(field(&s), NULL, 16);
	l->text = s;
	l->op = (unsigned)(sass_bits(l->w, 0, 12) | sass_bits(l->w, 91, 1)
							    << 12);
}

/* The text must give the same word, but for the control word and what the row
 * says is not written; and it does not say which NaN it is. */
static void check_again(const struct line *l)
{
	uint64_t control = UINT64_C(0x3fffff) << 41;
	uint64_t nan = strstr(l->text, "NAN") ? UINT64_C(0xffffffff) << 32 : 0;
	struct sass_inst in;
	uint64_t got[2];
	char shown[64];
	struct diag d;

	if (sass_parse(&in, l->sm, l->address, l->text, &d)) {
		note(again, l, "not read");
		return;
	}
	sass_encode(&in, got);
	snprintf(shown, sizeof(shown), "%016" PRIx64 " %016" PRIx64, got[0],
		 got[1]);
	if ((got[0] ^ l->w[0]) & ~(nan | in.enc->hidden[0]) ||
	    (got[1] ^ l->w[1]) & ~(control | in.enc->hidden[1]))
		note(again, l, shown);
}

static void check(const struct line *l)
{
	struct sass_inst in;
	uint64_t got[2];
	enum sass_decoded how = sass_decode(&in, l->sm, l->w);
	char shown[256];

	if (how == SASS_UNKNOWN) {
		note(l->sm > EXECUTED ? named : unknown, l, "unknown");
		return;
	}
	if (how == SASS_LEFT_OVER) {
		snprintf(shown, sizeof(shown),
			 "left over %016" PRIx64 " %016" PRIx64, in.rest[0],
			 in.rest[1]);
		note(left, l, shown);
	}
	sass_print(shown, sizeof(shown), &in, l->address);
	for (size_t n = strlen(shown); n && shown[n - 1] == ' ';)
		shown[--n] = '\0';
	if (strcmp(shown, l->text))
		note(text, l, shown);
	sass_encode(&in, got);
	if (got[0] != l->w[0] || got[1] != l->w[1])
		note(word, l, "encoded differently");
	check_again(l);
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

/* Returns the number of lines. */
static unsigned check_file(FILE *f, unsigned only)
{
	static char line[4096], whole[4096];
	unsigned lines = 0;

	while (fgets(line, sizeof(line), f)) {
		struct line l;

		line[strcspn(line, "\n")] = '\0';
		strcpy(whole, line);
		read_line(&l, whole, line);
		if (only && l.sm != only)
			continue;
		check(&l);
		lines++;
	}
	return lines;
}

int main(int argc, char **argv)
{
	FILE *f = argc > 1 ? fopen(argv[1], "r") : stdin;
	unsigned sm = argc > 2 ? (unsigned)atoi(argv[2]) : 0, lines, bad, later;

	if (!f) {
		fprintf(stderr, "corpus: cannot read %s\n", argv[1]);
		return 2;
	}
	lines = check_file(f, sm);
	fclose(f);
	later = report("not known", named);
	bad = report("unknown", unknown) + report("left", left) +
	      report("text", text) + report("word", word) +
	      report("again", again);
	printf("%u instructions, %u differences, %u not known after sm_%d\n",
	       lines, bad, later, EXECUTED);
	return bad || !lines;
}
