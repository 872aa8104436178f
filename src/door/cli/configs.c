#include "door/cli/configs.h"

#include <string.h>

#include "cfg/param.h"

void configs_json_value(struct json *j, const char *key, const struct cfg *c,
			enum cfg_id id)
{
	const char *at = (const char *)c + cfg_params[id].at;
	char value[CFG_VALUE_SIZE];
	int64_t i;

	switch (cfg_params[id].type) {
	case CFG_INT:
	case CFG_BYTES:
		memcpy(&i, at, sizeof(i));
		json_uint(j, key, (uint64_t)i);
		return;
	case CFG_REAL:
	case CFG_MHZ:
		json_real(j, key, *(const double *)at);
		return;
	case CFG_BOOL:
		json_bool(j, key, *(const bool *)at);
		return;
	case CFG_TEXT:
		json_string(j, key, at);
		return;
	case CFG_ENUM:
	case CFG_TYPE_COUNT:
		cfg_value_print(value, c, id);
		json_string(j, key, value);
		return;
	}
}
