/* Chooses which image of a module a device loads. */
#define _GNU_SOURCE /* program_invocation_short_name */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/common/ptxas.h"
#include "door/rt/fatbin.h"
#include "door/rt/join.h"
#include "door/rt/module.h"

/* PTX for this architecture and older has few instructions that are not
 * simulated. */
enum { OLDER_SM = 80 };

/* The module's name in messages: its source, if the fat binary names it, or
 * else the program. */
static void image_name(const struct fatbin *f, enum fatbin_kind kind, char *out,
		       size_t size)
{
	struct fatbin_image im = { 0 };

	snprintf(out, size, "%s.%s", program_invocation_short_name,
		 kind == FATBIN_PTX ? "ptx" : "cubin");
	while (fatbin_next(f, &im))
		if (im.kind == kind && im.name_size)
			snprintf(out, size, "%.*s", (int)im.name_size, im.name);
}

static int load_error(int status, enum fatbin_kind kind)
{
	return status == HEDDLE_NOMEM ? cudaErrorMemoryAllocation :
	       kind == FATBIN_PTX     ? cudaErrorInvalidPtx :
					cudaErrorInvalidKernelImage;
}

static int image_error(enum err e)
{
	switch (e) {
	case ERR_OK:
		return cudaSuccess;
	case ERR_NOMEM:
		return cudaErrorMemoryAllocation;
	case ERR_UNSUPP:
		return cudaErrorNoKernelImageForDevice;
	default:
		return cudaErrorInvalidKernelImage;
	}
}

/* The PTX of one object after the choice `last` was refused. An object with no
 * older PTX keeps its best one. */
static enum err object_find_ptx(const struct fatbin *one, unsigned sm,
				const struct fatbin_pick *last,
				struct fatbin_pick *now, char **text,
				size_t *size, struct diag *d)
{
	struct fatbin_pick p = *last;
	enum err e = fatbin_ptx(one, sm, &p, text, size, d);

	if (e == ERR_UNSUPP && last->rank)
		return fatbin_ptx(one, sm, NULL, text, size, d);
	if (!e) {
		p.newer |= now->newer;
		if (p.rank > now->rank)
			*now = p;
		now->newer = p.newer;
	}
	return e;
}

/* nvcc links its library for kernels that launch kernels into every program of
 * several objects, and few use it. It needs functions of the vendor's driver
 * that are not here. */
static bool is_device_runtime(const char *text)
{
	return strstr(text, "cnpGetLastError") != NULL;
}

/* Adds the PTX of object i to *j; skips an object that has none. Symbols that
 * are missing then are reported when the module is loaded. */
static enum err join_object(struct ptx_join *j, const struct fatbin *f,
			    unsigned i, unsigned sm,
			    const struct fatbin_pick *last,
			    struct fatbin_pick *now, struct diag *d)
{
	struct fatbin_pick picked = *now;
	struct fatbin one;
	char *text = NULL;
	size_t size;
	enum err e = fatbin_prelinked(f, i, &one, d);

	if (!e)
		e = object_find_ptx(&one, sm, last, &picked, &text, &size, d);
	if (!e && !is_device_runtime(text)) {
		*now = picked;
		if (!join_add(j, text))
			e = fail(d, ERR_NOMEM, "out of memory");
	}
	free(text);
	return e == ERR_UNSUPP ? ERR_OK : e;
}

/* Links the PTX of all objects. */
static enum err join_objects(const struct fatbin *f, unsigned sm,
			     struct fatbin_pick *pick, char **text,
			     size_t *size, struct diag *d)
{
	struct ptx_join j = { 0 };
	struct fatbin_pick now = { 0 };
	enum err e = ERR_OK;

	for (unsigned i = 0; !e && i < f->prelinked_count; i++)
		e = join_object(&j, f, i, sm, pick, &now, d);
	if (!e && (!j.text || !now.rank))
		e = fail(d, ERR_UNSUPP,
			 "the program was linked from objects (nvcc -rdc=true) "
			 "that hold no PTX: rebuild them with -gencode "
			 "arch=compute_%u,code=compute_%u",
			 sm, sm);
	if (!e) {
		*pick = now;
		*text = j.text;
		*size = j.size;
		j.text = NULL;
	}
	join_free(&j);
	return e;
}

/* Finds the module's PTX for the device, the next best after *pick; writes
 * errors to its log. */
static int module_find_ptx(struct rt_module *m, const struct rt_device *d,
			   struct fatbin_pick *pick, char **text, size_t *size,
			   char name[128])
{
	struct fatbin f, one;
	struct diag why;
	enum err e = fatbin_open(&f, m->image, FATBIN_SIZE_UNKNOWN, &why);

	if (!e)
		image_name(&f, FATBIN_PTX, name, 128);
	if (!e && f.prelinked_count) {
		e = join_objects(&f, d->sm, pick, text, size, &why);
	} else if (!e) {
		e = fatbin_part(&f, 0, &one, &why);
		if (!e)
			e = fatbin_ptx(&one, d->sm, pick, text, size, &why);
	}
	/* That there is no second choice is not worth a message. */
	if (e && !m->log[0])
		snprintf(m->log, sizeof(m->log), "%s", why.text);
	return image_error(e);
}

