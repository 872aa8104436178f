/*
 * Instructions of GFX6 with the text that LLVM's assembler prints for their words:
 * decodes, prints and encodes each one.
 *
 *   gcn_corpus FILE   lines of: text, tab, words in hexadecimal
 *
 * Prints differences and a summary.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/gcn/inst.h"

enum { SHOWN = 40 };

static unsigned long differences;

static void differ(const char *line, const char *what)
{
	if (differences++ < SHOWN)
		printf("%s => %s\n", line, what);
}

static size_t read_words(const char *s, uint32_t words[3])
{
	size_t n = 0;
	char *end;

	for (; *s && n < 3; s = end)
		words[n++] = (uint32_t)strtoul(s, &end, 16);
	return n;
}

static void check(const char *text, const char *hex)
{
	uint32_t words[3] = { 0 }, again[3];
	size_t n = read_words(hex, words);
	struct gcn_inst in;
	const char *why = gcn_decode(&in, words, n);
	char own[256];

	if (why) {
		differ(text, why);
		return;
	}
	gcn_print(own, sizeof(own), &in);
	if (strcmp(own, text) != 0)
		differ(text, own);
	gcn_encode(&in, again);
	if (in.words != n || memcmp(words, again, n * sizeof(*words)) != 0)
		differ(text, "its words are not those again");
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
	unsigned long lines = 0;
	char line[512];

	if (!f) {
		fprintf(stderr, "usage: gcn_corpus FILE\n");
		return 2;
	}
	while (fgets(line, sizeof(line), f)) {
		char *tab = strchr(line, '\t');

		line[strcspn(line, "\n")] = '\0';
		lines++;
		if (tab)
			*tab = '\0';
		check(line, tab ? tab + 1 : "");
	}
	fclose(f);
	printf("%lu instructions, %lu differences\n", lines, differences);
	return differences || !lines;
}
