/*
 * Conversions: one function for each option of gpgpusim.def that sets parameters.
 * Each names the options that it has used.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cfg/param.h"
#include "door/cli/gpgpusim.h"

enum { WARP = 32 };

/* The conversion of one option. */
struct conv {
	struct gpgpusim *g;
	enum gpgpusim_option at;
	const char *text; /* of its value */
	struct diag *d;
	bool failed;
};

/* ---- values -------------------------------------------------------------- */

static bool given(const struct conv *c, enum gpgpusim_option o)
{
	return c->g->value[o].text != NULL;
}

static void conv_fail(struct conv *c, enum gpgpusim_option o, const char *what)
{
	const struct gpgpusim_value *v = &c->g->value[o];

	if (!c->failed)
		fail(c->d, ERR_SYNTAX, "%.200s:%u: %s %.60s: %s", v->file,
		     v->line, gpgpusim_name(o), v->text, what);
	for (char *p = c->d->text; *p; p++)
		if ((unsigned char)*p < ' ')
			*p = ' ';
	c->failed = true;
}

/* Up to `max` numbers of a list; returns how many there are. */
static unsigned conv_list(struct conv *c, enum gpgpusim_option o, double out[],
			  unsigned max)
{
	const char *p = c->g->value[o].text;
	unsigned n = 0;
	char *end;

	if (!p)
		return 0;
	c->g->read[o] = true;
	for (;;) {
		p += strspn(p, " \t");
		if (n == max || (*p != '-' && (*p < '0' || *p > '9')))
			break;
		out[n++] = strtod(p, &end);
		p = end + strspn(end, " \t");
		if (!*p)
			return n;
		if (*p != ',' && *p != ':')
			break;
		p++;
	}
	conv_fail(c, o, "expected numbers, with commas or colons between them");
	return 0;
}

static double conv_number(struct conv *c, enum gpgpusim_option o,
			  double missing)
{
	double v = missing;

	if (given(c, o) && conv_list(c, o, &v, 1) != 1)
		conv_fail(c, o, "expected one number");
	return v;
}

/* Number i of an option's list; `missing` if it is not there. */
static double item_of(struct conv *c, enum gpgpusim_option o, unsigned i,
		      double missing)
{
	double v[16];
	unsigned n = conv_list(c, o, v, 16);

	return i < n ? v[i] : missing;
}

/* ---- parameters ---------------------------------------------------------- */

/* How to compute it, for the comment; the options come before it. */
static void conv_put_text(struct conv *c, const char *assignment,
			  const char *how)
{
	struct gpgpusim *g = c->g;
	const struct gpgpusim_value *v = &g->value[c->at];
	char key[64], note[400];
	struct gpgpusim_set *s;
	struct diag why;
	int id = 0;

	if (c->failed)
		return;
	snprintf(key, sizeof(key), "%.*s", (int)strcspn(assignment, "="),
		 assignment);
	while (id < CFG_COUNT && strcmp(cfg_params[id].key, key) != 0)
		id++;
	CHECK(id < CFG_COUNT);
	if (cfg_sheet_set(&g->sheet, assignment, &why)) {
		fail(c->d, why.code, "%.150s:%u: %s %.60s: %s", v->file,
		     v->line, gpgpusim_name(c->at), v->text, why.text);
		c->failed = true;
		return;
	}
	snprintf(note, sizeof(note), "%s %.200s%s%s", gpgpusim_name(c->at),
		 v->text, *how ? ": " : "", how);
	for (s = g->set; s && s->id != (enum cfg_id)id; s = s->next)
		;
	if (!s) {
		s = arena_new(&g->arena, struct gpgpusim_set, 1);
		if (s) {
			*g->set_end = s;
			g->set_end = &s->next;
			g->sets++;
		}
	}
	if (s) {
		s->id = (enum cfg_id)id;
		s->note = arena_strndup(&g->arena, note, strlen(note));
	}
	if (!s || !s->note) {
		fail(c->d, ERR_NOMEM, "out of memory");
		c->failed = true;
	}
}

static void conv_put(struct conv *c, const char *key, double value,
		     const char *how)
{
	char text[100];

	snprintf(text, sizeof(text), "%s=%.15g", key, value);
	conv_put_text(c, text, how);
}

static void put_word(struct conv *c, const char *key, const char *word,
		     const char *how)
{
	char text[100];

	snprintf(text, sizeof(text), "%s=%s", key, word);
	conv_put_text(c, text, how);
}

static void put_switch(struct conv *c, const char *key, bool on)
{
	put_word(c, key, on ? "yes" : "no", "");
}

