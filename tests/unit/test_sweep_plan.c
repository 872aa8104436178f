#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "explore/machine.h"
#include "explore/sweep_plan.h"

#define HEAD "gpu = tiny\nprogram p { run = \"a\" }\n"

/* A sweep, its plan on tiny, and what went wrong. */
struct rig {
	struct sweep sweep;
	struct cfg_sheet sheet;
	struct sweep_plan plan;
	struct diag d;
};

static struct rig *rig(const char *text)
{
	static struct rig r;

	r.d = (struct diag){ .text = "" };
	cfg_sheet_init(&r.sheet);
	EQ(ERR_OK, sweep_read(&r.sweep, "t", text, strlen(text), &r.d));
	EQ(ERR_OK,
	   cfg_read_file(&r.sheet, HEDDLE_SOURCE_DIR "/configs/tiny.cfg",
			 CFG_ANY, &r.d));
	(void)!plan_make(&r.plan, &r.sweep, &r.sheet.cfg, &r.d);
	return &r;
}

static void end(struct rig *r)
{
	plan_free(&r->plan);
	sweep_free(&r->sweep);
	cfg_sheet_free(&r->sheet);
}

static struct rig *good(const char *text)
{
	struct rig *r = rig(text);

	STREQ("", r->d.text);
	return r;
}

static void refuses(const char *text, const char *message)
{
	struct rig *r = rig(text);

	STREQ(message, r->d.text);
	end(r);
}

TEST(sweep_plan, one_at_a_time_gives_sums_and_a_cross_products)
{
	struct rig *r = good("gpu = tiny\n"
			     "program p { run = \"a\" }\n"
			     "program q { run = \"b\" }\n"
			     "vary sm.count = 1, 2, 4\n"
			     "vary l2.replace = lru, fifo\n"
			     "variant n { l1.on = no }\n"
			     "cross { vary sm.count = 1, 2, 3; vary l2.ways = "
			     "2, 4 }\n");

	EQ(1 + 3 + 2 + 1 + 6, r->plan.config_count);
	EQ(26, plan_points(&r->plan));
	end(r);
}

static void is(const struct sweep_plan *p, size_t i, const char *axis,
	       const char *label)
{
	STREQ(axis, p->configs[i].axis);
	STREQ(label, p->configs[i].label);
}

TEST(sweep_plan, the_last_axis_of_a_cross_is_the_fastest)
{
	struct rig *r = good(HEAD
			     "cross { vary sm.count = 1, 2; "
			     "vary \"bw\" dram.bandwidth *= 1, 2; "
			     "variant a {}; variant \"no L1\" { l1.on = no } }"
			     "\n");
	const char *axis = "sm.count x bw x variant";
	struct cfg c;

	is(&r->plan, 0, "", "");
	is(&r->plan, 1, axis, "1 x x1 x a");
	is(&r->plan, 2, axis, "1 x x1 x no L1");
	is(&r->plan, 3, axis, "1 x x2 x a");
	is(&r->plan, 8, axis, "2 x x2 x no L1");
	plan_resolve(&r->plan, 8, &c);
	EQ(2, c.sm.count);
	OK(c.dram.bandwidth == 128);
	OK(!c.l1.on);
	plan_resolve(&r->plan, 1, &c);
	EQ(1, c.sm.count);
	OK(cfg_equal(&r->sheet.cfg, &r->plan.base));
	end(r);
}

TEST(sweep_plan, factors_are_of_the_baseline_that_the_sweep_sets)
{
	struct rig *r = good(HEAD "dram.bandwidth = 32\nsm.count *= 2\n"
				  "vary dram.bandwidth *= 1, 2, 0.5\n"
				  "vary sm.count *= 0.25, 1.5\n");
	struct plan_setting s;
	struct cfg c;

	EQ(4, r->plan.base.sm.count);
	plan_resolve(&r->plan, 3, &c);
	OK(c.dram.bandwidth == 16);
	plan_resolve(&r->plan, 4, &c);
	EQ(1, c.sm.count);
	plan_resolve(&r->plan, 5, &c);
	EQ(6, c.sm.count);
	EQ(1, plan_setting_count(&r->plan, 5));
	plan_setting(&r->plan, 5, 0, &s);
	STREQ("sm.count", s.key);
	STREQ("6", s.value);
	OK(s.number == 6 && s.factor == 1.5);
	EQ(0, plan_setting_count(&r->plan, 0));
	end(r);
}

