/*
 * Makes a configuration of option files of GPGPU-Sim and Accel-Sim.
 *
 *   files --gpgpusim_read--> options --gpgpusim_convert--> assignments
 *
 * gpgpusim.def has every option: what it means, what becomes of it, or why it has
 * no counterpart. Of an option that stands several times the last one counts, as
 * it does there. Options of old versions (3.x) and of new ones (4.x) are known:
 * caches without a letter for sectors, times of the DRAM by position or by name.
 *
 * Models:  what both simulators have; each value with the option that it comes
 *          from, and how it was computed where it is not the same number.
 * Does not model: defaults of GPGPU-Sim: what no file says is as in param.def.
 * Owner:   the caller.
 */
#ifndef HEDDLE_CLI_GPGPUSIM_H
#define HEDDLE_CLI_GPGPUSIM_H

#include <stdio.h>

#include "base/arena.h"
#include "cfg/cfg.h"

enum gpgpusim_option {
#define OPTION(id, name, convert, text) GPGPUSIM_##id,
#include "door/cli/gpgpusim.def"
	GPGPUSIM_COUNT
};

/* Where an option was given. */
struct gpgpusim_value {
	const char *text; /* NULL: not given */
	const char *file;
	unsigned line;
};

struct gpgpusim_unknown {
	const char *name;
	struct gpgpusim_value value;
	struct gpgpusim_unknown *next;
};

/* A parameter that was set. */
struct gpgpusim_set {
	enum cfg_id id;
	const char *note; /* the option, and how it was computed */
	struct gpgpusim_set *next;
};

struct gpgpusim {
	struct arena arena;
	struct gpgpusim_value value[GPGPUSIM_COUNT];
	struct gpgpusim_unknown *unknown, **unknown_end;
	struct cfg_sheet sheet;
	struct gpgpusim_set *set, **set_end;
	unsigned sets;
	/* Set by conversions: options that turned out to have no counterpart. */
	const char *left_out[GPGPUSIM_COUNT];
	bool read[GPGPUSIM_COUNT]; /* some conversion has looked at it */
};

void gpgpusim_init(struct gpgpusim *g);
void gpgpusim_free(struct gpgpusim *g);

/* Reads a file, or a text in memory. Its name tells an .icnt file from options.
 * Errors name file and line. */
MUST_USE enum err gpgpusim_read(struct gpgpusim *g, const char *path,
				struct diag *d);
MUST_USE enum err gpgpusim_read_text(struct gpgpusim *g, const char *name,
				     const char *text, size_t size,
				     struct diag *d);

/* Makes the configuration, and checks it. name: of the GPU. */
MUST_USE enum err gpgpusim_convert(struct gpgpusim *g, const char *name,
				   struct diag *d);
/* Writes it as a file that can be read, with a comment for every option. */
void gpgpusim_write(const struct gpgpusim *g, FILE *to);
/* Options without a counterpart, and options that are not known. */
unsigned gpgpusim_left_out(const struct gpgpusim *g);
unsigned gpgpusim_unknown_count(const struct gpgpusim *g);

/* For gpgpusim_convert.c. Its name; why it was left out, or NULL. */
const char *gpgpusim_name(enum gpgpusim_option o);
enum err gpgpusim_convert_all(struct gpgpusim *g, struct diag *d);

#endif
