#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cfg/param.h"

static enum err reads(struct cfg_sheet *s, const char *text,
		      enum cfg_reading how, struct diag *d)
{
	cfg_sheet_init(s);
	return cfg_read_text(s, "t.cfg", text, strlen(text), how, d);
}

static void refuses(const char *text, enum cfg_reading how, const char *message)
{
	struct cfg_sheet s;
	struct diag d;

	OK(reads(&s, text, how, &d) != ERR_OK);
	STREQ(message, d.text);
	cfg_sheet_free(&s);
}

TEST(cfg_read, a_file_sets_values_and_remembers_their_sources)
{
	struct cfg_sheet s;
	struct diag d;

	EQ(ERR_OK, reads(&s,
			 "# a comment\n"
			 "\n"
			 "  sm.count=64  # source: measured, by hand\r\n"
			 "l2.bytes = 12M # source: vendor: the leaflet\n"
			 "gpu.name = \"a # b\"\n"
			 "lat.fma.cycles = 5 # why not\n",
			 CFG_ANY, &d));
	EQ(64, s.cfg.sm.count);
	EQ(CFG_MEASURED, s.origin[CFG_ID_sm_count].source);
	STREQ("by hand", s.origin[CFG_ID_sm_count].note);
	STREQ("t.cfg", s.origin[CFG_ID_sm_count].file);
	EQ(3, s.origin[CFG_ID_sm_count].line);
	EQ(12 << 20, s.cfg.l2.bytes);
	EQ(CFG_VENDOR, s.origin[CFG_ID_l2_bytes].source);
	STREQ("the leaflet", s.origin[CFG_ID_l2_bytes].note);
	STREQ("a # b", s.cfg.gpu.name);
	EQ(CFG_UNSTATED, s.origin[CFG_ID_gpu_name].source);
	EQ(5, s.cfg.lat[LAT_FMA].cycles);
	EQ(CFG_DEFAULT, s.origin[CFG_ID_l2_ways].source);
	STREQ("", s.origin[CFG_ID_l2_ways].note);
	cfg_sheet_free(&s);
}

TEST(cfg_read, the_later_value_wins)
{
	struct cfg_sheet s;
	struct diag d;

	EQ(ERR_OK, reads(&s, "sm.count = 1\nsm.count = 2\n", CFG_ANY, &d));
	EQ(2, s.cfg.sm.count);
	EQ(ERR_OK, cfg_sheet_set(&s, "sm.count=3", &d));
	EQ(3, s.cfg.sm.count);
	EQ(CFG_OVERRIDE, s.origin[CFG_ID_sm_count].source);
	cfg_sheet_free(&s);
}

TEST(cfg_read, mistakes_name_file_line_and_key)
{
	refuses("\nsm.cuont = 3\n", CFG_ANY,
		"t.cfg:2: no parameter named 'sm.cuont', did you mean "
		"'sm.count'?");
	refuses("sm.count = 3000", CFG_ANY,
		"t.cfg:1: sm.count = 3000: out of range; expected 1 to 1024 "
		"SM");
	refuses("sm.count 3", CFG_ANY,
		"t.cfg:1: expected '=' after 'sm.count'");
	refuses("sm.count = # 3", CFG_ANY, "t.cfg:1: sm.count has no value");
	refuses("= 3", CFG_ANY, "t.cfg:1: expected section.key = value");
	refuses("sm.count = 3 4", CFG_ANY,
		"t.cfg:1: sm.count = 3 4: invalid value; expected 1 to 1024 "
		"SM");
	refuses("sm.count = 3 # source: rumour", CFG_ANY,
		"t.cfg:1: unknown source after 'source:'; expected measured, "
		"vendor, paper or assumed");
	refuses("sm.count = 3 # source: measuredly", CFG_ANY,
		"t.cfg:1: unknown source after 'source:'; expected measured, "
		"vendor, paper or assumed");
	refuses("sm.count = 3\001", CFG_ANY,
		"t.cfg:1: unexpected control character");
	refuses("include other.cfg", CFG_ANY,
		"t.cfg:1: expected include \"file.cfg\"");
	refuses("include \"other.cfg\"", CFG_ANY,
		"t.cfg:1: include works only in a file on disk");
}

