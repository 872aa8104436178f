/*
 * Does each instruction compute what the hardware computes?
 *
 * Every form of vectors.bin is run once more, here, on the same inputs, and
 * must give the same bits. A row that has no vectors fails, unless
 * no_vectors.txt says why it has none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fp.h"
#include "heddle/heddle.h"
#include "opfile.h"
#include "opform.h"
#include "opgen.h"
#include "test.h"

enum {
	BATCH = 64,         /* kernels of a module */
	SHOWN_PER_FORM = 3, /* differences printed */
	SHOWN_FORMS = 30
};

static const char folder[] = HEDDLE_SOURCE_DIR "/tests/op/";

/* ---- vectors.bin and the table -------------------------------------------- */

struct record {
	struct op_form form;
	uint64_t input_hash;
	uint64_t *want;
	enum ptx_op row;
	bool has_row;
};

static struct record *records;
static size_t record_count;

struct name {
	const char *line; /* of its record */
	size_t record;
};
static struct name *names;

static int by_line(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return strcmp(x->line, y->line);
}

/* A form that the table covers: if it is recorded, this is its row. */
static void claim(void *ctx, const char *line)
{
	char legacy[OP_LINE + 8];

	snprintf(legacy, sizeof(legacy), "%s legacy", line);
	for (int i = 0; i < 2; i++) {
		struct name key = { .line = i ? legacy : line };
		const struct name *n = bsearch(&key, names, record_count,
					       sizeof(*names), by_line);

		if (!n)
			continue;
		records[n->record].row = *(enum ptx_op *)ctx;
		records[n->record].has_row = true;
	}
}

static void read_records(void)
{
	struct op_reader r;
	char path[sizeof(folder) + 20];

	snprintf(path, sizeof(path), "%svectors.bin", folder);
	STREQ(NULL, op_reader_open(&r, path));
	record_count = r.forms;
	records = calloc(record_count, sizeof(*records));
	names = calloc(record_count, sizeof(*names));
	OK(records && names);
	for (size_t i = 0; i < record_count; i++) {
		STREQ(NULL,
		      op_reader_next(&r, &records[i].form,
				     &records[i].input_hash, &records[i].want));
		names[i] = (struct name){ records[i].form.line, i };
	}
	op_reader_close(&r);
}

static void load(void)
{
	if (records)
		return;
	read_records();
	qsort(names, record_count, sizeof(*names), by_line);
	for (int row = 0; row < PTX_OP_COUNT; row++) {
		enum ptx_op op = (enum ptx_op)row;

		if (op_row_in_scope(op))
			op_forms(op, claim, &op);
	}
}

static void unload(void)
{
	for (size_t i = 0; i < record_count; i++)
		free(records[i].want);
	free(records);
	free(names);
	records = NULL;
}

/* ---- differences ------------------------------------------------------------
 */

static double as_double(enum ptx_type type, uint64_t v)
{
	enum fp_fmt f = type == PTX_F16  ? FP_F16 :
			type == PTX_BF16 ? FP_BF16 :
			type == PTX_F32  ? FP_F32 :
					   FP_F64;

	return f64_of(fp_cvt(FP_F64, f, v, RND_RN, false));
}

static void print_value(enum ptx_type type, uint64_t v)
{
	bool is_float = type == PTX_F16 || type == PTX_BF16 ||
			type == PTX_F32 || type == PTX_F64;

	printf(" %" PRIx64, v);
	if (is_float)
		printf(" (%g)", as_double(type, v));
}

static void print_case(const struct op_form *f, const uint64_t *in, int i,
		       int slot, uint64_t want, uint64_t got)
{
	printf("  %s: case %d:", f->line, i);
	for (int s = 0; s < f->inputs; s++)
		print_value(f->input[s],
			    in[(size_t)s * (size_t)f->cases + (size_t)i]);
	printf(", output %d:\n    want", slot);
	print_value(f->output[slot].type, want);
	printf(", got");
	print_value(f->output[slot].type, got);
	printf("\n");
}

static uint64_t cut(uint64_t v, int bytes)
{
	return bytes == 8 ? v : v & ((UINT64_C(1) << 8 * bytes) - 1);
}

/* The number of cases that differ; prints the first. */
static int compare(const struct record *r, const uint64_t *in,
		   const uint64_t *got, bool show)
{
	const struct op_form *f = &r->form;
	int wrong = 0;

	for (int i = 0; i < f->cases; i++)
		for (int s = 0; s < f->outputs; s++) {
			size_t at = (size_t)s * (size_t)f->cases + (size_t)i;
			uint64_t g = cut(got[at], f->output[s].bytes);

			if (g == r->want[at])
				continue;
			if (show && wrong < SHOWN_PER_FORM)
				print_case(f, in, i, s, r->want[at], g);
			wrong++;
			break;
		}
	return wrong;
}

