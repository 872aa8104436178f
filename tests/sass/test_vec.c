/*
 * Does each instruction of machine code compute what the hardware computes?
 *
 * Every form of vectors.bin is executed once more, here, on the same inputs, in
 * the same cubin, and must give the same bits. A row that has no vectors fails,
 * unless no_vectors.txt says why it has none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/heddle.h"
#include "opfile.h"
#include "simt/lane.h"
#include "test.h"
#include "vec.h"

enum {
	MAX_CASES = 4096,
	CASE_BYTES = VEC_WORDS * 4,
	SHOWN_PER_FORM = 2,
	SHOWN_FORMS = 20
};

static const char folder[] = HEDDLE_SOURCE_DIR "/tests/sass/";

static void path_of(char path[sizeof(folder) + 20], const char *name)
{
	snprintf(path, sizeof(folder) + 20, "%s%s", folder, name);
}

/* ---- vectors.bin --------------------------------------------------------- */

struct record {
	struct vec_form form;
	uint64_t input_hash;
	uint64_t *want;
};

/* Calls each(ctx, record) for all of them. */
static void each_record(void (*each)(void *ctx, struct record *r), void *ctx)
{
	char path[sizeof(folder) + 20];
	struct op_reader r;

	path_of(path, "vectors.bin");
	STREQ(NULL, op_reader_open(&r, path));
	r.parse = vec_shape;
	while (r.forms) {
		struct record rec;
		struct op_form shape;

		STREQ(NULL,
		      op_reader_next(&r, &shape, &rec.input_hash, &rec.want));
		OK(vec_parse(&rec.form, shape.line));
		each(ctx, &rec);
		free(rec.want);
	}
	op_reader_close(&r);
}

/* ---- running them -------------------------------------------------------- */

struct rig {
	enum unit_class unit; /* only rows of this one */
	struct heddle_device *dev;
	heddle_ptr in, out;
	unsigned char cubin[VEC_CUBIN];
	size_t cubin_size;
	uint32_t *host_in, *host_out;
	uint64_t *got;
	int forms, wrong;
};

static void rig_init(struct rig *r)
{
	char path[sizeof(folder) + 20];
	struct heddle_error err = { 0 };

	path_of(path, "frame.cubin");
	FILE *in = fopen(path, "rb");

	OK(in);
	r->cubin_size = fread(r->cubin, 1, sizeof(r->cubin), in);
	fclose(in);
	heddle_device_new(&r->dev, NULL, &err);
	heddle_alloc(r->dev, (uint64_t)MAX_CASES * CASE_BYTES, &r->in, &err);
	heddle_alloc(r->dev, (uint64_t)MAX_CASES * CASE_BYTES, &r->out, &err);
	STREQ("", err.text);
	r->host_in = malloc((size_t)MAX_CASES * CASE_BYTES);
	r->host_out = malloc((size_t)MAX_CASES * CASE_BYTES);
	r->got = malloc((size_t)MAX_CASES * VEC_OUTPUTS * 8);
	OK(r->host_in && r->host_out && r->got);
}

static void rig_free(struct rig *r)
{
	heddle_device_free(r->dev);
	free(r->host_in);
	free(r->host_out);
	free(r->got);
}

/* The cases from `first` on that have the same constants. */
static int launch_some(struct rig *r, struct heddle_module *mod,
		       const struct vec_form *f, unsigned first,
		       struct heddle_error *err)
{
	uint32_t threads = vec_threads(f), cases = vec_launch_cases(f);
	uint64_t from = (uint64_t)first * CASE_BYTES, size;
	struct {
		heddle_ptr in, out;
		struct vec_constants k;
	} params = { .in = r->in + from, .out = r->out + from };
	struct heddle_result result;
	struct heddle_launch l = {
		.kernel = "frame",
		.grid = { cases / threads, 1, 1 },
		.block = { threads, 1, 1 },
		.params = &params,
		.param_bytes = sizeof(params),
	};
	heddle_ptr bank3;
	int rc = heddle_module_global(r->dev, mod, VEC_BANK3, &bank3, &size,
				      err);

	vec_constants(&params.k, r->host_in, first);
	if (!rc)
		rc = heddle_write(r->dev, bank3, &params.k, sizeof(params.k),
				  err);
	if (!rc)
		rc = heddle_launch(r->dev, mod, &l, &result, err);
	return rc;
}

static int launch(struct rig *r, struct heddle_module *mod,
		  const struct vec_form *f, struct heddle_error *err)
{
	size_t bytes = (size_t)f->op.cases * CASE_BYTES;
	int rc = heddle_write(r->dev, r->in, r->host_in, bytes, err);

	for (unsigned i = 0; !rc && i < (unsigned)f->op.cases;
	     i += vec_launch_cases(f))
		rc = launch_some(r, mod, f, i, err);
	if (!rc)
		rc = heddle_read(r->dev, r->host_out, r->out, bytes, err);
	return rc;
}

