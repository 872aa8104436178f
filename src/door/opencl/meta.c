#include "door/opencl/meta.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGS_MAX = 4096, FIELDS = 8 };

static struct meta_kernel *meta_add(struct meta *m)
{
	struct meta_kernel *more =
		realloc(m->kernels, (m->count + 1) * sizeof(*more));

	if (!more)
		return NULL;
	m->kernels = more;
	more[m->count] = (struct meta_kernel){ 0 };
	return &more[m->count++];
}

static struct meta_arg *meta_add_arg(struct meta_kernel *k)
{
	struct meta_arg *more =
		realloc(k->args, (k->arg_count + 1) * sizeof(*more));

	if (!more)
		return NULL;
	k->args = more;
	more[k->arg_count] = (struct meta_arg){ 0 };
	return &more[k->arg_count++];
}

void meta_free(struct meta *m)
{
	for (size_t i = 0; i < m->count; i++) {
		struct meta_kernel *k = &m->kernels[i];

		for (size_t a = 0; a < k->arg_count; a++) {
			free(k->args[a].access);
			free(k->args[a].qualifiers);
			free(k->args[a].type);
			free(k->args[a].name);
		}
		free(k->args);
		free(k->name);
		free(k->vector);
	}
	free(m->kernels);
	*m = (struct meta){ 0 };
}

const struct meta_kernel *meta_find(const struct meta *m, const char *name)
{
	for (size_t i = 0; i < m->count; i++)
		if (!strcmp(m->kernels[i].name, name))
			return &m->kernels[i];
	return NULL;
}

/*
 * Code
 */

static enum meta_space space_of_param(const struct heddle_param *p)
{
	if (p->kind == HEDDLE_PARAM_SHARED ||
	    (p->space && !strcmp(p->space, "local")))
		return META_LOCAL;
	if (p->space && !strcmp(p->space, "constant"))
		return META_CONSTANT;
	if (p->space && !strcmp(p->space, "global"))
		return META_GLOBAL;
	return p->kind == HEDDLE_PARAM_INT && p->size == sizeof(uint64_t) ?
		       META_UNKNOWN :
		       META_PRIVATE;
}

static char *copy_or_empty(const char *text)
{
	return strdup(text ? text : "");
}

static enum err add_param(struct meta_kernel *k, const struct heddle_param *p,
			  struct diag *d)
{
	struct meta_arg *a = meta_add_arg(k);

	if (!a)
		return fail(d, ERR_NOMEM, "out of memory");
	a->space = space_of_param(p);
	a->access = strdup(p->access ? p->access : "none");
	a->qualifiers = strdup(p->is_const ? "const" : "");
	a->type = copy_or_empty(p->type_name ? p->type_name : p->type);
	a->name = copy_or_empty(p->name);
	return a->access && a->qualifiers && a->type && a->name ?
		       ERR_OK :
		       fail(d, ERR_NOMEM, "out of memory");
}

enum err meta_of_kernel(struct meta *m, const struct heddle_kernel *k,
			struct diag *d)
{
	struct meta_kernel *to = meta_add(m);

	if (!to)
		return fail(d, ERR_NOMEM, "out of memory");
	to->name = strdup(k->name);
	to->vector = strdup("");
	memcpy(to->required, k->required, sizeof(to->required));
	for (uint32_t i = 0; i < k->param_count; i++)
		if (add_param(to, &k->params[i], d))
			return d->code;
	return to->name && to->vector ? ERR_OK :
					fail(d, ERR_NOMEM, "out of memory");
}

/*
 * The text of a binary
 */

void meta_write(const struct meta *m, struct text *to)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct meta_kernel *k = &m->kernels[i];

		text_printf(to, "kernel\t%s\t%u %u %u\t%u %u %u\t%s\n", k->name,
			    k->required[0], k->required[1], k->required[2],
			    k->hint[0], k->hint[1], k->hint[2], k->vector);
		for (size_t a = 0; a < k->arg_count; a++)
			text_printf(to, "arg\t%u\t%s\t%s\t%s\t%s\n",
				    (unsigned)k->args[a].space,
				    k->args[a].access, k->args[a].qualifiers,
				    k->args[a].type, k->args[a].name);
	}
}

/* Cuts the line at its tabs. Returns the number of fields. */
static size_t split(char *line, char *fields[FIELDS])
{
	size_t n = 0;

	while (n < FIELDS) {
		fields[n++] = line;
		line = strchr(line, '\t');
		if (!line)
			break;
		*line++ = '\0';
	}
	return n;
}

