/* A comparison as JSON. */
#include "base/jsonwrite.h"
#include "explore/engines.h"
#include "heddle/heddle.h"

static void json_engines_run(struct json *j, const struct engines_run *r)
{
	json_open(j, NULL, '{');
	json_bool(j, "done", r->done);
	if (r->done) {
		json_uint(j, "launches", r->launches);
		json_real(j, "seconds", r->seconds);
		json_uint(j, "cycles", (uint64_t)r->cycles);
		json_uint(j, "warp_instructions", (uint64_t)r->instructions);
		json_uint(j, "late_messages", (uint64_t)r->late);
		json_open_line(j, "sm_ends", '[');
		for (size_t i = 0; i < r->sms; i++)
			json_uint(j, NULL, (uint64_t)r->ends[i]);
		json_close(j, '[');
	} else {
		json_string(j, "why", r->why);
	}
	json_close(j, '{');
}

static void json_engines_engine(struct json *j, const struct engines *e,
				size_t program, size_t engine)
{
	struct engines_sum s = engines_sum(e, program, engine);

	json_open(j, NULL, '{');
	json_string(j, "engine", e->engine[engine].name);
	json_bool(j, "exact", e->engine[engine].exact);
	json_real(j, "seconds", s.seconds);
	json_real(j, "warp_instructions_per_second", s.rate);
	json_real(j, "speedup", s.speedup);
	json_real(j, "cycles", s.cycles);
	json_real(j, "error_percent", s.error);
	json_real(j, "variation_percent", s.variation);
	json_real(j, "sm_error_percent", s.sm_error);
	json_real(j, "worst_sm_error_percent", s.sm_worst);
	json_real(j, "sm_variation_percent", s.sm_variation);
	json_real(j, "block_end_deviation", s.deviation);
	json_real(j, "block_end_gap", s.gap);
	json_real(j, "late_messages", s.late);
	json_open(j, "runs", '[');
	for (unsigned i = 0; i < e->runs; i++) {
		const struct engines_run *r =
			engines_run_of(e, program, engine, i);

		if (r->tried)
			json_engines_run(j, r);
	}
	json_close(j, '[');
	json_close(j, '{');
}

static void json_engines_shares(struct json *j, const char *key,
				const double *part, const char *const *names,
				size_t n)
{
	json_open_line(j, key, '{');
	for (size_t i = 0; i < n; i++)
		json_real(j, names[i], engines_share(part, n, i));
	json_close(j, '{');
}

static void json_engines_program(struct json *j, const struct engines *e,
				 size_t i)
{
	const struct engines_program *p = &e->program[i];
	const struct engines_run *r = engines_host_timed(e, i);

	json_open(j, NULL, '{');
	json_string(j, "program", p->label);
	json_open_line(j, "arguments", '[');
	for (size_t k = 0; k < p->argv.count; k++)
		json_string(j, NULL, p->argv.at[k]);
	json_close(j, '[');
	if (r) {
		json_uint(j, "blocks", (uint64_t)r->blocks);
		json_engines_shares(j, "instructions_percent", r->mix,
				    mix_names, MIXES);
		json_engines_shares(j, "host_time_percent", r->cost, cost_names,
				    COSTS);
	}
	json_open(j, "engines", '[');
	for (size_t k = 0; k < e->engine_count; k++)
		json_engines_engine(j, e, i, k);
	json_close(j, '[');
	json_close(j, '{');
}

void engines_json(const struct engines *e, FILE *to)
{
	struct json j = { .to = to };

	json_open(&j, NULL, '{');
	json_string(&j, "heddle", HEDDLE_VERSION);
	json_string(&j, "gpu", e->gpu);
	json_string(&j, "gpu_name", e->gpu_name);
	json_open_line(&j, "set", '[');
	for (size_t i = 0; i < e->set.count; i++)
		json_string(&j, NULL, e->set.at[i]);
	json_close(&j, '[');
	json_uint(&j, "threads", e->threads);
	json_uint(&j, "runs", e->runs);
	json_real(&j, "host_load", e->load);
	json_open(&j, "programs", '[');
	for (size_t i = 0; i < e->program_count; i++)
		json_engines_program(&j, e, i);
	json_close(&j, '[');
	json_close(&j, '{');
}
