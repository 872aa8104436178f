#include "door/rt/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"

static const char *env_value(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static enum err env_number(const char *name, uint64_t max, uint64_t *out,
			   struct diag *d)
{
	const char *text = env_value(name);
	char *end;

	if (!text)
		return ERR_OK;
	errno = 0;
	*out = strtoull(text, &end, 10);
	if (errno || *end || text[0] == '-' || *out > max)
		return fail(d, ERR_RANGE,
			    "%s=%.100s: expected a number from 0 to %llu", name,
			    text, (unsigned long long)max);
	return ERR_OK;
}

static enum err env_file(const char *name, const char **out, struct diag *d)
{
	*out = env_value(name);
	return *out && !strcmp(*out, "-") ?
		       fail(d, ERR_SYNTAX,
			    "%s=-: standard output is the program's; expected "
			    "a file",
			    name) :
		       ERR_OK;
}

static enum err env_switch(const char *name, bool *out, struct diag *d)
{
	uint64_t v = *out;

	if (env_number(name, 1, &v, d))
		return fail(d, ERR_RANGE, "%s=%.100s: expected 0 or 1", name,
			    getenv(name));
	*out = v != 0;
	return ERR_OK;
}

static enum err read_memory(struct settings *s, struct diag *d)
{
	const char *mode = env_value("HEDDLE_MEMORY");

	s->strict = mode && !strcmp(mode, "strict");
	if (!mode || s->strict || !strcmp(mode, "hardware"))
		return ERR_OK;
	return fail(d, ERR_UNKNOWN,
		    "HEDDLE_MEMORY=%.100s: expected strict or hardware", mode);
}

static enum err read_isa(struct settings *s, struct diag *d)
{
	const char *text = env_value("HEDDLE_ISA");
	struct diag why;

	if (!text || !isa_choice_read(&s->isa, text, &why))
		return ERR_OK;
	return fail(d, why.code, "HEDDLE_ISA=%.100s: %s", text, why.text);
}

/* Calls add for every non-empty piece between separators. */
static enum err
split_list(const char *text, const char *separators, struct settings *s,
	   enum err (*add)(struct settings *, char *, struct diag *),
	   struct diag *d)
{
	while (*text) {
		size_t n = strcspn(text, separators);
		char *piece = n ? strndup(text, n) : NULL;

		if (n && !piece)
			return fail(d, ERR_NOMEM, "out of memory");
		if (piece && add(s, piece, d))
			return d->code;
		text += n + (text[n] != '\0');
	}
	return ERR_OK;
}

static enum err add_gpu(struct settings *s, char *name, struct diag *d)
{
	if (s->gpu_count == MAX_DEVICES) {
		free(name);
		return fail(d, ERR_RANGE,
			    "HEDDLE_GPU: names more than %d devices",
			    MAX_DEVICES);
	}
	s->gpus[s->gpu_count++] = name;
	return ERR_OK;
}

static enum err add_set(struct settings *s, char *text, struct diag *d)
{
	char **set = realloc(s->set, (s->set_count + 1) * sizeof(*set));

	if (!set) {
		free(text);
		return fail(d, ERR_NOMEM, "out of memory");
	}
	s->set = set;
	s->set[s->set_count++] = text;
	return ERR_OK;
}

static enum err read_gpus(struct settings *s, struct diag *d)
{
	const char *gpu = env_value("HEDDLE_GPU");
	uint64_t count = 0;

	if (split_list(gpu ? gpu : "h200", ",", s, add_gpu, d) ||
	    env_number("HEDDLE_DEVICES", MAX_DEVICES, &count, d))
		return d->code;
	if (!s->gpu_count)
		return fail(d, ERR_SYNTAX,
			    "HEDDLE_GPU=%.100s: expected the name of a GPU",
			    gpu);
	if (!count)
		return ERR_OK;
	if (s->gpu_count > 1 && (uint64_t)s->gpu_count != count)
		return fail(d, ERR_RANGE,
			    "HEDDLE_DEVICES=%d, but HEDDLE_GPU names %d",
			    (int)count, s->gpu_count);
	while ((uint64_t)s->gpu_count < count) {
		char *name = strdup(s->gpus[0]);

		if (!name)
			return fail(d, ERR_NOMEM, "out of memory");
		s->gpus[s->gpu_count++] = name;
	}
	return ERR_OK;
}

static enum err read_limits(struct settings *s, struct diag *d)
{
	const char *timeout = env_value("HEDDLE_TIMEOUT");
	uint64_t threads = 0;
	char *end;

	if (env_number("HEDDLE_THREADS", 4096, &threads, d) ||
	    env_number("HEDDLE_MAX_CYCLES", UINT64_MAX, &s->max_cycles, d) ||
	    env_number("HEDDLE_INTERVAL", UINT64_MAX, &s->interval, d) ||
	    env_number("HEDDLE_TIMELINE_LIMIT", UINT64_MAX, &s->timeline_limit,
		       d))
		return d->code;
	s->threads = (unsigned)threads;
	if (!timeout)
		return ERR_OK;
	s->timeout = strtod(timeout, &end);
	if (*end || !(s->timeout > 0) || s->timeout > 1e9)
		return fail(d, ERR_RANGE,
			    "HEDDLE_TIMEOUT=%.100s: expected seconds, more "
			    "than 0 and at most 1e9",
			    timeout);
	return ERR_OK;
}

enum err settings_read(struct settings *s, struct diag *d)
{
	const char *set = env_value("HEDDLE_SET");
	const char *engine = env_value("HEDDLE_ENGINE");
	struct engine found;
	struct diag why;
	bool hazards = false;

	*s = (struct settings){ .functional = !env_value("HEDDLE_GPU") };
	s->out = env_value("HEDDLE_OUT");
	s->sources = env_value("HEDDLE_SOURCE");
	s->kernels = env_value("HEDDLE_KERNELS");
	s->trace = env_value("HEDDLE_TRACE");
	if (env_file("HEDDLE_CSV", &s->csv, d) ||
	    env_file("HEDDLE_TIMELINE", &s->timeline, d))
		return d->code;
	if (read_gpus(s, d) || (set && split_list(set, ";", s, add_set, d)) ||
	    read_limits(s, d) || read_memory(s, d) || read_isa(s, d) ||
	    env_switch("HEDDLE_FUNCTIONAL", &s->functional, d) ||
	    env_switch("HEDDLE_PIN", &s->pin, d) ||
	    env_switch("HEDDLE_QUIET", &s->quiet, d) ||
	    env_switch("HEDDLE_COLD", &s->cold, d) ||
	    env_switch("HEDDLE_HAZARDS", &hazards, d) ||
	    (hazards && split_list("sm.hazards=yes", ";", s, add_set, d)) ||
	    env_switch("HEDDLE_HOST_TIME", &s->host_time, d))
		return d->code;
	s->engine = engine;
	if (!engine)
		return ERR_OK;
	if (engine_find(&found, engine, &why))
		return fail(d, why.code, "HEDDLE_ENGINE: %s", why.text);
	s->inexact = !found.exact;
	return ERR_OK;
}

void settings_free(struct settings *s)
{
	for (int i = 0; i < s->gpu_count; i++)
		free(s->gpus[i]);
	for (size_t i = 0; i < s->set_count; i++)
		free(s->set[i]);
	free(s->set);
	*s = (struct settings){ 0 };
}
