/* Records the launches and copies of a device in a trace. */
#include <stdlib.h>
#include <string.h>

#include "api/device.h"
#include "simt/wave.h"

int heddle_trace_begin(struct heddle_device *dev, const char *path,
		       const char *command, struct heddle_error *err)
{
	const struct trace_info info = {
		.producer = "heddle " HEDDLE_VERSION,
		.command = command ? command : "",
		.gpu = dev->gpu ? gpu_cfg(dev->gpu)->gpu.name : "",
		.sm = dev->machine.sm,
		.sm_count = dev->machine.sm_count,
		.independent = dev->machine.independent,
		.memory = dev->gmem.capacity,
		.local_bytes = dev->machine.local_bytes,
		.more = "",
	};
	struct diag d;
	enum err e;

	if (dev->trace)
		e = fail(&d, ERR_RANGE,
			 "%s: the device is already being recorded", path);
	else
		e = trace_create(&dev->trace, path, &info, &d);
	return api_result(e, &d, err);
}

/* From now on the module's instructions are executed without recording. */
static void stop_recording(struct heddle_module *m)
{
	program_restore(m->program);
	m->recording = false;
}

int heddle_trace_end(struct heddle_device *dev, struct heddle_error *err)
{
	struct diag d;
	enum err e = trace_finish(dev->trace, &d);

	if (dev->trace_failure.code) {
		d = dev->trace_failure;
		e = d.code;
	}
	dev->trace_failure.code = ERR_OK;
	for (struct heddle_module *m = dev->modules; m; m = m->next_traced)
		stop_recording(m);
	dev->modules = NULL;
	dev->trace = NULL;
	return api_result(e, &d, err);
}

int heddle_trace_is(const char *path)
{
	return trace_is_trace(path);
}

enum err record_keep_text(struct heddle_device *dev, struct heddle_module *m,
			  const char *text, size_t size, struct diag *d)
{
	/* Machine code cannot be printed and read again. */
	if (!dev->trace && !m->program->isa->native)
		return ERR_OK;
	m->text = malloc(size + 1);
	if (!m->text)
		return fail(d, ERR_NOMEM, "out of memory");
	memcpy(m->text, text, size);
	m->text_bytes = size;
	return ERR_OK;
}

void record_drop_module(struct heddle_device *dev, struct heddle_module *m)
{
	struct heddle_module **at = &dev->modules;

	if (!m->recording)
		return;
	while (*at != m)
		at = &(*at)->next_traced;
	*at = m->next_traced;
	stop_recording(m);
}

/* The text of a module that was loaded before the recording began is
 * printed. */
static enum err write_module_text(struct heddle_device *dev,
				  struct heddle_module *m, struct diag *d)
{
	const char *name = m->program->name;
	char *text;
	enum err e;

	if (m->text)
		return trace_put_module(dev->trace, name, m->text,
					m->text_bytes, &m->trace_number, d);
	text = heddle_module_print(m);
	if (!text)
		return fail(d, ERR_NOMEM, "out of memory");
	e = trace_put_module(dev->trace, name, text, strlen(text),
			     &m->trace_number, d);
	free(text);
	return e;
}

static enum err record_module(struct heddle_device *dev,
			      struct heddle_module *m, struct diag *d)
{
	enum err e;

	if (m->recording)
		return ERR_OK;
	e = program_record(m->program, d);
	if (!e)
		e = write_module_text(dev, m, d);
	if (e) {
		program_restore(m->program);
		return e;
	}
	m->recording = true;
	m->next_traced = dev->modules;
	dev->modules = m;
	return ERR_OK;
}

static enum err record_begin_launch(struct heddle_device *dev, struct job *j,
				    struct diag *d)
{
	const struct launch *run = &j->run;
	struct trace_launch l = {
		.module = j->mod->trace_number,
		.stream = j->stream,
		.group = dev->trace_groups,
		.kernel = j->launch->kernel,
		.dynamic_shared = run->dynamic_shared,
		.params = run->params,
		.param_bytes = run->param_bytes,
		.registers = j->launch->registers,
		.cooperative = j->launch->cooperative != 0,
		.id = run->id,
		.local_bytes = dev->machine.local_bytes,
	};
	uint32_t number;
	enum err e;

	if (run->program->isa->waves)
		l.code = wave_code_address(run);
	memcpy(l.grid, run->grid, sizeof(l.grid));
	memcpy(l.block, run->block, sizeof(l.block));
	e = trace_begin_launch(dev->trace, &l, &number, d);
	if (e)
		return e;
	recording_start(&j->recording, dev->trace, number, run->program);
	j->run.hooks = &j->recording.hooks;
	j->recorded = true;
	return ERR_OK;
}

/* Goes on without recording; heddle_trace_end says why. */
static void record_give_up(struct heddle_device *dev, struct job *jobs,
			   size_t n, const struct diag *why)
{
	struct diag ignored;

	if (!dev->trace_failure.code)
		dev->trace_failure = *why;
	for (size_t i = 0; i < n; i++) {
		if (jobs[i].recorded)
			(void)!recording_end(&jobs[i].recording, &ignored);
		jobs[i].recorded = false;
		jobs[i].run.hooks = jobs[i].replay;
	}
	for (struct heddle_module *m = dev->modules; m; m = m->next_traced)
		stop_recording(m);
	dev->modules = NULL;
}

void record_begin(struct heddle_device *dev, struct job *jobs, size_t n)
{
	enum err e = ERR_OK;
	struct diag d;

	if (!dev->trace || dev->trace_failure.code)
		return;
	for (size_t i = 0; !e && i < n; i++)
		e = record_module(dev, jobs[i].mod, &d);
	for (size_t i = 0; !e && i < n; i++)
		e = record_begin_launch(dev, &jobs[i], &d);
	dev->trace_groups++;
	if (e)
		record_give_up(dev, jobs, n, &d);
}

static enum err record_end_launch(struct heddle_device *dev, struct job *j,
				  const struct heddle_fault *f, struct diag *d)
{
	const struct trace_outcome o = {
		.depends = atomic_load(&j->recording.depends),
		.fault = (uint32_t)f->kind,
		.text = f->kind ? f->text : "",
	};
	enum err e = recording_end(&j->recording, d);

	return e ? e : trace_end_launch(dev->trace, j->recording.launch, &o, d);
}

void record_end(struct heddle_device *dev, struct job *jobs, size_t n,
		const struct heddle_result *results)
{
	struct diag first, other;
	enum err e = ERR_OK;

	for (size_t i = 0; i < n; i++) {
		if (jobs[i].recorded &&
		    record_end_launch(dev, &jobs[i], &results[i].fault,
				      e ? &other : &first))
			e = first.code;
		jobs[i].recorded = false;
	}
	if (e)
		record_give_up(dev, jobs, n, &first);
}

void record_copy(struct heddle_device *dev, const struct trace_copy *c)
{
	struct diag d;

	if (dev->trace && !dev->trace_failure.code && c->bytes &&
	    trace_put_copy(dev->trace, c, &d))
		record_give_up(dev, NULL, 0, &d);
}
