#include "door/common/launch_json.h"

#include <inttypes.h>

/* Names in JSON, indexed by enum heddle_fault_kind. */
static const char *const fault_names[] = {
	[HEDDLE_FAULT_NONE] = "none",
	[HEDDLE_FAULT_ADDRESS] = "illegal address",
	[HEDDLE_FAULT_MISALIGNED] = "misaligned address",
	[HEDDLE_FAULT_SHARED] = "outside of shared memory",
	[HEDDLE_FAULT_LOCAL] = "outside of local memory",
	[HEDDLE_FAULT_TRAP] = "trap",
	[HEDDLE_FAULT_ASSERT] = "assertion failed",
	[HEDDLE_FAULT_BARRIER] = "deadlock at a barrier",
	[HEDDLE_FAULT_LOOP] = "too many instructions",
	[HEDDLE_FAULT_ILLEGAL] = "illegal operand",
	[HEDDLE_FAULT_STOPPED] = "stopped",
	[HEDDLE_FAULT_LIMIT] = "cycle limit",
	[HEDDLE_FAULT_TRACE] = "trace",
};

const char *fault_name(enum heddle_fault_kind kind)
{
	size_t i = (size_t)kind;

	return i < sizeof(fault_names) / sizeof(fault_names[0]) ?
		       fault_names[i] :
		       "fault";
}

void json_dim3(struct json *j, const char *key, struct heddle_dim3 v)
{
	json_uints(j, key, (const uint32_t[]){ v.x, v.y, v.z }, 3);
}

void json_code(struct json *j, const char *isa, unsigned sm)
{
	char target[24];

	snprintf(target, sizeof(target), "sm_%u", sm);
	json_string(j, "isa", isa);
	json_string(j, "target", target);
}

void json_fault(struct json *j, const struct heddle_fault *f)
{
	char address[24];

	if (f->kind == HEDDLE_FAULT_NONE) {
		json_null(j, "fault");
		return;
	}
	json_open(j, "fault", '{');
	json_string(j, "kind", fault_name(f->kind));
	json_string(j, "text", f->text);
	json_string(j, "kernel", f->kernel);
	json_string(j, "function", f->function);
	json_dim3(j, "block", f->block);
	json_dim3(j, "thread", f->thread);
	json_uint(j, "warp", f->warp);
	json_uint(j, "lane", f->lane);
	json_uint(j, "pc", f->pc);
	json_string(j, "file", f->file);
	json_uint(j, "line", f->line);
	json_uint(j, "ptx_line", f->ptx_line);
	json_string(j, "instruction", f->instruction);
	/* JSON numbers lose bits beyond 2^53. */
	snprintf(address, sizeof(address), "0x%" PRIx64, f->address);
	json_string(j, "address", address);
	json_close(j, '{');
}

static void json_kernel(struct json *j, const struct heddle_kernel_timing *k)
{
	json_open(j, "occupancy", '{');
	json_uint(j, "blocks_per_sm", k->blocks_per_sm);
	json_string(j, "limit", k->limit ? k->limit : "");
	json_string(j, "resource", k->resource ? k->resource : "");
	json_uint(j, "registers", k->registers);
	json_uint(j, "warps_per_block", k->warps);
	json_uint(j, "shared_bytes", k->shared_bytes);
	json_uint(j, "most_warps", k->most_warps);
	json_close(j, '{');
	json_uint(j, "blocks", k->blocks);
	json_uint(j, "blocks_done", k->blocks_done);
	json_open_line(j, "waves", '{');
	json_real(j, "deviation", k->wave_deviation);
	json_uint(j, "gap", k->wave_gap);
	json_close(j, '{');
}

static void json_ends(struct json *j, const struct heddle_timing *t, size_t n)
{
	uint64_t end;

	json_open_line(j, "sm_ends", '[');
	for (size_t i = 0; i < n; i++)
		if (!heddle_timing_sm_end(t, i, &end, NULL))
			json_uint(j, NULL, end);
	json_close(j, '[');
}

/* Seconds of the host's threads; nothing unless they were asked for. */
static void json_host_time(struct json *j, const struct heddle_host_time *h)
{
	if (h->sms <= 0)
		return;
	json_open_line(j, "host_time", '{');
	json_real(j, "sms", h->sms);
	json_real(j, "network", h->network);
	json_real(j, "memory", h->memory);
	json_real(j, "dispatch", h->dispatch);
	json_real(j, "rest", h->rest);
	json_close(j, '{');
}

static void put(void *ctx, const char *text, size_t size)
{
	fwrite(text, 1, size, ctx);
}

void json_timing(struct json *j, const struct heddle_timing *t, size_t kernel)
{
	struct heddle_kernel_timing k;
	struct heddle_timing_info i;

	heddle_timing_info(t, &i);
	json_uint(j, "cycles", i.cycles);
	json_real(j, "gpu_seconds", i.gpu_seconds);
	json_real(j, "clock_mhz", i.clock_mhz);
	json_bool(j, "whole", i.whole);
	json_bool(j, "cold", i.cold);
	json_string(j, "engine", i.engine);
	json_uint(j, "threads", i.threads);
	json_uint(j, "window", i.window);
	json_bool(j, "exact", i.exact);
	json_real(j, "host_seconds", i.host_seconds);
	json_host_time(j, &i.host_time);
	json_ends(j, t, i.sms);
	if (!heddle_timing_kernel(t, kernel, &k, NULL))
		json_kernel(j, &k);
	json_key(j, "stats");
	if (i.kernels < 2) {
		heddle_stats_print(heddle_timing_stats(t), HEDDLE_STATS_JSON,
				   2 * j->depth, put, j->to);
		return;
	}
	heddle_stats_print(heddle_timing_kernel_stats(t, kernel),
			   HEDDLE_STATS_OWN_JSON, 2 * j->depth, put, j->to);
	json_key(j, "group_stats");
	heddle_stats_print(heddle_timing_stats(t), HEDDLE_STATS_JSON,
			   2 * j->depth, put, j->to);
}