static int execute(struct rig *r, const struct vec_form *f,
		   struct heddle_error *err)
{
	unsigned char image[VEC_CUBIN];
	struct heddle_module *mod;
	int rc;

	memcpy(image, r->cubin, r->cubin_size);
	OK(vec_patch(image, r->cubin_size, f));
	rc = heddle_module_load(r->dev, &mod, "frame.cubin",
				(const char *)image, r->cubin_size, err);
	if (rc)
		return rc;
	rc = launch(r, mod, f, err);
	heddle_module_free(r->dev, mod);
	return rc;
}

static void print_case(const struct rig *r, const struct record *rec, int i,
		       int slot)
{
	const uint32_t *w = r->host_in + (size_t)i * VEC_WORDS;
	size_t at = (size_t)slot * (size_t)rec->form.op.cases + (size_t)i;

	printf("  %s: case %d: a %08x%08x b %08x%08x c %08x%08x predicates "
	       "%04x: output %d: want %" PRIx64 ", got %" PRIx64 "\n",
	       rec->form.text, i, w[1], w[0], w[3], w[2], w[5], w[4], w[12],
	       slot, rec->want[at], r->got[at]);
}

/* The number of cases that differ; prints the first. */
static int compare(const struct rig *r, const struct record *rec)
{
	int cases = rec->form.op.cases, wrong = 0;

	for (int i = 0; i < cases; i++)
		for (int s = 0; s < VEC_OUTPUTS; s++) {
			size_t at = (size_t)s * (size_t)cases + (size_t)i;

			if (r->got[at] == rec->want[at])
				continue;
			if (wrong++ < SHOWN_PER_FORM && r->wrong < SHOWN_FORMS)
				print_case(r, rec, i, s);
			break;
		}
	return wrong;
}

static void run(void *ctx, struct record *rec)
{
	struct rig *r = ctx;
	const struct vec_form *f = &rec->form;
	struct heddle_error err = { 0 };
	uint64_t hash;

	if (sass_row_of(&f->inst)->unit != r->unit)
		return;
	r->forms++;
	vec_inputs(f, r->host_in, &hash);
	if (execute(r, f, &err)) {
		printf("  %s: %s\n", f->text, err.text);
		r->wrong++;
		return;
	}
	vec_outputs(f, r->host_in, r->host_out, r->got);
	r->wrong += compare(r, rec) != 0;
}

static void unit_agrees(enum unit_class unit)
{
	struct rig r = { .unit = unit };

	rig_init(&r);
	each_record(run, &r);
	rig_free(&r);
	EQ(0, r.wrong);
	OK(r.forms > 0);
}

/* ---- the tests ----------------------------------------------------------- */

struct listing {
	FILE *in;
	int different;
};

/* The text of some numbers ends in a space, which forms.txt does not keep. */
static void cut_end(char *line)
{
	size_t n = strlen(line);

	while (n && (line[n - 1] == ' ' || line[n - 1] == '\n'))
		line[--n] = '\0';
}

static void check_line(void *ctx, struct record *rec)
{
	struct listing *list = ctx;
	char line[OP_LINE + VEC_TEXT], want[OP_LINE + VEC_TEXT + 2];

	snprintf(want, sizeof(want), "%s %s", rec->form.op.line,
		 rec->form.text);
	cut_end(want);
	if (!fgets(line, sizeof(line), list->in))
		line[0] = '\0';
	cut_end(line);
	if (strcmp(line, want) && !list->different++)
		printf("  want %s\n  have %s\n", want, line);
}

TEST(sass_vec, forms_txt_lists_what_was_recorded)
{
	char path[sizeof(folder) + 20], line[8];
	struct listing list = { 0 };

	path_of(path, "forms.txt");
	list.in = fopen(path, "r");
	OK(list.in);
	each_record(check_line, &list);
	OK(!fgets(line, sizeof(line), list.in));
	fclose(list.in);
	EQ(0, list.different);
}

static void check_hash(void *ctx, struct record *rec)
{
	static uint32_t words[MAX_CASES * VEC_WORDS];
	uint64_t hash;

	vec_inputs(&rec->form, words, &hash);
	*(int *)ctx += hash != rec->input_hash;
}

TEST(sass_vec, inputs_are_those_that_were_recorded)
{
	int wrong = 0;

	each_record(check_hash, &wrong);
	EQ(0, wrong);
}

/* The frame is written in words, so that recording needs nothing that the test
 * checks. */
