#include "cu_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "cfg/configs.h"
#include "simt/view.h"
#include "simt/wave_mem.h"
#include "test.h"

enum { DATA = 64 << 20, COUNTER = 0 };

static struct cu_rig *rig; /* of the launch that runs */

static uint32_t number_of(const struct wave *w)
{
	return (uint32_t)w->group->index * w->group->wave_count + w->index;
}

static void note(struct wave *w, const struct wave_op *op)
{
	uint32_t n = number_of(w);

	if (w->view && n < CU_WAVES_SEEN && op->index < CU_OPS_SEEN)
		rig->at[n][op->index] = w->view->now;
	if (op->unit == WAVE_VALU)
		w->lane_steps += WAVE_LANES;
}

static void access_memory(struct wave *w, const struct wave_op *op)
{
	const struct cu_access *a = &rig->access[op->index];
	uint64_t addr[WAVE_LANES], ones[WAVE_LANES];
	uint64_t mask = a->lanes ? a->lanes : UINT64_MAX;
	struct wave_effect *e = w->effect;
	static wave_data data;

	note(w, op);
	for (unsigned l = 0; l < WAVE_LANES; l++) {
		addr[l] = a->at + l * a->stride + number_of(w) * a->wave;
		ones[l] = 1;
	}
	if (op->unit == WAVE_LDS) {
		e->space = WAVE_SHARED;
		e->mask = mask;
		e->bytes = a->bytes;
		e->write = a->write || a->adds;
		e->is_atomic = a->adds;
		e->pairs = a->pairs;
		for (unsigned l = 0; l < WAVE_LANES; l++) {
			e->shared[0][l] = (uint32_t)addr[l];
			e->shared[1][l] = (uint32_t)(addr[l] + 4 * WAVE_LANES);
		}
	} else if (op->unit == WAVE_SMEM) {
		uint32_t words[16];

		OK(wave_load_scalar(w, addr[0], a->bytes / 4, words));
	} else if (a->adds) {
		OK(wave_atomic(w, WAVE_ADD, false, addr, mask, ones, ones,
			       NULL));
	} else if (a->write) {
		OK(wave_store(w, addr, mask, a->bytes, data));
	} else {
		OK(wave_load(w, addr, mask, a->bytes, data));
	}
	if (op->unit == WAVE_VMEM)
		e->coherent = a->coherent;
}

static void barrier(struct wave *w, const struct wave_op *op)
{
	note(w, op);
	wave_barrier(w);
}

static void finish(struct wave *w, const struct wave_op *op)
{
	note(w, op);
	wave_end(w);
}

static void jump_back(struct wave *w, const struct wave_op *op)
{
	note(w, op);
	if (w->s[COUNTER] == op->imm)
		return;
	w->s[COUNTER]++;
	w->pc = op + op->jump;
}

/* ---- the instruction set ------------------------------------------------- */

static const uint32_t constants[WAVE_SCALARS];

static const struct wave_code *code_of(const struct program *p)
{
	(void)p;
	return &rig->waves;
}

static void start(struct wave *w)
{
	w->pc = rig->ops;
}

static void no_prefetch(const struct wave *w, const struct wave_op *op)
{
	(void)w;
	(void)op;
}

static void demand(struct wave_demand *out, const struct launch *l)
{
	*out = rig->demand;
	out->waves = (l->block[0] + WAVE_LANES - 1) / WAVE_LANES;
}

static void set_all(struct cfg *c, const char *set)
{
	struct diag d;
	char word[128];
	int n;

	for (; sscanf(set, " %127s%n", word, &n) == 1; set += n)
		EQ(ERR_OK, cfg_set(c, word, &d));
}

static void make_program(struct cu_rig *r)
{
	r->wave_isa = (struct wave_isa){ .code = code_of,
					 .start = start,
					 .demand = demand,
					 .constants = constants,
					 .prefetch = no_prefetch };
	r->isa = (struct isa){ .name = "none",
			       .lanes = WAVE_LANES,
			       .waves = &r->wave_isa };
	r->function = (struct function){ .program = &r->program,
					 .name = "k",
					 .is_kernel = true,
					 .has_body = true,
					 .code = &r->code };
	r->code = (struct code){ .func = &r->function };
	r->program = (struct program){ .isa = &r->isa,
				       .funcs = &r->function,
				       .func_count = 1,
				       .gmem = &r->gmem };
	r->timed_func.code = &r->code;
	r->timed = (struct timed_program){ .func = &r->timed_func,
					   .func_count = 1 };
	r->demand = (struct wave_demand){ .vectors = 4, .scalars = 8 };
	r->waves = (struct wave_code){ .ops = r->ops,
				       .base = 1 << 20,
				       .vectors = 4 };
}

void cu_open_on(struct cu_rig *r, const char *config, const char *set)
{
	struct cfg_sheet sheet;
	struct diag d;

	rig = r;
	memset(r, 0, sizeof(*r));
	cfg_sheet_init(&sheet);
	EQ(ERR_OK, configs_read(&sheet, config, &d));
	r->cfg = sheet.cfg;
	cfg_sheet_free(&sheet);
	set_all(&r->cfg, set);
	gmem_init(&r->gmem, GMEM_BASE_64, UINT64_C(3) << 30);
	EQ(ERR_OK, gmem_alloc(&r->gmem, DATA, &r->data, &d));
	r->machine = (struct machine){ .gmem = &r->gmem,
				       .threads = 1,
				       .max_steps = 1 << 30 };
	r->engine = "serial";
	r->threads = 1;
	make_program(r);
	OK(gpu_new(&r->gpu, &r->cfg, false, &d) == ERR_OK ||
	   (STREQ("", d.text), 0));
}

