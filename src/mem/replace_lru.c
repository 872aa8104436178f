/* Least recently used: evicts the line whose last access is the oldest. */
#include "mem/replace.h"

const struct replace_ops replace_lru = { .name = "lru", .renews = true };
