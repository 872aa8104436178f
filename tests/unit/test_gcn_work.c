#include "test.h"

#include <string.h>

#include "isa/gcn/work.h"

static unsigned lane_work(const char *name)
{
	for (unsigned op = 0; op < GCN_OPS; op++)
		if (!strcmp(gcn_rows[op].name, name)) {
			struct inst_work w = gcn_work_of((enum gcn_op)op);

			EQ(0, w.warp);
			return w.lane;
		}
	STREQ("a row", name);
	return 0;
}

TEST(gcn_work, a_multiply_add_is_two_operations)
{
	EQ(1, lane_work("v_add_f32"));
	EQ(1, lane_work("v_subrev_f32"));
	EQ(1, lane_work("v_mul_f32"));
	EQ(2, lane_work("v_mac_f32"));
	EQ(2, lane_work("v_madmk_f32"));
	EQ(2, lane_work("v_mad_f32"));
	EQ(2, lane_work("v_fma_f32"));
	EQ(1, lane_work("v_add_f64"));
	EQ(1, lane_work("v_mul_f64"));
	EQ(2, lane_work("v_fma_f64"));
	EQ(2, lane_work("v_div_fmas_f64"));
	EQ(1, lane_work("v_rcp_f32"));
	EQ(1, lane_work("v_sqrt_f64"));
}

TEST(gcn_work, other_instructions_compute_nothing)
{
	EQ(0, lane_work("v_max_f32"));
	EQ(0, lane_work("v_cmp_lt_f64"));
	EQ(0, lane_work("v_floor_f32"));
	EQ(0, lane_work("v_add_i32"));
	EQ(0, lane_work("v_mad_u32_u24"));
	EQ(0, lane_work("v_div_scale_f32"));
	EQ(0, lane_work("v_cvt_f32_i32"));
	EQ(0, lane_work("s_mul_i32"));
	EQ(0, lane_work("buffer_load_dword"));
	EQ(0, lane_work("ds_max_f32"));
}

/* A row of the vector ALU that rounds a sum or product in floating point, and no
 * other, computes. */
TEST(gcn_work, rows_of_sums_and_products_are_all_counted)
{
	static const char *const sums[] = { "v_add_f", "v_sub_f",  "v_subrev_f",
					    "v_mul_f", "v_mac_",   "v_madmk_f",
					    "v_madak", "v_mad_f",  "v_mad_leg",
					    "v_fma_f", "v_mul_leg" };

	for (unsigned op = 0; op < GCN_OPS; op++)
		for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
			if (!strncmp(gcn_rows[op].name, sums[i],
				     strlen(sums[i])))
				OK(gcn_work_of((enum gcn_op)op).lane > 0);
}
