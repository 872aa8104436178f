/*
 * Values over time: the statistics of each interval of a timed launch, as rows
 * of CSV, as a JSON array, and as a short table for people.
 *
 * Memory is bounded: CSV is written at once, JSON waits in a temporary file, and
 * the table joins neighbours when it has too many rows.
 */
#ifndef HEDDLE_CLI_INTERVALS_H
#define HEDDLE_CLI_INTERVALS_H

#include "base/diag.h"
#include "base/jsonwrite.h"
#include "door/common/csv.h"
#include "heddle/heddle.h"

enum { INTERVAL_ROWS = 32 };

struct interval_row {
	uint64_t from, to; /* cycles */
	uint64_t samples;
	uint64_t instructions, dram_bytes, l2_reads, l2_hits;
};

struct intervals {
	struct csv csv;
	FILE *spool; /* elements of JSON; NULL: none */
	int error;   /* errno of the first write that failed */
	uint64_t count;
	uint64_t stride; /* samples per row of the table */
	struct interval_row rows[INTERVAL_ROWS];
	size_t row_count;
};

/* csv: a path, "-" or NULL. */
MUST_USE enum err intervals_open(struct intervals *v, const char *csv,
				 bool json, struct diag *d);
/* Adds an interval. False: it could not be written. */
bool intervals_add(struct intervals *v, uint64_t from, uint64_t to,
		   const struct heddle_stats *s);
/* Writes a row of CSV for the whole launch. */
void intervals_whole(struct intervals *v, uint64_t cycles,
		     const struct heddle_stats *s);
/* Writes the member "intervals". */
void intervals_json(struct intervals *v, struct json *j);
/* Prints the table to stderr. */
void intervals_print(const struct intervals *v, uint64_t sms, double mhz);
/* Completes the CSV, or says why not. cut: why the launch is not whole; NULL: it
 * is. */
MUST_USE enum err intervals_close(struct intervals *v, const char *cut,
				  struct diag *d);
void intervals_free(struct intervals *v);

#endif
