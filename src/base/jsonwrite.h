/*
 * Writes JSON, one value per line. The caller must close what it opened; a key
 * is NULL inside an array. Bytes that are not UTF-8 become U+FFFD.
 */
#ifndef HEDDLE_BASE_JSONWRITE_H
#define HEDDLE_BASE_JSONWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *to;
	unsigned depth;
	bool comma;    /* something precedes in this object or array */
	unsigned flat; /* depth of the value written on one line; 0: none */
};

/* what: '{' or '['. */
void json_open(struct json *j, const char *key, char what);
/* The same, with all its members on one line. */
void json_open_line(struct json *j, const char *key, char what);
void json_close(struct json *j, char what);
void json_string(struct json *j, const char *key, const char *v);
void json_uint(struct json *j, const char *key, uint64_t v);
/* An array on one line. */
void json_uints(struct json *j, const char *key, const uint32_t *v, size_t n);
/* Writes null if v is not finite: JSON has no infinities. */
void json_real(struct json *j, const char *key, double v);
void json_bool(struct json *j, const char *key, bool v);
void json_null(struct json *j, const char *key);
/* Writes only the key; the caller writes the value to j->to. */
void json_key(struct json *j, const char *key);

#endif
