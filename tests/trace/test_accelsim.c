/*
 * Traces of Accel-Sim, written by hand: what is read, what is refused and where,
 * and how long it takes. The programs of prog/ compare whole traces.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "accelsim/list.h"
#include "accelsim/play.h"
#include "heddle/heddle.h"
#include "test.h"

#define HEADER(version, grid, block, stream)          \
	"-kernel name = _Z1kPf\n"                     \
	"-kernel id = 1\n"                            \
	"-grid dim = (" grid ",1,1)\n"                \
	"-block dim = (" block ",1,1)\n"              \
	"-shmem = 256\n"                              \
	"-nregs = 16\n"                               \
	"-binary version = 70\n"                      \
	"-cuda stream id = " stream "\n"              \
	"-shmem base_addr = 0x00007f0010000000\n"     \
	"-local mem base_addr = 0x00007f0020000000\n" \
	"-nvbit version = 1.5.5\n"                    \
	"-accelsim tracer version = " version "\n"    \
	"\n"                                          \
	"#traces format = PC mask dest_num [reg_dests] opcode\n\n"

#define BLOCK(x, count, lines)                                              \
	"#BEGIN_TB\n\nthread block = " x ",0,0\n\nwarp = 0\ninsts = " count \
	"\n" lines "\n#END_TB\n\n"

/* A block of one warp. Its first line is line 22. */
#define GOOD                                                                 \
	HEADER("5", "1", "32", "0")                                          \
	BLOCK("0", "4",                                                      \
	      "0000 ffffffff 1 R2 LDG.E.SYS 1 R4 4 1 0x7f0000000000 4 0 \n"  \
	      "0010 0000000f 1 R3 FADD 2 R2 R255 0 0 \n"                     \
	      "0020 ffffffff 0 STG.E.SYS 2 R4 R3 4 2 0x7f0000000000 4 4 4 "  \
	      "4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 0 \n" \
	      "0030 ffffffff 0 EXIT 0 0 0 \n")

static char folder[] = "/tmp/heddle-accelsim-XXXXXX";

static void begin(void)
{
	strcpy(folder, "/tmp/heddle-accelsim-XXXXXX");
	OK(mkdtemp(folder) != NULL);
}

static void end(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	EQ(0, system(command));
}

static const char *put(const char *name, const char *text)
{
	static char path[100];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	OK(f != NULL);
	fputs(text, f);
	EQ(0, fclose(f));
	return path;
}

/* The text with a part of it replaced. */
static char *with(const char *text, const char *part, const char *by)
{
	const char *at = strstr(text, part);
	char *out = malloc(strlen(text) + strlen(by) + 1);

	OK(at != NULL && out != NULL);
	sprintf(out, "%.*s%s%s", (int)(at - text), text, by, at + strlen(part));
	return out;
}

/* ---- reading ------------------------------------------------------------- */

static enum err scan(const char *text, struct asim_code *c, struct diag *d)
{
	const char *path = put("kernel-1.traceg", text);
	struct program *p = NULL;
	enum err e = asim_scan(c, path, NULL, NULL, d);

	if (!e)
		e = asim_program(&p, c, path, NULL, d);
	if (!e)
		asim_program_free(p);
	return e;
}

TEST(accelsim, a_kernel_has_its_instructions_lanes_and_addresses)
{
	struct asim_code c;
	struct diag d;

	begin();
	EQ(ERR_OK, scan(GOOD, &c, &d));
	STREQ("_Z1kPf", c.header.kernel);
	EQ(70, c.header.target);
	EQ(256, c.header.shared_bytes);
	EQ(4, c.count);
	EQ(4, c.records);
	EQ(32 + 4 + 32 + 32, c.lanes);
	EQ(64, c.addresses);
	EQ(UINT64_C(0x7f0000000000), c.inst[0].low);
	EQ(UINT64_C(0x7f000000007c), c.inst[0].high);
	EQ(UINT64_C(0x7f000000007c), c.inst[2].high);
	OK(!c.inst[0].listed.jumps);
	OK(c.inst[3].exits);
	asim_code_free(&c);
	end();
}

