#include "door/opencl/options.h"

#include <stdlib.h>
#include <string.h>

/* What clang takes as it is. */
static const char *const for_clang[] = {
	"-w",
	"-Werror",
	"-cl-single-precision-constant",
	"-cl-denorms-are-zero",
	"-cl-fp32-correctly-rounded-divide-sqrt",
	"-cl-mad-enable",
	"-cl-no-signed-zeros",
	"-cl-unsafe-math-optimizations",
	"-cl-finite-math-only",
	"-cl-fast-relaxed-math",
	"-cl-std=CL1.0",
	"-cl-std=CL1.1",
	"-cl-std=CL1.2",
	"-cl-std=CL2.0",
	"-cl-std=CL3.0",
	NULL,
};
/* What is always so, or has no meaning here. */
static const char *const without_effect[] = {
	"-cl-kernel-arg-info",
	"-cl-strict-aliasing",
	"-g",
	"-cl-uniform-work-group-size",
	NULL,
};
/* What the linker takes. */
static const char *const for_linking[] = {
	"-cl-denorms-are-zero",          "-cl-no-signed-zeros",
	"-cl-unsafe-math-optimizations", "-cl-finite-math-only",
	"-cl-fast-relaxed-math",         NULL,
};

static bool is_listed(const char *word, const char *const *list)
{
	while (*list && strcmp(*list, word))
		list++;
	return *list != NULL;
}

/* Cuts the next word off *p: quotes and backslashes as in a shell. */
static bool next_word(const char **p, struct text *out)
{
	char quote = 0;

	out->size = 0;
	*p += strspn(*p, " \t\r\n");
	if (!**p)
		return false;
	text_add(out, "", 0);
	for (; **p && (quote || !strchr(" \t\r\n", **p)); (*p)++) {
		if (quote ? **p == quote : **p == '"' || **p == '\'') {
			quote = quote ? 0 : **p;
			continue;
		}
		if (**p == '\\' && quote != '\'' && (*p)[1])
			(*p)++;
		text_add(out, *p, 1);
	}
	return true;
}

static enum err take_link(struct options *o, const char *word, struct diag *d)
{
	if (!strcmp(word, "-create-library"))
		o->library = true;
	else if (is_listed(word, for_linking))
		words_put(&o->clang, word);
	else if (strcmp(word, "-enable-link-options"))
		return fail(d, ERR_UNKNOWN,
			    "unknown option '%.100s' of clLinkProgram", word);
	return ERR_OK;
}

static enum err take_compile(struct options *o, const char *word,
			     struct diag *d)
{
	if (!strcmp(word, "-cl-opt-disable"))
		o->unoptimized = true;
	else if (is_listed(word, for_clang))
		words_put(&o->clang, word);
	else if (!is_listed(word, without_effect) &&
		 strncmp(word, "-cl-nv-", 7) != 0)
		return fail(d, ERR_UNKNOWN, "unknown option '%.100s'", word);
	return ERR_OK;
}

/* -D and -I, with their value in the same word or the next one. */
static enum err take_pair(struct options *o, const char *word, const char **p,
			  struct text *next, struct diag *d)
{
	char option[3] = { '-', word[1], '\0' };

	words_put(&o->clang, option);
	if (word[2]) {
		words_put(&o->clang, word + 2);
		return ERR_OK;
	}
	if (!next_word(p, next))
		return fail(d, ERR_SYNTAX, "%s: expected a value", option);
	words_put(&o->clang, next->at);
	return ERR_OK;
}

enum err options_read(struct options *o, const char *text, bool link,
		      struct diag *d)
{
	struct text word = { 0 }, value = { 0 };
	enum err e = ERR_OK;

	*o = (struct options){ 0 };
	while (!e && text && next_word(&text, &word)) {
		bool pair = !strncmp(word.at, "-D", 2) ||
			    !strncmp(word.at, "-I", 2);

		if (link)
			e = take_link(o, word.at, d);
		else if (pair)
			e = take_pair(o, word.at, &text, &value, d);
		else
			e = take_compile(o, word.at, d);
	}
	if (!e && (word.bad || value.bad || o->clang.bad))
		e = fail(d, ERR_NOMEM, "out of memory");
	text_free(&word);
	text_free(&value);
	return e;
}

void options_free(struct options *o)
{
	words_drop(&o->clang);
}
