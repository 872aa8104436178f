#include "explore/sweep_command.h"

#include <string.h>

#include "base/wordlist.h"
#include "explore/sweep_values.h"

/* Options that the sweep itself sets for every point. */
static enum err command_check_run(const struct sweep_program *p, struct diag *d)
{
	static const struct {
		const char *option, *instead;
	} ours[] = {
		{ "--gpu", "gpu = \"NAME\" outside the program" },
		{ "-o", "sm.count = 8 outside the program" },
		{ "--engine", "engine = \"NAME\" outside the program" },
		{ "--threads", "threads = N outside the program" },
		{ "--json", "nothing: results go to the database" },
	};

	for (size_t i = 0; i < p->word_count; i++)
		for (size_t j = 0; j < sizeof(ours) / sizeof(ours[0]); j++) {
			size_t n = strlen(ours[j].option);
			const char *word = p->words[i];

			if (strncmp(word, ours[j].option, n) != 0 ||
			    (word[n] && word[n] != '=' && n > 2))
				continue;
			return fail(
				d, ERR_SYNTAX,
				"%.60s is not allowed in a program's command; "
				"write %s",
				word, ours[j].instead);
		}
	return ERR_OK;
}

enum err sweep_command_split(struct sweep_program *p, struct arena *a,
			     struct diag *d)
{
	const char *at = word_start(p->command);
	char *room = arena_alloc(a, 1, strlen(at) + 1);

	if (!room)
		return fail(d, ERR_NOMEM, "out of memory");
	while (*at) {
		const char **more, *end = word_unquote(at, room);
		char *word;

		if (!end)
			return fail(d, ERR_SYNTAX,
				    "a quote in the command is not closed");
		more = sweep_grow(a, (void *)p->words, p->word_count,
				  sizeof(*more));
		word = arena_strndup(a, room, strlen(room));
		if (!more || !word)
			return fail(d, ERR_NOMEM, "out of memory");
		p->words = more;
		p->words[p->word_count++] = word;
		at = word_start(end);
	}
	if (!p->word_count)
		return fail(d, ERR_SYNTAX, "the command is empty");
	if (p->kind == SWEEP_TRACE && p->word_count != 1)
		return fail(d, ERR_SYNTAX,
			    "expected the name of one trace file");
	return p->kind == SWEEP_RUN ? command_check_run(p, d) : ERR_OK;
}
