#!/usr/bin/env python3
# Writes tex.ptx: a kernel for each form of texture and surface instruction.
# Parameters: out, in, and the handles of eight objects (test_sass_units.c).
# Lane l writes 16 bytes to out + 16 * l, unless it writes to a surface.

HEAD = """.version 8.0
.target sm_75
.address_size 64
"""
V = "{%r0, %r1, %r2, %r3}"
OBJECTS = ["line", "plane", "volume", "layers1", "layers2", "cube", "cubes",
           "smooth"]

def kernel(name, body, handle="line", bindless=False):
    obj = OBJECTS.index(handle)
    out = [f".visible .entry {name}(.param .u64 out, .param .u64 in, "
           ".param .align 8 .b8 obj[64])", "{",
           "\t.reg .b64 %rd<12>;", "\t.reg .b32 %r<24>;",
           "\t.reg .b16 %h<4>;", "\t.reg .f32 %f<24>;",
           "\tld.param.u64 %rd2, [out];", "\tcvta.to.global.u64 %rd2, %rd2;",
           f"\tld.param.u64 %rd1, [obj+{8 * obj}];",
           "\tmov.u32 %r20, %tid.x;",
           "\tmov.b32 %r0, 0;", "\tmov.b32 %r1, 0;", "\tmov.b32 %r2, 0;",
           "\tmov.b32 %r3, 0;",
           "\tand.b32 %r23, %r20, 3;", "\tshr.u32 %r21, %r20, 2;",
           "\tadd.s32 %r22, %r23, -1;",
           "\tcvt.rn.f32.u32 %f20, %r20;", "\tmul.f32 %f20, %f20, 0f3e800000;",
           "\tcvt.rn.f32.u32 %f21, %r21;", "\tadd.f32 %f21, %f21, 0f3e99999a;",
           "\tcvt.rn.f32.s32 %f22, %r22;", "\tadd.f32 %f22, %f22, 0f3f400000;"]
    if bindless:  # the handle comes from memory: another one for each lane
        out += ["\tld.param.u64 %rd3, [in];", "\tcvta.to.global.u64 %rd3, %rd3;",
                "\tmul.wide.u32 %rd4, %r20, 8;", "\tadd.u64 %rd3, %rd3, %rd4;",
                "\tand.b32 %r19, %r20, 1;",
                f"\tld.param.u64 %rd5, [obj+{8 * OBJECTS.index('smooth')}];",
                "\t.reg .pred %p1;", "\tsetp.ne.u32 %p1, %r19, 0;",
                "\tselp.b64 %rd1, %rd5, %rd1, %p1;",
                "\tst.global.b64 [%rd3], %rd1;",
                "\tld.volatile.global.b64 %rd1, [%rd3];",
                "\tmov.b64 %rd5, 0;", "\tst.global.b64 [%rd3], %rd5;"]
    out += ["\t" + line for line in body]
    out += ["\tmul.wide.u32 %rd6, %r20, 16;", "\tadd.u64 %rd2, %rd2, %rd6;",
            f"\tst.global.v4.b32 [%rd2], {V};", "\tret;", "}", ""]
    return "\n".join(out)

def tex(name, geom, coords, handle, types="f32.f32", extra="", bindless=False,
        op="tex"):
    return kernel(name, [f"{op}.{geom}.v4.{types} {V}, [%rd1, {{{coords}}}]"
                         f"{extra};"], handle, bindless)

