/*
 * The bytes of a trace file; docs/traces.md describes them. Numbers of a fixed
 * size are little endian.
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
	FORMAT_VERSION = 4, /* 4: launches of wavefronts */
	FORMAT_TEXELS = 2,  /* trace_is_old says how version 1 differs */
	FORMAT_SIZES = 3,   /* trace_has_sizes */
	FORMAT_OLDEST = 1,  /* that can be read */
	FILE_HEADER_BYTES = MAGIC_BYTES + 8, /* magic, version, checksum */
	TAIL_BYTES = 8 + 4 + MAGIC_BYTES,    /* index, checksum, magic */
	SECTION_MAGIC = 0x63735448,          /* "HTsc" */
	SECTION_HEADER_BYTES = 44
};

/* A batch of work-groups is closed when its body has grown to BATCH_BYTES or
 * its head to HEAD_BYTES. No head or body has more than SECTION_MAX bytes. */
enum { BATCH_BYTES = 256 << 10, HEAD_BYTES = 64 << 10, SECTION_MAX = 1 << 30 };

/*      id      name for messages */
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
	uint64_t number; /* how many sections precede it */
	uint32_t of;     /* number of the module, copy or launch; else 0 */
	uint32_t head_bytes, body_bytes; /* in the file */
	uint32_t plain_bytes;            /* of the body */
	uint32_t head_crc, body_crc;     /* of the bytes in the file */
};

void section_pack(uint8_t to[SECTION_HEADER_BYTES], const struct section *s);
/* ERR_SYNTAX: not a valid section header. */
MUST_USE enum err section_unpack(struct section *s,
				 const uint8_t from[SECTION_HEADER_BYTES],
				 struct diag *d);
/* Prints a name such as "work-groups of launch 3". */
void section_name(char *to, size_t room, uint8_t kind, uint32_t of);
static inline uint64_t section_bytes(const struct section *s)
{
	return SECTION_HEADER_BYTES + (uint64_t)s->head_bytes + s->body_bytes;
}

void file_header_pack(uint8_t to[FILE_HEADER_BYTES]);
/* ERR_SYNTAX: not a trace, or damaged; ERR_UNSUPP: of a version that cannot be
 * read. */
MUST_USE enum err file_header_check(const uint8_t from[FILE_HEADER_BYTES],
				    uint32_t *version, struct diag *d);
void tail_pack(uint8_t to[TAIL_BYTES], uint64_t index);
bool tail_unpack(const uint8_t from[TAIL_BYTES], uint64_t *index);

/* A buffer that grows: a head or a body to be written. */
struct outbuf {
	uint8_t *at;
	size_t size, room;
	bool no_memory; /* sticky; further data is dropped */
};

void outbuf_put(struct outbuf *b, const void *from, size_t size);
void outbuf_number(struct outbuf *b, uint64_t v);
/* Puts the text's length and characters; NULL is "". */
void outbuf_text(struct outbuf *b, const char *text);
void outbuf_free(struct outbuf *b);

/* A position in a head or a body that is being read. */
struct cursor {
	const uint8_t *at, *end;
	bool bad; /* sticky; further reads give 0 */
};

uint64_t cursor_number(struct cursor *c);
/* Reads a number; if it is more than max, the cursor becomes bad. */
uint64_t cursor_bounded(struct cursor *c, uint64_t max);
/* Points into the buffer; not terminated by a NUL. */
const uint8_t *cursor_bytes(struct cursor *c, size_t size);
/* malloc'ed. NULL: the cursor is bad, also if memory ran out. */
char *cursor_text(struct cursor *c);

#endif
