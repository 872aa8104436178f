#include "mem/replace.h"

#include <stddef.h>

#include "cfg/cfg.h"

const struct replace_ops *const replace_all[] = {
	[CFG_REPLACE_LRU] = &replace_lru,
	[CFG_REPLACE_FIFO] = &replace_fifo,
	[CFG_REPLACE_RANDOM] = &replace_random,
	[CFG_REPLACE_SRRIP] = &replace_srrip,
	[CFG_REPLACE_PLRU] = &replace_plru,
	NULL,
};
