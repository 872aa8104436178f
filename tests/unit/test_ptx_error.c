/*
 * Every message of the PTX reader: the place, what is wrong, what was
 * expected. The line and column are those of the text given here.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "isa/ptx/module.h"
#include "test.h"

#define HEADER ".version 8.0\n.target sm_90\n.address_size 64\n"

struct wrong {
	const char *text;
	enum err code;
	const char *want; /* line:column: message */
};

static void refuses(const char *text, enum err code, const char *want)
{
	struct ptx_module *m;
	struct diag d = { .text = "" };
	char all[600];

	snprintf(all, sizeof(all), "t:%s", want);
	EQ(code, ptx_parse(&m, "t", text, strlen(text), &d));
	STREQ(all, d.text);
	EQ(code, d.code);
	EQ(NULL, m);
}

static const struct wrong in_module[] = {
	{ "x", ERR_SYNTAX,
	  "4:1: expected a directive, a variable or a "
	  "function, found 'x'" },
	{ ".foo", ERR_SYNTAX,
	  "4:1: expected a directive, a variable or a "
	  "function, found '.foo'" },
	{ ".visible", ERR_SYNTAX,
	  "4:9: expected a variable or a function, found the "
	  "end of the file" },
	{ ".visible .visible .global .u32 x;", ERR_SYNTAX,
	  "4:10: expected a variable or a function after the linkage, found "
	  "'.visible'" },
	{ ".global x;", ERR_SYNTAX, "4:9: expected a type, found 'x'" },
	{ ".global .u32;", ERR_SYNTAX, "4:13: expected a name, found ';'" },
	{ ".global .u32 x", ERR_SYNTAX,
	  "4:15: expected ';', found the end of the file" },
	{ ".global .u32 x[0];", ERR_SYNTAX,
	  "4:16: the size of an array must be 1 to 1099511627776, found 0" },
	{ ".global .u32 x[2][];", ERR_SYNTAX,
	  "4:18: only the first dimension of an array may be left without a "
	  "size" },
	{ ".global .u32 x[];", ERR_SYNTAX,
	  "4:14: 'x' needs a size, an initial value or .extern" },
	{ ".global .u32 x[1][1][1][1][1][1][1][1][1];", ERR_SYNTAX,
	  "4:39: 'x' has more than 8 dimensions" },
	{ ".global .b8 x[1099511627777];", ERR_SYNTAX,
	  "4:15: the size of an array must be 1 to 1099511627776, found "
	  "1099511627777" },
	{ ".global .b8 x[1099511627776]; .global .u8 y;", ERR_SYNTAX,
	  "4:43: 'y' brings the module's variables above the limit of 1 TiB" },
	{ ".global .u32 x[4294967296][4294967296];", ERR_SYNTAX,
	  "4:14: 'x' brings the module's variables above the limit of 1 TiB" },
	{ ".global .align 3 .u32 x;", ERR_SYNTAX,
	  "4:16: an alignment must be a power of two, found 3" },
	{ ".global .align 131072 .u32 x;", ERR_SYNTAX,
	  "4:16: an alignment must be 1 to 65536, found 131072" },
	{ ".global .pred x;", ERR_SYNTAX,
	  "4:1: a .pred must be a register and not a vector" },
	{ ".shared .texref t;", ERR_SYNTAX,
	  "4:1: a .texref must be .global or .param" },
	{ ".global .u32 x; .global .u64 x;", ERR_SYNTAX,
	  "4:30: 'x' is already declared at line 4" },
	{ ".extern .global .u32 x; .global .u64 x;", ERR_SYNTAX,
	  "4:38: 'x' was declared with a different type at line 4" },
	{ ".extern .global .b8 x[6]; .global .u32 x[2];", ERR_SYNTAX,
	  "4:40: 'x' was declared with a different type at line 4" },
	{ ".extern .const .u32 x; .global .u32 x;", ERR_SYNTAX,
	  "4:37: 'x' was declared with a different type at line 4" },
	{ ".extern .global .texref x; .global .surfref x;", ERR_SYNTAX,
	  "4:45: 'x' was declared with a different type at line 4" },
	{ ".extern .global .u32 x = 1;", ERR_SYNTAX,
	  "4:24: an .extern variable cannot have an initial "
	  "value" },
	{ ".shared .u32 x = 1;", ERR_SYNTAX,
	  "4:16: only .global and .const variables can have an "
	  "initial value" },
	{ ".global .u32 x[2] = {1, 2, 3};", ERR_SYNTAX,
	  "4:28: too many initial values for 'x': this dimension has 2 "
	  "elements" },
	{ ".global .u32 x[2] = 1;", ERR_SYNTAX,
	  "4:21: expected '{', found '1'" },
	{ ".global .u32 x[2] = {1;", ERR_SYNTAX,
	  "4:23: expected ',' or '}', found ';'" },
	{ ".global .u32 x = 1.5;", ERR_SYNTAX,
	  "4:18: the initial value of a .u32 must be an integer" },
	{ ".global .f16 x = 1.5;", ERR_UNSUPP,
	  "4:18: initial values of type .f16 are not supported" },
	{ ".global .u32 x = y;", ERR_SYNTAX, "4:18: 'y' is not declared" },
	{ ".global .u32 x = 1 / 0;", ERR_SYNTAX, "4:20: division by zero" },
	{ ".global .u32 x = 1.5 % 2;", ERR_SYNTAX,
	  "4:22: this operator needs integers, found a "
	  "floating-point number" },
	{ ".global .u32 x = 18446744073709551616;", ERR_SYNTAX,
	  "4:18: the number does not fit in 64 bits" },
	{ ".global .u32 x; .global .u16 y = x;", ERR_SYNTAX,
	  "4:34: a .u16 cannot hold an address: it needs 32 or 64 bits" },
	{ ".global .u32 x; .global .u64 y = x * 2;", ERR_SYNTAX,
	  "4:36: an address allows only + and - with an "
	  "integer" },
	{ ".shared .u32 x; .global .u64 y = x;", ERR_SYNTAX,
	  "4:34: the address of 'x' cannot be an initial value: it must be "
	  ".global or .const" },
	{ ".global .u32 x; .global .u8 y = 0xFFF(x);", ERR_SYNTAX,
	  "4:33: a mask of an address must cover one byte: "
	  "0xFF, 0xFF00, ..." },
	{ ".func f(); .global .u64 y = f + 4;", ERR_SYNTAX,
	  "4:29: the address of a function takes no offset" },
	{ ".func f(); .global .u64 y = generic(f);", ERR_SYNTAX,
	  "4:37: generic() needs a variable, 'f' is a function" },
	{ ".global .u32 x<4>;", ERR_UNSUPP,
	  "4:15: a range of variables is not supported: only registers can be "
	  "declared as a range" },
	{ ".reg .u32 x;", ERR_UNSUPP,
	  "4:1: registers of the module are not supported: declare them in a "
	  "function" },
	{ ".param .u32 x;", ERR_SYNTAX,
	  "4:1: a .param must be declared in a function" },
	{ ".global .u32 %tid;", ERR_SYNTAX, "4:14: '%tid' is a reserved name" },
	{ ".alias a, b;", ERR_SYNTAX,
	  "4:8: expected a .func that is declared before, found 'a'" },
	{ ".func a(); .func b(); .alias a, b;", ERR_SYNTAX,
	  "4:23: 'b' has no body, it cannot be aliased" },
	{ ".func a(.param .b32 x); .func b() { ret; } .alias a, b;", ERR_SYNTAX,
	  "4:44: 'a' and 'b' have different prototypes" },
	{ ".section .debug_info { .b8 1", ERR_SYNTAX,
	  "4:1: the section is not closed, expected '}'" },
	{ ".pragma nounroll;", ERR_SYNTAX,
	  "4:9: expected a string, found 'nounroll'" },
	{ ".file x", ERR_SYNTAX, "4:7: expected a constant, found 'x'" },
	{ ".func f(.param .u32 a, .param .u32 a);", ERR_SYNTAX,
	  "4:36: 'a' is already declared at line 4" },
	{ ".func f(.param .u32 a); .func f(.param .u64 a);", ERR_SYNTAX,
	  "4:31: 'f' was declared with different parameters at line 4" },
	{ ".func (.param .u32 r) f(); .func f();", ERR_SYNTAX,
	  "4:34: 'f' was declared with different return values at line 4" },
	{ ".func f(); .entry f() { }", ERR_SYNTAX,
	  "4:19: 'f' was declared as .func at line 4" },
	{ ".func f() { } .func f() { }", ERR_SYNTAX,
	  "4:21: 'f' is already defined at line 4" },
	{ ".global .u32 f; .func f() { }", ERR_SYNTAX,
	  "4:23: 'f' is already declared at line 4" },
	{ ".entry k(.global .u32 a) { }", ERR_SYNTAX,
	  "4:10: expected .param or .reg, found '.global'" },
	{ ".entry (.param .u32 r) k() { }", ERR_SYNTAX,
	  "4:8: expected the name of a kernel, found '('" },
	{ ".entry k() .maxntid 0 { }", ERR_SYNTAX,
	  "4:21: a size must be 1 to 4294967295, found 0" },
	{ ".entry k()", ERR_SYNTAX,
	  "4:11: expected '{' or ';', found the end of the "
	  "file" },
	{ ".entry k() { ret;", ERR_SYNTAX,
	  "4:18: expected an instruction, a declaration or "
	  "'}', found the end of the file" },
};

