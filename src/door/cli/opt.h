/*
 * Options and commands. A row of a table defines an option: how it is parsed
 * and its line of help.
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
 * A row without a name and a letter is a heading of the help; a row without
 * help ends the table.
 */
struct opt {
	const char *name;  /* "grid" for --grid; NULL: only a letter */
	char letter;       /* 'o' for -o; 0: only a name */
	const char *value; /* name of its value in the help; NULL: a switch */
	const char *help;
	opt_set *set;
	size_t at; /* offset of the value in the struct of options */
};

static inline bool opt_is_end(const struct opt *o)
{
	return !o->help;
}

static inline bool opt_is_heading(const struct opt *o)
{
	return !o->name && !o->letter;
}

#define OPT_HEADING(text)    \
	{                    \
		.help = text \
	}
#define OPT_END              \
	{                    \
		.help = NULL \
	}

opt_set opt_on;      /* bool */
opt_set opt_string;  /* const char * */
opt_set opt_words;   /* struct words: may be repeated */
opt_set opt_u32;     /* unsigned */
opt_set opt_count32; /* unsigned, at least 1 */
opt_set opt_u64;     /* uint64_t; with suffixes K, M, G */
opt_set opt_count;   /* uint64_t, at least 1 */

#define COMMAND_TABLES 3

struct command {
	const char *name;
	const char *summary; /* one line of `heddle help` */
	const char *usage;   /* after "heddle NAME" */
	const char *details; /* after the options: explanation, examples */
	const struct opt *tables[COMMAND_TABLES]; /* NULL: fewer */
	/* Subcommands, whose names begin with this one's: "trace info". A NULL
	 * ends them; NULL: there are none. */
	const struct command *const *parts;
	bool hidden;       /* for programs: no help and no manual lists it */
	bool ends_at_word; /* the first word that is no option ends them */
	bool own_signals;  /* it handles signals itself */
	/* NULL: it only groups its parts; details follow the list of them. */
	int (*run)(int argc, char **argv);
};

/*
 * Parses the arguments after the command's name. to[i] is the struct for table i
 * of the command; rest receives the other words. Returns -1 to continue, or an
 * exit code after printing the help or an error.
 */
int command_parse(const struct command *c, void *const to[], int argc,
		  char **argv, struct words *rest);
/* The same for a command that takes exactly one program. */
int command_parse_program(const struct command *c, void *const to[], int argc,
			  char **argv, struct words *rest);
void command_help(const struct command *c);

/* "info" of "trace info". */
const char *command_word(const struct command *c);
/* Finds a command of a list that ends in NULL by that word; NULL: none. */
const struct command *command_find(const struct command *const *list,
				   const char *word);

#endif
