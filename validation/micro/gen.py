#!/usr/bin/env python3
"""Writes micro.ptx, the kernels that kernels.csv launches. See README.md.

Every kernel's first parameter is `out`. A latency kernel stores the cycles of
its last pass in out[0]; the others store one record (%smid, first clock, last
clock) for each warp or block. Chains take their operands from parameters and
alternate between them, so that ptxas can neither fold nor fuse them.
"""
REGS = """\t.reg .pred %p<8>;
\t.reg .b32 %x<8>, %n, %i, %pass, %thr, %warp, %lane, %s<8>;
\t.reg .b32 %a, %b, %c, %d, %e, %z;
\t.reg .b64 %out, %buf, %t0, %t1, %t, %q<8>, %w<8>, %A, %B, %C;
"""


def params(names):
    """Declares and loads parameters; upper case and `out` are 64 bits wide."""
    wide = {"out", "buf", "src", "dst"}
    decl = ",\n".join("\t.param .u%d %s" % (64 if p in wide else 32, p)
                      for p in names)
    load = "".join("\tld.param.u%d %%%s, [%s];\n" %
                   (64 if p in wide else 32, p, p) for p in names)
    return decl, load


def entry(name, names, code, regs="", before=""):
    decl, load = params(names)
    print("\n%s.visible .entry %s(\n%s)\n{\n%s%s%s%s\tret;\n}" %
          (before, name, decl, REGS, regs, load, code))


THREAD = """\tmov.u32 %thr, %tid.x;
\tand.b32 %lane, %thr, 31;
\tshr.u32 %warp, %thr, 5;
"""


def ins(lines):
    return "".join("\t%s\n" % l for l in lines)


def lat(name, body, setup=(), unroll=64, last="%x0", extra=(), regs="",
        before="", each=(), after=()):
    """One chain, `unroll` links in a loop of n, the last of `passes` passes."""
    links = []
    for k in range(unroll):
        links += body(k)
    bits = 64 if last.startswith(("%q", "%A")) else 32
    code = THREAD + ins(setup) + """\tbar.warp.sync -1;
PASS:
""" + ins(each) + """\tmov.u32 %i, %n;
\tmov.u64 %t0, %clock64;
LOOP:
\t.pragma "nounroll";
""" + ins(links) + """\tsub.s32 %i, %i, 1;
\tsetp.ne.s32 %p0, %i, 0;
\t@%p0 bra LOOP;
""" + ins(["setp.eq.u%d %%p1, %s, 0xdeadbee;" % (bits, last),
           "@%p1 exit;"] + list(after)) + """\tmov.u64 %t1, %clock64;
\tsub.s32 %pass, %pass, 1;
\tsetp.ne.s32 %p0, %pass, 0;
\t@%p0 bra PASS;
\tsetp.ne.s32 %p0, %thr, 0;
\t@%p0 exit;
\tsub.s64 %t, %t1, %t0;
\tst.global.u64 [%out], %t;
""" + "\tst.global.u%d [%%out+8], %s;\n" % (bits, last)
    names = ["out", "n", "pass"] + (list(extra) or list("abcdez"))
    entry(name, names, code, regs, before)


def record(index, tmp="%q7"):
    """Stores (%smid, t0, t1) as record number `index`."""
    return ["mad.wide.u32 %s, %s, 24, %%out;" % (tmp, index),
            "mov.u32 %s6, %smid;",
            "cvt.u64.u32 %q6, %s6;",
            "st.global.u64 [%s], %%q6;" % tmp,
            "st.global.u64 [%s+8], %%t0;" % tmp,
            "st.global.u64 [%s+16], %%t1;" % tmp]


def tput(name, body, setup=(), rounds=16, extra=(), regs="", last="%x",
         also=()):
    """Four chains a thread; every warp records its first and last clock."""
    links = []
    for k in range(rounds):
        for chain in range(4):
            links += body(k, chain)
    wide = last in ("%q", "%w")
    fold = ["xor.b%d %s0, %s0, %s%d;" % (64 if wide else 32, last, last, last,
                                         c) for c in (1, 2, 3)]
    code = THREAD + ins(setup) + """\tbar.sync 0;
\tmov.u32 %i, %n;
\tmov.u64 %t0, %clock64;
LOOP:
\t.pragma "nounroll";
""" + ins(links) + """\tsub.s32 %i, %i, 1;
\tsetp.ne.s32 %p0, %i, 0;
\t@%p0 bra LOOP;
""" + ins(fold + ["setp.eq.u%d %%p1, %s0, 0xdeadbee;" % (64 if wide else 32,
                                                         last),
                  "@%p1 exit;"] + list(also)) + """\tmov.u64 %t1, %clock64;
\tsetp.ne.s32 %p0, %lane, 0;
\t@%p0 exit;
""" + ins(record("%warp"))
    entry(name, ["out", "n"] + (list(extra) or list("abcdez")), code, regs)


