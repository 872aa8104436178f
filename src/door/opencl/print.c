#include "door/opencl/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	KIND_INT = 1,
	KIND_UINT,
	KIND_FLOAT,
	KIND_TEXT,
	KIND_POINTER,

	FLAGS_SIZE = 32,
	TEXT_SIZE = 4096,
};

/* One argument: a head and its elements, as prelude.h writes them. */
struct argument {
	unsigned kind, bytes, lanes;
	const uint32_t *words;
};

struct reader {
	const uint32_t *words;
	size_t left;
};

static bool next_argument(struct reader *r, struct argument *a)
{
	uint32_t head;
	size_t words;

	if (!r->left)
		return false;
	head = *r->words++;
	r->left--;
	*a = (struct argument){ head >> 16, head >> 8 & 0xff, head & 0xff,
				r->words };
	words = (a->bytes == 8 ? 2 : 1) * (size_t)a->lanes;
	if (words > r->left)
		return false;
	r->words += words;
	r->left -= words;
	return true;
}

static uint64_t element(const struct argument *a, unsigned lane)
{
	const uint32_t *w = a->words + lane * (a->bytes == 8 ? 2 : 1);

	return a->bytes == 8 ? w[0] | (uint64_t)w[1] << 32 : w[0];
}

static double element_double(const struct argument *a, unsigned lane)
{
	uint64_t bits = element(a, lane);
	uint32_t low = (uint32_t)bits;
	double d;
	float f;

	if (a->kind == KIND_INT)
		return a->bytes == 8 ? (double)(int64_t)bits :
				       (double)(int32_t)low;
	if (a->kind != KIND_FLOAT)
		return (double)bits;
	if (a->bytes == 8) {
		memcpy(&d, &bits, sizeof(d));
		return d;
	}
	memcpy(&f, &low, sizeof(f));
	return f;
}

/* An integer of the width that the conversion asks for. */
static int64_t element_int(const struct argument *a, unsigned lane,
			   unsigned bytes, bool is_signed)
{
	uint64_t bits = element(a, lane);

	if (a->kind == KIND_FLOAT)
		return (int64_t)element_double(a, lane);
	if (a->bytes < 8)
		bits = a->kind == KIND_INT ? (uint64_t)(int32_t)bits :
					     (uint32_t)bits;
	switch (bytes) {
	case 1:
		return is_signed ? (int8_t)bits : (int64_t)(uint8_t)bits;
	case 2:
		return is_signed ? (int16_t)bits : (int64_t)(uint16_t)bits;
	case 4:
		return is_signed ? (int32_t)bits : (int64_t)(uint32_t)bits;
	default:
		return (int64_t)bits;
	}
}

/* A conversion: %[flags][width][.precision][vN][hh|h|hl|l]letter */
struct print_form {
	char flags[FLAGS_SIZE]; /* up to the precision */
	unsigned lanes;         /* 0: no vector */
	unsigned bytes;         /* of an integer */
	char letter;
};

static const char *read_conversion(const char *p, struct print_form *c)
{
	size_t n = strspn(p, "-+ #0123456789.");

	*c = (struct print_form){ .bytes = 4 };
	if (n >= FLAGS_SIZE - 8)
		return NULL;
	memcpy(c->flags, p, n);
	p += n;
	if (*p == 'v') {
		char *end;

		c->lanes = (unsigned)strtoul(p + 1, &end, 10);
		p = end;
	}
	if (!strncmp(p, "hh", 2)) {
		c->bytes = 1;
		p += 2;
	} else if (!strncmp(p, "hl", 2)) {
		p += 2;
	} else if (*p == 'h') {
		c->bytes = 2;
		p++;
	} else if (*p == 'l') {
		c->bytes = 8;
		p++;
	}
	c->letter = *p;
	return *p ? p + 1 : NULL;
}

