/*
 * Makes forms.txt: of the forms that the table covers, those that ptxas accepts
 * for sm_90.
 *
 *	forms >forms.txt
 *
 * If it accepts no form of a row, the row is tried as PTX before version 6.4.
 * Rows that have no form then are named on stderr.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opform.h"
#include "opgen.h"

enum { BATCH = 400 };

struct candidate {
	enum ptx_op row;
	char line[OP_LINE];
	bool taken;
};

static struct candidate *all;
static size_t count, room;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void add(void *ctx, const char *line)
{
	struct op_form f;

	if (!op_parse(&f, line)) {
		fprintf(stderr, "forms: cannot read: %s\n", line);
		exit(1);
	}
	if (count == room) {
		room = room ? 2 * room : 4096;
		all = realloc(all, room * sizeof(*all));
		if (!all)
			die("forms");
	}
	all[count].row = *(enum ptx_op *)ctx;
	all[count].taken = true;
	snprintf(all[count++].line, OP_LINE, "%s", line);
}

static size_t lines_of(const struct op_text *t, size_t from)
{
	size_t n = 0;

	for (size_t i = from; i < t->size; i++)
		n += t->s[i] == '\n';
	return n;
}

/* Writes a module of the forms that are left. start[i] is the first line of
 * form i. */
static void write_module(const char *path, struct candidate **c, size_t n,
			 size_t *start)
{
	struct op_text t = { 0 };
	struct op_form f;
	size_t line = 1, from = 0;

	for (size_t i = 0; i < n; i++) {
		start[i] = SIZE_MAX;
		if (!c[i]->taken)
			continue;
		start[i] = line;
		op_parse(&f, c[i]->line);
		if (!from)
			op_ptx_header(&t, f.legacy);
		op_ptx_kernel(&t, &f, (int)i);
		line += lines_of(&t, from);
		from = t.size;
	}
	FILE *out = fopen(path, "w");

	if (t.failed || !out || fwrite(t.s, 1, t.size, out) != t.size ||
	    fclose(out))
		die(path);
	free(t.s);
}

/* Removes the forms that the assembler has refused. False: it has refused none.
 */
static bool drop(const char *command, struct candidate **c, size_t n,
		 const size_t *start)
{
	FILE *in = popen(command, "r");
	char text[1000];
	bool any = false;
	unsigned long line;

	if (!in)
		die(command);
	while (fgets(text, sizeof(text), in)) {
		const char *at = strstr(text, ", line ");

		if (!at || !strstr(text, "; error") ||
		    sscanf(at, ", line %lu", &line) != 1)
			continue;
		for (size_t i = n; i-- > 0;)
			if (start[i] <= line) {
				c[i]->taken = false;
				any = true;
				break;
			}
	}
	int rc = pclose(in);

	if (rc && !any) {
		fprintf(stderr, "forms: %s: failed, no line named\n", command);
		exit(1);
	}
	return any;
}

static void try_batch(struct candidate **c, size_t n, const char *path)
{
	size_t start[BATCH];
	char command[600];

	snprintf(command, sizeof(command),
		 "ptxas -arch=sm_90 -O0 -o /dev/null %s 2>&1", path);
	do {
		bool left = false;

		for (size_t i = 0; i < n; i++)
			left |= c[i]->taken;
		if (!left)
			return;
		write_module(path, c, n, start);
	} while (drop(command, c, n, start));
}

static void try_all(struct candidate **c, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i += BATCH) {
		try_batch(c + i, n - i < BATCH ? n - i : BATCH, path);
		fprintf(stderr, "\r%zu of %zu", i, n);
	}
	fprintf(stderr, "\n");
}

static void try_again_as_legacy(const int *taken, struct candidate **c,
				const char *path)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(all[i].line);

		if (taken[all[i].row] || size + 8 > OP_LINE)
			continue;
		memcpy(all[i].line + size, " legacy", 8);
		all[i].taken = true;
		c[n++] = &all[i];
	}
	try_all(c, n, path);
}

/* setp p, .. tests nothing that setp p|q, .. does not test. */
static bool is_half_of(const struct candidate *both, const struct candidate *c)
{
	size_t n = strcspn(c->line, " ") + 1;

	return both->taken && !strncmp(both->line, c->line, n) &&
	       !strncmp(both->line + n, "pp,", 3) &&
	       !strcmp(both->line + n + 3, c->line + n + 2);
}

/* Each opcode of a video instruction keeps one choice of selectors, and each
 * opcode a different one. */
static void thin(void)
{
	for (size_t i = 0, end; i < count; i = end) {
		size_t word = strcspn(all[i].line, " ") + 1;
		size_t n = 0, keep;

		for (end = i; end < count && all[end].row == all[i].row &&
			      !strncmp(all[end].line, all[i].line, word);
		     end++)
			n += all[end].taken;
		if (*ptx_rows[all[i].row].form != 'y' || !n)
			continue;
		keep = op_hash(all[i].line, word) % n;
		for (size_t j = i; j < end; j++)
			if (all[j].taken && keep-- != 0)
				all[j].taken = false;
	}
}

int main(void)
{
	static int taken[PTX_OP_COUNT];
	char path[] = "/tmp/formsXXXXXX";

	if (mkstemp(path) < 0)
		die(path);
	for (int row = 0; row < PTX_OP_COUNT; row++) {
		enum ptx_op op = (enum ptx_op)row;

		if (op_row_in_scope(op))
			op_forms(op, add, &op);
	}
	struct candidate **c = calloc(count, sizeof(*c));

	if (!c)
		die("forms");
	for (size_t i = 0; i < count; i++)
		c[i] = &all[i];
	try_all(c, count, path);
	thin();
	for (size_t i = 0; i < count; i++)
		taken[all[i].row] += all[i].taken;
	try_again_as_legacy(taken, c, path);
	for (size_t i = 0; i < count; i++)
		if (all[i].taken && !(i && is_half_of(&all[i - 1], &all[i]))) {
			taken[all[i].row]++;
			puts(all[i].line);
		}
	for (int row = 0; row < PTX_OP_COUNT; row++)
		if (op_row_in_scope((enum ptx_op)row) && !taken[row])
			fprintf(stderr, "%s: no form\n", ptx_rows[row].id);
	remove(path);
	return 0;
}
