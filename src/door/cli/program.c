#include "door/cli/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/demangle.h"
#include "base/outfile.h"
#include "base/words.h"
#include "door/cli/interrupt.h"
#include "door/cli/program_image.h"
#include "door/cli/text.h"

enum err program_read_file(const char *path, char **text, size_t *size,
			   struct diag *d)
{
	size_t room = 0, got = 0;
	FILE *f = fopen(path, "rb");

	*text = NULL;
	*size = 0;
	if (!f)
		return fail(d, ERR_IO, "cannot open '%s': %s", path,
			    strerror(errno));
	do {
		*size += got;
		if (*size == room) {
			char *more = realloc(*text, room = 2 * room + 65536);

			if (!more) {
				fclose(f);
				return fail(d, ERR_NOMEM, "out of memory");
			}
			*text = more;
		}
		got = fread(*text + *size, 1, room - *size, f);
	} while (got);
	if (ferror(f))
		fail(d, ERR_IO, "cannot read '%s': %s", path, strerror(errno));
	else
		d->code = ERR_OK;
	fclose(f);
	return d->code;
}

bool program_is_source(const char *path)
{
	return word_ends_with(path, ".cu");
}

/* A file of the host: a program or an object. */
static bool is_host_elf(const char *path)
{
	static const char magic[] = { 0x7f, 'E', 'L', 'F' };
	char head[sizeof(magic)] = "";
	FILE *f = fopen(path, "rb");

	if (f && fread(head, 1, sizeof(head), f) != sizeof(head))
		head[0] = 0;
	if (f)
		fclose(f);
	return !memcmp(head, magic, sizeof(magic));
}

/* What is neither PTX nor machine code nor a source may be meant as a trace. */
static enum err program_unknown(const char *path, struct diag *d)
{
	struct stat st;

	if (stat(path, &st))
		return fail(d, ERR_IO, "cannot open '%.300s': %s", path,
			    strerror(errno));
	if (S_ISDIR(st.st_mode))
		return fail(d, ERR_IO, "'%.300s' is a folder", path);
	if (is_host_elf(path))
		return fail(d, ERR_SYNTAX,
			    "'%.300s' is not machine code of a GPU; 'heddle "
			    "exec' runs whole programs",
			    path);
	return fail(d, ERR_SYNTAX,
		    "'%.300s' %s: expected a program that ends in .ptx, .cu or "
		    ".cl, a cubin, a fat binary or a code object, or a trace",
		    path, st.st_size ? "is not a Heddle trace" : "is empty");
}

enum err program_text(const char *path, const struct compile_options *compile,
		      char **text, size_t *size, struct diag *d)
{
	char *source;
	enum err e;

	if (word_ends_with(path, ".ptx"))
		return program_read_file(path, text, size, d);
	if (!program_is_source(path))
		return program_unknown(path, d);
	/* Report a missing file ourselves. */
	e = program_read_file(path, &source, size, d);
	free(source);
	return e ? e : compile_cuda(compile, path, text, size, d);
}

/* A device's address size is fixed before a module is loaded. */
static bool wants_address32(const char *text, size_t size)
{
	static const char word[] = ".address_size";
	const char *p = text, *end = text + size;

	while (p < end) {
		const char *line_end = memchr(p, '\n', (size_t)(end - p));

		if (!line_end)
			line_end = end;
		while (p < line_end && (*p == ' ' || *p == '\t'))
			p++;
		if ((size_t)(line_end - p) > sizeof(word) &&
		    !memcmp(p, word, sizeof(word) - 1)) {
			p += sizeof(word) - 1;
			while (p < line_end && (*p == ' ' || *p == '\t'))
				p++;
			return line_end - p >= 2 && !memcmp(p, "32", 2);
		}
		p = line_end < end ? line_end + 1 : end;
	}
	return false;
}

/* The library knows the file by its temporary name. */
static enum err program_fail_trace(const struct loaded_program *p,
				   const struct heddle_error *he,
				   struct diag *d)
{
	const char *known = p->trace.temporary;
	size_t n = known ? strlen(known) : 0;

	if (!n || strncmp(he->text, known, n))
		return fail_api(d, he);
	return fail(d, (enum err)he->code, "%.200s%s", p->record, he->text + n);
}

static enum err program_begin_trace(struct loaded_program *p, const char *path,
				    struct diag *d)
{
	struct heddle_error he;
	const char *file;

	if (outfile_open(&p->trace, p->record, d))
		return d->code;
	file = p->trace.temporary ? p->trace.temporary : p->trace.target;
	if (heddle_trace_begin(p->dev, file ? file : p->record, path, &he)) {
		program_fail_trace(p, &he, d);
		outfile_drop(&p->trace);
		return d->code;
	}
	p->recording = true;
	return ERR_OK;
}

/* Keeps the PTX that machine code was made of. PTX that cannot be read knows no
 * types, and nothing else depends on it. */
static void program_keep_types(struct loaded_program *p, const char *path,
			       const struct program_image *i)
{
	struct heddle_error he;

	if (!i->ptx || heddle_device_new(&p->types_dev, NULL, &he))
		return;
	if (heddle_module_load(p->types_dev, &p->types, path, i->ptx,
			       i->ptx_size, &he))
		p->types = NULL;
}

static enum err program_load_image(struct loaded_program *p, const char *path,
				   const struct program_image *i,
				   struct heddle_device_options *own,
				   struct diag *d)
{
	struct heddle_error he = { 0 };

