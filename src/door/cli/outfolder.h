/*
 * --out of `heddle system` and `heddle cgm`: a folder as heddle exec makes it
 * (door/common/results.h), with program.json, system.cfg and the page, index.html.
 */
#ifndef HEDDLE_CLI_OUTFOLDER_H
#define HEDDLE_CLI_OUTFOLDER_H

#include "cfg/configs.h"
#include "door/cli/jsonfile.h"
#include "door/common/results.h"

/* What is written, when it is known. */
struct outfolder {
	const struct cfg_sheet *sheet;
	json_writer *json; /* the run as one object */
	/* A file more, or NULL. */
	const char *name;
	enum err (*write)(FILE *to, void *ctx, struct diag *d);
	void *ctx;
	const char *incomplete; /* why; NULL: it is complete */
};

MUST_USE enum err outfolder_write(const struct results *r,
				  const struct outfolder *o, struct diag *d);

#endif
