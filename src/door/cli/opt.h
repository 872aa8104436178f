/*
 * Options and commands: one row of a table gives an option's parser and its
 * line of help.
 */
#ifndef HEDDLE_CLI_OPT_H
#define HEDDLE_CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/wordlist.h"

/* Stores an option's value; `value` is NULL for a switch. */
typedef enum err opt_set(void *to, const char *value, struct diag *d);

/*
 * A row without a name or letter is a heading of the help; a row without help
 * ends the table.
 */
struct opt {
	const char *name;  /* "grid" is --grid; NULL: only a letter */
	char letter;       /* 'o' is -o; 0: only a name */
	const char *value; /* what the help calls its value; NULL: a switch */
	const char *help;
	opt_set *set;
	size_t at; /* where in the options' struct the value lies */
};

#define OPT_HEADING(text)    \
	{                    \
		.help = text \
	}
#define OPT_END              \
	{                    \
		.help = NULL \
	}

opt_set opt_on;     /* bool */
opt_set opt_string; /* const char * */
opt_set opt_words;  /* struct words: may be given several times */
opt_set opt_u32;    /* unsigned */
opt_set opt_u64;    /* uint64_t; with suffixes K, M, G */
opt_set opt_count;  /* uint64_t, at least 1 */

#define COMMAND_TABLES 3

struct command {
	const char *name;
	const char *summary; /* one line of `heddle help` */
	const char *usage;   /* what follows "heddle NAME" */
	const char *details; /* after the options: explanation, examples */
	const struct opt *tables[COMMAND_TABLES]; /* NULL: fewer */
	bool ends_at_word; /* the first word that is no option ends them */
	bool own_signals;  /* it needs them as they are at the start */
	int (*run)(int argc, char **argv);
};

/*
 * Reads the arguments after the command's name. to[i] is the struct of the
 * command's table i. Returns -1 to go on, or the exit code of a program that
 * has printed its help or named the mistake.
 */
int command_parse(const struct command *c, void *const to[], int argc,
		  char **argv, struct words *rest);
/* The same for commands that take exactly one program. */
int command_parse_program(const struct command *c, void *const to[], int argc,
			  char **argv, struct words *rest);
void command_help(const struct command *c);

#endif
