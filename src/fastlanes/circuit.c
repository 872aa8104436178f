/*
 * The driver of the circuit: all that a host does to launch a kernel, through the words
 * of the host port.
 */
#include "fastlanes/circuit.h"

#include <string.h>

/* ---- limits ------------------------------------------------------------ */

struct fl_limit {
	const char *name; /* of the parameter */
	uint64_t value, most;
};

static enum err fl_check_limits(const struct fl_limit *limits, size_t count,
				struct diag *d)
{
	for (size_t i = 0; i < count; i++)
		if (limits[i].value > limits[i].most)
			return fail(d, ERR_RANGE,
				    "the circuit has room for %s = %llu, not "
				    "%llu; '--on model' has not this limit",
				    limits[i].name,
				    (unsigned long long)limits[i].most,
				    (unsigned long long)limits[i].value);
	return ERR_OK;
}

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static enum err fl_check_config(const struct fl_config *c, struct diag *d)
{
	const struct fl_limit limits[] = {
		{ "sm.count", c->sms, FL_CIRCUIT_SMS },
		{ "sm.shared", c->shared, FL_CIRCUIT_SHARED },
		{ "l1.ways", c->l1_ways, FL_CIRCUIT_L1_WAYS },
		{ "l1.bytes / l1.ways", (uint64_t)c->l1_sets * FL_SEGMENT,
		  FL_CIRCUIT_L1_SETS * FL_SEGMENT },
		{ "l2.ways", c->l2_ways, FL_CIRCUIT_L2_WAYS },
		{ "l2.bytes / l2.ways", (uint64_t)c->l2_sets * FL_SEGMENT,
		  FL_CIRCUIT_L2_SETS * FL_SEGMENT },
		{ "mem.l1_latency", c->way_latency[FL_WAY_L1],
		  FL_CIRCUIT_WAY_LATENCY },
		{ "mem.l2_latency", c->way_latency[FL_WAY_L2],
		  FL_CIRCUIT_WAY_LATENCY },
		{ "mem.shared_latency", c->way_latency[FL_WAY_SHARED],
		  FL_CIRCUIT_WAY_LATENCY },
		{ "mem.dram_latency", c->way_latency[FL_WAY_GLOBAL],
		  FL_CIRCUIT_WAY_LATENCY },
	};

	return fl_check_limits(limits, COUNT_OF(limits), d);
}

static enum err fl_check_units(const struct fl_config *c, struct diag *d)
{
#define UNIT(unit, name)                                                \
	{ name ".cycles", c->latency[unit], FL_CIRCUIT_LATENCY },       \
	{                                                               \
		name ".interval", c->interval[unit], FL_CIRCUIT_LATENCY \
	}
	const struct fl_limit limits[] = { UNIT(FL_UNIT_ALU, "lat.alu"),
					   UNIT(FL_UNIT_MUL, "lat.mad"),
					   UNIT(FL_UNIT_FP, "lat.fma"),
					   UNIT(FL_UNIT_SFU, "lat.sfu"),
					   UNIT(FL_UNIT_DIV, "lat.fdiv") };
#undef UNIT

	return fl_check_limits(limits, COUNT_OF(limits), d);
}

/* Shared memory of a block begins at a word. */
static uint32_t fl_shared_step(const struct fl_needs *n)
{
	return (n->shared + 3) & ~3u;
}

static enum err fl_check_launch(const struct fl_needs *n,
				const struct fl_launch *l, struct diag *d)
{
	const uint64_t cycles = (UINT64_C(1) << FL_CIRCUIT_CYCLE_BITS) - 1;
	const uint64_t blocks = (UINT64_C(1) << FL_CIRCUIT_BLOCK_BITS) - 1;
	const struct fl_limit limits[] = {
		{ "--max-cycles", l->max_cycles, cycles },
		{ "blocks of the grid", n->blocks, blocks },
		{ "words of a thread's local memory", n->local_words,
		  FL_CIRCUIT_LOCAL_WORDS },
		{ "bytes of shared memory, with each block's rounded up to "
		  "words,",
		  (uint64_t)n->places * fl_shared_step(n), FL_CIRCUIT_SHARED },
	};

	return fl_check_limits(limits, COUNT_OF(limits), d);
}

