/* The statistics of CGM as JSON, for `heddle system` and `heddle cgm`. */
#ifndef HEDDLE_CLI_MEMORY_JSON_H
#define HEDDLE_CLI_MEMORY_JSON_H

#include "base/jsonwrite.h"
#include "cfg/configs.h"
#include "mem/cgm/series.h"

/* Members of the open object: "memory"; */
void memory_json(struct json *j, const struct cgm_stats *st);
/* "messages" by kind, and "links", each one. */
void memory_json_links(struct json *j, const struct cgm_system *cgm);
/* The beginning of an object of a list: a block, and its coherence. */
void memory_json_block(struct json *j, const struct cgm_hot_block *b);
/* All parameters, and who wrote them: "version", "parameters". */
void memory_json_config(struct json *j, const struct cfg *cfg);
/* [kind, begin, end, how many], times in nanoseconds. */
void memory_json_span(struct json *j, uint32_t kind, double begin, double end,
		      uint64_t count);

/* Values over time: members of an open object "series". A column is an array of what
 * each sample added; one that is always 0 is left out. */
void memory_json_column(struct json *j, const char *name,
			const struct cgm_series *q, unsigned column);
/* "interval" and "cycles". */
void memory_json_times(struct json *j, const struct cgm_series *q);
/* "memory", "messages" and "links". */
void memory_json_series(struct json *j, const struct cgm_series *q);

#endif
