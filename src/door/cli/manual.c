/*
 * heddle manual: a command's page of the manual, for man(1), from the tables that
 * its help and its parser use. `heddle manual` lists the pages.
 *
 * The page tells scripts/gen-man where docs/heddle.1 may have more to say, by
 * comments: whose options follow (.\" table NAME), which option (.\" option NAME).
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "door/cli/commands.h"
#include "door/cli/text.h"

/* Prints a text of the help as roff: dashes that can be copied, backslashes, and
 * no line that looks like a request. */
static void roff(const char *text, size_t n)
{
	if (n && (text[0] == '.' || text[0] == '\''))
		fputs("\\&", stdout);
	for (size_t i = 0; i < n; i++)
		switch (text[i]) {
		case '-':
			fputs("\\-", stdout);
			break;
		case '\\':
			fputs("\\e", stdout);
			break;
		case '\'':
			fputs("\\(aq", stdout);
			break;
		default:
			putchar(text[i]);
			break;
		}
}

static void roff_text(const char *text)
{
	roff(text, strlen(text));
}

/* "heddle-trace-info" */
static void print_page_name(const struct command *c)
{
	fputs("heddle\\-", stdout);
	for (const char *p = c->name; *p; p++)
		if (*p == ' ')
			fputs("\\-", stdout);
		else
			putchar(*p);
}

static void print_names(const struct opt *o)
{
	if (o->letter) {
		fputs("\\fB", stdout);
		roff((char[2]){ '-', o->letter }, 2);
		fputs("\\fP", stdout);
	}
	if (o->name) {
		fputs(o->letter ? ", \\fB\\-\\-" : "\\fB\\-\\-", stdout);
		roff_text(o->name);
		fputs("\\fP", stdout);
	}
	if (o->value) {
		fputs(" \\fI", stdout);
		roff_text(o->value);
		fputs("\\fP", stdout);
	}
	putchar('\n');
}

static void print_option(const struct opt *o)
{
	if (opt_is_heading(o) && !strcmp(o->help, "Options:"))
		return; /* the section's name */
	if (opt_is_heading(o)) {
		/* Without the colon. */
		fputs(".SS ", stdout);
		roff(o->help, strcspn(o->help, ":"));
		putchar('\n');
		return;
	}
	printf(".\\\" option %s", o->name ? o->name : "");
	if (o->letter)
		printf(" %c", o->letter);
	puts("\n.TP");
	print_names(o);
	putchar(toupper((unsigned char)o->help[0]));
	roff_text(o->help + 1);
	puts(".");
}

/* The first command that has the table: the manual explains its options. */
static const struct command *owner_of(const struct opt *table,
				      const struct command *const *list)
{
	const struct command *found = NULL;

	for (; !found && *list; list++) {
		for (int t = 0; t < COMMAND_TABLES; t++)
			if ((*list)->tables[t] == table)
				return *list;
		if ((*list)->parts)
			found = owner_of(table, (*list)->parts);
	}
	return found;
}

static void print_options(const struct command *c)
{
	if (!c->tables[0])
		return;
	puts(".SH OPTIONS");
	for (int t = 0; t < COMMAND_TABLES && c->tables[t]; t++) {
		printf(".\\\" table %s\n",
		       owner_of(c->tables[t], commands)->name);
		for (const struct opt *o = c->tables[t]; !opt_is_end(o); o++)
			print_option(o);
	}
}

/* Begins a paragraph, or lines that stay as they are, or ends those. */
static void begin_lines(bool keep, bool kept, bool first)
{
	if (kept)
		puts(".RE\n.fi");
	if (!first)
		puts(".PP");
	if (keep)
		puts(".nf\n.RS");
}

/* The details of the help are lines of text: paragraphs, and what is indented,
 * which stays as it is. Stops at the end or before "Example". first: it begins a
 * section. */
static const char *print_details(const char *text, bool first)
{
	bool keep = false, begun = false;

	while (*text && strncmp(text, "Example", 7) != 0) {
		size_t n = strcspn(text, "\n");
		bool kept = keep;

		keep = n ? text[0] == ' ' : kept;
		if (n && (!begun || keep != kept))
			begin_lines(keep, kept, first);
		if (n) {
			first = false;
			roff(keep ? text + 2 : text, keep ? n - 2 : n);
			putchar('\n');
		} else if (keep && text[1] == ' ') {
			putchar('\n');
		}
		begun = n || keep;
		text += n + (text[n] == '\n');
	}
	if (keep)
		puts(".RE\n.fi");
	return text;
}

static void print_parts(const struct command *c)
{
	if (!c->parts)
		return;
	puts(".SH COMMANDS");
	for (const struct command *const *p = c->parts; *p; p++) {
		if ((*p)->hidden)
			continue;
		printf(".TP\n\\fB");
		print_page_name(*p);
		printf("\\fP(1)\n");
		roff_text((*p)->summary);
		puts(".");
	}
}

static void print_head(const struct command *c)
{
	fputs(".TH HEDDLE\\-", stdout);
	for (const char *p = c->name; *p; p++)
		if (*p == ' ')
			fputs("\\-", stdout);
		else
			putchar(toupper((unsigned char)*p));
	puts(" 1 \"\" \"heddle " HEDDLE_VERSION
	     "\" \"User Commands\"\n.SH NAME");
	print_page_name(c);
	fputs(" \\- ", stdout);
	putchar(tolower((unsigned char)c->summary[0]));
	roff_text(c->summary + 1);
	printf("\n.SH SYNOPSIS\n\\fBheddle %s\\fP ", c->name);
	roff_text(c->usage);
	putchar('\n');
}

static void print_page(const struct command *c)
{
	const char *rest = c->details ? c->details : "";

	print_head(c);
	puts(".SH DESCRIPTION");
	roff_text(c->summary);
	puts(".");
	rest = print_details(rest, false);
	print_parts(c);
	print_options(c);
	if (*rest) {
		puts(".SH EXAMPLES");
		print_details(rest + strcspn(rest, "\n"), true);
	}
	puts(".SH SEE ALSO\n.BR heddle (1)");
}

static void list_pages(const struct command *const *list)
{
	for (; *list; list++) {
		if (!(*list)->hidden && strcmp((*list)->name, "help") != 0)
			puts((*list)->name);
		if ((*list)->parts)
			list_pages((*list)->parts);
	}
}

static int manual_main(int argc, char **argv)
{
	const struct command *c;

	if (argc == 0) {
		list_pages(commands);
		return EXIT_OK;
	}
	c = command_find(commands, argv[0]);
	if (c && argc > 1)
		c = command_find(c->parts, argv[1]);
	if (!c || c->hidden || argc > 2) {
		say_error("no such command: '%s%s%s'", argv[0],
			  argc > 1 ? " " : "", argc > 1 ? argv[1] : "");
		return EXIT_USAGE;
	}
	print_page(c);
	return EXIT_OK;
}

const struct command cmd_manual = {
	.name = "manual",
	.summary = "Print a command's page of the manual, for man(1)",
	.usage = "[COMMAND]",
	.hidden = true,
	.run = manual_main,
};