enum err fl_circuit_fits(const struct fl_config *c, const struct fl_launch *l,
			 struct diag *d)
{
	struct fl_needs needs;

	if (fl_check_config(c, d) || fl_check_units(c, d) ||
	    fl_launch_needs(&needs, c, l, d))
		return d->code;
	return fl_check_launch(&needs, l, d);
}

/* ---- words -------------------------------------------------------------- */

static enum err fl_put_word(const struct fl_link *k, uint32_t at, uint32_t data,
			    struct diag *d)
{
	return k->write(k->ctx, at, data, d);
}

static enum err fl_get_word(const struct fl_link *k, uint32_t at,
			    uint32_t *data, struct diag *d)
{
	return k->read(k->ctx, at, data, d);
}

static enum err fl_get_pair(const struct fl_link *k, uint32_t at,
			    uint64_t *value, struct diag *d)
{
	uint32_t low, high;

	if (fl_get_word(k, at, &low, d) || fl_get_word(k, at + 1, &high, d))
		return d->code;
	*value = (uint64_t)high << 32 | low;
	return ERR_OK;
}

static enum err fl_put_words(const struct fl_link *k, uint32_t at,
			     const uint32_t *words, uint32_t count,
			     struct diag *d)
{
	for (uint32_t i = 0; i < count; i++)
		if (fl_put_word(k, at + i, words[i], d))
			return d->code;
	return ERR_OK;
}

/* ---- external memory ------------------------------------------------------ */

/* The part of a line that lies in a range of memory. */
struct fl_cut {
	uint32_t line, first, bytes; /* first: byte of the line */
};

static struct fl_cut fl_cut_line(uint32_t at, uint32_t size)
{
	struct fl_cut c = { at / FL_SEGMENT, at % FL_SEGMENT, size };

	if (c.bytes > FL_SEGMENT - c.first)
		c.bytes = FL_SEGMENT - c.first;
	return c;
}

static enum err fl_load_line(const struct fl_link *k, uint32_t line,
			     uint8_t bytes[FL_SEGMENT], struct diag *d)
{
	uint32_t word;

	if (fl_put_word(k, FL_CONTROL_line, line, d) ||
	    fl_put_word(k, FL_CONTROL_load, 1, d))
		return d->code;
	for (uint32_t i = 0; i < FL_CIRCUIT_LINE_WORDS; i++) {
		if (fl_get_word(k, FL_HOST_WINDOW + i, &word, d))
			return d->code;
		memcpy(bytes + 4 * i, &word, 4);
	}
	return ERR_OK;
}

static enum err fl_store_line(const struct fl_link *k, uint32_t line,
			      const uint8_t bytes[FL_SEGMENT], struct diag *d)
{
	uint32_t words[FL_CIRCUIT_LINE_WORDS];

	memcpy(words, bytes, sizeof(words));
	if (fl_put_words(k, FL_HOST_WINDOW, words, FL_CIRCUIT_LINE_WORDS, d) ||
	    fl_put_word(k, FL_CONTROL_line, line, d))
		return d->code;
	return fl_put_word(k, FL_CONTROL_store, UINT32_MAX, d);
}

enum err fl_circuit_store(const struct fl_link *link, uint32_t at,
			  const uint8_t *bytes, uint32_t size, struct diag *d)
{
	while (size) {
		struct fl_cut cut = fl_cut_line(at, size);
		uint8_t line[FL_SEGMENT];

		if (cut.bytes < FL_SEGMENT &&
		    fl_load_line(link, cut.line, line, d))
			return d->code;
		memcpy(line + cut.first, bytes, cut.bytes);
		if (fl_store_line(link, cut.line, line, d))
			return d->code;
		at += cut.bytes;
		bytes += cut.bytes;
		size -= cut.bytes;
	}
	return ERR_OK;
}

enum err fl_circuit_load(const struct fl_link *link, uint32_t at,
			 uint8_t *bytes, uint32_t size, struct diag *d)
{
	while (size) {
		struct fl_cut cut = fl_cut_line(at, size);
		uint8_t line[FL_SEGMENT];

		if (fl_load_line(link, cut.line, line, d))
			return d->code;
		memcpy(bytes, line + cut.first, cut.bytes);
		at += cut.bytes;
		bytes += cut.bytes;
		size -= cut.bytes;
	}
	return ERR_OK;
}

