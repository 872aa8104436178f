#include "door/cli/spec.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "door/cli/text.h"

/* A part of the text, without a NUL at its end. */
struct spec_piece {
	const char *at;
	size_t length;
};

static struct spec_piece piece_of(const char *s)
{
	return (struct spec_piece){ s, strlen(s) };
}

static bool piece_is(struct spec_piece p, const char *word)
{
	return p.length == strlen(word) && !memcmp(p.at, word, p.length);
}

/* Splits at the first `c`; false: there is none. */
static bool piece_split(struct spec_piece p, char c, struct spec_piece *head,
			struct spec_piece *rest)
{
	const char *hit = p.length ? memchr(p.at, c, p.length) : NULL;

	if (!hit)
		return false;
	*head = (struct spec_piece){ p.at, (size_t)(hit - p.at) };
	*rest = (struct spec_piece){ hit + 1, p.length - head->length - 1 };
	return true;
}

static void piece_copy(char *to, size_t size, struct spec_piece p)
{
	snprintf(to, size, "%.*s", (int)(p.length < size ? p.length : size),
		 p.at);
}

static enum err find_type(enum elem_type *out, struct spec_piece p,
			  struct diag *d)
{
	struct nearest near;
	char word[SPEC_NAME];

	if (elem_find(p.at, p.length, out))
		return ERR_OK;
	piece_copy(word, sizeof(word), p);
	near = (struct nearest){ .word = word };
	for (int i = 0; i < ELEM_COUNT; i++)
		nearest_offer(&near, elem_info[i].name);
	if (nearest_best(&near))
		return fail(
			d, ERR_UNKNOWN,
			"unknown type '%s', did you mean %s? The types are" ELEM_NAMES,
			word, nearest_best(&near));
	return fail(d, ERR_UNKNOWN,
		    "unknown type '%s'; the types are" ELEM_NAMES, word);
}

bool shape_finish(struct array_shape *s, unsigned bytes)
{
	uint64_t size = bytes;

	s->count = 1;
	for (unsigned i = 0; i < s->dims; i++) {
		if (__builtin_mul_overflow(s->count, s->size[i], &s->count) ||
		    __builtin_mul_overflow(size, s->size[i], &size))
			return false;
	}
	return size <= INT64_MAX;
}

static enum err parse_shape(struct arg_spec *s, struct spec_piece p,
			    struct diag *d)
{
	struct spec_piece all = p, head = p, rest;
	unsigned bytes = elem_info[s->type].bytes * s->channels;
	bool more = true;

	s->shape_known = p.length != 0;
	if (!s->shape_known)
		return ERR_OK;
	while (more) {
		more = piece_split(p, 'x', &head, &rest);
		if (!more)
			head = p;
		if (s->shape.dims == SHAPE_DIMS)
			return fail(d, ERR_RANGE,
				    "[%.*s]: more than %d dimensions",
				    (int)all.length, all.at, SHAPE_DIMS);
		if (number_parse_uint(&s->shape.size[s->shape.dims++], "size",
				      head.at, head.length, INT64_MAX, d))
			return d->code;
		if (more)
			p = rest;
	}
	if (!shape_finish(&s->shape, bytes))
		return fail(d, ERR_RANGE,
			    "[%.*s]: the array is larger than any memory",
			    (int)all.length, all.at);
	if (!s->shape.count)
		return fail(d, ERR_RANGE, "[%.*s]: an array cannot be empty",
			    (int)all.length, all.at);
	return ERR_OK;
}

/* Up to two numbers after the word, each checked against the type. */
static enum err parse_pair(struct array_init *in, enum elem_type type,
			   struct spec_piece p, unsigned *given, struct diag *d)
{
	struct number *to[2] = { &in->a, &in->b };
	struct spec_piece head, rest;
	bool more = true;

	for (*given = 0; more; (*given)++) {
		if (*given == 2)
			return fail(d, ERR_SYNTAX,
				    "unexpected '%.*s' after two numbers",
				    (int)p.length, p.at);
		more = piece_split(p, ':', &head, &rest);
		if (!more)
			head = p;
		if (number_parse(to[*given], head.at, head.length, d) ||
		    elem_accepts(type, *to[*given], d))
			return d->code;
		if (more)
			p = rest;
	}
	return ERR_OK;
}

