/*
 * What the circuit has no room for is refused, by name, before anything is built or
 * started.
 */
#include <string.h>

#include "fastlanes/circuit.h"
#include "rig.h"
#include "test.h"

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			  ".visible .entry k() { ret; }\n";

static void refuses(const char *setting, const char *named)
{
	const char *const settings[] = { setting, NULL };
	struct rig r = { 0 };

	OK(rig_compile(&r, "k.ptx", ptx, strlen(ptx), NULL));
	rig_config(&r, settings);
	r.launch = (struct fl_launch){ .code = r.code,
				       .kernel = &r.code->kernels[0],
				       .grid = { 1, 1, 1 },
				       .block = { 1, 1, 1 } };
	if (!named) {
		EQ(ERR_OK, fl_circuit_fits(&r.config, &r.launch, &r.d));
	} else {
		EQ(ERR_RANGE, fl_circuit_fits(&r.config, &r.launch, &r.d));
		OK(strstr(r.d.text, named));
	}
	rig_free(&r);
}

TEST(fastlanes_circuit, the_papers_machine_fits)
{
	refuses(NULL, NULL);
	refuses("sm.count=16", NULL);
	refuses("l2.bytes=1M", NULL);
}

TEST(fastlanes_circuit, what_does_not_fit_is_named)
{
	refuses("sm.count=17", "sm.count = 16, not 17");
	refuses("sm.shared=32K", "sm.shared = 16384, not 32768");
	refuses("l1.ways=8", "l1.ways = 4, not 8");
	refuses("l1.bytes=128K", "l1.bytes / l1.ways");
	refuses("l2.ways=16", "l2.ways = 8, not 16");
	refuses("l2.bytes=2M", "l2.bytes / l2.ways");
	refuses("lat.sfu.cycles=256", "lat.sfu.cycles = 255, not 256");
	refuses("lat.fdiv.interval=300", "lat.fdiv.interval = 255, not 300");
}

TEST(fastlanes_circuit, a_launch_that_does_not_fit_is_named)
{
	struct rig r = { 0 };

	OK(rig_compile(&r, "k.ptx", ptx, strlen(ptx), NULL));
	rig_config(&r, NULL);
	r.launch = (struct fl_launch){ .code = r.code,
				       .kernel = &r.code->kernels[0],
				       .grid = { 1, 1, 1 },
				       .block = { 1, 1, 1 },
				       .max_cycles = UINT64_C(1) << 40 };
	EQ(ERR_RANGE, fl_circuit_fits(&r.config, &r.launch, &r.d));
	OK(strstr(r.d.text, "--max-cycles"));
	/* Three blocks of 5461 bytes fit, rounded up to words they do not. */
	r.launch.max_cycles = 0;
	r.launch.dynamic_shared = 5461;
	EQ(ERR_RANGE, fl_circuit_fits(&r.config, &r.launch, &r.d));
	OK(strstr(r.d.text, "shared memory"));
	r.launch.dynamic_shared = 5460;
	EQ(ERR_OK, fl_circuit_fits(&r.config, &r.launch, &r.d));
	/* What no machine can run is refused as by the model. */
	r.launch.block[0] = 2000;
	EQ(ERR_RANGE, fl_circuit_fits(&r.config, &r.launch, &r.d));
	OK(strstr(r.d.text, "1024"));
	rig_free(&r);
}
