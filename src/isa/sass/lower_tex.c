/*
 * Lowering of textures and surfaces.
 *
 * The sources of a texture instruction are a vector: the layer, the coordinates,
 * the handle if it is in a register (.B), level or bias, packed offsets. The
 * first part is in registers from A on, the rest from B on. With .SCR they are
 * split evenly, else after the coordinates. TXD has the handle first and the
 * layer after the coordinates; its gradients are in B. Surfaces have the layer
 * last.
 */
#include "isa/sass/exec_tex.h"
#include "isa/sass/lower.h"
#include "simt/atomic.h"

enum { TEX_SLOTS = 12, TEX_SOURCES = 8 };

/* The sources as a vector. */
struct tex_sources {
	slot_t slot[TEX_SOURCES];
	unsigned count;
};

static slot_t tex_reg(struct sass_lower *lo, const struct sass_opnd *o,
		      unsigned i)
{
	struct sass_opnd reg = *o;

	if (reg.reg != SASS_RZ)
		reg.reg = (uint8_t)(reg.reg + i);
	return sass_source(lo, &reg);
}

/* `count` sources of which the first `in_a` are in A. */
static void tex_gather_sources(struct sass_lower *lo, struct tex_sources *s,
			       unsigned count, unsigned in_a)
{
	const struct sass_opnd *o = lo->si->opnd;

	*s = (struct tex_sources){ .count = count };
	for (unsigned i = 0; i < count; i++)
		s->slot[i] = i < in_a ? tex_reg(lo, &o[SASS_A], i) :
					tex_reg(lo, &o[SASS_B], i - in_a);
}

static void tex_add(struct sass_tex *t, unsigned list, slot_t s)
{
	struct opnd_lists *x = &t->list;
	unsigned at = x->first[list] + x->count[list]++;

	x->slots[at] = s;
	x->bytes[list] = 4;
	for (unsigned l = list + 1; l <= TEX_OFFSETS; l++)
		x->first[l] = (uint8_t)(at + 1);
}

/* The handle of an instruction that does not have it in a register. */
static slot_t tex_named(struct sass_lower *lo)
{
	const struct sass_opnd *o = lo->si->opnd;

	if (o[SASS_E].type == SASS_UREG) {
		if (o[SASS_I].imm)
			sass_lower_refuse(lo, "a texture by its place in a "
					      "table is not supported");
		return sass_source(lo, &o[SASS_E]);
	}
	return sass_bank_slot(lo, (unsigned)o[SASS_J].imm,
			      (uint32_t)o[SASS_I].imm * 4, 4, false);
}

static bool tex_geometry(unsigned dim, struct tex_geom *g)
{
	static const struct tex_geom all[] = {
		[SASS_TDIM_D1] = { 1, false, false },
		[SASS_TDIM_D2] = { 2, false, false },
		[SASS_TDIM_D3] = { 3, false, false },
		[SASS_TDIM_CUBE] = { 3, false, true },
		[SASS_TDIM_A1D] = { 1, true, false },
		[SASS_TDIM_A2D] = { 2, true, false },
		[SASS_TDIM_ACUBE] = { 3, true, true },
	};

	if (dim >= sizeof(all) / sizeof(*all) || !all[dim].dims)
		return false;
	*g = all[dim];
	return true;
}

/* Registers that the result goes to: the first two from D on, the others from
 * D2 on; pairs of halves to one of each. */
static void tex_results(struct sass_lower *lo, struct sass_tex *t)
{
	const struct sass_opnd *o = lo->si->opnd;
	unsigned n = (unsigned)__builtin_popcount(t->mask);

	if (t->halves) {
		tex_add(t, TEX_OUT, sass_target(lo, &o[SASS_D]));
		if (n > 2)
			tex_add(t, TEX_OUT, sass_target(lo, &o[SASS_D2]));
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		slot_t s = sass_target(lo, &o[i < 2 ? SASS_D : SASS_D2]);

		tex_add(t, TEX_OUT, s + i % 2 * SASS_PAIR_BYTES);
	}
}

/* Whether it says if the texels are resident. */
static bool tex_writes_predicate(const struct sass_inst *i)
{
	const struct sass_opnd *pu = &i->opnd[SASS_PU];

	return pu->type != SASS_NONE && pu->reg != SASS_PT;
}

/* Modifiers that change what is computed, and are not supported. */
static bool tex_unusual(const struct sass_inst *i)
{
	unsigned lod = SASS_MOD(i, LOD);

	return SASS_MOD(i, DC) || SASS_MOD(i, MS) || SASS_MOD(i, LC) ||
	       SASS_MOD(i, OFFSETS) > SASS_OFFSETS_AOFFI ||
	       SASS_MOD(i, TF16) > SASS_TF16_RN || lod > SASS_LOD_LL ||
	       tex_writes_predicate(i);
}