/* A whole number from the option itself. */
static void put_own(struct conv *c, const char *key)
{
	conv_put(c, key, conv_number(c, c->at, 0), "");
}

/* The option has no counterpart with this value. */
static void leave_out(struct conv *c, const char *why)
{
	c->g->left_out[c->at] = why;
}

/* ---- the GPU ------------------------------------------------------------- */

static void conv_capability(struct conv *c)
{
	conv_put(c, "gpu.capability",
		 10 * conv_number(c, c->at, 0) +
			 conv_number(c, GPGPUSIM_MINOR, 0),
		 "major and minor number");
}

static void conv_force_capability(struct conv *c)
{
	if (given(c, GPGPUSIM_MAJOR))
		leave_out(c, "the compute capability is given");
	else
		put_own(c, "gpu.capability");
}

enum { CLOCK_CORE, CLOCK_NET, CLOCK_L2, CLOCK_DRAM };

/* Cycles of another clock domain, in those of the core. */
static double core_cycles(struct conv *c, double cycles, unsigned domain)
{
	double core = item_of(c, GPGPUSIM_CLOCKS, CLOCK_CORE, 0);
	double other = item_of(c, GPGPUSIM_CLOCKS, domain, 0);

	if (core <= 0 || other <= 0)
		return round(cycles);
	return ceil(cycles * core / other - 1e-9);
}

static void conv_clocks(struct conv *c)
{
	double v[4];

	if (conv_list(c, c->at, v, 4) != 4) {
		conv_fail(c, c->at,
			  "expected the clocks of core, network, L2 "
			  "and DRAM");
		return;
	}
	conv_put(c, "gpu.clock", v[CLOCK_CORE], "the first");
	conv_put(c, "dram.clock", v[CLOCK_DRAM], "the last");
}

static void conv_clusters(struct conv *c)
{
	double cores = conv_number(c, GPGPUSIM_CORES, 1);

	conv_put(c, "sm.count", conv_number(c, c->at, 0) * cores,
		 "times -gpgpu_n_cores_per_cluster");
	conv_put(c, "dispatch.cluster", cores, "-gpgpu_n_cores_per_cluster");
}

static void conv_kernels(struct conv *c)
{
	put_own(c, "dispatch.kernels");
}

static void conv_launch(struct conv *c)
{
	put_own(c, "dispatch.launch_latency");
}

static void conv_block_launch(struct conv *c)
{
	double v = conv_number(c, c->at, 0);

	conv_put(c, "dispatch.block_latency", v < 1 ? 1 : v,
		 v < 1 ? "at least 1" : "");
}

/* ---- the SM -------------------------------------------------------------- */

static void conv_pipeline(struct conv *c)
{
	double v[2] = { 0, WARP };

	if (conv_list(c, c->at, v, 2) != 2 || v[1] != WARP) {
		conv_fail(c, c->at, "expected THREADS:32; warps have 32 lanes");
		return;
	}
	conv_put(c, "sm.max_threads", v[0], "");
	conv_put(c, "sm.max_warps", v[0] / WARP, "by 32");
}

static void conv_blocks(struct conv *c)
{
	put_own(c, "sm.max_blocks");
}

static void conv_registers(struct conv *c)
{
	put_own(c, "sm.registers");
}

static double subcore_count(struct conv *c)
{
	return conv_number(c, GPGPUSIM_SUBCORE, 0) != 0 ?
		       conv_number(c, GPGPUSIM_SCHEDULERS, 1) :
		       1;
}

static void conv_schedulers(struct conv *c)
{
	put_own(c, "sm.schedulers");
	conv_put(c, "sm.subcores", subcore_count(c),
		 given(c, GPGPUSIM_SUBCORE) && subcore_count(c) > 1 ?
			 "-gpgpu_sub_core_model 1: as many" :
			 "-gpgpu_sub_core_model 0: they share everything");
}

static void conv_subcores(struct conv *c)
{
	conv_put(c, "sm.subcores", subcore_count(c),
		 "-gpgpu_num_sched_per_core");
}

static void conv_scheduler(struct conv *c)
{
	size_t n = strcspn(c->text, ":");

	if (!strcmp(c->text, "lrr") || !strcmp(c->text, "gto")) {
		put_word(c, "sm.scheduler", c->text, "");
	} else if (!strncmp(c->text, "two_level_active", n)) {
		put_word(c, "sm.scheduler", "two_level", "");
		if (c->text[n])
			conv_put(c, "sm.active_warps", atof(c->text + n + 1),
				 "the first number");
	} else {
		leave_out(c, "no such policy; sm.scheduler has its default");
	}
}

