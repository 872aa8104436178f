/* Statistics by name, including those of units. */
#include <stdio.h>
#include <string.h>

#include "cfg/cfg.h"
#include "explore/run.h"

const char *stat_name(unsigned i)
{
	const struct stat_info *t = &stat_table[i];
	size_t unit;

	if (t->kind != STAT_UNIT)
		return t->name;
	unit = (t->at - offsetof(struct stats, unit)) / sizeof(uint64_t);
	return unit < UNIT_COUNT ? unit_names[unit] : NULL;
}

bool stat_key(char text[STAT_KEY_SIZE], unsigned i)
{
	const char *name = stat_name(i);

	if (!name)
		return false;
	snprintf(text, STAT_KEY_SIZE, "%s.%s",
		 stat_groups[stat_table[i].group].name, name);
	return true;
}

/* What older versions of Heddle called a statistic. */
static const struct {
	const char *was, *is;
} former_keys[] = {
	{ "sm.bank_conflicts", "sm.register_conflicts" },
};

int stat_index(const char *key)
{
	char text[STAT_KEY_SIZE];

	for (size_t i = 0; i < sizeof(former_keys) / sizeof(former_keys[0]);
	     i++)
		if (!strcmp(former_keys[i].was, key))
			key = former_keys[i].is;
	for (unsigned i = 0; i < stat_count; i++)
		if (stat_key(text, i) && !strcmp(text, key))
			return (int)i;
	return -1;
}

void stat_put(struct stats *s, unsigned i, uint64_t value)
{
	CHECK(stat_table[i].kind != STAT_RATE);
	memcpy((char *)s + stat_table[i].at, &value, sizeof(value));
}

bool stat_key_is_undivided(const char *key)
{
	return !strcmp(key, "reason.empty");
}

bool stat_is_divided(unsigned i)
{
	return stat_table[i].kind == STAT_REASON &&
	       stat_table[i].at >=
		       offsetof(struct stats, reason[REASON_UNFILLED]);
}
