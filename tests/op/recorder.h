/*
 * What programs that record on a GPU share: errors that end them, and the lines
 * that say which GPU it was.
 */
#ifndef HEDDLE_TESTS_OP_RECORDER_H
#define HEDDLE_TESTS_OP_RECORDER_H

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline void die(const char *what)
{
	fprintf(stderr, "record: %s\n", what);
	exit(1);
}

/* Everything except for the launch of a form must succeed. */
static inline void need(CUresult rc, const char *what)
{
	const char *text = "unknown error";

	if (rc == CUDA_SUCCESS)
		return;
	cuGetErrorString(rc, &text);
	fprintf(stderr, "record: %s: %s\n", what, text);
	exit(1);
}

/* The first word that is a number with a decimal point. */
static inline void find_version(char out[60], char *line)
{
	for (char *w = strtok(line, " \n"); w; w = strtok(NULL, " \n"))
		if (*w >= '0' && *w <= '9' && strchr(w, '.')) {
			snprintf(out, 60, "%s", w);
			return;
		}
}

static inline void describe(char *about, size_t room, CUdevice dev)
{
	char name[100] = "", date[40];
	int driver = 0, major = 0, minor = 0;
	time_t now = time(NULL);
	FILE *version = fopen("/proc/driver/nvidia/version", "r");
	char line[200] = "", module[60] = "unknown";

	need(cuDeviceGetName(name, sizeof(name), dev), "device name");
	need(cuDriverGetVersion(&driver), "driver version");
	need(cuDeviceGetAttribute(
		     &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, dev),
	     "compute capability");
	need(cuDeviceGetAttribute(
		     &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, dev),
	     "compute capability");
	strftime(date, sizeof(date), "%Y-%m-%d", gmtime(&now));
	if (version && fgets(line, sizeof(line), version))
		find_version(module, line);
	if (version)
		fclose(version);
	snprintf(about, room,
		 "gpu: %s, compute capability %d.%d\n"
		 "driver: %s, CUDA %d.%d\n"
		 "date: %s\n",
		 name, major, minor, module, driver / 1000, driver % 1000 / 10,
		 date);
}

#endif
