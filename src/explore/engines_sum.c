#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore/engines.h"
#include "stat/series.h"

bool engines_complete(const struct engines *e, size_t program, size_t engine)
{
	for (unsigned i = 0; i < e->runs; i++)
		if (!engines_run_of(e, program, engine, i)->done ||
		    !engines_run_of(e, program, 0, i)->done)
			return false;
	return true;
}

/* All runs by serial have the same cycles; take the first. */
static const struct engines_run *reference_run(const struct engines *e,
					       size_t program)
{
	return engines_run_of(e, program, 0, 0);
}

/* In percent; 100 if the right value is 0 and the other is not. */
static double percent_error(double got, double want)
{
	if (want == 0)
		return got == 0 ? 0 : 100;
	return 100 * fabs(got - want) / want;
}

double engines_sm_end(const struct engines *e, size_t program, size_t engine,
		      size_t sm)
{
	double x[ENGINES_RUNS];

	for (unsigned i = 0; i < e->runs; i++)
		x[i] = engines_run_of(e, program, engine, i)->ends[sm];
	return series_mean(x, e->runs);
}

double engines_sm_error(const struct engines *e, size_t program, size_t engine,
			size_t sm)
{
	double x[ENGINES_RUNS], want = reference_run(e, program)->ends[sm];

	for (unsigned i = 0; i < e->runs; i++)
		x[i] = percent_error(
			engines_run_of(e, program, engine, i)->ends[sm], want);
	return series_mean(x, e->runs);
}

static double engines_sm_variation(const struct engines *e, size_t program,
				   size_t engine, size_t sm)
{
	double x[ENGINES_RUNS];

	for (unsigned i = 0; i < e->runs; i++)
		x[i] = engines_run_of(e, program, engine, i)->ends[sm];
	return 100 * series_variation(x, e->runs);
}

static void engines_sum_sms(struct engines_sum *s, const struct engines *e,
			    size_t program, size_t engine)
{
	size_t sms = reference_run(e, program)->sms, used = 0;

	s->sm_error = s->sm_worst = s->sm_variation = 0;
	for (size_t i = 0; i < sms; i++) {
		double error = engines_sm_error(e, program, engine, i);

		/* The SM had no block with either engine. */
		if (!reference_run(e, program)->ends[i] && error == 0)
			continue;
		used++;
		s->sm_error += error;
		s->sm_worst = fmax(s->sm_worst, error);
		s->sm_variation += engines_sm_variation(e, program, engine, i);
	}
	if (used) {
		s->sm_error /= (double)used;
		s->sm_variation /= (double)used;
	}
	s->sm_accuracy = fmax(0, 100 - s->sm_error);
}

static double engines_median_seconds(const struct engines *e, size_t program,
				     size_t engine)
{
	double x[ENGINES_RUNS];

	for (unsigned i = 0; i < e->runs; i++)
		x[i] = engines_run_of(e, program, engine, i)->seconds;
	return series_median(x, e->runs);
}

static double block_deviation(const struct engines_run *r)
{
	return r->blocks > 0 ? sqrt(r->squares / r->blocks) : 0;
}

/* The members that are not about SMs. */
static void engines_sum_runs(struct engines_sum *s, const struct engines *e,
			     size_t program, size_t engine)
{
	const struct engines_run *want = reference_run(e, program);
	double n = e->runs, cycles[ENGINES_RUNS];

	s->error = s->deviation = s->gap = s->late = 0;
	for (unsigned i = 0; i < e->runs; i++) {
		const struct engines_run *r =
			engines_run_of(e, program, engine, i);

		cycles[i] = r->cycles;
		s->error += percent_error(r->cycles, want->cycles) / n;
		s->deviation += block_deviation(r) / n;
		s->gap += r->gap / n;
		s->late += r->late / n;
	}
	s->cycles = series_mean(cycles, e->runs);
	s->variation = 100 * series_variation(cycles, e->runs);
	s->seconds = engines_median_seconds(e, program, engine);
	s->rate = want->instructions / s->seconds;
	s->speedup = engines_median_seconds(e, program, 0) / s->seconds;
}

struct engines_sum engines_sum(const struct engines *e, size_t program,
			       size_t engine)
{
	struct engines_sum s = { NAN, NAN, NAN, NAN, NAN, NAN, NAN,
				 NAN, NAN, NAN, NAN, NAN, NAN };

	if (engines_complete(e, program, engine)) {
		engines_sum_runs(&s, e, program, engine);
		engines_sum_sms(&s, e, program, engine);
	}
	return s;
}

const struct engines_run *engines_host_timed(const struct engines *e,
					     size_t program)
{
	const struct engines_run *best = NULL;

	for (unsigned i = 0; i < e->runs; i++) {
		const struct engines_run *r =
			engines_run_of(e, program, e->engine_count, i);

		if (r->done && (!best || r->seconds < best->seconds))
			best = r;
	}
	return best;
}

static bool same_result(const struct engines_run *a,
			const struct engines_run *b)
{
	return a->cycles == b->cycles && a->instructions == b->instructions &&
	       a->sms == b->sms &&
	       !memcmp(a->ends, b->ends, a->sms * sizeof(*a->ends));
}

const char *engines_mismatch(const struct engines *e, size_t program)
{
	const struct engines_run *first = reference_run(e, program);

	for (size_t i = 0; first->done && i < e->engine_count; i++)
		for (unsigned k = 0; e->engine[i].exact && k < e->runs; k++) {
			const struct engines_run *r =
				engines_run_of(e, program, i, k);

			if (r->done && !same_result(first, r))
				return e->engine[i].name;
		}
	return NULL;
}

double engines_share(const double *part, size_t n, size_t i)
{
	double all = 0;

	for (size_t k = 0; k < n; k++)
		all += part[k];
	return all > 0 ? 100 * part[i] / all : 0;
}