static enum err init_none(struct array_init *in, enum elem_type type,
			  struct spec_piece *p, struct diag *d)
{
	(void)in, (void)type;
	return p ? fail(d, ERR_SYNTAX, "unexpected ':%.*s' after zero",
			(int)p->length, p->at) :
		   ERR_OK;
}

static enum err init_iota(struct array_init *in, enum elem_type type,
			  struct spec_piece *p, struct diag *d)
{
	unsigned given;

	in->a = number_uint(0);
	in->b = number_uint(1);
	return p ? parse_pair(in, type, *p, &given, d) : ERR_OK;
}

static bool ordered(struct number lo, struct number hi)
{
	if (lo.is_float || hi.is_float)
		return number_real(lo) <= number_real(hi);
	if (lo.negative != hi.negative)
		return lo.negative;
	return lo.negative ? lo.magnitude >= hi.magnitude :
			     lo.magnitude <= hi.magnitude;
}

static enum err init_random(struct array_init *in, enum elem_type type,
			    struct spec_piece *p, struct diag *d)
{
	unsigned given;

	elem_random_range(type, &in->a, &in->b);
	if (!p)
		return ERR_OK;
	if (parse_pair(in, type, *p, &given, d))
		return d->code;
	if (given != 2 || !ordered(in->a, in->b) ||
	    !isfinite(number_real(in->b) - number_real(in->a)))
		return fail(d, ERR_SYNTAX,
			    "random:%.*s: expected random:LO:HI, both finite "
			    "and LO <= HI",
			    (int)p->length, p->at);
	return ERR_OK;
}

static enum err init_fill(struct array_init *in, enum elem_type type,
			  struct spec_piece *p, struct diag *d)
{
	unsigned given = 0;

	if (p && parse_pair(in, type, *p, &given, d))
		return d->code;
	if (given != 1)
		return fail(d, ERR_SYNTAX, "expected fill:VALUE");
	return ERR_OK;
}

static enum err init_list(struct array_init *in, enum elem_type type,
			  struct spec_piece *p, struct diag *d)
{
	struct spec_piece left, head, rest;
	struct number n;
	bool more = true;

	if (!p)
		return fail(d, ERR_SYNTAX, "expected list:VALUE,VALUE,...");
	in->text = p->at;
	in->length = p->length;
	for (left = *p; more; left = rest) {
		more = piece_split(left, ',', &head, &rest);
		if (!more)
			head = left;
		if (number_parse(&n, head.at, head.length, d) ||
		    elem_accepts(type, n, d))
			return d->code;
		if (!more)
			break;
	}
	return ERR_OK;
}

/* rest: what follows the colon; NULL: there is none. */
static const struct init_word {
	const char *word;
	enum init_kind kind;
	enum err (*parse)(struct array_init *in, enum elem_type type,
			  struct spec_piece *rest, struct diag *d);
} init_words[] = {
	{ "zero", INIT_ZERO, init_none },
	{ "iota", INIT_IOTA, init_iota },
	{ "random", INIT_RANDOM, init_random },
	{ "fill", INIT_FILL, init_fill },
	{ "list", INIT_LIST, init_list },
};

#define INIT_WORDS (sizeof(init_words) / sizeof(init_words[0]))
#define INIT_FORMS                                                             \
	"zero, iota[:START[:STEP]], random[:LO:HI], fill:VALUE, list:V,V,... " \
	"or @FILE"

static enum err unknown_init(struct spec_piece word, struct diag *d)
{
	char copy[SPEC_NAME];
	struct nearest near = { .word = copy };

	piece_copy(copy, sizeof(copy), word);
	for (size_t i = 0; i < INIT_WORDS; i++)
		nearest_offer(&near, init_words[i].word);
	if (nearest_best(&near))
		return fail(d, ERR_UNKNOWN,
			    "unknown initial value '%s', did you mean %s? "
			    "Expected " INIT_FORMS,
			    copy, nearest_best(&near));
	return fail(d, ERR_UNKNOWN,
		    "unknown initial value '%s'; expected " INIT_FORMS, copy);
}

enum err spec_parse_init(struct array_init *out, enum elem_type type,
			 const char *text, size_t length, struct diag *d)
{
	struct spec_piece p = { text, length }, word = p, rest;
	bool colon;

	*out = (struct array_init){ .kind = INIT_FILE };
	if (length && text[0] == '@') {
		out->text = text + 1;
		out->length = length - 1;
		return out->length ?
			       ERR_OK :
			       fail(d, ERR_SYNTAX,
				    "expected the name of a file after '@'");
	}
	colon = piece_split(p, ':', &word, &rest);
	for (size_t i = 0; i < INIT_WORDS; i++)
		if (piece_is(word, init_words[i].word)) {
			out->kind = init_words[i].kind;
			return init_words[i].parse(out, type,
						   colon ? &rest : NULL, d);
		}
	return unknown_init(word, d);
}

