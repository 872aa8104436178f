/*
 * Compares engines: simulates programs by several engines, several times, and
 * sums up speed and error against `serial`.
 *
 *   engines_open.c    what is compared: engines, programs, the folder
 *   engines_folder.c  the folder of all files
 *   engines_run.c     all runs, in turn
 *   engines_child.c   one run, in a process of its own
 *   engines_read.c    the results that a run leaves in its folder
 *   engines_sum.c     what the runs of an engine add up to
 *   engines_table.c   tables for people
 *   engines_json.c    all of it as JSON
 *   engines_csv.c     the tables as CSV
 *   engines_plot.c    plots, by gnuplot
 *
 * Runs are command lines of `heddle run` and `heddle exec`, run by the program
 * that this code is part of. Nothing here prints to the terminal: the caller
 * learns of runs through struct engines_host.
 */
#ifndef HEDDLE_EXPLORE_ENGINES_H
#define HEDDLE_EXPLORE_ENGINES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/diag.h"
#include "base/wordlist.h"

enum { ENGINES_RUNS = 1000 }; /* maximum, of a program by an engine */

/* Instructions by kind. */
enum mix { MIX_COMPUTE, MIX_BRANCH, MIX_LOAD, MIX_STORE, MIX_OTHER, MIXES };
/* Parts of the simulator, for the host's time. */
enum cost { COST_SMS, COST_NETWORK, COST_MEMORY, COST_REST, COSTS };
extern const char *const mix_names[MIXES];
extern const char *const cost_names[COSTS];

/* One run: sums over the launches that were timed. */
struct engines_run {
	bool tried, done;
	char why[240]; /* if tried and not done: the reason */
	uint64_t launches;
	double seconds; /* host time of the simulation */
	double cycles, instructions, late;
	double *ends; /* by SM: the cycle when its last block ended */
	size_t sms;
	/* Of the ends of blocks in their waves: count, sum of squared
	 * deviations, largest gap in cycles. */
	double blocks, squares, gap;
	double mix[MIXES];  /* warp-instructions by kind */
	double cost[COSTS]; /* host seconds; 0: not measured */
};

struct engines_engine {
	char name[48];
	bool exact, threads;
};

struct engines_program {
	char label[64]; /* "scan 512" */
	char *text;     /* argv points into it */
	struct words argv;
	bool source; /* a .cu or .ptx file: run by `heddle run` */
	/* `runs` of each engine, then as many by serial with --host-time, as
	 * if that were one more engine. */
	struct engines_run *run;
};

struct engines;

/* What a comparison needs of its caller, and what it tells it. */
struct engines_host {
	void *ctx;
	/* Whether to stop: asked after each run. */
	bool (*stopped)(void *ctx);
	/* A child was started, to which signals must be passed on; 0: it has
	 * ended. */
	void (*child)(void *ctx, pid_t pid);
	/* A run has ended, the `done`th of `all`. */
	void (*ran)(void *ctx, const struct engines *e, size_t program,
		    size_t engine, unsigned run, size_t done, size_t all);
};

/* What to compare. A member that is 0 or NULL is not given. */
struct engines_request {
	const char *gpu;     /* else gtx285 */
	struct words set;    /* overrides, "sm.count=8" */
	const char *engines; /* names with commas between them; else all */
	unsigned threads;    /* of engines that use several; else all cores */
	unsigned runs;       /* of a program by an engine; else 3 */
	const char *out;     /* the folder that keeps all files; else none */
};

struct engines {
	struct engines_host host; /* the caller's */
	const char *gpu;
	char gpu_name[96];
	struct words set; /* the request's */
	unsigned threads, runs;
	double load;                   /* of the host, before the first run */
	struct engines_engine *engine; /* the first one is serial */
	size_t engine_count;
	struct engines_program *program;
	size_t program_count;
	char folder[PATH_MAX]; /* absolute; "": there is none */
	bool keep;             /* it was asked for; else it is temporary */
};

/* Whether this is serial with --host-time. */
static inline bool engines_is_host_time(const struct engines *e, size_t engine)
{
	return engine == e->engine_count;
}

static inline const char *engines_name(const struct engines *e, size_t engine)
{
	return engines_is_host_time(e, engine) ? "serial with --host-time" :
						 e->engine[engine].name;
}

static inline struct engines_run *engines_run_of(const struct engines *e,
						 size_t program, size_t engine,
						 unsigned run)
{
	return &e->program[program].run[engine * e->runs + run];
}

/* engines_open.c */

/*
 * Checks what is asked for and makes the folder. lines: a command line for each
 * program. The request must live as long as the comparison; engines_close ends
 * that in any case, and removes a temporary folder.
 */
