/*
 * Matches opcodes against patterns. Each pattern is compiled once into a
 * program for a small backtracking machine: WORD and CLASS_OF take one word of
 * the opcode, SPLIT tries two alternatives, JUMP continues elsewhere, END
 * accepts.
 *
 * Compilers write modifiers in the manual's order. Hand-written PTX does not
 * always (atom.add.release.gpu.u32 of the cooperative groups headers), and
 * ptxas accepts any order. So an opcode that no row covers as written is
 * matched again with its words in any order, except for its types, whose order
 * matters.
 */
#include "isa/ptx/match.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"

enum code { WORD, CLASS_OF, SPLIT, JUMP, END };

struct match_step {
	uint8_t code;  /* enum code */
	uint8_t size;  /* of the word */
	uint8_t type;  /* enum ptx_type of the word, or PTX_TYPE_COUNT */
	uint8_t class; /* enum ptx_attr_class */
	uint32_t to;   /* of SPLIT and JUMP */
	const char *word;
};

enum {
	/* No pattern needs more steps than it has characters. */
	STEPS = 0
#define LANE1(id, pattern, ...) +(int)sizeof(pattern)
#define LANE2(id, pattern, ...) +(int)sizeof(pattern)
#define LANE3(id, pattern, ...) +(int)sizeof(pattern)
#define LANE4(id, pattern, ...) +(int)sizeof(pattern)
#define CARRY2(id, pattern, ...) +(int)sizeof(pattern)
#define CARRY3(id, pattern, ...) +(int)sizeof(pattern)
#define SETP(id, pattern, ...) +(int)sizeof(pattern)
#define SET(id, pattern, ...) +(int)sizeof(pattern)
#define SELP(id, pattern, ...) +(int)sizeof(pattern)
#define TEST1(id, pattern, ...) +(int)sizeof(pattern)
#define WARP(id, pattern, ...) +(int)sizeof(pattern)
#define REFUSED(id, pattern, ...) +(int)sizeof(pattern)
#include "isa/ptx/ptx.def"
	,
	BUCKETS = 256,
	NO_ROW = 0xffff,
	MAX_WORDS = 24
};

