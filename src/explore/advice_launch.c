/* Reads what the rules need from a result of the library. */
#include <stdlib.h>
#include <string.h>

#include "explore/advice.h"
#include "explore/run.h"
#include "heddle/heddle.h"

/* What is allocated for one launch. */
struct launch_data {
	struct cfg_sheet sheet;
	bool sheet_read;
	struct stats *sm;
	uint64_t *ends;
	struct advice_inst *insts;
};

static void data_free(struct launch_data *x)
{
	free(x->sm);
	free(x->ends);
	free(x->insts);
	if (x->sheet_read)
		cfg_sheet_free(&x->sheet);
}

static void copy_stat(struct stats *to, const struct heddle_stats *from,
		      unsigned i)
{
	struct heddle_stat v;

	if (!heddle_stats_get(from, i, &v, NULL))
		stat_put(to, i, v.count);
}

/* Statistic i of the library is row i of the table. */
static void copy_stats(struct stats *to, const struct heddle_stats *from)
{
	for (unsigned i = 0; i < heddle_stats_count(); i++)
		if (stat_table[i].kind != STAT_RATE)
			copy_stat(to, from, i);
}

/* What rules look at of a single SM: few statistics, as launches may be many. */
static bool sm_needs(const struct stat_info *t)
{
	return t->kind == STAT_REASON ||
	       t->at == offsetof(struct stats, sm.active_cycles) ||
	       t->at == offsetof(struct stats, lsu.shared_conflicts) ||
	       t->at == offsetof(struct stats, lsu.shared_atomics);
}

static enum err read_sms(struct launch_data *x, struct advice_input *in,
			 const struct heddle_timing *t, size_t sms,
			 struct diag *d)
{
	x->sm = calloc(sms + 1, sizeof(*x->sm));
	x->ends = calloc(sms + 1, sizeof(*x->ends));
	if (!x->sm || !x->ends)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t k = 0; k < sms; k++) {
		const struct heddle_stats *s = heddle_timing_sm_stats(t, k);

		if (!s || heddle_timing_sm_end(t, k, &x->ends[k], NULL))
			return fail(d, ERR_NOMEM, "out of memory");
		/* One without a block has no say. */
		for (unsigned i = 0; x->ends[k] && i < heddle_stats_count();
		     i++)
			if (stat_table[i].kind != STAT_RATE &&
			    sm_needs(&stat_table[i]))
				copy_stat(&x->sm[k], s, i);
	}
	in->sm = x->sm;
	in->sm_ends = x->ends;
	in->sms = sms;
	return ERR_OK;
}

/* Names a line that the user can change: of the calls that were inlined, the
 * innermost one in the kernel's own file, rather than a line of a library. */
static void name_line(struct advice_inst *to, const struct heddle_timing *t,
		      size_t i)
{
	const char *own = to->file, *file;
	unsigned depth = 0;
	uint32_t line;

	while (!heddle_timing_caller(t, i, depth, &file, &line, NULL)) {
		own = file;
		depth++;
	}
	for (unsigned k = 0; k < depth && strcmp(to->file, own) != 0; k++) {
		heddle_timing_caller(t, i, k, &to->file, &line, NULL);
		to->line = line;
	}
}

static enum err read_insts(struct launch_data *x, struct advice_input *in,
			   const struct heddle_timing *t, size_t kernel,
			   size_t lines, struct diag *d)
{
	struct heddle_hot_line l;

	x->insts = calloc(lines + 1, sizeof(*x->insts));
	if (!x->insts)
		return fail(d, ERR_NOMEM, "out of memory");
	in->insts = x->insts;
	for (size_t i = 0; i < lines; i++) {
		struct advice_inst *to = &x->insts[in->inst_count];

		if (heddle_timing_hot(t, i, &l, NULL) || l.kernel != kernel)
			continue;
		to->file = l.file;
		to->line = l.line;
		name_line(to, t, i);
		to->unit = l.unit;
		to->issued = l.issued;
		to->waited = l.waited;
		to->excess = l.excess;
		memcpy(to->text, l.instruction, sizeof(to->text));
		in->inst_count++;
	}
	return ERR_OK;
}

static enum err read_cfg(struct launch_data *x, const char *text,
			 struct diag *d)
{
	cfg_sheet_init(&x->sheet);
	x->sheet_read = true;
	return cfg_read_text(&x->sheet, "configuration", text, strlen(text),
			     CFG_ANY, d);
}

static void read_kernel(struct advice_input *in,
			const struct heddle_kernel_timing *k)
{
	in->blocks = k->blocks;
	in->warps = k->warps;
	in->blocks_per_sm = k->blocks_per_sm;
	in->most_warps = k->most_warps;
	in->registers = k->registers;
	in->shared = k->shared_bytes;
	in->limit = k->limit;
	in->resource = k->resource;
}

/* Why a launch gets no advice; NULL: it does. */
static const char *refusal(const struct heddle_timing_info *info)
{
	if (!info->whole)
		return "None: the run was cut short, and its numbers end "
		       "there.";
	if (info->kernels > 1)
		return "None: kernels ran at the same time, and their numbers "
		       "cannot be told apart.";
	return info->law ? "None: the counters of this run disagree." : NULL;
}

static enum err read_launch(struct launch_data *x, struct advice_input *in,
			    const struct heddle_timing *t, size_t kernel,
			    const struct advice_shape *shape, struct diag *d)
{
	struct heddle_timing_info info;
	struct heddle_kernel_timing k;

	heddle_timing_info(t, &info);
	if (heddle_timing_kernel(t, kernel, &k, NULL))
		return fail(d, ERR_RANGE, "no kernel %zu of a group", kernel);
	if (!shape->cfg && read_cfg(x, info.config, d))
		return d->code;
	in->cfg = shape->cfg ? shape->cfg : &x->sheet.cfg;
	in->cycles = info.cycles;
	in->threads = shape->threads;
	read_kernel(in, &k);
	copy_stats(&in->s, heddle_timing_stats(t));
	in->cores = in->cfg->gpu.core == CFG_CORE_CU ?
			    (uint32_t)in->cfg->sm.count :
			    (uint32_t)info.sms;
	if (read_sms(x, in, t, info.sms, d))
		return d->code;
	return read_insts(x, in, t, kernel, info.hot_lines, d);
}

enum err advice_of_launch(struct advice_list *out,
			  const struct heddle_timing *t, size_t kernel,
			  const struct advice_shape *shape, struct diag *d)
{
	struct heddle_timing_info info;
	struct launch_data x = { 0 };
	struct advice_input in = { 0 };
	const char *refused;
	enum err e;

	memset(out, 0, sizeof(*out));
	heddle_timing_info(t, &info);
	refused = refusal(&info);
	if (refused) {
		snprintf(out->none, sizeof(out->none), "%s", refused);
		return ERR_OK;
	}
	e = read_launch(&x, &in, t, kernel, shape, d);
	if (!e)
		advice_find(out, &in);
	data_free(&x);
	return e;
}