TEST(sweep_plan, settings_say_what_an_axis_sets)
{
	struct rig *r = good(HEAD "vary { l2.bytes = 16K, 64K; l2.replace = "
				  "fifo }\nvariant n { l1.on = no }\n");
	struct plan_setting s;

	is(&r->plan, 2, "l2.bytes, l2.replace", "64K, fifo");
	EQ(2, plan_setting_count(&r->plan, 2));
	plan_setting(&r->plan, 2, 0, &s);
	STREQ("64K", s.value);
	OK(s.number == 65536 && s.factor == 2);
	plan_setting(&r->plan, 2, 1, &s);
	STREQ("fifo", s.value);
	OK(isnan(s.number) && isnan(s.factor));
	plan_setting(&r->plan, 3, 0, &s);
	STREQ("no", s.value);
	OK(s.number == 0 && isnan(s.factor));
	end(r);
}

TEST(sweep_plan, costs_are_of_each_configuration)
{
	struct rig *r = good(HEAD "cost = 10 * sm.count + l1.on\n"
				  "vary sm.count = 1, 4\n"
				  "variant n { l1.on = no }\n"
				  "variant m { l1.on = no; cost = 7 }\n");

	OK(r->plan.configs[0].cost == 21);
	OK(r->plan.configs[1].cost == 11);
	OK(r->plan.configs[2].cost == 41);
	OK(r->plan.configs[3].cost == 20);
	OK(r->plan.configs[4].cost == 7);
	end(r);
	r = good(HEAD "vary sm.count = 1, 4\n");
	OK(isnan(r->plan.configs[0].cost));
	end(r);
	refuses(HEAD "cost = 1 / (sm.count - 4)\nvary sm.count = 1, 4\n",
		"t:4:20: 4: the cost is not a finite number");
}

TEST(sweep_plan, every_configuration_is_checked_before_any_runs)
{
	refuses(HEAD "vary sm.count *= 1, 1.25\n",
		"t:3:21: sm.count = 2.5: not a whole number; expected 1 to "
		"1024 SM");
	refuses(HEAD "vary sm.count *= 1, 1000\n",
		"t:3:21: sm.count = 2000: out of range; expected 1 to 1024 "
		"SM");
	refuses(HEAD "vary l2.bytes = 16K, 24K\n",
		"t:3:22: 24K: l2.bytes = 24K: gives 24 sets with l2.ways = 4, "
		"expected a power of two");
	refuses(HEAD "l2.bytes = 24K\n",
		"t:3:12: the baseline: l2.bytes = 24K: gives 24 sets with "
		"l2.ways = 4, expected a power of two");
	/* What only the model of the machine knows. */
	refuses(HEAD "vary sm.dependence = scoreboard, control\n",
		"t:3:34: control: sm.dependence = control: PTX has no control "
		"bits, and machine code always uses its own; leave it at "
		"scoreboard");
	refuses(HEAD "cross { vary sm.count = 1..1000\n"
		     "vary l2.ways = 1..100\nvary l1.mshrs = 1..100 }",
		"t:3:1: the sweep has more than 1000000 points");
}

