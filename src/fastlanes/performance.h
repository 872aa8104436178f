/*
 * How fast the circuit simulates: the paper's equations 1 to 3, and what they need to
 * know of a program.
 *
 * Models:  the cycles of the circuit ("host cycles") that a multiprocessor's turns
 *          take, from what the model of the target does in them (pace.c: the steps of
 *          the front end, the depths of the pipelines, the LD/ST units, external
 *          memory); the exchange of registers beside them (equation 2); which of the
 *          two is longer (equation 1); the throughput (equation 3).
 * Does not model: loads and stores that wait for the exchange; refusals of external
 *          memory beyond a line each `interval`; loading of programs and data.
 */
#ifndef HEDDLE_FASTLANES_PERFORMANCE_H
#define HEDDLE_FASTLANES_PERFORMANCE_H

#include "fastlanes/model.h"

/* External memory, in host cycles: from a read to its answer; of a line. */
struct fl_external {
	double latency, interval;
};

/* What the equations are about; the letters are the paper's. */
struct fl_rates {
	double turns;      /* of multiprocessors with warps */
	double operations; /* lanes times instructions */
	double cycle_fm;   /* host cycles of a turn */
	double longer; /* the same, or of the exchange beside it, whichever is
			      longer, turn by turn; 0: not known */
	double eta;    /* target cycles for each of them */
	double ipc;    /* instructions for each target cycle */
	double beta;   /* share of the lanes that execute one */
	double p_ls;   /* share of the port that loads and stores take */
	double D, R, W, L; /* bits; registers; warps that move; lanes */
};

struct fl_speed {
	double cycle_switch; /* equation 2 */
	double lambda;       /* equation 1 */
	double throughput;   /* equation 3: operations for each host cycle */
	double host_cycles;  /* of the launch */
};

/* The equations. */
struct fl_speed fl_predict_speed(const struct fl_rates *r,
				 const struct fl_external *e);

/* Runs the launch on the model, whose statistics and fault it gives, and finds the
 * rates. */
MUST_USE enum err fl_measure_rates(struct fl_rates *out,
				   const struct fl_config *c,
				   const struct fl_launch *l,
				   const struct fl_external *e,
				   struct fl_stats *stats,
				   struct fl_fault *fault, struct diag *d);

#endif