/* Everything but the gradients. */
static void tex_operands(struct sass_lower *lo, struct sass_tex *t)
{
	const struct sass_inst *i = lo->si;
	enum sass_op op = sass_op_of(i);
	bool grad = op == SASS_OP_TXD, layered = t->geom.layered;
	bool bindless = i->opnd[SASS_E].type != SASS_UREG &&
			i->opnd[SASS_J].type == SASS_NONE;
	bool offsets = SASS_MOD(i, AOFFI) || SASS_MOD(i, OFFSETS);
	bool level = SASS_MOD(i, LOD) >= SASS_LOD_LB;
	unsigned coords = (unsigned)t->geom.dims + layered;
	unsigned all = coords + bindless + level + offsets, at;
	struct tex_sources s;

	if (grad) { /* offsets share a register with the layer */
		if (offsets)
			sass_lower_refuse(lo, "gradients with offsets are not "
					      "supported");
		tex_gather_sources(lo, &s, coords + bindless,
				   coords + bindless);
		at = bindless;
	} else {
		tex_gather_sources(lo, &s, all,
				   SASS_MOD(i, SCR) ? (all + 1) / 2 : coords);
		at = layered;
	}
	tex_add(t, TEX_HANDLE,
		!bindless ? tex_named(lo) :
		grad      ? s.slot[0] :
			    s.slot[coords]);
	for (unsigned k = at; k < at + (unsigned)t->geom.dims; k++)
		tex_add(t, TEX_COORDS, s.slot[k & (TEX_SOURCES - 1)]);
	if (layered)
		tex_add(t, TEX_COORDS,
			s.slot[grad ? at + (unsigned)t->geom.dims : 0]);
	if (offsets)
		tex_add(t, TEX_OFFSETS, s.slot[all - 1]);
}

static void tex_sample_inst(struct sass_lower *lo, struct sass_tex *t)
{
	const struct sass_inst *i = lo->si;

	if (!tex_geometry(SASS_MOD(i, TDIM), &t->geom) || tex_unusual(i)) {
		sass_lower_refuse(lo, "this form of it is not supported");
		return;
	}
	t->integer = sass_op_of(i) == SASS_OP_TLD;
	t->halves = SASS_MOD(i, TF16) == SASS_TF16_RN;
	t->component = SASS_MOD(i, COMPONENT);
	t->mask = (uint8_t)i->opnd[SASS_T].imm;
	tex_results(lo, t);
	tex_operands(lo, t);
}

static void tex_query(struct sass_lower *lo, struct sass_tex *t)
{
	const struct sass_opnd *o = lo->si->opnd;
	bool bindless = o[SASS_E].type != SASS_UREG &&
			o[SASS_J].type == SASS_NONE;

	t->mask = (uint8_t)o[SASS_T].imm;
	if (SASS_MOD(lo->si, QUERY) != SASS_QUERY_DIMENSION || t->mask & 8)
		sass_lower_refuse(lo, "this query is not supported");
	tex_results(lo, t);
	tex_add(t, TEX_HANDLE,
		bindless ? sass_source(lo, &o[SASS_A]) : tex_named(lo));
}

/* ---- surfaces ---- */

static bool surf_geometry(unsigned dim, struct tex_geom *g)
{
	static const struct tex_geom all[] = {
		[SASS_SDIM_D1] = { 1, false, false },
		[SASS_SDIM_A1D] = { 1, true, false },
		[SASS_SDIM_D2] = { 2, false, false },
		[SASS_SDIM_A2D] = { 2, true, false },
		[SASS_SDIM_D3] = { 3, false, false },
	};

	if (dim >= sizeof(all) / sizeof(*all) || !all[dim].dims)
		return false;
	*g = all[dim];
	return true;
}

static bool surf_outside(unsigned clamp, enum surf_mode *mode)
{
	switch (clamp) {
	case SASS_CLAMP_IGN:
		*mode = SURF_IGNORE;
		return true;
	case SASS_CLAMP_NEAR:
		*mode = SURF_CLAMP;
		return true;
	case SASS_CLAMP_TRAP:
		*mode = SURF_TRAP;
		return true;
	default:
		return false;
	}
}