/* ---- running them ---------------------------------------------------------- */

struct rig {
	struct heddle_device *dev;
	heddle_ptr in, out, mem;
	uint64_t *host_in, *host_out;
	size_t room;
	long cases;
	int shown, forms_wrong;
	int row_forms[PTX_OP_COUNT];
	int row_wrong[PTX_OP_COUNT]; /* forms */
	long row_cases_wrong[PTX_OP_COUNT];
};

static void rig_init(struct rig *r)
{
	struct heddle_error err = { 0 };
	int most_cases = 0;

	memset(r, 0, sizeof(*r));
	for (size_t i = 0; i < record_count; i++) {
		const struct op_form *f = &records[i].form;
		size_t in = (size_t)f->inputs * (size_t)f->cases * 8;
		size_t out = (size_t)f->outputs * (size_t)f->cases * 8;

		r->room = in > r->room ? in : r->room;
		r->room = out > r->room ? out : r->room;
		most_cases = f->cases > most_cases ? f->cases : most_cases;
	}
	heddle_device_new(&r->dev, NULL, &err);
	STREQ("", err.text);
	heddle_alloc(r->dev, r->room, &r->in, &err);
	heddle_alloc(r->dev, r->room, &r->out, &err);
	heddle_alloc(r->dev, (uint64_t)most_cases * OP_MEM_BYTES, &r->mem,
		     &err);
	STREQ("", err.text);
	r->host_in = malloc(r->room);
	r->host_out = malloc(r->room);
	OK(r->host_in && r->host_out);
}

static void rig_free(struct rig *r)
{
	heddle_device_free(r->dev);
	free(r->host_in);
	free(r->host_out);
}

static bool launch(struct rig *r, struct heddle_module *mod,
		   const struct op_form *f, int number)
{
	size_t in = (size_t)f->inputs * (size_t)f->cases * 8;
	size_t out = (size_t)f->outputs * (size_t)f->cases * 8;
	heddle_ptr params[] = { r->in, r->out, r->mem };
	struct heddle_error err = { 0 };
	struct heddle_result result;
	char name[20];

	snprintf(name, sizeof(name), "k%d", number);
	struct heddle_launch l = {
		.kernel = name,
		.grid = { (uint32_t)(f->cases / OP_BLOCK), 1, 1 },
		.block = { OP_BLOCK, 1, 1 },
		.params = params,
		.param_bytes = sizeof(params),
	};
	if (!heddle_write(r->dev, r->in, r->host_in, in, &err) &&
	    !heddle_set(r->dev, r->out, 0, out, &err) &&
	    !heddle_launch(r->dev, mod, &l, &result, &err) &&
	    !heddle_read(r->dev, r->host_out, r->out, out, &err))
		return true;
	printf("  %s: %s\n", f->line, err.text);
	return false;
}

static void run(struct rig *r, struct heddle_module *mod,
		const struct record *rec, int number)
{
	const struct op_form *f = &rec->form;
	int wrong = f->cases;

	op_inputs(f, r->host_in);
	if (launch(r, mod, f, number))
		wrong = compare(rec, r->host_in, r->host_out,
				r->shown < SHOWN_FORMS);
	r->cases += f->cases;
	r->row_forms[rec->row]++;
	if (!wrong)
		return;
	r->shown++;
	r->forms_wrong++;
	r->row_wrong[rec->row]++;
	r->row_cases_wrong[rec->row] += wrong;
}

static void run_batch(struct rig *r, const struct record *const *batch, int n)
{
	struct op_text t = { 0 };
	struct heddle_error err = { 0 };
	struct heddle_module *mod;

	op_ptx_header(&t, batch[0]->form.legacy);
	for (int i = 0; i < n; i++)
		op_ptx_kernel(&t, &batch[i]->form, i);
	OK(!t.failed);
	int rc = heddle_module_load(r->dev, &mod, "op.ptx", t.s, t.size, &err);

	free(t.s);
	if (rc && n == 1) {
		enum ptx_op row = batch[0]->row;

		printf("  %s: %s\n", batch[0]->form.line, err.text);
		r->forms_wrong++;
		r->row_forms[row]++;
		r->row_wrong[row]++;
		r->row_cases_wrong[row] += batch[0]->form.cases;
	}
	/* A form that is refused must not hide the others. */
	for (int i = 0; rc && n > 1 && i < n; i++)
		run_batch(r, &batch[i], 1);
	if (rc)
		return;
	for (int i = 0; i < n; i++)
		run(r, mod, batch[i], i);
	heddle_module_free(r->dev, mod);
}

