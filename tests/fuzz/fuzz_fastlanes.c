/*
 * The readers of FastLanes. The first byte chooses: the rest is a CODE file, or
 * the words of a kernel in an otherwise correct one, or PTX to compile. What is
 * compiled is written and read again; a word that is read is encoded to itself.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fastlanes/compile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_file(const uint8_t *data, size_t size)
{
	struct fl_code *c = NULL;
	struct diag d = { 0 };

	if (fl_code_read(&c, "fuzz.code", data, size, &d)) {
		if (!d.text[0])
			abort();
		return;
	}
	for (uint32_t i = 0; i < c->kernel_count; i++)
		for (uint32_t k = 0; k < c->kernels[i].count; k++) {
			uint64_t w = c->words[c->kernels[i].first + k];
			struct fl_inst in;

			if (fl_decode(&in, w) || fl_encode(&in) != w)
				abort();
		}
	free(fl_code_print(c));
	fl_code_free(c);
}

/* Writes the code and reads it. must: it must be accepted. */
static void write_file(const struct fl_code *c, int must)
{
	struct fl_code *again = NULL;
	struct diag d = { 0 };
	uint8_t *bytes;
	size_t size;

	if (fl_code_write(c, &bytes, &size, &d))
		abort();
	if (must && fl_code_read(&again, "fuzz.code", bytes, size, &d))
		abort();
	fl_code_free(again);
	read_file(bytes, size);
	free(bytes);
}

static void read_words(const uint8_t *data, size_t size)
{
	uint32_t n = (uint32_t)(size / 8);
	uint64_t *words = malloc(8 * (size_t)n + 8);
	struct fl_kernel k = {
		.name = "k", .count = n, .regs = FL_REGS, .preds = FL_PREDS
	};
	struct fl_code c = { .kernels = &k,
			     .kernel_count = 1,
			     .words = words,
			     .word_count = n };

	if (!words)
		return;
	memcpy(words, data, 8 * (size_t)n);
	write_file(&c, 0);
	free(words);
}

static void compile(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct fl_code *c = NULL;
	struct diag d = { 0 };

	if (!text)
		return;
	memcpy(text, data, size);
	text[size] = '\0';
	if (!fl_compile(&c, "fuzz.ptx", text, size, NULL, &d)) {
		write_file(c, 1);
		fl_code_free(c);
	} else if (!d.text[0]) {
		abort();
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] == 'F')
		read_file(data, size);
	else if (data[0] == 'w')
		read_words(data + 1, size - 1);
	else
		compile(data, size);
	return 0;
}
