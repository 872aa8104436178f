#include "door/cli/program_image.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "door/cli/program.h"
#include "door/common/ptxas.h"
#include "door/rt/fatbin.h"
#include "heddle/heddle.h"

enum { DEFAULT_SM = 90 }; /* of a device that nothing is said about */

enum { MACHINE_AMDGPU = 224 }; /* not in every elf.h */

/* The first bytes of a file, as an ELF header; returns how many there are. */
static size_t read_head(const char *path, Elf64_Ehdr *h)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	memset(h, 0, sizeof(*h));
	if (!f)
		return 0;
	n = fread(h, 1, sizeof(*h), f);
	fclose(f);
	return n;
}

static bool is_elf_for(const char *path, unsigned machine)
{
	Elf64_Ehdr h;

	return read_head(path, &h) == sizeof(h) &&
	       !memcmp(h.e_ident, ELFMAG, SELFMAG) && h.e_machine == machine;
}

bool image_is_machine(const char *path)
{
	static const unsigned char fat[] = { 0x50, 0xed, 0x55, 0xba };
	Elf64_Ehdr h;
	size_t n = read_head(path, &h);

	return (n >= sizeof(fat) && !memcmp(&h, fat, sizeof(fat))) ||
	       is_elf_for(path, EM_CUDA);
}

bool image_is_code_object(const char *path)
{
	return is_elf_for(path, MACHINE_AMDGPU);
}

/* Makes machine code of PTX, which is kept. */
static enum err image_compile(struct program_image *i, const char *path,
			      unsigned sm, struct diag *d)
{
	struct fatbin_image target = { 0 };
	struct fatbin f;
	struct ptxas_source s = { .name = path, .sm = sm ? sm : DEFAULT_SM };
	void *cubin;

	i->ptx = i->bytes;
	i->ptx_size = i->size;
	i->bytes = NULL;
	s.text = i->ptx;
	s.size = i->ptx_size;
	if (!fatbin_open(&f, i->ptx, i->ptx_size, d) &&
	    fatbin_next(&f, &target) && target.sm == s.sm)
		s.variant = target.variant;
	if (ptxas_compile(&s, &cubin, &i->size, d))
		return d->code;
	i->bytes = cubin;
	i->sm = s.sm;
	return ERR_OK;
}

/* The machine code of a fat binary, or of a cubin. */
static enum err take_machine(struct program_image *i, const struct fatbin *f,
			     unsigned sm, struct diag *d)
{
	struct fatbin_pick pick;
	void *data;

	if (fatbin_machine(f, sm, &pick, &data, &i->size, d))
		return d->code;
	i->bytes = data;
	i->sm = pick.sm;
	return ERR_OK;
}

/* Takes the PTX in place of the machine code, if there is any. */
static enum err try_ptx(struct program_image *i, const struct fatbin *f,
			unsigned sm, struct diag *d)
{
	size_t size;
	char *text;
	enum err e = fatbin_ptx(f, sm, NULL, &text, &size, d);

	if (e)
		return e == ERR_UNSUPP ? ERR_OK : e;
	free(i->bytes);
	*i = (struct program_image){ .bytes = text, .size = size };
	return ERR_OK;
}

static enum err choose(struct program_image *i, const struct fatbin *f,
		       const char *path, unsigned sm, enum isa_choice isa,
		       struct diag *d)
{
	enum err e = isa == ISA_PTX ? ERR_UNSUPP : take_machine(i, f, sm, d);

	/* Some machine code is not simulated. If there is nothing else, it says
	 * why when it is loaded. */
	if (!e && isa == ISA_AUTO && !heddle_isa_of(i->bytes, i->size))
		return try_ptx(i, f, sm, d);
	if (e != ERR_UNSUPP)
		return e;
	if (fatbin_ptx(f, sm, NULL, &i->bytes, &i->size, d))
		return d->code;
	return isa == ISA_SASS ? image_compile(i, path, sm, d) : ERR_OK;
}

/* A cubin runs on its own GPU, unless another was asked for. */
static unsigned own_sm(const struct fatbin *f)
{
	struct fatbin_image im = { 0 };

	return f->form == FATBIN_CUBIN && fatbin_next(f, &im) ? im.sm :
								DEFAULT_SM;
}

static enum err choose_from(struct program_image *i, const char *path,
			    const char *file, size_t size, unsigned sm,
			    enum isa_choice isa, struct diag *d)
{
	struct fatbin f, one;
	struct diag why;
	enum err e = fatbin_open(&f, file, size, &why);

	if (!e && f.parts > 1)
		e = fail(&why, ERR_UNSUPP, "%u fat binaries in one file",
			 f.parts);
	if (!e)
		e = fatbin_part(&f, 0, &one, &why);
	if (!e)
		e = choose(i, &one, path, sm ? sm : own_sm(&one), isa, &why);
	return e ? fail(d, e, "%.200s: %s", path, why.text) : ERR_OK;
}

static enum err get_opencl(struct program_image *out, const char *path,
			   const struct compile_options *compile,
			   struct diag *d)
{
	char *source;
	size_t size;
	/* Report a missing file ourselves. */
	enum err e = program_read_file(path, &source, &size, d);

	free(source);
	return e ? e :
		   compile_opencl(compile, path, &out->bytes, &out->size, d);
}

enum err image_get(struct program_image *out, const char *path,
		   const struct compile_options *compile, struct diag *d)
{
	char *file = NULL;
	size_t size;
	enum err e;

	*out = (struct program_image){ 0 };
	if (image_is_code_object(path))
		return program_read_file(path, &out->bytes, &out->size, d);
	if (word_ends_with(path, ".cl"))
		return get_opencl(out, path, compile, d);
	if (image_is_machine(path)) {
		e = program_read_file(path, &file, &size, d);
		if (!e)
			e = choose_from(out, path, file, size, compile->sm,
					compile->isa, d);
		free(file);
		return e;
	}
	e = program_text(path, compile, &out->bytes, &out->size, d);
	if (!e && compile->isa == ISA_SASS)
		e = image_compile(out, path, compile->sm, d);
	return e;
}

void image_free(struct program_image *i)
{
	free(i->bytes);
	free(i->ptx);
	*i = (struct program_image){ 0 };
}
