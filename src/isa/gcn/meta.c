#include "isa/gcn/meta.h"

#include <string.h>

#include "base/bytes.h"

/* ---- descriptors ------------------------------------------------------- */

static uint64_t number_at(const uint8_t *bytes, size_t at, unsigned size)
{
	struct byte_reader r = { .data = bytes, .size = at + size, .at = at };

	return bytes_number(&r, size);
}

static uint32_t word_at(const uint8_t *bytes, size_t at)
{
	return (uint32_t)number_at(bytes, at, 4);
}

/* Registers, in granules of 4 and 8. */
static void set_resources(struct gcn_kernel *k, uint32_t rsrc1, uint32_t rsrc2)
{
	k->valid = true;
	k->rsrc1 = rsrc1;
	k->rsrc2 = rsrc2;
	k->vectors = ((rsrc1 & 63) + 1) * 4;
	k->scalars = ((rsrc1 >> 6 & 15) + 1) * 8;
}

void gcn_kernel_descriptor(struct gcn_kernel *k, const uint8_t bytes[64])
{
	set_resources(k, word_at(bytes, 48), word_at(bytes, 52));
	k->group_bytes = word_at(bytes, 0);
	k->private_bytes = word_at(bytes, 4);
	k->kernarg_bytes = word_at(bytes, 8);
	k->entry = number_at(bytes, 16, 8);
	k->starts = (uint32_t)number_at(bytes, 56, 2) & 0x7f;
}

void gcn_kernel_header(struct gcn_kernel *k, const uint8_t bytes[256])
{
	set_resources(k, word_at(bytes, 48), word_at(bytes, 52));
	k->entry = number_at(bytes, 16, 8);
	k->starts = word_at(bytes, 56) & 0x7f;
	k->private_bytes = word_at(bytes, 60);
	k->group_bytes = word_at(bytes, 64);
	k->kernarg_bytes = (uint32_t)number_at(bytes, 72, 8);
}

/* ---- MessagePack ------------------------------------------------------- */

enum pack_kind { PACK_OTHER, PACK_INT, PACK_TEXT, PACK_ARRAY, PACK_MAP };

/* A value; of an array or a map only how many values follow. */
struct pack {
	enum pack_kind kind;
	uint64_t number; /* also a length, a truth */
	const char *text;
};

enum { DEPTH_MAX = 16 };

/* Numbers have their highest byte first. */
static uint64_t big_number(struct byte_reader *r, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | bytes_number(r, 1);
	return v;
}

static void meta_take_text(struct byte_reader *r, struct pack *p, uint64_t size)
{
	p->kind = PACK_TEXT;
	p->number = size;
	p->text = (const char *)r->data + r->at;
	if (size > bytes_left(r))
		r->bad = true;
	else
		r->at += size;
}

static void take_bytes(struct byte_reader *r, uint64_t size)
{
	if (size > bytes_left(r))
		r->bad = true;
	else
		r->at += size;
}

static void take_long(struct byte_reader *r, struct pack *p, unsigned code)
{
	switch (code) {
	case 0xc2:
	case 0xc3:
		*p = (struct pack){ PACK_INT, code & 1, NULL };
		break;
	case 0xc4:
	case 0xc5:
	case 0xc6:
		take_bytes(r, big_number(r, 1u << (code - 0xc4)));
		break;
	case 0xca:
	case 0xcb:
		take_bytes(r, code == 0xca ? 4 : 8);
		break;
	case 0xcc:
	case 0xcd:
	case 0xce:
	case 0xcf:
		*p = (struct pack){ PACK_INT,
				    big_number(r, 1u << (code - 0xcc)), NULL };
		break;
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3:
		*p = (struct pack){ PACK_INT,
				    big_number(r, 1u << (code - 0xd0)), NULL };
		break;
	case 0xd9:
	case 0xda:
	case 0xdb:
		meta_take_text(r, p, big_number(r, 1u << (code - 0xd9)));
		break;
	case 0xdc:
	case 0xdd:
		*p = (struct pack){ PACK_ARRAY,
				    big_number(r, code == 0xdc ? 2 : 4), NULL };
		break;
	case 0xde:
	case 0xdf:
		*p = (struct pack){ PACK_MAP,
				    big_number(r, code == 0xde ? 2 : 4), NULL };
		break;
	default:
		/* nil; extensions do not occur */
		r->bad |= code != 0xc0;
	}
}

static struct pack meta_take(struct byte_reader *r)
{
	struct pack p = { PACK_OTHER, 0, NULL };
	unsigned code = (unsigned)bytes_number(r, 1);