TEST(sass_vec, frame_assembles_from_its_text)
{
	const uint64_t control = ((UINT64_C(1) << 21) - 1) << 41;
	uint64_t word[2], got[2];
	const char *text;

	for (unsigned i = 0; (text = vec_frame_text(i, word)); i++) {
		struct sass_inst in;
		struct diag d;

		EQ(ERR_OK, sass_parse(&in, VEC_SM, 16 * i, text, &d));
		sass_encode(&in, got);
		EQ(word[0], got[0]);
		EQ(word[1], got[1] & ~control);
	}
}

static void mark(void *ctx, struct record *rec)
{
	((bool *)ctx)[sass_op_of(&rec->form.inst)] = true;
}

static const char *row_name(int row)
{
	return sass_rows[row].id;
}

static void read_excuses(bool excused[SASS_OP_COUNT])
{
	char path[sizeof(folder) + 20];

	path_of(path, "no_vectors.txt");
	EQ(0, op_read_excuses(path, row_name, SASS_OP_COUNT, excused));
}

/* Rows that work on registers alone, of the architecture that was recorded. */
static void find_scope(bool in_scope[SASS_OP_COUNT])
{
	unsigned count;
	const struct sass_enc *e = sass_encs(&count);

	for (unsigned i = 1; i <= count; i++) {
		uint8_t pipe = sass_rows[e[i].op].pipe;

		if (e[i].from <= VEC_SM && e[i].to >= VEC_SM &&
		    pipe != SASS_PIPE_MEM && pipe != SASS_PIPE_BRANCH &&
		    pipe != SASS_PIPE_TENSOR)
			in_scope[e[i].op] = true;
	}
}

TEST(sass_vec, every_row_has_vectors_or_a_reason)
{
	bool excused[SASS_OP_COUNT] = { 0 }, recorded[SASS_OP_COUNT] = { 0 };
	bool in_scope[SASS_OP_COUNT] = { 0 };
	int wrong = 0;

	each_record(mark, recorded);
	read_excuses(excused);
	find_scope(in_scope);
	for (int row = 0; row < SASS_OP_COUNT; row++) {
		if (recorded[row] + excused[row] == in_scope[row])
			continue;
		printf("  %s: %s\n", sass_rows[row].id,
		       recorded[row] ? "has vectors and an excuse" :
		       excused[row]  ? "needs no excuse" :
				       "no vectors");
		wrong++;
	}
	EQ(0, wrong);
}

/* Executes an instruction on the operands of vec_inputs; R12 is in host_out. */
static void execute_text(struct rig *r, const char *text)
{
	struct heddle_error err = { 0 };
	struct vec_form f;
	char line[OP_LINE];
	uint64_t hash;

	OK(vec_line(line, OP_BLOCK, text));
	OK(vec_parse(&f, line));
	vec_inputs(&f, r->host_in, &hash);
	execute(r, &f, &err);
	STREQ("", err.text);
}

/* With RZ as operands, sums to float are conversions, and products moves. The
 * functions that they are compared with have vectors of their own. */
TEST(sass_vec, idioms_with_zero_operands)
{
	struct rig r = { 0 };

	rig_init(&r);
	execute_text(&r, "HADD2.F32 R12, -RZ, R8.H1_H1");
	for (size_t i = 0; i < OP_BLOCK; i++)
		EQ(f32_bits(cvt_f32_f16(hi16(r.host_in[i * VEC_WORDS + 4]), 0)),
		   r.host_out[i * VEC_WORDS]);
	execute_text(&r, "HFMA2.MMA R12, -RZ, RZ, R8");
	for (size_t i = 0; i < OP_BLOCK; i++)
		EQ(f16x2_fma(0x80008000, 0, r.host_in[i * VEC_WORDS + 4], 0),
		   r.host_out[i * VEC_WORDS]);
	execute_text(&r, "HFMA2.MMA R12, -RZ, RZ, 1.5048828125, 33.21875");
	for (size_t i = 0; i < OP_BLOCK; i++)
		EQ(0x3e055027, r.host_out[i * VEC_WORDS]);
	rig_free(&r);
}

/* ---- jumps --------------------------------------------------------------- */

/* Assembles lines over the code of the frame. Each waits for all before it. */
static void put_lines(unsigned char *image, const char *const *line,
		      unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct sass_inst in;
		struct diag d = { 0 };
		uint64_t word[2];

		if (sass_parse(&in, VEC_SM, 16 * i, line[i], &d))
			STREQ("", d.text);
		in.ctrl = (struct sass_ctrl){ .stall = 15,
					      .write = 0,
					      .read = SASS_NO_COUNTER,
					      .wait = 0x3f };
		sass_encode(&in, word);
		memcpy(image + VEC_TEXT_AT + (size_t)i * 16, word, 16);
	}
}

