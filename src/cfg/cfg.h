/*
 * The configuration of a GPU: what the timing model is built from.
 *
 * struct cfg is plain data, expanded from param.def: code reads cfg->l2.ways,
 * and a misspelling does not compile. A struct cfg_sheet holds a struct cfg
 * together with where each value comes from; files are read into a sheet.
 *
 * A parameter's meaning is in its row of param.def and in the header of the
 * unit that reads it. Every parameter is read: scripts/check-params proves it.
 */
#ifndef HEDDLE_CFG_CFG_H
#define HEDDLE_CFG_CFG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

#define CFG_TEXT_SIZE 64

/* scripts/check-params marks fields and choices, to find their readers. */
#ifndef CFG_MARK
#define CFG_MARK(text)
#endif

/* clang-format off */

/* enum cfg_scheduler { CFG_SCHEDULER_LRR, ... }; and so on */
#define CHOICES(choices, title) enum cfg_##choices {
#define CHOICE(id, word, doc) CFG_##id CFG_MARK(#id),
#define END_CHOICES(choices) };
#include "cfg/param.def"

/* Functional units and latency classes; instruction tables name them. */
enum unit_class {
#define UNIT(id, name, lanes, doc) UNIT_##id,
#include "cfg/param.def"
	UNIT_COUNT
};
extern const char *const unit_names[UNIT_COUNT];

enum lat_class {
#define LAT(id, name, cycles, interval, doc) LAT_##id,
#include "cfg/param.def"
	LAT_COUNT
};

/* struct cfg_l2 { int64_t slices, ...; }; and so on */
#define SECTION(section, title) struct cfg_##section {
#define INT(section, name, def, min, max, unit, doc) int64_t name CFG_MARK(#section "." #name);
#define BYTES(section, name, def, min, max, doc) int64_t name CFG_MARK(#section "." #name);
#define REAL(section, name, def, min, max, unit, doc) double name CFG_MARK(#section "." #name);
#define MHZ(section, name, def, min, max, doc) double name CFG_MARK(#section "." #name);
#define BOOL(section, name, def, doc) bool name CFG_MARK(#section "." #name);
#define ENUM(section, name, choices, def, doc) enum cfg_##choices name CFG_MARK(#section "." #name);
#define TEXT(section, name, def, doc) char name[CFG_TEXT_SIZE] CFG_MARK(#section "." #name);
#define END(section) };
#include "cfg/param.def"

struct cfg_unit {
	int64_t lanes;
};

struct cfg_lat {
	int64_t cycles, interval;
};

struct cfg {
#define SECTION(section, title) struct cfg_##section section;
#include "cfg/param.def"
	struct cfg_unit unit[UNIT_COUNT];
	struct cfg_lat lat[LAT_COUNT];
};

/* One number per parameter: CFG_ID_l2_ways, CFG_ID_lat_FMA_cycles. */
enum cfg_id {
#define INT(section, name, ...) CFG_ID_##section##_##name,
#define BYTES(section, name, ...) CFG_ID_##section##_##name,
#define REAL(section, name, ...) CFG_ID_##section##_##name,
#define MHZ(section, name, ...) CFG_ID_##section##_##name,
#define BOOL(section, name, ...) CFG_ID_##section##_##name,
#define ENUM(section, name, ...) CFG_ID_##section##_##name,
#define TEXT(section, name, ...) CFG_ID_##section##_##name,
#define UNIT(id, ...) CFG_ID_unit_##id##_lanes,
#define LAT(id, ...) CFG_ID_lat_##id##_cycles, CFG_ID_lat_##id##_interval,
#include "cfg/param.def"
	CFG_COUNT
};

/* clang-format on */

enum cfg_source {
	CFG_DEFAULT,  /* not set */
	CFG_UNSTATED, /* set in a file that names no source */
	CFG_MEASURED,
	CFG_VENDOR,
	CFG_PAPER,
	CFG_ASSUMED,
	CFG_OVERRIDE, /* cfg_sheet_set */
	CFG_SOURCE_COUNT
};
const char *cfg_source_text(enum cfg_source s);

struct cfg_origin {
	enum cfg_source source;
	const char *note; /* what the file says after the source, or "" */
	const char *file; /* NULL: not from a file */
	unsigned line;
};

struct cfg_sheet {
	struct cfg cfg;
	struct cfg_origin origin[CFG_COUNT];
	struct arena arena; /* the strings of the origins */
};

void cfg_defaults(struct cfg *c);
/* Sets a parameter from "sm.count=64", the form that -o takes. *c does not
 * change if this fails. */
MUST_USE enum err cfg_set(struct cfg *c, const char *assignment,
			  struct diag *d);
bool cfg_equal(const struct cfg *a, const struct cfg *b);
/* Checks the rules between parameters. Ranges are checked when a value is
 * set. */
MUST_USE enum err cfg_check(const struct cfg *c, struct diag *d);

/* Fills a sheet with the defaults. Free it with cfg_sheet_free, also after a
 * failure. */
void cfg_sheet_init(struct cfg_sheet *s);
void cfg_sheet_free(struct cfg_sheet *s);

enum cfg_reading {
	CFG_ANY,     /* a source may be left out */
	CFG_SOURCED, /* every value must name its source, as in configs/ */
};

/*
 * Reads a file and the files that it includes; their values replace those of
 * the sheet. Does not call cfg_check. The message of a failure starts with the
 * file and line.
 */
MUST_USE enum err cfg_read_file(struct cfg_sheet *s, const char *path,
				enum cfg_reading how, struct diag *d);
/* Reads a text in memory, which cannot include files. */
MUST_USE enum err cfg_read_text(struct cfg_sheet *s, const char *name,
				const char *text, size_t size,
				enum cfg_reading how, struct diag *d);
MUST_USE enum err cfg_sheet_set(struct cfg_sheet *s, const char *assignment,
				struct diag *d);
/* Adds to a message where the parameters that it names ("l2.ways = 3") were
 * set: the file and line, or -o. */
void cfg_sheet_explain(const struct cfg_sheet *s, struct diag *d);

/*
 * Prints every parameter, as a file that reads back to the same configuration;
 * with the sources if origin is not NULL. malloc'ed; NULL: out of memory.
 */
char *cfg_dump(const struct cfg *c, const struct cfg_origin *origin);

/*
 * The initiation interval: cycles for which an instruction of this class
 * occupies a pipeline of that unit. It is the class's interval if it has one,
 * else warp_size over the lanes of the pipeline. A unit with fewer lanes than
 * the SM has sub-cores is shared by all of them.
 */
int64_t cfg_interval(const struct cfg *c, enum lat_class lat,
		     enum unit_class unit);
/* The unit that executes instructions of this class whose own unit is that: the
 * SM may have none, and then another one stands in. UNIT_COUNT: none does. */
enum unit_class cfg_unit_for(const struct cfg *c, enum lat_class lat,
			     enum unit_class unit);
/* Compute units that are one partition, in the place of an SM; 1 for SMs. */
static inline uint32_t cfg_units(const struct cfg *c)
{
	return c->gpu.core == CFG_CORE_CU ? (uint32_t)c->cu.cluster : 1;
}
/* Pipelines of that unit in a sub-core; 0: none, or the unit is shared. */
int64_t cfg_pipes(const struct cfg *c, enum unit_class unit);

#endif
