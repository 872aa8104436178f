#include "door/cli/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "door/cli/npy.h"
#include "door/cli/text.h"

#define PRINT_LIMIT 64
#define PRINT_COLUMNS 8

static const char *const option[] = {
	[OUTPUT_PRINT] = "--print",
	[OUTPUT_HASH] = "--hash",
	[OUTPUT_FILE] = "--out",
	[OUTPUT_EXPECT] = "--expect",
};

void outputs_free(struct outputs *o)
{
	for (size_t i = 0; i < o->count; i++)
		if (o->at[i].kind == OUTPUT_EXPECT)
			source_close(&o->at[i].want);
	free(o->at);
	o->at = NULL;
	o->count = o->room = 0;
}

static enum err prepare_print(struct output *out, const char *rest,
			      struct diag *d)
{
	out->limit = PRINT_LIMIT;
	return rest ? number_parse_uint(&out->limit, "COUNT", rest,
					strlen(rest), UINT64_MAX, d) :
		      ERR_OK;
}

/* INIT, TYPE[SIZE]=INIT, or the name of a file. */
static enum err parse_expected(struct arg_spec *s, const struct array *a,
			       const char *text, struct diag *d)
{
	size_t n = strlen(text);
	enum elem_type type;

	*s = (struct arg_spec){ .kind = SPEC_ARRAY,
				.typed = true,
				.type = a->type,
				.shape = a->shape,
				.shape_known = true,
				.channels = 1 };
	if (text[0] != '@' && spec_is_init(text))
		return spec_parse_init(&s->init, a->type, text, n, d);
	if (elem_find(text, strcspn(text, "["), &type) && strchr(text, '[')) {
		if (spec_parse(s, text, d))
			return d->code;
		return ERR_OK;
	}
	text += text[0] == '@';
	n = strlen(text);
	s->init = (struct array_init){ .kind = INIT_FILE,
				       .text = text,
				       .length = n };
	/* Use the type of a .npy file: a reference may be more precise. */
	s->typed = !(n > 4 && !strcmp(text + n - 4, ".npy"));
	return ERR_OK;
}

static enum err prepare_expect(struct output *out, const char *rest,
			       struct diag *d)
{
	const struct array *a = out->array;
	struct arg_spec spec;

	out->path = rest;
	if (parse_expected(&spec, a, rest, d) ||
	    source_open(&out->want, &spec, a->key, d))
		return d->code;
	if (out->want.count == a->count)
		return ERR_OK;
	fail(d, ERR_SYNTAX,
	     "%" PRIu64 " elements expected, but the array has %" PRIu64,
	     out->want.count, a->count);
	source_close(&out->want);
	return d->code;
}

static enum err output_prepare(const struct outputs *o, struct output *out,
			       const char *text, struct diag *d)
{
	bool needs = out->kind == OUTPUT_FILE || out->kind == OUTPUT_EXPECT;
	const char *separator = strpbrk(text, needs                     ? "=" :
					      out->kind == OUTPUT_PRINT ? ":" :
									  "");
	size_t length = separator ? (size_t)(separator - text) : strlen(text);
	const char *rest = separator ? separator + 1 : NULL;

	if (needs && (!rest || !*rest))
		return fail(d, ERR_SYNTAX, "expected NAME=FILE%s",
			    out->kind == OUTPUT_EXPECT ? " or NAME=SPEC" : "");
	out->array = memory_find(o->memory, text, length, d);
	if (!out->array)
		return d->code;
	switch (out->kind) {
	case OUTPUT_PRINT:
		return prepare_print(out, rest, d);
	case OUTPUT_FILE:
		out->path = rest;
		return ERR_OK;
	case OUTPUT_EXPECT:
		return prepare_expect(out, rest, d);
	case OUTPUT_HASH:
		break;
	}
	return ERR_OK;
}