def link(fmt, alt=None):
    """The same link each time, or two that alternate."""
    return lambda k: [alt if alt and k % 2 else fmt]


# z is 0: ptxas assumes that the operands differ between lanes, so it keeps them
# in ordinary registers and neither combines lanes nor removes shuffles.
LANES = ["mad.lo.u32 %%%s, %%thr, %%z, %%%s;" % (r, r) for r in "abcde"]
X = LANES + ["mov.b32 %x0, %a;"]
W = LANES + ["mov.b64 %A, {%e, %a};", "mov.b64 %B, {%e, %b};",
             "mov.b64 %C, {%e, %c};", "mov.b64 %q0, %A;"]
FOUR = LANES + ["add.u32 %%x%d, %%a, %%thr;" % c for c in range(4)] + \
       ["mad.lo.u32 %%x%d, %%x%d, %d, %%b;" % (c, c, 3 + 2 * c)
        for c in range(4)]
FOURW = W[:-1] + [l for c in range(4)
         for l in ("add.u32 %%x%d, %%thr, %d;" % (c, c),
                   "mov.b64 %%q%d, {%%x%d, %%a};" % (c, c))]


def hmma(acc):
    d = ", ".join(acc)
    return ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s}, "
            "{%%a, %%b, %%c, %%d}, {%%e, %%z}, {%s};" % (d, d))


def arithmetic():
    one = {
        "fadd": "add.f32 %x0, %x0, %b;",
        "fmul": "mul.f32 %x0, %x0, %b;",
        "ffma": "fma.rn.f32 %x0, %x0, %b, %c;",
        "imad": "mad.lo.s32 %x0, %x0, %b, %c;",
        "hfma2": "fma.rn.f16x2 %x0, %x0, %b, %c;",
        "ex2": "ex2.approx.ftz.f32 %x0, %x0;",
        "rsqrt": "rsqrt.approx.ftz.f32 %x0, %x0;",
        "tanh": "tanh.approx.f32 %x0, %x0;",
        "sin": "sin.approx.ftz.f32 %x0, %x0;",
        "popc": "popc.b32 %x0, %x0;",
        "brev": "brev.b32 %x0, %x0;",
        "shfl": "shfl.sync.bfly.b32 %x0, %x0, 1, 31, -1;",
    }
    for name, text in one.items():
        lat("lat_" + name, link(text), X)
    lat("lat_lop3", link("lop3.b32 %x0, %x0, %b, %c, 0xca;",
                         "lop3.b32 %x0, %x0, %d, %e, 0xca;"), X)
    lat("lat_shf", link("shf.l.wrap.b32 %x0, %x0, %b, %c;",
                        "shf.l.wrap.b32 %x0, %x0, %d, %e;"), X)
    lat("lat_iadd", link("@%p2 add.s32 %x0, %x0, %b;",
                         "@%p3 add.s32 %x0, %x0, %c;"),
        X + ["setp.ne.s32 %p2, %d, 0;", "setp.ne.s32 %p3, %e, 0;"])
    lat("lat_iadd3", lambda k: ["add.s32 %%x0, %%x0, %s;" % ("%b", "%d")[k % 2],
                                "add.s32 %%x0, %%x0, %s;" % ("%c", "%e")[k % 2]
                                ], X)
    lat("lat_iadd_lop3", link("add.s32 %x0, %x0, %d;",
                              "lop3.b32 %x0, %x0, %b, %c, 0xca;"), X)
    lat("lat_iadd_imad", link("add.s32 %x0, %x0, %d;",
                              "mad.lo.s32 %x0, %x0, %b, %c;"), X)
    lat("lat_rcp_fadd", link("rcp.approx.ftz.f32 %x0, %x0;",
                             "add.f32 %x0, %x0, %b;"), X)
    lat("lat_cvt", link("cvt.rzi.s32.f32 %x0, %x0;",
                        "cvt.rn.f32.s32 %x0, %x0;"), X)
    lat("lat_setp_selp", lambda k: ["setp.lt.s32 %p2, %x0, %d;",
                                    "selp.b32 %x0, %b, %c, %p2;"], X, 32)
    lat("lat_dadd", link("add.f64 %q0, %q0, %B;"), W, last="%q0")
    lat("lat_dmul", link("mul.f64 %q0, %q0, %B;"), W, last="%q0")
    lat("lat_dfma", link("fma.rn.f64 %q0, %q0, %B, %C;"), W, last="%q0")
    # Through the dividend: the reciprocal is not part of the chain
    lat("lat_div_f32", link("div.rn.f32 %x0, %x0, %b;"), X, 8)
    lat("lat_div_s32", link("div.s32 %x0, %x0, %b;"), X, 8)
    lat("lat_div_f32_by", link("div.rn.f32 %x0, %b, %x0;"), X, 8)
    lat("lat_div_s32_by", link("div.s32 %x0, %b, %x0;"), X, 8)
    lat("lat_hmma", link(hmma(["%x0", "%x1", "%x2", "%x3"])),
        X + ["mov.b32 %%x%d, 0;" % j for j in (1, 2, 3)])
    # The counter in a uniform register, and in a register of each lane
    lat("loop", link("fma.rn.f32 %x0, %x0, %b, %c;"), X, 1)
    lat("loop_lane", link("fma.rn.f32 %x0, %x0, %b, %c;"),
        X + ["mad.lo.u32 %n, %thr, %z, %n;"], 1)