bool spec_is_init(const char *text)
{
	struct spec_piece word = piece_of(text), rest;

	piece_split(word, ':', &word, &rest);
	for (size_t i = 0; i < INIT_WORDS; i++)
		if (piece_is(word, init_words[i].word))
			return true;
	return text[0] == '@';
}

static bool piece_ends_with(struct spec_piece p, const char *end)
{
	size_t n = strlen(end);

	return p.length >= n && !memcmp(p.at + p.length - n, end, n);
}

/* TYPE[SIZES]=INIT; the type of a texture may have channels. */
static enum err parse_array(struct arg_spec *s, struct spec_piece p,
			    struct diag *d)
{
	struct spec_piece type, sizes, rest;

	if (!piece_split(p, '[', &type, &rest) ||
	    !piece_split(rest, ']', &sizes, &rest))
		return fail(d, ERR_SYNTAX,
			    "'%.*s': expected TYPE[SIZE], such as f32[1024]",
			    (int)p.length, p.at);
	s->channels = 1;
	if (s->kind == SPEC_TEXTURE && type.length > 2 &&
	    (piece_ends_with(type, "x1") || piece_ends_with(type, "x2") ||
	     piece_ends_with(type, "x4"))) {
		s->channels = (unsigned)(type.at[type.length - 1] - '0');
		type.length -= 2;
	}
	s->typed = true;
	if (find_type(&s->type, type, d) || parse_shape(s, sizes, d))
		return d->code;
	if (!rest.length) {
		s->init.kind = INIT_ZERO;
	} else if (rest.at[0] != '=') {
		return fail(d, ERR_SYNTAX,
			    "unexpected '%.*s' after ']'; expected '='",
			    (int)rest.length, rest.at);
	} else if (spec_parse_init(&s->init, s->type, rest.at + 1,
				   rest.length - 1, d)) {
		return d->code;
	}
	if (!s->shape_known && s->init.kind != INIT_FILE &&
	    s->init.kind != INIT_LIST)
		return fail(d, ERR_SYNTAX,
			    "%s[] needs a size, unless a file or a list "
			    "follows",
			    elem_info[s->type].name);
	return ERR_OK;
}

static enum err parse_bytes(struct arg_spec *s, struct spec_piece p,
			    struct diag *d)
{
	s->kind = SPEC_BYTES;
	s->type = ELEM_u8;
	s->typed = true;
	s->channels = 1;
	s->init.kind = INIT_HEX;
	s->init.text = p.at;
	s->init.length = p.length;
	if (p.length && p.at[0] == '@')
		return spec_parse_init(&s->init, s->type, p.at, p.length, d);
	for (size_t i = 0; i < p.length; i++)
		if (!isxdigit((unsigned char)p.at[i]))
			return fail(d, ERR_SYNTAX,
				    "bytes: '%c' is not a hexadecimal digit",
				    p.at[i]);
	if (!p.length || p.length % 2)
		return fail(d, ERR_SYNTAX,
			    "bytes: expected pairs of hexadecimal digits or "
			    "@FILE, got %zu digits",
			    p.length);
	s->shape = (struct array_shape){ 1, { p.length / 2 }, p.length / 2 };
	s->shape_known = true;
	return ERR_OK;
}

enum texture_flag { FLAG_LINEAR, FLAG_ADDRESS, FLAG_NORMALIZED, FLAG_FLOAT };

static const struct {
	const char *word;
	enum texture_flag flag;
	int value;
} texture_flags[] = {
	{ "nearest", FLAG_LINEAR, 0 },
	{ "linear", FLAG_LINEAR, 1 },
	{ "wrap", FLAG_ADDRESS, HEDDLE_ADDRESS_WRAP },
	{ "clamp", FLAG_ADDRESS, HEDDLE_ADDRESS_CLAMP },
	{ "mirror", FLAG_ADDRESS, HEDDLE_ADDRESS_MIRROR },
	{ "border", FLAG_ADDRESS, HEDDLE_ADDRESS_BORDER },
	{ "normalized", FLAG_NORMALIZED, 1 },
	{ "float", FLAG_FLOAT, 1 },
};