enum err outputs_add(struct outputs *o, enum output_kind kind,
		     const struct words *texts, struct diag *d)
{
	for (size_t i = 0; i < texts->count; i++) {
		struct output out = { .kind = kind };
		struct diag why;

		if (o->count == o->room) {
			size_t room = o->room ? 2 * o->room : 8;
			struct output *more =
				realloc(o->at, room * sizeof(*more));

			if (!more)
				return fail(d, ERR_NOMEM, "out of memory");
			o->at = more;
			o->room = room;
		}
		if (output_prepare(o, &out, texts->at[i], &why))
			return fail(d, why.code, "%s %.80s: %.380s",
				    option[kind], texts->at[i], why.text);
		o->at[o->count++] = out;
	}
	return ERR_OK;
}

/* [row,column] of an element. */
static void index_text(char *text, size_t size, const struct array_shape *s,
		       uint64_t index)
{
	uint64_t at[SHAPE_DIMS];
	size_t used = 0;

	for (unsigned i = s->dims; i-- > 0;) {
		at[i] = index % s->size[i];
		index /= s->size[i];
	}
	used = (size_t)snprintf(text, size, "[");
	for (unsigned i = 0; i < s->dims && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%" PRIu64,
					 i ? "," : "", at[i]);
	if (used < size)
		snprintf(text + used, size - used, "]");
}

static void print_elements(const struct output *out, uint64_t first, size_t n,
			   const char *elements)
{
	const struct array *a = out->array;
	unsigned bytes = elem_info[a->type].bytes;
	uint64_t row = a->shape.dims > 1 ? a->shape.size[a->shape.dims - 1] :
					   PRINT_COLUMNS;

	for (size_t i = 0; i < n; i++) {
		uint64_t index = first + i;
		char text[NUMBER_TEXT], where[120];

		if (index % row == 0) {
			index_text(where, sizeof(where), &a->shape, index);
			printf("%s%-8s", index ? "\n" : "", where);
		}
		elem_print(text, a->type,
			   elem_load(a->type, elements + i * bytes));
		printf(" %s", text);
	}
}

static enum err print_chunk(struct output *out, uint64_t first, size_t n,
			    const char *elements, FILE *f, struct diag *d)
{
	uint64_t left = out->limit > first ? out->limit - first : 0;
	uint64_t count = out->array->count;
	char what[200];

	(void)f, (void)d;
	if (!first) {
		spec_describe(what, sizeof(what), out->array->type,
			      &out->array->shape);
		printf("%s %s\n", out->array->name, what);
	}
	if (n > left)
		n = (size_t)left;
	print_elements(out, first, n, elements);
	if (first + n == out->limit && count > out->limit)
		printf("%s... %" PRIu64 " more\n", out->limit ? "\n" : "",
		       count - out->limit);
	else if (first + n == count)
		putchar('\n');
	return ERR_OK;
}

static enum err hash_chunk(struct output *out, uint64_t first, size_t n,
			   const char *elements, FILE *f, struct diag *d)
{
	const struct array *a = out->array;

	(void)f, (void)d;
	if (!first)
		out->hash = HASH_START;
	out->hash =
		hash_bytes(out->hash, elements, n * elem_info[a->type].bytes);
	if (first + n == a->count)
		printf("%s hash %016" PRIx64 "\n", a->name, out->hash);
	return ERR_OK;
}

static enum err file_chunk(struct output *out, uint64_t first, size_t n,
			   const char *elements, FILE *f, struct diag *d)
{
	const struct array *a = out->array;
	unsigned bytes = elem_info[a->type].bytes;
	size_t length = strlen(out->path);
	char header[NPY_HEADER];
	size_t size = 0;

	if (!first && length > 4 && !strcmp(out->path + length - 4, ".npy"))
		size = npy_format(header, a->type, &a->shape);
	if (fwrite(header, 1, size, f) != size ||
	    fwrite(elements, bytes, n, f) != n)
		return fail(d, ERR_IO, "cannot write '%s': %s", out->path,
			    strerror(errno));
	return ERR_OK;
}