/* Damage to the good trace, and what is said of it. */
static const struct {
	const char *part, *by, *says;
} damage[] = {
	{ "= _Z1kPf", "= ", ":1: a kernel's name has 1 to 1023 bytes" },
	{ "-kernel name = _Z1kPf\n", "", ":13: the header has no kernel name" },
	{ "(1,1,1)", "(1,1)", ":3: grid dim = '(1,1)': expected three sizes" },
	{ "(32,1,1)", "(32,0,1)", ":4: block dim = '(32,0,1)'" },
	{ "(32,1,1)", "(64,32,1)", "2048 threads in a block" },
	{ "nregs = 16", "nregs = many", ":6: nregs = 'many': no number" },
	{ "nregs = 16", "nregs = 300", ":6: nregs = 300: expected 0 to 255" },
	{ "version = 70", "version = 61", "binary version 61: machine code" },
	{ "tracer version = 5", "tracer version = 6", "version 6: versions 3" },
	{ "tracer version = 5", "tracer version = 2", "version 2: versions 3" },
	{ "-nregs", "nregs", ":6: 'nregs = 16': expected -name = value" },
	{ "#BEGIN_TB", "0 0 0 0 0000", ":16: '0 0 0 0 0000': expected #BEGIN" },
	{ "thread block = 0", "thread block = 1", "outside of the grid" },
	{ "warp = 0", "warp = 1", ":20: warp 1: a block has 1 warps" },
	{ "warp = 0", "cluster id = 0",
	  ":20: 'cluster id = 0': expected warp" },
	{ "insts = 4", "insts = four", ":21: 'insts = four': expected insts" },
	{ "insts = 4", "insts = 5", ":27: expected a program counter" },
	{ "insts = 4", "insts = 3", ":25: '0030 ffffffff 0 EXIT" },
	{ "#END_TB", "", "the file ends inside of a block" },
	{ "0000 ffff", "0008 ffff", ":22: expected a program counter" },
	{ "0000 ffff", "7000000 ffff", ":22: expected a program counter" },
	{ "ffffffff 1 R2", "fffffffff 1 R2", ":22: after the program counter" },
	{ "1 R2", "2 R2", ":22: after the mask, expected the number of" },
	{ "1 R2", "1 P2", ":22: after the mask" },
	{ "LDG.E.SYS 1", "ldg 1", ":22: after the destinations, expected" },
	{ "LDG.E.SYS 1", "LDX.E.SYS 1", ":22: 'LDX.E.SYS' is no instruction" },
	{ "LDG.E.SYS 1", "LDG.E.ODD 1", ":22: 'LDG.E.ODD' is no instruction" },
	{ "LDG.E.SYS 1 R4", "LDG.E.SYS 1 R256", ":22: after the opcode" },
	{ "R4 4 1", "R4 x 1", ":22: after the sources, expected the width" },
	{ "R4 4 1", "R4 4 3", ":22: after a width, expected how addresses" },
	{ "4 1 0x7f0000000000 4 0", "4 1 0x7f0000000000", ":22: expected an" },
	{ "4 1 0x7f0000000000 4", "4 0 0x7f0000000000",
	  ":22: expected an addr" },
	{ "0x7f0000000000 4", "0xff7f0000000000ff 4", ":22: expected an addr" },
	{ "0x7f0000000000 4", "0x7f0000000002 4", "no multiple of 4 bytes" },
	{ "4 1 0x7f0000000000 4", "0", ":22: LDG.E.SYS without addresses" },
	{ "LDG.E.SYS", "LDS.U", ":22: LDS.U: an address outside of shared" },
	{ "LDG.E.SYS", "LDL", ":22: LDL: an address outside of local" },
	{ "R255 0 0", "R255 0 0 0", ":23: at the end of the line, expected" },
	{ "FADD 2 R2 R255", "BAR.SYNC 1 R2", ":23: BAR.SYNC: the trace does" },
	{ "FADD 2 R2 R255 0 0", "BAR.SYNC 0 0 64", ":23: BAR.SYNC: the trace" },
	{ "0010 0000000f 1 R3 FADD 2 R2 R255 0 0", "0010 0000000f 0 EXIT 0 0 0",
	  ":24: mask ffffffff: lanes 0000000f have exited before" },
};

