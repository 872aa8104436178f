/* Which parameter was meant: by meaning (synonym.def), else by spelling. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "cfg/param.h"

enum { KEY_LONGEST = 48 };

static const struct {
	const char *asked;
	enum cfg_id means;
} whole_keys[] = {
#define WHOLE(asked, id) { asked, CFG_ID_##id },
#include "cfg/synonym.def"
};

static const struct {
	const char *asked, *means;
} key_parts[] = {
#define PART(asked, means) { asked, means },
#include "cfg/synonym.def"
};

/* Copies a key as the table has it: in lower case, without '-' and '_'. False:
 * it is too long. */
static bool plain_key(char out[KEY_LONGEST], const char *key, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++) {
		if (key[i] == '-' || key[i] == '_')
			continue;
		if (n + 1 == KEY_LONGEST)
			return false;
		out[n++] = (char)tolower((unsigned char)key[i]);
	}
	out[n] = '\0';
	return true;
}

static const char *whole_meaning(const char *plain)
{
	for (size_t i = 0; i < sizeof(whole_keys) / sizeof(*whole_keys); i++)
		if (!strcmp(whole_keys[i].asked, plain))
			return cfg_params[whole_keys[i].means].key;
	return NULL;
}

/* The parameter whose key is the same but for '_'. */
static const char *plain_parameter(const char *plain)
{
	char key[KEY_LONGEST];

	for (int i = 0; i < CFG_COUNT; i++)
		if (plain_key(key, cfg_params[i].key,
			      strlen(cfg_params[i].key)) &&
		    !strcmp(key, plain))
			return cfg_params[i].key;
	return NULL;
}

/* The key with its halves replaced, or not, by what a row means. */
static const char *parts_meaning(const char *section, const char *name)
{
	const size_t rows = sizeof(key_parts) / sizeof(*key_parts);
	char key[2 * KEY_LONGEST], plain[KEY_LONGEST];
	const char *found = NULL;

	for (size_t i = 0; !found && i <= rows; i++)
		for (size_t j = 0; !found && j <= rows; j++) {
			if ((i < rows && strcmp(key_parts[i].asked, section)) ||
			    (j < rows && strcmp(key_parts[j].asked, name)))
				continue;
			snprintf(key, sizeof(key), "%s.%s",
				 i < rows ? key_parts[i].means : section,
				 j < rows ? key_parts[j].means : name);
			if (plain_key(plain, key, strlen(key)))
				found = whole_meaning(plain);
			if (!found)
				found = plain_parameter(plain);
		}
	return found;
}

static const char *key_meaning(const char *key, size_t size)
{
	char plain[KEY_LONGEST], *dot;
	const char *found;

	if (!plain_key(plain, key, size))
		return NULL;
	found = whole_meaning(plain);
	if (!found)
		found = plain_parameter(plain);
	dot = strchr(plain, '.');
	if (found || !dot)
		return found;
	*dot = '\0';
	return parts_meaning(plain, dot + 1);
}

/* By spelling; the right name without its section counts, too. */
static const char *key_spelling(const char *key, size_t size)
{
	const char *best = NULL;
	size_t min = size / 3 + 2;

	for (int i = 0; i < CFG_COUNT; i++) {
		const char *k = cfg_params[i].key;
		const char *name = strchr(k, '.') + 1;
		size_t far = word_distance(key, size, k, strlen(k));

		if (size == strlen(name) && !memcmp(key, name, size))
			far = 0;
		if (far < min) {
			min = far;
			best = k;
		}
	}
	return best;
}

const char *cfg_nearest(const char *key, size_t size)
{
	const char *meant = key_meaning(key, size);

	return meant ? meant : key_spelling(key, size);
}
