/* Modules: their images, kernels and variables, and what a program registers
 * before main. */
#include "door/rt/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/rt/fatbin.h"

static struct rt_module *module_find(struct rt_module *m)
{
	return handle_is(&rt.handles, m, HANDLE_MODULE) ? m : NULL;
}

struct rt_func *func_find(struct rt_func *f)
{
	return handle_is(&rt.handles, f, HANDLE_FUNC) ? f : NULL;
}

/* Copies an image that states its own size. */
static int copy_image(struct rt_module *m, const void *image)
{
	struct fatbin f;
	struct diag d;

	if (fatbin_open(&f, image, FATBIN_SIZE_UNKNOWN, &d)) {
		snprintf(m->log, sizeof(m->log), "%s", d.text);
		return cudaErrorInvalidKernelImage;
	}
	/* The data of a wrapper lives as long as the program. */
	if (f.size == FATBIN_SIZE_UNKNOWN || f.prelinked)
		return cudaSuccess;
	m->copy = malloc(f.size + 1);
	if (!m->copy)
		return cudaErrorMemoryAllocation;
	memcpy(m->copy, f.data, f.size);
	((char *)m->copy)[f.size] = '\0';
	m->image = m->copy;
	return cudaSuccess;
}

static struct rt_module *module_make(const void *image)
{
	struct rt_module *m = calloc(1, sizeof(*m));

	if (!m || !handle_add(&rt.handles, m, HANDLE_MODULE)) {
		free(m);
		return NULL;
	}
	m->image = image;
	return m;
}

int rt_module_new(struct rt_module **out, const void *image, bool copy)
{
	struct rt_module *m;
	int e;

	if (!out || !image)
		return cudaErrorInvalidValue;
	m = module_make(image);
	if (!m)
		return cudaErrorMemoryAllocation;
	e = copy ? copy_image(m, image) : cudaSuccess;
	if (e) {
		rt_say("error: %s", m->log);
		rt_module_free(m);
		return e;
	}
	*out = m;
	return cudaSuccess;
}

int rt_module_new_plain(struct rt_module **out, const void *image, size_t size,
			const char *name)
{
	struct rt_module *m;

	if (!out || !image || !size)
		return cudaErrorInvalidValue;
	m = module_make(image);
	if (!m)
		return cudaErrorMemoryAllocation;
	m->copy = malloc(size + 1);
	if (!m->copy) {
		rt_module_free(m);
		return cudaErrorMemoryAllocation;
	}
	memcpy(m->copy, image, size);
	((char *)m->copy)[size] = '\0';
	m->image = m->copy;
	m->plain_size = size;
	snprintf(m->plain_name, sizeof(m->plain_name), "%s", name);
	*out = m;
	return cudaSuccess;
}

static void module_unload(struct rt_module *m, int device)
{
	struct device_module *l = &m->on[device];

	for (size_t i = 0; l->mod && i < m->var_count; i++)
		if (m->vars[i]->slot)
			memory_drop_variable(
				(uint64_t)(uintptr_t)*m->vars[i]->slot);
	if (l->mod)
		heddle_module_free(rt.devices[device].sim, l->mod);
	*l = (struct device_module){ 0 };
	for (size_t i = 0; i < m->func_count; i++)
		m->funcs[i]->on[device] = (struct device_func){ 0 };
}

static void func_free(struct rt_func *f)
{
	handle_remove(&rt.handles, f);
	if (f->host && symbol_value(&rt.symbols, f->host, SYMBOL_FUNC) == f)
		handle_remove(&rt.symbols, f->host);
	free(f->name);
	free(f);
}

/* Removes the symbol, unless another variable has it by now. */
static void symbol_drop(const void *symbol, const struct module_var *v)
{
	if (symbol_value(&rt.symbols, symbol, SYMBOL_VAR) == v ||
	    symbol_value(&rt.symbols, symbol, SYMBOL_TEXTURE) == v)
		handle_remove(&rt.symbols, symbol);
}

static void module_var_free(struct module_var *v)
{
	symbol_drop(v->host, v);
	symbol_drop(v->address, v);
	free(v->name);
	free(v);
}

int rt_module_free(struct rt_module *m)
{
	if (!module_find(m))
		return cudaErrorInvalidResourceHandle;
	rt_flush();
	for (int i = 0; i < rt.device_count; i++)
		module_unload(m, i);
	for (size_t i = 0; i < m->func_count; i++)
		func_free(m->funcs[i]);
	for (size_t i = 0; i < m->var_count; i++)
		module_var_free(m->vars[i]);
	handle_remove(&rt.handles, m);
	free(m->funcs);
	free(m->vars);
	free(m->copy);
	free(m);
	return cudaSuccess;
}

/* Sets the program's pointer to a managed variable. The variable's name means
 * its address in host code, so that is what the program passes as a symbol. */