	if (!i->sm)
		own->address32 = wants_address32(i->bytes, i->size);
	else if (!own->config && !own->sm_major) {
		own->sm_major = i->sm / 10;
		own->sm_minor = i->sm % 10;
	}
	if (heddle_device_new(&p->dev, own, &he))
		return fail_api(d, &he);
	if (p->record && program_begin_trace(p, path, d))
		return d->code;
	if (heddle_module_load(p->dev, &p->mod, path, i->bytes, i->size, &he)) {
		p->mod = NULL;
		return fail_api(d, &he);
	}
	program_keep_types(p, path, i);
	return ERR_OK;
}

enum err program_load(struct loaded_program *p, const char *path,
		      const struct compile_options *compile,
		      const struct heddle_device_options *options,
		      struct diag *d)
{
	struct heddle_device_options own = { 0 };
	struct program_image image;
	enum err e;

	*p = (struct loaded_program){ .record = p->record };
	if (options)
		own = *options;
	e = image_get(&image, path, compile, d);
	if (!e)
		e = program_load_image(p, path, &image, &own, d);
	image_free(&image);
	if (e)
		program_unload(p);
	else
		interrupt_stops_device(p->dev);
	return e;
}

enum err program_end_trace(struct loaded_program *p, bool keep, struct diag *d)
{
	struct heddle_error he;

	if (!p->recording)
		return ERR_OK;
	p->recording = false;
	if (heddle_trace_end(p->dev, &he) && keep)
		return outfile_close(&p->trace, program_fail_trace(p, &he, d),
				     d);
	if (keep)
		return outfile_close(&p->trace, ERR_OK, d);
	outfile_drop(&p->trace);
	return ERR_OK;
}

void program_unload(struct loaded_program *p)
{
	struct diag ignored;

	(void)!program_end_trace(p, false, &ignored);
	interrupt_stops_device(NULL);
	if (p->mod)
		heddle_module_free(p->dev, p->mod);
	if (p->dev)
		heddle_device_free(p->dev);
	if (p->types)
		heddle_module_free(p->types_dev, p->types);
	if (p->types_dev)
		heddle_device_free(p->types_dev);
	*p = (struct loaded_program){ 0 };
}

static enum err no_such_kernel(const struct loaded_program *p, const char *name,
			       struct diag *d)
{
	struct nearest near = { .word = name };
	size_t count = heddle_module_kernel_count(p->mod);
	char(*names)[256] = calloc(count ? count : 1, sizeof(*names));

	if (!names)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < count; i++) {
		demangle(names[i], sizeof(names[i]),
			 heddle_module_kernel(p->mod, i)->name);
		nearest_offer(&near, names[i]);
	}
	if (!count)
		fail(d, ERR_UNKNOWN, "the program has no kernel");
	else if (nearest_best(&near))
		fail(d, ERR_UNKNOWN, "no kernel named '%s', did you mean '%s'?",
		     name, nearest_best(&near));
	else
		fail(d, ERR_UNKNOWN,
		     "no kernel named '%s'; 'heddle kernels' lists the kernels, "
		     "the first is '%s'",
		     name, names[0]);
	free(names);
	return d->code;
}

/* name: what several kernels match; NULL: there was none. */
static enum err several_kernels(const struct loaded_program *p,
				const char *name, struct diag *d)
{
	size_t count = heddle_module_kernel_count(p->mod), used = 0;
	char list[400] = "";

	for (size_t i = 0; i < count && used + 8 < sizeof(list); i++) {
		const char *symbol = heddle_module_kernel(p->mod, i)->name;
		char plain[256];
		size_t room = sizeof(list) - 8 - used;

		if (name && !demangle_matches(symbol, name))
			continue;
		demangle(plain, sizeof(plain), symbol);
		/* Instances of a template differ only in their symbols. */
		if (name)
			snprintf(plain, sizeof(plain), "%s", symbol);
		if (strlen(plain) + 3 > room) {
			strcpy(list + used, ", ...");
			break;
		}
		used += (size_t)snprintf(list + used, room, "%s%s",
					 used ? ", " : "", plain);
	}
	return fail(d, ERR_UNKNOWN,
		    name ? "--kernel matches several kernels: %s" :
			   "the program has several kernels; choose one with "
			   "--kernel: %s",
		    list);
}

const struct heddle_kernel *program_kernel(const struct loaded_program *p,
					   const char *name, struct diag *d)
{
	size_t count = heddle_module_kernel_count(p->mod);
	const struct heddle_kernel *found = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct heddle_kernel *k = heddle_module_kernel(p->mod, i);

		if (name && !strcmp(k->name, name))
			return k;
		if (name && !demangle_matches(k->name, name))
			continue;
		if (found) {
			/* A later symbol may match exactly. */
			for (size_t j = i + 1; name && j < count; j++) {
				k = heddle_module_kernel(p->mod, j);
				if (!strcmp(k->name, name))
					return k;
			}
			several_kernels(p, name, d);
			return NULL;
		}
		found = k;
	}
	if (!found)
		no_such_kernel(p, name ? name : "", d);
	return found;
}

static bool same_params(const struct heddle_kernel *a,
			const struct heddle_kernel *b)
{
	if (a->param_count != b->param_count)
		return false;
	for (uint32_t i = 0; i < a->param_count; i++)
		if (a->params[i].size != b->params[i].size ||
		    a->params[i].offset != b->params[i].offset)
			return false;
	return true;
}

const struct heddle_kernel *program_typed_kernel(const struct loaded_program *p,
						 const struct heddle_kernel *k)
{
	size_t n = p->types ? heddle_module_kernel_count(p->types) : 0;

	for (size_t i = 0; i < n; i++) {
		const struct heddle_kernel *t =
			heddle_module_kernel(p->types, i);

		if (!strcmp(t->name, k->name) && same_params(t, k))
			return t;
	}
	return k;
}
