/* A run of `heddle system --config`, for the files that write down what it was. */
#ifndef HEDDLE_CLI_SIMULATE_H
#define HEDDLE_CLI_SIMULATE_H

#include "cfg/configs.h"
#include "door/cli/system.h"
#include "door/common/results.h"
#include "system/system.h"

/* A function, a line of the source, or an instruction. */
struct simulate_part {
	const char *name; /* of the function; NULL: not known */
	const char *file; /* NULL: not known */
	uint32_t line;
	uint64_t at, total, pauses;
	uint64_t slot[CPU_SLOT_USES];
};

/* Each list: the one with the most slots first. */
struct simulate_profile {
	struct simulate_part *functions, *lines, *instructions;
	size_t function_count, line_count, instruction_count;
	uint64_t slots; /* of all */
};

/* What it is made of, and how long it took here. */
struct simulation {
	const struct system_options_given *o;
	const struct words *words; /* the program and its arguments */
	const char *name;
	struct cfg_sheet sheet;
	struct x86_process *process;
	struct guest guest;
	struct system *system;
	struct results folder; /* of --out */
	double seconds;
	bool stopped; /* by a signal */
	struct x86_end end;
	struct cpu_stats cpu;
	struct cgm_stats cgm;
	/* With --out or --profile: where the commit slots went. */
	struct simulate_profile profile;
};

/* system_json.c: the run as one object. details: with values over time, the
 * profile, the configuration. ERR_NOMEM. */
MUST_USE enum err simulate_json(struct json *j, struct simulation *s,
				bool details, struct diag *d);
/* The commit slots of a part as an object; without those that are 0. */
void simulate_json_slots(struct json *j, const char *key,
			 const uint64_t slot[CPU_SLOT_USES]);

/* system_series.c: members of the open object. */
void simulate_json_series(struct json *j, const struct system_series *q,
			  unsigned cores);
/* system_profile.c: nothing without --out or --profile. */
MUST_USE enum err simulate_profile_make(struct simulation *s, struct diag *d);
void simulate_profile_free(struct simulate_profile *p);
/* system_hot.c: as members of the open object; and on stderr. */
MUST_USE enum err simulate_json_profile(struct json *j,
					const struct simulation *s,
					struct diag *d);
void simulate_say_profile(const struct simulation *s);

/* system_folder.c: nothing without --out. */
MUST_USE enum err simulate_folder_open(struct simulation *s, struct diag *d);
/* The results, the configuration, the page. */
MUST_USE enum err simulate_folder_write(struct simulation *s, struct diag *d);

#endif
