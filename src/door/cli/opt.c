#include "door/cli/opt.h"

#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "door/cli/text.h"
#include "door/cli/values.h"

enum err opt_on(void *to, const char *value, struct diag *d)
{
	(void)value, (void)d;
	*(bool *)to = true;
	return ERR_OK;
}

enum err opt_string(void *to, const char *value, struct diag *d)
{
	(void)d;
	*(const char **)to = value;
	return ERR_OK;
}

enum err opt_words(void *to, const char *value, struct diag *d)
{
	return words_add(to, value, d);
}

enum err opt_u32(void *to, const char *value, struct diag *d)
{
	uint64_t v;

	if (number_parse_uint(&v, "value", value, strlen(value), UINT32_MAX, d))
		return d->code;
	*(unsigned *)to = (unsigned)v;
	return ERR_OK;
}

enum err opt_u64(void *to, const char *value, struct diag *d)
{
	return number_parse_uint(to, "value", value, strlen(value), UINT64_MAX,
				 d);
}

static enum err opt_not_zero(uint64_t value, struct diag *d)
{
	return value ? ERR_OK :
		       fail(d, ERR_RANGE, "expected a number of at least 1");
}

enum err opt_count(void *to, const char *value, struct diag *d)
{
	enum err e = opt_u64(to, value, d);

	return e ? e : opt_not_zero(*(uint64_t *)to, d);
}

enum err opt_count32(void *to, const char *value, struct diag *d)
{
	enum err e = opt_u32(to, value, d);

	return e ? e : opt_not_zero(*(unsigned *)to, d);
}

/* The state of parsing a command line. */
struct opt_scan {
	const struct command *c;
	void *const *to;
	int argc, next;
	char **argv;
	struct diag d;
};

static int opt_usage_error(const struct opt_scan *s, const char *what,
			   const char *arg, const char *meant)
{
	say_error("%s '%s'%s%s%s", what, arg, meant ? ", did you mean " : "",
		  meant ? meant : "", meant ? "?" : "");
	fprintf(stderr, "Try 'heddle %s --help'.\n", s->c->name);
	return EXIT_USAGE;
}

static int opt_unknown(const struct opt_scan *s, const char *arg, size_t length)
{
	char word[64], meant[64];
	struct nearest near = { .word = word };

	snprintf(word, sizeof(word), "%.*s",
		 (int)(length < sizeof(word) ? length : sizeof(word) - 1), arg);
	if (!strncmp(word, "--", 2))
		near.word = word + 2;
	for (int t = 0; t < COMMAND_TABLES && s->c->tables[t]; t++)
		for (const struct opt *o = s->c->tables[t]; !opt_is_end(o); o++)
			if (o->name)
				nearest_offer(&near, o->name);
	if (nearest_best(&near))
		snprintf(meant, sizeof(meant), "--%s", nearest_best(&near));
	return opt_usage_error(s, "unknown option", word,
			       nearest_best(&near) ? meant : NULL);
}

/* Finds an option by its name or, if that is NULL, by its letter. */
static const struct opt *opt_find(const struct opt_scan *s, const char *name,
				  size_t length, char letter, void **to)
{
	for (int t = 0; t < COMMAND_TABLES && s->c->tables[t]; t++)
		for (const struct opt *o = s->c->tables[t]; !opt_is_end(o);
		     o++) {
			bool hit =
				name ? o->name && strlen(o->name) == length &&
						!memcmp(o->name, name, length) :
				       o->letter && o->letter == letter;

			if (hit) {
				*to = (char *)s->to[t] + o->at;
				return o;
			}
		}
	return NULL;
}

/* value: attached to the option; NULL: none. */
static int opt_apply(struct opt_scan *s, const struct opt *o, void *to,
		     const char *arg, const char *value)
{
	if (o->value && !value) {
		if (s->next == s->argc) {
			say_error("option '%s' needs a value: %s", arg,
				  o->value);
			return EXIT_USAGE;
		}
		value = s->argv[s->next++];
	}
	if (!o->value && value)
		return opt_usage_error(s, "option takes no value:", arg, NULL);
	if (o->set(to, value, &s->d)) {
		if (o->name)
			say_error("--%s %s: %s", o->name, value ? value : "",
				  s->d.text);
		else
			say_error("-%c %s: %s", o->letter, value ? value : "",
				  s->d.text);
		return EXIT_USAGE;
	}
	return -1;
}

