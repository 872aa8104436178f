#include "simt/winst.h"

#include "isa/ptx/exec_rows.h"
#include "simt/mem.h"

enum { MATRIX_ROW = 16 }; /* bytes that ldmatrix reads at one lane's address */

/* Lanes may point into different windows of the generic space: what counts is
 * where the first one points, the others that do not agree are left out. */
void winst_settle(struct waccess *a)
{
	uint32_t agree = 0;

	if (a->space != SPACE_GENERIC || !a->mask)
		return;
	a->space = window_of(a->addr[__builtin_ctz(a->mask)]);
	for (int l = 0; l < LANES; l++) {
		if (window_of(a->addr[l]) != a->space)
			continue;
		agree |= 1u << l;
		a->addr[l] -= window_base(a->space);
	}
	a->mask &= agree;
}

static void plain(struct winst *wi, struct warp *w, const struct inst *in,
		  uint32_t bytes, bool write)
{
	struct waccess *a = &wi->access[wi->accesses++];

	a->bytes = bytes;
	a->write = write;
	a->mask = w->mask;
	a->space = (enum space)in->space;
	mem_addresses(w, in, a->addr);
	winst_settle(a);
}

uint32_t winst_rows(unsigned matrices)
{
	return matrices >= 4 ? 0xffffffffu : (1u << 8 * matrices) - 1;
}

void winst_accesses(struct winst *wi, struct warp *w, const struct inst *in)
{
	exec_fn *fn = exec_table[in->op];
	struct inst source;

	wi->accesses = 0;
	if (!w->mask || in->flip & INST_PSEUDO)
		return;
	if (fn == exec_ld) {
		plain(wi, w, in, (uint32_t)in->width * in->count, false);
	} else if (fn == exec_st) {
		plain(wi, w, in, (uint32_t)in->width * in->count, true);
	} else if (fn == exec_atom || fn == exec_red) {
		plain(wi, w, in, in->width, true);
	} else if (fn == exec_atom_vec || fn == exec_red_vec) {
		plain(wi, w, in, (uint32_t)in->width * in->count, true);
	} else if (fn == exec_cp_async) {
		source = mem_async_source(in);
		plain(wi, w, &source, in->width, false);
		plain(wi, w, in, in->width, true);
	} else if (fn == exec_ldmatrix || fn == exec_stmatrix) {
		const struct opnd_lists *x = in->x;

		plain(wi, w, in, MATRIX_ROW, fn == exec_stmatrix);
		wi->access[0].mask &= winst_rows(x->count[0]);
	}
}
