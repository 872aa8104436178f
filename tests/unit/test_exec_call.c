/*
 * Calls: what is passed, what is preserved, and the functions of the device
 * run-time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "run_ptx.h"

TEST(exec_call, parameters_of_every_size)
{
	struct run r = { 0 };

	run_both(&r,
		 MODULE(".func (.param .b64 r) f(.param .b8 a, .param .b16 b, "
			".param .b32 c, .param .b64 d, .param .f32 e, "
			".param .f64 g) { .reg .b32 %x<4>; .reg .b64 %y<4>; "
			".reg .f32 %s; .reg .f64 %t<2>; "
			"ld.param.s8 %x0, [a]; ld.param.u16 %x1, [b]; "
			"ld.param.u32 %x2, [c]; ld.param.u64 %y0, [d]; "
			"ld.param.f32 %s, [e]; ld.param.f64 %t0, [g]; "
			"add.s32 %x0, %x0, %x1; add.s32 %x0, %x0, %x2; "
			"cvt.s64.s32 %y1, %x0; add.s64 %y0, %y0, %y1; "
			"cvt.f64.f32 %t1, %s; add.f64 %t0, %t0, %t1; "
			"cvt.rni.s64.f64 %y2, %t0; add.s64 %y0, %y0, %y2; "
			"st.param.b64 [r], %y0; ret; }",
			"{ .param .b8 a; .param .b16 b; .param .b32 c; "
			".param .b64 d; .param .f32 e; .param .f64 g; "
			".param .b64 r; mov.u16 %rs1, 0xfffe; "
			"st.param.b8 [a], %rs1; mov.u16 %rs2, 60000; "
			"st.param.b16 [b], %rs2; st.param.b32 [c], %r0; "
			"mov.u64 %rd3, 0x100000000; st.param.b64 [d], %rd3; "
			"mov.f32 %f1, 0f40200000; st.param.f32 [e], %f1; "
			"mov.f64 %fd1, 0d4008000000000000; "
			"st.param.f64 [g], %fd1; "
			"call (r), f, (a, b, c, d, e, g); "
			"ld.param.b64 %rd4, [r]; }\n"
			"shl.b32 %r1, %r0, 3; cvt.u64.u32 %rd5, %r1; "
			"add.u64 %rd5, %rd5, %rd0; st.global.u64 [%rd5], %rd4; "
			"ret;"));
	for (uint64_t i = 0; i < 32; i++)
		EQ(0x100000000u + 60000 - 2 + i + 6, r.d[i]); /* 5.5: even */
}

TEST(exec_call, structures_are_copied_with_their_alignment)
{
	struct run r = { 0 };

	/* the callee changes its copy */
	run_both(&r,
		 MODULE(".func (.param .align 8 .b8 r[24]) "
			"f(.param .b8 x, .param .align 16 .b8 a[32]) { "
			".reg .b32 %x<8>; .reg .b64 %y<2>; "
			"ld.param.v4.u32 {%x0, %x1, %x2, %x3}, [a+16]; "
			"st.param.v2.u32 [r], {%x3, %x2}; "
			"st.param.v2.u32 [r+8], {%x1, %x0}; "
			"ld.param.u64 %y0, [a]; st.param.u64 [r+16], %y0; "
			"ret; }",
			"{ .param .b8 x; .param .align 16 .b8 a[32]; "
			".param .align 8 .b8 r[24]; "
			"mov.u16 %rs1, 1; st.param.b8 [x], %rs1; "
			"st.param.u64 [a], %rd1; st.param.u32 [a+16], 10; "
			"st.param.u32 [a+20], 11; st.param.u32 [a+24], 12; "
			"st.param.u32 [a+28], %r0; call (r), f, (x, a); "
			"ld.param.v2.u32 {%r1, %r2}, [r]; "
			"ld.param.v2.u32 {%r3, %r4}, [r+8]; "
			"ld.param.u64 %rd2, [r+16]; ld.param.u32 %r5, [a+16]; }"
			"\nst.global.u32 [%rd2], %r1; "
			"st.global.u32 [%rd1+128], %r2; "
			"st.global.u32 [%rd1+256], %r3; "
			"st.global.u32 [%rd1+384], %r4; "
			"st.global.u32 [%rd1+512], %r5; ret;"));
	for (int i = 0; i < 32; i++) {
		EQ(i, r.w[i]);
		EQ(12u, r.w[32 + i]);
		EQ(11u, r.w[64 + i]);
		EQ(10u, r.w[96 + i]);
		EQ(10u, r.w[128 + i]);
	}
}

