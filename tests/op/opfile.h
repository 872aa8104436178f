/*
 * vectors.bin: what a GPU computed for each form.
 *
 * A few lines of text that say which GPU (they end with an empty line), then
 * little-endian numbers: the count of forms, and for each form the length it
 * shares with the line before, the rest of its line, the hash of its inputs,
 * and its output slots one by one. A slot with few distinct values is a table
 * of them and small indices; others are plain. The file ends with the hash of
 * everything before.
 */
#ifndef HEDDLE_TESTS_OP_OPFILE_H
#define HEDDLE_TESTS_OP_OPFILE_H

#include <stdio.h>

#include "opgen.h"

struct op_writer {
	struct op_text out;
	char last[OP_LINE];
	uint32_t forms;
	size_t count_at;
};

/* `about` is the text, of whole lines. */
void op_writer_init(struct op_writer *w, const char *about);
/* outputs * cases words, as the kernel left them. */
void op_writer_add(struct op_writer *w, const struct op_form *f,
		   uint64_t input_hash, const uint64_t *out);
/* False when memory ran out or the file could not be written. */
bool op_writer_close(struct op_writer *w, const char *path);

struct op_reader {
	unsigned char *data;
	size_t size, at;
	char last[OP_LINE];
	uint32_t forms; /* left to read */
	size_t about;   /* bytes of text at the beginning of data */
	/* Reads a line; op_reader_open sets it to op_parse. */
	bool (*parse)(struct op_form *f, const char *line);
};

/* Both return NULL, or what is wrong with the file. */
const char *op_reader_open(struct op_reader *r, const char *path);
/* *out is malloc'ed: outputs * cases words. Call it `forms` times. */
const char *op_reader_next(struct op_reader *r, struct op_form *f,
			   uint64_t *input_hash, uint64_t **out);
void op_reader_close(struct op_reader *r);

/* Reads no_vectors.txt: lines "reason: ROW ROW ...", # starts a comment. Sets
 * excused[] of the rows that it names; name(i) is row i of `rows`. Returns the
 * number of mistakes, which it prints; one is that there is no such file. */
int op_read_excuses(const char *path, const char *(*name)(int row), int rows,
		    bool *excused);

#endif