static void conv_issue(struct conv *c)
{
	put_own(c, "sm.issue_width");
}

/* The interval of a kind of operation: of traces, else of PTX. */
static double interval_or(struct conv *c, enum gpgpusim_option trace,
			  enum gpgpusim_option ptx, double missing)
{
	double v = item_of(c, ptx, 0, missing);
	double traced = item_of(c, trace, 1, v);

	return traced > 0 ? traced : 1;
}

static double interval_of(struct conv *c, enum gpgpusim_option trace,
			  enum gpgpusim_option ptx)
{
	return interval_or(c, trace, ptx, 1);
}

/* A unit takes a warp in an interval; lanes are those of the whole SM, in equal
 * parts for the sub-cores. */
static void put_lanes(struct conv *c, const char *key, double units,
		      double interval, const char *how)
{
	double subs = subcore_count(c);
	double lanes = floor(units * WARP / interval);

	if (lanes >= subs)
		lanes -= fmod(lanes, subs);
	conv_put(c, key, lanes, how);
}

static void conv_fp32_units(struct conv *c)
{
	double interval = interval_of(c, GPGPUSIM_TRACE_SP, GPGPUSIM_INIT_FP);

	put_lanes(c, "unit.fp32.lanes", conv_number(c, c->at, 0), interval,
		  "times 32, by the interval of ADD");
	conv_put(c, "sm.simd_width", fmax(1, floor(WARP / interval)),
		 "32 by the interval of ADD");
	if (conv_number(c, GPGPUSIM_INT_UNITS, 0) == 0)
		put_lanes(c, "unit.int.lanes", conv_number(c, c->at, 0),
			  interval_of(c, GPGPUSIM_TRACE_INT, GPGPUSIM_INIT_INT),
			  "it computes integers, too");
}

static void conv_int_units(struct conv *c)
{
	if (conv_number(c, c->at, 0) > 0)
		put_lanes(c, "unit.int.lanes", conv_number(c, c->at, 0),
			  interval_of(c, GPGPUSIM_TRACE_INT, GPGPUSIM_INIT_INT),
			  "times 32, by the interval of ADD");
}

static void put_fp64_on_sfu(struct conv *c)
{
	put_lanes(c, "unit.fp64.lanes", conv_number(c, GPGPUSIM_SFU_UNITS, 1),
		  interval_of(c, GPGPUSIM_TRACE_DP, GPGPUSIM_INIT_DP),
		  "special function units compute doubles");
}

static void conv_fp64_units(struct conv *c)
{
	double units = conv_number(c, c->at, 0);

	if (units > 0)
		put_lanes(c, "unit.fp64.lanes", units,
			  interval_of(c, GPGPUSIM_TRACE_DP, GPGPUSIM_INIT_DP),
			  "times 32, by the interval of ADD");
	else
		put_fp64_on_sfu(c);
}

static void conv_sfu_units(struct conv *c)
{
	put_lanes(c, "unit.sfu.lanes", conv_number(c, c->at, 0),
		  interval_or(c, GPGPUSIM_TRACE_SFU, GPGPUSIM_INIT_SFU, 8),
		  given(c, GPGPUSIM_INIT_SFU) ? "times 32, by its interval" :
						"times 32, by 8");
	if (!given(c, GPGPUSIM_DP_UNITS))
		put_fp64_on_sfu(c);
}

static void conv_tensor_units(struct conv *c)
{
	bool has = conv_number(c, GPGPUSIM_TENSOR, 1) != 0;

	put_lanes(c, "unit.tensor.lanes", has ? conv_number(c, c->at, 0) : 0, 2,
		  has ? "times 16 lanes" : "-gpgpu_tensor_core_avail 0");
}

/* ---- latencies ----------------------------------------------------------- */

enum { OP_ADD, OP_MAX, OP_MUL, OP_MAD, OP_DIV, OP_SHFL };

/* One class of the option's list, if it is there and traces do not say it. */
static void put_op(struct conv *c, const char *key, unsigned i, const char *how)
{
	double v = item_of(c, c->at, i, 0);

	if (v > 0)
		conv_put(c, key, v, how);
}

static void put_op_interval(struct conv *c, const char *key,
			    enum gpgpusim_option from, unsigned i,
			    const char *how)
{
	double v = item_of(c, from, i, 0);

	if (v > 0)
		conv_put(c, key, v, how);
}

