/* The results of the last timed launch, its statistics, and the list of
 * engines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/device.h"
#include "stat/print.h"

void timing_clear(struct heddle_timing *t)
{
	free(t->kernels);
	free(t->hot);
	free(t->details);
	free(t->sm_ends);
	free(t->sm_stats);
	memset(t, 0, sizeof(*t));
}

static const struct stats *to_stats(const struct heddle_stats *s)
{
	return (const struct stats *)s;
}

/* The units are at the end of the table, which has room for more than there
 * are. */
size_t heddle_stats_count(void)
{
	return stat_count - STAT_UNITS + UNIT_COUNT;
}

static void describe_stat(struct heddle_stat *out, const struct stat_info *i,
			  const struct stats *s)
{
	size_t unit = (i->at - offsetof(struct stats, unit)) / sizeof(uint64_t);

	*out = (struct heddle_stat){
		.group = stat_groups[i->group].name,
		.name = i->kind == STAT_UNIT ? unit_names[unit] : i->name,
		.unit = i->unit,
		.doc = i->doc,
		.kind = i->kind == STAT_RATE ? HEDDLE_STAT_RATIO :
			i->kind == STAT_PEAK ? HEDDLE_STAT_PEAK :
					       HEDDLE_STAT_COUNT,
		.count = i->kind == STAT_RATE ? 0 : stat_value(i, s),
		.value = stat_real(i, s),
	};
}

int heddle_stats_get(const struct heddle_stats *s, size_t i,
		     struct heddle_stat *out, struct heddle_error *err)
{
	struct diag d = { 0 };

	memset(out, 0, sizeof(*out));
	if (i >= heddle_stats_count())
		return api_result(fail(&d, ERR_RANGE, "no statistic %zu of %zu",
				       i, heddle_stats_count()),
				  &d, err);
	describe_stat(out, &stat_table[i], to_stats(s));
	return api_result(ERR_OK, &d, err);
}

int heddle_stats_find(const struct heddle_stats *s, const char *key,
		      struct heddle_stat *out, struct heddle_error *err)
{
	const char *dot = strchr(key, '.');
	struct diag d = { 0 };

	for (size_t i = 0; dot && i < heddle_stats_count(); i++) {
		size_t n = (size_t)(dot - key);

		describe_stat(out, &stat_table[i], to_stats(s));
		if (strlen(out->group) == n && !memcmp(out->group, key, n) &&
		    !strcmp(out->name, dot + 1))
			return api_result(ERR_OK, &d, err);
	}
	memset(out, 0, sizeof(*out));
	return api_result(fail(&d, ERR_UNKNOWN, "no statistic named '%s'", key),
			  &d, err);
}

void heddle_stats_print(const struct heddle_stats *s,
			enum heddle_stats_form form, unsigned indent,
			void (*put)(void *ctx, const char *text, size_t size),
			void *ctx)
{
	struct stat_units units = { unit_names, UNIT_COUNT };
	struct stat_sink to = { put, ctx };

	switch (form) {
	case HEDDLE_STATS_TEXT:
		stats_text(to_stats(s), units, to);
		break;
	case HEDDLE_STATS_JSON:
		stats_json(to_stats(s), units, indent, false, to);
		break;
	case HEDDLE_STATS_OWN_JSON:
		stats_json(to_stats(s), units, indent, true, to);
		break;
	case HEDDLE_STATS_CSV_HEADER:
		stats_csv_header(units, to);
		break;
	case HEDDLE_STATS_CSV_ROW:
		stats_csv_row(to_stats(s), units, false, to);
		break;
	case HEDDLE_STATS_OWN_CSV_ROW:
		stats_csv_row(to_stats(s), units, true, to);
		break;
	}
}

size_t heddle_engine_count(void)
{
	size_t n = 0;

	while (engine_list[n].name[0])
		n++;
	return n;
}

int heddle_engine_get(size_t i, struct heddle_engine *out,
		      struct heddle_error *err)
{
	const struct engine *e;
	struct diag d = { 0 };

	memset(out, 0, sizeof(*out));
	if (i >= heddle_engine_count())
		return api_result(fail(&d, ERR_RANGE, "no engine %zu of %zu", i,
				       heddle_engine_count()),
				  &d, err);
	e = &engine_list[i];
	*out = (struct heddle_engine){ e->name, e->doc, e->exact, e->threads };
	return api_result(ERR_OK, &d, err);
}

const struct heddle_timing *
heddle_device_timing(const struct heddle_device *dev)
{
	return dev->timing.filled ? &dev->timing : NULL;
}

static struct heddle_host_time split_host_time(const struct heddle_timing *t)
{
	const struct gpu_host_time *h = &t->host_time;
	double all = t->host_seconds * t->engine.threads;
	double known = h->sms + h->network + h->memory + h->dispatch;

	if (known <= 0)
		return (struct heddle_host_time){ 0 };
	return (struct heddle_host_time){ h->sms, h->network, h->memory,
					  h->dispatch,
					  all > known ? all - known : 0 };
}