static int opt_take_long(struct opt_scan *s, const char *arg)
{
	const char *name = arg + 2, *equals = strchr(name, '=');
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	void *to;
	const struct opt *o = opt_find(s, name, length, 0, &to);

	if (!o)
		return opt_unknown(s, arg, length + 2);
	return opt_apply(s, o, to, arg, equals ? equals + 1 : NULL);
}

static int opt_take_letter(struct opt_scan *s, const char *arg)
{
	void *to;
	const struct opt *o = opt_find(s, NULL, 0, arg[1], &to);

	if (!o)
		return opt_unknown(s, arg, strlen(arg));
	return opt_apply(s, o, to, arg, arg[2] ? arg + 2 : NULL);
}

int command_parse(const struct command *c, void *const to[], int argc,
		  char **argv, struct words *rest)
{
	struct opt_scan s = { .c = c, .to = to, .argc = argc, .argv = argv };
	bool options = true;

	while (s.next < argc) {
		const char *arg = argv[s.next++];
		int code = -1;

		if (!options || arg[0] != '-' || !arg[1]) {
			options = options && !c->ends_at_word;
			if (words_add(rest, arg, &s.d))
				code = EXIT_INPUT;
		} else if (!strcmp(arg, "--")) {
			options = false;
		} else if (!strcmp(arg, "--help") || !strcmp(arg, "-h")) {
			command_help(c);
			code = EXIT_OK;
		} else if (arg[1] == '-') {
			code = opt_take_long(&s, arg);
		} else {
			code = opt_take_letter(&s, arg);
		}
		if (code >= 0)
			return code;
	}
	return -1;
}

int command_parse_program(const struct command *c, void *const to[], int argc,
			  char **argv, struct words *rest)
{
	int code = command_parse(c, to, argc, argv, rest);

	if (code >= 0 || rest->count == 1)
		return code;
	if (rest->count == 0)
		say_error("no program given");
	else
		say_error("expected one program, %zu given: '%s', '%s'%s",
			  rest->count, rest->at[0], rest->at[1],
			  rest->count > 2 ? ", ..." : "");
	fprintf(stderr,
		"Usage: heddle %s %s\n"
		"Try 'heddle %s --help'.\n",
		c->name, c->usage, c->name);
	return EXIT_USAGE;
}

#define HELP_COLUMN 26
#define HELP_WIDTH 79

/* Prints a text from HELP_COLUMN on, with line breaks between words. */
static void help_wrap(const char *text, size_t used)
{
	size_t column = used;

	if (used + 1 >= HELP_COLUMN) {
		putchar('\n');
		column = 0;
	}
	printf("%*s", (int)(HELP_COLUMN - column), "");
	column = HELP_COLUMN;
	while (*text) {
		size_t n = strcspn(text, " ");

		if (column > HELP_COLUMN && column + 1 + n > HELP_WIDTH) {
			printf("\n%*s", HELP_COLUMN, "");
			column = HELP_COLUMN;
		} else if (column > HELP_COLUMN) {
			putchar(' ');
			column++;
		}
		printf("%.*s", (int)n, text);
		column += n;
		text += n;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void help_row(const struct opt *o)
{
	char left[80];

	if (opt_is_heading(o)) {
		printf("\n%s%s%s\n", tint(stdout, TINT_BOLD), o->help,
		       tint(stdout, TINT_OFF));
		return;
	}
	if (o->name && o->letter)
		snprintf(left, sizeof(left), "  -%c, --%s%s%s", o->letter,
			 o->name, o->value ? " " : "",
			 o->value ? o->value : "");
	else if (o->name)
		snprintf(left, sizeof(left), "  --%s%s%s", o->name,
			 o->value ? " " : "", o->value ? o->value : "");
	else
		snprintf(left, sizeof(left), "  -%c%s%s", o->letter,
			 o->value ? " " : "", o->value ? o->value : "");
	fputs(left, stdout);
	help_wrap(o->help, strlen(left));
}

void command_help(const struct command *c)
{
	printf("%sUsage:%s heddle %s %s\n\n%s.\n", tint(stdout, TINT_BOLD),
	       tint(stdout, TINT_OFF), c->name, c->usage, c->summary);
	for (int t = 0; t < COMMAND_TABLES && c->tables[t]; t++)
		for (const struct opt *o = c->tables[t]; !opt_is_end(o); o++)
			help_row(o);
	if (c->details)
		printf("\n%s", c->details);
}

const char *command_word(const struct command *c)
{
	const char *space = strchr(c->name, ' ');

	return space ? space + 1 : c->name;
}

const struct command *command_find(const struct command *const *list,
				   const char *word)
{
	for (; list && *list; list++)
		if (!strcmp(command_word(*list), word))
			return *list;
	return NULL;
}
