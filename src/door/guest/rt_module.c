/* Devices, modules, kernels and their launches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/device.h"
#include "apu/apu.h"
#include "door/guest/rt_state.h"
#include "door/opencl/state.h"

/*
 * The device
 */

int rt_enter(const char *name, enum rt_entry kind)
{
	(void)name, (void)kind;
	return gcl.sim ? cudaSuccess : cudaErrorNoDevice;
}

int rt_leave_quietly(int e)
{
	return e;
}

void rt_unlocked(void (*fn)(void *), void *data)
{
	fn(data);
}

int rt_device_count(void)
{
	return 1;
}

int rt_device(void)
{
	return 0;
}

int rt_device_set(int device)
{
	return device ? cudaErrorInvalidDevice : cudaSuccess;
}

int rt_device_info(struct rt_device_info *out, int device)
{
	const struct cfg *c = rt_device_cfg(device);

	*out = (struct rt_device_info){ .memory = (uint64_t)c->dram.bytes };
	snprintf(out->name, sizeof(out->name), "%s", c->gpu.name);
	return cudaSuccess;
}

const struct cfg *rt_device_cfg(int device)
{
	(void)device;
	return gcl.apu ? apu_cfg(gcl.apu) : &gcl.config->sheet.cfg;
}

/* Results name lines of these sources, without their text. */
void rt_source_add(const char *name, const char *text)
{
	(void)name, (void)text;
}

int rt_device_fault(int device)
{
	(void)device;
	return gpu.fault;
}

/*
 * Modules
 */

int rt_module_new_plain(struct rt_module **out, const void *image, size_t size,
			const char *name)
{
	struct rt_module *m = calloc(1, sizeof(*m));

	if (m)
		m->bytes = malloc(size + 1);
	if (!m || !m->bytes) {
		free(m);
		return cudaErrorMemoryAllocation;
	}
	memcpy(m->bytes, image, size);
	m->bytes[size] = '\0';
	m->size = size;
	snprintf(m->name, sizeof(m->name), "%s", name);
	*out = m;
	return cudaSuccess;
}

static void module_drop(void *p)
{
	struct rt_module *m = p;

	while (m->funcs) {
		struct rt_func *next = m->funcs->next;

		free(m->funcs);
		m->funcs = next;
	}
	if (m->sim)
		heddle_module_free(gcl.sim, m->sim);
	free(m->bytes);
	free(m);
}

int rt_module_free(struct rt_module *m)
{
	free_when_idle(module_drop, m);
	return cudaSuccess;
}

int rt_module_load(struct rt_module *m)
{
	struct heddle_error e;

	if (m->sim)
		return cudaSuccess;
	if (!heddle_module_load(gcl.sim, &m->sim, m->name, m->bytes, m->size,
				&e))
		return cudaSuccess;
	snprintf(m->log, sizeof(m->log), "%.255s", e.text);
	return cudaErrorInvalidKernelImage;
}

const char *rt_module_log(struct rt_module *m)
{
	return m->log;
}

int rt_module_global(void **at, size_t *size, struct rt_module *m,
		     const char *name)
{
	uint64_t address, bytes;

	if (heddle_module_global(gcl.sim, m->sim, name, &address, &bytes, NULL))
		return cudaErrorSymbolNotFound;
	*at = (void *)(uintptr_t)address;
	*size = bytes;
	return cudaSuccess;
}

const struct heddle_kernel *rt_module_kernel(struct rt_module *m, size_t i)
{
	return rt_module_load(m) ? NULL : heddle_module_kernel(m->sim, i);
}

static const struct heddle_kernel *kernel_find(const struct rt_module *m,
					       const char *name)
{
	const struct heddle_kernel *k;

	for (size_t i = 0; (k = heddle_module_kernel(m->sim, i)); i++)
		if (!strcmp(k->name, name))
			return k;
	return NULL;
}

int rt_module_func(struct rt_func **out, struct rt_module *m, const char *name)
{
	const struct heddle_kernel *k = kernel_find(m, name);
	struct rt_func *f = m->funcs;

	while (f && f->kernel != k)
		f = f->next;
	if (!k)
		return cudaErrorSymbolNotFound;
	if (!f)
		f = calloc(1, sizeof(*f));
	if (!f)
		return cudaErrorMemoryAllocation;
	if (!f->kernel) {
		*f = (struct rt_func){ m->funcs, m, k };
		m->funcs = f;
	}
	*out = f;
	return cudaSuccess;
}

/*
 * Kernels
 */

/* Registers limit a kernel that states no limit. */
static int max_threads(const struct heddle_kernel *k)
{
	const struct cfg *c = rt_device_cfg(0);
	int64_t most = c->sm.block_threads, held;

	if (k->max_threads)
		return (int)k->max_threads;
	if (!k->registers_estimate)
		return (int)most;
	held = c->sm.registers / k->registers_estimate / c->sm.warp_size *
	       c->sm.warp_size;
	return (int)(held < most ? held : most);
}