def memory():
    shared = "\t.shared .align 16 .b8 sm[16384];\n"
    # %d: bytes between lanes, each word holding its own address
    self_s = ["mov.u32 %s0, sm;", "mad.lo.u32 %x0, %thr, %d, %s0;",
              "st.shared.u32 [%x0], %x0;"]
    lat("lds", link("ld.shared.u32 %x0, [%x0];"), self_s, regs=shared)
    lat("lds_v2", link("ld.volatile.shared.v2.u32 {%x0, %x1}, [%x0];"), self_s,
        regs=shared)
    lat("lds_v4",
        link("ld.volatile.shared.v4.u32 {%x0, %x1, %x2, %x3}, [%x0];"),
        self_s, regs=shared)
    lat("atoms_add", link("atom.shared.add.u32 %x1, [%x0], %x1;"),
        self_s + ["mov.b32 %x1, %a;"], regs=shared, last="%x1")
    # Steps of a ring of 64 words, in words
    steps = ", ".join(["1"] * 63 + ["-63"])
    lat("ldc", lambda k: ["ld.const.s32 %x1, [%q0];",
                          "mad.lo.s32 %x0, %x1, %d, %x0;",
                          "mov.b64 %q0, {%x0, %x2};"],
        LANES + ["mov.u64 %q0, ctab;", "mov.b64 {%x0, %x2}, %q0;"],
        before=".const .align 256 .s32 ctab[64] = {%s};\n\n" % steps)

    # A ring of %b pointers, %c bytes apart, made by each thread %d bytes apart
    ring = ["mad.wide.u32 %q1, %thr, %d, %buf;", "mov.u64 %q0, %q1;",
            "mov.u32 %s0, 1;", "cvt.u64.u32 %w0, %c;"]
    ring.append("""// the ring
FILL:
\tadd.u64 %q2, %q1, %w0;
\tsetp.eq.u32 %p2, %s0, %b;
\tselp.b64 %q2, %q0, %q2, %p2;
\tst.global.u64 [%q1], %q2;
\tmov.u64 %q1, %q2;
\tadd.u32 %s0, %s0, 1;
\tsetp.le.u32 %p2, %s0, %b;
\t@%p2 bra FILL;
\tmembar.gl;""")
    ext = ["buf", "b", "c", "d"]
    for op in ("ca", "cg"):
        lat("ldg_" + op, link("ld.global.%s.u64 %%q0, [%%q0];" % op), ring,
            last="%q0", extra=ext)
        lat("ldg_%s_16" % op,
            lambda k: ["ld.global.%s.v4.u32 {%%x0, %%x1, %%x2, %%x3}, [%%q0];"
                       % op, "mov.b64 %q0, {%x0, %x1};",
                       "lop3.b32 %x4, %x4, %x2, %x3, 0x96;"],
            ring + ["mov.b32 %x4, 0;"], last="%q0", extra=ext,
            after=["setp.eq.u32 %p1, %x4, 0xdeadbee;", "@%p1 exit;"])
    # Memory full of ones: the lower half of the address grows by 1 * stride.
    # Each pass starts %d bytes after the one before: the first one maps the
    # pages, the second one reads other lines of them.
    lat("dram", lambda k: ["ld.global.cg.u32 %x0, [%q0];",
                           "mad.lo.u32 %x1, %x0, %c, %x1;",
                           "mov.b64 %q0, {%x1, %x2};"],
        ["mov.b64 {%x3, %x2}, %buf;", "mad.lo.u32 %c, %thr, %z, %c;"],
        last="%x0", extra=["buf", "c", "d", "z"],
        each=["mov.b32 %x1, %x3;", "mov.b64 %q0, {%x1, %x2};",
              "add.u32 %x3, %x3, %d;"])
    lat("atom_add", link("atom.global.add.u32 %x0, [%buf], %x0;"),
        ["mov.b32 %x0, 1;", "mad.wide.u32 %buf, %thr, %z, %buf;"],
        extra=["buf", "z"])
    for scope in ("cta", "gl", "sys"):
        lat("st_membar_" + scope,
            lambda k: ["st.global.u32 [%buf], %x0;", "membar.%s;" % scope],
            ["mov.b32 %x0, %n;"], unroll=16, extra=["buf"])
    lat("barrier", link("bar.sync 0;"), ["mov.b32 %x0, %n;"])