TEST(cfg_read, a_sourced_file_gives_a_source_for_every_value)
{
	struct cfg_sheet s;
	struct diag d;

	refuses("sm.count = 3", CFG_SOURCED,
		"t.cfg:1: sm.count has no source; expected '# source: ' and "
		"'measured', 'vendor' or 'paper' with a note, or 'assumed'");
	refuses("sm.count = 3 # source: default", CFG_SOURCED,
		"t.cfg:1: sm.count has no source; expected '# source: ' and "
		"'measured', 'vendor' or 'paper' with a note, or 'assumed'");
	refuses("sm.count = 3 # source: paper", CFG_SOURCED,
		"t.cfg:1: sm.count: source 'paper' needs a note that says "
		"which");
	EQ(ERR_OK,
	   reads(&s, "sm.count = 3 # source: assumed", CFG_SOURCED, &d));
	cfg_sheet_free(&s);
}

TEST(cfg_read, the_dump_reads_back_to_the_same)
{
	struct cfg_sheet s, again;
	char *text, *text_again;
	struct diag d;

	EQ(ERR_OK, reads(&s,
			 "gpu.name = \"\"\n"
			 "gpu.clock = 0001.50 # source: measured , ; twice\n"
			 "sm.scheduler = two_level # source: assumed\n"
			 "l1.on = off\n"
			 "dram.bytes = 1000000000 # source: vendor x\n",
			 CFG_ANY, &d));
	EQ(ERR_OK, cfg_sheet_set(&s, "unit.sfu.lanes=4", &d));
	text = cfg_dump(&s.cfg, s.origin);
	EQ(ERR_OK, reads(&again, text, CFG_ANY, &d));
	OK(cfg_equal(&s.cfg, &again.cfg));
	text_again = cfg_dump(&again.cfg, again.origin);
	STREQ(text, text_again);
	OK(strstr(text, "\ngpu.clock = 1.5 # source: measured twice\n"));
	free(text);
	free(text_again);
	cfg_sheet_free(&again);
	text = cfg_dump(&s.cfg, NULL);
	EQ(ERR_OK, reads(&again, text, CFG_ANY, &d));
	OK(cfg_equal(&s.cfg, &again.cfg));
	free(text);
	cfg_sheet_free(&again);
	cfg_sheet_free(&s);
}

/* A folder of small files that a test writes. */
struct folder {
	char at[64], path[352];
};

static const char *file(struct folder *f, const char *name)
{
	snprintf(f->path, sizeof(f->path), "%s/%s", f->at, name);
	return f->path;
}

static void folder_make(struct folder *f)
{
	snprintf(f->at, sizeof(f->at), "/tmp/heddle_cfg_XXXXXX");
	OK(mkdtemp(f->at) != NULL);
}

static void folder_write(struct folder *f, const char *name, const char *text)
{
	FILE *out = fopen(file(f, name), "w");

	OK(out != NULL);
	fputs(text, out);
	EQ(0, fclose(out));
}

static void folder_remove(struct folder *f)
{
	DIR *dir = opendir(f->at);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			unlink(file(f, e->d_name));
	if (dir)
		closedir(dir);
	rmdir(f->at);
}

/* Compares the message without the folder's name in front. */
static void refuses_file(struct folder *f, const char *name,
			 const char *message)
{
	struct cfg_sheet s;
	const char *at;
	struct diag d;

	cfg_sheet_init(&s);
	OK(cfg_read_file(&s, file(f, name), CFG_ANY, &d) != ERR_OK);
	at = strstr(d.text, f->at);
	STREQ(message, at == d.text ? at + strlen(f->at) + 1 : d.text);
	cfg_sheet_free(&s);
}

TEST(cfg_include, a_path_is_relative_to_the_file_that_includes_it)
{
	struct cfg_sheet s;
	struct folder f;
	struct diag d;

	folder_make(&f);
	folder_write(&f, "base.cfg", "sm.count = 1\nl2.ways = 12\n");
	folder_write(&f, "top.cfg",
		     "include \"base.cfg\" # first\nsm.count = 2\n");
	cfg_sheet_init(&s);
	EQ(ERR_OK, cfg_read_file(&s, file(&f, "top.cfg"), CFG_ANY, &d));
	EQ(2, s.cfg.sm.count);
	EQ(12, s.cfg.l2.ways);
	OK(strstr(s.origin[CFG_ID_l2_ways].file, "/base.cfg") != NULL);
	EQ(2, s.origin[CFG_ID_l2_ways].line);
	cfg_sheet_free(&s);
	folder_remove(&f);
}

