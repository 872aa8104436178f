/* Configurations as JSON; cfg/configs.h loads them. */
#ifndef HEDDLE_CLI_CONFIGS_H
#define HEDDLE_CLI_CONFIGS_H

#include "base/jsonwrite.h"
#include "cfg/cfg.h"
#include "cfg/configs.h"

/* Writes the value of a parameter: a number, a boolean or a string. */
void configs_json_value(struct json *j, const char *key, const struct cfg *c,
			enum cfg_id id);

#endif
