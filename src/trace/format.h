/*
 * The bytes of a trace file; docs/traces.md has them for people. Numbers of a
 * fixed size are little endian.
 *
 *	file header | section | section | ... | index section | tail
 *	section: header | head (never compressed) | body
 */
#ifndef HEDDLE_TRACE_FORMAT_H
#define HEDDLE_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define FILE_MAGIC "HEDDLETR"
#define TAIL_MAGIC "HEDDLEND"

enum {
	MAGIC_BYTES = 8,
	FORMAT_VERSION = 1,
	FILE_HEADER_BYTES = MAGIC_BYTES + 8, /* magic, version, checksum */
	TAIL_BYTES = 8 + 4 + MAGIC_BYTES,    /* index, checksum, magic */
	SECTION_MAGIC = 0x63735448,          /* "HTsc" */
	SECTION_HEADER_BYTES = 44
};

/* A body is closed when it has grown to PART_BYTES, a head when it has grown
 * to HEAD_BYTES; no section has more than SECTION_MOST in head or body. */
enum { PART_BYTES = 256 << 10, HEAD_BYTES = 64 << 10, SECTION_MAX = 1 << 30 };

/*      id      of what, for messages */
#define SECTION_MAP(X)                     \
	X(INFO, "information")             \
	X(MODULE, "module")                \
	X(COPY, "copy")                    \
	X(LAUNCH, "launch")                \
	X(BLOCKS, "work-groups of launch") \
	X(END, "end of launch")            \
	X(INDEX, "index")

enum section_kind {
	SECTION_NONE,
#define X(id, text) SECTION_##id,
	SECTION_MAP(X)
#undef X
		SECTION_KINDS
};

struct section {
	uint8_t kind;
	bool packed;     /* the body is compressed */
	uint64_t number; /* sections before it */
	uint32_t of;     /* number of the module, copy or launch; else 0 */
	uint32_t head_bytes, body_bytes; /* in the file */
	uint32_t plain_bytes;            /* of the body */
	uint32_t head_crc, body_crc;     /* of the bytes in the file */
};

void section_pack(uint8_t to[SECTION_HEADER_BYTES], const struct section *s);
/* ERR_SYNTAX: it is none. */
MUST_USE enum err section_unpack(struct section *s,
				 const uint8_t from[SECTION_HEADER_BYTES],
				 struct diag *d);
/* "work-groups of launch 3" */
void section_name(char *to, size_t room, uint8_t kind, uint32_t of);
static inline uint64_t section_bytes(const struct section *s)
{
	return SECTION_HEADER_BYTES + (uint64_t)s->head_bytes + s->body_bytes;
}

void file_header_pack(uint8_t to[FILE_HEADER_BYTES]);
/* ERR_SYNTAX: no trace, or damaged; ERR_UNSUPP: of another version. */
MUST_USE enum err file_header_check(const uint8_t from[FILE_HEADER_BYTES],
				    struct diag *d);
void tail_pack(uint8_t to[TAIL_BYTES], uint64_t index);
bool tail_unpack(const uint8_t from[TAIL_BYTES], uint64_t *index);

/* Bytes that grow: a head or a body on its way to the file. */
struct out {
	uint8_t *at;
	size_t size, room;
	bool no_memory; /* sticky; what is put then is dropped */
};

void out_put(struct out *b, const void *from, size_t size);
void out_number(struct out *b, uint64_t v);
/* Its length and its characters; NULL is "". */
void out_text(struct out *b, const char *text);
void out_free(struct out *b);

/* A head or a body that is read. */
struct cursor {
	const uint8_t *at, *end;
	bool bad; /* sticky: what is read then is 0 */
};

uint64_t cursor_number(struct cursor *c);
/* At most `most`, else bad. */
uint64_t cursor_at_max(struct cursor *c, uint64_t max);
/* In the bytes, not terminated. */
const uint8_t *cursor_bytes(struct cursor *c, size_t size);
/* malloc'ed; NULL: bad, or out of memory, which is the same here. */
char *cursor_text(struct cursor *c);

#endif