static void conv_int_latency(struct conv *c)
{
	put_op(c, "lat.alu.cycles", OP_ADD, "ADD");
	put_op(c, "lat.mad.cycles", OP_MAD, "MAD");
	put_op(c, "lat.idiv.cycles", OP_DIV, "DIV");
	put_op(c, "lat.shfl.cycles", OP_SHFL, "SHFL");
	put_op_interval(c, "lat.idiv.interval", GPGPUSIM_INIT_INT, OP_DIV,
			"-ptx_opcode_initiation_int, DIV");
	put_op_interval(c, "lat.shfl.interval", GPGPUSIM_INIT_INT, OP_SHFL,
			"-ptx_opcode_initiation_int, SHFL");
}

static void conv_fp_latency(struct conv *c)
{
	put_op(c, "lat.fma.cycles", OP_ADD, "ADD; one class with MUL and MAD");
	put_op(c, "lat.fdiv.cycles", OP_DIV, "DIV");
	put_op_interval(c, "lat.fdiv.interval", GPGPUSIM_INIT_FP, OP_DIV,
			"-ptx_opcode_initiation_fp, DIV");
}

static void conv_dp_latency(struct conv *c)
{
	put_op(c, "lat.f64.cycles", OP_ADD, "ADD; one class with MUL and MAD");
	put_op(c, "lat.f64div.cycles", OP_DIV, "DIV");
	put_op_interval(c, "lat.f64div.interval", GPGPUSIM_INIT_DP, OP_DIV,
			"-ptx_opcode_initiation_dp, DIV");
}

static void conv_sfu_latency(struct conv *c)
{
	put_op(c, "lat.sfu.cycles", 0, "");
}

static void conv_tensor_latency(struct conv *c)
{
	put_op(c, "lat.mma.cycles", 0, "");
	put_op_interval(c, "lat.mma.interval", GPGPUSIM_INIT_TENSOR, 0,
			"-ptx_opcode_initiation_tensor");
}

static void conv_trace_int(struct conv *c)
{
	put_op(c, "lat.alu.cycles", 0, "the first");
	put_op(c, "lat.mad.cycles", 0, "the first");
}

static void conv_trace_sp(struct conv *c)
{
	put_op(c, "lat.fma.cycles", 0, "the first");
}

static void conv_trace_dp(struct conv *c)
{
	put_op(c, "lat.f64.cycles", 0, "the first");
}

static void conv_trace_sfu(struct conv *c)
{
	put_op(c, "lat.sfu.cycles", 0, "the first");
}

static void conv_trace_tensor(struct conv *c)
{
	put_op(c, "lat.mma.cycles", 0, "the first");
	put_op(c, "lat.mma.interval", 1, "the second");
}

/* "1,4,4,4,4,BRA": its latency and interval are those of the option with its
 * number. */
static void conv_spec_unit(struct conv *c)
{
	enum gpgpusim_option latency = (enum gpgpusim_option)(
		GPGPUSIM_TRACE_SPEC_1 + c->at - GPGPUSIM_SPEC_1);
	const char *name = strrchr(c->text, ',');
	double cycles = item_of(c, latency, 0, 0);

	name = name ? name + 1 : "";
	if (*c->text == '0')
		leave_out(c, "it is not enabled");
	else if (!strcmp(name, "TENSOR") && cycles > 0)
		conv_put(c, "lat.mma.cycles", cycles, "its latency");
	else if (!strcmp(name, "TEX") && cycles > 0)
		conv_put(c, "tex.latency", cycles, "its latency");
	else if (!strcmp(name, "BRA") && cycles > 0)
		conv_put(c, "lat.branch.cycles", cycles, "its latency");
	else
		leave_out(c, "Heddle has no such unit of its own");
}

/* ---- registers ----------------------------------------------------------- */

static void conv_reg_banks(struct conv *c)
{
	conv_put(c, "regs.banks",
		 fmax(1, floor(conv_number(c, c->at, 1) / subcore_count(c))),
		 "by the sub-cores");
	put_word(c, "regs.reuse", "no", "it has no reuse cache");
}

static void conv_reg_ports(struct conv *c)
{
	put_own(c, "regs.read_ports");
}

static void put_collectors(struct conv *c, double all, const char *how)
{
	put_word(c, "regs.operands", "collector", "");
	conv_put(c, "regs.collectors", fmax(1, floor(all / subcore_count(c))),
		 how);
}

static void conv_collectors(struct conv *c)
{
	put_collectors(c, conv_number(c, c->at, 0), "by the sub-cores");
}