def throughput():
    one = {
        "ffma": "fma.rn.f32 {x}, {x}, %b, %c;",
        "fadd": "add.f32 {x}, {x}, %b;",
        "imad": "mad.lo.s32 {x}, {x}, %b, %c;",
        "hfma2": "fma.rn.f16x2 {x}, {x}, %b, %c;",
        "ex2": "ex2.approx.ftz.f32 {x}, {x};",
        "popc": "popc.b32 {x}, {x};",
        "shfl": "shfl.sync.bfly.b32 {x}, {x}, 1, 31, -1;",
    }
    two = {
        "lop3": ("lop3.b32 {x}, {x}, %b, %c, 0xca;",
                 "lop3.b32 {x}, {x}, %d, %e, 0xca;"),
        "cvt": ("cvt.rzi.s32.f32 {x}, {x};", "cvt.rn.f32.s32 {x}, {x};"),
        "ffma_xor": ("fma.rn.f32 {x}, {x}, %b, %b;", "xor.b32 {x}, {x}, %d;"),
        "ffma_imad": ("fma.rn.f32 {x}, {x}, %b, %c;",
                      "mad.lo.s32 {x}, {x}, %d, %e;"),
        "ffma_lop3": ("fma.rn.f32 {x}, {x}, %b, %c;",
                      "lop3.b32 {x}, {x}, %d, %e, 0xca;"),
    }
    two.update({k: (v, v) for k, v in one.items()})
    for name, texts in two.items():
        tput("tp_" + name, lambda k, c: [texts[k % 2].replace("{x}", "%%x%d" %
                                                              c)], FOUR)
    side = ("fma.rn.f32 %%x%d, %%x%d, %%b, %%c;",
            "mad.lo.s32 %%x%d, %%x%d, %%b, %%c;",
            "lop3.b32 %%x%d, %%x%d, %%b, %%c, 0xca;",
            "lop3.b32 %%x%d, %%x%d, %%d, %%e, 0xca;")
    tput("tp_ffma_beside_lop3", lambda k, c: [side[(2 + k % 2) * (c & 1)] %
                                              (c, c)], FOUR)
    tput("tp_imad_beside_lop3", lambda k, c: [side[(2 + k % 2) if c & 1 else 1]
                                              % (c, c)], FOUR)
    # Four accumulators a chain; A and B are the same for all
    tput("tp_hmma", lambda k, c: [hmma(["%%y%d" % (4 * c + j)
                                        for j in range(4)])],
         FOUR + ["mov.b32 %%y%d, 0;" % j for j in range(16)],
         regs="\t.reg .b32 %y<16>;\n",
         also=["xor.b32 %y0, %y0, %y4;", "xor.b32 %y0, %y0, %y8;",
               "xor.b32 %y0, %y0, %y12;", "setp.eq.u32 %p1, %y0, 0xdeadbee;",
               "@%p1 exit;"])
    tput("tp_dfma", lambda k, c: ["fma.rn.f64 %%q%d, %%q%d, %%B, %%C;" %
                                  (c, c)], FOURW, last="%q")

    shared = "\t.shared .align 16 .b8 sm[16384];\n"
    # The four chains read the same words (%e is 0), d bytes between threads.
    self_s = ["mov.u32 %s0, sm;", "mad.lo.u32 %x0, %thr, %d, %s0;",
              "st.shared.u32 [%x0], %x0;"] + \
        ["mad.lo.u32 %%x%d, %%e, %d, %%x0;" % (c, c) for c in (1, 2, 3)]
    tput("tp_lds", lambda k, c: ["ld.shared.u32 %%x%d, [%%x%d];" % (c, c)],
         self_s, regs=shared)
    tput("tp_lds_v4",
         lambda k, c: ["ld.volatile.shared.v4.u32 "
                       "{%%x%d, %%s1, %%s2, %%s3}, [%%x%d];" % (c, c)],
         self_s, regs=shared)
    # Each chain reads its own word, %e bytes from the chain before.
    self_g = ["mad.wide.u32 %q0, %thr, %d, %buf;", "cvt.u64.u32 %w1, %e;"] + \
        ["add.u64 %%q%d, %%q%d, %%w1;" % (c, c - 1) for c in (1, 2, 3)] + \
        ["st.global.u64 [%%q%d], %%q%d;" % (c, c) for c in range(4)] + \
        ["membar.gl;"]
    for op in ("ca", "cg"):
        tput("tp_ldg_" + op, lambda k, c: ["ld.global.%s.u64 %%q%d, [%%q%d];" %
                                           (op, c, c)],
             self_g, extra=["buf", "d", "e"], last="%q")
        # The xor keeps ptxas from loading only the half that is an address.
        # The four loads of a round are adjacent, as ptxas would place them.
        def round_of_16(k, c, op=op):
            if c < 3:
                return []
            r = ["%%y%d" % j for j in range(16)]
            return ["ld.global.%s.v4.u32 {%s}, [%%q%d];" %
                    (op, ", ".join(r[4 * j:4 * j + 4]), j) for j in range(4)] \
                + [l for j in range(4) for l in
                   ("mov.b64 %%q%d, {%s, %s};" % (j, r[4 * j], r[4 * j + 1]),
                    "lop3.b32 %%x%d, %%x%d, %s, %s, 0x96;" %
                    (j, j, r[4 * j + 2], r[4 * j + 3]))]

        tput("tp_ldg_%s_16" % op, round_of_16,
             self_g + ["mov.b32 %%x%d, 0;" % c for c in range(4)],
             extra=["buf", "d", "e"], last="%q", regs="\t.reg .b32 %y<16>;\n",
             also=["xor.b32 %x0, %x0, %x1;", "xor.b32 %x2, %x2, %x3;",
                   "xor.b32 %x0, %x0, %x2;",
                   "setp.eq.u32 %p1, %x0, 0xdeadbee;", "@%p1 exit;"])


