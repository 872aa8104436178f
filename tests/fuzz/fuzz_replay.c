/*
 * Any tokens in a trace that is otherwise valid: a timed replay must come to
 * its end or stop with a message.
 *
 * Bytes: the kernel, how many instructions it claims to have executed, then
 * streams: lane and warp, length, tokens.
 */
#define _GNU_SOURCE /* memfd_create */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heddle/heddle.h"
#include "trace/trace.h"

enum { THREADS = 48, WARPS = 2, MAX_STREAMS = 64, MAX_CYCLES = 100000 };

/* One kernel for each kind of instruction that reads facts. */
#define HEAD                                                         \
	".version 8.4\n.target sm_90\n.address_size 64\n"            \
	".shared .align 16 .b8 s[1024]; .global .surfref surf;\n"    \
	".global .texref tex;\n"                                     \
	".func (.param .b32 r) f(.param .b32 x) { .reg .b32 %a<4>; " \
	"ld.param.b32 %a1, [x]; st.param.b32 [r], %a1; ret; }\n"
#define KERNEL(name, body)                                           \
	".visible .entry " name "(.param .u64 p) {\n"                \
	".reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<40>; "      \
	".reg .b64 %rd<8>; .reg .f32 %f<10>;\n"                      \
	".local .align 16 .b8 box[64];\n"                            \
	"ld.param.u64 %rd0, [p]; L: setp.ne.u32 %p1, %r1, 3;\n" body \
	"\n@%p1 bra L; ret; }\n"

static const char *const names[] = { "plain", "atoms",    "copies",
				     "waits", "steers",   "lanes",
				     "tiles", "surfaces", "texels" };
enum { KERNELS = sizeof(names) / sizeof(names[0]) };

static const char text[] = HEAD KERNEL(
	"plain",
	"ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd0+16]; "
	"@%p1 st.shared.u32 [%r1], %r2; ld.shared.u32 %r3, [%r1+4]; "
	"ld.u64 %rd1, [%rd2]; st.volatile.u8 [%rd3], %r2; "
	"ld.local.u32 %r6, [%r7]; st.local.u32 [box], %r6; "
	"ld.const.u32 %r8, [%rd4];") KERNEL("atoms",
					    "atom.global.add.u32 %r2, [%rd0], 1; ld.global.u32 %r3, [%rd1]; "
					    "red.shared.max.u32 [%r4], %r2; atom.cas.b64 %rd3, [%rd2], 0, 1; "
					    "@!%p1 red.global.add.f32 [%rd4], 0f3f800000; membar.gl; "
					    "atom.global.add.v2.f32 {%f1, %f2}, [%rd5], {%f3, %f4}; "
					    "st.global.u64 [%rd2], %rd3;")
	KERNEL("copies",
	       "cp.async.ca.shared.global [%r1], [%rd0], 16, %r2; "
	       "cp.async.commit_group; cp.async.wait_group 0; "
	       "cp.async.bulk.shared::cluster.global"
	       ".mbarrier::complete_tx::bytes [%r3], [%rd1], %r4, [%r5]; "
	       "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r6], %r7; "
	       "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;")
		KERNEL("waits",
		       "mbarrier.init.shared.b64 [%r1], %r2; "
		       "mbarrier.arrive.shared.b64 %rd1, [%r1]; "
		       "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], %r3; "
		       "mbarrier.test_wait.shared.b64 %p2, [%r1], %rd1; "
		       "@%p2 ld.global.u32 %r4, [%rd0]; "
		       "W: mbarrier.try_wait.parity.shared.b64 %p3, [%r1], %r5; "
		       "selp.u32 %r6, 1, 0, %p3; setp.eq.u32 %p4, %r6, 0; @%p4 bra W; "
		       "nanosleep.u32 %r7;") KERNEL("steers",
						    "T: .branchtargets A, B; P: .callprototype (.param .b32 _) _ "
						    "(.param .b32 _); brx.idx %r1, T; A: bar.sync %r2, 64; "
						    "B: bar.red.popc.u32 %r3, 1, %p1; { .param .b32 x; .param .b32 y; "
						    "st.param.b32 [x], %r3; call (y), %rd1, (x), P; "
						    "ld.param.b32 %r4, [y]; } alloca.u64 %rd2, %rd3; "
						    "mov.u32 %r5, %clock;")
			KERNEL("lanes",
			       "shfl.sync.idx.b32 %r2|%p2, %r3, %r4, %r5, %r6; "
			       "@%p2 vote.sync.any.pred %p3, %p1, %r7; "
			       "match.all.sync.b32 %r8|%p4, %r9, %r10; @%p4 bar.warp.sync %r11; "
			       "elect.sync %r12|%p5, %r13; redux.sync.add.u32 %r14, %r15, -1;")
				KERNEL("tiles",
				       "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r2, %r3}, [%r4]; "
				       "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r5], {%r2}; "
				       "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 "
				       "{%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [%rd0], %r6; "
				       "wmma.store.d.sync.aligned.row.m16n16k16.f32 [%rd1], "
				       "{%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, %r7;")
					KERNEL("surfaces",
					       "sust.b.2d.b32.clamp [surf, {%r1, %r2}], {%r3}; "
					       "sured.b.add.2d.u32.clamp [surf, {%r1, %r2}], %r3; "
					       "suld.b.2d.b32.zero {%r4}, [surf, {%r1, %r2}];")
						KERNEL("texels",
						       "ld.global.u32 %r5, [%rd0]; "
						       "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tex, {%r1, %r2}]; "
						       "@%p1 tex.1d.v4.f32.s32 {%f5, %f6, %f7, %f8}, [tex, {%r5}]; "
						       "setp.lt.f32 %p2, %f1, %f5; "
						       "suld.b.1d.b32.zero {%r4}, [surf, {%r5}];");

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int by_place(const void *a, const void *b)
{
	const struct trace_stream *x = a, *y = b;
	int one = (int)(x->warp * 32 + x->lane);
	int other = (int)(y->warp * 32 + y->lane);

	return one - other;
}