/* Finds the module's machine code for the device. */
static enum err module_find_machine(struct rt_module *m,
				    const struct rt_device *d,
				    struct fatbin_pick *pick, void **data,
				    size_t *size, char name[128],
				    struct diag *why)
{
	struct fatbin f, one;
	enum err e = fatbin_open(&f, m->image, FATBIN_SIZE_UNKNOWN, why);

	if (!e && !f.parts)
		e = fail(why, ERR_UNSUPP, "the program holds no machine code");
	if (!e)
		e = fatbin_part(&f, 0, &one, why);
	if (!e)
		e = fatbin_machine(&one, d->sm, pick, data, size, why);
	if (!e)
		image_name(&f, FATBIN_ELF, name, 128);
	return e;
}

/* Warns about the final choice of an image. That all PTX is for newer GPUs holds
 * for all modules of a program, so it is said once. */
static void warn_choice(const struct rt_module *m, const struct rt_device *d,
			const struct fatbin_pick *p)
{
	char variant[2] = { p->variant };
	static bool said_newer;

	if (rt.settings.quiet)
		return;
	if (m->log[0])
		rt_say("warning: %s (the program's PTX for compute_%u%s is "
		       "used instead)",
		       m->log, p->sm, variant);
	if (p->newer && !said_newer) {
		rt_say("warning: the program has no PTX for sm_%u or lower; "
		       "its PTX for compute_%u%s is used",
		       d->sm, p->sm, variant);
		said_newer = true;
	}
}

/* The compiler may use the refused instruction for newer GPUs only. */
static void write_advice(char *to, size_t room, const struct rt_device *d,
			 const struct fatbin_pick *p)
{
	*to = '\0';
	if (p->kind == FATBIN_ELF)
		snprintf(to, room, "%s",
			 rt.settings.isa == ISA_SASS ?
				 " (PTX may do without it: --isa ptx)" :
				 "");
	else if (p->newer)
		snprintf(to, room,
			 " (the program has no PTX for sm_%u or lower, and "
			 "this is its PTX for compute_%u)",
			 d->sm, p->sm);
	else if (p->sm > OLDER_SM)
		snprintf(to, room,
			 " (PTX for an older GPU may do without it: nvcc "
			 "-gencode arch=compute_%d,code=compute_%d)",
			 OLDER_SM, OLDER_SM);
}

static int module_load_text(struct rt_module *m, struct rt_device *d,
			    const char *name, const char *text, size_t size)
{
	struct heddle_error err;
	int status = heddle_module_load(d->sim, &m->on[d->number].mod, name,
					text, size, &err);

	if (status)
		m->on[d->number].mod = NULL;
	/* Report the first refusal: it is about the best PTX. */
	if (status && !m->log[0])
		snprintf(m->log, sizeof(m->log), "%s%s", err.text,
			 strstr(text, "LaunchDevice") ?
				 " (kernels that launch kernels need the "
				 "vendor\'s device runtime, which is not "
				 "simulated)" :
				 "");
	return status;
}

/* Counts the kernels that cannot be launched; *why: the reason of the first. */
static size_t count_refused(const struct heddle_module *mod, const char **why)
{
	size_t n = 0;

	for (size_t i = 0; i < heddle_module_kernel_count(mod); i++) {
		const struct heddle_kernel *k = heddle_module_kernel(mod, i);

		if (k->refused && !n++)
			*why = k->refused;
	}
	return n;
}

/* The loaded PTX with the fewest refused kernels. */
struct best_load {
	struct heddle_module *mod;
	struct fatbin_pick pick;
	size_t refused;
};

/* Keeps the PTX that was just loaded if it is better. */
static void best_load_update(struct rt_module *m, struct rt_device *d,
			     const struct fatbin_pick *pick,
			     struct best_load *b)
{
	struct device_module *l = &m->on[d->number];
	const char *why = "";
	size_t n = count_refused(l->mod, &why);

	if (n && !m->log[0])
		snprintf(m->log, sizeof(m->log), "%s", why);
	if (b->mod && n >= b->refused) {
		heddle_module_free(d->sim, l->mod);
	} else {
		if (b->mod)
			heddle_module_free(d->sim, b->mod);
		*b = (struct best_load){ l->mod, *pick, n };
	}
	l->mod = NULL;
}

