/* What is known of a program, for the files behind report.h. */
#ifndef HEDDLE_RT_REPORT_STATE_H
#define HEDDLE_RT_REPORT_STATE_H

#include <limits.h>
#include <sys/types.h>

#include "base/diag.h"
#include "door/common/progress.h"
#include "door/common/results.h"
#include "door/rt/names.h"
#include "door/rt/report.h"
#include "door/rt/settings.h"

enum {
	REPORT_COPY_KINDS = REPORT_SET + 1,
	REPORT_REASONS = 64,     /* room for what became of issue slots */
	REPORT_EVENTS = 1 << 20, /* what is kept of a program's events */
	REPORT_FUNCTIONAL = 20,  /* lines for launches that are not timed */
	REPORT_TABLE = 40,       /* kernels of the table */
};

/* All launches of a kernel. */
struct report_kernel {
	char name[256]; /* as in the source */
	uint64_t launches;
	uint64_t warp_instructions, thread_instructions;
	double host_seconds;
	/* Of those that were timed. */
	uint64_t timed, cycles, timed_instructions;
	double gpu_seconds;
	uint64_t reasons[REPORT_REASONS]; /* issue slots */
};

struct report_copies {
	uint64_t count, bytes;
	double seconds;
};

enum report_event_kind { REPORT_CALLED, REPORT_LAUNCHED, REPORT_COPIED };

/* What the program did, in order. Equal calls in a row are one event. */
struct report_event {
	enum report_event_kind kind : 8;
	enum report_copy_kind copy : 8;
	bool timed;
	uint8_t device;
	uint32_t kernel; /* of a launch */
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
	char *gpu; /* as $HEDDLE_GPU has it */
	char name[96];
	uint64_t sms;
	double mhz;
};

struct report_state {
	bool open, quiet, timed;
	const char *doubt; /* an engine that is not exact, or NULL */
	pid_t pid;         /* a child that was forked off reports nothing */
	struct report_device devices[MAX_DEVICES];
	unsigned device_count;
	struct progress progress;
	char label[300];
	bool begun_timed; /* the launch under way */

	struct names symbols;
	struct report_kernel *kernels; /* one for each symbol */
	size_t kernel_room;
	struct report_copies copies[REPORT_COPY_KINDS];
	uint64_t calls, launches, functional;
	double end; /* simulated, of all work */

	/* Issue slots: which statistics they are. */
	size_t reason_stats[REPORT_REASONS];
	const char *reason_names[REPORT_REASONS];
	size_t reasons;

	/* The folder; "": none, or no longer. */
	char folder[PATH_MAX];
	struct results results;
	bool own_results; /* nobody else marks the folder */
	char start_folder[PATH_MAX];
	struct report_event *events;
	size_t event_count, event_room;
	uint64_t left_out; /* events that were not kept */
};

extern struct report_state report;

extern const char *const report_copy_names[REPORT_COPY_KINDS];

/* One line on stderr. */
void report_say(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* NULL: out of memory. */
struct report_kernel *report_kernel(const char *symbol);
/* Cycles that the launch itself took. */
uint64_t report_cycles(const struct report_launch *l);
/* Of all kernels. */
struct report_kernel report_sum(void);
/* Why the most issue slots were lost while there were warps, and its share of
 * them all; NULL: none was. */
const char *report_top_stall(const struct report_kernel *k, double *share);

void report_event(const struct report_event *e);

/* For people. */
void report_line(const struct report_launch *l, const struct report_kernel *k);
void report_table(void);

/* To the folder. */
void report_folder_open(const struct report_setup *s);
void report_folder_launch(const struct report_launch *l,
			  const struct report_kernel *k);
void report_folder_end(void);

#endif
