/*
 * Any bytes as a trace of Accel-Sim, a kernel's or a list: it must be refused with
 * a message of one line, or replay on a small GPU, twice with the same result.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "accelsim/list.h"
#include "heddle/heddle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_CYCLES = 200000 };

static void check_line(const char *text)
{
	if (!*text)
		abort();
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p < 0x20)
			abort();
}

static int add_cycles(void *ctx, const struct heddle_replayed *r)
{
	uint64_t *sum = ctx;

	for (size_t i = 0; i < r->count; i++)
		*sum = *sum * 31 + r->results[i].cycles;
	return 0;
}

static uint64_t replay(const char *path, const struct heddle_config *config)
{
	struct heddle_timing_options timing = { .max_cycles = MOST_CYCLES };
	uint64_t sum = 0;
	struct heddle_replay_options o = { .timing = &timing,
					   .done = add_cycles,
					   .ctx = &sum };
	struct heddle_device *dev;
	struct heddle_error err;

	if (heddle_device_new(
		    &dev, &(struct heddle_device_options){ .config = config },
		    &err))
		abort();
	if (heddle_replay(dev, path, &o, &err))
		check_line(err.text);
	heddle_device_free(dev);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct heddle_config *config;
	struct heddle_error err;
	char path[64];
	int fd = memfd_create("fuzz", 0);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (!config && heddle_config_load(&config, HEDDLE_TINY, &err))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (asim_list_is(path) && replay(path, config) != replay(path, config))
		abort();
	close(fd);
	return 0;
}