static const struct wrong in_kernel[] = {
	{ "frobnicate.u32 %r1, %r2;", ERR_SYNTAX,
	  "7:1: no instruction named 'frobnicate'" },
	{ "wgmma.fence.sync.aligned", ERR_SYNTAX,
	  "8:1: expected ';', found '}'" },
	{ "wgmma.fence.sync.aligned; frobnicate;", ERR_SYNTAX,
	  "7:27: no instruction named 'frobnicate'" },
	{ "add.q7 %r1, {%r2, %r3}, 0f12; ", ERR_SYNTAX,
	  "7:25: 0f needs 8 hexadecimal digits" },
	{ "bra lost; add.q7 %r1, lost;", ERR_SYNTAX,
	  "7:5: 'lost' is not declared, and no label of that "
	  "name follows" },
	{ "ret", ERR_SYNTAX, "8:1: expected ';', found '}'" },
	{ "add.u32 %r1, %r2;", ERR_SYNTAX,
	  "7:1: 'add.u32' takes 3 operands, found 2" },
	{ "add.u32 %r1, %r2, %r3, %r4;", ERR_SYNTAX,
	  "7:1: 'add.u32' takes 3 operands, found 4" },
	{ "bar.sync;", ERR_SYNTAX,
	  "7:1: 'bar.sync' takes 1 or 2 operands, found 0" },
	{ "add.u32 %r1, %r2, %rd1;", ERR_SYNTAX,
	  "7:19: operand 3 of 'add.u32' is .b64, expected .u32" },
	{ "add.u32 %f1, %r2, 1;", ERR_SYNTAX,
	  "7:9: operand 1 of 'add.u32' is .f32, expected .u32" },
	{ "add.f32 %r1, %rd1, %f1;", ERR_SYNTAX,
	  "7:14: operand 2 of 'add.f32' is .b64, expected .f32" },
	{ "add.u32 5, %r1, %r2;", ERR_SYNTAX,
	  "7:9: operand 1 of 'add.u32' must be a register" },
	{ "add.u32 _, %r1, %r2;", ERR_SYNTAX,
	  "7:9: operand 1 of 'add.u32' must be a register" },
	{ "add.u32 %r1, [%rd1], 1;", ERR_SYNTAX,
	  "7:14: operand 2 of 'add.u32' must be a register or "
	  "a constant" },
	{ "ld.global.u32 %r1, %rd1;", ERR_SYNTAX,
	  "7:20: operand 2 of 'ld.global.u32' must be an "
	  "address in brackets" },
	{ "ld.global.u32 %r1, [%f1];", ERR_SYNTAX,
	  "7:21: operand 2 of 'ld.global.u32' must be an address: a register "
	  "of 32 or 64 bits" },
	{ "ld.global.u32 %r1, [%rs1];", ERR_SYNTAX,
	  "7:21: operand 2 of 'ld.global.u32' must be an address: a register "
	  "of 32 or 64 bits" },
	{ "ld.global.u32 %r1, [%rd1+%r1];", ERR_SYNTAX,
	  "7:26: expected a constant, found '%r1'" },
	{ "ld.global.u32 %r1, [%rd1+1.5];", ERR_SYNTAX,
	  "7:25: an offset must be an integer" },
	{ "ld.global.u32 %r1, [%rd1;", ERR_SYNTAX,
	  "7:25: expected ']', found ';'" },
	{ "ld.global.u64 %r1, [%rd1];", ERR_SYNTAX,
	  "7:15: operand 1 of 'ld.global.u64' is .b32, "
	  "expected .u64" },
	{ "ld.global.v2.u32 %r1, [%rd1];", ERR_SYNTAX,
	  "7:18: operand 1 of 'ld.global.v2.u32' must be a "
	  "vector of 2 elements" },
	{ "ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];", ERR_SYNTAX,
	  "7:18: operand 1 of 'ld.global.v2.u32' must be a "
	  "vector of 2 elements" },
	{ "setp.eq.u32 %r1, %r2, 0;", ERR_SYNTAX,
	  "7:13: operand 1 of 'setp.eq.u32' must be a "
	  "predicate register" },
	{ "setp.eq.u32 %p1, %p2, 0;", ERR_SYNTAX,
	  "7:18: operand 2 of 'setp.eq.u32' is .pred, expected "
	  ".u32" },
	{ "selp.b32 %r1, 1, 2, %r3;", ERR_SYNTAX,
	  "7:21: operand 4 of 'selp.b32' must be a predicate or an "
	  "integer" },
	{ "mov.u32 %r1, !%r2;", ERR_SYNTAX,
	  "7:14: '!' applies to predicates only" },
	{ "mov.u32 %r1, %r10;", ERR_SYNTAX, "7:14: '%r10' is not declared" },
	{ "mov.u32 %r1, %r01;", ERR_SYNTAX, "7:14: '%r01' is not declared" },
	{ "mov.u32 %r1, nothing;", ERR_SYNTAX,
	  "7:14: 'nothing' is not declared" },
	{ "mov.u32 %r1, %tid;", ERR_SYNTAX, "7:14: '%tid' needs .x, .y or .z" },
	{ "mov.u32 %r1, %tid.w;", ERR_SYNTAX,
	  "7:14: '%tid' needs .x, .y or .z" },
	{ "mov.f32 %f1, %v.q;", ERR_SYNTAX,
	  "7:16: expected ',' or ';', found '.q'" },
	{ "mov.u32 %r1, %r2.x;", ERR_SYNTAX, "7:17: '%r2' has no element .x" },
	{ "mov.u32 %r1, 12ab;", ERR_SYNTAX, "7:14: malformed number" },
	{ "mov.f32 %f1, 0f3F8;", ERR_SYNTAX,
	  "7:14: 0f needs 8 hexadecimal digits" },
	{ "@%r1 ret;", ERR_SYNTAX, "7:2: '%r1' is not a predicate" },
	{ "@nothing ret;", ERR_SYNTAX, "7:2: 'nothing' is not declared" },
	{ "@5 ret;", ERR_SYNTAX, "7:2: expected a predicate, found '5'" },
	{ "bra 5;", ERR_SYNTAX, "7:5: operand 1 of 'bra' must be a label" },
	{ "bra %r1;", ERR_SYNTAX,
	  "7:5: '%r1' is not declared, and no label of that "
	  "name follows" },
	{ "bra away;", ERR_SYNTAX,
	  "7:5: 'away' is not declared, and no label of that "
	  "name follows" },
	{ "a: ret; a: ret;", ERR_SYNTAX,
	  "7:1: 'a' is already declared at line 6" },
	{ "%r1: .reg .u32 a; a: ret;", ERR_SYNTAX,
	  "7:16: 'a' is already declared at line 6" },
	{ ".reg .u32 a; .reg .u64 a;", ERR_SYNTAX,
	  "7:11: 'a' is already declared at line 6" },
	{ ".reg .u32 %r5;", ERR_SYNTAX,
	  "7:11: '%r5' is also declared by %r<10> at line 5" },
	{ ".reg .u32 z5; .reg .u32 z<9>;", ERR_SYNTAX,
	  "7:11: 'z5' is also declared by z<9> at line 7" },
	{ ".reg .u32 z<20>, z1<5>; mov.u32 z12, 1;", ERR_SYNTAX,
	  "7:33: 'z12' is ambiguous: it belongs to two ranges of registers" },
	{ ".reg .u32 z<99999999>;", ERR_SYNTAX,
	  "7:13: a range has at most 16777216 registers, found 99999999" },
	{ ".reg .u32 z<n>;", ERR_SYNTAX,
	  "7:13: expected a number of registers, found 'n'" },
	{ ".reg .u32 z<5;", ERR_SYNTAX, "7:14: expected '>', found ';'" },
	{ "call f;", ERR_SYNTAX, "7:1: 'f' takes 1 argument, found 0" },
	{ "call f, (a, b);", ERR_SYNTAX, "7:1: 'f' takes 1 argument, found 2" },
	{ "call nothing, ();", ERR_SYNTAX, "7:6: 'nothing' is not declared" },
	{ "call %rd1, (a);", ERR_SYNTAX,
	  "7:1: a call through a register needs a .callprototype or "
	  ".calltargets list" },
	{ "call %rd1, (a), ts; ts: .branchtargets l; l: ret;", ERR_SYNTAX,
	  "7:17: 'ts' lists labels, expected functions or a "
	  "prototype" },
	{ "call k;", ERR_SYNTAX,
	  "7:6: 'k' is an .entry, which only a launch starts; a call needs a "
	  ".func" },
	{ "ts: .calltargets f, k;", ERR_SYNTAX,
	  "7:21: 'k' is an .entry, which only a launch starts; a call needs a "
	  ".func" },
	{ "call 5;", ERR_SYNTAX,
	  "7:6: expected a function or a register to call" },
	{ "call (a), f, (a);", ERR_SYNTAX,
	  "7:1: 'f' returns 0 results, found 1" },
	{ "brx.idx %r1, l; l: ret;", ERR_SYNTAX,
	  "7:14: expected the name of a .branchtargets list" },
	{ "ts: .branchtargets l; bra ts; l: ret;", ERR_SYNTAX,
	  "7:27: expected a label, found the list 'ts'" },
	{ "ts: .branchtargets ts; brx.idx %r1, ts;", ERR_SYNTAX,
	  "7:20: 'ts' is not a label" },
	{ "ts: .calltargets nothing;", ERR_SYNTAX,
	  "7:18: no function named 'nothing' is declared" },
	{ "ts: .callprototype f ();", ERR_SYNTAX,
	  "7:20: expected '_', found 'f'" },
	{ ".loc x", ERR_SYNTAX, "7:6: expected a number, found 'x'" },
	{ ".loc 1 2 3, inlined_at x", ERR_SYNTAX,
	  "7:24: expected a number, found 'x'" },
	{ ".entry k() { }", ERR_SYNTAX,
	  "7:1: expected an instruction, a declaration or '}', "
	  "found '.entry'" },
	{ "} ret;", ERR_SYNTAX,
	  "7:3: expected a directive, a variable or a "
	  "function, found 'ret'" },
	{ "[", ERR_SYNTAX,
	  "7:1: expected an instruction, a declaration or '}', "
	  "found '['" },
	{ "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tex+4, "
	  "{%f1}];",
	  ERR_SYNTAX, "7:38: a texture or surface cannot have an offset" },
	{ "add.u32 %r1, %r2, $;", ERR_SYNTAX, "7:19: '$' is not declared" },
	{ "/* open", ERR_SYNTAX, "7:1: the comment is not closed" },
	{ "shl.b32 %r1, %r2, (((1);", ERR_SYNTAX,
	  "7:24: expected ')', found ';'" },
	{ "mov.u32 %r1, ~1.5;", ERR_SYNTAX,
	  "7:14: '~' does not apply to a floating-point number" },
	{ "mov.u32 %r1, ;", ERR_SYNTAX,
	  "7:14: expected an operand, found ';'" },
	{ "mov.u32 %r1 %r2;", ERR_SYNTAX,
	  "7:13: expected ',' or ';', found '%r2'" },
	{ "add.u32 %r1, %r2, 1,;", ERR_SYNTAX,
	  "7:21: expected an operand, found ';'" },
	{ "setp.eq.and.u32 %p1, %r2, 1, 1.0;", ERR_SYNTAX,
	  "7:30: operand 4 of 'setp.eq.and.u32' must be a predicate or an "
	  "integer" },
	{ "setp.eq.u32 %p1|%r1, %r2, 1;", ERR_SYNTAX,
	  "7:17: operand 1 of 'setp.eq.u32' must be a "
	  "predicate register" },
	{ "ld.global.v2.u32 {}, [%rd1];", ERR_SYNTAX,
	  "7:19: expected an element, found '}'" },
	{ "ld.global.u32 %r1, [!%p1];", ERR_SYNTAX,
	  "7:21: '!' applies to predicates only" },
	{ "mov.u32 %r1, -%r2;", ERR_SYNTAX,
	  "7:14: operand 2 of 'mov.u32' must be a plain value: '!' is for "
	  "predicates and '-' for vmad" },
	{ "mov.u32 %r1, %r2.b0;", ERR_SYNTAX,
	  "7:14: operand 2 of 'mov.u32' must be a whole register: selectors "
	  "are for video instructions" },
	{ "selp.b32 %r1, 1, 2, -%p1;", ERR_SYNTAX,
	  "7:21: '-' applies to numbers only" },
	{ "call nothing;", ERR_SYNTAX, "7:6: 'nothing' is not declared" },
	{ "mov.b32 %r1, {-%rs1, %rs2};", ERR_SYNTAX,
	  "7:15: operand 2 of 'mov.b32' must be a plain value: '!' is for "
	  "predicates and '-' for vmad" },
	{ "mov.b32 %r1, {%rs1, -%rs2};", ERR_SYNTAX,
	  "7:21: operand 2 of 'mov.b32' must be a plain value: '!' is for "
	  "predicates and '-' for vmad" },
	{ "set.eq.and.u32.u32 %r1, %r2, %r3, !%r1;", ERR_SYNTAX,
	  "7:35: '!' applies to predicates only" },
	{ "xor.pred %p1, %p2, -5.0;", ERR_SYNTAX,
	  "7:20: operand 3 of 'xor.pred' must be a predicate or an "
	  "integer" },
};