/* What a thread stores that executes them. */
static uint32_t stored_by(const char *const *line, unsigned count)
{
	struct rig r = { 0 };
	struct heddle_error err = { 0 };
	struct heddle_result result;
	struct heddle_module *mod;
	heddle_ptr params[4] = { 0 };
	struct heddle_launch l = { .kernel = "frame",
				   .grid = { 1, 1, 1 },
				   .block = { 1, 1, 1 },
				   .params = params,
				   .param_bytes = sizeof(params) };
	uint32_t got = 0;

	rig_init(&r);
	params[1] = r.out;
	put_lines(r.cubin, line, count);
	heddle_module_load(r.dev, &mod, "frame.cubin", (const char *)r.cubin,
			   r.cubin_size, &err);
	STREQ("", err.text);
	heddle_launch(r.dev, mod, &l, &result, &err);
	heddle_read(r.dev, &got, r.out, sizeof(got), &err);
	STREQ("", err.text);
	heddle_module_free(r.dev, mod);
	rig_free(&r);
	return got;
}

/* Every jump skips an instruction that would set a bit of R0, and lands on one
 * that sets another. Rpc and B5 take immediates. */
TEST(sass_flow, jumps_reach_their_targets)
{
	static const char *const lines[] = {
		/*  00 */ "LDC.64 R2, c[0x0][0x218]",
		/*  10 */ "ULDC.64 UR40, c[0x0][0x208]",
		/*  20 */ "MOV R0, RZ",
		/*  30 */ "JMP 0x50",
		/*  40 */ "IADD3 R0, R0, 0x1, RZ",
		/*  50 */ "IADD3 R0, R0, 0x2, RZ",
		/*  60 */ "MOV R5, RZ",
		/*  70 */ "MOV R4, 0x90",
		/*  80 */ "JMX R4 0x10",
		/*  90 */ "IADD3 R0, R0, 0x4, RZ",
		/*  a0 */ "IADD3 R0, R0, 0x8, RZ",
		/*  b0 */ "UMOV UR5, URZ",
		/*  c0 */ "UMOV UR4, 0x20",
		/*  d0 */ "BRXU UR4 -0x10",
		/*  e0 */ "IADD3 R0, R0, 0x10, RZ",
		/*  f0 */ "IADD3 R0, R0, 0x20, RZ",
		/* 100 */ "UMOV UR4, 0x130",
		/* 110 */ "JMXU UR4",
		/* 120 */ "IADD3 R0, R0, 0x40, RZ",
		/* 130 */ "IADD3 R0, R0, 0x80, RZ",
		/* 140 */ "RPCMOV.32 Rpc.LO, 0x1200",
		/* 150 */ "RPCMOV.32 R6, Rpc.LO",
		/* 160 */ "IADD3 R0, R0, R6, RZ",
		/* 170 */ "BMOV.32 B5, 0x30000",
		/* 180 */ "BMOV.32 R6, B5",
		/* 190 */ "IADD3 R0, R0, R6, RZ",
		/* 1a0 */ "UMOV UR4, 0x8",
		/* 1b0 */ "ULDC UR6, c[0x0][UR4+0x210]",
		/* 1c0 */ "IADD3 R6, R2, -UR6, RZ",
		/* 1d0 */ "IADD3 R0, R0, R6, RZ",
		/* 1e0 */ "CCTLT.IVALL",
		/* 1f0 */ "ULEPC UR6",
		/* 200 */ "IADD3 R0, R0, UR6, RZ",
		/* 210 */ "STG.E desc[UR40][R2.64], R0",
		/* 220 */ "EXIT",
	};

	EQ(0x2 + 0x8 + 0x20 + 0x80 + 0x1200 + 0x30000 + 0x1f0,
	   stored_by(lines, sizeof(lines) / sizeof(lines[0])));
}

TEST(sass_int, integer_rows_agree_with_the_gpu)
{
	unit_agrees(UNIT_INT);
}

TEST(sass_uniform, uniform_rows_agree_with_the_gpu)
{
	unit_agrees(UNIT_UNIFORM);
}

TEST(sass_fp32, single_precision_rows_agree_with_the_gpu)
{
	unit_agrees(UNIT_FP32);
}

TEST(sass_fp64, double_precision_rows_agree_with_the_gpu)
{
	unit_agrees(UNIT_FP64);
}

TEST(sass_fp16, half_precision_rows_agree_with_the_gpu)
{
	unit_agrees(UNIT_FP16);
}

TEST(sass_sfu, conversions_and_approximations_agree_with_the_gpu)
{
	unit_agrees(UNIT_SFU);
}

TEST(sass_lsu, shuffles_agree_with_the_gpu)
{
	unit_agrees(UNIT_LSU);
}