TEST(accelsim, damage_is_reported_with_its_line)
{
	begin();
	for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
		char *text = with(GOOD, damage[i].part, damage[i].by);
		struct asim_code c;
		struct diag d = { .text = "nothing" };

		(void)!scan(text, &c, &d);
		if (!strstr(d.text, damage[i].says) ||
		    !strstr(d.text, "kernel-1.traceg:"))
			STREQ(damage[i].says, d.text);
		asim_code_free(&c);
		free(text);
	}
	end();
}

/* A file that ends anywhere is damaged, but for blank lines at its end. */
TEST(accelsim, every_cut_is_noticed)
{
	size_t size = strlen(GOOD);

	begin();
	for (size_t n = 0; n + 3 < size; n += 7) {
		char *text = strndup(GOOD, n);
		struct asim_code c;
		struct diag d;

		OK(scan(text, &c, &d) != ERR_OK);
		asim_code_free(&c);
		free(text);
	}
	end();
}

TEST(accelsim, a_missing_block_is_noticed)
{
	static const char text[] = HEADER("3", "3", "32", "0")
		BLOCK("0", "1", "0000 ffffffff 0 EXIT 0 0 \n")
			BLOCK("2", "1", "0000 ffffffff 0 EXIT 0 0 \n");
	char *two = with(text, "grid dim = (3", "grid dim = (4");
	struct asim_code c;
	struct diag d;

	begin();
	EQ(ERR_SYNTAX, scan(text, &c, &d));
	OK(strstr(d.text, "thread block 1,0,0 is missing") != NULL);
	asim_code_free(&c);
	free(two);
	two = with(text, "block = 2", "block = 1");
	EQ(ERR_SYNTAX, scan(two, &c, &d));
	OK(strstr(d.text, "after 2 of 3 thread blocks") != NULL);
	asim_code_free(&c);
	free(two);
	end();
}

/* The three ways to write the same addresses. */
TEST(accelsim, addresses_of_all_modes_are_the_same)
{
	static const char *const modes[] = {
		"0 0x7f0000000100 0x7f0000000108 0x7f0000000110",
		"1 0x7f0000000100 8",
		"2 0x7f0000000100 8 8",
	};

	begin();
	for (int i = 0; i < 3; i++) {
		char text[1000];
		struct asim_block b = { 0 };
		struct asim_source *s;
		struct asim_code c = { 0 };
		uint64_t a[32];
		struct diag d;
		bool found;

		snprintf(
			text, sizeof(text), "%s%s%s%s",
			HEADER("5", "1", "32",
			       "0") "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n"
				    "insts = 1\n0000 000000e0 1 R2 LDG.E.64.SYS 1 R4 8 ",
			modes[i], " 77 \n", "#END_TB\n");
		EQ(ERR_OK, asim_source_open(&s, put("k", text), &d));
		EQ(ERR_OK, asim_read_header(&c.header, s, &d));
		EQ(ERR_OK, asim_read_block(&b, &c, s, &found, &d));
		OK(found);
		EQ(1, b.count);
		EQ(77, c.inst[0].listed.imm);
		asim_addresses(&b, &b.record[0], a);
		EQ(UINT64_C(0x7f0000000100), a[5]);
		EQ(UINT64_C(0x7f0000000108), a[6]);
		EQ(UINT64_C(0x7f0000000110), a[7]);
		EQ(a[5], a[31]); /* lanes without one repeat another */
		asim_block_clear(&b);
		asim_code_free(&c);
		asim_source_free(s);
	}
	end();
}

/* Two functions that begin at 0: the kernel keeps its place. */
TEST(accelsim, functions_with_the_same_program_counters_are_told_apart)
{
	static const char text[] = HEADER("3", "1", "32", "0")
		BLOCK("0", "5",
		      "0000 ffffffff 1 R2 MOV 0 0 \n"
		      "0010 ffffffff 0 CALL.REL.NOINC 0 0 \n"
		      "0000 ffffffff 1 R3 FADD 2 R2 R2 0 \n"
		      "0010 ffffffff 0 RET.REL.NODEC 1 R20 0 \n"
		      "0020 ffffffff 0 EXIT 0 0 \n");
	struct asim_code c;
	struct diag d;

	begin();
	EQ(ERR_OK, scan(text, &c, &d));
	EQ(5, c.count);
	EQ(0, c.inst[0].listed.index);
	EQ(1, c.inst[1].listed.index);
	EQ(3, c.inst[2].listed.index);
	EQ(4, c.inst[3].listed.index);
	EQ(2, c.inst[4].listed.index);
	EQ(5, c.text);
	OK(!c.inst[0].listed.jumps);
	OK(c.inst[1].listed.jumps);
	asim_code_free(&c);
	end();
}

