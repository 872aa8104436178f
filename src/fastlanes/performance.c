#include "fastlanes/performance.h"

#include "fastlanes/pace.h"

enum {
	LINE_BITS = 1024,    /* of external memory */
	LAUNCH_CYCLES = 2300 /* memories are cleared, first blocks given out */
};

/*
 * Equation 2. The paper divides the bits by bandwidth over latency, as if each access
 * waited for the one before; here accesses follow each other, so that the latency
 * counts once. Predicates are a row more than the R registers.
 */
static double switch_cycles(const struct fl_rates *r,
			    const struct fl_external *e)
{
	double lines = 2 * r->D * (r->R + 1) * r->W * r->L / LINE_BITS;

	return lines * e->interval / (1 - r->p_ls) + e->latency +
	       FL_SWITCH_CYCLES;
}

/* Equation 1 has means; turn by turn it says more, because turns are not equal. */
struct fl_speed fl_predict_speed(const struct fl_rates *r,
				 const struct fl_external *e)
{
	struct fl_speed s = { 0 };
	double longer, turn = r->cycle_fm + FL_TURN_CYCLES;

	s.cycle_switch = r->W > 0 ? switch_cycles(r, e) : 0;
	longer = turn > s.cycle_switch ? turn : s.cycle_switch;
	if (r->longer > 0)
		longer = r->longer;
	s.lambda = r->cycle_fm / longer;
	s.throughput = r->L * r->beta * r->ipc * r->eta * s.lambda;
	s.host_cycles = LAUNCH_CYCLES + r->turns * longer;
	return s;
}

enum err fl_measure_rates(struct fl_rates *out, const struct fl_config *c,
			  const struct fl_launch *l,
			  const struct fl_external *e, struct fl_stats *stats,
			  struct fl_fault *fault, struct diag *d)
{
	struct fl_pace *pace = fl_pace_new(c, e, l->kernel->regs);
	struct fl_launch watched = *l;
	enum err err;

	if (!pace)
		return fail(d, ERR_NOMEM, "out of memory");
	watched.watch = fl_pace_watch(pace);
	err = fl_model_run(c, &watched, stats, fault, d);
	if (!err) {
		fl_pace_rates(out, pace, stats);
	}
	fl_pace_free(pace);
	return err;
}
