#include "door/rt/unzstd.h"

#ifdef HEDDLE_ZSTD

#include <stdbool.h>
#include <stdlib.h>

#include <zstd.h>

enum { FIRST_ROOM = 1 << 16, WINDOW_LOG_MAX = 30 };

/* Doubles the room, up to `limit` bytes and a NUL. */
static bool buffer_grow(ZSTD_outBuffer *out, size_t limit)
{
	size_t size = out->size ? out->size : FIRST_ROOM / 2;
	void *p;

	size = size > limit / 2 ? limit : size * 2;
	p = realloc(out->dst, size + 1);
	if (!p)
		return false;
	out->dst = p;
	out->size = size;
	return true;
}

/* Stops when the frame ends, when the input ends, or at `limit` bytes. */
static enum err decode_frame(ZSTD_DStream *z, ZSTD_outBuffer *out,
			     ZSTD_inBuffer *in, size_t limit, struct diag *d)
{
	size_t rc;

	if (!buffer_grow(out, limit))
		return fail(d, ERR_NOMEM, "zstd: no memory");
	do {
		size_t in_before = in->pos, out_before = out->pos;

		if (out->pos == out->size && out->size < limit &&
		    !buffer_grow(out, limit))
			return fail(d, ERR_NOMEM, "zstd: no memory");
		rc = ZSTD_decompressStream(z, out, in);
		if (ZSTD_isError(rc))
			return fail(d, ERR_SYNTAX, "zstd: %s",
				    ZSTD_getErrorName(rc));
		if (rc && in->pos == in_before && out->pos == out_before)
			return fail(d, ERR_SYNTAX,
				    "zstd: %s at byte %zu of %zu",
				    in->pos == in->size ? "ends too early" :
							  "too much data",
				    in->pos, in->size);
	} while (rc);
	if (out->pos != limit || in->pos != in->size)
		return fail(d, ERR_SYNTAX,
			    "zstd: %zu bytes from %zu instead of %zu from %zu",
			    out->pos, in->pos, limit, in->size);
	return ERR_OK;
}

enum err unzstd(uint8_t **to, size_t to_size, const uint8_t *from,
		size_t from_size, struct diag *d)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_outBuffer out = { 0 };
	ZSTD_inBuffer in = { from, from_size, 0 };
	enum err e;

	if (!z || ZSTD_isError(ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax,
						      WINDOW_LOG_MAX)))
		e = fail(d, ERR_NOMEM, "zstd: no memory");
	else
		e = decode_frame(z, &out, &in, to_size, d);
	ZSTD_freeDStream(z);
	if (e)
		free(out.dst);
	else
		*to = out.dst;
	return e;
}

#else

enum err unzstd(uint8_t **to, size_t to_size, const uint8_t *from,
		size_t from_size, struct diag *d)
{
	(void)to, (void)to_size, (void)from, (void)from_size;
	return fail(d, ERR_UNSUPP,
		    "compressed with zstd, and this build has no zstd: install "
		    "libzstd-dev and build again, or compile the program with "
		    "nvcc -no-compress");
}

#endif