/* Twice the standard's number of banks is not twice 0. */
TEST(sweep_plan, a_factor_of_0_is_refused_with_what_0_means)
{
	refuses(HEAD "vary dram.banks *= 1, 2\n",
		"t:3:20: dram.banks is 0 in the baseline (banks of a channel; "
		"0: the standard's), and any factor of it is 0; here it means "
		"32, so give values instead: dram.banks = 32, 64");
	refuses(HEAD "vary dram.row *= 2\n",
		"t:3:18: dram.row is 0 in the baseline (size of a row; 0: the "
		"standard's), and any factor of it is 0; here it means 1K, so "
		"give values instead: dram.row = 1K, 2K");
	refuses(HEAD "cross { vary net.channels *= 2; vary sm.count = 1, 2 }\n",
		"t:3:30: net.channels is 0 in the baseline (network channels to "
		"memory, shared by all SMs; 0: as many as slices), and any "
		"factor of it is 0; here it means 2, so give values instead: "
		"net.channels = 2, 4");
	refuses(HEAD "vary regs.cross *= 1..3\n",
		"t:3:20: regs.cross is 0 in the baseline (extra latency of a "
		"result whose first reader runs on another unit), and any factor "
		"of it is 0; give values instead: regs.cross = ...");
	refuses(HEAD "vary lat.fma.interval *= 2\n",
		"t:3:26: lat.fma.interval is 0 in the baseline (cycles it "
		"occupies a pipeline; 0: the warp size over the pipeline's "
		"lanes), and any factor of it is 0; give values instead: "
		"lat.fma.interval = ...");
	/* What the sweep itself sets can be multiplied. */
	end(good("dram.banks = 8\n" HEAD "vary dram.banks *= 1, 2\n"));
}

/* A parameter whose 0 stands for something must be among them, or have no
 * single value. */
TEST(sweep_plan, every_default_that_stands_for_another_value_is_known)
{
	static const char *const vague[] = {
		"sm.branch_guard",    "mem.epoch",     "tlb.region",
		"tex.bytes",          "l2.float_lane", "ccache.word_cycles",
		"host.access_latency"
	};
	struct cfg c;

	cfg_defaults(&c);
	for (int i = 0; i < CFG_COUNT; i++) {
		const char *zero = strstr(cfg_params[i].doc, "; 0: ");
		double v = 1;
		bool known = zero == NULL;

		if (!cfg_value_number(&c, (enum cfg_id)i, &v) || v != 0)
			continue;
		/* An interval also depends on the unit. */
		known |= cfg_params[i].section == CFG_SECTION_lat;
		for (size_t k = 0; k < sizeof(vague) / sizeof(*vague); k++)
			known |= !strcmp(vague[k], cfg_params[i].key);
		if (!known && !machine_resolved(&c, (enum cfg_id)i, &v))
			STREQ("known", cfg_params[i].key);
	}
}

TEST(sweep_plan, variables_of_the_environment_are_no_parameters)
{
	struct rig *r = good("config = tiny\n"
			     "env.OMP_NUM_THREADS = 4; env.MODE = \"a b\"\n"
			     "program p { system = \"a\" }\n"
			     "vary env.OMP_NUM_THREADS = 1..4 times 2, 8\n"
			     "cross { vary env.X = on, off; "
			     "vary l2.ways = 2, 4 }\n");
	const struct sweep_plan *p = &r->plan;
	struct plan_setting v;
	struct cfg c;

	EQ(1 + 4 + 4, p->config_count);
	EQ(2, p->configs[0].env_count);
	STREQ("OMP_NUM_THREADS=4", p->configs[0].env[0]);
	STREQ("MODE=a b", p->configs[0].env[1]);
	is(p, 1, "env.OMP_NUM_THREADS", "1");
	is(p, 4, "env.OMP_NUM_THREADS", "8");
	EQ(2, p->configs[4].env_count);
	STREQ("OMP_NUM_THREADS=8", p->configs[4].env[0]);
	is(p, 8, "env.X x l2.ways", "off x 4");
	EQ(3, p->configs[8].env_count);
	STREQ("X=off", p->configs[8].env[2]);
	/* They are settings like others, and leave the configuration alone. */
	plan_setting(p, 3, 0, &v);
	STREQ("env.OMP_NUM_THREADS", v.key);
	STREQ("4", v.value);
	OK(v.number == 4);
	plan_setting(p, 8, 0, &v);
	STREQ("off", v.value);
	OK(isnan(v.number));
	plan_resolve(p, 4, &c);
	EQ(0, memcmp(&c, &p->base, sizeof(c)));
	end(r);
}

TEST(sweep_plan, a_system_must_be_one_that_can_be_built)
{
	refuses("config = tiny\nprogram p { system = \"a\" }\n"
		"vary { dram.channels = 128; dram.bandwidth = 6400 }\n",
		"t:3:24: 128, 6400: dram.channels = 128: CGM's memory controller has "
		"at most 64");
}
