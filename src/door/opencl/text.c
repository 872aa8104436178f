#include "door/opencl/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_add(struct text *t, const void *bytes, size_t size)
{
	if (t->size + size + 1 > t->room) {
		size_t room = (t->size + size + 1) * 2;
		char *more = realloc(t->at, room);

		if (!more) {
			t->bad = true;
			return;
		}
		t->at = more;
		t->room = room;
	}
	if (size)
		memcpy(t->at + t->size, bytes, size);
	t->size += size;
	t->at[t->size] = '\0';
}

void text_printf(struct text *t, const char *fmt, ...)
{
	char line[4096];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n > 0)
		text_add(t, line,
			 (size_t)n < sizeof(line) ? (size_t)n :
						    sizeof(line) - 1);
}

void text_free(struct text *t)
{
	free(t->at);
	*t = (struct text){ 0 };
}

void words_put_n(struct word_list *w, const char *word, size_t size)
{
	char **more = realloc(w->at, (w->count + 2) * sizeof(*more));
	char *copy = strndup(word, size);

	if (more)
		w->at = more;
	if (!more || !copy) {
		free(copy);
		w->bad = true;
		return;
	}
	more[w->count++] = copy;
	more[w->count] = NULL;
}

void words_put(struct word_list *w, const char *word)
{
	words_put_n(w, word, strlen(word));
}

void words_put_all(struct word_list *w, const char *const *words)
{
	while (*words)
		words_put(w, *words++);
}

void words_drop(struct word_list *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->at[i]);
	free(w->at);
	*w = (struct word_list){ 0 };
}
