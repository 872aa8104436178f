#!/usr/bin/env python3
# Writes mma.ptx, mma4.ptx, mma75.ptx, mma89.ptx,
# mma90.ptx, mmasp.ptx, mmasp4.ptx: a kernel for each matrix instruction.
# Each reads the registers of A, B and C from `in`, 128 bytes of a lane, and
# writes those of D to `out`, 64 bytes of a lane.
import sys

def kernel(name, op, a, b, c, d, wide=0, selector=None):
    # a, b, c, d: registers of 32 bits; wide: D and C, A and B of f64
    # selector: of a sparse A, whose metadata are at 192
    out = [f".visible .entry {name}(.param .u64 out, .param .u64 in)", "{",
           "\t.reg .b64 %rd<40>;", "\t.reg .b32 %r<40>;", "\t.reg .f64 %fd<40>;",
           "\tld.param.u64 %rd1, [out];", "\tld.param.u64 %rd2, [in];",
           "\tcvta.to.global.u64 %rd1, %rd1;", "\tcvta.to.global.u64 %rd2, %rd2;",
           "\tmov.u32 %r39, %tid.x;",
           "\tmul.wide.u32 %rd3, %r39, 256;", "\tadd.u64 %rd2, %rd2, %rd3;",
           "\tmul.wide.u32 %rd4, %r39, 64;", "\tadd.u64 %rd1, %rd1, %rd4;"]
    reg, size, t = ("%fd", 8, "f64") if wide else ("%r", 4, "b32")
    n, at, lists = 0, 0, []
    for count, offset in ((a, 0), (b, 64), (c, 128)):
        names = []
        for i in range(count):
            out.append(f"\tld.global.{t} {reg}{n}, [%rd2+{offset + size * i}];")
            names.append(f"{reg}{n}")
            n += 1
        lists.append("{" + ", ".join(names) + "}")
    dn = [f"{reg}{n + i}" for i in range(d)]
    if selector is not None:
        out.append("\tld.global.b32 %r38, [%rd2+192];")
        lists[2] += f", %r38, {selector}"
    out.append(f"\t{op} {{{', '.join(dn)}}}, {lists[0]}, {lists[1]}, {lists[2]};")
    for i in range(d):
        out.append(f"\tst.global.{t} [%rd1+{size * i}], {dn[i]};")
    out += ["\tret;", "}", ""]
    return "\n".join(out)

def write(name, target, version, kernels):
    with open(name, "w") as f:
        f.write(f".version {version}\n.target {target}\n.address_size 64\n\n")
        f.write("\n".join(kernels))

