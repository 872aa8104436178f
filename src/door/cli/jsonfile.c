#include "door/cli/jsonfile.h"

#include "base/outfile.h"

enum err json_file(const char *path, json_writer *write, void *ctx,
		   struct diag *d)
{
	struct outfile f;
	struct json j = { 0 };

	if (!path)
		return ERR_OK;
	if (outfile_open(&f, path, d))
		return d->code;
	j.to = f.to;
	return outfile_close(&f, write(&j, ctx, d), d);
}