/* Something unsupported refuses its function. The rest of the module is read. */
static const struct {
	const char *text, *want;
} in_function[] = {
	{ ".entry k() .reqnctapercluster 2 { ret; }",
	  "4:12: thread block clusters are not supported" },
	{ ".entry k() .explicitcluster { ret; }",
	  "4:12: thread block clusters are not supported" },
	{ ".entry k() .blocksareclusters .maxnreg 8 { ret; }",
	  "4:12: thread block clusters are not supported" },
	{ ".entry k() .explicitcluster; .entry k() { ret; }",
	  "4:12: thread block clusters are not supported" },
	{ ".entry k() { ret; } .entry k() .explicitcluster;",
	  "4:32: thread block clusters are not supported" },
	{ ".entry k() { .reg .b32 %r<4>;\nadd.q7 %r1, %r2, %r3;\nret; }",

	  "5:1: 'add.q7' is not supported ('add' is, with other modifiers): "
	  "add.q7 %r1, %r2, %r3;" },
	{ ".entry k() {\nwgmma.fence.sync.aligned;\n}",
	  "5:1: warpgroup matrix operations are not supported: "
	  "wgmma.fence.sync.aligned;" },
	/* The first one is reported; operands are not read. */
	{ ".entry k() { .reg .pred %p; .shared .b32 x; l: bra l;\n"
	  "@%p wgmma.x {%f1, {%q}}, [y, {z}], 0f3f800000, \"s\";\n"
	  "wgmma.fence.sync.aligned; }",

	  "5:5: warpgroup matrix operations are not supported: "
	  "@%p wgmma.x {%f1, {%q}}, [y, {z}], 0f3f800000, \"s\";" },
};

