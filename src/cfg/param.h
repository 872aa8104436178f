/*
 * The table of parameters as data, for code that handles all of them: the
 * reader, the dump, the documentation, the command line, sweeps.
 */
#ifndef HEDDLE_CFG_PARAM_H
#define HEDDLE_CFG_PARAM_H

#include "cfg/cfg.h"

enum cfg_type {
	CFG_INT,
	CFG_BYTES,
	CFG_REAL,
	CFG_MHZ,
	CFG_BOOL,
	CFG_ENUM,
	CFG_TEXT,
	CFG_TYPE_COUNT
};

enum cfg_section_id {
#define SECTION(section, title) CFG_SECTION_##section,
#define TABLE(table, title) CFG_SECTION_##table,
#include "cfg/param.def"
	CFG_SECTION_COUNT
};

struct cfg_section {
	const char *name, *title;
};
extern const struct cfg_section cfg_sections[CFG_SECTION_COUNT];

struct cfg_choice {
	const char *word; /* NULL ends the list */
	const char *doc;
};

struct cfg_param {
	const char *key; /* "l2.ways" */
	enum cfg_section_id section;
	enum cfg_type type;
	size_t at;                 /* offset in struct cfg */
	int64_t min, max;          /* CFG_INT, CFG_BYTES */
	double real_min, real_max; /* CFG_REAL, CFG_MHZ */
	const struct cfg_choice *choices;
	const char *unit; /* "" if there is none */
	const char *doc;
};
extern const struct cfg_param cfg_params[CFG_COUNT];
extern const char *const cfg_type_names[CFG_TYPE_COUNT];

/* The parameter with that key, or -1. */
int cfg_find(const char *key, size_t size);
/* The key that was meant by one that does not exist: by what people call it,
 * else by its spelling. NULL: none. */
const char *cfg_nearest(const char *key, size_t size);

#define CFG_VALUE_SIZE 96

/*
 * Sets one parameter from its text in a file. *c does not change if this fails;
 * the message names the key and the range.
 */
MUST_USE enum err cfg_value_parse(struct cfg *c, enum cfg_id id,
				  const char *text, size_t size,
				  struct diag *d);
/* Sets a parameter that is a number, with the same checks. */
MUST_USE enum err cfg_value_set(struct cfg *c, enum cfg_id id, double v,
				struct diag *d);
/* The value as a number; yes and no are 1 and 0. False: it is not a number. */
bool cfg_value_number(const struct cfg *c, enum cfg_id id, double *out);
/* Prints a value as it stands in a file; cfg_value_parse reads it back. */
void cfg_value_print(char text[CFG_VALUE_SIZE], const struct cfg *c,
		     enum cfg_id id);
/* Prints the range for people: "1 to 64", "lrr, gto". */
void cfg_range_print(char *text, size_t room, enum cfg_id id);
/* Prints a size: 96K, 768, 6M. */
void cfg_bytes_print(char text[CFG_VALUE_SIZE], int64_t bytes);

#endif
