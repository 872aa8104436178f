/* heddle system: what OpenCL took, of guests that use it. */
#include <stdio.h>

#include "base/human.h"
#include "door/cli/memory_json.h"
#include "door/cli/system.h"
#include "door/guest/guest.h"
#include "heddle/heddle.h"

#ifdef HEDDLE_GUEST_OPENCL

void system_attach_gpu(struct system *s)
{
	gcl_attach(s);
}

/* What is left of the region: the program's own instructions, or nothing, if
 * kernels ran meanwhile. */
static double opencl_rest(const struct gcl_times *t)
{
	double rest =
		t->region - t->kernel - t->call - t->copy - t->gpu_copies.ns;

	return rest > 0 ? rest : 0;
}

static void opencl_say_part(const char *name, double ns, double of)
{
	char text[GROUPED_TEXT];

	fprintf(stderr, "    %5.1f%%  %-8s %s\n", of > 0 ? 100 * ns / of : 0,
		name, duration(text, ns * 1e-9));
}

void system_say_opencl(void)
{
	char region[GROUPED_TEXT], calls[GROUPED_TEXT];
	struct gcl_times t;

	gcl_times(&t);
	if (!t.used)
		return;
	fprintf(stderr,
		"  OpenCL    %s from the first buffer to the last copy, %s "
		"calls, %zu kernels\n",
		duration(region, t.region * 1e-9), grouped(calls, t.calls),
		t.kernel_count);
	opencl_say_part("kernels", t.kernel, t.region);
	opencl_say_part("calls", t.call, t.region);
	opencl_say_part("copies", t.copy, t.region);
	if (t.gpu_copies.count)
		opencl_say_part("by GPU", t.gpu_copies.ns, t.region);
	opencl_say_part("rest", opencl_rest(&t), t.region);
}

static void put_text(void *to, const char *text, size_t size)
{
	fwrite(text, 1, size, to);
}

static void opencl_json_kernel(struct json *j, const struct gcl_kernel_time *k)
{
	json_open(j, NULL, '{');
	json_string(j, "kernel", k->name);
	json_real(j, "start_ns", k->start);
	json_real(j, "kernel_ns", k->end - k->start);
	json_real(j, "fence_ns", k->fence);
	json_uint(j, "cycles", k->cycles);
	json_uint(j, "requests", k->requests);
	json_uint(j, "fences", k->fences);
	json_key(j, "stats");
	heddle_stats_print((const struct heddle_stats *)&k->stats,
			   HEDDLE_STATS_JSON, 2 * j->depth, put_text, j->to);
	json_close(j, '{');
}

/* [kind, begin, end, how many] */
static void opencl_json_spans(struct json *j, const char *key,
			      enum gcl_span kind, const struct spans *s)
{
	json_open(j, key, '[');
	for (unsigned i = 0; i < s->count; i++) {
		if (s->at[i].kind != (uint32_t)kind)
			continue;
		json_open_line(j, NULL, '[');
		json_uint(j, NULL, s->at[i].kind);
		json_uint(j, NULL, s->at[i].begin);
		json_uint(j, NULL, s->at[i].end);
		json_uint(j, NULL, s->at[i].count);
		json_close(j, '[');
	}
	json_close(j, '[');
}

void system_json_opencl(struct json *j)
{
	struct gcl_times t;

	gcl_times(&t);
	if (!t.used)
		return;
	json_open(j, "opencl", '{');
	json_real(j, "begin_ns", t.begin);
	json_real(j, "region_ns", t.region);
	json_real(j, "kernel_ns", t.kernel);
	json_real(j, "call_ns", t.call);
	json_real(j, "copy_ns", t.copy);
	json_real(j, "gpu_copy_ns", t.gpu_copies.ns);
	json_real(j, "cpu_ns", opencl_rest(&t));
	json_uint(j, "calls", t.calls);
	json_uint(j, "copied_bytes", t.copied);
	json_uint(j, "gpu_copies", t.gpu_copies.count);
	json_uint(j, "gpu_copied_bytes", t.gpu_copies.bytes);
	json_uint(j, "gpu_copy_requests", t.gpu_copies.requests);
	json_open(j, "kernels", '[');
	for (size_t i = 0; i < t.kernel_count; i++)
		opencl_json_kernel(j, &t.kernels[i]);
	json_close(j, '[');
	opencl_json_spans(j, "call_spans", GCL_SPAN_CALL, t.spans);
	opencl_json_spans(j, "copy_spans", GCL_SPAN_COPY, t.spans);
	memory_json(j, &t.memory);
	json_close(j, '{');
}

#else

void system_attach_gpu(struct system *s)
{
	(void)s;
}

void system_say_opencl(void)
{
}

void system_json_opencl(struct json *j)
{
	(void)j;
}

#endif