TEST(cfg_include, cycles_depth_and_missing_files_are_named)
{
	char text[64], want[160], name[16];
	struct folder f;

	folder_make(&f);
	folder_write(&f, "a.cfg", "\ninclude \"b.cfg\"\n");
	folder_write(&f, "b.cfg", "include \"./a.cfg\"\n");
	snprintf(want, sizeof(want), "b.cfg:1: %s/a.cfg includes itself", f.at);
	refuses_file(&f, "a.cfg", want);
	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "%d.cfg", i);
		snprintf(text, sizeof(text), "include \"%d.cfg\"\n", i + 1);
		folder_write(&f, name, text);
	}
	refuses_file(&f, "0.cfg",
		     "7.cfg:1: includes are nested more than 8 files deep");
	folder_write(&f, "lost.cfg", "include \"no.cfg\"\n");
	snprintf(want, sizeof(want),
		 "lost.cfg:1: cannot open %s/no.cfg: No such file or directory",
		 f.at);
	refuses_file(&f, "lost.cfg", want);
	folder_remove(&f);
}

TEST(cfg_include, a_folder_and_a_huge_file_are_refused)
{
	struct cfg_sheet s;
	struct folder f;
	struct diag d;

	folder_make(&f);
	cfg_sheet_init(&s);
	EQ(ERR_IO, cfg_read_file(&s, f.at, CFG_ANY, &d));
	folder_write(&f, "huge.cfg", "");
	EQ(0, truncate(file(&f, "huge.cfg"), (1 << 20) + 1));
	EQ(ERR_RANGE, cfg_read_file(&s, file(&f, "huge.cfg"), CFG_ANY, &d));
	cfg_sheet_free(&s);
	folder_remove(&f);
}

/* The configurations that come with Heddle */

static int load_one(const char *name)
{
	char path[512];
	struct cfg_sheet s;
	struct diag d = { 0 };

	snprintf(path, sizeof(path), "%s/configs/%s", HEDDLE_SOURCE_DIR, name);
	cfg_sheet_init(&s);
	if (cfg_read_file(&s, path, CFG_SOURCED, &d) || cfg_check(&s.cfg, &d))
		STREQ("", d.text);
	OK(s.cfg.gpu.name[0] != '\0');
	OK(s.origin[CFG_ID_sm_count].source != CFG_DEFAULT);
	OK(s.origin[CFG_ID_gpu_clock].source != CFG_DEFAULT);
	OK(s.origin[CFG_ID_dram_bandwidth].source != CFG_DEFAULT);
	cfg_sheet_free(&s);
	return 1;
}

TEST(cfg_configs, all_of_configs_load_with_sources_and_check)
{
	DIR *dir = opendir(HEDDLE_SOURCE_DIR "/configs");
	struct dirent *e;
	int count = 0;

	OK(dir != NULL);
	while ((e = readdir(dir)))
		if (strstr(e->d_name, ".cfg"))
			count += load_one(e->d_name);
	closedir(dir);
	OK(count >= 12);
}

static void load(struct cfg *c, const char *name)
{
	char path[512];
	struct cfg_sheet s;
	struct diag d;

	snprintf(path, sizeof(path), "%s/configs/%s.cfg", HEDDLE_SOURCE_DIR,
		 name);
	cfg_sheet_init(&s);
	EQ(ERR_OK, cfg_read_file(&s, path, CFG_SOURCED, &d));
	*c = s.cfg;
	cfg_sheet_free(&s);
}

/* The unloaded load-to-use latency of an L2 hit. */
static int64_t l2_hit(const struct cfg *c)
{
	return c->l1.miss_latency + c->net.request_latency + c->l2.hit_latency +
	       c->net.reply_latency + c->l1.fill_latency;
}

TEST(cfg_configs, the_h200_adds_up_to_the_measurements)
{
	struct cfg c;

	load(&c, "h200");
	EQ(132, c.sm.count);
	EQ(62914560, c.l2.bytes);
	EQ(280, l2_hit(&c));
	EQ(4, c.lat[LAT_FMA].cycles);
	EQ(23, c.shared.latency);
	EQ(1, cfg_interval(&c, LAT_FMA, UNIT_FP32));
	EQ(2, cfg_interval(&c, LAT_ALU, UNIT_INT));
	EQ(2, cfg_interval(&c, LAT_F64, UNIT_FP64));
	EQ(8, cfg_interval(&c, LAT_SFU, UNIT_SFU));
	/* bar.sync of 1 and of 32 warps took 14 and 77 cycles. */
	EQ(14, c.lat[LAT_BAR].cycles + c.sm.barrier_interval);
	EQ(76, c.lat[LAT_BAR].cycles + 32 * c.sm.barrier_interval);
}