/* ---- shared memory ------------------------------------------------------- */

static void conv_shmem(struct conv *c)
{
	double all = conv_number(c, c->at, 0);
	double block = conv_number(c, GPGPUSIM_SHMEM_BLOCK, all);

	conv_put(c, "sm.shared", all, "");
	conv_put(c, "sm.block_shared", fmin(block, all),
		 given(c, GPGPUSIM_SHMEM_BLOCK) ? "-gpgpu_shmem_per_block" :
						  "a block may use all");
}

static void conv_shmem_banks(struct conv *c)
{
	put_own(c, "shared.banks");
}

static void conv_shmem_broadcast(struct conv *c)
{
	put_word(c, "shared.broadcast",
		 conv_number(c, c->at, 0) != 0 ? "one" : "all", "");
}

static void conv_shmem_parts(struct conv *c)
{
	double parts = conv_number(c, c->at, 1);

	conv_put(c, "shared.lanes", parts > 0 ? floor(WARP / parts) : WARP,
		 "32 by it");
}

static void conv_shmem_latency(struct conv *c)
{
	put_own(c, "shared.latency");
}

/* ---- caches -------------------------------------------------------------- */

/* "S:4:128:64,L:T:m:L:L,A:512:8,16:0,32"; in old files without the first letter,
 * and without the fifth of the second part. */
struct cache_text {
	bool on, sectors;
	double sets, line, ways;
	char replace, write, alloc, write_alloc, index;
	double mshrs, merges;
};

static bool read_cache(struct conv *c, struct cache_text *t)
{
	const char *p = c->text;
	char mshr;
	int n = 0;

	*t = (struct cache_text){ .on = strcmp(p, "none") != 0, .index = 'L' };
	if (!t->on)
		return true;
	if ((*p == 'S' || *p == 'N') && p[1] == ':') {
		t->sectors = *p == 'S';
		p += 2;
	}
	if (sscanf(p, "%lf:%lf:%lf,%c:%c:%c:%c%n", &t->sets, &t->line, &t->ways,
		   &t->replace, &t->write, &t->alloc, &t->write_alloc,
		   &n) != 7 ||
	    !n || t->sets < 1 || t->line < 1 || t->ways < 1 ||
	    t->sets * t->line * t->ways > 1e9) {
		conv_fail(c, c->at,
			  "expected SETS:LINE:WAYS,REPLACE:WRITE:ALLOC:"
			  "WRITE_ALLOC:INDEX,MSHR:ENTRIES:MERGE,... with S: or "
			  "N: before it");
		return false;
	}
	p += n;
	if (p[0] == ':' && p[1]) {
		t->index = p[1];
		p += 2;
	}
	if (sscanf(p, ",%c:%lf:%lf", &mshr, &t->mshrs, &t->merges) == 3)
		return true;
	conv_fail(c, c->at, "expected MSHR:ENTRIES:MERGE after the policies");
	return false;
}

static double cache_bytes(const struct cache_text *t)
{
	return t->sets * t->line * t->ways;
}

static void put_key(struct conv *c, const char *section, const char *key,
		    double v, const char *how)
{
	char text[40];

	snprintf(text, sizeof(text), "%s.%s", section, key);
	conv_put(c, text, v, how);
}

static void put_key_word(struct conv *c, const char *section, const char *key,
			 const char *word, const char *how)
{
	char text[40];

	snprintf(text, sizeof(text), "%s.%s", section, key);
	put_word(c, text, word, how);
}

/* What the data caches have in common. */
static void put_cache(struct conv *c, const struct cache_text *t,
		      const char *section)
{
	enum { SECTOR = 32, SECTORS = 8 };

	put_key(c, section, "line", t->line, "the line size");
	put_key(c, section, "sector",
		t->sectors ? fmin(SECTOR, t->line) : t->line,
		t->sectors ? "S: sectors of 32 bytes" : "no sectors");
	put_key(c, section, "mshrs", fmax(1, t->mshrs), "MSHR entries");
	put_key(c, section, "merges", fmax(1, t->merges), "merged requests");
	put_key_word(c, section, "replace", t->replace == 'F' ? "fifo" : "lru",
		     t->replace == 'F' ? "F" : "L");
	put_key_word(c, section, "write", t->write == 'B' ? "back" : "through",
		     t->write == 'B' ? "B" :
		     t->write == 'L' ? "L: of global memory" :
				       "T");
	put_key_word(c, section, "write_miss",
		     t->write_alloc == 'N' ? "around" :
		     t->write_alloc == 'L' ? "validate" :
					     "fetch",
		     t->write_alloc == 'N' ? "N: no write allocation" :
		     t->write_alloc == 'L' ? "L: fetched when it is read" :
					     "fetched when it is written");
}

