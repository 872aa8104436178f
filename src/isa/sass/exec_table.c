/*
 * The executor of every row. Rows without one of their own are refused: a weak
 * alias of sass_refused stands for it, so that the lowering sees which they
 * are.
 */
#include "isa/sass/exec.h"
#include "isa/sass/lower.h"
#include "simt/fault.h"

/* Never executed: kernels with such an instruction are refused. */
void sass_refused(struct warp *w, const struct inst *in)
{
	warp_fault(w, in, FAULT_ILLEGAL, w->mask, 0,
		   "the instruction is not supported");
}

__attribute__((weak)) void sass_prepare(struct inst *out,
					const struct sass_inst *si)
{
	(void)out, (void)si;
}

#define ABSENT __attribute__((weak, alias("sass_refused")))

ABSENT exec_fn sass_bmov_copy, sass_bmsk, sass_brev, sass_dadd, sass_dfma,
	sass_dmul, sass_dsetp, sass_f2f, sass_f2f64, sass_f2fp, sass_f2i,
	sass_f2i64, sass_fadd, sass_fchk, sass_ffma, sass_flo, sass_fmnmx,
	sass_fmul, sass_frnd, sass_frnd64, sass_fsel, sass_fset, sass_fsetp,
	sass_fswzadd, sass_hadd2, sass_hadd2_f32, sass_hfma2, sass_hmnmx2,
	sass_hmul2, sass_hset2, sass_hsetp2, sass_i2f, sass_i2f64, sass_i2fp,
	sass_i2i, sass_i2ip, sass_iabs, sass_iadd3, sass_iadd3_64, sass_idp_2a,
	sass_idp_4a, sass_imad, sass_imad_hi, sass_imad_wide, sass_imnmx,
	sass_isetp, sass_lea, sass_lea_hi, sass_lea_sx, sass_lop3, sass_mov,
	sass_mufu, sass_mufu_bf16, sass_mufu_f16, sass_p2r, sass_plop3,
	sass_popc, sass_prmt, sass_r2p, sass_sel, sass_sgxt, sass_shf,
	sass_vabsdiff, sass_vabsdiff4, sass_viadd, sass_viaddmnmx, sass_vimnmx;

exec_fn *const sass_exec_table[SASS_OP_COUNT] = {
#define INST(id, unit, lat, pipe, kind, replay, exec) [SASS_OP_##id] = exec,
#include "isa/sass/sass.def"
};
