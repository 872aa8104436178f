#include "api/device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/team.h"
#include "simt/crew.h"
#include "simt/heap.h"

/* The two enumerations have the same values. */
_Static_assert((int)HEDDLE_MISMATCH == (int)ERR_MISMATCH, "statuses");
_Static_assert((int)HEDDLE_FAULT == (int)ERR_FAULT, "statuses");
_Static_assert((int)HEDDLE_UNKNOWN == (int)ERR_UNKNOWN, "statuses");

int api_result(enum err e, const struct diag *d, struct heddle_error *err)
{
	if (err) {
		err->code = (enum heddle_status)e;
		err->text[0] = 0;
		if (e)
			snprintf(err->text, sizeof(err->text), "%s", d->text);
	}
	return (int)e;
}

static uint64_t or_default(uint64_t v, uint64_t otherwise)
{
	return v ? v : otherwise;
}

/* Completes the options from the configuration. */
static struct heddle_device_options
apply_config(const struct heddle_device_options *given)
{
	struct heddle_device_options o = *given;
	const struct cfg *c;

	if (!o.config)
		return o;
	c = &o.config->sheet.cfg;
	if (!o.sm_major) {
		o.sm_major = (unsigned)(c->gpu.capability / 10);
		o.sm_minor = (unsigned)(c->gpu.capability % 10);
	}
	o.sm_count = (unsigned)c->sm.count;
	o.memory = or_default(o.memory, (uint64_t)c->dram.bytes);
	return o;
}

/* For timed launches: one thread unless an engine or threads are asked for. */
static enum err device_choose_engine(struct heddle_device *dev,
				     const struct heddle_device_options *o,
				     struct diag *d)
{
	const char *name = o->threads > 1 ? "exact" : "serial";
	struct engine_plan *p = &dev->plan;

	*p = (struct engine_plan){ .window = o->window,
				   .threads = dev->machine.threads,
				   .pin = o->pin != 0 };
	if (engine_find(&p->engine, o->engine ? o->engine : name, d))
		return d->code;
	if (p->engine.cycles && o->window && o->window != p->engine.cycles)
		return fail(d, ERR_RANGE,
			    "windows of %" PRIu64 " cycles: the engine %s "
			    "has windows of %" PRIu64,
			    o->window, p->engine.name, p->engine.cycles);
	return ERR_OK;
}

static enum err device_make_gpu(struct heddle_device *dev,
				const struct heddle_device_options *o,
				struct diag *d)
{
	enum err e;

	if (!o->config && o->engine)
		return fail(d, ERR_RANGE,
			    "the engine %.40s needs a GPU with a configuration",
			    o->engine);
	if (!o->config && o->pin)
		return fail(d, ERR_RANGE,
			    "pinned threads need a GPU with a configuration");
	if (!o->config)
		return ERR_OK;
	dev->timeline = o->timeline != 0;
	e = device_choose_engine(dev, o, d);
	if (e)
		return e;
	e = gpu_new(&dev->gpu, &o->config->sheet.cfg, dev->timeline, d);
	if (e)
		return e;
	dev->config = heddle_config_dump(o->config);
	return dev->config ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

static enum err configure_machine(struct heddle_device *dev,
				  const struct heddle_device_options *o,
				  struct diag *d)
{
	struct machine *m = &dev->machine;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned major = o->sm_major ? o->sm_major : 9;

	m->threads = (uint32_t)or_default(o->threads,
					  cores > 0 ? (uint64_t)cores : 1);
	m->sm = major * 10 + (o->sm_major ? o->sm_minor : 0);
	m->sm_count = (uint32_t)or_default(o->sm_count, 132);
	m->local_bytes = (or_default(o->local_bytes, 1 << 16) + 15) & ~15ull;
	m->max_steps = or_default(o->max_warp_instructions, 4000000000ull);
	m->independent = o->divergence == HEDDLE_DIVERGE_INDEPENDENT ||
			 (o->divergence == HEDDLE_DIVERGE_AUTO && m->sm >= 70);
	if (m->threads > 4096)
		return fail(d, ERR_RANGE, "%u host threads: at most 4096",
			    m->threads);
	if (m->local_bytes > WINDOW_BYTES)
		return fail(d, ERR_RANGE,
			    "%llu bytes of local memory: at most %u",
			    (unsigned long long)m->local_bytes, WINDOW_BYTES);
	return ERR_OK;
}

/* Chooses where the device's addresses start. */
static enum err choose_base(uint64_t *base,
			    const struct heddle_device_options *o,
			    struct diag *d)
{
	if (o->number >= GMEM_DEVICES)
		return fail(d, ERR_RANGE, "device number %u: at most %d",
			    o->number, GMEM_DEVICES - 1);
	if (o->number && o->address32)
		return fail(d, ERR_RANGE,
			    "device number %u: 32-bit addresses are too few "
			    "for several devices",
			    o->number);
	*base = o->address32 ? GMEM_BASE_32 :
			       GMEM_BASE_64 + o->number * GMEM_SPAN_64;
	return ERR_OK;
}

static enum err device_make_heap(struct heddle_device *dev, uint64_t size,
				 uint64_t room, struct diag *d)
{
	uint64_t at;
	enum err e = gmem_alloc(&dev->gmem, size, &at, d);

	if (e)
		return e;
	gmem_keep(&dev->gmem, at);
	if (room > size)
		gmem_skip(&dev->gmem, room);
	dev->machine.heap = heap_new(at, size);
	return dev->machine.heap ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

int heddle_device_new(struct heddle_device **out,
		      const struct heddle_device_options *options,
		      struct heddle_error *err)
{
	static const struct heddle_device_options defaults;
	const struct heddle_device_options all =
		apply_config(options ? options : &defaults);
	const struct heddle_device_options *o = &all;
	struct heddle_device *dev = calloc(1, sizeof(*dev));
	uint64_t base = 0;
	struct diag d;
	enum err e;

	if (!dev)
		return api_result(fail(&d, ERR_NOMEM, "out of memory"), &d,
				  err);
	e = choose_base(&base, o, &d);
	gmem_init(&dev->gmem, base, or_default(o->memory, 64ull << 30));
	if (!e && o->memory_mode == HEDDLE_MEMORY_HARDWARE)
		gmem_page(&dev->gmem, o->heap_room);
	tex_table_init(&dev->textures);
	dev->machine.gmem = &dev->gmem;
	dev->machine.textures = &dev->textures;
	if (!e)
		e = configure_machine(dev, o, &d);
	if (!e)
		e = device_make_heap(dev, or_default(o->heap_bytes, 8 << 20),
				     o->heap_room, &d);
	if (!e)
		e = device_make_gpu(dev, o, &d);
	if (e) {
		heddle_device_free(dev);
		return api_result(e, &d, err);
	}
	*out = dev;
	return api_result(ERR_OK, &d, err);
}

void heddle_device_free(struct heddle_device *dev)
{
	if (!dev)
		return;
	(void)heddle_trace_end(dev, NULL);
	timing_clear(&dev->timing);
	gpu_free(dev->gpu);
	team_free(dev->team);
	free(dev->config);
	crew_free(dev->machine.crew);
	heap_free(dev->machine.heap);
	tex_table_free(&dev->textures);
	gmem_free_all(&dev->gmem);
	warn_clear(dev);
	free(dev);
}

void heddle_stop(struct heddle_device *dev)
{
	atomic_store_explicit(&dev->machine.stop, true, memory_order_relaxed);
}