WHOLE = THREAD + """\tmov.u32 %s0, %ctaid.x;
\tmov.u32 %s1, %ntid.x;
\tmad.lo.u32 %s2, %s0, %s1, %thr;
\tmov.u32 %s3, %nctaid.x;
\tmul.lo.u32 %s4, %s1, %s3;
\tshr.u32 %s5, %s2, 5;
"""

TAIL = """\tmov.u64 %t1, %clock64;
\tsetp.ne.s32 %p0, %lane, 0;
\t@%p0 exit;
"""


def sweep(name, loads, stores, extra, op="cg"):
    """Passes over a footprint of n * 4 * 16 bytes a thread; one warms up."""
    body = []
    for k in range(4):
        if loads:
            body += ["ld.global.%s.v4.u32 {%%y%d, %%y%d, %%y%d, %%y%d}, [%%q0];"
                     % ((op,) + tuple(range(4 * k, 4 * k + 4))),
                     "add.u64 %q0, %q0, %w0;"]
    for k in range(4):
        if stores:
            body += ["st.global.v4.u32 [%%q1], {%%y%d, %%y%d, %%y%d, %%y%d};" %
                     tuple(range(4 * k, 4 * k + 4)),
                     "add.u64 %q1, %q1, %w0;"]
    if not stores:
        body += ["xor.b32 %%x0, %%x0, %%y%d;" % k for k in range(16)]
    start = "%src" if loads else "%dst"
    init = ["mov.u32 %%y%d, %%thr;" % k for k in range(16)] if not loads else []
    code = WHOLE + ins(["mul.wide.u32 %w0, %s4, 16;", "mov.b32 %x0, 0;",
                        "mov.u64 %t0, %clock64;"] + init)
    code += "PASS:\n" + ins(
        ["mad.wide.u32 %%q0, %%s2, 16, %s;" % start] +
        (["mad.wide.u32 %q1, %s2, 16, %dst;"] if stores else []) +
        ["mov.u32 %i, %n;"])
    code += "LOOP:\n\t.pragma \"nounroll\";\n" + ins(body) + ins(
        ["sub.s32 %i, %i, 1;", "setp.ne.s32 %p0, %i, 0;", "@%p0 bra LOOP;",
         "sub.s32 %pass, %pass, 1;", "setp.eq.s32 %p0, %pass, %b;",
         "@%p0 mov.u64 %t0, %clock64;",
         "setp.ne.s32 %p0, %pass, 0;", "@%p0 bra PASS;",
         "setp.eq.u32 %p1, %x0, 0xdeadbee;", "@%p1 exit;"])
    code += TAIL + ins(record("%s5"))
    entry(name, ["out", "n", "pass", "b"] + extra, code,
          "\t.reg .b32 %y<16>;\n\t.reg .b64 %src, %dst;\n")