void cu_open(struct cu_rig *r, const char *set)
{
	char all[512];

	snprintf(all, sizeof(all),
		 "sm.count=1 cu.cluster=1 front.perfect=yes "
		 "dispatch.launch_latency=0 %s",
		 set);
	cu_open_on(r, HEDDLE_SOURCE_DIR "/configs/hd7970.cfg", all);
}

/* ---- ops ----------------------------------------------------------------- */

static struct wave_op *new_op(struct cu_rig *r, enum wave_unit unit,
			      wave_fn *exec)
{
	struct wave_op *op = &r->ops[r->count];

	OK(r->count < CU_OPS);
	*op = (struct wave_op){ .exec = exec,
				.unit = (uint8_t)unit,
				.passes = WAVE_FULL,
				.words = 1,
				.wait = { WAVE_ANY, WAVE_ANY, WAVE_ANY },
				.at = 4 * r->count,
				.index = r->count };
	r->count++;
	r->function.inst_count = r->count;
	return op;
}

uint32_t cu_op(struct cu_rig *r, enum wave_unit unit)
{
	return new_op(r, unit, note)->index;
}

uint32_t cu_rate(struct cu_rig *r, enum wave_rate rate)
{
	struct wave_op *op = new_op(r, WAVE_VALU, note);

	op->passes = (uint8_t)rate;
	return op->index;
}

uint32_t cu_wait(struct cu_rig *r, unsigned vm, unsigned lgkm, unsigned exp)
{
	struct wave_op *op = new_op(r, WAVE_SPECIAL, note);

	op->kind = WAVE_WAIT;
	op->wait[WAVE_VM] = (uint8_t)vm;
	op->wait[WAVE_LGKM] = (uint8_t)lgkm;
	op->wait[WAVE_EXP] = (uint8_t)exp;
	return op->index;
}

uint32_t cu_special(struct cu_rig *r, enum wave_kind kind, unsigned amount)
{
	struct wave_op *op =
		new_op(r, WAVE_SPECIAL, kind == WAVE_BARRIER ? barrier : note);

	op->kind = (uint8_t)kind;
	op->amount = (uint16_t)amount;
	return op->index;
}

uint32_t cu_memory(struct cu_rig *r, enum wave_unit unit, struct cu_access a)
{
	struct wave_op *op = new_op(r, unit, access_memory);

	op->raises = unit == WAVE_VMEM ? 1 << WAVE_VM : 1 << WAVE_LGKM;
	if (unit == WAVE_VMEM && a.write)
		op->raises |= 1 << WAVE_EXP;
	if (unit != WAVE_LDS)
		a.at += r->data;
	r->access[op->index] = a;
	return op->index;
}

uint32_t cu_loop(struct cu_rig *r, uint32_t to, uint32_t times)
{
	struct wave_op *op = new_op(r, WAVE_BRANCH, jump_back);

	op->kind = WAVE_JUMP;
	op->imm = times;
	op->jump = (int32_t)(to - op->index);
	return op->index;
}

void cu_end(struct cu_rig *r)
{
	new_op(r, WAVE_SPECIAL, finish)->kind = WAVE_END;
}

/* ---- runs ---------------------------------------------------------------- */

void cu_run(struct cu_rig *r, uint32_t groups, uint32_t threads)
{
	struct gpu_grid grid = { .launch = &r->launch, .timed = &r->timed };
	struct engine_plan plan = { .threads = r->threads };
	struct gpu_options options = { 0 };
	struct engine_report report;
	struct team *kept = NULL;
	uint32_t used;
	struct diag d;

	rig = r;
	r->waves.count = r->count;
	r->waves.bytes = 4 * r->count;
	r->launch = (struct launch){ .machine = &r->machine,
				     .program = &r->program,
				     .kernel = &r->code,
				     .grid = { groups, 1, 1 },
				     .block = { threads, 1, 1 },
				     .shared_bytes = r->demand.lds_bytes };
	EQ(ERR_OK, gpu_occupancy(&grid.occupancy, &used, &r->cfg, &r->timed,
				 &r->launch, 0, &d));
	EQ(ERR_OK, engine_find(&plan.engine, r->engine, &d));
	options.team = engine_team(&plan, &kept);
	EQ(ERR_OK, gpu_begin(r->gpu, &grid, 1, &options, &d));
	EQ(ERR_OK, engine_run(&plan, r->gpu, options.team, &report, &d));
	gpu_end(r->gpu, &r->out);
	team_free(kept);
	EQ(GPU_DONE, r->out.end);
	STREQ("", r->out.law.code ? r->out.law.text : "");
}

cycle_t cu_at(const struct cu_rig *r, uint32_t wave, uint32_t op)
{
	return r->at[wave][op];
}

void cu_close(struct cu_rig *r)
{
	gpu_free(r->gpu);
	gmem_free_all(&r->gmem);
	arena_free(&r->arena);
}