/* The search for an image that can be loaded. */
struct image_search {
	struct rt_module *m;
	struct rt_device *d;
	bool tried; /* an image was loaded, or refused */
	struct fatbin_pick first;
	struct best_load best;
	int status; /* of the last one */
};

/* Tries an image. True: the search is over. */
static bool search_try(struct image_search *s, const struct fatbin_pick *pick,
		       const char *name, const char *bytes, size_t size)
{
	if (!s->tried)
		s->first = *pick;
	s->tried = true;
	s->status = module_load_text(s->m, s->d, name, bytes, size);
	if (s->status)
		return s->status != HEDDLE_UNSUPP;
	best_load_update(s->m, s->d, pick, &s->best);
	return !s->best.refused;
}

/* Tries the machine code, if there is any for the GPU. */
static int search_machine(struct image_search *s, bool *over)
{
	struct fatbin_pick pick = { 0 };
	struct diag why = { 0 };
	char name[128];
	void *data;
	size_t size;
	enum err e = module_find_machine(s->m, s->d, &pick, &data, &size, name,
					 &why);

	if (e == ERR_UNSUPP)
		return cudaSuccess;
	if (e) {
		snprintf(s->m->log, sizeof(s->m->log), "%s", why.text);
		*over = true;
		return image_error(e);
	}
	/* Some machine code is not simulated. */
	if (rt.settings.isa == ISA_SASS || heddle_isa_of(data, size))
		*over = search_try(s, &pick, name, data, size);
	free(data);
	return cudaSuccess;
}

/* Tries the PTX from best to worst until one loads with no kernel refused. */
static int search_ptx(struct image_search *s)
{
	struct fatbin_pick pick = { 0 };
	char name[128], *text;
	bool over = false;
	size_t size;
	int e = cudaSuccess;

	while (!over) {
		text = NULL;
		e = module_find_ptx(s->m, s->d, &pick, &text, &size, name);
		if (e)
			break;
		over = search_try(s, &pick, name, text, size);
		free(text);
	}
	return e;
}

static int compiler_error(enum err e)
{
	return e == ERR_NOMEM   ? cudaErrorMemoryAllocation :
	       e == ERR_UNKNOWN ? cudaErrorJitCompilerNotFound :
				  cudaErrorInvalidPtx;
}

/* Compiles the best PTX to machine code and tries that. */
static int search_compiled(struct image_search *s)
{
	struct fatbin_pick pick = { 0 };
	struct ptxas_source source = { .sm = s->d->sm };
	struct diag why = { 0 };
	char name[128], *text = NULL;
	void *cubin;
	size_t size;
	enum err c;
	int e = module_find_ptx(s->m, s->d, &pick, &text, &size, name);

	if (e)
		return e;
	source.name = name;
	source.text = text;
	source.size = size;
	source.variant = pick.sm == s->d->sm ? pick.variant : 0;
	c = ptxas_compile(&source, &cubin, &size, &why);
	free(text);
	if (c) {
		snprintf(s->m->log, sizeof(s->m->log), "%s", why.text);
		return compiler_error(c);
	}
	pick.kind = FATBIN_ELF;
	pick.newer = false;
	search_try(s, &pick, name, cubin, size);
	free(cubin);
	return cudaSuccess;
}

static int search_images(struct image_search *s)
{
	bool over = false;
	int e = cudaSuccess;

	if (rt.settings.isa != ISA_PTX)
		e = search_machine(s, &over);
	if (over)
		return e;
	if (rt.settings.isa != ISA_SASS)
		return search_ptx(s);
	return s->tried ? cudaSuccess : search_compiled(s);
}

static int module_load_plain(struct rt_module *m, struct rt_device *d)
{
	int status =
		module_load_text(m, d, m->plain_name, m->image, m->plain_size);

	return status ? load_error(status, FATBIN_ELF) : cudaSuccess;
}

/* Of several images that load, the one with the fewest refused kernels is
 * kept. */
int module_load_image(struct rt_module *m, struct rt_device *d)
{
	struct image_search s = { .m = m, .d = d };
	struct device_module *l = &m->on[d->number];
	int e;

	m->log[0] = '\0';
	if (m->plain_size)
		return module_load_plain(m, d);
	e = search_images(&s);
	l->mod = s.best.mod;
	if (l->mod) {
		if (s.best.pick.kind == s.first.kind &&
		    s.best.pick.rank == s.first.rank)
			m->log[0] = '\0';
		warn_choice(m, d, &s.best.pick);
		m->log[0] = '\0';
		write_advice(l->advice, sizeof(l->advice), d, &s.best.pick);
		return cudaSuccess;
	}
	if (s.status == HEDDLE_UNSUPP)
		write_advice(m->log + strlen(m->log),
			     sizeof(m->log) - strlen(m->log), d, &s.first);
	return s.status ? load_error(s.status, s.first.kind) : e;
}
