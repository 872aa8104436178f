/*
 * Hash tables of pointers that a program may pass to us. One table holds the
 * live handles: anything else is refused and never dereferenced. Another holds
 * the addresses of the kernels and variables that the program registered.
 */
#ifndef HEDDLE_RT_HANDLE_H
#define HEDDLE_RT_HANDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum handle_kind {
	HANDLE_NONE,
	HANDLE_STREAM,
	HANDLE_EVENT,
	HANDLE_ARRAY,
	HANDLE_MIPMAP,
	HANDLE_POOL,
	HANDLE_MODULE,
	HANDLE_FUNC,
	HANDLE_GRAPH,
	HANDLE_NODE,
	HANDLE_EXEC,
	HANDLE_OBJECT,
	/* In the table of addresses. */
	SYMBOL_FUNC,
	SYMBOL_VAR,
	SYMBOL_TEXTURE,
};

/* Open addressing, at most half full. */
struct handle_slot {
	void *p;
	enum handle_kind kind;
	void *value;
};

struct handles {
	struct handle_slot *slots;
	size_t count, room; /* room: a power of two */
};

/* False: out of memory. */
bool handle_add(struct handles *t, void *p, enum handle_kind kind);
bool symbol_add(struct handles *t, const void *p, enum handle_kind kind,
		void *value);
/* The value of p; NULL: p is not in the table, or of another kind. */
void *symbol_value(const struct handles *t, const void *p,
		   enum handle_kind kind);
bool handle_is(const struct handles *t, const void *p, enum handle_kind kind);
void handle_remove(struct handles *t, const void *p);
/* Some pointer of that kind that matches, to release all of them one by one;
 * NULL: none is left. `match` may be NULL. */
void *handle_any(const struct handles *t, enum handle_kind kind,
		 bool (*match)(const void *p, int what), int what);

#endif