static bool read_sizes(const char *text, uint32_t out[3])
{
	char end;

	return sscanf(text, "%u %u %u%c", &out[0], &out[1], &out[2], &end) == 3;
}

static enum err read_kernel(struct meta *m, char *const *f, struct diag *d)
{
	struct meta_kernel *k = meta_add(m);

	if (!k)
		return fail(d, ERR_NOMEM, "out of memory");
	k->name = strdup(f[1]);
	k->vector = strdup(f[4]);
	if (!k->name || !k->vector)
		return fail(d, ERR_NOMEM, "out of memory");
	return read_sizes(f[2], k->required) && read_sizes(f[3], k->hint) ?
		       ERR_OK :
		       fail(d, ERR_SYNTAX, "a size of a kernel is wrong");
}

static enum err read_arg(struct meta *m, char *const *f, struct diag *d)
{
	struct meta_kernel *k = m->count ? &m->kernels[m->count - 1] : NULL;
	struct meta_arg *a;

	if (!k || k->arg_count == ARGS_MAX || f[1][0] < '0' || f[1][0] > '4' ||
	    f[1][1])
		return fail(d, ERR_SYNTAX, "an argument is wrong");
	a = meta_add_arg(k);
	if (!a)
		return fail(d, ERR_NOMEM, "out of memory");
	a->space = (enum meta_space)(f[1][0] - '0');
	a->access = strdup(f[2]);
	a->qualifiers = strdup(f[3]);
	a->type = strdup(f[4]);
	a->name = strdup(f[5]);
	return a->access && a->qualifiers && a->type && a->name ?
		       ERR_OK :
		       fail(d, ERR_NOMEM, "out of memory");
}

static enum err read_line(struct meta *m, char *line, struct diag *d)
{
	char *fields[FIELDS];
	size_t n = split(line, fields);

	if (n == 5 && !strcmp(fields[0], "kernel"))
		return read_kernel(m, fields, d);
	if (n == 6 && !strcmp(fields[0], "arg"))
		return read_arg(m, fields, d);
	return fail(d, ERR_SYNTAX, "a line about kernels is wrong");
}

enum err meta_read(struct meta *m, const char *text, size_t size,
		   struct diag *d)
{
	char *copy = strndup(text, size), *line = copy;
	enum err e = copy ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");

	*m = (struct meta){ 0 };
	while (!e && *line) {
		char *end = strchr(line, '\n');

		if (!end) {
			e = fail(d, ERR_SYNTAX, "a line about kernels is cut");
			break;
		}
		*end = '\0';
		e = read_line(m, line, d);
		line = end + 1;
	}
	free(copy);
	return e;
}

/*
 * Intermediate code
 */

/* Where the node `!number = !{` begins in the text; NULL: nowhere. */
static const char *find_node(const char *ir, const char *reference)
{
	size_t n = 1 + strspn(reference + 1, "0123456789");
	char head[32];
	const char *at;

	if (n > 20)
		return NULL;
	snprintf(head, sizeof(head), "\n%.*s = !{", (int)n, reference);
	at = strstr(ir, head);
	return at ? at + strlen(head) : NULL;
}

/* The node that the line names after `!key `; NULL: none. */
static const char *find_key(const char *ir, const char *line, const char *end,
			    const char *key)
{
	char word[64];
	const char *at;

	snprintf(word, sizeof(word), " !%s !", key);
	at = strstr(line, word);
	return at && at < end ? find_node(ir, at + strlen(word) - 1) : NULL;
}

/* Element i of a node, from its first character on; *size: up to the comma. */
static const char *find_element(const char *node, size_t i, size_t *size)
{
	bool quoted = false;
	const char *start = node;

	for (const char *p = node; p && *p && *p != '\n'; p++) {
		quoted ^= *p == '"';
		if (quoted || (*p != ',' && *p != '}'))
			continue;
		if (!i) {
			*size = (size_t)(p - start);
			return *size ? start : NULL;
		}
		if (*p == '}')
			return NULL;
		i--;
		start = p + 1 + (p[1] == ' ');
	}
	return NULL;
}

