#include "door/cli/profile.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "door/cli/text.h"
#include "explore/files.h"

static void profile_add_traffic(struct heddle_traffic *to,
				const struct heddle_traffic *t)
{
	to->requests += t->requests;
	to->parts += t->parts;
	to->ideal += t->ideal;
}

static void add_unit(struct profile *p, const struct heddle_profile_row *r)
{
	size_t i = 0;

	while (i < p->unit_count && strcmp(p->units[i].name, r->unit) != 0)
		i++;
	if (i == PROFILE_UNITS)
		BUG("more units than PROFILE_UNITS");
	if (i == p->unit_count)
		p->units[p->unit_count++].name = r->unit;
	p->units[i].executions += r->executions;
}

/* Rows are in the order of the PTX; lines are merged later. */
static void profile_add_row(struct profile *p,
			    const struct heddle_profile_row *r)
{
	struct profile_line *l = &p->lines[p->line_count++];
	bool w = r->writes;

	p->executions += r->executions;
	p->lanes += r->lanes;
	p->diverged += r->diverged;
	p->branches += r->branches ? r->executions : 0;
	add_unit(p, r);
	profile_add_traffic(&p->global[w], &r->global);
	profile_add_traffic(&p->local[w], &r->local);
	profile_add_traffic(&p->shared[w], &r->shared);
	*l = (struct profile_line){
		.file = r->file,
		.line = r->line,
		.executions = r->executions,
		.sectors = r->global.parts + r->local.parts,
		.conflicts = r->shared.parts - r->shared.ideal,
	};
}

static int profile_by_place(const void *a, const void *b)
{
	const struct profile_line *x = a, *y = b;
	int c = strcmp(x->file, y->file);

	if (c)
		return c;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int profile_by_heat(const void *a, const void *b)
{
	const struct profile_line *x = a, *y = b;

	if (x->executions != y->executions)
		return x->executions > y->executions ? -1 : 1;
	return profile_by_place(a, b);
}

static void merge_lines(struct profile *p)
{
	size_t n = 0;

	qsort(p->lines, p->line_count, sizeof(*p->lines), profile_by_place);
	for (size_t i = 0; i < p->line_count; i++) {
		if (n && !profile_by_place(&p->lines[n - 1], &p->lines[i])) {
			p->lines[n - 1].executions += p->lines[i].executions;
			p->lines[n - 1].sectors += p->lines[i].sectors;
			p->lines[n - 1].conflicts += p->lines[i].conflicts;
		} else {
			p->lines[n++] = p->lines[i];
		}
	}
	p->line_count = n;
	qsort(p->lines, n, sizeof(*p->lines), profile_by_heat);
}

static int by_executions(const void *a, const void *b)
{
	const struct profile_unit *x = a, *y = b;

	if (x->executions != y->executions)
		return x->executions > y->executions ? -1 : 1;
	return strcmp(x->name, y->name);
}

enum err profile_read(struct profile *out, struct heddle_profile *p,
		      const struct sources *sources, struct diag *d)
{
	size_t n = heddle_profile_count(p);
	struct heddle_profile_row r;
	struct heddle_error he;

	*out = (struct profile){ .sources = sources };
	out->lines = calloc(n + 1, sizeof(*out->lines));
	if (!out->lines)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < n; i++) {
		if (heddle_profile_get(p, i, &r, &he))
			return fail_api(d, &he);
		profile_add_row(out, &r);
	}
	merge_lines(out);
	qsort(out->units, out->unit_count, sizeof(out->units[0]),
	      by_executions);
	return ERR_OK;
}

void profile_clear(struct profile *p)
{
	free(p->lines);
	p->lines = NULL;
	p->line_count = 0;
}

static double profile_share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void profile_print_mix(const struct profile *p)
{
	char a[GROUPED_TEXT];

	fprintf(stderr, "  mix      ");
	for (size_t i = 0; i < p->unit_count; i++)
		fprintf(stderr, " %s %.1f%%%s", p->units[i].name,
			profile_share(p->units[i].executions, p->executions),
			i + 1 < p->unit_count ? "," : "\n");
	if (p->branches)
		fprintf(stderr, "  branches  %.1f%% of %s went both ways\n",
			profile_share(p->diverged, p->branches),
			grouped(a, p->branches));
}

