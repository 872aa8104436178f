#include "door/opencl/binary.h"

#include <stdlib.h>
#include <string.h>

static const char magic[8] = { 'H', 'E', 'D', 'D', 'L', 'E', 'C', 'L' };
enum { VERSION = 1, PARTS_MAX = 65536 };

static void put_u32(struct text *to, uint32_t v)
{
	unsigned char b[4] = { (unsigned char)v, (unsigned char)(v >> 8),
			       (unsigned char)(v >> 16),
			       (unsigned char)(v >> 24) };

	text_add(to, b, sizeof(b));
}

void binary_write(const struct binary *b, struct text *to)
{
	struct text meta = { 0 };

	text_add(&meta, "", 0);
	meta_write(&b->meta, &meta);
	text_add(to, magic, sizeof(magic));
	put_u32(to, VERSION);
	put_u32(to, b->kind);
	put_u32(to, b->target.isa);
	put_u32(to, b->target.sm);
	put_u32(to, (uint32_t)meta.size);
	put_u32(to, (uint32_t)b->part_count);
	text_add(to, meta.at, meta.size);
	to->bad |= meta.bad;
	text_free(&meta);
	for (size_t i = 0; i < b->part_count; i++) {
		put_u32(to, (uint32_t)b->parts[i].size);
		put_u32(to, (uint32_t)((uint64_t)b->parts[i].size >> 32));
		text_add(to, b->parts[i].at, b->parts[i].size);
	}
}

struct binary_cursor {
	const unsigned char *at;
	size_t left;
	bool bad;
};

static const void *take(struct binary_cursor *c, size_t size)
{
	const void *p = c->at;

	if (c->bad || c->left < size) {
		c->bad = true;
		return NULL;
	}
	c->at += size;
	c->left -= size;
	return p;
}

static uint32_t take_u32(struct binary_cursor *c)
{
	const unsigned char *b = take(c, 4);

	return b ? b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
			       (uint32_t)b[3] << 24 :
		   0;
}

static enum err damaged(struct diag *d)
{
	return fail(d, ERR_SYNTAX, "the binary is damaged");
}

static enum err read_part(struct blob *out, struct binary_cursor *c,
			  struct diag *d)
{
	uint64_t size = take_u32(c);
	const void *bytes;

	size |= (uint64_t)take_u32(c) << 32;
	bytes = take(c, (size_t)size);
	if (!bytes)
		return damaged(d);
	out->at = malloc((size_t)size + 1);
	if (!out->at)
		return fail(d, ERR_NOMEM, "out of memory");
	memcpy(out->at, bytes, (size_t)size);
	out->at[size] = '\0';
	out->size = (size_t)size;
	return ERR_OK;
}

static bool kind_is_known(cl_program_binary_type kind)
{
	return kind == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
	       kind == CL_PROGRAM_BINARY_TYPE_LIBRARY ||
	       kind == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
}

static enum err read_head(struct binary *b, struct binary_cursor *c,
			  size_t *meta, size_t *parts, struct diag *d)
{
	const void *head = take(c, sizeof(magic));
	uint32_t version, isa;

	if (!head || memcmp(head, magic, sizeof(magic)) != 0)
		return fail(d, ERR_SYNTAX,
			    "this is no binary of Heddle's OpenCL");
	version = take_u32(c);
	if (!c->bad && version != VERSION)
		return fail(d, ERR_UNSUPP,
			    "the binary has version %u; expected %d", version,
			    VERSION);
	b->kind = take_u32(c);
	isa = take_u32(c);
	b->target.sm = take_u32(c);
	*meta = take_u32(c);
	*parts = take_u32(c);
	if (c->bad || !kind_is_known(b->kind) || isa > DEVICE_GCN ||
	    *parts > PARTS_MAX || !*parts ||
	    (b->kind != CL_PROGRAM_BINARY_TYPE_LIBRARY && *parts != 1))
		return damaged(d);
	b->target.isa = (enum device_isa)isa;
	return ERR_OK;
}

bool binary_is_one(const void *bytes, size_t size)
{
	return size >= sizeof(magic) && !memcmp(bytes, magic, sizeof(magic));
}

enum err binary_read(struct binary *b, const void *bytes, size_t size,
		     struct diag *d)
{
	struct binary_cursor c = { bytes, size, false };
	size_t meta = 0, parts = 0;
	const char *text;

	*b = (struct binary){ 0 };
	if (read_head(b, &c, &meta, &parts, d))
		return d->code;
	text = take(&c, meta);
	if (!text)
		return damaged(d);
	if (meta_read(&b->meta, text, meta, d))
		return d->code;
	b->parts = calloc(parts, sizeof(*b->parts));
	if (!b->parts)
		return fail(d, ERR_NOMEM, "out of memory");
	for (; b->part_count < parts; b->part_count++)
		if (read_part(&b->parts[b->part_count], &c, d))
			return d->code;
	return c.left ? damaged(d) : ERR_OK;
}

void binary_free(struct binary *b)
{
	for (size_t i = 0; i < b->part_count; i++)
		free(b->parts[i].at);
	free(b->parts);
	meta_free(&b->meta);
	*b = (struct binary){ 0 };
}