static int set_managed_address(struct module_var *v, void *at)
{
	if (!symbol_add(&rt.symbols, at, SYMBOL_VAR, v))
		return cudaErrorMemoryAllocation;
	if (v->address != at)
		symbol_drop(v->address, v);
	v->address = at;
	*v->slot = at;
	return cudaSuccess;
}

/* Gives the host the address of a managed variable, whose memory both share. */
static int publish_managed_var(struct module_var *v, struct rt_module *m,
			       const struct rt_device *d)
{
	uint64_t at, size;
	int e;

	if (heddle_module_global(d->sim, m->on[d->number].mod, v->name, &at,
				 &size, NULL))
		return cudaSuccess;
	for (int k = 0; k < rt.device_count; k++)
		if (k != d->number && m->on[k].mod) {
			rt_say("error: the managed variable %s is in use on "
			       "device %d already",
			       v->name, k);
			return cudaErrorNotSupported;
		}
	e = memory_add_variable(at, size, d->number);
	return e ? e : set_managed_address(v, (void *)(uintptr_t)at);
}

/* Sets the program's pointers to its managed variables. Only one device can
 * hold them. */
static int publish_managed(struct rt_module *m, const struct rt_device *d)
{
	int e = cudaSuccess;

	for (size_t i = 0; !e && i < m->var_count; i++)
		if (m->vars[i]->slot)
			e = publish_managed_var(m->vars[i], m, d);
	return e;
}

int module_load(struct rt_module *m, struct rt_device *d)
{
	struct device_module *l = &m->on[d->number];
	int e;

	if (l->tried)
		return l->error;
	e = device_open(d);
	if (e)
		return e;
	rt_flush();
	l->tried = true;
	l->error = module_load_image(m, d);
	if (l->error)
		rt_say("error: %s", m->log);
	else
		l->error = publish_managed(m, d);
	return l->error;
}

int rt_module_load(struct rt_module *m)
{
	return module_find(m) ?
		       module_load(m, &rt.devices[rt_thread()->device]) :
		       cudaErrorInvalidResourceHandle;
}

const char *rt_module_log(struct rt_module *m)
{
	return module_find(m) ? m->log : "";
}

/* Appends to a list of pointers. */
static bool pointer_list_add(void ***list, size_t *count, void *p)
{
	void **more = *list;

	/* Grow at powers of two. */
	if (!(*count & (*count - 1))) {
		more = realloc(*list, (*count ? *count * 2 : 1) * sizeof(p));
		if (!more)
			return false;
		*list = more;
	}
	more[(*count)++] = p;
	return true;
}

static struct rt_func *module_add_func(struct rt_module *m, const void *host,
				       const char *name)
{
	struct rt_func *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->module = m;
	f->name = strdup(name);
	f->host = host;
	f->carveout = cudaSharedmemCarveoutDefault;
	if (!f->name || !handle_add(&rt.handles, f, HANDLE_FUNC) ||
	    !pointer_list_add((void ***)&m->funcs, &m->func_count, f)) {
		func_free(f);
		return NULL;
	}
	return f;
}

static struct rt_func *func_named(struct rt_module *m, const char *name)
{
	for (size_t i = 0; i < m->func_count; i++)
		if (!strcmp(m->funcs[i]->name, name))
			return m->funcs[i];
	return NULL;
}

static const struct heddle_kernel *kernel_named(const struct heddle_module *mod,
						const char *name)
{
	size_t n = heddle_module_kernel_count(mod);

	for (size_t i = 0; i < n; i++) {
		const struct heddle_kernel *k = heddle_module_kernel(mod, i);

		if (!strcmp(k->name, name))
			return k;
	}
	return NULL;
}

int func_load(struct rt_func *f, struct rt_device *d, struct device_func **out)
{
	struct device_func *x = &f->on[d->number];
	int e;

	*out = x;
	if (x->kernel)
		return cudaSuccess;
	e = module_load(f->module, d);
	if (e)
		return e;
	x->kernel = kernel_named(f->module->on[d->number].mod, f->name);
	if (!x->kernel)
		return cudaErrorInvalidDeviceFunction;
	x->max_dynamic = -1;
	return cudaSuccess;
}