MUST_USE enum err engines_open(struct engines *e,
			       const struct engines_request *q,
			       const struct words *lines, struct diag *d);
void engines_close(struct engines *e);
/* Writes all files to the folder of --out: JSON, CSV and plots. *drawn: see
 * engines_plot. */
MUST_USE enum err engines_write(const struct engines *e, bool *drawn,
				struct diag *d);

/* engines_run.c */

/* Runs of a program: by each engine, and by serial with --host-time. */
size_t engines_runs_of_program(const struct engines *e);
/* Simulates everything, until the caller wants it to stop. A failed run is
 * noted in its struct engines_run. */
void engines_run_all(struct engines *e);

/* engines_folder.c */

/*
 * Opens the folder of the runs. `out` is created if needed; if it holds an
 * earlier comparison, its files are removed; anything else in it is an error.
 * NULL: a temporary folder.
 */
MUST_USE enum err engines_folder_open(struct engines *e, const char *out,
				      struct diag *d);
/* Removes the folder if it is temporary. */
/* The folder that is kept is complete, or says that it is not. */
MUST_USE enum err engines_folder_finish(const struct engines *e,
					bool interrupted, struct diag *d);
void engines_folder_close(const struct engines *e);
/* Creates a file in the folder; NULL: see the diagnosis. */
FILE *engines_create(const struct engines *e, const char *name, struct diag *d);
/* Closes it; an error if it could not be written. */
MUST_USE enum err engines_finish(FILE *f, const char *name, struct diag *d);

/* engines_child.c */

/*
 * Simulates a program once, in a child process with a folder of its own, and
 * reads the result. A failure is noted in the struct engines_run.
 */
void engines_child(const struct engines *e, size_t program, size_t engine,
		   unsigned run);

/* engines_read.c */

/* Adds up the launches of a run: from a folder of `heddle exec --out`, or from
 * a file of `heddle run --json`. */
MUST_USE enum err engines_read_folder(struct engines_run *to, const char *path,
				      struct diag *d);
MUST_USE enum err engines_read_file(struct engines_run *to, const char *path,
				    struct diag *d);

/* engines_sum.c */

/* A summary of the runs of one program by one engine, compared with the runs
 * by serial. All members are NaN if a run is missing. */
struct engines_sum {
	double seconds; /* the median */
	double rate;    /* warp-instructions per second */
	double speedup;
	double cycles;       /* mean */
	double error;        /* %, of the cycles: mean over the runs */
	double variation;    /* %, of the cycles, over the runs */
	double sm_error;     /* %, of the ends of the SMs: mean */
	double sm_accuracy;  /* 100 % less that */
	double sm_worst;     /* the error of the worst SM */
	double sm_variation; /* %, over the runs: mean of the SMs */
	double deviation;    /* cycles, of the ends of blocks in their waves */
	double gap;          /* cycles, the largest in a wave */
	double late;         /* late messages of a run: mean */
};

/* Whether all runs by this engine and by serial have succeeded. */
bool engines_complete(const struct engines *e, size_t program, size_t engine);
struct engines_sum engines_sum(const struct engines *e, size_t program,
			       size_t engine);
/* The fastest of the runs with --host-time, which was disturbed least. NULL:
 * there is none. */
const struct engines_run *engines_host_timed(const struct engines *e,
					     size_t program);
/* By SM: its mean end, and its mean error in %. */
double engines_sm_end(const struct engines *e, size_t program, size_t engine,
		      size_t sm);
double engines_sm_error(const struct engines *e, size_t program, size_t engine,
			size_t sm);
/* The first engine that claims to be exact but has other cycles or ends of SMs
 * than serial; NULL: none. */
const char *engines_mismatch(const struct engines *e, size_t program);
/* part[i] in percent of the sum of all n. */
double engines_share(const double *part, size_t n, size_t i);

/* engines_table.c */

/* Tables as in the paper of Lee and Ro. bold, plain: what begins and ends a
 * title, escape sequences or "". */
void engines_print(const struct engines *e, FILE *to, const char *bold,
		   const char *plain);

/* engines_json.c */

void engines_json(const struct engines *e, FILE *to);

/* engines_csv.c */

/* Writes the tables to files in the folder. */
MUST_USE enum err engines_csv(const struct engines *e, struct diag *d);

/* engines_plot.c */

/* Writes scripts for gnuplot to the folder and draws the plots. *drawn: false
 * if gnuplot is not installed. */
MUST_USE enum err engines_plot(const struct engines *e, bool *drawn,
			       struct diag *d);

#endif
