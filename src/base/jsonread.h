/*
 * Reads JSON (RFC 8259) into a tree in an arena.
 *
 * Reads all of JSON. Escapes become UTF-8; a number is kept both as it was
 * written and as a double. Of members with the same key the first is found.
 * Errors: comments, nesting deeper than JSON_DEPTH, a NUL inside a string.
 */
#ifndef HEDDLE_BASE_JSONREAD_H
#define HEDDLE_BASE_JSONREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

enum { JSON_DEPTH = 64 };

enum json_kind {
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT
};

struct json_node {
	enum json_kind kind;
	bool truth;
	double number;
	const char *text; /* a string, or a number as it was written */
	const char *key;  /* of a member */
	const struct json_node *first, *next;
	size_t count; /* elements or members */
};

/* `name` is what error messages call the text, usually the file's path. */
MUST_USE enum err json_read(const struct json_node **out, struct arena *a,
			    const char *text, size_t bytes, const char *name,
			    struct diag *d);
/* Reads the file at `path`. */
MUST_USE enum err json_read_file(const struct json_node **out, struct arena *a,
				 const char *path, struct diag *d);

/* The member at a path of keys such as "launch.fault", or NULL. n may be NULL,
 * which has no members. A key with a dot in it cannot be found. */
const struct json_node *json_get(const struct json_node *n, const char *path);
/* The value of that member, or `otherwise` if there is none of that kind. */
const char *json_get_text(const struct json_node *n, const char *path,
			  const char *otherwise);
double json_get_number(const struct json_node *n, const char *path,
		       double otherwise);

#endif
