/* The table of instructions, and opcodes matched against it. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "isa/ptx/match.h"
#include "test.h"

LABEL(ptx_row, threads);

static int match(struct ptx_opcode *op, const char *text, bool *matched)
{
	return ptx_match(op, text, strlen(text), matched);
}

/* The id of the row that covers the text, or NULL. */
static const char *row_of(const char *text)
{
	struct ptx_opcode op;
	bool matched;

	match(&op, text, &matched);
	return matched ? ptx_rows[op.op].id : NULL;
}

TEST(ptx_row, every_row_has_an_id_a_pattern_and_a_form)
{
	for (int i = 0; i < PTX_OP_COUNT; i++) {
		OK(ptx_rows[i].id && ptx_rows[i].id[0]);
		OK(ptx_rows[i].pattern && ptx_rows[i].pattern[0]);
		OK(ptx_rows[i].form);
	}
}

TEST(ptx_row, every_type_attribute_and_special_register_has_a_text)
{
	for (int i = 0; i < PTX_TYPE_COUNT; i++)
		OK(ptx_types[i].text && ptx_types[i].bytes > 0);
	for (int i = 1; i < PTX_ATTR_COUNT; i++)
		OK(ptx_attrs[i].text && ptx_attrs[i].class);
	for (int i = 1; i < PTX_CLASS_COUNT; i++)
		OK(ptx_class_names[i] != NULL);
	for (int i = 0; i < PTX_SREG_COUNT; i++)
		OK(ptx_sregs[i].text[0] == '%');
}

TEST(ptx_row, plain_opcodes_match_their_row)
{
	STREQ("ADD_U32", row_of("add.u32"));
	STREQ("RET", row_of("ret"));
	STREQ("RET", row_of("ret.uni"));
	STREQ("CALL", row_of("call.uni"));
	STREQ("MUL_WIDE_S32", row_of("mul.wide.s32"));
}

TEST(ptx_row, what_stands_in_braces_may_be_left_out)
{
	STREQ("BAR_SYNC", row_of("bar.sync"));
	STREQ("BAR_SYNC", row_of("bar.cta.sync"));
	STREQ("LD", row_of("ld.u32"));
	STREQ("LD", row_of("ld.volatile.global.v4.f32"));
}

TEST(ptx_row, a_class_fills_its_attribute)
{
	struct ptx_opcode op;
	bool matched;

	match(&op, "ld.acquire.gpu.global.v2.u64", &matched);
	OK(matched);
	EQ(PTX_SEM_ACQUIRE, op.attr[PTX_CLASS_SEM]);
	EQ(PTX_SCOPE_GPU, op.attr[PTX_CLASS_SCOPE]);
	EQ(PTX_SS_GLOBAL, op.attr[PTX_CLASS_SS]);
	EQ(PTX_VEC_V2, op.attr[PTX_CLASS_VEC]);
	EQ(0, op.attr[PTX_CLASS_COP]);
	EQ(1, op.types);
	EQ(PTX_U64, op.type[0]);
}

TEST(ptx_row, types_are_counted_in_order_fixed_or_not)
{
	struct ptx_opcode op;
	bool matched;

	match(&op, "cvt.rn.f32.s64", &matched);
	OK(matched);
	EQ(2, op.types);
	EQ(PTX_F32, op.type[0]);
	EQ(PTX_S64, op.type[1]);
	match(&op, "add.u32", &matched);
	EQ(1, op.types);
	EQ(PTX_U32, op.type[0]);
}

TEST(ptx_row, modifiers_out_of_order_match_like_ptxas_takes_them)
{
	struct ptx_opcode op;
	bool matched;

	match(&op, "atom.add.release.gpu.u32", &matched);
	OK(matched);
	STREQ("ATOM_ADD", ptx_rows[op.op].id);
	EQ(PTX_SEM_RELEASE, op.attr[PTX_CLASS_SEM]);
	EQ(PTX_SCOPE_GPU, op.attr[PTX_CLASS_SCOPE]);
	match(&op, "cvt.f32.f64.rn", &matched);
	OK(matched);
	EQ(PTX_F32, op.type[0]);
	EQ(PTX_F64, op.type[1]);
	EQ(PTX_RND_RN, op.attr[PTX_CLASS_RND]);
}

