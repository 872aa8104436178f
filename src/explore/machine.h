/*
 * Loads the configuration of a GPU and checks that its memory can be built, so
 * that a mistake is found before any work, and is named by its parameter and the
 * line that sets it.
 */
#ifndef HEDDLE_EXPLORE_MACHINE_H
#define HEDDLE_EXPLORE_MACHINE_H

#include "cfg/configs.h"

/*
 * What a parameter means in a configuration where it is 0 and 0 stands for the
 * value of something else: dram.banks for that of the standard. False: its value
 * is as it says, or 0 stands for no single number.
 */
bool machine_resolved(const struct cfg *c, enum cfg_id id, double *out);

/*
 * Replaces values that stand for others (0: the standard's, as many as slices)
 * by what they come to on this GPU. Only to be shown: a GPU is built from the
 * configuration itself.
 */
void machine_resolve(struct cfg *c);
/* Where the value of such a parameter comes from: "the standard's". NULL: it
 * stands for itself. */
const char *machine_derived(const struct cfg *c, enum cfg_id id);

/* The same as configs_load, with that check. */
MUST_USE enum err machine_load(struct cfg_sheet *s, const char *name,
			       const char *const *overrides, size_t count,
			       struct diag *d);

#endif