static void refuses_function(const char *text, const char *want)
{
	struct ptx_module *m;
	struct ptx_func *k, *good;
	struct diag d = { .text = "" };
	char all[600], whole[600];

	snprintf(whole, sizeof(whole), HEADER "%s .entry good() { ret; }",
		 text);
	snprintf(all, sizeof(all), "t:%s", want);
	EQ(ERR_OK, ptx_parse(&m, "t", whole, strlen(whole), &d));
	k = ptx_find_func(m, "k");
	STREQ(all, k->refused);
	EQ(true, k->has_body);
	EQ(0, k->inst_count);
	EQ(0, k->label_count);
	EQ(0, k->var_count);
	EQ(0, k->reg_count);
	good = ptx_find_func(m, "good");
	EQ(NULL, good->refused);
	EQ(1, good->inst_count);
	ptx_module_free(m);
}

TEST(ptx_error, of_a_function_refuses_it_alone)
{
	for (size_t i = 0; i < sizeof(in_function) / sizeof(*in_function); i++)
		refuses_function(in_function[i].text, in_function[i].want);
}

TEST(ptx_error, of_the_header)
{
	refuses("", ERR_SYNTAX,
		"1:1: expected .version, found the end of the file");
	refuses(".target sm_90", ERR_SYNTAX,
		"1:1: expected .version, found '.target'");
	refuses(".version 8", ERR_SYNTAX,
		"1:10: expected a version such as 8.0, found '8'");
	refuses(".version 8.0\n.address_size 64", ERR_SYNTAX,
		"2:1: expected .target, found '.address_size'");
	refuses(".version 8.0 .target gfx90", ERR_SYNTAX,
		"1:22: expected a target such as sm_90, found 'gfx90'");
	refuses(".version 8.0 .target sm_90, fast", ERR_SYNTAX,
		"1:29: expected texmode_unified, texmode_independent, debug "
		"or map_f64_to_f32, found 'fast'");
	refuses(".version 8.0 .target sm_90 .address_size 16", ERR_SYNTAX,
		"1:42: expected 32 or 64, found '16'");
}