	if (code < 0x80 || code >= 0xe0)
		p = (struct pack){ PACK_INT, (uint64_t)(int8_t)code, NULL };
	else if (code < 0x90)
		p = (struct pack){ PACK_MAP, code & 15, NULL };
	else if (code < 0xa0)
		p = (struct pack){ PACK_ARRAY, code & 15, NULL };
	else if (code < 0xc0)
		meta_take_text(r, &p, code & 31);
	else
		take_long(r, &p, code);
	return p;
}

/* Skips a value with all that it holds. */
static void meta_skip(struct byte_reader *r)
{
	uint64_t left[DEPTH_MAX] = { 1 };
	unsigned depth = 0;

	while (!r->bad) {
		struct pack p;

		while (!left[depth]) {
			if (!depth)
				return;
			depth--;
		}
		left[depth]--;
		p = meta_take(r);
		if (p.kind != PACK_ARRAY && p.kind != PACK_MAP)
			continue;
		if (++depth == DEPTH_MAX) {
			r->bad = true;
			return;
		}
		left[depth] = p.kind == PACK_MAP ? 2 * p.number : p.number;
	}
}

static bool is_meta_text(const struct pack *p, const char *text)
{
	return p->kind == PACK_TEXT && p->number == strlen(text) &&
	       !memcmp(p->text, text, p->number);
}

/* Moves to the value of a map's key, whose first key r is at. */
static bool find_key(struct byte_reader *r, uint64_t count, const char *key)
{
	for (uint64_t i = 0; i < count && !r->bad; i++) {
		struct pack k = meta_take(r);

		if (is_meta_text(&k, key))
			return true;
		meta_skip(r);
	}
	return false;
}

/* The value of a key of the map at *at; r moves to it. */
static bool value_of(struct byte_reader *r, const struct byte_reader *at,
		     const char *key)
{
	struct pack p;

	*r = *at;
	p = meta_take(r);
	return p.kind == PACK_MAP && find_key(r, p.number, key);
}

static uint64_t meta_number_of(const struct byte_reader *at, const char *key,
			       uint64_t otherwise)
{
	struct byte_reader r;
	struct pack p;

	if (!value_of(&r, at, key))
		return otherwise;
	p = meta_take(&r);
	return p.kind == PACK_INT && !r.bad ? p.number : otherwise;
}

/* NULL: there is no such text, or no memory. */
static const char *text_of(const struct byte_reader *at, const char *key,
			   struct arena *a)
{
	struct byte_reader r;
	struct pack p;

	if (!value_of(&r, at, key))
		return NULL;
	p = meta_take(&r);
	return p.kind == PACK_TEXT && !r.bad ?
		       arena_strndup(a, p.text, p.number) :
		       NULL;
}

/* ---- kernels ----------------------------------------------------------- */

enum { NOTE_METADATA = 32, NOTE_HEAD = 12, PARAM_BYTES_MAX = 1 << 16 };

/* The map of the note; false: there is none. */
static bool find_note(const struct gcn_object *o, struct byte_reader *out)
{
	for (size_t i = 0; i < o->elf.sections.count; i++) {
		struct elf_part p;
		struct diag d;
		size_t at = 0;

		if (elf_part(&o->elf, i, &p, &d) || p.head.sh_type != SHT_NOTE)
			continue;
		while (p.bytes.size >= NOTE_HEAD &&
		       at <= p.bytes.size - NOTE_HEAD) {
			uint32_t name = word_at(p.bytes.data, at);
			uint32_t size = word_at(p.bytes.data, at + 4);
			uint32_t type = word_at(p.bytes.data, at + 8);
			uint64_t from =
				at + NOTE_HEAD + (((uint64_t)name + 3) & ~3ull);

			if (from > p.bytes.size || size > p.bytes.size - from)
				break;
			*out = (struct byte_reader){
				.data = p.bytes.data + from, .size = size
			};
			if (type == NOTE_METADATA)
				return true;
			at = (size_t)(from + (((uint64_t)size + 3) & ~3ull));
		}
	}
	return false;
}

static bool is_hidden(const char *kind)
{
	return !strncmp(kind, "hidden_", 7);
}

static enum param_kind meta_kind_of(const char *kind, const char *type,
				    uint64_t size)
{
	if (!strcmp(kind, "dynamic_shared_pointer"))
		return PARAM_SHARED;
	if (type && (!strcmp(type, "float") || !strcmp(type, "double")))
		return PARAM_FLOAT;
	if (!strcmp(kind, "by_value") && size > 8)
		return PARAM_BYTES;
	return PARAM_INT;
}

