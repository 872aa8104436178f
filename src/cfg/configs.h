/*
 * The GPU configurations that come with Heddle: files NAME.cfg in one folder,
 * share/heddle/configs beside the program or the library that holds this code.
 */
#ifndef HEDDLE_CFG_CONFIGS_H
#define HEDDLE_CFG_CONFIGS_H

#include "base/diag.h"
#include "cfg/cfg.h"

/* The names without .cfg, sorted. Free the list with configs_free. */
struct configs {
	char **names;
	size_t count;
};
MUST_USE enum err configs_list(struct configs *c, struct diag *d);
void configs_free(struct configs *c);

/*
 * Reads the configuration of that name, or the file if it is a path (with a
 * slash, or ending in .cfg). Call cfg_sheet_init before, and cfg_sheet_free after
 * it in any case.
 */
MUST_USE enum err configs_read(struct cfg_sheet *s, const char *name,
			       struct diag *d);
/* Reads it, applies the overrides ("sm.count=64") and checks the result. */
MUST_USE enum err configs_load(struct cfg_sheet *s, const char *name,
			       const char *const *overrides, size_t count,
			       struct diag *d);

#endif