TEST(ptx_error, of_the_module)
{
	for (size_t i = 0; i < sizeof(in_module) / sizeof(*in_module); i++) {
		const struct wrong *w = &in_module[i];
		char text[300];

		snprintf(text, sizeof(text), HEADER "%s", w->text);
		refuses(text, w->code, w->want);
	}
}

TEST(ptx_error, of_a_kernel)
{
	for (size_t i = 0; i < sizeof(in_kernel) / sizeof(*in_kernel); i++) {
		const struct wrong *w = &in_kernel[i];
		char text[600];

		snprintf(text, sizeof(text),
			 HEADER
			 ".global .u32 var; .global .texref tex; "
			 ".func f(.param .b32 x);\n"
			 ".entry k() { .reg .b32 %%r<10>; .reg .b64 %%rd<4>; "
			 ".reg .f32 %%f<5>;\n"
			 ".reg .b16 %%rs<4>; .reg .pred %%p<4>; "
			 ".reg .v4 .f32 %%v; .param .b32 a, b;\n"
			 "%s\n}",
			 w->text);
		refuses(text, w->code, w->want);
	}
}

TEST(ptx_error, a_long_token_is_cut)
{
	refuses(HEADER "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghij",
		ERR_SYNTAX,
		"4:1: expected a directive, a variable or a function, found "
		"'abcdefghijabcdefghijabcdefghijabcdefghij...'");
}

