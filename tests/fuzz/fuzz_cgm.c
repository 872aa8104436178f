/*
 * Any bytes as a trace of requests for CGM. Reading must give a trace or a
 * message of one line. A short one is played on a small system and must come to
 * rest.
 */
#include <stdint.h>
#include <stdlib.h>

#include "mem/cgm/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void play(const struct cgm_trace *t)
{
	struct cgm_options options = { 0 };
	struct cgm_played played;
	struct cgm_system *s;
	struct diag d = { 0 };
	struct cfg cfg;

	cfg_defaults(&cfg);
	cfg.cgm.cores = cfg.cgm.cus = cfg.cgm.slices = 2;
	cfg.cgm.l2_bytes = cfg.cgm.gpu_l2_bytes = 1024;
	cfg.cgm.l3_bytes = 4096;
	cfg.dram.channels = 1;
	cfg.dram.bandwidth = 28;
	if (cgm_system_new(&s, &cfg, &options, &d))
		abort();
	if (cgm_trace_play(t, "fuzz", s, NULL, &played, &d)) {
		if (!d.text[0])
			abort();
	} else if (!cgm_system_is_idle(s)) {
		abort();
	}
	cgm_system_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cgm_trace t;
	struct diag d = { 0 };

	if (cgm_trace_read(&t, "fuzz", (const char *)data, size, &d)) {
		if (!d.code || !d.text[0])
			abort();
		for (const char *p = d.text; *p; p++)
			if ((unsigned char)*p < 0x20)
				abort();
	} else if (t.count < 200 && t.phases < 50) {
		play(&t);
	}
	cgm_trace_free(&t);
	return 0;
}
