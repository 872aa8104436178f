/* Reads option files of GPGPU-Sim, and writes the configuration. */
#include "door/cli/gpgpusim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/wordlist.h"
#include "cfg/param.h"
#include "mem/partition.h"

enum option_fate { FATE_CONVERTED, FATE_USED, FATE_NONE };

static const struct {
	const char *name, *text, *convert;
} options[GPGPUSIM_COUNT] = {
#define OPTION(id, name, convert, text) { name, text, #convert },
#include "door/cli/gpgpusim.def"
};

static enum option_fate fate_of(enum gpgpusim_option o)
{
	return !strcmp(options[o].convert, "none") ? FATE_NONE :
	       !strcmp(options[o].convert, "used") ? FATE_USED :
						     FATE_CONVERTED;
}

const char *gpgpusim_name(enum gpgpusim_option o)
{
	return options[o].name;
}

void gpgpusim_init(struct gpgpusim *g)
{
	memset(g, 0, sizeof(*g));
	g->unknown_end = &g->unknown;
	g->set_end = &g->set;
	cfg_sheet_init(&g->sheet);
}

void gpgpusim_free(struct gpgpusim *g)
{
	cfg_sheet_free(&g->sheet);
	arena_free(&g->arena);
}

/* ---- reading ------------------------------------------------------------- */

struct option_text {
	struct gpgpusim *g;
	const char *name; /* of the file */
	const char *at, *end;
	unsigned line;
};

static enum err text_nomem(struct diag *d)
{
	return fail(d, ERR_NOMEM, "out of memory");
}

static enum err keep_option(struct option_text *t, const char *name, size_t n,
			    const char *value, size_t size, unsigned line,
			    struct diag *d)
{
	struct arena *a = &t->g->arena;
	struct gpgpusim_value v = { arena_strndup(a, value, size), t->name,
				    line };
	struct gpgpusim_unknown *u;

	if (!v.text)
		return text_nomem(d);
	for (int i = 0; i < GPGPUSIM_COUNT; i++)
		if (strlen(options[i].name) == n &&
		    !memcmp(options[i].name, name, n)) {
			t->g->value[i] = v;
			return ERR_OK;
		}
	u = arena_new(a, struct gpgpusim_unknown, 1);
	if (!u)
		return text_nomem(d);
	u->name = arena_strndup(a, name, n);
	u->value = v;
	*t->g->unknown_end = u;
	t->g->unknown_end = &u->next;
	return u->name ? ERR_OK : text_nomem(d);
}