void heddle_timing_info(const struct heddle_timing *t,
			struct heddle_timing_info *out)
{
	*out = (struct heddle_timing_info){
		.cycles = t->outcome.cycles,
		.gpu_seconds = (double)t->outcome.cycles / (t->clock_mhz * 1e6),
		.clock_mhz = t->clock_mhz,
		.engine = t->engine.engine,
		.threads = t->engine.threads,
		.window = t->engine.window,
		.exact = t->engine.exact,
		.whole = t->outcome.end == GPU_DONE,
		.cold = t->cold,
		.law = t->outcome.law.code ? t->outcome.law.text : NULL,
		.config = t->config,
		.kernels = t->kernel_count,
		.hot_lines = t->hot_count,
		.sms = t->sms,
		.host_seconds = t->host_seconds,
		.host_time = split_host_time(t),
	};
}

const struct heddle_stats *heddle_timing_stats(const struct heddle_timing *t)
{
	return (const struct heddle_stats *)&t->outcome.stats;
}

int heddle_timing_kernel(const struct heddle_timing *t, size_t i,
			 struct heddle_kernel_timing *out,
			 struct heddle_error *err)
{
	struct diag d = { 0 };

	memset(out, 0, sizeof(*out));
	if (i >= t->kernel_count)
		return api_result(fail(&d, ERR_RANGE, "no kernel %zu of %zu", i,
				       t->kernel_count),
				  &d, err);
	*out = t->kernels[i].timing;
	return api_result(ERR_OK, &d, err);
}

const struct heddle_stats *
heddle_timing_kernel_stats(const struct heddle_timing *t, size_t i)
{
	if (i >= t->kernel_count)
		return NULL;
	return (const struct heddle_stats *)&t->kernels[i].stats;
}

int heddle_timing_sm_end(const struct heddle_timing *t, size_t sm,
			 uint64_t *out, struct heddle_error *err)
{
	struct diag d = { 0 };

	*out = 0;
	if (sm >= t->sms)
		return api_result(fail(&d, ERR_RANGE, "no SM %zu of %zu", sm,
				       t->sms),
				  &d, err);
	*out = t->sm_ends[sm];
	return api_result(ERR_OK, &d, err);
}

const struct heddle_stats *heddle_timing_sm_stats(const struct heddle_timing *t,
						  size_t sm)
{
	if (!t->sm_stats || sm >= t->sms)
		return NULL;
	gpu_sm_stats(t->gpu, (uint32_t)sm, t->sm_stats);
	return (const struct heddle_stats *)t->sm_stats;
}

int heddle_timing_hot(const struct heddle_timing *t, size_t i,
		      struct heddle_hot_line *out, struct heddle_error *err)
{
	const struct hot_inst *row;
	struct inst_text in;
	struct diag d = { 0 };

	memset(out, 0, sizeof(*out));
	if (i >= t->hot_count)
		return api_result(fail(&d, ERR_RANGE, "no line %zu of %zu", i,
				       t->hot_count),
				  &d, err);
	row = &t->hot[i];
	row->func->program->isa->describe(row->func, row->pc, &in);
	out->kernel = row->kernel;
	out->function = row->func->name;
	out->pc = row->pc;
	out->file = in.file;
	out->line = in.line;
	out->ptx_line = in.asm_line;
	out->unit = unit_names[in.unit];
	snprintf(out->instruction, sizeof(out->instruction), "%.*s",
		 (int)sizeof(out->instruction) - 1, in.text);
	out->issued = row->issued;
	out->waited = row->waited;
	out->excess = row->excess;
	return api_result(ERR_OK, &d, err);
}

int heddle_timing_caller(const struct heddle_timing *t, size_t i,
			 unsigned depth, const char **file, uint32_t *line,
			 struct heddle_error *err)
{
	const struct hot_inst *row = i < t->hot_count ? &t->hot[i] : NULL;
	struct inst_place at = { 0 };
	struct diag d = { 0 };
	enum err e = ERR_OK;

	if (!row ||
	    !row->func->program->isa->caller(row->func, row->pc, depth, &at))
		e = fail(&d, ERR_UNKNOWN, "no call %u of line %zu", depth, i);
	*file = at.file;
	*line = at.line;
	return api_result(e, &d, err);
}

int heddle_timing_detail(const struct heddle_timing *t, size_t i,
			 struct heddle_hot_detail *out,
			 struct heddle_error *err)
{
	const struct hot_inst *row;
	const struct sm_detail *more;
	struct diag d = { 0 };
	struct inst_work work;

	memset(out, 0, sizeof(*out));
	if (!t->details || i >= t->hot_count)
		return api_result(fail(&d, ERR_UNKNOWN,
				       "no details of line %zu", i),
				  &d, err);
	row = &t->hot[i];
	more = &t->details[i];
	work = row->func->program->isa->work(row->func, row->pc);
	out->slots = more->slots;
	out->slot_count = REASON_COUNT;
	out->lanes =
		row->issued * row->func->program->isa->lanes - more->lanes_off;
	out->operations = work.lane * out->lanes + work.warp * row->issued;
	return api_result(ERR_OK, &d, err);
}
