/* heddle system --out. */
#include "door/cli/outfolder.h"
#include "door/cli/simulate.h"

enum err simulate_folder_open(struct simulation *s, struct diag *d)
{
	if (!s->o->out)
		return ERR_OK;
	return results_open(&s->folder, s->o->out, d);
}

static enum err folder_json(struct json *j, void *ctx, struct diag *d)
{
	return simulate_json(j, ctx, true, d);
}

enum err simulate_folder_write(struct simulation *s, struct diag *d)
{
	const struct outfolder o = {
		.sheet = &s->sheet,
		.json = folder_json,
		.ctx = s,
		.incomplete = s->stopped ? "The run was interrupted." : NULL,
	};

	return s->o->out ? outfolder_write(&s->folder, &o, d) : ERR_OK;
}
