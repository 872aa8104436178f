/* What the command line does with configurations: see cfg/configs.h. */
#ifndef HEDDLE_CLI_CONFIGS_H
#define HEDDLE_CLI_CONFIGS_H

#include "base/jsonwrite.h"
#include "cfg/cfg.h"
#include "cfg/configs.h"

/* The value of a parameter, as JSON has it: a number, a truth or a text. */
void configs_json_value(struct json *j, const char *key, const struct cfg *c,
			enum cfg_id id);

#endif