/* Skips blanks and comments. */
static void skip_blanks_of(struct option_text *t, const char *comment)
{
	size_t n = strlen(comment);

	for (; t->at < t->end; t->at++) {
		if ((size_t)(t->end - t->at) >= n &&
		    !memcmp(t->at, comment, n)) {
			while (t->at < t->end && *t->at != '\n')
				t->at++;
			if (t->at == t->end)
				return;
		}
		if (*t->at == '\n')
			t->line++;
		else if (*t->at != ' ' && *t->at != '\t' && *t->at != '\r')
			return;
	}
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* A word up to the next blank, or what stands between quotes, which may go over
 * several lines. NULL: the quotes have no end. */
static const char *next_word(struct option_text *t, size_t *size)
{
	const char *start = t->at;

	if (start < t->end && *start == '"') {
		start++;
		for (t->at = start; t->at < t->end && *t->at != '"'; t->at++)
			t->line += *t->at == '\n';
		*size = (size_t)(t->at - start);
		if (t->at == t->end)
			return NULL;
		t->at++;
		return start;
	}
	while (t->at < t->end && !is_blank(*t->at))
		t->at++;
	*size = (size_t)(t->at - start);
	return start;
}

/* The word as a message can show it. */
static const char *shown(char out[64], const char *word, size_t size)
{
	size_t n = size < 60 ? size : 60;

	for (size_t i = 0; i < n; i++)
		out[i] = (unsigned char)word[i] < ' ' ? '?' : word[i];
	out[n] = '\0';
	return out;
}

/* An option is a minus and a letter: a minus and a digit is a number. */
static bool is_option_name(const char *word, size_t size)
{
	return size > 1 && word[0] == '-' &&
	       ((word[1] | 0x20) >= 'a' && (word[1] | 0x20) <= 'z');
}

static enum err read_option(struct option_text *t, struct diag *d)
{
	unsigned line = t->line;
	const char *name, *value;
	size_t n, size = 0;
	char text[64];

	name = next_word(t, &n);
	if (!name || !is_option_name(name, n))
		return fail(d, ERR_SYNTAX,
			    "%s:%u: '%s': expected an option, which begins "
			    "with a minus, and its value",
			    t->name, line, name ? shown(text, name, n) : "\"");
	skip_blanks_of(t, "#");
	value = t->at < t->end ? next_word(t, &size) : NULL;
	if (!value || is_option_name(value, size))
		return fail(d, ERR_SYNTAX, "%s:%u: %s has no value%s", t->name,
			    line, shown(text, name, n),
			    t->at == t->end && !value && size ?
				    ": its quotes have no end" :
				    "");
	return keep_option(t, name, n, value, size, line, d);
}

/* "flit_size = 40;" */
static enum err read_icnt(struct option_text *t, struct diag *d)
{
	const char *name = t->at, *value, *end;
	unsigned line = t->line;
	size_t n = 0, size;
	char text[64];

	while (t->at < t->end && !is_blank(*t->at) && *t->at != '=')
		t->at++;
	n = (size_t)(t->at - name);
	skip_blanks_of(t, "//");
	if (!n || t->at == t->end || *t->at != '=')
		return fail(d, ERR_SYNTAX,
			    "%s:%u: '%s': expected NAME = VALUE;", t->name,
			    line, shown(text, name, n));
	t->at++;
	skip_blanks_of(t, "//");
	value = t->at;
	end = memchr(value, ';', (size_t)(t->end - value));
	if (!end)
		return fail(d, ERR_SYNTAX, "%s:%u: %s has no ; at its end",
			    t->name, line, shown(text, name, n));
	for (t->at = end + 1; value < end && is_blank(end[-1]);)
		end--;
	size = (size_t)(end - value);
	for (const char *p = value; p < t->at; p++)
		t->line += *p == '\n';
	return keep_option(t, name, n, value, size, line, d);
}

enum err gpgpusim_read_text(struct gpgpusim *g, const char *name,
			    const char *text, size_t size, struct diag *d)
{
	struct option_text t = { .g = g,
				 .name = arena_strndup(&g->arena, name,
						       strlen(name)),
				 .at = text,
				 .end = text + size,
				 .line = 1 };
	bool icnt = word_ends_with(name, ".icnt");
	const char *zero = memchr(text, 0, size);

	if (!t.name)
		return text_nomem(d);
	if (zero)
		return fail(d, ERR_SYNTAX, "%s: a zero byte: this is no text",
			    name);
	for (;;) {
		enum err e;

		skip_blanks_of(&t, icnt ? "//" : "#");
		if (t.at == t.end)
			return ERR_OK;
		e = icnt ? read_icnt(&t, d) : read_option(&t, d);
		if (e)
			return e;
	}
}

enum err gpgpusim_read(struct gpgpusim *g, const char *path, struct diag *d)
{
	enum { MOST = 1 << 20 };
	FILE *f = fopen(path, "rb");
	char *text = f ? malloc(MOST) : NULL;
	size_t size;
	enum err e;

	if (!f)
		return fail(d, ERR_IO, "%s: %s", path, strerror(errno));
	size = text ? fread(text, 1, MOST, f) : 0;
	if (!text)
		e = text_nomem(d);
	else if (ferror(f))
		e = fail(d, ERR_IO, "%s: %s", path, strerror(errno));
	else if (size == MOST)
		e = fail(d, ERR_RANGE, "%s: %d bytes or more: no option file",
			 path, MOST);
	else
		e = gpgpusim_read_text(g, path, text, size, d);
	fclose(f);
	free(text);
	return e;
}

/* ---- converting ---------------------------------------------------------- */

static enum err set_name(struct gpgpusim *g, const char *name, struct diag *d)
{
	char text[CFG_TEXT_SIZE + 16];

	snprintf(text, sizeof(text), "gpu.name=\"%.*s\"", CFG_TEXT_SIZE - 1,
		 name);
	return cfg_sheet_set(&g->sheet, text, d);
}

/* A message about a rule between parameters, and where they come from. */
static enum err check_result(struct gpgpusim *g, struct diag *d)
{
	struct mem_shape shape;
	struct diag rule;

	if (!cfg_check(&g->sheet.cfg, &rule) &&
	    !mem_shape_init(&shape, &g->sheet.cfg, &rule))
		return ERR_OK;
	return fail(d, rule.code,
		    "the options make no GPU that Heddle can simulate: %s",
		    rule.text);
}

enum err gpgpusim_convert(struct gpgpusim *g, const char *name, struct diag *d)
{
	enum err e = set_name(g, name, d);

	if (!e)
		e = cfg_sheet_set(&g->sheet,
				  "gpu.about=\"imported from GPGPU-Sim\"", d);
	if (!e)
		e = gpgpusim_convert_all(g, d);
	if (!e)
		e = check_result(g, d);
	return e;
}

static const char *why_left_out(const struct gpgpusim *g, int i)
{
	if (!g->value[i].text)
		return NULL;
	if (g->left_out[i])
		return g->left_out[i];
	switch (fate_of((enum gpgpusim_option)i)) {
	case FATE_NONE:
		return options[i].text;
	case FATE_USED:
		return g->read[i] ? NULL : "nothing here needs it";
	default:
		return NULL;
	}
}

unsigned gpgpusim_left_out(const struct gpgpusim *g)
{
	unsigned n = 0;

	for (int i = 0; i < GPGPUSIM_COUNT; i++)
		n += why_left_out(g, i) != NULL;
	return n;
}

unsigned gpgpusim_unknown_count(const struct gpgpusim *g)
{
	unsigned n = 0;

	for (const struct gpgpusim_unknown *u = g->unknown; u; u = u->next)
		n++;
	return n;
}

/* ---- writing ------------------------------------------------------------- */

/* A value may go over several lines. */
static void write_value(FILE *to, const char *text)
{
	bool blank = false;

	for (; *text; text++) {
		if (is_blank(*text) || (unsigned char)*text < ' ') {
			blank = true;
			continue;
		}
		if (blank)
			fputc(' ', to);
		blank = false;
		fputc(*text, to);
	}
}

static void write_sets(const struct gpgpusim *g, FILE *to)
{
	enum cfg_section_id in = (enum cfg_section_id) - 1;
	char value[CFG_VALUE_SIZE];

	for (int i = 0; i < CFG_COUNT; i++)
		for (const struct gpgpusim_set *s = g->set; s; s = s->next) {
			if (s->id != (enum cfg_id)i)
				continue;
			if (cfg_params[i].section != in)
				fputc('\n', to);
			in = cfg_params[i].section;
			cfg_value_print(value, &g->sheet.cfg, s->id);
			fprintf(to, "%s = %s  # ", cfg_params[i].key, value);
			write_value(to, s->note);
			fputc('\n', to);
		}
}

static void write_left_out(const struct gpgpusim *g, FILE *to)
{
	fprintf(to, "\n# Without a counterpart:\n");
	for (int i = 0; i < GPGPUSIM_COUNT; i++) {
		const char *why = why_left_out(g, i);

		if (!why)
			continue;
		fprintf(to, "#   %s ", options[i].name);
		write_value(to, g->value[i].text);
		fprintf(to, ": %s\n", why);
	}
	if (g->unknown)
		fprintf(to, "\n# Not known:\n");
	for (const struct gpgpusim_unknown *u = g->unknown; u; u = u->next) {
		fprintf(to, "#   ");
		write_value(to, u->name);
		fputc(' ', to);
		write_value(to, u->value.text);
		fprintf(to, " (line %u)\n", u->value.line);
	}
}

void gpgpusim_write(const struct gpgpusim *g, FILE *to)
{
	fprintf(to,
		"# Imported from option files of GPGPU-Sim. What no option "
		"says has the default\n# of Heddle.\n\ngpu.name  = "
		"\"%s\"\ngpu.about = \"%s\"\n",
		g->sheet.cfg.gpu.name, g->sheet.cfg.gpu.about);
	write_sets(g, to);
	write_left_out(g, to);
}
