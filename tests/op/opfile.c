#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opfile.h"

static const char magic[] = "heddle op vectors 1\n";

enum { PLAIN = 255, PALETTE = 128 };

static void put_bytes(struct op_text *t, const void *p, size_t n)
{
	/* Bytes may be zero: op_print makes room, memcpy writes. */
	op_print(t, "%*s", (int)n, "");
	if (!t->failed)
		memcpy(t->s + t->size - n, p, n);
}

static void put_number(struct op_text *t, uint64_t v, int bytes)
{
	unsigned char b[8];

	for (int i = 0; i < bytes; i++)
		b[i] = (unsigned char)(v >> 8 * i);
	put_bytes(t, b, (size_t)bytes);
}

void op_writer_init(struct op_writer *w, const char *about)
{
	memset(w, 0, sizeof(*w));
	op_print(&w->out, "%s%s\n", magic, about);
	w->count_at = w->out.size;
	put_number(&w->out, 0, 4);
}

static int index_bits(int n)
{
	int bits = 0;

	while (1 << bits < n)
		bits++;
	return bits;
}

/* The index of a value in the table; -1 when the table is full. */
static int find(uint64_t *table, int *n, uint64_t v)
{
	for (int i = 0; i < *n; i++)
		if (table[i] == v)
			return i;
	if (*n == PALETTE)
		return -1;
	table[*n] = v;
	return (*n)++;
}

static bool add_palette(struct op_text *t, const uint64_t *v, int cases,
			int bytes)
{
	uint64_t table[PALETTE];
	uint64_t word = 0;
	int n = 0, filled = 0;

	for (int i = 0; i < cases; i++)
		if (find(table, &n, v[i]) < 0)
			return false;
	int bits = index_bits(n);
	if (n * bytes + cases * bits / 8 >= cases * bytes)
		return false;
	put_number(t, (uint64_t)n, 1);
	for (int i = 0; i < n; i++)
		put_number(t, table[i], bytes);
	for (int i = 0; i < cases; i++) {
		word |= (uint64_t)find(table, &n, v[i]) << filled;
		for (filled += bits; filled >= 8; filled -= 8, word >>= 8)
			put_number(t, word, 1);
	}
	return true; /* cases is a multiple of 8 */
}

void op_writer_add(struct op_writer *w, const struct op_form *f,
		   uint64_t input_hash, const uint64_t *out)
{
	size_t same = 0, size = strlen(f->line);

	while (same < size && f->line[same] == w->last[same])
		same++;
	put_number(&w->out, same, 1);
	put_number(&w->out, size - same, 1);
	put_bytes(&w->out, f->line + same, size - same);
	memcpy(w->last, f->line, sizeof(w->last));
	put_number(&w->out, input_hash, 8);
	for (int s = 0; s < f->outputs; s++) {
		const uint64_t *v = out + (size_t)s * (size_t)f->cases;
		int bytes = f->output[s].bytes;

		if (add_palette(&w->out, v, f->cases, bytes))
			continue;
		put_number(&w->out, PLAIN, 1);
		for (int i = 0; i < f->cases; i++)
			put_number(&w->out, v[i], bytes);
	}
	w->forms++;
}

bool op_writer_close(struct op_writer *w, const char *path)
{
	FILE *out = NULL;
	bool good = false;

	if (!w->out.failed) {
		for (int i = 0; i < 4; i++)
			w->out.s[w->count_at + (size_t)i] =
				(char)(w->forms >> 8 * i);
		put_number(&w->out, op_hash(w->out.s, w->out.size), 8);
		out = fopen(path, "wb");
	}
	if (out) {
		good = fwrite(w->out.s, 1, w->out.size, out) == w->out.size;
		good &= !fclose(out);
	}
	free(w->out.s);
	return good && !w->out.failed;
}

static const char *slurp(struct op_reader *r, const char *path)
{
	FILE *in = fopen(path, "rb");
	long size;

	if (!in)
		return "cannot be opened";
	if (fseek(in, 0, SEEK_END) || (size = ftell(in)) < 0 ||
	    fseek(in, 0, SEEK_SET)) {
		fclose(in);
		return "cannot be read";
	}
	r->size = (size_t)size;
	r->data = malloc(r->size + 1);
	if (r->data && fread(r->data, 1, r->size, in) != r->size)
		r->size = 0;
	fclose(in);
	return r->data ? NULL : "out of memory";
}