int rt_module_func(struct rt_func **out, struct rt_module *m, const char *name)
{
	struct rt_device *d = &rt.devices[rt_thread()->device];
	int e;

	if (!module_find(m))
		return cudaErrorInvalidResourceHandle;
	if (!out || !name)
		return cudaErrorInvalidValue;
	e = module_load(m, d);
	if (e)
		return e;
	if (!kernel_named(m->on[d->number].mod, name))
		return cudaErrorSymbolNotFound;
	*out = func_named(m, name);
	if (!*out)
		*out = module_add_func(m, NULL, name);
	return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

int rt_module_func_count(size_t *out, struct rt_module *m)
{
	int e = rt_module_load(m);

	if (!e)
		*out = heddle_module_kernel_count(
			m->on[rt_thread()->device].mod);
	return e;
}

const struct heddle_kernel *rt_module_kernel(struct rt_module *m, size_t i)
{
	return rt_module_load(m) ?
		       NULL :
		       heddle_module_kernel(m->on[rt_thread()->device].mod, i);
}

int rt_module_func_at(struct rt_func **out, struct rt_module *m, size_t i)
{
	size_t n;
	int e = rt_module_func_count(&n, m);

	if (e)
		return e;
	if (i >= n)
		return cudaErrorInvalidValue;
	return rt_module_func(
		out, m,
		heddle_module_kernel(m->on[rt_thread()->device].mod, i)->name);
}

int rt_module_global(void **at, size_t *size, struct rt_module *m,
		     const char *name)
{
	struct rt_device *d = &rt.devices[rt_thread()->device];
	uint64_t address, bytes;
	int e = rt_module_load(m);

	if (e)
		return e;
	if (heddle_module_global(d->sim, m->on[d->number].mod, name, &address,
				 &bytes, NULL))
		return cudaErrorSymbolNotFound;
	if (at)
		*at = (void *)(uintptr_t)address;
	if (size)
		*size = bytes;
	return cudaSuccess;
}

int rt_module_bind(struct rt_module *m, const char *name, uint64_t handle)
{
	struct rt_device *d = &rt.devices[rt_thread()->device];
	int e = rt_module_load(m);

	if (e)
		return e;
	rt_flush();
	return heddle_module_bind(d->sim, m->on[d->number].mod, name, handle,
				  NULL) ?
		       cudaErrorInvalidTexture :
		       cudaSuccess;
}

static bool module_tried(const void *p, int device)
{
	return ((const struct rt_module *)p)->on[device].tried;
}

void modules_reset(int device)
{
	struct rt_module *m;

	while ((m = handle_any(&rt.handles, HANDLE_MODULE, module_tried,
			       device)))
		module_unload(m, device);
}

/*
 * What a program registers
 */

struct rt_module *rt_register_image(const void *wrapper)
{
	return module_make(wrapper);
}

/* A forked child leaves its parent's devices alone. */
void rt_unregister_image(struct rt_module *m)
{
	if (module_find(m) && !rt.forked)
		rt_module_free(m);
}

void rt_register_func(struct rt_module *m, const void *host, const char *name)
{
	struct rt_func *f;

	if (!module_find(m) || !host || !name)
		return;
	f = module_add_func(m, host, name);
	if (f)
		symbol_add(&rt.symbols, host, SYMBOL_FUNC, f);
}

static struct module_var *module_add_var(struct rt_module *m, const void *host,
					 const char *name, size_t size,
					 enum handle_kind kind)
{
	struct module_var *v;

	if (!module_find(m) || !host || !name)
		return NULL;
	v = calloc(1, sizeof(*v));
	if (!v)
		return NULL;
	*v = (struct module_var){ m, host, strdup(name), size, NULL, NULL };
	if (!v->name || !symbol_add(&rt.symbols, host, kind, v) ||
	    !pointer_list_add((void ***)&m->vars, &m->var_count, v)) {
		module_var_free(v);
		return NULL;
	}
	return v;
}

void rt_register_var(struct rt_module *m, const void *host, const char *name,
		     size_t size)
{
	module_add_var(m, host, name, size, SYMBOL_VAR);
}

void rt_register_managed(struct rt_module *m, void **host, const char *name,
			 size_t size)
{
	struct module_var *v = module_add_var(m, host, name, size, SYMBOL_VAR);

	if (v)
		v->slot = host;
}

void rt_register_texture(struct rt_module *m, const void *host,
			 const char *name)
{
	module_add_var(m, host, name, 0, SYMBOL_TEXTURE);
}

int rt_func_of(struct rt_func **out, const void *host)
{
	struct rt_func *f = symbol_value(&rt.symbols, host, SYMBOL_FUNC);

	if (!host)
		return cudaErrorInvalidDeviceFunction;
	if (!f)
		f = func_find((struct rt_func *)(uintptr_t)host);
	*out = f;
	return f ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

int rt_symbol(void **at, size_t *size, const void *host)
{
	const struct module_var *v =
		symbol_value(&rt.symbols, host, SYMBOL_VAR);
	int e;

	if (!v)
		return cudaErrorInvalidSymbol;
	e = rt_module_global(at, size, v->module, v->name);
	return e == cudaErrorSymbolNotFound ? cudaErrorInvalidSymbol : e;
}

int rt_reference(struct rt_module **m, const char **name, const void *host)
{
	const struct module_var *v =
		symbol_value(&rt.symbols, host, SYMBOL_TEXTURE);

	if (!v)
		return cudaErrorInvalidTexture;
	*m = v->module;
	*name = v->name;
	return cudaSuccess;
}
