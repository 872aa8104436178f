/* Keys of results. */
#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "explore/store.h"

static void store_hash_end(char out[STORE_KEY_SIZE], struct sha256 *s)
{
	unsigned char digest[SHA256_BYTES];

	sha256_end(s, digest);
	for (int i = 0; i < (STORE_KEY_SIZE - 1) / 2; i++)
		snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

void store_hash(char out[STORE_KEY_SIZE], const void *bytes, size_t n)
{
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, bytes, n);
	store_hash_end(out, &s);
}

void store_hash_env(char hash[STORE_KEY_SIZE], const char *const *env,
		    size_t count)
{
	struct sha256 s;

	if (!count)
		return;
	sha256_init(&s);
	sha256_add(&s, hash, strlen(hash) + 1);
	for (size_t i = 0; i < count; i++)
		sha256_add(&s, env[i], strlen(env[i]) + 1);
	store_hash_end(hash, &s);
}

void store_key(char out[STORE_KEY_SIZE], const char *program,
	       const char *config, const struct sweep *sweep,
	       const char *version)
{
	char threads[24];
	const char *const parts[] = { program, config,
				      sweep->engine ? sweep->engine : "",
				      threads, version };
	struct sha256 s;

	snprintf(threads, sizeof(threads), "%u", sweep->threads);
	sha256_init(&s);
	/* The NUL separates a part from the next. */
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		sha256_add(&s, parts[i], strlen(parts[i]) + 1);
	store_hash_end(out, &s);
}