static void profile_print_traffic(const char *name,
				  const struct heddle_traffic *t,
				  const char *part)
{
	char a[GROUPED_TEXT];

	if (!t->requests)
		return;
	fprintf(stderr,
		"    %-14s %16s  %6.2f %s each, %5.1f%% of them needed\n", name,
		grouped(a, t->requests), (double)t->parts / (double)t->requests,
		part, profile_share(t->ideal, t->parts));
}

/* A line of a source, without its indentation; "" if it is not known. */
static void source_text(const struct profile *of, const char *file,
			uint32_t line, char *out, size_t size)
{
	FILE *f = sources_open(of->sources, file);
	char buf[512];
	const char *p = "";

	out[0] = 0;
	if (!f)
		return;
	for (uint32_t n = 0; n < line && fgets(buf, sizeof(buf), f);) {
		/* fgets returns a long line in pieces. */
		n += strchr(buf, '\n') != NULL || feof(f);
		p = buf;
	}
	fclose(f);
	while (isspace((unsigned char)*p))
		p++;
	snprintf(out, size, "%.*s", (int)strcspn(p, "\n"), p);
}

static void print_lines(const struct profile *p)
{
	char text[60], place[80];

	fprintf(stderr, "  hottest lines, by warp-instructions\n");
	for (size_t i = 0; i < p->line_count && i < PROFILE_HOT; i++) {
		const struct profile_line *l = &p->lines[i];

		source_text(p, l->file, l->line, text, sizeof(text));
		/* Compilers use line 0 for code that belongs to no line. */
		snprintf(place, sizeof(place), l->line ? "%s:%" PRIu32 : "%s",
			 file_base_name(l->file), l->line);
		fprintf(stderr, "    %5.1f%%  %-20s  %s\n",
			profile_share(l->executions, p->executions), place,
			text);
	}
}

void profile_print(const struct profile *p)
{
	if (!p->executions)
		return;
	profile_print_mix(p);
	fprintf(stderr, "  memory    requests of a warp, before any cache\n");
	profile_print_traffic("global loads", &p->global[0], "sectors");
	profile_print_traffic("global stores", &p->global[1], "sectors");
	profile_print_traffic("local loads", &p->local[0], "sectors");
	profile_print_traffic("local stores", &p->local[1], "sectors");
	profile_print_traffic("shared loads", &p->shared[0], "passes ");
	profile_print_traffic("shared stores", &p->shared[1], "passes ");
	print_lines(p);
}

static void json_traffic(struct json *j, const char *key,
			 const struct heddle_traffic *t, const char *parts)
{
	json_open(j, key, '{');
	json_uint(j, "requests", t->requests);
	json_uint(j, parts, t->parts);
	json_uint(j, "ideal", t->ideal);
	json_close(j, '{');
}

void profile_json(const struct profile *p, struct json *j)
{
	json_open(j, "profile", '{');
	json_open(j, "units", '{');
	for (size_t i = 0; i < p->unit_count; i++)
		json_uint(j, p->units[i].name, p->units[i].executions);
	json_close(j, '{');
	json_uint(j, "branches", p->branches);
	json_uint(j, "diverged_branches", p->diverged);
	json_traffic(j, "global_loads", &p->global[0], "sectors");
	json_traffic(j, "global_stores", &p->global[1], "sectors");
	json_traffic(j, "local_loads", &p->local[0], "sectors");
	json_traffic(j, "local_stores", &p->local[1], "sectors");
	json_traffic(j, "shared_loads", &p->shared[0], "passes");
	json_traffic(j, "shared_stores", &p->shared[1], "passes");
	json_open(j, "lines", '[');
	for (size_t i = 0; i < p->line_count; i++) {
		json_open(j, NULL, '{');
		json_string(j, "file", p->lines[i].file);
		json_uint(j, "line", p->lines[i].line);
		json_uint(j, "warp_instructions", p->lines[i].executions);
		json_uint(j, "sectors", p->lines[i].sectors);
		json_uint(j, "bank_conflicts", p->lines[i].conflicts);
		json_close(j, '{');
	}
	json_close(j, '[');
	json_close(j, '{');
}