/* The format is ours but for its flags, which were checked. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#define print_formatted(out, format, value)                               \
	do {                                                              \
		char piece_[TEXT_SIZE + 512];                             \
		int n_ = snprintf(piece_, sizeof(piece_), format, value); \
		if (n_ > 0)                                               \
			text_add(out, piece_,                             \
				 (size_t)n_ < sizeof(piece_) ?            \
					 (size_t)n_ :                     \
					 sizeof(piece_) - 1);             \
	} while (0)

static void print_number(struct text *out, const struct print_form *c,
			 const struct argument *a, unsigned lane)
{
	char format[FLAGS_SIZE + 8];
	bool is_signed = c->letter == 'd' || c->letter == 'i';

	if (strchr("aAeEfFgG", c->letter)) {
		snprintf(format, sizeof(format), "%%%s%c", c->flags, c->letter);
		print_formatted(out, format, element_double(a, lane));
		return;
	}
	if (c->letter == 'c') {
		snprintf(format, sizeof(format), "%%%sc", c->flags);
		print_formatted(out, format,
				(int)element_int(a, lane, 1, true));
		return;
	}
	snprintf(format, sizeof(format), "%%%sll%c", c->flags, c->letter);
	print_formatted(out, format,
			(long long)element_int(a, lane, c->bytes, is_signed));
}

static void print_text(struct text *out, const struct print_form *c,
		       const struct argument *a,
		       bool (*read)(uint64_t, char *, size_t))
{
	char format[FLAGS_SIZE + 8], text[TEXT_SIZE];

	if (a->kind != KIND_TEXT || !read(element(a, 0), text, sizeof(text)))
		snprintf(text, sizeof(text), "(null)");
	snprintf(format, sizeof(format), "%%%ss", c->flags);
	print_formatted(out, format, text);
}

#pragma GCC diagnostic pop

static void print_argument(struct text *out, const struct print_form *c,
			   const struct argument *a,
			   bool (*read)(uint64_t, char *, size_t))
{
	if (c->letter == 's') {
		print_text(out, c, a, read);
	} else if (c->letter == 'p') {
		text_printf(out, "0x%llx", (unsigned long long)element(a, 0));
	} else if (strchr("diouxXcaAeEfFgG", c->letter)) {
		for (unsigned i = 0; i < a->lanes && (!i || c->lanes); i++) {
			text_add(out, ",", i != 0);
			print_number(out, c, a, i);
		}
	} else {
		text_printf(out, "%%%s%c", c->flags, c->letter);
	}
}

void print_record(struct text *out, const uint32_t *words, size_t count,
		  bool (*read)(uint64_t at, char *to, size_t size))
{
	struct reader r = { words, count };
	struct argument a;
	char format[TEXT_SIZE];

	if (!next_argument(&r, &a) || a.kind != KIND_TEXT ||
	    !read(element(&a, 0), format, sizeof(format)))
		return;
	for (const char *p = format; p && *p;) {
		size_t n = strcspn(p, "%");
		struct print_form c;

		text_add(out, p, n);
		p += n;
		if (!*p)
			break;
		if (p[1] == '%') {
			text_add(out, "%", 1);
			p += 2;
			continue;
		}
		p = read_conversion(p + 1, &c);
		if (p && next_argument(&r, &a))
			print_argument(out, &c, &a, read);
	}
}

/*
 * The buffer
 */

cl_int print_reset(const struct build *b)
{
	const uint32_t head[2] = { 0, DEVICE_PRINTF / 4 - 2 };

	return cl_error(rt_poke(b->print, head, sizeof(head)));
}

cl_int print_begin(struct build *b)
{
	void *variable;
	size_t size;

	if (rt_module_global(&variable, &size, b->module, "heddle_cl_print"))
		return CL_SUCCESS;
	if (!b->print) {
		uint64_t at;

		if (rt_malloc(&b->print, DEVICE_PRINTF)) {
			b->print = NULL;
			return CL_OUT_OF_RESOURCES;
		}
		at = (uint64_t)(uintptr_t)b->print;
		if (rt_poke(variable, &at, sizeof(at)))
			return CL_OUT_OF_RESOURCES;
	}
	return cl.later ? CL_SUCCESS : print_reset(b);
}

/* The text may be near the end of its memory: read it piece by piece. */
static bool read_device_text(uint64_t at, char *to, size_t size)
{
	for (size_t i = 0; i + 1 < size; i++) {
		if (rt_peek(to + i, (void *)(uintptr_t)(at + i), 1))
			return false;
		if (!to[i])
			return true;
	}
	to[size - 1] = '\0';
	return true;
}

static void print_records(const uint32_t *words, size_t count)
{
	struct text out = { 0 };

	for (size_t i = 0; i < count;) {
		size_t n = words[i++];

		if (n > count - i)
			break;
		print_record(&out, words + i, n, read_device_text);
		i += n;
	}
	if (out.size)
		fwrite(out.at, 1, out.size, stdout);
	text_free(&out);
}

void print_end(struct build *b)
{
	uint32_t head[2], *words;

	rt_flush();
	if (!b->print || rt_peek(head, b->print, sizeof(head)) || !head[0])
		return;
	if (head[0] > head[1]) {
		cl_say("warning: printf of a kernel wrote more than %d bytes; "
		       "the rest is lost",
		       DEVICE_PRINTF);
		head[0] = head[1];
	}
	words = calloc(head[0], sizeof(*words));
	if (words && !rt_peek(words, (char *)b->print + sizeof(head),
			      head[0] * sizeof(*words)))
		print_records(words, head[0]);
	free(words);
}
