#include "trace/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/crc.h"
#include "trace/number.h"

static void put32(uint8_t *to, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(v >> 8 * i);
}

static void put64(uint8_t *to, uint64_t v)
{
	put32(to, (uint32_t)v);
	put32(to + 4, (uint32_t)(v >> 32));
}

static uint32_t get32(const uint8_t *from)
{
	uint32_t v = 0;

	for (int i = 0; i < 4; i++)
		v |= (uint32_t)from[i] << 8 * i;
	return v;
}

static uint64_t get64(const uint8_t *from)
{
	return get32(from) | (uint64_t)get32(from + 4) << 32;
}

void section_pack(uint8_t to[SECTION_HEADER_BYTES], const struct section *s)
{
	put32(to, SECTION_MAGIC);
	to[4] = s->kind;
	to[5] = s->packed;
	to[6] = to[7] = 0;
	put64(to + 8, s->number);
	put32(to + 16, s->of);
	put32(to + 20, s->head_bytes);
	put32(to + 24, s->body_bytes);
	put32(to + 28, s->plain_bytes);
	put32(to + 32, s->head_crc);
	put32(to + 36, s->body_crc);
	put32(to + 40, trace_crc(to, 40));
}

enum err section_unpack(struct section *s,
			const uint8_t from[SECTION_HEADER_BYTES],
			struct diag *d)
{
	if (get32(from) != SECTION_MAGIC)
		return fail(d, ERR_SYNTAX, "no section starts here");
	if (get32(from + 40) != trace_crc(from, 40))
		return fail(d, ERR_SYNTAX,
			    "the checksum of a section's header is wrong");
	*s = (struct section){
		.kind = from[4],
		.packed = from[5],
		.number = get64(from + 8),
		.of = get32(from + 16),
		.head_bytes = get32(from + 20),
		.body_bytes = get32(from + 24),
		.plain_bytes = get32(from + 28),
		.head_crc = get32(from + 32),
		.body_crc = get32(from + 36),
	};
	if (s->kind == SECTION_NONE || s->kind >= SECTION_KINDS ||
	    from[5] > 1 || from[6] || from[7] || s->head_bytes > SECTION_MAX ||
	    s->body_bytes > SECTION_MAX || s->plain_bytes > SECTION_MAX ||
	    (!s->packed && s->plain_bytes != s->body_bytes))
		return fail(d, ERR_SYNTAX, "a section's header is invalid");
	return ERR_OK;
}

void section_name(char *to, size_t room, uint8_t kind, uint32_t of)
{
	static const char *const names[SECTION_KINDS] = { "section",
#define X(id, text) text,
							  SECTION_MAP(X)
#undef X
	};

	if (kind == SECTION_INFO || kind == SECTION_INDEX)
		snprintf(to, room, "%s", names[kind]);
	else
		snprintf(to, room, "%s %" PRIu32, names[kind], of);
}

void file_header_pack(uint8_t to[FILE_HEADER_BYTES])
{
	memcpy(to, FILE_MAGIC, MAGIC_BYTES);
	put32(to + MAGIC_BYTES, FORMAT_VERSION);
	put32(to + MAGIC_BYTES + 4, trace_crc(to, MAGIC_BYTES + 4));
}

enum err file_header_check(const uint8_t from[FILE_HEADER_BYTES],
			   uint32_t *version, struct diag *d)
{
	*version = get32(from + MAGIC_BYTES);
	if (memcmp(from, FILE_MAGIC, MAGIC_BYTES))
		return fail(d, ERR_SYNTAX, "not a Heddle trace");
	if (get32(from + MAGIC_BYTES + 4) != trace_crc(from, MAGIC_BYTES + 4))
		return fail(d, ERR_SYNTAX, "the file's header is damaged");
	if (*version < FORMAT_OLDEST || *version > FORMAT_VERSION)
		return fail(d, ERR_UNSUPP,
			    "trace format version %" PRIu32
			    " is not supported; this Heddle reads versions "
			    "%d to %d",
			    *version, FORMAT_OLDEST, FORMAT_VERSION);
	return ERR_OK;
}

void tail_pack(uint8_t to[TAIL_BYTES], uint64_t index)
{
	put64(to, index);
	put32(to + 8, trace_crc(to, 8));
	memcpy(to + 12, TAIL_MAGIC, MAGIC_BYTES);
}

bool tail_unpack(const uint8_t from[TAIL_BYTES], uint64_t *index)
{
	*index = get64(from);
	return get32(from + 8) == trace_crc(from, 8) &&
	       !memcmp(from + 12, TAIL_MAGIC, MAGIC_BYTES);
}

static bool outbuf_reserve(struct outbuf *b, size_t size)
{
	size_t room = b->room ? b->room : 256;
	uint8_t *at;

	if (b->no_memory)
		return false;
	if (b->room - b->size >= size)
		return true;
	while (room - b->size < size)
		room *= 2;
	at = realloc(b->at, room);
	if (!at) {
		b->no_memory = true;
		return false;
	}
	b->at = at;
	b->room = room;
	return true;
}

void outbuf_put(struct outbuf *b, const void *from, size_t size)
{
	if (!size || !outbuf_reserve(b, size))
		return;
	memcpy(b->at + b->size, from, size);
	b->size += size;
}

void outbuf_number(struct outbuf *b, uint64_t v)
{
	if (outbuf_reserve(b, NUMBER_MAX))
		b->size = (size_t)(number_put(b->at + b->size, v) - b->at);
}

void outbuf_text(struct outbuf *b, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	outbuf_number(b, n);
	outbuf_put(b, text, n);
}

void outbuf_free(struct outbuf *b)
{
	free(b->at);
	*b = (struct outbuf){ 0 };
}

static void cursor_fail(struct cursor *c)
{
	c->bad = true;
	c->at = c->end;
}

uint64_t cursor_number(struct cursor *c)
{
	uint64_t v;

	if (number_get(&c->at, c->end, &v))
		return v;
	cursor_fail(c);
	return 0;
}

uint64_t cursor_bounded(struct cursor *c, uint64_t max)
{
	uint64_t v = cursor_number(c);

	if (v <= max)
		return v;
	cursor_fail(c);
	return 0;
}

const uint8_t *cursor_bytes(struct cursor *c, size_t size)
{
	const uint8_t *at = c->at;

	if (c->bad || size > (size_t)(c->end - c->at)) {
		cursor_fail(c);
		return NULL;
	}
	c->at += size;
	return at;
}

char *cursor_text(struct cursor *c)
{
	size_t n = cursor_bounded(c, (size_t)(c->end - c->at));
	const uint8_t *from = cursor_bytes(c, n);
	char *text = from ? malloc(n + 1) : NULL;

	if (!text) {
		cursor_fail(c);
		return NULL;
	}
	memcpy(text, from, n);
	text[n] = 0;
	/* A NUL inside the text would hide the rest. */
	if (strlen(text) != n)
		cursor_fail(c);
	return text;
}