/* With an adaptive cache, the ways of all that is not shared memory, as far as
 * there may be so many. */
static void put_adaptive(struct conv *c, const struct cache_text *t)
{
	enum { MOST_WAYS = 128 };
	double bytes = 1024 * conv_number(c, GPGPUSIM_UNIFIED, 0);
	double ways = t->ways * bytes / cache_bytes(t);

	while (ways > MOST_WAYS)
		ways /= 2;
	put_word(c, "l1.adaptive", "yes", "-gpgpu_adaptive_cache_config");
	conv_put(c, "l1.bytes", bytes, "-gpgpu_unified_l1d_size");
	conv_put(c, "l1.ways", ways, "of the full size, at most 128");
}

static void conv_dl1(struct conv *c)
{
	struct cache_text t;

	if (!read_cache(c, &t))
		return;
	put_switch(c, "l1.on", t.on);
	if (!t.on)
		return;
	put_cache(c, &t, "l1");
	put_key_word(c, "l1", "hash", t.index == 'L' ? "none" : "xor",
		     t.index == 'L' ? "L: linear" : "hashed");
	conv_put(c, "lsu.coalesce", t.sectors ? fmin(32, t.line) : t.line,
		 "the unit that misses fetch");
	if (conv_number(c, GPGPUSIM_ADAPTIVE, 0) != 0 &&
	    given(c, GPGPUSIM_UNIFIED)) {
		put_adaptive(c, &t);
		return;
	}
	put_word(c, "l1.adaptive", "no", "the size is fixed");
	conv_put(c, "l1.bytes", cache_bytes(&t), "sets x line x ways");
	conv_put(c, "l1.ways", t.ways, "");
}

static void conv_coalesce(struct conv *c)
{
	conv_put(c, "lsu.coalesce_lanes",
		 conv_number(c, c->at, 20) < 20 ? 16 : 32,
		 "half-warps before 2.0");
}

static void conv_l1_banks(struct conv *c)
{
	put_own(c, "l1.lookups");
}

static void conv_l1_latency(struct conv *c)
{
	double v = fmax(1, conv_number(c, c->at, 1));

	conv_put(c, "l1.hit_latency", v, "");
	conv_put(c, "l1.miss_latency", v, "tags are read after it");
	conv_put(c, "l1.fill_latency", 1, "a fill takes no further time");
}

static void conv_skip_l1(struct conv *c)
{
	put_switch(c, "l1.global", conv_number(c, c->at, 0) == 0);
}

static void conv_il1(struct conv *c)
{
	struct cache_text t;

	if (!read_cache(c, &t) || !t.on)
		return;
	conv_put(c, "front.l0", 0, "it has one level");
	conv_put(c, "front.l1", cache_bytes(&t), "sets x line x ways");
	conv_put(c, "front.l1_line", t.line, "");
	conv_put(c, "front.l1_ways", t.ways, "");
	put_word(c, "front.prefetch", "none", "it prefetches nothing");
}

static void conv_perfect(struct conv *c)
{
	bool on = conv_number(c, c->at, 0) != 0;

	put_switch(c, "front.perfect", on);
	put_switch(c, "ccache.perfect", on);
}

static void conv_const_cache(struct conv *c)
{
	struct cache_text t;

	if (!read_cache(c, &t) || !t.on)
		return;
	conv_put(c, "ccache.l0", cache_bytes(&t), "sets x line x ways");
	conv_put(c, "ccache.l0_line", t.line, "");
	conv_put(c, "ccache.l0_ways", t.ways, "");
	conv_put(c, "ccache.l1", 0, "it has one level");
}

static void conv_tex_cache(struct conv *c)
{
	struct cache_text t;
	enum { MOST_WAYS = 128 };

	if (!read_cache(c, &t) || !t.on)
		return;
	while (t.ways > MOST_WAYS)
		t.ways /= 2, t.sets *= 2;
	conv_put(c, "tex.bytes", cache_bytes(&t), "sets x line x ways");
	conv_put(c, "tex.line", t.line, "");
	conv_put(c, "tex.ways", t.ways, "at most 128");
}

/* ---- network ------------------------------------------------------------- */