def whole_gpu():
    sweep("read_cg", True, False, ["src"])
    sweep("read_ca", True, False, ["src"], "ca")
    sweep("write", False, True, ["dst"])
    sweep("copy", True, True, ["src", "dst"])

    # c = a + b, one element per thread; warp 0 of a block writes a record
    entry("vecadd", ["out", "src", "buf", "dst"], WHOLE + ins(
        ["mov.u64 %t0, %clock64;"] +
        ["mad.wide.u32 %%q%d, %%s2, 4, %%%s;" % (i, p)
         for i, p in enumerate(("src", "buf", "dst"))] +
        ["ld.global.f32 %x0, [%q0];", "ld.global.f32 %x1, [%q1];",
         "add.f32 %x2, %x0, %x1;", "st.global.f32 [%q2], %x2;",
         "setp.ne.u32 %p0, %thr, 0;", "@%p0 exit;",
         "mov.u64 %t1, %clock64;"] + record("%s0")),
        "\t.reg .b64 %src, %dst;\n")

    # 32 reductions per thread and loop, %c bytes between lanes, %d between warps
    entry("red_add", ["out", "n", "buf", "c", "d"], WHOLE + ins(
        ["mad.wide.u32 %q0, %lane, %c, %buf;",
         "mad.wide.u32 %q0, %s5, %d, %q0;", "mov.u32 %i, %n;",
         "mov.u64 %t0, %clock64;"]) + "LOOP:\n\t.pragma \"nounroll\";\n" +
        ins(["red.global.add.u32 [%q0], %i;"] * 32 +
            ["sub.s32 %i, %i, 1;", "setp.ne.s32 %p0, %i, 0;", "@%p0 bra LOOP;",
             "membar.gl;"]) + TAIL + ins(record("%s5")))

    # Blocks that stay for n cycles; dynamic shared memory limits how many fit
    entry("turn", ["out", "n"], WHOLE + ins(
        ["mov.u64 %t0, %clock64;", "cvt.u64.u32 %w0, %n;",
         "add.u64 %w0, %w0, %t0;"]) + "LOOP:\n" + ins(
        ["mov.u64 %t1, %clock64;", "setp.lt.u64 %p0, %t1, %w0;",
         "@%p0 bra LOOP;", "setp.ne.u32 %p0, %thr, 0;", "@%p0 exit;",
         "mov.u64 %t1, %clock64;"] + record("%s0")))
    entry("empty", ["out"], "")
    # For the host: the SM clock. Cycles and nanoseconds of one long wait.
    entry("clockrate", ["out", "n"], ins(
        ["cvt.u64.u32 %w0, %n;", "mov.u64 %q0, %globaltimer;",
         "mov.u64 %t0, %clock64;", "add.u64 %w0, %w0, %t0;"]) + "LOOP:\n" +
        ins(["mov.u64 %t1, %clock64;", "setp.lt.u64 %p0, %t1, %w0;",
             "@%p0 bra LOOP;", "mov.u64 %q1, %globaltimer;",
             "sub.u64 %t, %t1, %t0;", "st.global.u64 [%out], %t;",
             "sub.u64 %t, %q1, %q0;", "st.global.u64 [%out+8], %t;"]))


def main():
    print("// Made by gen.py; do not edit.\n.version 7.8\n.target sm_90\n"
          ".address_size 64")
    arithmetic()
    memory()
    throughput()
    whole_gpu()


main()
