/* What `heddle system` with and without a configuration share. */
#ifndef HEDDLE_CLI_SYSTEM_H
#define HEDDLE_CLI_SYSTEM_H

#include "base/jsonwrite.h"
#include "door/cli/opt.h"
#include "isa/x86/process.h"
#include "stat/cgm.h"

struct system;

struct system_options_given {
	const char *root, *json, *config, *engine, *out, *source;
	unsigned cores, threads;
	uint64_t quantum, limit, interval;
	uint64_t detail_until; /* a region; UINT64_MAX: none */
	struct words env, set;
	const char *gpu;
	bool quiet, progress, profile;
};

/* Loads the program; `cores` is what it is told. */
MUST_USE enum err system_load(struct x86_process **p,
			      const struct system_options_given *o,
			      const struct words *rest, unsigned cores,
			      struct x86_service service, struct diag *d);
/* Who performs the calls of OpenCL: the GPU is opened when the program first asks
 * for it. */
MUST_USE enum err system_open_gpu(struct x86_service *service,
				  const struct system_options_given *o,
				  struct diag *d);
/* system_opencl.c. Its kernels run beside the cores of a system. */
void system_attach_gpu(struct system *s);
/* What OpenCL took; nothing if the program did not use it. */
void system_say_opencl(void);
void system_json_opencl(struct json *j);
void system_close_gpu(void);
/* Says why it did not end as it should, if so. */
void system_say_end(const struct x86_end *end, uint64_t limit);
/* System calls that it made in vain. */
void system_say_refused(const struct x86_process *p);
/* "exit status 0", on the line that begins with the program's name. */
void system_say_status(const char *name, const struct x86_end *end);
void system_json_end(struct json *j, const struct x86_process *p,
		     const struct x86_end *end);
int system_exit(const struct x86_end *end);

/* On the system of o->config; returns the exit code. */
int system_simulate(const struct system_options_given *o,
		    const struct words *rest);

#endif