TEST(exec_call, parameters_in_registers)
{
	struct run r = { 0 };

	run_both(&r, MODULE(".func (.reg .u32 r, .reg .pred q) f(.reg .u32 a, "
			    ".reg .u64 b, .reg .pred p, .reg .u16 c) { "
			    ".reg .b32 %x<3>; cvt.u32.u64 %x0, b; "
			    "add.u32 r, a, %x0; cvt.u32.u16 %x1, c; "
			    "add.u32 r, r, %x1; @p add.u32 r, r, 1000; "
			    "not.pred q, p; ret; }",
			    "and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0; "
			    "mov.u64 %rd2, 500; mov.u16 %rs1, 7; "
			    "call (%r1, %p2), f, (%r0, %rd2, %p1, %rs1); "
			    "@%p2 add.u32 %r1, %r1, 10000; "
			    "st.global.u32 [%rd1], %r1; ret;"));
	for (int i = 0; i < 32; i++)
		EQ(i + 507 + (i & 1 ? 10000 : 1000), r.w[i]);
}

TEST(exec_call, registers_and_constants_may_be_passed_as_param)
{
	struct run r = { 0 };

	run_both(&r,
		 MODULE(".func (.param .b32 r) f(.param .b8 a, .param .b16 b, "
			".param .b32 c, .param .b64 d) { .reg .b32 %x<4>; "
			".reg .b64 %y; ld.param.u8 %x0, [a]; "
			"ld.param.u16 %x1, [b]; ld.param.u32 %x2, [c]; "
			"ld.param.u64 %y, [d]; cvt.u32.u64 %x3, %y; "
			"add.u32 %x0, %x0, %x1; add.u32 %x0, %x0, %x2; "
			"add.u32 %x0, %x0, %x3; st.param.b32 [r], %x0; ret; }",
			"mov.u16 %rs1, 0x105; mov.u64 %rd2, 1000; "
			"call (%r1), f, (%rs1, 20, %r0, %rd2); "
			"st.global.u32 [%rd1], %r1; ret;"));
	for (int i = 0; i < 32; i++)
		EQ(i + 1025, r.w[i]);
}

TEST(exec_call, a_register_of_another_size_is_refused)
{
	struct run r = { 0 };

	run_ptx(&r, MODULE(".func f(.param .align 4 .b8 a[16]) { ret; }",
			   "call f, (%rd1); ret;"));
	EQ(HEDDLE_SYNTAX, r.status);
	run_ptx(&r, MODULE(".func f(.param .b64 a) { ret; }",
			   "call f, (%r1); ret;"));
	EQ(HEDDLE_SYNTAX, r.status);
	run_ptx(&r, MODULE(".func f(.reg .pred a) { ret; }",
			   "call f, (%r1); ret;"));
	EQ(HEDDLE_SYNTAX, r.status);
	run_ptx(&r, KERNEL("mov.u64 %rd1, %r1; ret;"));
	EQ(HEDDLE_SYNTAX, r.status);
}