/* ---- the launch ------------------------------------------------------------ */

static uint32_t fl_log2(uint32_t power)
{
	return (uint32_t)__builtin_ctz(power);
}

/* All settings, as the words from FL_HOST_SETTING on. */
struct fl_settings {
	uint32_t words[FL_SETTING_END - FL_HOST_SETTING];
};

static void fl_set(struct fl_settings *s, uint32_t at, uint64_t value)
{
	s->words[at - FL_HOST_SETTING] = (uint32_t)value;
	if (value >> 32)
		s->words[at - FL_HOST_SETTING + 1] = (uint32_t)(value >> 32);
}

static void fl_set_config(struct fl_settings *s, const struct fl_config *c)
{
	uint64_t latency = 0, interval = 0, ways = 0;

	for (unsigned u = 0; u < FL_UNIT_MEM; u++) {
		latency |= (uint64_t)c->latency[u] << 8 * u;
		interval |= (uint64_t)c->interval[u] << 8 * u;
	}
	for (unsigned w = 0; w < FL_WAYS; w++)
		ways |= (uint64_t)c->way_latency[w] << 16 * w;
	fl_set(s, FL_SETTING_sms, c->sms);
	fl_set(s, FL_SETTING_warps, c->warps);
	fl_set(s, FL_SETTING_slice, c->slice);
	fl_set(s, FL_SETTING_lsu_cycles,
	       (FL_LANES + c->lsu_lanes - 1) / c->lsu_lanes);
	fl_set(s, FL_SETTING_latency, latency);
	fl_set(s, FL_SETTING_interval, interval);
	fl_set(s, FL_SETTING_way_latency, ways);
	fl_set(s, FL_SETTING_l1_sets_log2, fl_log2(c->l1_sets));
	fl_set(s, FL_SETTING_l1_ways, c->l1_ways);
	fl_set(s, FL_SETTING_l2_sets_log2, fl_log2(c->l2_sets));
	fl_set(s, FL_SETTING_l2_ways, c->l2_ways);
}

static void fl_set_launch(struct fl_settings *s, const struct fl_needs *n,
			  const struct fl_launch *l)
{
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];
	uint32_t rest = threads % FL_LANES;

	fl_set(s, FL_SETTING_places, n->places);
	fl_set(s, FL_SETTING_block_warps, n->warps);
	fl_set(s, FL_SETTING_last_lanes, rest ? (1u << rest) - 1 : UINT32_MAX);
	for (uint32_t i = 0; i < 3; i++) {
		fl_set(s, FL_SETTING_grid + i, l->grid[i]);
		fl_set(s, FL_SETTING_block + i, l->block[i]);
	}
	fl_set(s, FL_SETTING_blocks, n->blocks);
	fl_set(s, FL_SETTING_block_shared, n->shared);
	fl_set(s, FL_SETTING_count, l->kernel->count);
	fl_set(s, FL_SETTING_max_cycles, l->max_cycles);
	fl_set(s, FL_SETTING_regs, l->kernel->regs);
	fl_set(s, FL_SETTING_local_base, l->local_base);
	fl_set(s, FL_SETTING_local_words, n->local_words);
}

static enum err fl_write_code(const struct fl_link *k,
			      const struct fl_launch *l, struct diag *d)
{
	const uint64_t *words = l->code->words + l->kernel->first;

	for (uint32_t i = 0; i < l->kernel->count; i++)
		if (fl_put_word(k, FL_HOST_CODE + 2 * i, (uint32_t)words[i],
				d) ||
		    fl_put_word(k, FL_HOST_CODE + 2 * i + 1,
				(uint32_t)(words[i] >> 32), d))
			return d->code;
	return ERR_OK;
}

/* The last word may be cut: parameters end where they end. */
static enum err fl_write_params(const struct fl_link *k,
				const struct fl_launch *l, struct diag *d)
{
	uint32_t words[FL_CIRCUIT_PARAMS] = { 0 };
	uint32_t bytes = l->kernel->param_bytes;

	if (bytes)
		memcpy(words, l->params, bytes);
	return fl_put_words(k, FL_HOST_PARAMS, words, (bytes + 3) / 4, d);
}

static enum err fl_check_identity(const struct fl_link *k, struct diag *d)
{
	uint32_t word;