TEST(cfg_configs, the_others_add_up_to_their_sources)
{
	struct cfg c;

	load(&c, "qv100");
	EQ(193, l2_hit(&c));
	load(&c, "titanx-pascal");
	EQ(216, l2_hit(&c));
	EQ(480, c.dram.bandwidth);
	load(&c, "gtx285");
	OK(!c.l1.on && !c.l2.on);
	EQ(4, cfg_interval(&c, LAT_FMA, UNIT_FP32));
	load(&c, "c2050");
	EQ(6, c.net.channels);
	EQ(2, cfg_interval(&c, LAT_FMA, UNIT_FP32));
	load(&c, "fastlanes");
	EQ(CFG_MEM_LATENCY, c.mem.kind);
	load(&c, "a100");
	EQ(221, l2_hit(&c));
	load(&c, "h100");
	EQ(280, l2_hit(&c));
	load(&c, "rtx3080");
	EQ(233, l2_hit(&c));
	load(&c, "rtx4090");
	EQ(296, l2_hit(&c));
}

/* What a data sheet states of a GPU. */
struct sheet {
	const char *gpu;
	int sms, warps;
	double clock, fp32, fp64; /* MHz, TFLOPS */
	double bandwidth;         /* GB/s */
	int64_t l2, shared, memory;
	int64_t mma; /* multiply-adds of FP16 in a clock and an SM; 0: unknown */
};

static double tflops(const struct cfg *c, enum lat_class lat,
		     enum unit_class unit)
{
	/* A unit with fewer lanes than sub-cores is shared by them. */
	double per_warp = (double)cfg_interval(c, lat, unit);
	double pipes = cfg_pipes(c, unit) ? (double)c->sm.subcores : 1;

	return 2e-6 * 32 / per_warp * pipes * (double)c->sm.count *
	       c->gpu.clock;
}

static bool within(double got, double want)
{
	return got > 0.994 * want && got < 1.006 * want;
}

TEST(cfg_configs, published_peaks_follow_from_the_parameters)
{
	static const struct sheet sheets[] = {
		{ "a100", 108, 64, 1410, 19.5, 9.7, 1555, 40 << 20, 164 << 10,
		  40, 1024 },
		{ "h100", 132, 64, 1980, 66.9, 33.5, 3352, 50 << 20, 228 << 10,
		  80, 0 },
		{ "h200", 132, 64, 1980, 66.9, 33.5, 4917, 60 << 20, 228 << 10,
		  141, 0 },
		{ "rtx3080", 68, 48, 1710, 29.77, 0.465, 760, 5 << 20,
		  100 << 10, 10, 256 },
		{ "rtx4090", 128, 48, 2520, 82.6, 1.29, 1008, 72 << 20,
		  100 << 10, 24, 256 },
	};

	for (size_t i = 0; i < sizeof(sheets) / sizeof(sheets[0]); i++) {
		const struct sheet *s = &sheets[i];
		struct cfg c;

		load(&c, s->gpu);
		EQ(s->sms, c.sm.count);
		EQ(s->warps, c.sm.max_warps);
		EQ(32 * s->warps, c.sm.max_threads);
		OK(within(c.gpu.clock, s->clock));
		OK(within(tflops(&c, LAT_FMA, UNIT_FP32), s->fp32));
		OK(within(tflops(&c, LAT_F64, UNIT_FP64), s->fp64));
		OK(within(c.dram.bandwidth, s->bandwidth));
		EQ(s->l2, c.l2.bytes);
		EQ(s->shared, c.sm.shared);
		EQ(s->memory << 30, c.dram.bytes);
		if (s->mma)
			EQ(s->mma,
			   4 * 16 * 8 * 16 /
				   cfg_interval(&c, LAT_MMA, UNIT_TENSOR));
	}
}

TEST(cfg_read, a_message_says_where_its_parameters_were_set)
{
	static const char text[] = "sm.count = 4\nl2.ways = 3\n";
	struct cfg_sheet s;
	struct diag d;

	cfg_sheet_init(&s);
	EQ(ERR_OK,
	   cfg_read_text(&s, "x.cfg", text, sizeof(text) - 1, CFG_ANY, &d));
	EQ(ERR_OK, cfg_sheet_set(&s, "sm.count=5", &d));
	fail(&d, ERR_RANGE, "l2.ways = 3: more than sm.count = 5, l1.ways = 4");
	cfg_sheet_explain(&s, &d);
	STREQ("l2.ways = 3: more than sm.count = 5, l1.ways = 4 (l2.ways: "
	      "x.cfg:2; sm.count: -o)",
	      d.text);
	fail(&d, ERR_RANGE, "no.such = 3: l1.ways = 4");
	cfg_sheet_explain(&s, &d);
	STREQ("no.such = 3: l1.ways = 4", d.text);
	cfg_sheet_free(&s);
}