/* Written once, under `once`; read-only after that. */
static struct match_step steps[STEPS];
static uint32_t step_count;
static uint32_t start_of[PTX_OP_COUNT]; /* after the first word */
static uint16_t bucket_head[BUCKETS]; /* rows by the hash of their first word */
static uint16_t bucket_next[PTX_OP_COUNT];
static uint16_t class_first[PTX_CLASS_COUNT], class_end[PTX_CLASS_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static size_t word_size(const char *s)
{
	return strcspn(s, ".{}()|");
}

static unsigned name_bucket(const char *s, size_t n)
{
	unsigned h = 2166136261u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	return (h ^ h >> 16) % BUCKETS;
}

static int match_class_of(const char *s, size_t n)
{
	for (int c = 1; c < PTX_CLASS_COUNT; c++)
		if (strlen(ptx_class_names[c]) == n &&
		    !memcmp(ptx_class_names[c], s, n))
			return c;
	return PTX_CLASS_NONE;
}

static int word_type(const char *s, size_t n)
{
	for (int t = 0; t < PTX_TYPE_COUNT; t++)
		if (strlen(ptx_types[t].text) == n &&
		    !memcmp(ptx_types[t].text, s, n))
			return t;
	return PTX_TYPE_COUNT;
}

static uint32_t match_emit(enum code code, uint32_t to)
{
	CHECK(step_count < STEPS);
	steps[step_count] = (struct match_step){ .code = code,
						 .to = to,
						 .type = PTX_TYPE_COUNT };
	return step_count++;
}

static const char *compile_word(const char *s)
{
	size_t n = word_size(s);
	int class = match_class_of(s, n);
	struct match_step *st = &steps[match_emit(class ? CLASS_OF : WORD, 0)];

	CHECK(n > 0 && n < 256);
	st->class = (uint8_t) class;
	st->word = s;
	st->size = (uint8_t)n;
	st->type = (uint8_t)word_type(s, n);
	return s + n;
}

static const char *match_compile(const char *s);

/* (a|b|c): a SPLIT before all but the last, a JUMP to the end after each. */
static const char *compile_choice(const char *s)
{
	uint32_t jumps[32];
	int n = 0;

	for (;;) {
		uint32_t split = match_emit(SPLIT, 0);

		s = match_compile(s);
		if (*s != '|') {
			steps[split].to = split + 1;
			break;
		}
		CHECK(n < 32);
		jumps[n++] = match_emit(JUMP, 0);
		steps[split].to = step_count;
		s++;
	}
	CHECK(*s == ')');
	while (n > 0)
		steps[jumps[--n]].to = step_count;
	return s + 1;
}

/* Compiles up to the end, a closing bracket or a bar; returns where it is. */
static const char *match_compile(const char *s)
{
	while (*s && !strchr("})|", *s)) {
		if (*s == '.') {
			s++;
		} else if (*s == '{') {
			uint32_t split = match_emit(SPLIT, 0);

			s = match_compile(s + 1);
			CHECK(*s == '}');
			steps[split].to = step_count;
			s++;
		} else if (*s == '(') {
			s = compile_choice(s + 1);
		} else {
			s = compile_word(s);
		}
	}
	return s;
}

static void match_compile_all(void)
{
	uint16_t *tail[BUCKETS];

	for (int i = 0; i < BUCKETS; i++) {
		bucket_head[i] = NO_ROW;
		tail[i] = &bucket_head[i];
	}
	for (int i = 1; i < PTX_ATTR_COUNT; i++) {
		int c = ptx_attrs[i].class;

		if (!class_first[c])
			class_first[c] = (uint16_t)i;
		class_end[c] = (uint16_t)(i + 1);
	}
	for (int i = 0; i < PTX_OP_COUNT; i++) {
		const char *s = ptx_rows[i].pattern;
		unsigned b = name_bucket(s, word_size(s));

		*tail[b] = (uint16_t)i;
		bucket_next[i] = NO_ROW;
		tail[b] = &bucket_next[i];
		start_of[i] = step_count;
		s = match_compile(s + word_size(s));
		CHECK(*s == 0);
		match_emit(END, 0);
	}
}

struct match_words {
	const char *word[MAX_WORDS];
	size_t size[MAX_WORDS];
	uint32_t taker[MAX_WORDS]; /* the step that took it */
	uint8_t attr[MAX_WORDS];   /* when that step is CLASS_OF */
	uint32_t types;            /* bit i: word i names a type */
	int count;
	bool prefix; /* the pattern may leave words at the end */
	bool loose;  /* words may be in any order */
};

static int find_attr(int class, const char *s, size_t n)
{
	for (int i = class_first[class]; i < class_end[class]; i++)
		if (!strncmp(ptx_attrs[i].text, s, n) && !ptx_attrs[i].text[n])
			return i;
	return PTX_ATTR_ABSENT;
}

static bool step_takes(struct match_words *w, uint32_t pc, int i)
{
	const struct match_step *st = &steps[pc];

	if (st->code == WORD) {
		if (st->size != w->size[i] ||
		    memcmp(st->word, w->word[i], st->size))
			return false;
	} else {
		int attr = find_attr(st->class, w->word[i], w->size[i]);

		if (!attr)
			return false;
		w->attr[i] = (uint8_t)attr;
	}
	w->taker[i] = pc;
	return true;
}

/* The word that the step takes, or -1. `left` has a bit for each word that no
 * step has taken. */
static int match_take(struct match_words *w, uint32_t pc, uint32_t left)
{
	int i;

	if (!left)
		return -1;
	if (!w->loose) {
		i = __builtin_ctz(left);
		return step_takes(w, pc, i) ? i : -1;
	}
	if (steps[pc].type < PTX_TYPE_COUNT)
		left &= w->types & (0u - (left & w->types)); /* the first */
	for (; left; left &= left - 1) {
		i = __builtin_ctz(left);
		if (step_takes(w, pc, i))
			return i;
	}
	return -1;
}

static bool match_run(struct match_words *w, uint32_t pc, uint32_t left)
{
	for (;; pc++) {
		const struct match_step *st = &steps[pc];
		int i;

		switch (st->code) {
		case END:
			return !left || w->prefix;
		case JUMP:
			pc = st->to - 1;
			break;
		case SPLIT:
			if (match_run(w, pc + 1, left))
				return true;
			pc = st->to - 1;
			break;
		default:
			i = match_take(w, pc, left);
			if (i < 0)
				return false;
			left &= ~(1u << i);
			break;
		}
	}
}

static bool match_split(struct match_words *w, const char *text, size_t size)
{
	w->count = 0;
	w->types = 0;
	while (size) {
		const char *dot = memchr(text, '.', size);
		size_t n = dot ? (size_t)(dot - text) : size;

		if (w->count == MAX_WORDS || !n)
			return false;
		if (word_type(text, n) < PTX_TYPE_COUNT)
			w->types |= 1u << w->count;
		w->word[w->count] = text;
		w->size[w->count++] = n;
		if (dot && n + 1 == size)
			return false;
		text += dot ? n + 1 : n;
		size -= dot ? n + 1 : n;
	}
	return w->count > 0;
}

static void match_fill(struct ptx_opcode *out, const struct match_words *w,
		       int row)
{
	out->op = (uint16_t)row;
	for (int i = 1; i < w->count; i++) {
		const struct match_step *st = &steps[w->taker[i]];

		if (ptx_rows[row].class == PTX_ROW_REFUSED)
			break;
		if (st->code == CLASS_OF)
			out->attr[st->class] = w->attr[i];
		else if (st->type < PTX_TYPE_COUNT && out->types < 4)
			out->type[out->types++] = st->type;
	}
}

static bool same_name(const char *pattern, const char *text, size_t head)
{
	return word_size(pattern) == head && !memcmp(pattern, text, head);
}

/* The first row after `after` that covers the words, or NO_ROW. */
static int find_row(struct match_words *w, bool refused, int after)
{
	const char *name = w->word[0];
	size_t head = w->size[0];
	uint32_t left = (1u << w->count) - 2;

	w->prefix = refused;
	for (int i = bucket_head[name_bucket(name, head)]; i != NO_ROW;
	     i = bucket_next[i])
		if (i > after && same_name(ptx_rows[i].pattern, name, head) &&
		    (ptx_rows[i].class == PTX_ROW_REFUSED) == refused &&
		    match_run(w, start_of[i], left))
			return i;
	return NO_ROW;
}

int ptx_match(struct ptx_opcode *out, const char *text, size_t size,
	      bool *matched)
{
	struct match_words w = { .count = 0 };
	int rows = 0, row;
	size_t head = 0;

	pthread_once(&once, match_compile_all);
	*matched = false;
	memset(out, 0, sizeof(*out));
	out->text = text;
	while (head < size && text[head] != '.')
		head++;
	for (int i = bucket_head[name_bucket(text, head)]; i != NO_ROW;
	     i = bucket_next[i])
		rows += same_name(ptx_rows[i].pattern, text, head);
	if (!rows || !match_split(&w, text, size))
		return rows;
	row = find_row(&w, false, -1);
	if (row == NO_ROW)
		row = find_row(&w, true, -1);
	if (row == NO_ROW) {
		w.loose = true;
		row = find_row(&w, false, -1);
	}
	if (row == NO_ROW)
		return rows;
	match_fill(out, &w, row);
	*matched = true;
	return rows;
}

bool ptx_match_other(struct ptx_opcode *out, const struct ptx_opcode *last)
{
	struct match_words w = { .count = 0 };
	int row;

	if (!match_split(&w, last->text, strlen(last->text)))
		return false;
	row = find_row(&w, false, last->op);
	if (row == NO_ROW) {
		w.loose = true;
		row = find_row(&w, false, last->op);
	}
	if (row == NO_ROW)
		return false;
	memset(out, 0, sizeof(*out));
	out->text = last->text;
	match_fill(out, &w, row);
	return true;
}

struct expansion {
	char text[256];
	void (*each)(void *ctx, const char *text);
	void *ctx;
};

static size_t match_append(struct expansion *x, size_t n, const char *s,
			   size_t size)
{
	CHECK(n + size + 2 < sizeof(x->text));
	x->text[n++] = '.';
	memcpy(x->text + n, s, size);
	return n + size;
}

static void match_expand(struct expansion *x, uint32_t pc, size_t n)
{
	for (;; pc++) {
		const struct match_step *st = &steps[pc];

		switch (st->code) {
		case END:
			x->text[n] = 0;
			x->each(x->ctx, x->text);
			return;
		case JUMP:
			pc = st->to - 1;
			break;
		case SPLIT:
			if (st->to != pc + 1)
				match_expand(x, pc + 1, n);
			pc = st->to - 1;
			break;
		case WORD:
			n = match_append(x, n, st->word, st->size);
			break;
		default:
			for (int i = class_first[st->class];
			     i < class_end[st->class]; i++)
				match_expand(
					x, pc + 1,
					match_append(x, n, ptx_attrs[i].text,
						     strlen(ptx_attrs[i].text)));
			return;
		}
	}
}

void ptx_expand(const struct ptx_row *row,
		void (*each)(void *ctx, const char *text), void *ctx)
{
	struct expansion x = { .each = each, .ctx = ctx };
	size_t head = word_size(row->pattern);

	pthread_once(&once, match_compile_all);
	CHECK(row >= ptx_rows && row < ptx_rows + PTX_OP_COUNT);
	memcpy(x.text, row->pattern, head);
	match_expand(&x, start_of[row - ptx_rows], head);
}