/* ---- lists --------------------------------------------------------------- */

#define EMPTY(stream)                  \
	HEADER("3", "1", "32", stream) \
	BLOCK("0", "1", "0000 ffffffff 0 EXIT 0 0 \n")

TEST(accelsim, kernels_of_streams_overlap_where_nothing_orders_them)
{
	struct asim_list *l;
	struct diag d;

	begin();
	put("kernel-1.traceg", EMPTY("94000"));
	put("kernel-2.traceg", EMPTY("95000"));
	put("kernel-3.traceg", EMPTY("0"));
	EQ(ERR_OK, asim_list_open(&l,
				  put("kernelslist.g",
				      "MemcpyHtoD,0x7f0000000000,64\n"
				      "kernel-1.traceg\nkernel-2.traceg\n"
				      "kernel-1.traceg\n\nkernel-3.traceg\n"
				      "kernel-1.traceg\nkernel-1.traceg\n"
				      "MemcpyDtoH,0x0,64\nMemcpyHtoD,0x10,64\n"
				      "kernel-2.traceg\n"),
				  &d));
	EQ(7, l->kernels);
	EQ(9, l->count);
	EQ(5, l->groups);
	EQ(1, l->ignored);
	EQ(UINT64_C(0x7f0000000000), l->command[0].at);
	EQ(3, asim_list_group(l, 1)); /* streams 1, 2, 1 */
	EQ(1, asim_list_group(l, 4)); /* the default stream */
	EQ(1, asim_list_group(l, 5)); /* one stream alone */
	EQ(1, l->command[1].stream);
	EQ(2, l->command[2].stream);
	EQ(0, l->command[4].stream);
	asim_list_free(l);
	end();
}

TEST(accelsim, lists_are_checked)
{
	static const struct {
		const char *text, *says;
	} wrong[] = {
		{ "MemcpyHtoD,0x10\n", "kernelslist.g:1: 'MemcpyHtoD,0x10'" },
		{ "\nMemcpyHtoD,0x10,8x\n", "kernelslist.g:2: 'MemcpyHtoD" },
		{ "kernel-1.traceg\nhello\n", "kernelslist.g:2: 'hello'" },
		{ "kernel-9.traceg\n", "kernelslist.g:1: " },
	};
	struct asim_list *l;
	struct diag d;

	begin();
	put("kernel-1.traceg", EMPTY("0"));
	for (int i = 0; i < 4; i++) {
		OK(asim_list_open(&l, put("kernelslist.g", wrong[i].text), &d));
		if (!strstr(d.text, wrong[i].says))
			STREQ(wrong[i].says, d.text);
	}
	OK(asim_list_is(put("kernelslist.g", "kernel-1.traceg\n")));
	OK(asim_list_is(put("any", EMPTY("0"))));
	OK(!asim_list_is(put("any", ".version 7.0\n")));
	OK(!asim_list_is(put("any", "")));
	end();
}

/* ---- time ---------------------------------------------------------------- */

struct played {
	struct heddle_device *dev;
	uint64_t cycles, sectors, passes, stats[400];
	size_t groups;
};

static int on_played(void *ctx, const struct heddle_replayed *r)
{
	struct played *p = ctx;
	const struct heddle_timing *t = heddle_device_timing(p->dev);
	struct heddle_timing_info info;
	struct heddle_stat s;

	(void)r;
	heddle_timing_info(t, &info);
	STREQ(NULL, info.law);
	p->cycles += info.cycles;
	p->groups++;
	OK(!heddle_stats_find(heddle_timing_stats(t), "lsu.global_sectors", &s,
			      NULL));
	p->sectors += s.count;
	OK(!heddle_stats_find(heddle_timing_stats(t), "lsu.shared_passes", &s,
			      NULL));
	p->passes += s.count;
	for (size_t i = 0; i < heddle_stats_count() && i < 400; i++)
		if (!heddle_stats_get(heddle_timing_stats(t), i, &s, NULL))
			p->stats[i] = p->stats[i] * 31 + s.count;
	return 0;
}

