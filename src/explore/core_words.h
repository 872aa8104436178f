/*
 * Texts on GPUs of compute units: what is written in the words of SMs, in theirs
 * (core_words.def).
 */
#ifndef HEDDLE_EXPLORE_CORE_WORDS_H
#define HEDDLE_EXPLORE_CORE_WORDS_H

#include <stddef.h>

/* Writes as much as fits, and a NUL; returns `to`. */
const char *core_words(char *to, size_t room, const char *text);

#endif