static uint32_t cut_streams(struct trace_stream to[MAX_STREAMS],
			    const uint8_t *p, size_t size)
{
	uint64_t taken = 0;
	uint32_t n = 0;

	while (size >= 2 && n < MAX_STREAMS) {
		uint32_t place = p[0] % (WARPS * 32);
		size_t length = p[1] < size - 2 ? p[1] : size - 2;

		if (!(taken >> place & 1))
			to[n++] = (struct trace_stream){ .warp = place / 32,
							 .lane = place % 32,
							 .bytes = p + 2,
							 .size = length };
		taken |= UINT64_C(1) << place;
		p += 2 + length;
		size -= 2 + length;
	}
	qsort(to, n, sizeof(*to), by_place);
	return n;
}

static void must(enum err e, const struct diag *d)
{
	if (!e)
		return;
	fprintf(stderr, "%s\n", d->text);
	abort();
}

static void write_trace(const char *path, const uint8_t *data, size_t size)
{
	const struct trace_info info = { .producer = "fuzz",
					 .command = "",
					 .gpu = "",
					 .sm = 90,
					 .sm_count = 4,
					 .independent = 1,
					 .local_bytes = 1024,
					 .more = "" };
	const uint64_t param = 0;
	struct trace_launch l = { .kernel = names[data[0] % KERNELS],
				  .grid = { 1, 1, 1 },
				  .block = { THREADS, 1, 1 },
				  .params = &param,
				  .param_bytes = sizeof(param),
				  .local_bytes = 1024 };
	struct trace_stream streams[MAX_STREAMS];
	struct trace_block b = { .warp_instructions = 16 * data[1],
				 .streams = streams };
	struct trace_writer *w;
	struct diag d;
	uint32_t number;

	b.stream_count = cut_streams(streams, data + 2, size - 2);
	must(trace_create(&w, path, &info, &d), &d);
	must(trace_put_module(w, "fuzz.ptx", text, sizeof(text) - 1, &l.module,
			      &d),
	     &d);
	must(trace_begin_launch(w, &l, &number, &d), &d);
	must(trace_put_block(w, number, &b, &d), &d);
	must(trace_end_launch(w, number, NULL, &d), &d);
	must(trace_finish(w, &d), &d);
}

static void replay(const char *path, const struct heddle_config *c)
{
	const struct heddle_device_options o = {
		.threads = 1, .config = c, .max_warp_instructions = 20000
	};
	const struct heddle_timing_options timing = { .max_cycles =
							      MAX_CYCLES };
	const struct heddle_replay_options options = { .timing = c ? &timing :
								     NULL };
	struct heddle_device *dev;
	struct heddle_error err;
	int status;

	if (heddle_device_new(&dev, &o, &err))
		abort();
	status = heddle_replay(dev, path, &options, &err);
	if (status && (status != HEDDLE_FAULT || !err.text[0])) {
		fprintf(stderr, "%d: %s\n", status, err.text);
		abort();
	}
	heddle_device_free(dev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct heddle_config *config;
	struct heddle_error err;
	char path[64];
	int file;

	if (size < 2 || size > 4096 || !trace_supported())
		return 0;
	if (!config && (heddle_config_load(&config, HEDDLE_TINY, &err) ||
			heddle_config_set(config, "tex.lookup=yes", &err)))
		abort();
	file = memfd_create("trace", 0);
	if (file < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	write_trace(path, data, size);
	replay(path, NULL);
	replay(path, config);
	close(file);
	return 0;
}