static void summary(const struct rig *r)
{
	for (int i = 0; i < PTX_OP_COUNT; i++)
		if (r->row_wrong[i])
			printf("  %-20s %d of %d forms, %ld cases differ\n",
			       ptx_rows[i].id, r->row_wrong[i], r->row_forms[i],
			       r->row_cases_wrong[i]);
}

/* All rows of one functional unit. */
static void unit_agrees(enum unit_class unit)
{
	const struct record *batch[BATCH];
	struct rig r;
	int n = 0;

	load();
	rig_init(&r);
	for (size_t i = 0; i < record_count; i++) {
		const struct record *rec = &records[i];

		if (!rec->has_row || ptx_rows[rec->row].unit != unit)
			continue;
		if (n == BATCH ||
		    (n && batch[0]->form.legacy != rec->form.legacy)) {
			run_batch(&r, batch, n);
			n = 0;
		}
		batch[n++] = rec;
	}
	if (n)
		run_batch(&r, batch, n);
	summary(&r);
	rig_free(&r);
	unload();
	EQ(0, r.forms_wrong);
	OK(r.cases > 0);
}

/* ---- the tests ------------------------------------------------------------- */

TEST(op, every_recorded_form_belongs_to_a_row)
{
	int wrong = 0;

	load();
	for (size_t i = 0; i < record_count; i++) {
		if (records[i].has_row)
			continue;
		printf("  not in the table: %s\n", records[i].form.line);
		wrong++;
	}
	unload();
	EQ(0, wrong);
}

TEST(op, forms_txt_lists_what_was_recorded)
{
	char path[sizeof(folder) + 20], line[OP_LINE + 2];
	size_t n = 0;

	load();
	snprintf(path, sizeof(path), "%sforms.txt", folder);
	FILE *in = fopen(path, "r");

	OK(in);
	while (fgets(line, sizeof(line), in) && n < record_count) {
		line[strcspn(line, "\n")] = 0;
		STREQ(records[n++].form.line, line);
	}
	OK(feof(in));
	fclose(in);
	EQ(record_count, n);
	unload();
}

TEST(op, inputs_are_those_that_were_recorded)
{
	int wrong = 0;

	load();
	for (size_t i = 0; i < record_count; i++) {
		const struct op_form *f = &records[i].form;
		size_t size = (size_t)f->inputs * (size_t)f->cases * 8;
		uint64_t *in = malloc(size);

		OK(in);
		op_inputs(f, in);
		wrong += op_hash(in, size) != records[i].input_hash;
		free(in);
	}
	unload();
	EQ(0, wrong);
}

static const char *row_name(int row)
{
	return ptx_rows[row].id;
}

static void read_excuses(bool excused[PTX_OP_COUNT])
{
	char path[sizeof(folder) + 20];

	snprintf(path, sizeof(path), "%sno_vectors.txt", folder);
	EQ(0, op_read_excuses(path, row_name, PTX_OP_COUNT, excused));
}

TEST(op, every_row_has_vectors_or_a_reason)
{
	bool excused[PTX_OP_COUNT] = { 0 }, recorded[PTX_OP_COUNT] = { 0 };
	int wrong = 0;

	load();
	for (size_t i = 0; i < record_count; i++)
		if (records[i].has_row)
			recorded[records[i].row] = true;
	unload();
	read_excuses(excused);
	for (int row = 0; row < PTX_OP_COUNT; row++) {
		bool refused = ptx_rows[row].class == PTX_ROW_REFUSED;

		if (recorded[row] + excused[row] + refused == 1)
			continue;
		printf("  %s: %s\n", ptx_rows[row].id,
		       recorded[row] ? "has vectors and an excuse" :
				       "no vectors");
		wrong++;
	}
	EQ(0, wrong);
}

TEST(op_int, integer_rows_agree_with_the_gpu)
{
	unit_agrees(UNIT_INT);
}

TEST(op_fp32, single_precision_rows_agree_with_the_gpu)
{
	unit_agrees(UNIT_FP32);
}

TEST(op_fp64, double_precision_rows_agree_with_the_gpu)
{
	unit_agrees(UNIT_FP64);
}

TEST(op_fp16, half_precision_rows_agree_with_the_gpu)
{
	unit_agrees(UNIT_FP16);
}

TEST(op_sfu, conversions_and_approximations_agree_with_the_gpu)
{
	unit_agrees(UNIT_SFU);
}

TEST(op_lsu, atomics_and_shuffles_agree_with_the_gpu)
{
	unit_agrees(UNIT_LSU);
}
