/*
 * heddle complete: what may come next on a command line, for the shells. Their
 * scripts, in completion/, are thin: all that is known about commands, options
 * and values comes from the tables that the commands are parsed with.
 *
 *	heddle complete -- heddle run --gpu h
 *
 * The words are those up to the cursor; the last one is completed, and may be
 * empty. A line of the answer is a candidate, a tab and its explanation, or
 * begins with a colon and says what the shell should offer in addition:
 *
 *	:files SUFFIX...	files, all of them without a suffix; folders
 *	:folders		folders
 *	:command N		what it offers for the command at word N, from 0
 */
#include <stdio.h>
#include <string.h>

#include "cfg/configs.h"
#include "cfg/param.h"
#include "door/cli/commands.h"
#include "door/cli/text.h"

/* The words, and what has been found out about the last one. */
struct completion {
	char **words;
	int count;
	const char *word;   /* the last one */
	const char *prefix; /* "--gpu=" of "--gpu=h2", else "" */
	int prefix_length;
};

/* Prints a candidate if it begins like the word. */
static void offer(const struct completion *c, const char *text, const char *end,
		  const char *doc)
{
	const char *word = c->word + c->prefix_length;

	if (!strncmp(text, word, strlen(word)))
		printf("%.*s%s%s\t%s\n", c->prefix_length, c->prefix, text, end,
		       doc);
}

static void offer_commands(const struct completion *c,
			   const struct command *const *list)
{
	for (; *list; list++)
		if (!(*list)->hidden)
			offer(c, command_word(*list), "", (*list)->summary);
}

static void offer_gpus(const struct completion *c)
{
	struct configs all;
	struct diag d;

	/* No message: the shell would print it into the command line. */
	if (!configs_list(&all, &d))
		for (size_t i = 0; i < all.count; i++)
			offer(c, all.names[i], "", "a GPU");
	configs_free(&all);
}

static void offer_parameters(const struct completion *c)
{
	for (int i = 0; i < CFG_COUNT; i++)
		offer(c, cfg_params[i].key, "=", cfg_params[i].doc);
}

static void offer_engines(const struct completion *c)
{
	struct heddle_engine e;

	for (size_t i = 0; i < heddle_engine_count(); i++)
		if (!heddle_engine_get(i, &e, NULL)) {
			char name[64];

			/* A K stands for a number. */
			snprintf(name, sizeof(name), "%.*s",
				 (int)strcspn(e.name, "K"), e.name);
			offer(c, name, "", e.doc);
		}
}

/* Those that simulate more than launches. */
static void offer_exact_engines(const struct completion *c)
{
	struct heddle_engine e;

	for (size_t i = 0; i < heddle_engine_count(); i++)
		if (!heddle_engine_get(i, &e, NULL) && e.exact)
			offer(c, e.name, "", e.doc);
}

/* Those of systems. */
static void offer_system_engines(const struct completion *c)
{
	offer(c, "serial", "", "one thread");
	offer(c, "exact", "", "several threads, with the same results");
}

static void offer_configs(const struct completion *c)
{
	struct configs all;
	struct diag d;

	if (!configs_list(&all, &d))
		for (size_t i = 0; i < all.count; i++)
			offer(c, all.names[i], "", "a configuration");
	configs_free(&all);
}

static void offer_isas(const struct completion *c)
{
	offer(c, "auto", "", "what a driver takes");
	offer(c, "sass", "", "machine code");
	offer(c, "ptx", "", "PTX");
}

static void offer_machines(const struct completion *c)
{
	offer(c, "model", "", "the reference model");
	offer(c, "rtl", "", "the circuit");
}

/* What stands for an operand, or for the value of an option, in the help. */
static const struct kind {
	const char *name;
	void (*offer)(const struct completion *c);
	const char *more; /* a line for the shell; NULL: none */
} kinds[] = {
	{ "FILE.sweep|FILE.db", NULL, ":files .sweep .db" },
	{ "FILE.sweep", NULL, ":files .sweep" },
	{ "FOLDER|FILE.html", NULL, ":files .html" },
	{ "auto|sass|ptx", offer_isas, NULL },
	{ "serial|exact|cycle", offer_exact_engines, NULL },
	{ "serial|exact", offer_system_engines, NULL },
	{ "model|rtl", offer_machines, NULL },
	{ "NAME|FILE", offer_configs, ":files .cfg" },
	{ "NAME=FILE", NULL, NULL }, /* no shell completes after NAME= */
	{ "KEY=VALUE", offer_parameters, NULL },
	{ "TRACE", NULL, ":files .trace .g .traceg" },
	{ "CUBIN", NULL, ":files .cubin" },
	{ "CODE", NULL, ":files .code" },
	{ "FILE", NULL, ":files" },
	{ "FOLDER", NULL, ":folders" },
	{ "DIR", NULL, ":folders" },
	{ "DB", NULL, ":files .db" },
	{ "RUN", NULL, ":files .json" },
	{ "PROGRAM", NULL,
	  ":files .ptx .cu .cl .cubin .fatbin .o .hsaco .trace .g .traceg" },
};
static const struct kind gpu_kind = { "gpu", offer_gpus, ":files .cfg" };
static const struct kind engine_kind = { "engine", offer_engines, NULL };

