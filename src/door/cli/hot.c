#include "door/cli/hot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "door/cli/text.h"

static int by_place(const void *a, const void *b)
{
	const struct hot_line *x = a, *y = b;
	int c = strcmp(x->file, y->file);

	if (c)
		return c;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int by_heat(const void *a, const void *b)
{
	const struct hot_line *x = a, *y = b;

	if (x->waited != y->waited)
		return x->waited > y->waited ? -1 : 1;
	if (x->issued != y->issued)
		return x->issued > y->issued ? -1 : 1;
	return by_place(a, b);
}

static void add_line(struct hot_line *to, const struct hot_line *l)
{
	to->issued += l->issued;
	to->waited += l->waited;
	if (l->most <= to->most)
		return;
	to->most = l->most;
	memcpy(to->instruction, l->instruction, sizeof(to->instruction));
}

static void merge(struct hot *h)
{
	size_t n = 0;

	qsort(h->lines, h->count, sizeof(*h->lines), by_place);
	for (size_t i = 0; i < h->count; i++) {
		if (n && !by_place(&h->lines[n - 1], &h->lines[i]))
			add_line(&h->lines[n - 1], &h->lines[i]);
		else
			h->lines[n++] = h->lines[i];
	}
	h->count = n;
	qsort(h->lines, n, sizeof(*h->lines), by_heat);
}

enum err hot_read(struct hot *out, const struct heddle_timing *t,
		  struct diag *d)
{
	struct heddle_timing_info info;
	struct heddle_hot_line row;
	struct heddle_error he;

	heddle_timing_info(t, &info);
	*out = (struct hot){ 0 };
	out->lines = calloc(info.hot_lines + 1, sizeof(*out->lines));
	if (!out->lines)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < info.hot_lines; i++) {
		struct hot_line *l = &out->lines[out->count++];

		if (heddle_timing_hot(t, i, &row, &he))
			return fail_api(d, &he);
		l->file = row.file;
		l->line = row.line;
		l->issued = row.issued;
		l->waited = l->most = row.waited;
		memcpy(l->instruction, row.instruction, sizeof(l->instruction));
		out->waited += row.waited;
	}
	merge(out);
	return ERR_OK;
}

void hot_clear(struct hot *h)
{
	free(h->lines);
	*h = (struct hot){ 0 };
}

enum { PLACE = 22 }; /* columns */

/* FILE:LINE; of a long name the end, which tells more. */
static void place_text(char out[PLACE + 1], const struct hot_line *l)
{
	const char *slash = strrchr(l->file, '/');
	char all[256];
	size_t n;

	/* Compilers say line 0 for what belongs to no line. */
	snprintf(all, sizeof(all), l->line ? "%.200s:%" PRIu32 : "%.200s",
		 slash ? slash + 1 : l->file, l->line);
	n = strlen(all);
	if (n <= PLACE)
		memcpy(out, all, n + 1);
	else
		snprintf(out, PLACE + 1, "..%s", all + n - (PLACE - 2));
}

void hot_print(const struct hot *h)
{
	char place[PLACE + 1], a[GROUPED_TEXT];

	if (!h->waited)
		return;
	fprintf(stderr, "  %-33s %13s  %s\n", "hottest lines, by time of warps",
		"issued", "most of it before");
	for (size_t i = 0; i < h->count && i < HOT_SHOWN; i++) {
		const struct hot_line *l = &h->lines[i];

		place_text(place, l);
		fprintf(stderr, "    %5.1f%%  %-*s %14s  %.28s\n",
			100.0 * (double)l->waited / (double)h->waited, PLACE,
			place, grouped(a, l->issued), l->instruction);
	}
}

void hot_json(const struct hot *h, struct json *j)
{
	json_open(j, "lines", '[');
	for (size_t i = 0; i < h->count; i++) {
		const struct hot_line *l = &h->lines[i];

		json_open(j, NULL, '{');
		json_string(j, "file", l->file);
		json_uint(j, "line", l->line);
		json_uint(j, "issued", l->issued);
		json_uint(j, "waited", l->waited);
		json_string(j, "instruction", l->instruction);
		json_close(j, '{');
	}
	json_close(j, '[');
}
