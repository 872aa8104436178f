/* First in, first out: evicts the line that was allocated first. */
#include "mem/replace.h"

const struct replace_ops replace_fifo = { .name = "fifo" };