int rt_func_info(struct rt_func_info *out, struct rt_func *f)
{
	const struct heddle_kernel *k = f->kernel;

	*out = (struct rt_func_info){ .name = k->name,
				      .shared_bytes = k->shared_bytes,
				      .const_bytes = k->const_bytes,
				      .local_bytes = k->local_bytes,
				      .max_threads = max_threads(k),
				      .registers = (int)k->registers_estimate,
				      .param_count = k->param_count,
				      .param_bytes = k->param_bytes };
	return cudaSuccess;
}

int rt_func_param(size_t *offset, size_t *size, struct rt_func *f, size_t i)
{
	if (i >= f->kernel->param_count)
		return cudaErrorInvalidValue;
	*offset = f->kernel->params[i].offset;
	*size = f->kernel->params[i].size;
	return cudaSuccess;
}

void kernel_run(const struct work *w)
{
	struct heddle_result result;
	struct heddle_error e;

	if (gpu.fault || !heddle_launch(gcl.sim, w->kernel.module,
					&w->kernel.launch, &result, &e))
		return;
	gpu.fault = cudaErrorLaunchFailure;
	cl_say("error: %s", e.text);
}

/* What CUDA's kernels print. */
static void print_text(void *ctx, const char *text, size_t size)
{
	(void)ctx;
	fwrite(text, 1, size, stdout);
	fflush(stdout);
}

int rt_launch(const struct rt_launch *l, struct rt_stream *s)
{
	struct work w = {
		.kind = WORK_LAUNCH,
		.kernel = { .module = l->func->module->sim,
			    .params = malloc(l->block_bytes + 1) },
	};

	if (!w.kernel.params)
		return cudaErrorMemoryAllocation;
	if (l->block_bytes)
		memcpy(w.kernel.params, l->block_of_args, l->block_bytes);
	w.kernel.launch = (struct heddle_launch){
		.kernel = l->func->kernel->name,
		.grid = { l->grid[0], l->grid[1], l->grid[2] },
		.block = { l->block[0], l->block[1], l->block[2] },
		.shared_bytes = l->shared_bytes,
		.params = w.kernel.params,
		.param_bytes = l->block_bytes,
		.functional = 1,
		.global_offset = { l->offset[0], l->offset[1], l->offset[2] },
		.work_dim = l->dims,
		.print = print_text,
	};
	return stream_add(s, &w) ? cudaSuccess : cudaErrorMemoryAllocation;
}

/*
 * Opening and closing
 */

enum err gcl_set_gpu(const char *name, const char *const *set, size_t count,
		     struct diag *d)
{
	struct heddle_error e;
	int code = heddle_config_load(&gcl.config, name ? name : "hd7970", &e);

	for (size_t i = 0; !code && i < count; i++)
		code = heddle_config_set(gcl.config, set[i], &e);
	return code ? fail(d, (enum err)e.code, "--gpu: %s", e.text) : ERR_OK;
}

/*
 * One address space has shared memory; caches that keep themselves coherent make
 * it fine. Only kernels that run while the program does can exchange atomics with
 * it. Multiprocessors have windows among the addresses of the program's memory.
 */
static cl_device_svm_capabilities svm_capabilities(void)
{
	cl_device_svm_capabilities can = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;

	if (gcl.distance)
		return 0;
	if (gcl.system && !gcl.coherent)
		return can;
	can |= CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
	if (gcl.shares)
		can |= CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
	return gcl.system ? can | CL_DEVICE_SVM_ATOMICS : can;
}

enum err gcl_open(struct diag *d)
{
	/* One thread: groups run in order, so that what depends on it is the
	 * same in every run. */
	const struct heddle_device_options o = { .config = gcl.config,
						 .threads = 1 };
	struct heddle_error e;

	if (gcl.sim)
		return ERR_OK;
	if (gcl.refused[0])
		return fail(d, ERR_UNSUPP, "%s", gcl.refused);
	cl.later = stream_later;
	cl.mapper = (struct cl_mapper){ map_take, map_drop, map_shared,
					map_direct, map_host };
	gcl.shares = !gcl.distance &&
		     gcl.config->sheet.cfg.gpu.core == CFG_CORE_CU;
	cl.svm = svm_capabilities();
	cl.unified = gcl.distance ? CL_FALSE : CL_TRUE;
	if (heddle_device_new(&gcl.sim, &o, &e))
		return fail(d, (enum err)e.code, "%s", e.text);
	memory_share();
	return ERR_OK;
}

void gcl_close(void)
{
	timed_close();
	streams_free();
	gcl_handles_free();
	memory_free_all();
	heddle_device_free(gcl.sim);
	heddle_config_free(gcl.config);
	gcl = (struct gcl_state){ 0 };
}