static struct played play(const char *path, const char *gpu, const char *engine,
			  unsigned threads)
{
	struct played p = { 0 };
	struct heddle_replay_options options = { .done = on_played, .ctx = &p };
	struct heddle_config *config;
	struct heddle_error err;
	char cfg[200];
	int status;

	snprintf(cfg, sizeof(cfg), HEDDLE_SOURCE_DIR "/configs/%s.cfg", gpu);
	OK(!heddle_config_load(&config, cfg, &err));
	OK(!heddle_config_set(config, "front.perfect=yes", &err));
	OK(!heddle_device_new(
		&p.dev,
		&(struct heddle_device_options){ .config = config,
						 .engine = engine,
						 .threads = threads },
		&err));
	heddle_config_free(config);
	status = heddle_replay(p.dev, path, &options, &err);
	STREQ("", status ? err.text : "");
	heddle_device_free(p.dev);
	return p;
}

/* A warp with a chain of `n` additions, each of which needs the one before, or
 * none of which does. */
static uint64_t chain_cycles(int n, bool dependent)
{
	char text[20000];
	size_t at = (size_t)snprintf(
		text, sizeof(text),
		HEADER("3", "1", "32",
		       "0") "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = %d\n",
		n + 1);

	for (int i = 0; i < n; i++)
		at += (size_t)snprintf(
			text + at, sizeof(text) - at,
			"%04x ffffffff 1 R%d FADD 2 R%d R255 0 \n", 16 * i,
			dependent ? 2 : 2 + i % 8, dependent ? 2 : 100);
	snprintf(text + at, sizeof(text) - at,
		 "%04x ffffffff 0 EXIT 0 0 \n#END_TB\n", 16 * n);
	return play(put("kernel-1.traceg", text), "h200", NULL, 1).cycles;
}

TEST(accelsim, registers_decide_what_waits)
{
	uint64_t dependent, free;

	begin();
	dependent = chain_cycles(96, true) - chain_cycles(32, true);
	free = chain_cycles(96, false) - chain_cycles(32, false);
	end();
	EQ(64 * 4, dependent); /* lat.fma.cycles */
	OK(free <= 64 * 2);
}

/* A load of a warp whose lanes are `stride` bytes apart. */
static struct played load_stats(const char *opcode, const char *base,
				unsigned stride)
{
	char text[2000];

	snprintf(
		text, sizeof(text),
		HEADER("3", "1", "32",
		       "0") "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 3\n"
			    "0000 ffffffff 1 R2 %s 1 R4 4 1 %s %u \n"
			    "0010 ffffffff 1 R3 FADD 2 R2 R2 0 \n"
			    "0020 ffffffff 0 EXIT 0 0 \n#END_TB\n",
		opcode, base, stride);
	return play(put("kernel-1.traceg", text), "h200", NULL, 1);
}

TEST(accelsim, loads_are_coalesced)
{
	begin();
	EQ(4, load_stats("LDG.E.SYS", "0x7f0000000000", 4).sectors);
	EQ(5, load_stats("LDG.E.SYS", "0x7f0000000010", 4).sectors);
	EQ(1, load_stats("LDG.E.SYS", "0x7f0000000000", 0).sectors);
	EQ(32, load_stats("LDG.E.SYS", "0x7f0000000000", 128).sectors);
	/* Bytes of which the tracer guesses the width: the opcode decides. */
	EQ(1, load_stats("LDG.E.S8.SYS", "0x7f0000000000", 1).sectors);
	EQ(16, load_stats("LDG.E.128.SYS", "0x7f0000000000", 16).sectors);
	end();
}

TEST(accelsim, shared_memory_has_conflicts_at_offsets_and_in_its_window)
{
	begin();
	EQ(1, load_stats("LDS.U", "0x0", 4).passes);
	EQ(1, load_stats("LDS.U", "0x7f0010000000", 4).passes);
	EQ(32, load_stats("LDS.U", "0x0", 128).passes);
	EQ(32, load_stats("LDS.U", "0x7f0010000000", 128).passes);
	EQ(2, load_stats("LD.E.SYS", "0x7f0010000000", 8).passes);
	end();
}