TEST(exec_call, nested_calls_keep_registers_and_memory)
{
	struct run r = { 0 };

	run_both(&r,
		 MODULE(".func (.param .b32 r) g(.param .b32 a) { "
			".reg .b32 %x<4>; .local .b32 l[4]; "
			"ld.param.b32 %x0, [a]; st.local.b32 [l+8], %x0; "
			"mul.lo.u32 %x1, %x0, 2; mov.u32 %x2, 77; "
			"ld.local.b32 %x3, [l+8]; add.u32 %x1, %x1, %x3; "
			"st.param.b32 [r], %x1; ret; } "
			".func (.param .b32 r) f(.param .b32 a) { "
			".reg .b32 %x<4>; .local .b32 l[4]; "
			"ld.param.b32 %x0, [a]; st.local.b32 [l+8], 5; "
			"add.u32 %x2, %x0, 1; { .param .b32 p; .param .b32 q; "
			"st.param.b32 [p], %x2; call (q), g, (p); "
			"ld.param.b32 %x1, [q]; } ld.local.b32 %x3, [l+8]; "
			"add.u32 %x1, %x1, %x3; add.u32 %x1, %x1, %x0; "
			"st.param.b32 [r], %x1; ret; }",
			"mov.u32 %r2, 1000; { .param .b32 p; .param .b32 q; "
			"st.param.b32 [p], %r0; call (q), f, (p); "
			"ld.param.b32 %r1, [q]; } add.u32 %r1, %r1, %r2; "
			"add.u32 %r1, %r1, %r0; "
			"st.global.u32 [%rd1], %r1; ret;"));
	for (int i = 0; i < 32; i++)
		EQ(3 * (i + 1) + 5 + 2 * i + 1000, r.w[i]);
}

TEST(exec_call, the_address_of_a_parameter_points_into_the_frame)
{
	struct run r = { 0 };

	run_both(&r,
		 MODULE(".func (.param .b32 r) f(.param .align 4 .b8 a[16]) { "
			".reg .b64 %y<3>; .reg .b32 %x<3>; mov.b64 %y0, a; "
			"ld.param.u32 %x0, [%y0+4]; ld.local.u32 %x1, [%y0+8]; "
			"cvta.local.u64 %y1, %y0; ld.u32 %x2, [%y1+12]; "
			"add.u32 %x0, %x0, %x1; add.u32 %x0, %x0, %x2; "
			"st.param.b32 [r], %x0; ret; }",
			"{ .param .align 4 .b8 a[16]; .param .b32 q; "
			"st.param.b32 [a+4], 100; st.param.b32 [a+8], %r0; "
			"st.param.b32 [a+12], 5000; call (q), f, (a); "
			"ld.param.b32 %r1, [q]; } st.global.u32 [%rd1], %r1; "
			"ret;"));
	for (int i = 0; i < 32; i++)
		EQ(5100 + i, r.w[i]);
}

TEST(exec_call, recursion_goes_as_deep_as_local_memory)
{
	struct run r = { .options = { .local_bytes = 1 << 16 } };

	/* each frame has 16 bytes of parameters and 16 spare bytes */
	run_both(&r, MODULE(".func (.param .b32 r) f(.param .b32 n);"
			    ".func (.param .b32 r) f(.param .b32 n) { "
			    ".reg .b32 %x<3>; .reg .pred %q; "
			    "ld.param.b32 %x0, [n]; mov.u32 %x2, 0; "
			    "setp.eq.u32 %q, %x0, 0; @%q bra E; "
			    "sub.u32 %x1, %x0, 1; { .param .b32 a; "
			    ".param .b32 b; st.param.b32 [a], %x1; "
			    "call (b), f, (a); ld.param.b32 %x2, [b]; } "
			    "E: add.u32 %x2, %x2, 1; st.param.b32 [r], %x2; "
			    "ret; }",
			    "{ .param .b32 a; .param .b32 b; "
			    "st.param.b32 [a], 1000; call (b), f, (a); "
			    "ld.param.b32 %r1, [b]; } "
			    "st.global.u32 [%rd1], %r1; ret;"));
	EQ(1001u, r.w[31]);
}

/* One call of vprintf by thread 0 with a format and up to four 64-bit words of
 * arguments. */