/* One argument. ERR_SYNTAX: it has no place. */
static enum err meta_take_param(struct gcn_kernel *k, struct arena *a,
				const struct byte_reader *at, struct diag *d)
{
	const char *kind = text_of(at, ".value_kind", a);
	const char *name = text_of(at, ".name", a);
	const char *type = text_of(at, ".type_name", a);
	uint64_t offset = meta_number_of(at, ".offset", UINT64_MAX);
	uint64_t size = meta_number_of(at, ".size", 0);
	struct param *p = &k->params[k->param_count];

	if (!kind || offset > PARAM_BYTES_MAX || size > PARAM_BYTES_MAX)
		return fail(d, ERR_SYNTAX,
			    "metadata: argument %u has no kind, offset or "
			    "size",
			    k->param_count);
	if (is_hidden(kind)) {
		if (k->hidden == UINT32_MAX)
			k->hidden = (uint32_t)offset;
		return ERR_OK;
	}
	*p = (struct param){
		.name = name ? name : "",
		.type = kind,
		.kind = meta_kind_of(kind, type, size),
		.size = (uint32_t)size,
		.align = (uint32_t)meta_number_of(at, ".pointee_align",
						  size < 8 ? size : 8),
		.offset = (uint32_t)offset,
		.type_name = type,
		.access = text_of(at, ".access", a),
		.address_space = text_of(at, ".address_space", a),
		.is_const = meta_number_of(at, ".is_const", 0) != 0,
		.is_restrict = meta_number_of(at, ".is_restrict", 0) != 0,
		.is_volatile = meta_number_of(at, ".is_volatile", 0) != 0,
	};
	if (!p->align)
		p->align = 1;
	k->param_count++;
	return ERR_OK;
}

static enum err take_params(struct gcn_kernel *k, struct arena *a,
			    const struct byte_reader *at, struct diag *d)
{
	struct byte_reader r;
	struct pack list;

	k->hidden = UINT32_MAX;
	if (!value_of(&r, at, ".args"))
		return ERR_OK;
	list = meta_take(&r);
	if (list.kind != PACK_ARRAY || list.number > bytes_left(&r))
		return fail(d, ERR_SYNTAX, "metadata: .args is no list");
	k->params = arena_new(a, struct param, list.number + 1);
	if (!k->params)
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint64_t i = 0; i < list.number && !r.bad; i++) {
		if (meta_take_param(k, a, &r, d))
			return d->code;
		meta_skip(&r);
	}
	return r.bad ? fail(d, ERR_SYNTAX, "metadata: .args is cut off") :
		       ERR_OK;
}

static void take_shape(struct gcn_kernel *k, const struct byte_reader *at)
{
	struct byte_reader r;
	struct pack p;

	k->max_threads =
		(uint32_t)meta_number_of(at, ".max_flat_workgroup_size", 0);
	if (!value_of(&r, at, ".reqd_workgroup_size"))
		return;
	p = meta_take(&r);
	for (unsigned i = 0; p.kind == PACK_ARRAY && i < 3 && i < p.number; i++)
		k->required[i] = (uint32_t)meta_take(&r).number;
}

/* Whether the map is that of the kernel. */
static bool is_kernel(const struct byte_reader *at, const char *name)
{
	struct byte_reader r;
	struct pack p;

	if (!value_of(&r, at, ".name"))
		return false;
	p = meta_take(&r);
	return !r.bad && is_meta_text(&p, name);
}

enum err gcn_meta_kernel(struct gcn_kernel *k, struct arena *a,
			 const struct gcn_object *o, const char *name,
			 struct diag *d)
{
	struct byte_reader note, r;
	struct pack list;

	k->hidden = UINT32_MAX;
	if (!find_note(o, &note) || !value_of(&r, &note, "amdhsa.kernels"))
		return ERR_OK;
	list = meta_take(&r);
	if (list.kind != PACK_ARRAY)
		return fail(d, ERR_SYNTAX,
			    "metadata: amdhsa.kernels is no list");
	for (uint64_t i = 0; i < list.number && !r.bad; i++) {
		if (is_kernel(&r, name)) {
			k->has_metadata = true;
			take_shape(k, &r);
			return take_params(k, a, &r, d);
		}
		meta_skip(&r);
	}
	return r.bad ? fail(d, ERR_SYNTAX, "metadata: damaged") : ERR_OK;
}