static void output_compare(struct output *out, uint64_t index,
			   const struct tolerance *t, struct number want,
			   struct number got)
{
	double error;
	bool close = number_close(want, got, t, &error);

	if (error > out->max_error)
		out->max_error = error;
	if (close)
		return;
	if (out->different < DIFFERENCES)
		out->first[out->different] =
			(struct difference){ index, want, got };
	out->different++;
}

static enum err expect_chunk(const struct outputs *o, struct output *out,
			     uint64_t first, size_t n, const char *elements,
			     struct diag *d)
{
	enum elem_type got = out->array->type, want = out->want.type;
	char *expected = malloc(n * ELEM_MAX_BYTES);
	enum err e;

	if (!expected)
		return fail(d, ERR_NOMEM, "out of memory");
	e = source_fill(&out->want, first, n, expected, d);
	if (e || (got == want &&
		  !memcmp(expected, elements, n * elem_info[got].bytes))) {
		free(expected);
		return e;
	}
	for (size_t i = 0; i < n; i++)
		output_compare(
			out, first + i, &o->tolerance,
			elem_load(want, expected + i * elem_info[want].bytes),
			elem_load(got, elements + i * elem_info[got].bytes));
	free(expected);
	return ERR_OK;
}

static enum err one_chunk(struct outputs *o, struct output *out, uint64_t first,
			  size_t n, const char *elements, FILE *f,
			  struct diag *d)
{
	switch (out->kind) {
	case OUTPUT_PRINT:
		return print_chunk(out, first, n, elements, f, d);
	case OUTPUT_HASH:
		return hash_chunk(out, first, n, elements, f, d);
	case OUTPUT_FILE:
		return file_chunk(out, first, n, elements, f, d);
	case OUTPUT_EXPECT:
		return expect_chunk(o, out, first, n, elements, d);
	}
	BUG("unknown kind of output");
}

/* Reads an array in chunks and processes them. chunk: room for CHUNK
 * elements. */
static enum err output_read_chunks(struct outputs *o, struct output *out,
				   char *chunk, FILE *f, struct diag *d)
{
	const struct array *a = out->array;
	unsigned bytes = elem_info[a->type].bytes;
	struct heddle_error he = { 0 };
	uint64_t count = a->count;

	if (out->kind == OUTPUT_PRINT && out->limit < count)
		count = out->limit ? out->limit : 1;
	for (uint64_t i = 0; i < count; i += CHUNK) {
		uint64_t left = count - i;
		size_t n = left < CHUNK ? (size_t)left : CHUNK;

		if (heddle_read(o->memory->program->dev, chunk,
				a->at + i * bytes, n * bytes, &he))
			return fail_api(d, &he);
		if (one_chunk(o, out, i, n, chunk, f, d))
			return d->code;
	}
	return ERR_OK;
}

static enum err finish_one(struct outputs *o, struct output *out, char *chunk,
			   struct diag *d)
{
	struct outfile f;

	if (out->kind != OUTPUT_FILE)
		return output_read_chunks(o, out, chunk, NULL, d);
	if (outfile_open(&f, out->path, d))
		return d->code;
	return outfile_close(&f, output_read_chunks(o, out, chunk, f.to, d), d);
}

enum err outputs_finish(struct outputs *o, struct diag *d)
{
	char *chunk = malloc((size_t)CHUNK * ELEM_MAX_BYTES);
	uint64_t different = 0;
	enum err e = chunk ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");

	for (size_t i = 0; !e && i < o->count; i++) {
		e = finish_one(o, &o->at[i], chunk, d);
		different += o->at[i].different;
	}
	free(chunk);
	if (!e && different)
		e = fail(d, ERR_MISMATCH, "%" PRIu64 " elements differ",
			 different);
	return e;
}

