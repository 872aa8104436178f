/* Numbers as people read them. */
#ifndef HEDDLE_BASE_HUMAN_H
#define HEDDLE_BASE_HUMAN_H

#include <stdint.h>

#define GROUPED_TEXT 32
/* 1234567 as 1,234,567. */
const char *grouped(char text[GROUPED_TEXT], uint64_t v);
/* The same for a real number, without its fraction: below 0 it counts as 0, and
 * beyond 64 bits as the largest of them. */
const char *grouped_real(char text[GROUPED_TEXT], double v);
/* A real number as a whole one, in that way. */
uint64_t whole_of_real(double v);
/* 0.00213 as "2.13 ms". */
const char *duration(char text[GROUPED_TEXT], double seconds);
/* 1.2e7 as "12.0 M". */
const char *scaled(char text[GROUPED_TEXT], double v);
/* A count: 4,096 up to 9,999, beyond that "12.0 k", "12.0 M". */
const char *counted(char text[GROUPED_TEXT], double v);
/* 1.23e7 as "12.3 MB". */
const char *bytes_text(char text[GROUPED_TEXT], double bytes);

#endif
