#include "accelsim/unpack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef HEDDLE_LZMA
#include <lzma.h>
#endif
#ifdef HEDDLE_ZLIB
#include <zlib.h>
#endif
#ifdef HEDDLE_ZSTD
#include <zstd.h>
#endif

struct unpacker;

/* What has been taken and given in one call. */
struct unpack_io {
	const unsigned char *bytes;
	size_t size;
	unsigned char *to;
	size_t room;
	bool last;
};

/* A format: its first bytes, its library, and how to use it. start and run return
 * NULL, or what is wrong. */
struct unpack_format {
	const char *name, *package;
	unsigned char magic[6];
	unsigned char magic_bytes;
	const char *(*start)(struct unpacker *u);
	const char *(*run)(struct unpacker *u, struct unpack_io *io);
	void (*end)(struct unpacker *u);
};

struct unpacker {
	const struct unpack_format *format;
	bool between; /* a stream has ended, and another may follow */
#ifdef HEDDLE_LZMA
	lzma_stream lzma;
#endif
#ifdef HEDDLE_ZLIB
	z_stream zlib;
#endif
#ifdef HEDDLE_ZSTD
	ZSTD_DStream *zstd;
#endif
};

/* What can be wrong, whatever the format. */
enum { CUT, DAMAGED, NO_MEMORY };
static const char *const unpack_errors[] = {
	[CUT] = "the compressed data end too early",
	[DAMAGED] = "the compressed data are damaged",
	[NO_MEMORY] = "out of memory",
};

/* ---- xz ------------------------------------------------------------------ */

#ifdef HEDDLE_LZMA
/* As much as xz -9 needs, and what a damaged file may ask for. */
enum { LZMA_MEMORY = 256 << 20 };

static const char *lzma_start(struct unpacker *u)
{
	u->lzma = (lzma_stream)LZMA_STREAM_INIT;
	return lzma_stream_decoder(&u->lzma, LZMA_MEMORY, LZMA_CONCATENATED) ==
			       LZMA_OK ?
		       NULL :
		       unpack_errors[NO_MEMORY];
}

static const char *lzma_run(struct unpacker *u, struct unpack_io *io)
{
	lzma_ret r;

	if (u->between)
		return NULL;
	u->lzma.next_in = io->bytes;
	u->lzma.avail_in = io->size;
	u->lzma.next_out = io->to;
	u->lzma.avail_out = io->room;
	r = lzma_code(&u->lzma, io->last ? LZMA_FINISH : LZMA_RUN);
	/* The first time that it cannot go on it does not say so. */
	if (io->last && r == LZMA_OK && u->lzma.avail_out == io->room)
		return unpack_errors[CUT];
	io->size = u->lzma.avail_in;
	io->room = u->lzma.avail_out;
	switch (r) {
	case LZMA_OK:
		return NULL;
	case LZMA_STREAM_END:
		u->between = true;
		return NULL;
	case LZMA_BUF_ERROR:
		return io->last ? unpack_errors[CUT] : NULL;
	case LZMA_MEM_ERROR:
	case LZMA_MEMLIMIT_ERROR:
		return unpack_errors[NO_MEMORY];
	default:
		return unpack_errors[DAMAGED];
	}
}

static void lzma_stop(struct unpacker *u)
{
	lzma_end(&u->lzma);
}
#else
#define lzma_start NULL
#define lzma_run NULL
#define lzma_stop NULL
#endif

/* ---- gzip ---------------------------------------------------------------- */

#ifdef HEDDLE_ZLIB
static const char *zlib_start(struct unpacker *u)
{
	enum { WINDOW = 15, GZIP = 16 };

	return inflateInit2(&u->zlib, WINDOW + GZIP) == Z_OK ?
		       NULL :
		       unpack_errors[NO_MEMORY];
}