#define TEXTURE_FLAGS (sizeof(texture_flags) / sizeof(texture_flags[0]))

static bool set_texture_flag(struct arg_spec *s, struct spec_piece word)
{
	for (size_t i = 0; i < TEXTURE_FLAGS; i++) {
		int value = texture_flags[i].value;

		if (!piece_is(word, texture_flags[i].word))
			continue;
		switch (texture_flags[i].flag) {
		case FLAG_LINEAR:
			s->linear = value;
			break;
		case FLAG_ADDRESS:
			s->address = (enum heddle_address_mode)value;
			break;
		case FLAG_NORMALIZED:
			s->normalized = value;
			break;
		case FLAG_FLOAT:
			s->read_as_float = value;
			break;
		}
		return true;
	}
	return false;
}

static const char *last_comma(struct spec_piece p)
{
	const char *at = p.at + p.length;

	while (at > p.at && at[-1] != ',')
		at--;
	return at > p.at ? at - 1 : NULL;
}

/* Removes flags from the end: the name of a file may contain commas. */
static enum err spec_take_flags(struct arg_spec *s, struct spec_piece *p,
				struct diag *d)
{
	struct spec_piece word, array, init;
	char copy[SPEC_NAME];
	struct nearest near = { .word = copy };

	for (;;) {
		const char *comma = last_comma(*p);

		if (!comma)
			return ERR_OK;
		word.at = comma + 1;
		word.length = p->length - (size_t)(word.at - p->at);
		if (!set_texture_flag(s, word))
			break;
		p->length = (size_t)(comma - p->at);
	}
	if (piece_split(*p, '=', &array, &init) &&
	    (init.at[0] == '@' || !strncmp(init.at, "list:", 5)))
		return ERR_OK;
	piece_copy(copy, sizeof(copy), word);
	for (size_t i = 0; i < TEXTURE_FLAGS; i++)
		nearest_offer(&near, texture_flags[i].word);
	return fail(
		d, ERR_UNKNOWN,
		"unknown texture option '%s'%s%s; expected nearest, linear, "
		"wrap, clamp, mirror, border, normalized or float",
		copy, nearest_best(&near) ? ", did you mean " : "",
		nearest_best(&near) ? nearest_best(&near) : "");
}

static enum err parse_texture(struct arg_spec *s, struct spec_piece p,
			      struct diag *d)
{
	s->kind = SPEC_TEXTURE;
	/* The default of CUDA's texture objects. */
	s->address = HEDDLE_ADDRESS_WRAP;
	if (spec_take_flags(s, &p, d) || parse_array(s, p, d))
		return d->code;
	if (elem_info[s->type].texel == ELEM_NO_TEXEL)
		return fail(d, ERR_UNSUPP, "a texture cannot hold %s",
			    elem_info[s->type].name);
	if (!s->shape_known || s->shape.dims != s->dims)
		return fail(d, ERR_SYNTAX,
			    "%s%ud: expected %u size%s, such as %s",
			    s->surface ? "surf" : "tex", s->dims, s->dims,
			    s->dims == 1 ? "" : "s",
			    s->dims == 1 ? "f32[64]" :
			    s->dims == 2 ? "f32[64x64]" :
					   "f32[16x64x64]");
	for (unsigned i = 0; i < s->dims; i++)
		if (s->shape.size[i] > UINT32_MAX)
			return fail(d, ERR_RANGE,
				    "%" PRIu64
				    " texels on a side: a texture has "
				    "fewer than 2^32",
				    s->shape.size[i]);
	return ERR_OK;
}

#define SPEC_FORMS                                                       \
	"a number, TYPE[SIZE]=INIT, @FILE.npy, bytes:HEX, tex2d:... or " \
	"surf2d:..."

static enum err parse_number(struct arg_spec *s, struct spec_piece p,
			     struct diag *d)
{
	struct spec_piece head = p, type;
	struct diag why;

	s->kind = SPEC_NUMBER;
	s->typed = piece_split(p, ':', &head, &type);
	if (s->typed && find_type(&s->type, type, d))
		return d->code;
	if (number_parse(&s->number, head.at, head.length, &why))
		return fail(d, why.code, "%.200s; expected " SPEC_FORMS,
			    why.text);
	return s->typed ? elem_accepts(s->type, s->number, d) : ERR_OK;
}