static void report_different(const struct output *out)
{
	uint64_t shown = out->different < DIFFERENCES ? out->different :
							DIFFERENCES;
	char where[120], want[NUMBER_TEXT], got[NUMBER_TEXT];
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	fprintf(stderr,
		"%s%s differs%s from %s: %s of %s elements, maximum error "
		"%.3g\n",
		tint(stderr, TINT_RED), out->array->name,
		tint(stderr, TINT_OFF), out->path, grouped(a, out->different),
		grouped(b, out->array->count), out->max_error);
	for (uint64_t i = 0; i < shown; i++) {
		const struct difference *diff = &out->first[i];

		index_text(where, sizeof(where), &out->array->shape,
			   diff->index);
		elem_print(want, out->want.type, diff->want);
		elem_print(got, out->array->type, diff->got);
		fprintf(stderr, "  %s%s expected %s, got %s\n",
			out->array->name, where, want, got);
	}
	if (shown < out->different)
		fprintf(stderr, "  ... %s more\n",
			grouped(a, out->different - shown));
}

void outputs_report(const struct outputs *o, bool all)
{
	char a[GROUPED_TEXT];

	for (size_t i = 0; i < o->count; i++) {
		const struct output *out = &o->at[i];

		if (out->kind != OUTPUT_EXPECT)
			continue;
		if (out->different)
			report_different(out);
		else if (all)
			fprintf(stderr,
				"  compared  %s %sequals%s %s (%s elements, "
				"maximum error %.3g)\n",
				out->array->name, tint(stderr, TINT_GREEN),
				tint(stderr, TINT_OFF), out->path,
				grouped(a, out->array->count), out->max_error);
	}
}

void outputs_json(const struct outputs *o, struct json *j)
{
	char text[24];

	json_open(j, "hashes", '{');
	for (size_t i = 0; i < o->count; i++)
		if (o->at[i].kind == OUTPUT_HASH) {
			snprintf(text, sizeof(text), "%016" PRIx64,
				 o->at[i].hash);
			json_string(j, o->at[i].array->name, text);
		}
	json_close(j, '{');
	json_open(j, "comparisons", '[');
	for (size_t i = 0; i < o->count; i++) {
		const struct output *out = &o->at[i];

		if (out->kind != OUTPUT_EXPECT)
			continue;
		json_open(j, NULL, '{');
		json_string(j, "name", out->array->name);
		json_string(j, "expected", out->path);
		json_uint(j, "elements", out->array->count);
		json_uint(j, "different", out->different);
		json_real(j, "max_error", out->max_error);
		json_close(j, '{');
	}
	json_close(j, '[');
}

/* ---- options ----------------------------------------------------------- */

enum err opt_tolerance(void *to, const char *value, struct diag *d)
{
	struct tolerance *t = to;
	size_t n = strcspn(value, ",");
	struct number a, r = number_float(0);

	if (number_parse(&a, value, n, d) ||
	    (value[n] &&
	     number_parse(&r, value + n + 1, strlen(value + n + 1), d)) ||
	    !(number_real(a) >= 0) || !(number_real(r) >= 0))
		return fail(d, ERR_SYNTAX,
			    "expected ABSOLUTE[,RELATIVE], such as 1e-5,1e-3");
	t->absolute = number_real(a);
	t->relative = number_real(r);
	return ERR_OK;
}

enum err outputs_add_all(struct outputs *o, const struct output_options *asked,
			 struct diag *d)
{
	o->tolerance = asked->tolerance;
	if (outputs_add(o, OUTPUT_PRINT, &asked->prints, d) ||
	    outputs_add(o, OUTPUT_HASH, &asked->hashes, d) ||
	    outputs_add(o, OUTPUT_FILE, &asked->outs, d))
		return d->code;
	return outputs_add(o, OUTPUT_EXPECT, &asked->expects, d);
}

void output_options_free(struct output_options *o)
{
	words_free(&o->prints);
	words_free(&o->outs);
	words_free(&o->expects);
	words_free(&o->hashes);
}
