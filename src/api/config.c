#include <stdlib.h>

#include "api/device.h"
#include "cfg/cfg.h"

static int make(struct heddle_config **out, struct heddle_error *err)
{
	struct diag d;

	*out = calloc(1, sizeof(**out));
	if (!*out)
		return api_result(fail(&d, ERR_NOMEM, "out of memory"), &d,
				  err);
	cfg_sheet_init(&(*out)->sheet);
	return HEDDLE_OK;
}

/* Gives a configuration that could not be read back. */
static int finish(struct heddle_config **out, enum err e, const struct diag *d,
		  struct heddle_error *err)
{
	if (e) {
		heddle_config_free(*out);
		*out = NULL;
	}
	return api_result(e, d, err);
}

int heddle_config_load(struct heddle_config **out, const char *path,
		       struct heddle_error *err)
{
	struct diag d;
	int status = make(out, err);

	if (status)
		return status;
	return finish(out, cfg_read_file(&(*out)->sheet, path, CFG_ANY, &d), &d,
		      err);
}

int heddle_config_text(struct heddle_config **out, const char *name,
		       const char *text, size_t size, struct heddle_error *err)
{
	struct diag d;
	int status = make(out, err);

	if (status)
		return status;
	return finish(out,
		      cfg_read_text(&(*out)->sheet, name, text, size, CFG_ANY,
				    &d),
		      &d, err);
}

int heddle_config_set(struct heddle_config *c, const char *assignment,
		      struct heddle_error *err)
{
	struct diag d;

	return api_result(cfg_sheet_set(&c->sheet, assignment, &d), &d, err);
}

int heddle_config_check(const struct heddle_config *c, struct heddle_error *err)
{
	struct diag d;

	return api_result(cfg_check(&c->sheet.cfg, &d), &d, err);
}

char *heddle_config_dump(const struct heddle_config *c)
{
	return cfg_dump(&c->sheet.cfg, c->sheet.origin);
}

void heddle_config_free(struct heddle_config *c)
{
	if (!c)
		return;
	cfg_sheet_free(&c->sheet);
	free(c);
}