TEST(ptx_row, an_unknown_name_has_no_rows)
{
	struct ptx_opcode op;
	bool matched;

	EQ(0, match(&op, "frobnicate.u32", &matched));
	OK(!matched);
	EQ(0, match(&op, "", &matched));
	EQ(0, match(&op, ".u32", &matched));
}

TEST(ptx_row, a_known_name_with_unknown_modifiers_has_rows_and_no_match)
{
	struct ptx_opcode op;
	bool matched;

	OK(match(&op, "add.q7", &matched) > 0);
	OK(!matched);
	OK(match(&op, "add", &matched) > 0);
	OK(!matched);
	OK(match(&op, "add.u32.u32", &matched) > 0);
	OK(!matched);
	OK(match(&op, "add..u32", &matched) > 0);
	OK(!matched);
	OK(match(&op, "add.u32.", &matched) > 0);
	OK(!matched);
}

TEST(ptx_row, a_refused_row_matches_by_its_first_words)
{
	struct ptx_opcode op;
	bool matched;

	match(&op, "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16",
	      &matched);
	OK(matched);
	EQ(PTX_ROW_REFUSED, ptx_rows[op.op].class);
	match(&op,
	      "cp.async.bulk.shared::cluster.global"
	      ".mbarrier::complete_tx::bytes.multicast::cluster",
	      &matched);
	OK(matched);
	EQ(PTX_OP_BULK_CLUSTER, op.op);
	match(&op, "cp.async.bulk.tensor.1d.shared::cluster.global.tile",
	      &matched);
	OK(matched);
	EQ(PTX_OP_BULK_TENSOR, op.op);
	match(&op, "cp.async.commit_group", &matched);
	OK(matched);
	EQ(PTX_ROW_WARP, ptx_rows[op.op].class);
}

TEST(ptx_row, more_words_than_any_opcode_has_do_not_match)
{
	char text[400] = "add";
	struct ptx_opcode op;
	bool matched;

	for (int i = 0; i < 60; i++)
		strcat(text, ".sat");
	match(&op, text, &matched);
	OK(!matched);
}

struct seen {
	int row, count;
	bool found;
	const char *want;
};

static void see(void *ctx, const char *text)
{
	struct seen *s = ctx;

	s->count++;
	s->found |= s->want && !strcmp(text, s->want);
}

TEST(ptx_row, expansion_gives_every_opcode_of_a_row)
{
	struct seen s = { .want = "brx.idx.uni" };

	ptx_expand(&ptx_rows[PTX_OP_BRX], see, &s);
	EQ(2, s.count);
	OK(s.found);
	s = (struct seen){ .want = "bar.cta.sync" };
	ptx_expand(&ptx_rows[PTX_OP_BAR_SYNC], see, &s);
	EQ(2, s.count);
	OK(s.found);
	s = (struct seen){ .want = "istypep.surfref" };
	ptx_expand(&ptx_rows[PTX_OP_ISTYPEP], see, &s);
	EQ(3, s.count);
	OK(s.found);
}

static int commas(const char *form)
{
	int n = 0;

	while (*form)
		n += *form++ == ',';
	return n;
}

/* Rows that cover the same opcode differ in the number of operands. */
static void check_row(void *ctx, const char *text)
{
	struct seen *s = ctx;
	struct ptx_opcode op, other;
	bool matched;

	match(&op, text, &matched);
	OK(matched);
	while (op.op != s->row) {
		OK(commas(ptx_rows[op.op].form) !=
		   commas(ptx_rows[s->row].form));
		op.text = text;
		OK(ptx_match_other(&other, &op));
		op = other;
	}
}

TEST(ptx_row, every_lane_opcode_matches_the_row_it_comes_from)
{
	for (int i = 0; i < PTX_OP_COUNT; i++) {
		struct seen s = { .row = i };

		if (ptx_rows[i].class == PTX_ROW_LANE)
			ptx_expand(&ptx_rows[i], check_row, &s);
	}
}

static void *match_many(void *ctx)
{
	for (int i = 0; i < 100; i++)
		if (!row_of("ld.global.v4.f32") || !row_of("bra.uni"))
			return ctx;
	return NULL;
}

TEST(ptx_row, threads_may_match_at_the_same_time)
{
	pthread_t thread[4];
	void *failed;

	for (int i = 0; i < 4; i++)
		OK(!pthread_create(&thread[i], NULL, match_many, thread));
	for (int i = 0; i < 4; i++) {
		OK(!pthread_join(thread[i], &failed));
		OK(!failed);
	}
}