M = "mma.sync.aligned."
ks = [kernel("f16_k8", M + "m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2, 2),
      kernel("f32_k8", M + "m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, 4)]
def quads(name, types, c, d, layouts="row.col"):
    return kernel(name, M + f"m8n8k4.{layouts}.{types}", 2, 2, c, d)

write("mma75.ptx", "sm_75", "6.5", ks + [
    quads("f32_884", "f32.f16.f16.f32", 8, 8),
    quads("f16_884", "f16.f16.f16.f16", 4, 4),
    quads("f32_884_other", "f32.f16.f16.f32", 8, 8, "col.row"),
    quads("f16_884_rows", "f16.f16.f16.f16", 4, 4, "row.row"),
    kernel("s8_8816", M + "m8n8k16.row.col.s32.s8.s8.s32", 1, 1, 2, 2),
    kernel("u8s8_8816", M + "m8n8k16.row.col.satfinite.s32.u8.s8.s32", 1, 1, 2, 2),
    kernel("s4_8832", M + "m8n8k32.row.col.s32.s4.s4.s32", 1, 1, 2, 2),
    kernel("u4_8832", M + "m8n8k32.row.col.satfinite.s32.u4.u4.s32", 1, 1, 2, 2)])
ks += [kernel("f16_k16", M + "m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, 2),
       kernel("f32_k16", M + "m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, 4),
       kernel("bf16_k8", M + "m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4, 4),
       kernel("bf16_k16", M + "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, 4),
       kernel("tf32_k4", M + "m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, 4),
       kernel("tf32_k8", M + "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, 4),
       kernel("s8_k16", M + "m16n8k16.row.col.s32.s8.s8.s32", 2, 1, 4, 4),
       kernel("u8_k16", M + "m16n8k16.row.col.satfinite.s32.u8.s8.s32", 2, 1, 4, 4),
       kernel("s8u8_k32", M + "m16n8k32.row.col.s32.s8.u8.s32", 4, 2, 4, 4),
       kernel("u8_k32", M + "m16n8k32.row.col.satfinite.s32.u8.u8.s32", 4, 2, 4, 4),
       kernel("f64_884", M + "m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2, 2, 1)]
write("mma.ptx", "sm_80", "7.1", ks + [
    kernel("b1_88128", M + "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 1, 1, 2, 2),
    kernel("b1_k128", M + "m16n8k128.row.col.s32.b1.b1.s32.and.popc", 2, 1, 4, 4),
    kernel("b1_k256", M + "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 4, 2, 4, 4),
    kernel("b1_k256_and", M + "m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 2, 4, 4)])
write("mma4.ptx", "sm_80", "7.1", [
    kernel("s4_k32", M + "m16n8k32.row.col.s32.s4.u4.s32", 2, 1, 4, 4),
    kernel("u4_k64", M + "m16n8k64.row.col.satfinite.s32.u4.s4.s32", 4, 2, 4, 4)])
write("mma89.ptx", "sm_89", "8.4", [
    kernel("e4m3", M + "m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 4, 4),
    kernel("mixed", M + "m16n8k32.row.col.f32.e5m2.e4m3.f32", 4, 2, 4, 4)])
write("mma90.ptx", "sm_90", "7.8", [
    kernel("f64_1684", M + "m16n8k4.row.col.f64.f64.f64.f64", 2, 1, 4, 4, 1),
    kernel("f64_1688", M + "m16n8k8.row.col.f64.f64.f64.f64", 4, 2, 4, 4, 1),
    kernel("f64_16816", M + "m16n8k16.row.col.f64.f64.f64.f64", 8, 4, 4, 4, 1)])
S = "mma.sp::ordered_metadata.sync.aligned."
write("mmasp.ptx", "sm_80", "8.5", [
    kernel("sp_f16_k16", S + "m16n8k16.row.col.f16.f16.f16.f16", 2, 2, 2, 2, selector=3),
    kernel("sp_f32_k16", S + "m16n8k16.row.col.f32.f16.f16.f32", 2, 2, 4, 4, selector=1),
    kernel("sp_f16_k32", S + "m16n8k32.row.col.f16.f16.f16.f16", 4, 4, 2, 2, selector=0),
    kernel("sp_f32_k32", S + "m16n8k32.row.col.f32.f16.f16.f32", 4, 4, 4, 4, selector=1),
    kernel("sp_bf16_k16", S + "m16n8k16.row.col.f32.bf16.bf16.f32", 2, 2, 4, 4, selector=2),
    kernel("sp_bf16_k32", S + "m16n8k32.row.col.f32.bf16.bf16.f32", 4, 4, 4, 4, selector=0),
    kernel("sp_tf32_k8", S + "m16n8k8.row.col.f32.tf32.tf32.f32", 2, 2, 4, 4, selector=2),
    kernel("sp_tf32_k16", S + "m16n8k16.row.col.f32.tf32.tf32.f32", 4, 4, 4, 4, selector=1),
    kernel("sp_s8u8_k32", S + "m16n8k32.row.col.s32.s8.u8.s32", 2, 2, 4, 4, selector=1),
    kernel("sp_u8_k64", S + "m16n8k64.row.col.satfinite.s32.u8.u8.s32", 4, 4, 4, 4, selector=0)])
write("mmasp4.ptx", "sm_80", "8.5", [
    kernel("sp_s4_k64", S + "m16n8k64.row.col.s32.s4.u4.s32", 2, 2, 4, 4, selector=1),
    kernel("sp_u4_k128", S + "m16n8k128.row.col.satfinite.s32.u4.s4.s32", 4, 4, 4, 4, selector=0)])
