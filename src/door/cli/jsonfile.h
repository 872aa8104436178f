/* Results as a file of JSON: --json. */
#ifndef HEDDLE_CLI_JSONFILE_H
#define HEDDLE_CLI_JSONFILE_H

#include "base/diag.h"
#include "base/jsonwrite.h"

typedef enum err json_writer(struct json *j, void *ctx, struct diag *d);

/* path: "-" is the standard output, NULL: nobody asked for it. */
MUST_USE enum err json_file(const char *path, json_writer *write, void *ctx,
			    struct diag *d);

#endif