static void nests(const char *before, const char *open, const char *close,
		  const char *after, int n, const char *want)
{
	static char text[20000];
	char *s = text;

	s = stpcpy(stpcpy(s, HEADER), before);
	for (int i = 0; i < n; i++)
		s = stpcpy(s, open);
	s = stpcpy(s, "1");
	for (int i = 0; i < n; i++)
		s = stpcpy(s, close);
	stpcpy(s, after);
	refuses(text, ERR_SYNTAX, want);
}

TEST(ptx_error, nesting_has_a_bound)
{
	nests(".global .u32 x = ", "(", ")", ";", 5000,
	      "4:219: the expression is nested more than 200 deep");
	nests(".global .u32 x = ", "-", "", ";", 5000,
	      "4:219: the expression is nested more than 200 deep");
	nests(".global .u32 x = ", "1?", ":1", ";", 3000,
	      "4:420: the expression is nested more than 200 deep");
	nests(".entry k() ", "{", "}", "", 1000,
	      "4:267: blocks are nested more than 256 deep");
}

TEST(ptx_error, initial_values_have_a_bound)
{
	refuses(HEADER ".global .b8 x[1073741825] = {1};", ERR_SYNTAX,
		"4:13: 'x' brings the initial values above the limit of 1 GiB");
}