static void put_ports(struct conv *c, double flit)
{
	static const char *const ports[] = { "net.sm_out", "net.sm_in",
					     "net.slice_in", "net.slice_out" };
	double header = (double)c->g->sheet.cfg.net.header;
	double net = item_of(c, GPGPUSIM_CLOCKS, CLOCK_NET, 1);
	double core = item_of(c, GPGPUSIM_CLOCKS, CLOCK_CORE, 1);
	double bytes = (flit - header) * (core > 0 ? net / core : 1);

	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		conv_put(c, ports[i], fmax(1, floor(bytes)),
			 "less a header of 8 bytes, in cycles of the core");
}

static void conv_flit(struct conv *c)
{
	put_ports(c, conv_number(c, c->at, 0));
}

static void conv_icnt_flit(struct conv *c)
{
	if (given(c, GPGPUSIM_FLIT))
		leave_out(c, "-icnt_flit_size is given");
	else
		put_ports(c, conv_number(c, c->at, 0));
}

/* ---- L2 and DRAM --------------------------------------------------------- */

static double slice_count(struct conv *c)
{
	return conv_number(c, GPGPUSIM_N_MEM, 1) *
	       fmax(1, conv_number(c, GPGPUSIM_SUBPARTS, 1));
}

static void conv_channels(struct conv *c)
{
	conv_put(c, "dram.channels", conv_number(c, c->at, 0), "");
	conv_put(c, "l2.slices", slice_count(c),
		 "times -gpgpu_n_sub_partition_per_mchannel");
}

static void conv_dl2(struct conv *c)
{
	struct cache_text t;

	if (!read_cache(c, &t))
		return;
	put_switch(c, "l2.on", t.on);
	if (!t.on)
		return;
	put_cache(c, &t, "l2");
	conv_put(c, "l2.bytes", cache_bytes(&t) * slice_count(c),
		 "sets x line x ways x slices");
	conv_put(c, "l2.ways", t.ways, "");
}

/* The way there and back; the L2 itself answers at once. */
static void conv_rop(struct conv *c)
{
	double v = core_cycles(c, conv_number(c, c->at, 2), CLOCK_L2);

	conv_put(c, "net.request_latency", fmax(1, floor(v / 2)),
		 "half of it, in cycles of the core");
	conv_put(c, "net.reply_latency", fmax(1, ceil(v / 2)),
		 "the other half");
	conv_put(c, "l2.hit_latency", 1, "it is on the way");
}

static void conv_memcpy(struct conv *c)
{
	put_switch(c, "l2.host_copies", conv_number(c, c->at, 0) != 0);
}

static void conv_indexing(struct conv *c)
{
	double v = conv_number(c, c->at, 0), slices = slice_count(c);
	bool power = slices == exp2(round(log2(slices)));

	put_word(c, "l2.hash",
		 v == 0 ? "none" :
		 power  ? "xor" :
			  "rotate",
		 v == 0 ? "" : "a hash");
}

/* "dramid@8;0000RRRR...": partitions change every 2^8 bytes. */
static void conv_mapping(struct conv *c)
{
	const char *at = strstr(c->text, "dramid@");
	double bit = at ? atof(at + 7) : 0;

	if (bit >= 5 && bit <= 20)
		conv_put(
			c, "l2.interleave",
			fmax(exp2(bit), (double)c->g->sheet.cfg.l2.line),
			"dramid, at least a line; rows, banks and columns follow "
			"dram.*");
	else
		leave_out(c, "the address map is made of l2.* and dram.*");
}

static void conv_dram_latency(struct conv *c)
{
	conv_put(c, "dram.latency",
		 core_cycles(c, conv_number(c, c->at, 0), CLOCK_L2),
		 "in cycles of the core");
}

static void conv_dram_scheduler(struct conv *c)
{
	put_word(c, "dram.policy",
		 conv_number(c, c->at, 1) != 0 ? "frfcfs" : "fcfs", "");
}

enum { MOST_QUEUE = 64 };

static void conv_dram_queue(struct conv *c)
{
	double v = conv_number(c, c->at, 0);
	bool fits = v >= 1 && v <= MOST_QUEUE;

	conv_put(c, "dram.queue", fits ? v : MOST_QUEUE,
		 fits ? "" : "at most 64");
}

