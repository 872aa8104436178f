/*
 * A tag array as simple as possible, to compare mem/tags.h with: a flag for
 * each byte, a time for each access, linear searches.
 */
#ifndef HEDDLE_TESTS_TAGS_ORACLE_H
#define HEDDLE_TESTS_TAGS_ORACLE_H

#include "mem/tags.h"

enum { PLAIN_LINE_BYTES = 256, PLAIN_MERGES = 8 };

struct plain_line {
	bool used;
	uint64_t line;
	unsigned valid, pending;
	bool have[PLAIN_LINE_BYTES]; /* bytes known though not valid */
	bool dirty[PLAIN_LINE_BYTES];
	uint64_t last_use, born, emptied;
	int rrpv;
	struct {
		uint32_t token;
		unsigned need;
	} wait[PLAIN_MERGES];
	unsigned waits;
};

struct plain {
	struct tags_cfg cfg;
	uint32_t sets, ways;
	struct spread spread;
	struct plain_line *at; /* by set and way */
	uint64_t clock;
	uint32_t mshrs, waiters; /* in use */
	/* The way that the tag array chose, which a random policy follows. */
	uint32_t random_way;
	struct tags_stats st;
};

struct plain_out {
	enum tags_result result;
	unsigned request, forward;
	bool evicted;
	uint64_t victim;
	bool dirty[PLAIN_LINE_BYTES];
};

void plain_init(struct plain *o, const struct tags_cfg *cfg);
void plain_free(struct plain *o);
void plain_resize(struct plain *o, uint32_t sets, uint32_t ways);
struct plain_line *plain_find(struct plain *o, uint64_t line);
void plain_read(struct plain *o, uint64_t line, unsigned sectors,
		uint32_t token, struct plain_out *out);
void plain_write(struct plain *o, uint64_t line, uint32_t pieces,
		 const uint32_t *bytes, struct plain_out *out);
uint32_t plain_fill(struct plain *o, struct plain_line *l, unsigned sectors,
		    uint32_t *tokens);
void plain_invalidate(struct plain *o, uint64_t line);
void plain_invalidate_all(struct plain *o);
/* Stores the dirty bytes in *out. Returns false if the line is not dirty. */
bool plain_clean(struct plain *o, struct plain_line *l, struct plain_out *out);
/* As in struct tags_probe. */
unsigned plain_written(const struct plain *o, const struct plain_line *l);

#endif