static uint64_t number(struct op_reader *r, int bytes)
{
	uint64_t v = 0;

	for (int i = 0; i < bytes && r->at < r->size; i++)
		v |= (uint64_t)r->data[r->at++] << 8 * i;
	return v;
}

const char *op_reader_open(struct op_reader *r, const char *path)
{
	memset(r, 0, sizeof(*r));
	r->parse = op_parse;
	const char *wrong = slurp(r, path);

	if (wrong)
		return wrong;
	if (r->size < sizeof(magic) + 12 ||
	    memcmp(r->data, magic, sizeof(magic) - 1))
		return "is no file of op vectors";
	r->at = r->size - 8;
	if (number(r, 8) != op_hash(r->data, r->size - 8))
		return "is damaged";
	r->size -= 8;
	while (r->about + 1 < r->size && memcmp(r->data + r->about, "\n\n", 2))
		r->about++;
	r->at = r->about + 2;
	r->forms = (uint32_t)number(r, 4);
	return NULL;
}

static const char *read_palette(struct op_reader *r, uint64_t *v, int n,
				int cases, int bytes)
{
	uint64_t table[PALETTE] = { 0 };
	uint64_t word = 0;
	int bits = index_bits(n), filled = 0;

	if (n > PALETTE)
		return "has a table that is too large";
	for (int i = 0; i < n; i++)
		table[i] = number(r, bytes);
	for (int i = 0; i < cases; i++) {
		for (; filled < bits; filled += 8)
			word |= number(r, 1) << filled;
		v[i] = table[word & ((1u << bits) - 1)];
		word >>= bits;
		filled -= bits;
	}
	return NULL;
}

const char *op_reader_next(struct op_reader *r, struct op_form *f,
			   uint64_t *input_hash, uint64_t **out)
{
	size_t same = number(r, 1), size = number(r, 1);

	*out = NULL;
	if (same + size >= OP_LINE || size > r->size - r->at)
		return "has a line that is too long";
	memcpy(r->last + same, r->data + r->at, size);
	r->last[same + size] = 0;
	r->at += size;
	if (!r->parse(f, r->last))
		return "has a form that cannot be read";
	*input_hash = number(r, 8);
	*out = calloc((size_t)f->outputs * (size_t)f->cases, sizeof(**out));
	if (!*out)
		return "out of memory";
	for (int s = 0; s < f->outputs; s++) {
		uint64_t *v = *out + (size_t)s * (size_t)f->cases;
		int n = (int)number(r, 1), bytes = f->output[s].bytes;

		for (int i = 0; n == PLAIN && i < f->cases; i++)
			v[i] = number(r, bytes);
		if (n != PLAIN && read_palette(r, v, n, f->cases, bytes))
			return "has a table that is too large";
	}
	r->forms--;
	return NULL;
}

void op_reader_close(struct op_reader *r)
{
	free(r->data);
}

static bool excuse(const char *id, const char *(*name)(int row), int rows,
		   bool *excused)
{
	int row = 0;

	while (row < rows && strcmp(name(row), id))
		row++;
	if (row == rows) {
		printf("  no_vectors.txt: no row %s\n", id);
		return false;
	}
	return excused[row] = true;
}

int op_read_excuses(const char *path, const char *(*name)(int row), int rows,
		    bool *excused)
{
	FILE *in = fopen(path, "r");
	int mistakes = !in;
	char line[2000];

	while (in && fgets(line, sizeof(line), in)) {
		char *save, *colon = strchr(line, ':');

		if (*line == '#' || *line == '\n')
			continue;
		if (!colon) {
			printf("  no_vectors.txt: no reason: %s", line);
			mistakes++;
			continue;
		}
		for (char *id = strtok_r(colon + 1, " \n", &save); id;
		     id = strtok_r(NULL, " \n", &save))
			mistakes += !excuse(id, name, rows, excused);
	}
	if (in)
		fclose(in);
	return mistakes;
}