static void prints(const char *want, int count, const char *format,
		   const uint64_t *args)
{
	static struct run r;
	char bytes[1024] = "", text[4000];
	size_t n = 0;

	for (const char *p = format;; p++) {
		n += (size_t)snprintf(bytes + n, sizeof(bytes) - n, "%s%d",
				      p == format ? "" : ",", *p);
		if (!*p)
			break;
	}
	snprintf(text, sizeof(text),
		 ".version 8.4\n.target sm_90\n.address_size 64\n"
		 ".extern .func (.param .b32 r) vprintf(.param .b64 f, "
		 ".param .b64 a);\n.global .b8 fmt[%zu] = {%s};\n"
		 ".global .b8 word[6] = {119, 111, 114, 108, 100, 0};\n"
		 ".visible .entry k(.param .u64 out) {\n"
		 ".reg .b64 %%rd<4>; .reg .b32 %%r<3>; .local .align 8 .b64 "
		 "args[4];\n"
		 "mov.u64 %%rd0, %llu; st.local.u64 [args], %%rd0;\n"
		 "mov.u64 %%rd0, %llu; st.local.u64 [args+8], %%rd0;\n"
		 "mov.u64 %%rd0, %llu; st.local.u64 [args+16], %%rd0;\n"
		 "mov.u64 %%rd0, %llu; st.local.u64 [args+24], %%rd0;\n"
		 "ld.local.u64 %%rd0, [args]; mov.u64 %%rd1, word;\n"
		 "{ .reg .pred %%p; setp.eq.u64 %%p, %%rd0, 0x77777777; "
		 "@%%p st.local.u64 [args], %%rd1; }\n"
		 "{ .param .b64 f; .param .b64 a; .param .b32 q; "
		 "mov.u64 %%rd0, fmt; st.param.b64 [f], %%rd0; "
		 "mov.u64 %%rd1, args; cvta.local.u64 %%rd1, %%rd1; "
		 "st.param.b64 [a], %%rd1; call (q), vprintf, (f, a); "
		 "ld.param.b32 %%r0, [q]; }\n"
		 "ld.param.u64 %%rd2, [out]; st.global.u32 [%%rd2], %%r0; "
		 "ret;\n}\n",
		 strlen(format) + 1, bytes, (unsigned long long)args[0],
		 (unsigned long long)args[1], (unsigned long long)args[2],
		 (unsigned long long)args[3]);
	r.block.x = 1;
	run_ok(&r, text);
	STREQ(want, r.printed);
	EQ((uint32_t)count, r.w[0]);
}

static uint64_t bits(double d)
{
	uint64_t v;

	memcpy(&v, &d, 8);
	return v;
}