F1, F2, F3 = "%f20", "%f20, %f21", "%f20, %f21, %f22, %f22"
S1, S2, S3 = "%r20", "%r23, %r21", "%r23, %r21, %r22, %r22"
K = [
    tex("t1d", "1d", F1, "line"),
    tex("t1d_int", "1d", S1, "line", "f32.s32"),
    tex("t2d", "2d", F2, "plane"),
    tex("t2d_int", "2d", S2, "plane", "f32.s32"),
    tex("t2d_smooth", "2d", F2, "smooth"),
    tex("t3d", "3d", F3, "volume"),
    tex("t3d_int", "3d", S3, "volume", "f32.s32"),
    tex("ta1d", "a1d", "%r23, %f20", "layers1"),
    tex("ta1d_int", "a1d", "%r23, %r21", "layers1", "f32.s32"),
    tex("ta2d", "a2d", "%r23, %f20, %f21, %f21", "layers2"),
    tex("ta2d_int", "a2d", "%r23, %r20, %r21, %r21", "layers2", "f32.s32"),
    tex("t1d_level", "1d", F1, "line", extra=", %f22", op="tex.level"),
    tex("t2d_level", "2d", F2, "smooth", extra=", %f22", op="tex.level"),
    tex("t2d_level_int", "2d", S2, "plane", "f32.s32", ", %r0", op="tex.level"),
    tex("t2d_grad", "2d", F2, "smooth", extra=", {%f20, %f21}, {%f22, %f22}",
        op="tex.grad"),
    tex("ta2d_grad", "a2d", "%r23, %f20, %f21, %f21", "layers2",
        extra=", {%f20, %f21}, {%f22, %f22}", op="tex.grad"),
    tex("t2d_offset", "2d", F2, "plane", extra=", {3, -2}"),
    tex("t2d_offset_int", "2d", S2, "plane", "f32.s32", ", {3, -2}"),
    tex("t3d_offset", "3d", F3, "volume", extra=", {1, -2, 1, 0}"),
    tex("ta2d_offset", "a2d", "%r23, %f20, %f21, %f21", "layers2",
        extra=", {3, -2}"),
    tex("g_red", "2d", F2, "plane", op="tld4.r"),
    tex("g_green", "2d", F2, "plane", op="tld4.g"),
    tex("t2d_any", "2d", F2, "plane", bindless=True),
    tex("t2d_any_int", "2d", S2, "plane", "f32.s32", bindless=True),
    tex("t2d_any_level", "2d", F2, "plane", extra=", %f22", bindless=True,
        op="tex.level"),
    tex("t2d_any_offset", "2d", F2, "plane", extra=", {3, -2}", bindless=True),
    tex("t2d_any_grad", "2d", F2, "plane", bindless=True,
        extra=", {%f20, %f21}, {%f22, %f22}", op="tex.grad"),
    tex("g_any", "2d", F2, "plane", bindless=True, op="tld4.b"),
    kernel("t2d_halves", ["tex.2d.v2.f16x2.f32 {%r0, %r1}, [%rd1, {%f20, %f21}];"],
           "plane"),
    kernel("t2d_one", ["tex.2d.v4.f32.f32 {%r0, %r10, %r11, %r12}, "
                       "[%rd1, {%f20, %f21}];"], "plane"),
    kernel("t2d_last", ["tex.2d.v4.f32.f32 {%r10, %r0, %r11, %r1}, "
                        "[%rd1, {%f20, %f21}];"], "plane"),
    kernel("q_texture", ["txq.width.b32 %r0, [%rd1];",
                         "txq.height.b32 %r1, [%rd1];",
                         "txq.depth.b32 %r2, [%rd1];"], "volume"),
    kernel("s_load", [
        f"shl.b32 %r10, %r23, 4;",
        f"suld.b.2d.v4.b32.trap {V}, [%rd1, {{%r10, %r21}}];"], "plane"),
    kernel("s_clamp", [
        "shl.b32 %r10, %r20, 4;",
        f"suld.b.2d.v4.b32.clamp {V}, [%rd1, {{%r10, %r22}}];"], "plane"),
    kernel("s_zero", [
        "shl.b32 %r10, %r20, 3;",
        "suld.b.2d.v2.b32.zero {%r0, %r1}, [%rd1, {%r10, %r22}];"], "plane"),
    kernel("s_small", [
        "shl.b32 %r10, %r23, 1;",
        "suld.b.2d.b8.trap %h0, [%rd1, {%r23, %r21}];",
        "suld.b.2d.b16.trap %h1, [%rd1, {%r10, %r21}];",
        "mov.b32 %r0, {%h0, %h1};"], "plane"),
    kernel("s_layers", [
        "shl.b32 %r10, %r21, 4;",
        f"suld.b.a2d.v4.b32.clamp {V}, [%rd1, {{%r23, %r10, %r21, %r21}}];"],
        "layers2"),
    kernel("s_volume", [
        "shl.b32 %r10, %r21, 4;",
        f"suld.b.3d.v4.b32.zero {V}, [%rd1, {{%r10, %r23, %r22, %r22}}];"],
        "volume"),
    kernel("s_store", [
        "shl.b32 %r10, %r23, 4;", "mov.b32 %r0, %r20;", "mov.b32 %r1, 0x40490fdb;",
        "mov.b32 %r2, %f20;", "mov.b32 %r3, %f21;",
        f"sust.b.2d.v4.b32.trap [%rd1, {{%r10, %r21}}], {V};",
        "sust.b.2d.b32.zero [%rd1, {%r10, %r22}], %r1;",
        "mov.b32 %r0, 0;"], "plane"),
    kernel("s_texel", [
        "mov.b32 %r0, %f20;", "mov.b32 %r1, %f21;", "mov.b32 %r2, %f22;",
        "mov.b32 %r3, 0x3f800000;",
        f"sust.p.2d.v4.b32.clamp [%rd1, {{%r23, %r21}}], {V};",
        "sust.p.1d.v2.b32.zero [%rd1, {%r20}], {%r2, %r3};"], "plane"),
    kernel("s_reduce", [
        "shl.b32 %r10, %r23, 4;", "add.u32 %r11, %r20, 1000;",
        "sured.b.add.2d.u32.trap [%rd1, {%r10, 0}], %r11;",
        "sured.b.min.2d.s32.zero [%rd1, {%r10, 1}], %r22;",
        "sured.b.or.2d.b32.clamp [%rd1, {%r10, 2}], %r11;",
        "cvt.u64.u32 %rd7, %r11;",
        "sured.b.add.2d.u64.trap [%rd1, {%r10, 3}], %rd7;"], "plane"),
]
with open("tex.ptx", "w") as f:
    f.write(HEAD + "\n" + "\n".join(K))
with open("cube.ptx", "w") as f:
    f.write(HEAD + "\n" + "\n".join([
        tex("tcube", "cube", F3, "cube"),
        tex("tacube", "acube", "%r23, %f20, %f21, %f22", "cubes")]))
