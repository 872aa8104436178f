#include "trace/pack.h"

#ifdef HEDDLE_ZSTD
#include <stdlib.h>
#include <zstd.h>

/* zstd's own default. Tokens are repetitive; higher levels take much longer and
 * gain little. */
enum { LEVEL = 3 };

bool trace_pack_supported(void)
{
	return true;
}

enum err trace_pack(uint8_t **to, size_t *to_size, const void *from,
		    size_t from_size, struct diag *d)
{
	size_t room = ZSTD_compressBound(from_size), n;

	*to = malloc(room);
	if (!*to)
		return fail(d, ERR_NOMEM, "out of memory");
	n = ZSTD_compress(*to, room, from, from_size, LEVEL);
	if (!ZSTD_isError(n)) {
		*to_size = n;
		return ERR_OK;
	}
	free(*to);
	*to = NULL;
	return fail(d, ERR_NOMEM, "zstd: %s", ZSTD_getErrorName(n));
}

enum err trace_unpack(uint8_t *to, size_t to_size, const void *from,
		      size_t from_size, struct diag *d)
{
	size_t n = ZSTD_decompress(to, to_size, from, from_size);

	if (ZSTD_isError(n))
		return fail(d, ERR_SYNTAX, "zstd: %s", ZSTD_getErrorName(n));
	if (n != to_size)
		return fail(d, ERR_SYNTAX, "zstd: %zu bytes instead of %zu", n,
			    to_size);
	return ERR_OK;
}

#else

bool trace_pack_supported(void)
{
	return false;
}

enum err trace_pack(uint8_t **to, size_t *to_size, const void *from,
		    size_t from_size, struct diag *d)
{
	(void)to, (void)to_size, (void)from, (void)from_size;
	return trace_pack_missing(d);
}

enum err trace_unpack(uint8_t *to, size_t to_size, const void *from,
		      size_t from_size, struct diag *d)
{
	(void)to, (void)to_size, (void)from, (void)from_size;
	return trace_pack_missing(d);
}
#endif

enum err trace_pack_missing(struct diag *d)
{
	return fail(d, ERR_UNSUPP,
		    "traces are compressed with zstd, and this build has no "
		    "zstd: install libzstd-dev and build again");
}