static void conv_dram_width(struct conv *c)
{
	double width = conv_number(c, c->at, 0);
	double chips = fmax(1, conv_number(c, GPGPUSIM_DRAM_CHIPS, 1));
	double ratio = conv_number(c, GPGPUSIM_DRAM_RATIO, 2);
	double mhz = item_of(c, GPGPUSIM_CLOCKS, CLOCK_DRAM, 0);
	double channels = conv_number(c, GPGPUSIM_N_MEM, 0);
	double burst = conv_number(c, GPGPUSIM_DRAM_BURST, 0);

	put_word(c, "dram.standard",
		 ratio >= 4  ? "gddr5" :
		 width >= 16 ? "hbm2" :
			       "gddr3",
		 "by its width and -dram_data_command_freq_ratio");
	if (burst > 0)
		conv_put(c, "dram.burst", width * chips * burst,
			 "x chips x -gpgpu_dram_burst_length");
	if (mhz > 0 && channels > 0)
		conv_put(c, "dram.bandwidth",
			 width * chips * ratio * channels * mhz * 1e-3,
			 "x chips x data ratio x channels x clock");
	else
		leave_out(c, "without -gpgpu_n_mem and -gpgpu_clock_domains it "
			     "is no bandwidth");
}

/* "nbk=16:CCD=1:...:nbkgrp=4", or numbers by position, of which the first is nbk
 * and the twelfth nbkgrp. */
static double timing_of(struct conv *c, const char *name, unsigned position)
{
	size_t n = strlen(name);
	const char *p = c->text;

	if (!strchr(p, '='))
		return item_of(c, c->at, position, 0);
	while (*p) {
		p += strspn(p, ": \t\r\n");
		if (!strncmp(p, name, n) && p[n] == '=')
			return atof(p + n + 1);
		p += strcspn(p, ":");
	}
	return 0;
}

static void conv_dram_timing(struct conv *c)
{
	double banks = timing_of(c, "nbk", 0);
	double groups = timing_of(c, "nbkgrp", 11);

	if (banks < 1) {
		conv_fail(c, c->at,
			  "expected nbk=BANKS:CCD=..., or numbers "
			  "with colons between them");
		return;
	}
	conv_put(c, "dram.pseudo", 1, "its channels have no parts");
	conv_put(c, "dram.banks", banks,
		 "nbk; times are those of dram.standard");
	conv_put(c, "dram.bank_groups", groups >= 1 ? groups : 1, "nbkgrp");
	leave_out(c, "its times: those of dram.standard hold");
}

static void conv_bank_hash(struct conv *c)
{
	put_word(c, "dram.hash", conv_number(c, c->at, 0) == 0 ? "none" : "xor",
		 "");
}

static void conv_write_queue(struct conv *c)
{
	double v[3];

	if (conv_number(c, GPGPUSIM_WRITE_ENABLE, 0) == 0 &&
	    conv_number(c, GPGPUSIM_OLD_WRITE_ENABLE, 0) == 0) {
		leave_out(c, "writes have no queue of their own there");
		return;
	}
	if (conv_list(c, c->at, v, 3) != 3) {
		conv_fail(c, c->at, "expected SIZE:HIGH:LOW");
		return;
	}
	conv_put(c, "dram.write_queue", fmin(v[0], MOST_QUEUE), "at most 64");
	conv_put(c, "dram.write_high", fmin(v[1], MOST_QUEUE), "");
	conv_put(c, "dram.write_low", v[2], "");
}

/* ---- all of them --------------------------------------------------------- */

typedef void conv_fn(struct conv *c);

#define conv_used NULL
#define conv_none NULL

static conv_fn *const converters[GPGPUSIM_COUNT] = {
#define OPTION(id, name, convert, text) [GPGPUSIM_##id] = conv_##convert,
#include "door/cli/gpgpusim.def"
};

/* Old files have collectors for each kind of unit only. */
static void convert_old_collectors(struct conv *c)
{
	if (given(c, GPGPUSIM_COLLECT_GEN) || !given(c, GPGPUSIM_COLLECT_SP))
		return;
	c->at = GPGPUSIM_COLLECT_SP;
	put_collectors(c,
		       conv_number(c, GPGPUSIM_COLLECT_SP, 0) +
			       conv_number(c, GPGPUSIM_COLLECT_SFU, 0) +
			       conv_number(c, GPGPUSIM_COLLECT_MEM, 0),
		       "with those of _sfu and _mem, by the sub-cores");
}

enum err gpgpusim_convert_all(struct gpgpusim *g, struct diag *d)
{
	struct conv c = { .g = g, .d = d };

	for (int i = 0; i < GPGPUSIM_COUNT && !c.failed; i++) {
		c.at = (enum gpgpusim_option)i;
		c.text = g->value[i].text;
		if (c.text && converters[i])
			converters[i](&c);
	}
	if (!c.failed)
		convert_old_collectors(&c);
	return c.failed ? d->code : ERR_OK;
}