static enum err parse_file(struct arg_spec *s, struct spec_piece p,
			   struct diag *d)
{
	s->kind = SPEC_ARRAY;
	s->channels = 1;
	if (!piece_ends_with(p, ".npy"))
		return fail(d, ERR_SYNTAX,
			    "'%.*s': only a .npy file names its own type; "
			    "write TYPE[]=%.*s",
			    (int)p.length, p.at, (int)p.length, p.at);
	return spec_parse_init(&s->init, ELEM_u8, p.at, p.length, d);
}

/* tex1d to tex3d, surf1d to surf3d */
static bool texture_word(struct arg_spec *s, struct spec_piece word)
{
	bool tex = word.length == 5 && !memcmp(word.at, "tex", 3);
	bool surf = word.length == 6 && !memcmp(word.at, "surf", 4);
	const char *digit = word.at + (surf ? 4 : 3);

	if ((!tex && !surf) || digit[1] != 'd' || *digit < '1' || *digit > '3')
		return false;
	s->surface = surf;
	s->dims = (unsigned)(*digit - '0');
	return true;
}

static enum err parse_kind(struct arg_spec *s, struct spec_piece p,
			   struct diag *d)
{
	struct spec_piece word, rest;

	if (!p.length)
		return fail(d, ERR_SYNTAX, "empty; expected " SPEC_FORMS);
	if (p.at[0] == '@')
		return parse_file(s, p, d);
	if (piece_split(p, ':', &word, &rest)) {
		if (piece_is(word, "bytes"))
			return parse_bytes(s, rest, d);
		if (texture_word(s, word))
			return parse_texture(s, rest, d);
	}
	if (memchr(p.at, '[', p.length)) {
		s->kind = SPEC_ARRAY;
		return parse_array(s, p, d);
	}
	return parse_number(s, p, d);
}

/* Refuses names that are probably mistakes. */
static enum err spec_check_name(struct spec_piece word, struct diag *d)
{
	size_t prefix = !strncmp(word.at, "tex", 3)  ? 3 :
			!strncmp(word.at, "surf", 4) ? 4 :
						       0;
	enum elem_type type;

	if (prefix && isdigit((unsigned char)word.at[prefix]))
		return fail(
			d, ERR_UNKNOWN,
			"unknown kind of texture '%.*s'; the kinds are tex1d "
			"tex2d tex3d surf1d surf2d surf3d",
			(int)word.length, word.at);
	if (elem_find(word.at, word.length, &type))
		return fail(d, ERR_SYNTAX,
			    "'%.*s:' is a type, not a name; a number with a "
			    "type is NUMBER:%.*s",
			    (int)word.length, word.at, (int)word.length,
			    word.at);
	if (word.length >= SPEC_NAME)
		return fail(d, ERR_RANGE,
			    "the name is longer than %d characters",
			    SPEC_NAME - 1);
	return ERR_OK;
}

/* Takes NAME: from the front, unless the word is a keyword. */
static enum err spec_take_name(struct arg_spec *s, struct spec_piece *p,
			       struct diag *d)
{
	struct spec_piece word, rest;
	struct arg_spec scratch;

	if (!piece_split(*p, ':', &word, &rest) || !word.length ||
	    !(isalpha((unsigned char)word.at[0]) || word.at[0] == '_'))
		return ERR_OK;
	for (size_t i = 0; i < word.length; i++)
		if (!isalnum((unsigned char)word.at[i]) && word.at[i] != '_')
			return ERR_OK;
	if (piece_is(word, "bytes") || texture_word(&scratch, word) ||
	    piece_is(word, "inf") || piece_is(word, "nan"))
		return ERR_OK;
	if (spec_check_name(word, d))
		return d->code;
	piece_copy(s->name, sizeof(s->name), word);
	*p = rest;
	return ERR_OK;
}

enum err spec_parse(struct arg_spec *out, const char *text, struct diag *d)
{
	struct spec_piece p = piece_of(text);

	*out = (struct arg_spec){ 0 };
	if (spec_take_name(out, &p, d))
		return d->code;
	return parse_kind(out, p, d);
}

void spec_describe(char *text, size_t size, enum elem_type type,
		   const struct array_shape *shape)
{
	size_t used = (size_t)snprintf(text, size, "%s[", elem_info[type].name);

	for (unsigned i = 0; i < shape->dims && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%" PRIu64,
					 i ? "x" : "", shape->size[i]);
	if (used < size)
		snprintf(text + used, size - used, "]");
}