static const char *zlib_run(struct unpacker *u, struct unpack_io *io)
{
	int r;

	if (u->between && io->size) {
		inflateReset(&u->zlib);
		u->between = false;
	}
	if (u->between)
		return NULL;
	u->zlib.next_in = (unsigned char *)(uintptr_t)io->bytes;
	u->zlib.avail_in = (unsigned)io->size;
	u->zlib.next_out = io->to;
	u->zlib.avail_out = (unsigned)io->room;
	r = inflate(&u->zlib, Z_NO_FLUSH);
	if (io->last && r == Z_BUF_ERROR)
		return unpack_errors[CUT];
	io->size = u->zlib.avail_in;
	io->room = u->zlib.avail_out;
	u->between = r == Z_STREAM_END;
	return r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR ? NULL :
	       r == Z_MEM_ERROR ? unpack_errors[NO_MEMORY] :
				  unpack_errors[DAMAGED];
}

static void zlib_stop(struct unpacker *u)
{
	inflateEnd(&u->zlib);
}
#else
#define zlib_start NULL
#define zlib_run NULL
#define zlib_stop NULL
#endif

/* ---- zstd ---------------------------------------------------------------- */

#ifdef HEDDLE_ZSTD
static const char *zstd_start(struct unpacker *u)
{
	u->zstd = ZSTD_createDStream();
	return u->zstd ? NULL : unpack_errors[NO_MEMORY];
}

static const char *zstd_run(struct unpacker *u, struct unpack_io *io)
{
	ZSTD_inBuffer in = { io->bytes, io->size, 0 };
	ZSTD_outBuffer out = { io->to, io->room, 0 };
	size_t r;

	if (u->between && !io->size)
		return NULL;
	r = ZSTD_decompressStream(u->zstd, &out, &in);
	if (ZSTD_isError(r))
		return unpack_errors[DAMAGED];
	if (io->last && !out.pos && r)
		return unpack_errors[CUT];
	u->between = r == 0;
	io->size -= in.pos;
	io->room -= out.pos;
	return NULL;
}

static void zstd_stop(struct unpacker *u)
{
	ZSTD_freeDStream(u->zstd);
}
#else
#define zstd_start NULL
#define zstd_run NULL
#define zstd_stop NULL
#endif

/* ---- formats ------------------------------------------------------------- */

static const struct unpack_format formats[] = {
	{ "xz",
	  "liblzma-dev",
	  { 0xfd, '7', 'z', 'X', 'Z', 0 },
	  6,
	  lzma_start,
	  lzma_run,
	  lzma_stop },
	{ "gzip",
	  "zlib1g-dev",
	  { 0x1f, 0x8b },
	  2,
	  zlib_start,
	  zlib_run,
	  zlib_stop },
	{ "zstd",
	  "libzstd-dev",
	  { 0x28, 0xb5, 0x2f, 0xfd },
	  4,
	  zstd_start,
	  zstd_run,
	  zstd_stop },
};

static const struct unpack_format *format_of(const void *first, size_t size)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (size >= formats[i].magic_bytes &&
		    !memcmp(first, formats[i].magic, formats[i].magic_bytes))
			return &formats[i];
	return NULL;
}

enum err unpacker_new(struct unpacker **out, const void *first, size_t size,
		      struct diag *d)
{
	const struct unpack_format *f = format_of(first, size);
	const char *wrong;

	*out = NULL;
	if (!f)
		return ERR_OK;
	if (!f->start)
		return fail(d, ERR_UNSUPP,
			    "compressed by %s, which this build cannot read: "
			    "build it with package %s, or decompress the file",
			    f->name, f->package);
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return fail(d, ERR_NOMEM, "%s", unpack_errors[NO_MEMORY]);
	(*out)->format = f;
	wrong = f->start(*out);
	if (!wrong)
		return ERR_OK;
	free(*out);
	*out = NULL;
	return fail(d, ERR_NOMEM, "%s", wrong);
}

void unpacker_free(struct unpacker *u)
{
	if (u)
		u->format->end(u);
	free(u);
}

enum err unpacker_run(struct unpacker *u, const void *bytes, size_t size,
		      bool last, size_t *taken, void *to, size_t room,
		      size_t *given, struct diag *d)
{
	struct unpack_io io = { bytes, size, to, room, last };
	const char *wrong = u->format->run(u, &io);

	*taken = size - io.size;
	*given = room - io.room;
	if (!wrong)
		return ERR_OK;
	return fail(d,
		    wrong == unpack_errors[NO_MEMORY] ? ERR_NOMEM : ERR_SYNTAX,
		    "%s: %s", u->format->name, wrong);
}
