/*
 * The code of an object for an AMD GPU as text, in the form of llvm-objdump -d: each
 * instruction with its address and words behind it.
 *
 * A word that is no instruction stands as .long.
 */
#ifndef HEDDLE_CLI_GCNLIST_H
#define HEDDLE_CLI_GCNLIST_H

#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"

struct gcn_listing {
	FILE *to;
	const char *kernel; /* this function only; NULL: all */
	/* What has been listed. */
	uint64_t functions, unknown;
	char first_unknown[200]; /* "0x40 of k: why" */
};

/* ERR_UNSUPP: code for another GPU, or none that was asked for. */
MUST_USE enum err gcn_list(struct gcn_listing *l, const void *data, size_t size,
			   struct diag *d);

#endif
