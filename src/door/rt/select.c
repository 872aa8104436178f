#define _GNU_SOURCE /* memrchr */
#include "door/rt/select.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "door/rt/names.h"

/* One item of the text: launches by number, or the first launches of every
 * kernel whose name matches. */
struct select_item {
	char *pattern; /* NULL: by number */
	uint64_t from, to;
};

static struct {
	bool all; /* no selection was given */
	struct select_item *items;
	size_t count;
	struct names kernels;
	uint64_t *launches; /* so far, of each kernel */
	size_t room;
	char wrong[160];
} chosen = { .all = true };

static const char *select_error(const char *item, size_t n, const char *why)
{
	snprintf(chosen.wrong, sizeof(chosen.wrong), "'%.*s': %s",
		 n < 80 ? (int)n : 80, item, why);
	return chosen.wrong;
}

/* Reads a number that spans [p, end); false: it is not a number. */
static bool select_parse_number(const char *p, const char *end, uint64_t *out)
{
	*out = 0;
	if (p == end)
		return false;
	for (; p < end; p++) {
		unsigned digit = (unsigned)(*p - '0');

		if (digit > 9 || __builtin_mul_overflow(*out, 10, out) ||
		    __builtin_add_overflow(*out, digit, out))
			return false;
	}
	return true;
}

/* 3, 3-7 or 5-. */
static const char *select_parse_range(struct select_item *out, const char *p,
				      size_t n)
{
	const char *end = p + n, *dash = memchr(p, '-', n);

	if (!select_parse_number(p, dash ? dash : end, &out->from))
		return select_error(
			p, n, "expected the number of a launch, such as 3");
	out->to = dash ? UINT64_MAX : out->from;
	if (dash && dash + 1 < end &&
	    !select_parse_number(dash + 1, end, &out->to))
		return select_error(
			p, n, "expected a range of launches, such as 3-7");
	if (!out->from)
		return select_error(p, n, "launches are counted from 1");
	return out->to < out->from ?
		       select_error(p, n, "ends before it begins") :
		       NULL;
}

/* The colon of NAME:N, not one of ns::NAME. */
static const char *find_count_colon(const char *p, size_t n)
{
	const char *colon = memrchr(p, ':', n);

	return colon && colon > p && colon[-1] == ':' ? NULL : colon;
}

/* NAME, NAME:N or first:N. */
static const char *select_parse_name(struct select_item *out, const char *p,
				     size_t n)
{
	const char *colon = find_count_colon(p, n);
	size_t length = colon ? (size_t)(colon - p) : n;

	out->from = 1;
	out->to = UINT64_MAX;
	if (colon &&
	    (!select_parse_number(colon + 1, p + n, &out->to) || !out->to))
		return select_error(p, n,
				    "expected a number of launches after ':'");
	if (!length)
		return select_error(p, n,
				    "expected a kernel's name before ':'");
	if (colon && length == 5 && !memcmp(p, "first", 5))
		out->pattern = strdup("*");
	else
		out->pattern = strndup(p, length);
	return out->pattern ? NULL : select_error(p, n, "out of memory");
}

static const char *add_item(const char *p, size_t n)
{
	struct select_item *items =
		realloc(chosen.items, (chosen.count + 1) * sizeof(*items));
	struct select_item *item;
	const char *why;

	if (!items)
		return select_error(p, n, "out of memory");
	chosen.items = items;
	item = &items[chosen.count];
	*item = (struct select_item){ 0 };
	if (!n)
		return select_error(p, n, "empty item");
	if (n == 4 && !memcmp(p, "none", 4))
		return select_error(p, n,
				    "cannot be combined with other items");
	why = *p >= '0' && *p <= '9' ? select_parse_range(item, p, n) :
				       select_parse_name(item, p, n);
	if (!why)
		chosen.count++;
	return why;
}

static void select_clear(void)
{
	for (size_t i = 0; i < chosen.count; i++)
		free(chosen.items[i].pattern);
	free(chosen.items);
	free(chosen.launches);
	names_free(&chosen.kernels);
	chosen.items = NULL;
	chosen.launches = NULL;
	chosen.count = chosen.room = 0;
}

const char *select_open(const char *text)
{
	const char *why = NULL;

	select_clear();
	chosen.all = !text;
	if (!text || !strcmp(text, "none"))
		return NULL;
	for (;;) {
		size_t n = strcspn(text, ",");

		why = add_item(text, n);
		if (why || !text[n])
			return why;
		text += n + 1;
	}
}

/* Counts a launch of the kernel; returns the count so far. */
static uint64_t count_launch(const char *kernel)
{
	size_t i = names_index(&chosen.kernels, kernel);

	if (i == NAMES_FULL)
		return 1;
	if (i >= chosen.room) {
		size_t room = 2 * i + 16;
		uint64_t *more = realloc(chosen.launches, room * sizeof(*more));

		if (!more)
			return 1;
		memset(more + chosen.room, 0,
		       (room - chosen.room) * sizeof(*more));
		chosen.launches = more;
		chosen.room = room;
	}
	return ++chosen.launches[i];
}

static bool name_matches(const char *pattern, const char *kernel,
			 const char *full)
{
	const char *base = full;

	for (const char *p = full; (p = strstr(p, "::")); base = p)
		p += 2;
	return !fnmatch(pattern, base, 0) || !fnmatch(pattern, full, 0) ||
	       !strcmp(pattern, kernel);
}

bool select_timed(const char *kernel, uint64_t number)
{
	char full[1024];
	uint64_t nth;

	if (chosen.all)
		return true;
	nth = count_launch(kernel);
	demangle(full, sizeof(full), kernel);
	for (size_t i = 0; i < chosen.count; i++) {
		const struct select_item *item = &chosen.items[i];
		uint64_t n = item->pattern ? nth : number;

		if (n >= item->from && n <= item->to &&
		    (!item->pattern ||
		     name_matches(item->pattern, kernel, full)))
			return true;
	}
	return false;
}
