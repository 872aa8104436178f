/*
 * A set of states, each kept in full: two that are equal have one number, and
 * only those.
 *
 * Owner:   whoever made it; states_free.
 */
#ifndef HEDDLE_TESTS_CGM_STATES_H
#define HEDDLE_TESTS_CGM_STATES_H

#include <stdbool.h>
#include <stdint.h>

struct states {
	uint32_t *slot; /* number + 1; 0: empty */
	uint32_t mask;
	uint32_t count, room;
	uint64_t *start; /* of a state's bytes; start[count]: of the next */
	uint8_t *byte;
	uint64_t bytes_room;
};

enum { STATES_NONE = UINT32_MAX };

void states_init(struct states *s);
void states_free(struct states *s);
/* The number of a state, which is added if it is not there. */
uint32_t states_add(struct states *s, const uint8_t *byte, unsigned size,
		    bool *added);
/* STATES_NONE: it is not there. */
uint32_t states_find(const struct states *s, const uint8_t *byte,
		     unsigned size);
const uint8_t *states_get(const struct states *s, uint32_t number,
			  unsigned *size);
/* Bytes of memory. */
uint64_t states_bytes(const struct states *s);

#endif
