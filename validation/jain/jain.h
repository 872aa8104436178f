/*
 * Jain, Khairy and Rogers' evaluation of a simulator, repeated: `make jain`.
 *
 * Programs that were measured on an H200 are simulated as PTX (the virtual
 * instruction set) and as machine code, and compared with hardware by class of
 * program. classify.c has the rule of the classes, paper.def what the paper states,
 * variants.def what else is run; docs/jain.md says what came out.
 */
#ifndef VALIDATION_JAIN_H
#define VALIDATION_JAIN_H

#include <limits.h>
#include <stdio.h>

#include "explore/correlate.h"
#include "out.h"

enum jain_set { JAIN_PTX, JAIN_SASS, JAIN_SETS };
extern const char *const jain_set_names[JAIN_SETS];

/* clang-format off */
enum jain_variant {
#define VARIANT(id, name, isa, stage, options) JAIN_##id,
#include "variants.def"
	JAIN_VARIANTS
};

enum jain_class {
#define CLASS(id, abbreviation, name, ptx, plus, programs) JAIN_##id,
#include "paper.def"
	JAIN_CLASSES
};
/* clang-format on */

enum jain_stage { JAIN_STAGE_CLASSES, JAIN_STAGE_SCHEDULING };

struct jain_variant_info {
	const char *name, *isa, *options;
	enum jain_stage stage;
};
extern const struct jain_variant_info jain_variants[JAIN_VARIANTS];

/* The paper's L1 or the H200's, PTX or machine code, gto or ccws. */
enum jain_variant jain_scheduled(bool own_l1, enum jain_set set, bool ccws);

struct jain_without {
	const char *name, *why;
};
/* Programs that are left out; the last has no name. */
extern const struct jain_without jain_without[];

/* ---- programs ---- */

/* What a program's class is found by, and shown with. Of hardware: IPC over cycles
 * with a block, misses, use of the DRAM. Of the simulation of machine code: how
 * many times as fast the H200's caches and DRAM make it. NaN: not known. */
struct jain_traits {
	double ipc, l1_misses, l2_misses, dram_use;
	double cache_gain, bandwidth_gain;
};

#define JAIN_GAIN 1.10 /* from here on, a program is sensitive */
#define JAIN_IPC CORRELATE_ISSUE_IPC
enum jain_class jain_classify(const struct jain_traits *t);

struct jain_side {
	double cycles;
	struct stats stats; /* of all launches that were timed */
};

struct jain_variant_run {
	double cycles; /* NaN: not run */
	double l1_sectors, l1_missed;
};

struct jain_program {
	const char *name;
	struct jain_traits traits;
	enum jain_class class;
	double hardware_cycles, hardware_instructions;
	struct jain_side side[JAIN_SETS];
};

/* The programs of the case study. */
/* clang-format off */
enum jain_studied {
#define PROGRAM(id, name, source, theirs, says) JAIN_##id,
#include "paper.def"
	JAIN_STUDIED
};
/* clang-format on */

struct jain_study_info {
	const char *name, *source, *theirs, *says;
};
extern const struct jain_study_info jain_study_info[JAIN_STUDIED];

struct jain {
	struct arena arena;
	struct correlate c; /* the group of a pair is its class */
	struct jain_program *programs;
	size_t count;
	/* Of SCHEDULING. */
	struct jain_variant_run studied[JAIN_STUDIED][JAIN_VARIANTS];
};

struct jain_files {
	const char *runs;     /* the folder of scripts/validate */
	const char *profiles; /* NAME.csv */
	const char *more;     /* the same, with further metrics; a program may
			       * have none */
};

/* Reads all programs with a run in both sets. Call jain_free in any case. What
 * is wrong with one program is told on the standard error, and it is left out. */
MUST_USE enum err jain_read(struct jain *j, const struct jain_files *f,
			    struct diag *d);
void jain_free(struct jain *j);

/* Prints a path; one that is too long is an error. */
MUST_USE enum err jain_path(char out[PATH_MAX], struct diag *d, const char *fmt,
			    ...) PRINTF_LIKE(3, 4);

/* ---- what is written ---- */

/* A figure of bars, a pair for each program of a class: PTX above machine code,
 * relative to PTX. */
enum { JAIN_PARTS = 8 };
struct jain_bars {
	const char *name;
	const char *parts[JAIN_PARTS + 1];
	void (*split)(double part[JAIN_PARTS], const struct jain_side *s);
	double (*hardware)(const struct jain_program *p); /* or NULL */
};
extern const struct jain_bars jain_slots, jain_mix, jain_fetches, jain_regions;
void draw_bars(FILE *to, const struct jain *j, const struct jain_bars *b,
	       enum jain_class class);
void draw_bars_legend(FILE *to, const struct jain_bars *b);
/* The mean share of each part over the programs of a class. */
void jain_bars_table(const struct study_out *o, const struct jain *j,
		     const struct jain_bars *b);

/* ---- sections, in this order ---- */

/* Tables 1, 5 to 8. */
MUST_USE enum err jain_write_tables(const struct study_out *o,
				    const struct jain *j, struct diag *d);
MUST_USE enum err jain_write_figures(const struct study_out *o,
				     const struct jain *j, struct diag *d);
void jain_write_study(const struct study_out *o, const struct jain *j);

#endif