/* Sets width and count of the data. False: not supported. */
static bool surf_size(struct inst *out, const struct sass_inst *i)
{
	static const uint8_t bytes[] = { 1, 1, 2, 2, 4, 8, 16 };
	static const uint8_t components[16] = {
		[SASS_SUMASK_R] = 1, [SASS_SUMASK_RG] = 2, [SASS_SUMASK_RGBA] = 4
	};
	unsigned size = sass_access_size(i);

	switch (sass_op_of(i)) {
	case SASS_OP_SUST_P:
		out->width = 4;
		out->count = components[SASS_MOD(i, SUMASK) % 16];
		return out->count != 0;
	case SASS_OP_SURED:
		out->width = SASS_MOD(i, SUTYPE) == SASS_SUTYPE_U64 ? 8 : 4;
		out->count = 1;
		return SASS_MOD(i, BA) &&
		       SASS_MOD(i, SUTYPE) <= SASS_SUTYPE_U64;
	default:
		if (size >= sizeof(bytes) || !SASS_MOD(i, BA))
			return false;
		out->width = bytes[size] < 4 ? bytes[size] : 4;
		out->count = bytes[size] < 4 ? 1 : bytes[size] / 4;
		if (size == SASS_SIZE_S8 || size == SASS_SIZE_S16)
			out->m |= MEM_SIGNED;
		return true;
	}
}

static bool surf_reduction(struct inst *out, const struct sass_inst *i)
{
	static const uint8_t ops[] = {
		[SASS_RED_ADD] = ATOM_ADD, [SASS_RED_MIN] = ATOM_MIN,
		[SASS_RED_MAX] = ATOM_MAX, [SASS_RED_INC] = ATOM_INC,
		[SASS_RED_DEC] = ATOM_DEC, [SASS_RED_AND] = ATOM_AND,
		[SASS_RED_OR] = ATOM_OR,   [SASS_RED_XOR] = ATOM_XOR,
	};
	static const uint8_t types[] = { [SASS_SUTYPE_U32] = NUM_U32,
					 [SASS_SUTYPE_S32] = NUM_S32,
					 [SASS_SUTYPE_U64] = NUM_U64 };
	unsigned op = SASS_MOD(i, RED);

	if (op >= sizeof(ops))
		return false;
	out->k = atom_code((enum atom_op)ops[op],
			   (enum num_type)types[SASS_MOD(i, SUTYPE)]);
	return true;
}

static void surf_inst(struct sass_lower *lo, struct inst *out,
		      struct sass_tex *t)
{
	const struct sass_inst *i = lo->si;
	const struct sass_opnd *o = i->opnd;
	enum sass_op op = sass_op_of(i);
	bool ok = !tex_writes_predicate(i) &&
		  surf_geometry(SASS_MOD(i, SDIM), &t->geom) &&
		  surf_outside(SASS_MOD(i, CLAMP), &t->mode) &&
		  surf_size(out, i);
	unsigned words =
		out->width * out->count < 4u ? 1 : out->width * out->count / 4u;
	slot_t data;

	if (ok && op == SASS_OP_SURED)
		ok = surf_reduction(out, i);
	if (!ok) {
		sass_lower_refuse(lo, "this form of it is not supported");
		return;
	}
	data = op == SASS_OP_SULD ? out->d : out->b;
	out->space = SPACE_GLOBAL;
	out->d = SLOT_NONE; /* of a reduction that is performed later */
	t->texels = op == SASS_OP_SUST_P;
	for (unsigned k = 0; k < words; k++)
		tex_add(t, TEX_OUT,
			SLOT_PLACE(data) == SLOT_REG ?
				data + k * SASS_PAIR_BYTES :
				data);
	tex_add(t, TEX_HANDLE,
		o[SASS_C].type == SASS_REG ? out->c : tex_named(lo));
	for (unsigned k = 0; k < (unsigned)t->geom.dims + t->geom.layered; k++)
		tex_add(t, TEX_COORDS, tex_reg(lo, &o[SASS_A], k));
}

bool sass_lower_tex(struct sass_lower *lo, struct inst *out)
{
	struct arena *a = &lo->p->base.arena;
	enum sass_op op = sass_op_of(lo->si);
	bool surface = false;
	struct sass_tex *t;

	switch (op) {
	case SASS_OP_TEX:
	case SASS_OP_TLD:
	case SASS_OP_TLD4:
	case SASS_OP_TXD:
	case SASS_OP_TXQ:
		break;
	case SASS_OP_SULD:
	case SASS_OP_SUST:
	case SASS_OP_SUST_P:
	case SASS_OP_SURED:
		surface = true;
		break;
	default:
		return false;
	}
	t = arena_new(a, struct sass_tex, 1);
	if (t)
		t->list.slots = arena_new(a, slot_t, TEX_SLOTS);
	if (!t || !t->list.slots) {
		sass_lower_refuse(lo, "out of memory");
		return true;
	}
	t->list.room = TEX_SLOTS;
	out->x = t;
	if (surface)
		surf_inst(lo, out, t);
	else if (op == SASS_OP_TXQ)
		tex_query(lo, t);
	else
		tex_sample_inst(lo, t);
	return true;
}
