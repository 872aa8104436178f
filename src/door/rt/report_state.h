/* The state of the report, for the files behind report.h. */
#ifndef HEDDLE_RT_REPORT_STATE_H
#define HEDDLE_RT_REPORT_STATE_H

#include <limits.h>
#include <sys/types.h>

#include "base/diag.h"
#include "door/common/progress.h"
#include "door/common/results.h"
#include "door/common/sources.h"
#include "door/rt/names.h"
#include "door/rt/report.h"
#include "door/rt/settings.h"
#include "explore/advice.h"

enum {
	REPORT_COPY_KINDS = REPORT_SET + 1,
	REPORT_REASONS = 64,     /* maximum number of issue slot reasons */
	REPORT_EVENTS = 1 << 20, /* maximum number of events kept */
	REPORT_FUNCTIONAL =
		20,        /* maximum number of lines for untimed launches */
	REPORT_TABLE = 40, /* maximum number of kernels in the table */
	REPORT_ADVISED = 5 /* maximum number of kernels with advice below it */
};

/* Sums over the launches of a kernel. */
struct report_kernel {
	char name[256]; /* as in the source */
	uint64_t launches;
	uint64_t warp_instructions, thread_instructions;
	double host_seconds;
	/* Over the timed launches. */
	uint64_t timed, cycles, timed_instructions;
	uint64_t sm_cycles; /* cycles of all SMs */
	double gpu_seconds;
	uint64_t reasons[REPORT_REASONS]; /* issue slots */
	struct advice_sum advice;         /* on those that ran alone */
};

struct report_copies {
	uint64_t count, bytes;
	double seconds;
};

enum report_event_kind { REPORT_CALLED, REPORT_LAUNCHED, REPORT_COPIED };

/* What the program did, in order. Consecutive equal calls are one event. */
struct report_event {
	enum report_event_kind kind : 8;
	enum report_copy_kind copy : 8;
	bool timed;
	uint8_t device;
	uint32_t kernel; /* of a launch: its index in report.kernels */
	union {
		const char *call;
		uint64_t number; /* of a launch */
		uint64_t bytes;  /* of a copy */
	};
	uint64_t count; /* of calls; cycles of a launch */
	uint64_t stream;
	double start, end;
};

struct report_device {
	uint64_t longest; /* cycles of the longest launch so far */
	char *gpu;        /* its name in $HEDDLE_GPU */
	char name[96];
	uint64_t sms;
	double mhz;
	struct cfg cfg;
};

struct report_state {
	bool open, quiet, timed;
	const char *inexact_engine; /* its name; NULL: the engine is exact */
	pid_t pid;                  /* a forked child reports nothing */
	struct report_device devices[MAX_DEVICES];
	unsigned device_count;
	struct progress progress;
	char label[300];
	bool begun_timed; /* the launch in flight is timed */

	struct names symbols;
	struct report_kernel *kernels; /* one for each symbol */
	size_t kernel_room;
	struct report_copies copies[REPORT_COPY_KINDS];
	uint64_t calls, launches, functional;
	double end; /* when all work has ended, in simulated seconds */

	/* The statistics of the issue slots, by reason. */
	size_t reason_stats[REPORT_REASONS];
	const char *reason_names[REPORT_REASONS];
	size_t reasons;

	/* The folder of results; "": none, or given up after an error. */
	char folder[PATH_MAX];
	struct results results;
	bool own_results; /* this process opened the folder and marks it */
	char start_folder[PATH_MAX];
	struct sources sources; /* that results may show */
	struct report_event *events;
	size_t event_count, event_room;
	uint64_t left_out; /* events dropped */
};

extern struct report_state report;

extern const char *const report_copy_names[REPORT_COPY_KINDS];

/* One line on stderr. */
void report_say(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* The sums of a kernel; NULL: out of memory. */
struct report_kernel *report_kernel(const char *symbol);
/* Cycles that the launch itself took. */
uint64_t report_cycles(const struct report_launch *l);
/* SMs of the launch's device. */
uint64_t report_sms(const struct report_launch *l);
/* The sum over all kernels. */
struct report_kernel report_total(void);
/* Warp-instructions of the timed launches per SM and cycle, and per cycle of the
 * whole GPU. */
double report_ipc(const struct report_kernel *k);
double report_gpu_ipc(const struct report_kernel *k);
/* The reason that cost the most issue slots, with or without warps, and its
 * share of all slots; NULL: none. */
const char *report_top_stall(const struct report_kernel *k, double *share);

void report_event(const struct report_event *e);

/* What advice says about all launches of a kernel. */
void report_advice(struct advice_list *out, const struct report_kernel *k);

/* The text on stderr. */
void report_line(const struct report_launch *l, const struct report_kernel *k);
void report_table(void);

/* The files in the folder. */
void report_folder_open(const struct report_setup *s);
void report_folder_launch(const struct report_launch *l,
			  const struct report_kernel *k,
			  const struct advice_list *a);
void report_folder_end(void);

#endif
