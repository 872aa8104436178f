#include "door/cli/fatbin_write.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#define MAGIC 0xba55ed50u
#define VERSION 1
#define HEADER_SIZE 16

#define IMAGE_PTX 1
#define IMAGE_VERSION 0x101
#define IMAGE_HEADER_SIZE 64 /* name and options follow */
#define OPTIONS_SIZE 16      /* where the text is and how long, and a NUL */
#define FLAG_64_BITS 0x1
#define FLAG_LINUX 0x10

static void put(FILE *to, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		putc((int)(value >> 8 * i & 0xff), to);
}

static void put_padded(FILE *to, const char *bytes, size_t size, size_t padded)
{
	fwrite(bytes, 1, size, to);
	for (size_t i = size; i < padded; i++)
		putc(0, to);
}

/* To a multiple of 8 with at least one NUL at the end. */
static size_t padded(size_t size)
{
	return (size + 8) & ~(size_t)7;
}

static size_t header_size(const char *name)
{
	return IMAGE_HEADER_SIZE + padded(strlen(name)) + OPTIONS_SIZE;
}

static void write_image(FILE *to, const char *name, const struct ptx_image *p)
{
	const size_t length = strlen(name);
	const size_t options = IMAGE_HEADER_SIZE + padded(length);

	put(to, IMAGE_PTX, 2);
	put(to, IMAGE_VERSION, 2);
	put(to, header_size(name), 4);
	put(to, padded(p->size), 8);
	put(to, 0, 4); /* not compressed */
	put(to, options, 4);
	put(to, p->minor, 2);
	put(to, p->major, 2);
	put(to, p->sm, 4);
	put(to, IMAGE_HEADER_SIZE, 4);
	put(to, length, 4);
	put(to, FLAG_64_BITS | FLAG_LINUX, 8);
	put(to, 0, 8);
	put(to, 0, 8); /* not compressed */
	put_padded(to, name, length, padded(length));
	/* No options, but the real driver wants to read that. */
	put(to, options + 8, 4);
	put(to, 0, 4);
	put(to, 0, 8);
	put_padded(to, p->text, p->size, padded(p->size));
}

enum err fatbin_write(FILE *to, const char *name,
		      const struct ptx_image *images, size_t count,
		      struct diag *d)
{
	uint64_t size = 0;

	for (size_t i = 0; i < count; i++)
		size += header_size(name) + padded(images[i].size);
	put(to, MAGIC, 4);
	put(to, VERSION, 2);
	put(to, HEADER_SIZE, 2);
	put(to, size, 8);
	for (size_t i = 0; i < count; i++)
		write_image(to, name, &images[i]);
	if (fflush(to) != 0 || ferror(to))
		return fail(d, ERR_IO, "cannot write a fat binary: %s",
			    strerror(errno));
	return ERR_OK;
}