/* 64 blocks with barriers, shared memory, atomics and copies. */
static void put_busy(const char *name, const char *stream)
{
	char *text = malloc(400000), *at = text;

	at += sprintf(at, "%s",
		      !strcmp(stream, "7000") ?
			      HEADER("5", "64", "64", "7000") :
			      HEADER("5", "64", "64", "8000"));
	for (int b = 0; b < 64; b++) {
		at += sprintf(at, "#BEGIN_TB\nthread block = %d,0,0\n", b);
		for (int w = 0; w < 2; w++) {
			unsigned long base =
				0x7f0000000000 + 4096ul * b + 128ul * w;

			at += sprintf(
				at,
				"warp = %d\ninsts = 8\n"
				"0000 ffffffff 1 R2 LDG.E.SYS 1 R4 4 1 0x%lx 4 "
				"0 \n"
				"0010 ffffffff 0 STS 2 R0 R2 4 1 0x%x 4 0 \n"
				"0020 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0 \n"
				"0030 ffffffff 1 R3 LDS.U 1 R0 4 1 0x%x 8 0 \n"
				"0040 0000ffff 0 RED.E.ADD.STRONG.GPU 2 R8 R3 "
				"4 1 0x7f0100000000 4 0 \n"
				"0050 0000ff00 0 EXIT 0 0 0 \n"
				"0060 ffff00ff 0 STG.E.SYS 2 R4 R3 4 0 ",
				w, base, 128 * w, 4 * w);
			for (int l = 0; l < 24; l++)
				at += sprintf(at, "0x%lx ",
					      base + 4096 * 64 + 64ul * l);
			at += sprintf(at, "0 \n0070 ffff00ff 0 EXIT 0 0 0 \n");
		}
		at += sprintf(at, "#END_TB\n");
	}
	put(name, text);
	free(text);
}

TEST(accelsim, exact_engines_agree)
{
	struct played serial, exact;
	char list[100];

	begin();
	put_busy("kernel-1.traceg", "7000");
	put_busy("kernel-2.traceg", "8000");
	strcpy(list,
	       put("kernelslist.g", "MemcpyHtoD,0x7f0000000000,262144\n"
				    "kernel-1.traceg\nkernel-2.traceg\n"));
	serial = play(list, "qv100", "serial", 1);
	exact = play(list, "qv100", "exact", 3);
	end();
	EQ(1, serial.groups);
	EQ(serial.cycles, exact.cycles);
	OK(!memcmp(serial.stats, exact.stats, sizeof(serial.stats)));
}

TEST(accelsim, kernels_of_two_streams_take_less_time_together)
{
	struct played one, two;
	char list[100];

	begin();
	put_busy("kernel-1.traceg", "7000");
	put_busy("kernel-2.traceg", "8000");
	strcpy(list,
	       put("kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\n"));
	two = play(list, "h200", NULL, 1);
	put("kernelslist.g", "kernel-1.traceg\nkernel-1.traceg\n");
	one = play(list, "h200", NULL, 1);
	end();
	EQ(1, two.groups);
	EQ(2, one.groups);
	OK(two.cycles < one.cycles);
}

/* Warps that reach a barrier in two parts, and threads that exit before it. */
TEST(accelsim, a_diverged_warp_arrives_once)
{
	static const char text[] = HEADER(
		"3", "1", "64", "0") "#BEGIN_TB\nthread block = 0,0,0\n"
				     "warp = 0\ninsts = 6\n"
				     "0000 0000ffff 0 BAR.SYNC 0 0 \n"
				     "0000 ffff0000 0 BAR.SYNC 0 0 \n"
				     "0010 0000000f 0 EXIT 0 0 \n"
				     "0020 fffffff0 0 BAR.SYNC 0 0 \n"
				     "0030 fffffff0 1 R2 MOV 0 0 \n"
				     "0040 fffffff0 0 EXIT 0 0 \n"
				     "warp = 1\ninsts = 4\n"
				     "0000 ffffffff 0 BAR.SYNC 0 0 \n"
				     "0020 ffffffff 0 BAR.SYNC 0 0 \n"
				     "0030 ffffffff 1 R2 MOV 0 0 \n"
				     "0040 ffffffff 0 EXIT 0 0 \n#END_TB\n";

	begin();
	OK(play(put("kernel-1.traceg", text), "h200", NULL, 1).cycles > 0);
	end();
}