/* The string `!"..."` that is element i; "": none. */
static char *copy_string(const char *node, size_t i)
{
	size_t size = 0;
	const char *at = node ? find_element(node, i, &size) : NULL;

	if (!at || size < 3 || at[0] != '!' || at[1] != '"')
		return strdup("");
	return strndup(at + 2, size - 3);
}

/* The number of `i32 5`. */
static uint32_t read_i32(const char *node, size_t i)
{
	size_t size;
	const char *at = node ? find_element(node, i, &size) : NULL;

	return at && !strncmp(at, "i32 ", 4) ?
		       (uint32_t)strtoul(at + 4, NULL, 10) :
		       0;
}

struct nodes {
	const char *space, *access, *type, *qualifiers, *name;
};

static enum err ir_args(struct meta_kernel *k, const struct nodes *n,
			struct diag *d)
{
	size_t size;

	for (size_t i = 0; n->space && find_element(n->space, i, &size); i++) {
		struct meta_arg *a = meta_add_arg(k);
		uint32_t space = read_i32(n->space, i);

		if (!a)
			return fail(d, ERR_NOMEM, "out of memory");
		a->space = space <= META_LOCAL ? (enum meta_space)space :
						 META_GLOBAL;
		a->access = copy_string(n->access, i);
		a->type = copy_string(n->type, i);
		a->qualifiers = copy_string(n->qualifiers, i);
		a->name = copy_string(n->name, i);
		if (!a->access || !a->type || !a->qualifiers || !a->name)
			return fail(d, ERR_NOMEM, "out of memory");
	}
	return ERR_OK;
}

/* `<4 x float> undef` and `i32 undef` are "float4" and "int". */
static char *vector_hint(const char *node)
{
	static const struct {
		const char *ir, *name;
	} types[] = { { "i8", "char" },     { "i16", "short" },
		      { "i32", "int" },     { "i64", "long" },
		      { "float", "float" }, { "double", "double" },
		      { "half", "half" } };
	char out[32] = "", type[16];
	unsigned lanes = 1;
	size_t size;
	const char *at = node ? find_element(node, 0, &size) : NULL;
	bool is_signed = read_i32(node, 1) != 0;

	if (!at || (sscanf(at, "<%u x %15[a-z0-9]>", &lanes, type) != 2 &&
		    sscanf(at, "%15[a-z0-9]", type) != 1))
		return strdup("");
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i].ir, type))
			snprintf(out, sizeof(out), "%s%s",
				 type[0] == 'i' && !is_signed ? "u" : "",
				 types[i].name);
	if (lanes > 1)
		snprintf(out + strlen(out), sizeof(out) - strlen(out), "%u",
			 lanes);
	return strdup(out);
}

static enum err ir_kernel(struct meta *m, const char *ir, const char *line,
			  const char *end, struct diag *d)
{
	struct nodes n = {
		.space = find_key(ir, line, end, "kernel_arg_addr_space"),
		.access = find_key(ir, line, end, "kernel_arg_access_qual"),
		.type = find_key(ir, line, end, "kernel_arg_type"),
		.qualifiers = find_key(ir, line, end, "kernel_arg_type_qual"),
		.name = find_key(ir, line, end, "kernel_arg_name"),
	};
	const char *required = find_key(ir, line, end, "reqd_work_group_size");
	const char *hint = find_key(ir, line, end, "work_group_size_hint");
	const char *name = strchr(line, '@');
	struct meta_kernel *k = meta_add(m);

	if (!k || !name)
		return fail(d, ERR_NOMEM, "out of memory");
	k->name = strndup(name + 1, strcspn(name + 1, "("));
	k->vector = vector_hint(find_key(ir, line, end, "vec_type_hint"));
	if (!k->name || !k->vector)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < 3; i++) {
		k->required[i] = required ? read_i32(required, i) : 0;
		k->hint[i] = hint ? read_i32(hint, i) : 0;
	}
	return ir_args(k, &n, d);
}

enum err meta_read_ir(struct meta *m, const char *ir, struct diag *d)
{
	const char *line = ir;
	enum err e = ERR_OK;

	*m = (struct meta){ 0 };
	while (!e && (line = strstr(line, "\ndefine "))) {
		const char *end = strchr(++line, '\n');
		const char *name = strchr(line, '@');

		if (!end || !name || name > end)
			break;
		/* Only kernels have these. */
		if (find_key(ir, line, end, "kernel_arg_addr_space"))
			e = ir_kernel(m, ir, line, end, d);
		line = end - 1;
	}
	return e;
}
