#include "door/cli/fatbin_write.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#define MAGIC 0xba55ed50u
#define VERSION 1
#define HEADER_SIZE 16

#define IMAGE_PTX 1
#define IMAGE_ELF 2
#define IMAGE_VERSION 0x101
#define IMAGE_HEADER_SIZE 64 /* name and options follow */
#define OPTIONS_SIZE 16      /* offset and length of the text, and a NUL */
#define FLAG_64_BITS 0x1
#define FLAG_LINUX 0x10

static void fatbin_put(FILE *to, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		putc((int)(value >> 8 * i & 0xff), to);
}

static void fatbin_put_padded(FILE *to, const char *bytes, size_t size,
			      size_t padded)
{
	fwrite(bytes, 1, size, to);
	for (size_t i = size; i < padded; i++)
		putc(0, to);
}

/* Rounds up to a multiple of 8, with at least one NUL at the end. */
static size_t fatbin_padded(size_t size)
{
	return (size + 8) & ~(size_t)7;
}

static size_t header_size(const char *name)
{
	return IMAGE_HEADER_SIZE + fatbin_padded(strlen(name)) + OPTIONS_SIZE;
}

static void write_image(FILE *to, const char *name, const struct code_image *p)
{
	const size_t length = strlen(name);
	const size_t options = IMAGE_HEADER_SIZE + fatbin_padded(length);

	fatbin_put(to, p->is_cubin ? IMAGE_ELF : IMAGE_PTX, 2);
	fatbin_put(to, IMAGE_VERSION, 2);
	fatbin_put(to, header_size(name), 4);
	fatbin_put(to, fatbin_padded(p->size), 8);
	fatbin_put(to, 0, 4); /* not compressed */
	fatbin_put(to, options, 4);
	fatbin_put(to, p->minor, 2);
	fatbin_put(to, p->major, 2);
	fatbin_put(to, p->sm, 4);
	fatbin_put(to, IMAGE_HEADER_SIZE, 4);
	fatbin_put(to, length, 4);
	fatbin_put(to, FLAG_64_BITS | FLAG_LINUX, 8);
	fatbin_put(to, 0, 8);
	fatbin_put(to, 0, 8); /* not compressed */
	fatbin_put_padded(to, name, length, fatbin_padded(length));
	/* The real driver reads this even without options. */
	fatbin_put(to, options + 8, 4);
	fatbin_put(to, 0, 4);
	fatbin_put(to, 0, 8);
	fatbin_put_padded(to, p->bytes, p->size, fatbin_padded(p->size));
}

enum err fatbin_write(FILE *to, const char *name,
		      const struct code_image *images, size_t count,
		      struct diag *d)
{
	uint64_t size = 0;

	for (size_t i = 0; i < count; i++)
		size += header_size(name) + fatbin_padded(images[i].size);
	fatbin_put(to, MAGIC, 4);
	fatbin_put(to, VERSION, 2);
	fatbin_put(to, HEADER_SIZE, 2);
	fatbin_put(to, size, 8);
	for (size_t i = 0; i < count; i++)
		write_image(to, name, &images[i]);
	if (fflush(to) != 0 || ferror(to))
		return fail(d, ERR_IO, "cannot write a fat binary: %s",
			    strerror(errno));
	return ERR_OK;
}
