#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/device.h"
#include "cfg/configs.h"
#include "cfg/param.h"

const char *heddle_version(void)
{
	return HEDDLE_VERSION;
}

static int config_new(struct heddle_config **out, struct heddle_error *err)
{
	struct diag d;

	*out = calloc(1, sizeof(**out));
	if (!*out)
		return api_result(fail(&d, ERR_NOMEM, "out of memory"), &d,
				  err);
	cfg_sheet_init(&(*out)->sheet);
	return HEDDLE_OK;
}

/* Frees a configuration that could not be read; returns the status. */
static int config_finish(struct heddle_config **out, enum err e,
			 const struct diag *d, struct heddle_error *err)
{
	if (e) {
		heddle_config_free(*out);
		*out = NULL;
	}
	return api_result(e, d, err);
}

int heddle_config_load(struct heddle_config **out, const char *name,
		       struct heddle_error *err)
{
	struct diag d;
	int status = config_new(out, err);

	if (status)
		return status;
	return config_finish(out, configs_read(&(*out)->sheet, name, &d), &d,
			     err);
}

int heddle_config_text(struct heddle_config **out, const char *name,
		       const char *text, size_t size, struct heddle_error *err)
{
	struct diag d;
	int status = config_new(out, err);

	if (status)
		return status;
	return config_finish(out,
			     cfg_read_text(&(*out)->sheet, name, text, size,
					   CFG_ANY, &d),
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

static void config_get_number(struct heddle_value *out, const struct cfg *c,
			      const struct cfg_param *p)
{
	const char *at = (const char *)c + p->at;
	bool yes;

	switch (p->type) {
	case CFG_REAL:
	case CFG_MHZ:
		out->kind = HEDDLE_VALUE_REAL;
		memcpy(&out->real, at, sizeof(out->real));
		out->integer = (int64_t)out->real;
		return;
	case CFG_BOOL:
		memcpy(&yes, at, sizeof(yes));
		out->integer = yes;
		break;
	default:
		memcpy(&out->integer, at, sizeof(out->integer));
		break;
	}
	out->real = (double)out->integer;
}

int heddle_config_get(const struct heddle_config *c, const char *key,
		      struct heddle_value *out, struct heddle_error *err)
{
	int id = cfg_find(key, strlen(key));
	const struct cfg *cfg = &c->sheet.cfg;
	struct diag d;

	memset(out, 0, sizeof(*out));
	if (id < 0)
		return api_result(fail(&d, ERR_UNKNOWN,
				       "no parameter named '%.80s'", key),
				  &d, err);
	_Static_assert(sizeof(out->text) == CFG_VALUE_SIZE, "texts");
	switch (cfg_params[id].type) {
	case CFG_TEXT:
		out->kind = HEDDLE_VALUE_TEXT;
		/* Without the quotation marks that a file has. */
		snprintf(out->text, sizeof(out->text), "%s",
			 (const char *)cfg + cfg_params[id].at);
		break;
	case CFG_ENUM:
		out->kind = HEDDLE_VALUE_TEXT;
		cfg_value_print(out->text, cfg, (enum cfg_id)id);
		break;
	default:
		config_get_number(out, cfg, &cfg_params[id]);
		cfg_value_print(out->text, cfg, (enum cfg_id)id);
		break;
	}
	return api_result(ERR_OK, &d, err);
}
