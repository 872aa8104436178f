#include "cfg/param.h"

#include <string.h>

/* clang-format off */

#define CHOICES(choices, title) \
	static const struct cfg_choice choices_##choices[] = {
#define CHOICE(id, word, doc) { word, doc },
#define END_CHOICES(choices) { NULL, NULL } };
#include "cfg/param.def"

const struct cfg_section cfg_sections[CFG_SECTION_COUNT] = {
#define SECTION(section, title) { #section, title },
#define TABLE(table, title) { #table, title },
#include "cfg/param.def"
};

#define ROW(part, name) \
	[CFG_ID_##part##_##name] = { .key = #part "." #name, \
		.section = CFG_SECTION_##part, \
		.at = offsetof(struct cfg, part.name),

const struct cfg_param cfg_params[CFG_COUNT] = {
#define INT(section, name, def, lo, hi, u, d) ROW(section, name) \
	.type = CFG_INT, .min = lo, .max = hi, .unit = u, .doc = d },
#define BYTES(section, name, def, lo, hi, d) ROW(section, name) \
	.type = CFG_BYTES, .min = lo, .max = hi, .unit = "byte", .doc = d },
#define REAL(section, name, def, lo, hi, u, d) ROW(section, name) \
	.type = CFG_REAL, .real_min = lo, .real_max = hi, .unit = u, \
	.doc = d },
#define MHZ(section, name, def, lo, hi, d) ROW(section, name) \
	.type = CFG_MHZ, .real_min = lo, .real_max = hi, .unit = "MHz", \
	.doc = d },
#define BOOL(section, name, def, d) ROW(section, name) \
	.type = CFG_BOOL, .unit = "", .doc = d },
#define ENUM(section, name, list, def, d) ROW(section, name) \
	.type = CFG_ENUM, .choices = choices_##list, .unit = "", .doc = d },
#define TEXT(section, name, def, d) ROW(section, name) \
	.type = CFG_TEXT, .unit = "", .doc = d },
#define UNIT(id, name, lanes_, d) \
	[CFG_ID_unit_##id##_lanes] = { .key = "unit." name ".lanes", \
		.section = CFG_SECTION_unit, \
		.at = offsetof(struct cfg, unit[UNIT_##id].lanes), \
		.type = CFG_INT, .min = 0, .max = 4096, \
		.unit = "lane/cycle", .doc = d },
#define LAT(id, name, cycles_, interval_, d) \
	[CFG_ID_lat_##id##_cycles] = { .key = "lat." name ".cycles", \
		.section = CFG_SECTION_lat, \
		.at = offsetof(struct cfg, lat[LAT_##id].cycles), \
		.type = CFG_INT, .min = 1, .max = 10000, \
		.unit = "cycle", .doc = d }, \
	[CFG_ID_lat_##id##_interval] = { .key = "lat." name ".interval", \
		.section = CFG_SECTION_lat, \
		.at = offsetof(struct cfg, lat[LAT_##id].interval), \
		.type = CFG_INT, .min = 0, .max = 10000, .unit = "cycle", \
		.doc = "cycles it occupies a pipeline; 0: the warp size over the pipeline's lanes" },
#include "cfg/param.def"
};

/* clang-format on */

const char *const cfg_type_names[CFG_TYPE_COUNT] = {
	[CFG_INT] = "integer",   [CFG_BYTES] = "bytes", [CFG_REAL] = "real",
	[CFG_MHZ] = "frequency", [CFG_BOOL] = "switch", [CFG_ENUM] = "choice",
	[CFG_TEXT] = "text",
};

void cfg_defaults(struct cfg *c)
{
	memset(c, 0, sizeof(*c));
/* clang-format off */
#define INT(section, name, def, ...) c->section.name = def;
#define BYTES(section, name, def, ...) c->section.name = def;
#define REAL(section, name, def, ...) c->section.name = def;
#define MHZ(section, name, def, ...) c->section.name = def;
#define BOOL(section, name, def, doc) c->section.name = def;
#define ENUM(section, name, list, def, doc) c->section.name = CFG_##def;
#define TEXT(section, name, def, doc) \
	_Static_assert(sizeof(def) <= CFG_TEXT_SIZE, "the text is too long"); \
	memcpy(c->section.name, def, sizeof(def));
#define UNIT(id, name, lanes_, doc) c->unit[UNIT_##id].lanes = lanes_;
#define LAT(id, name, cycles_, interval_, doc) \
	c->lat[LAT_##id] = (struct cfg_lat){ cycles_, interval_ };
#include "cfg/param.def"
	/* clang-format on */
}

int cfg_find(const char *key, size_t size)
{
	/* A file may have as many keys as the table, so this runs often: the
	 * first letter rules out most rows. */
	for (int i = 0; size && i < CFG_COUNT; i++)
		if (cfg_params[i].key[0] == key[0] &&
		    !strncmp(cfg_params[i].key, key, size) &&
		    !cfg_params[i].key[size])
			return i;
	return -1;
}

const char *const unit_names[UNIT_COUNT] = {
#define UNIT(id, name, lanes, doc) [UNIT_##id] = name,
#include "cfg/param.def"
};
