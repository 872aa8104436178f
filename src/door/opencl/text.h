/* A text that grows, and lists of words. */
#ifndef HEDDLE_OPENCL_TEXT_H
#define HEDDLE_OPENCL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

/* at is NUL-terminated once something was added. bad: memory was missing. */
struct text {
	char *at;
	size_t size, room;
	bool bad;
};
void text_add(struct text *t, const void *bytes, size_t size);
void text_printf(struct text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
void text_free(struct text *t);

/* Words, owned; the one after the last is NULL. */
struct word_list {
	char **at;
	size_t count;
	bool bad;
};
void words_put(struct word_list *w, const char *word);
void words_put_n(struct word_list *w, const char *word, size_t size);
void words_put_all(struct word_list *w, const char *const *words);
void words_drop(struct word_list *w);

#endif