static void offer_kind(const struct completion *c, const struct kind *k)
{
	if (k->offer)
		k->offer(c);
	if (k->more)
		puts(k->more);
}

/* The first of the kinds that begins the text. */
static void offer_named(const struct completion *c, const char *text)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncmp(text, kinds[i].name, strlen(kinds[i].name))) {
			offer_kind(c, &kinds[i]);
			return;
		}
}

static void offer_value(const struct completion *c, const struct opt *o)
{
	if (o->name && !strcmp(o->name, "gpu"))
		offer_kind(c, &gpu_kind);
	else if (o->name && !strncmp(o->name, "engine", 6) &&
		 !strchr(o->value, '|'))
		offer_kind(c, &engine_kind);
	else if (o->name && !strcmp(o->name, "clang"))
		puts(":files");
	else
		offer_named(c, o->value);
}

static void offer_options(const struct completion *c,
			  const struct command *command)
{
	char text[80];

	for (int t = 0; t < COMMAND_TABLES && command->tables[t]; t++)
		for (const struct opt *o = command->tables[t]; !opt_is_end(o);
		     o++) {
			if (opt_is_heading(o))
				continue;
			if (o->name)
				snprintf(text, sizeof(text), "--%s", o->name);
			else
				snprintf(text, sizeof(text), "-%c", o->letter);
			offer(c, text, "", o->help);
		}
	offer(c, "--help", "", "explain the command");
}

/* The first operand that the usage names. */
static void offer_operand(const struct completion *c,
			  const struct command *command)
{
	const char *usage = command->usage;

	if (command == &cmd_gpus) {
		offer_kind(c, &gpu_kind);
		return;
	}
	while (!strncmp(usage, "[OPTIONS] ", 10))
		usage += 10;
	offer_named(c, usage);
}

/* The option that a word is, and whether the next word is its value. */
static const struct opt *option_of(const struct command *c, const char *word,
				   bool *next)
{
	bool is_long = word[1] == '-';
	size_t n = is_long ? strcspn(word + 2, "=") : 0;

	for (int t = 0; t < COMMAND_TABLES && c->tables[t]; t++)
		for (const struct opt *o = c->tables[t]; !opt_is_end(o); o++) {
			bool hit = is_long ? o->name && strlen(o->name) == n &&
						     !strncmp(o->name, word + 2,
							      n) :
					     o->letter && o->letter == word[1];

			if (!hit)
				continue;
			*next = o->value && !word[2 + n];
			return o;
		}
	return NULL;
}

/* Completes the last word after the words from `at` on, all of that command. */
static void complete_command(struct completion *c,
			     const struct command *command, int at)
{
	const struct opt *value = NULL;
	bool next = false;

	for (; at < c->count - 1; at++) {
		const char *word = c->words[at];

		if (next) {
			next = false;
		} else if (!strcmp(word, "--") ||
			   (word[0] != '-' && command->ends_at_word)) {
			if (command->ends_at_word)
				printf(":command %d\n", at + (word[0] == '-'));
			else
				offer_operand(c, command);
			return;
		} else if (word[0] == '-' && word[1]) {
			value = option_of(command, word, &next);
		}
	}
	if (next) {
		offer_value(c, value);
	} else if (c->word[0] != '-') {
		if (command->ends_at_word)
			printf(":command %d\n", at);
		else
			offer_operand(c, command);
	} else if (!strchr(c->word, '=')) {
		offer_options(c, command);
	} else if (c->word[1] == '-' &&
		   (value = option_of(command, c->word, &next)) &&
		   value->value) {
		c->prefix = c->word;
		c->prefix_length = (int)strcspn(c->word, "=") + 1;
		offer_value(c, value);
	}
}

static void complete_words(struct completion *c)
{
	const struct command *command, *part = NULL;

	if (c->count == 2) {
		offer_commands(c, commands);
		offer(c, "--help", "", "list the commands");
		offer(c, "--version", "", "print the version");
		return;
	}
	command = command_find(commands, c->words[1]);
	if (!command || command->hidden)
		return;
	if (!strcmp(command->name, "help")) {
		if (c->count == 3)
			offer_commands(c, commands);
		return;
	}
	if (command->parts && c->count == 3)
		offer_commands(c, command->parts);
	else if (command->parts)
		part = command_find(command->parts, c->words[2]);
	complete_command(c, part ? part : command, part ? 3 : 2);
}

static int complete_main(int argc, char **argv)
{
	struct completion c = { .words = argv + 1,
				.count = argc - 1,
				.prefix = "" };

	if (argc < 3 || strcmp(argv[0], "--") != 0) {
		say_error("expected -- and the words of a command line");
		return EXIT_USAGE;
	}
	c.word = c.words[c.count - 1];
	complete_words(&c);
	return EXIT_OK;
}

const struct command cmd_complete = {
	.name = "complete",
	.summary = "List what may come next on a command line, for shells",
	.usage = "-- WORD...",
	.hidden = true,
	.run = complete_main,
};