TEST(exec_call, vprintf_formats)
{
	enum { WORD = 0x77777777 };
	const uint64_t pi = bits(3.14159265358979), big = bits(-1.5e300);
	const struct {
		const char *want, *format;
		int count;
		uint64_t args[4];
	} cases[] = {
		{ "plain", "plain", 0, { 0 } },
		{ "", "", 0, { 0 } },
		{ "100%", "100%%", 0, { 0 } },
		{ "-5 7", "%d %u", 2, { 0x7fffffffbu } },
		{ "4294967291", "%u", 1, { 0xfffffffbu } },
		{ "ff FF 377 0xff",
		  "%x %X %o %#x",
		  4,
		  { 0xff000000ffull, 0xff000000ffull } },
		{ "-1 18446744073709551615", "%lld %llu", 2, { ~0ull, ~0ull } },
		{ "-1 ffffffffffffffff", "%ld %lx", 2, { ~0ull, ~0ull } },
		{ "7, 9", "%d, %lld", 2, { 7, 9 } },
		{ "3.141593 -1.500000e+300 3.14159 -1.5E+300",
		  "%f %e %g %G",
		  4,
		  { pi, big, pi, big } },
		{ "[  42] [42  ] [0042] [+42]",
		  "[%4d] [%-4d] [%04d] [%+d]",
		  4,
		  { 42ull << 32 | 42, 42ull << 32 | 42 } },
		{ "3.14 |  3.1416|", "%.2f |%8.4f|", 2, { pi, pi } },
		{ "[   42] [42   ]",
		  "[%*d] [%*d]",
		  4,
		  { 42ull << 32 | 5, 42ull << 32 | 0xfffffffb } },
		{ "3.142", "%.*f", 2, { 3, pi } },
		{ "3.141593", "%.*f", 2, { 0xffffffff, pi } },
		{ "a=A", "a=%c", 1, { 'A' } },
		{ "[world] [w]", "[%s] [w]", 1, { WORD } },
		{ "[  world]", "[%7s]", 1, { WORD } },
		{ "[wor]", "[%.3s]", 1, { WORD } },
		{ "0xabc", "%p", 1, { 0xabc } },
		{ "%", "%", 0, { 0 } },
		{ "-3", "%hd", 1, { 0xfffffffd } },
		{ "4464 4464 44 300",
		  "%hd %hu %hhd %d",
		  4,
		  { 70000ull << 32 | 70000, 300ull << 32 | 300 } },
		{ "[world  ]", "[%-7s]", 1, { WORD } },
		{ "[   wo]", "[%5.2s]", 1, { WORD } },
		{ "[007] [  +5]", "[%.3d] [%+4d]", 2, { 5ull << 32 | 7 } },
		/* No conversion: as it is written, as an H200 prints it. */
		{ "3.141593 %5k 3", "%f %5k %d", 2, { pi, 3 } },
		{ "%-08.3", "%-08.3", 0, { 0 } },
		{ "%5%|%-%|%", "%5%|%-%|%%", 0, { 0 } },
		/* Too wide: the same, and the argument is taken. */
		{ "%2147483647d 8", "%2147483647d %d", 2, { 8ull << 32 | 7 } },
		{ "%99999999999999999999d", "%99999999999999999999d", 1, { 7 } },
		{ "%.1048577f|3.1", "%.1048577f|%.1f", 2, { pi, pi } },
		{ "%*d 8", "%*d %d", 3, { 7ull << 32 | 0x7fffffff, 8 } },
		{ "%*d 8", "%*d %d", 3, { 7ull << 32 | 0x80000000, 8 } },
		{ "[world]", "[%.1048577s]", 1, { WORD } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		prints(cases[i].want, cases[i].count, cases[i].format,
		       cases[i].args);
}

/* Prints a format of 5,000 characters, a string of 6,000 and a number of 3,000:
 * what one thread may print is not bounded by buffers of the simulator. */
TEST(exec_call, vprintf_cuts_nothing)
{
	enum { FORMAT = 5000, WORD = 6000, WIDTH = 3000 };
	static const char tail[] = "%s|%3000d|%*d";
	static struct run r;
	static char text[80000], printed[20000];
	size_t n = 0, size = 0;

	n += (size_t)snprintf(text, sizeof(text),
			      ".version 8.4\n.target sm_90\n.address_size 64\n"
			      ".extern .func (.param .b32 r) vprintf(.param "
			      ".b64 f, .param .b64 a);\n"
			      ".global .b8 word[%d] = {",
			      WORD + 1);
	for (int i = 0; i < WORD; i++)
		n += (size_t)snprintf(text + n, 8, "%d,", 'a' + i % 26);
	n += (size_t)snprintf(text + n, 100, "0};\n.global .b8 fmt[%zu] = {",
			      FORMAT + sizeof(tail));
	for (int i = 0; i < FORMAT; i++)
		n += (size_t)snprintf(text + n, 8, "%d,", '0' + i % 10);
	for (size_t i = 0; i < sizeof(tail); i++)
		n += (size_t)snprintf(text + n, 8, i ? ",%d" : "%d", tail[i]);
	snprintf(text + n, sizeof(text) - n,
		 "};\n.visible .entry k(.param .u64 out) {\n"
		 ".reg .b64 %%rd<3>; .reg .b32 %%r<2>; "
		 ".local .align 8 .b64 args[3];\n"
		 "mov.u64 %%rd0, word; st.local.u64 [args], %%rd0; "
		 "mov.u32 %%r0, 7; st.local.u32 [args+8], %%r0; "
		 "mov.u32 %%r0, -%d; st.local.u32 [args+12], %%r0; "
		 "mov.u32 %%r0, 8; st.local.u32 [args+16], %%r0;\n"
		 "{ .param .b64 f; .param .b64 a; .param .b32 q; "
		 "mov.u64 %%rd0, fmt; st.param.b64 [f], %%rd0; "
		 "mov.u64 %%rd1, args; cvta.local.u64 %%rd1, %%rd1; "
		 "st.param.b64 [a], %%rd1; call (q), vprintf, (f, a); "
		 "ld.param.b32 %%r1, [q]; }\n"
		 "ld.param.u64 %%rd2, [out]; st.global.u32 [%%rd2], %%r1; "
		 "ret;\n}\n",
		 WIDTH);
	for (int i = 0; i < FORMAT; i++)
		printed[size++] = (char)('0' + i % 10);
	for (int i = 0; i < WORD; i++)
		printed[size++] = (char)('a' + i % 26);
	snprintf(printed + size, sizeof(printed) - size, "|%*d|%*d", WIDTH, 7,
		 -WIDTH, 8);
	r.block.x = 1;
	run_ok(&r, text);
	EQ(strlen(printed), r.printed_size);
	STREQ(printed, r.printed);
	EQ(4, r.w[0]);
}

TEST(exec_call, vprintf_of_a_format_that_cannot_be_read_fails)
{
	struct run r = { .block = { 1, 1, 1 } };

	run_ok(&r, MODULE(".extern .func (.param .b32 r) vprintf(.param .b64 "
			  "f, .param .b64 a);",
			  "{ .param .b64 f; .param .b64 a; .param .b32 q; "
			  "mov.u64 %rd2, 0; st.param.b64 [f], %rd2; "
			  "st.param.b64 [a], %rd2; call (q), vprintf, (f, a); "
			  "ld.param.b32 %r1, [q]; } "
			  "st.global.u32 [%rd1], %r1; ret;"));
	STREQ("", r.printed);
	EQ(UINT32_MAX, r.w[0]);
}

/* A module that declares a service in its own way, and calls it. */
static void declared(const char *want, const char *before, const char *body)
{
	struct heddle_device_options o = { .threads = 1 };
	struct heddle_device *dev;
	struct heddle_module *mod = NULL;
	struct heddle_error err = { 0 };
	const char *got;
	char text[1000];

	snprintf(text, sizeof(text),
		 ".version 8.4\n.target sm_90\n.address_size 64\n%s\n"
		 ".visible .entry k() { .reg .b64 %%rd<4>; .reg .b32 %%r<4>;\n"
		 "%s\nret; }\n",
		 before, body);
	EQ(0, heddle_device_new(&dev, &o, NULL));
	heddle_module_load(dev, &mod, "t", text, strlen(text), &err);
	got = mod ? heddle_module_kernel(mod, 0)->refused : err.text;
	STREQ(want, got);
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
}

TEST(exec_call, a_service_is_declared_as_it_is)
{
	declared("t:6:1: 'malloc' must be declared with 1 parameters and 1 "
		 "return values: call malloc, ()",
		 ".extern .func malloc();", "call malloc, ();");
	declared("t:6:48: parameter 2 of 'vprintf' must be a .param of 8 "
		 "bytes: call (q), vprintf, (f, a)",
		 ".extern .func (.param .b32 r) vprintf(.param .b64 f, "
		 ".param .b32 a);",
		 "{ .param .b64 f; .param .b32 a; .param .b32 q; call (q), "
		 "vprintf, (f, a); }");
	declared("t:6:33: the result of 'malloc' must be a .param of 8 bytes: "
		 "call (q), malloc, (n)",
		 ".extern .func (.param .b32 r) malloc(.param .b64 n);",
		 "{ .param .b64 n; .param .b32 q; call (q), malloc, (n); }");
}

TEST(exec_call, blocks_print_in_their_order)
{
	struct run r = { .options = { .threads = 4 },
			 .grid = { 20, 1, 1 },
			 .block = { 2, 1, 1 } };
	char want[512] = "";

	run_ok(&r,
	       MODULE(".extern .func (.param .b32 r) vprintf(.param .b64 f, "
		      ".param .b64 a); .global .b8 fmt[9] = {37, 100, 46, 37, "
		      "100, 32, 0, 0, 0};",
		      ".local .align 8 .b32 args[2]; mov.u32 %r1, %ctaid.x; "
		      "st.local.v2.u32 [args], {%r1, %r0};\n"
		      "{ .param .b64 f; .param .b64 a; .param .b32 q; "
		      "mov.u64 %rd2, fmt; st.param.b64 [f], %rd2; "
		      "mov.u64 %rd2, args; cvta.local.u64 %rd2, %rd2; "
		      "st.param.b64 [a], %rd2; call (q), vprintf, (f, a); } "
		      "ret;"));
	for (int i = 0; i < 40; i++)
		snprintf(want + strlen(want), 16, "%d.%d ", i / 2, i % 2);
	STREQ(want, r.printed);
}

LABEL(exec_heap, threads);
TEST(exec_heap, what_one_block_allocates_another_frees)
{
	static const char *const text =
		MODULE(".extern .func free(.param .b64 p); "
		       ".extern .func (.param .b64 r) malloc(.param .b64 n); "
		       ".global .u64 slot[64];",
		       "mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 8; "
		       "mov.u64 %rd3, slot; add.u64 %rd2, %rd2, %rd3; "
		       "setp.eq.u32 %p1, %r0, 0; @!%p1 bra E;\n"
		       "{ .param .b64 n; .param .b64 r; "
		       "st.param.b64 [n], 1000; call (r), malloc, (n); "
		       "ld.param.b64 %rd4, [r]; } st.u32 [%rd4+996], %r1;\n"
		       /* pass it on to the next block, cyclically */
		       "add.u32 %r2, %r1, 1; and.b32 %r2, %r2, 63; "
		       "mul.wide.u32 %rd5, %r2, 8; add.u64 %rd5, %rd5, %rd3; "
		       "st.release.gpu.u64 [%rd5], %rd4;\n"
		       "W: ld.acquire.gpu.u64 %rd6, [%rd2]; "
		       "setp.eq.u64 %p2, %rd6, 0; @%p2 bra W;\n"
		       "ld.u32 %r3, [%rd6+996]; mul.wide.u32 %rd7, %r1, 4; "
		       "add.u64 %rd7, %rd7, %rd0; st.u32 [%rd7], %r3;\n"
		       "{ .param .b64 p; st.param.b64 [p], %rd6; "
		       "call free, (p); }\nE: ret;");
	static const unsigned threads[] = { 1, 4 };

	for (int t = 0; t < 2; t++) {
		struct run r = { .options = { .threads = threads[t],
					      .heap_bytes = 1 << 20 },
				 .grid = { 64, 1, 1 } };

		run_ok(&r, text);
		for (uint32_t i = 0; i < 64; i++)
			EQ((i + 63) & 63, r.w[i]);
	}
}

TEST(exec_heap, a_full_heap_gives_null_and_freed_memory_is_used_again)
{
	struct run r = { .options = { .heap_bytes = 4096 },
			 .block = { 1, 1, 1 } };

	run_ok(&r,
	       MODULE(".extern .func free(.param .b64 p); "
		      ".extern .func (.param .b64 r) malloc(.param .b64 n); "
		      ".func (.param .b64 r) m(.param .b64 n) { .reg .b64 %a; "
		      "ld.param.b64 %a, [n]; { .param .b64 x; .param .b64 y; "
		      "st.param.b64 [x], %a; call (y), malloc, (x); "
		      "ld.param.b64 %a, [y]; } st.param.b64 [r], %a; ret; } "
		      ".func d(.param .b64 n) { .reg .b64 %a; "
		      "ld.param.b64 %a, [n]; { .param .b64 x; "
		      "st.param.b64 [x], %a; call free, (x); } ret; }",
		      "call (%rd2), m, (4097); call (%rd3), m, (-1); "
		      "call (%rd4), m, (0); call (%rd5), m, (2000); "
		      "call (%rd6), m, (2000); call (%rd7), m, (2000); "
		      "call d, (%rd5); call (%rd8), m, (500); "
		      "call d, (%rd6); call d, (%rd8); call (%rd9), m, (4096);\n"
		      "st.global.u64 [%rd0], %rd2; st.global.u64 [%rd0+8], %rd3; "
		      "st.global.u64 [%rd0+16], %rd4; "
		      "st.global.u64 [%rd0+24], %rd5; "
		      "st.global.u64 [%rd0+32], %rd6; "
		      "st.global.u64 [%rd0+40], %rd7; "
		      "st.global.u64 [%rd0+48], %rd8; "
		      "st.global.u64 [%rd0+56], %rd9; ret;"));
	EQ(0u, r.d[0]);
	EQ(0u, r.d[1]);
	EQ(0u, r.d[2]);
	OK(r.d[3] != 0);
	EQ(r.d[3] + 2000, r.d[4]);
	EQ(0u, r.d[5]);
	EQ(r.d[3], r.d[6]);
	EQ(r.d[3], r.d[7]);
}