	if (fl_get_word(k, FL_CONTROL_identity, &word, d))
		return d->code;
	if (word != FL_CIRCUIT_IDENTITY)
		return fail(d, ERR_UNKNOWN,
			    "the host port answers 0x%08x: expected 0x%08x, "
			    "a circuit of this version of Heddle",
			    word, FL_CIRCUIT_IDENTITY);
	return ERR_OK;
}

static enum err fl_start(const struct fl_link *k, const struct fl_config *c,
			 const struct fl_launch *l, struct diag *d)
{
	struct fl_settings s = { 0 };
	struct fl_needs needs;

	if (fl_circuit_fits(c, l, d) || fl_launch_needs(&needs, c, l, d) ||
	    fl_check_identity(k, d) ||
	    (k->record && k->record(k->ctx, l->event != NULL, d)))
		return d->code;
	fl_set_config(&s, c);
	fl_set_launch(&s, &needs, l);
	if (fl_put_words(k, FL_HOST_SETTING, s.words, COUNT_OF(s.words), d) ||
	    fl_write_code(k, l, d) || fl_write_params(k, l, d))
		return d->code;
	return fl_put_word(k, FL_CONTROL_start, 1, d);
}

/* Waits for the launch's end. */
static enum err fl_poll(const struct fl_link *k, const struct fl_launch *l,
			struct diag *d)
{
	uint32_t status = 1;
	bool stopped = false;

	while (status & 1) {
		if (!stopped && l->stop && l->stop()) {
			stopped = true;
			if (fl_put_word(k, FL_CONTROL_stop, 1, d))
				return d->code;
		}
		if ((k->wait && k->wait(k->ctx, l, d)) ||
		    fl_get_word(k, FL_CONTROL_status, &status, d))
			return d->code;
	}
	/* What happened while the status was read. */
	return k->wait ? k->wait(k->ctx, l, d) : ERR_OK;
}

static enum err fl_get_fault(const struct fl_link *k, struct fl_fault *f,
			     struct diag *d)
{
	uint32_t kind;

	*f = (struct fl_fault){ 0 };
	if (fl_get_word(k, FL_FAULT_AT_kind, &kind, d))
		return d->code;
	f->kind = (enum fl_fault_kind)kind;
	/* Of others there is no instruction. */
	if (kind != FL_FAULT_ADDRESS && kind != FL_FAULT_MISALIGNED &&
	    kind != FL_FAULT_TRAP)
		return ERR_OK;
	if (fl_get_word(k, FL_FAULT_AT_block_x, &f->block[0], d) ||
	    fl_get_word(k, FL_FAULT_AT_block_y, &f->block[1], d) ||
	    fl_get_word(k, FL_FAULT_AT_block_z, &f->block[2], d) ||
	    fl_get_word(k, FL_FAULT_AT_warp, &f->warp, d) ||
	    fl_get_word(k, FL_FAULT_AT_lane, &f->lane, d) ||
	    fl_get_word(k, FL_FAULT_AT_pc, &f->pc, d))
		return d->code;
	return kind == FL_FAULT_TRAP ?
		       ERR_OK :
		       fl_get_word(k, FL_FAULT_AT_address, &f->address, d);
}

static enum err fl_get_stats(const struct fl_link *k, const struct fl_config *c,
			     struct fl_stats *stats,
			     struct fl_counters *counters, struct diag *d)
{
#define FL_COUNTED(id)                                      \
	if (fl_get_pair(k, FL_COUNTED_##id, &stats->id, d)) \
		return d->code;
#define FL_COUNTER(id, about)                                  \
	if (fl_get_pair(k, FL_COUNTER_##id, &counters->id, d)) \
		return d->code;
#include "fastlanes/circuit.def"
	/* Each cycle of a multiprocessor is one of the three. */
	stats->empty =
		stats->cycles * c->sms - stats->instructions - stats->stalled;
	return ERR_OK;
}

enum err fl_circuit_run(const struct fl_link *link, const struct fl_config *c,
			const struct fl_launch *l, struct fl_stats *stats,
			struct fl_counters *counters, struct fl_fault *fault,
			struct diag *d)
{
	if (fl_start(link, c, l, d) || fl_poll(link, l, d) ||
	    fl_get_fault(link, fault, d))
		return d->code;
	return fl_get_stats(link, c, stats, counters, d);
}
