/*
 * Code that ptxas has made never reads a register before latency.def says that
 * it has been written, on any path; code that has been changed does.
 */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "isa/sass/latency.h"
#include "isa/sass/scan.h"

enum { FILE_ROOM = 1 << 20, AT_CONTROL = 105, STALL_BITS = 4, AT_WAIT = 116 };

/* How a text is changed before it is scanned. */
enum change { UNCHANGED, SHORTER_STALLS, NO_WAITS };

static void change_word(uint64_t w[2], enum change how)
{
	enum { LONG_ONE = 4 };
	uint64_t stall = sass_bits(w, AT_CONTROL, STALL_BITS);

	if (how == SHORTER_STALLS && stall >= LONG_ONE)
		sass_put_bits(w, AT_CONTROL, STALL_BITS, stall - 1);
	if (how == NO_WAITS)
		sass_put_bits(w, AT_WAIT, 6, 0);
}

static void change_text(const struct sass_kernel *k, enum change how)
{
	for (uint32_t i = 0; i + SASS_BYTES <= k->text_size; i += SASS_BYTES) {
		uint64_t w[2];

		memcpy(w, k->text + i, sizeof(w));
		change_word(w, how);
		memcpy(k->text + i, w, sizeof(w));
	}
}

static void scan_file(struct sass_scan *s, const char *name, enum change how)
{
	static char bytes[FILE_ROOM];
	struct arena a = { 0 };
	struct sass_cubin c;
	struct diag d = { .text = "" };
	char path[512];
	size_t size;
	FILE *f;

	snprintf(path, sizeof(path), HEDDLE_SOURCE_DIR "/%s", name);
	f = fopen(path, "rb");
	OK(f);
	size = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	EQ(ERR_OK, sass_cubin_read(&c, &a, bytes, size, &d));
	for (uint32_t i = 0; i < c.kernel_count; i++) {
		change_text(&c.kernels[i], how);
		EQ(ERR_OK, sass_scan(s, c.sm, &c.kernels[i], &d));
	}
	arena_free(&a);
}

static const char *const files[] = {
	"bench/kernels.cubin",
	"tests/cli/isa/saxpy_80.cubin",
	"tests/cli/isa/saxpy_90.cubin",
	"tests/cli/sass/k.cubin",
	"tests/fuzz/corpus/fuzz_cubin/cluster.cubin",
	"tests/fuzz/corpus/fuzz_cubin/lines_75.cubin",
	"tests/fuzz/corpus/fuzz_cubin/lines_90.cubin",
	"tests/fuzz/corpus/fuzz_cubin/linked_75.cubin",
	"tests/sass/unit/async.sm90.cubin",
	"tests/sass/unit/atom.sm80.cubin",
	"tests/sass/unit/atom.sm90.cubin",
	"tests/sass/unit/barrier80.sm80.cubin",
	"tests/sass/unit/copy.sm80.cubin",
	"tests/sass/unit/copy.sm90.cubin",
	"tests/sass/unit/cube.sm75.cubin",
	"tests/sass/unit/cube.sm80.cubin",
	"tests/sass/unit/cube.sm90.cubin",
	"tests/sass/unit/halves.sm90.cubin",
	"tests/sass/unit/mma.sm80.cubin",
	"tests/sass/unit/mma.sm90.cubin",
	"tests/sass/unit/mma4.sm80.cubin",
	"tests/sass/unit/mma75.sm75.cubin",
	"tests/sass/unit/mma89.sm89.cubin",
	"tests/sass/unit/mma90.sm90.cubin",
	"tests/sass/unit/mmasp.sm80.cubin",
	"tests/sass/unit/mmasp.sm90.cubin",
	"tests/sass/unit/mmasp4.sm80.cubin",
	"tests/sass/unit/mmasp4.sm90.cubin",
	"tests/sass/unit/tex.sm75.cubin",
	"tests/sass/unit/tex.sm80.cubin",
	"tests/sass/unit/tex.sm90.cubin",
	"tests/timing/data/stamps.cubin",
};

TEST(sass_latency, code_of_ptxas_waits_long_enough)
{
	struct sass_scan s = { 0 };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		scan_file(&s, files[i], UNCHANGED);
		if (s.hazards)
			fprintf(stderr, "%s\n", files[i]);
		EQ(0, s.hazards);
	}
	OK(s.reads > 2500);
	EQ(0, s.unknown);
}

/* It waits no longer than it must, so smaller stall counts are noticed. */
TEST(sass_latency, smaller_stall_counts_are_too_early)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct sass_scan s = { 0 };

		scan_file(&s, files[i], SHORTER_STALLS);
		OK(s.hazards > 0);
	}
}

TEST(sass_latency, waits_that_are_left_out_are_noticed)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct sass_scan s = { 0 };

		scan_file(&s, files[i], NO_WAITS);
		OK(s.hazards > 0);
	}
}

/* ---- paths --------------------------------------------------------------- */

enum { LINES = 8 };

struct seen {
	unsigned count;
	struct sass_hazard last;
};

static void note(void *ctx, const struct sass_hazard *h)
{
	struct seen *s = ctx;

	s->count++;
	s->last = *h;
}

/* Scans lines such as "[B------:R-:W-:-:S02] IADD3 R0, R0, R1, RZ". */
static struct seen scan_lines(const char *const *line, uint32_t count)
{
	uint64_t text[LINES][2];
	struct sass_kernel k = { .name = "k",
				 .text = (uint8_t *)text,
				 .text_size = count * SASS_BYTES };
	struct seen seen = { 0 };
	struct sass_scan s = { .found = note, .ctx = &seen };
	struct diag d = { .text = "" };

	for (uint32_t i = 0; i < count; i++) {
		struct sass_inst in;
		struct sass_ctrl ctrl;
		size_t n = sass_read_ctrl(line[i] + 1, &ctrl);

		OK(n);
		EQ(ERR_OK, sass_parse(&in, 90, (uint64_t)i * SASS_BYTES,
				      line[i] + n + 3, &d));
		in.ctrl = ctrl;
		sass_encode(&in, text[i]);
	}
	EQ(ERR_OK, sass_scan(&s, 90, &k, &d));
	EQ(seen.count, s.hazards);
	return seen;
}

#define SCAN(...)                                                 \
	scan_lines((const char *const[]){ __VA_ARGS__ },          \
		   sizeof((const char *const[]){ __VA_ARGS__ }) / \
			   sizeof(const char *))

TEST(sass_latency, a_result_is_followed_around_a_loop)
{
	struct seen s = SCAN("[B------:R-:W-:-:S02] IADD3 R2, R0, R1, RZ",
			     "[B------:R-:W-:-:S01] IADD3 R0, R4, R1, RZ",
			     "[B------:R-:W-:-:S02] @P0 BRA 0x0",
			     "[B------:R-:W-:-:S05] EXIT");

	EQ(1, s.count);
	EQ(1, s.last.writer);
	EQ(0, s.last.reader);
	EQ(0, s.last.reg);
	EQ(1, s.last.cycles);
	s = SCAN("[B------:R-:W-:-:S02] IADD3 R2, R0, R1, RZ",
		 "[B------:R-:W-:-:S01] IADD3 R0, R4, R1, RZ",
		 "[B------:R-:W-:-:S03] @P0 BRA 0x0",
		 "[B------:R-:W-:-:S05] EXIT");
	EQ(0, s.count);
}

/* The way round has passed enough time, the direct one has not. */
TEST(sass_latency, the_shorter_of_two_ways_counts)
{
	struct seen s = SCAN("[B------:R-:W-:-:S01] IADD3 R0, R4, R1, RZ",
			     "[B------:R-:W-:-:S02] @P0 BRA 0x30",
			     "[B------:R-:W-:-:S09] NOP",
			     "[B------:R-:W-:-:S02] IADD3 R2, R0, R1, RZ",
			     "[B------:R-:W-:-:S05] EXIT");

	EQ(1, s.count);
	EQ(3, s.last.reader);
	s = SCAN("[B------:R-:W-:-:S01] IADD3 R0, R4, R1, RZ",
		 "[B------:R-:W-:-:S02] BRA 0x40",
		 "[B------:R-:W-:-:S02] IADD3 R2, R0, R1, RZ",
		 "[B------:R-:W-:-:S05] EXIT", "[B------:R-:W-:-:S05] EXIT");
	EQ(0, s.count);
}

TEST(sass_latency, counters_are_waited_for_on_every_way)
{
	struct seen s = SCAN("[B------:R-:W1:-:S02] MUFU.RCP R0, R1",
			     "[B------:R-:W-:-:S02] @P0 BRA 0x30",
			     "[B-1----:R-:W-:-:S09] NOP",
			     "[B------:R-:W-:-:S02] IADD3 R2, R0, R1, RZ",
			     "[B------:R-:W-:-:S05] EXIT");

	EQ(1, s.count);
	EQ(SASS_NEVER_WAITED, s.last.cycles);
	s = SCAN("[B------:R-:W-:-:S02] MUFU.RCP R0, R1",
		 "[B------:R-:W3:-:S02] I2F R5, R1",
		 "[B---3--:R-:W-:-:S02] IADD3 R2, R0, R1, RZ",
		 "[B------:R-:W-:-:S05] EXIT");
	EQ(0, s.count);
	s = SCAN("[B------:R-:W-:-:S02] MUFU.RCP R0, R1",
		 "[B------:R-:W3:-:S02] LDS R5, [R1]",
		 "[B---3--:R-:W-:-:S02] IADD3 R2, R0, R1, RZ",
		 "[B------:R-:W-:-:S05] EXIT");
	EQ(1, s.count);
	s = SCAN("[B------:R-:W-:-:S02] LDS R0, [R1]",
		 "[B------:R-:W3:-:S02] SHFL.UP PT, R5, R1, 0x1, RZ",
		 "[B---3--:R-:W-:-:S02] IADD3 R2, R0, R1, RZ",
		 "[B------:R-:W-:-:S05] EXIT");
	EQ(0, s.count);
}

TEST(sass_latency, the_lane_that_is_elected_is_there_before_the_predicate)
{
	struct seen s = SCAN("[B------:R-:W-:-:S02] ELECT P2, UR7, PT",
			     "[B------:R-:W-:-:S11] IMAD.U32 R0, RZ, RZ, UR7",
			     "[B------:R-:W-:-:S02] @P2 IADD3 R2, R0, R1, RZ",
			     "[B------:R-:W-:-:S05] EXIT");

	EQ(0, s.count);
	s = SCAN("[B------:R-:W-:-:S02] ELECT P2, UR7, PT",
		 "[B------:R-:W-:-:S10] IMAD.U32 R0, RZ, RZ, UR7",
		 "[B------:R-:W-:-:S02] @P2 IADD3 R2, R0, R1, RZ",
		 "[B------:R-:W-:-:S05] EXIT");
	EQ(1, s.count);
}

/* ---- what an H200 needs --------------------------------------------------- */

/*
 * tests/sass/pairs.txt: how many cycles a GPU needs between two instructions, of
 * which the second reads what the first writes. The model asks for no less; the
 * compiler, whose code the model comes from, may ask for more.
 */
enum { PAIR_ROOM = 300, RESULT_OF_COUNTER = -1 };

struct pair {
	int needs; /* cycles */
	struct sass_inst first, second;
};

static void parse_at(struct sass_inst *in, unsigned index, const char *text)
{
	char line[PAIR_ROOM], *skip;
	struct diag d = { .text = "" };

	snprintf(line, sizeof(line), "%s", text);
	skip = strstr(line, "SKIP");
	if (skip)
		snprintf(skip, 8, "0x%x", (index + 2) * SASS_BYTES);
	if (sass_parse(in, 90, (uint64_t)index * SASS_BYTES, line, &d))
		STREQ("", d.text);
}

/* The cycles of the model between them. */
static int modelled(const struct pair *p)
{
	struct sass_use w[SASS_USES], r[SASS_USES];
	unsigned writes = sass_uses(&p->first, w);
	unsigned reads = sass_uses(&p->second, r);
	struct sass_latencies l;
	int most = 0;

	sass_latencies(&l, 90);
	for (unsigned i = 0; i < writes; i++)
		for (unsigned k = 0; w[i].writes && k < reads; k++) {
			enum sass_producer from;
			int cycles;

			if (r[k].writes || r[k].file != w[i].file ||
			    r[k].reg != w[i].reg)
				continue;
			from = sass_producer_of(&p->first, &w[i]);
			if (from == SASS_FROM_VARIABLE)
				return RESULT_OF_COUNTER;
			cycles = l.cycles[from]
					 [sass_consumer_of(&p->second, &r[k])];
			most = cycles > most ? cycles : most;
		}
	return most;
}

/* Whether the scan reports them at a distance. */
static bool reported(const struct pair *p, int distance)
{
	uint64_t text[LINES][2];
	struct sass_kernel k = { .name = "k", .text = (uint8_t *)text };
	struct sass_scan s = { 0 };
	struct diag d = { .text = "" };
	struct sass_inst in = p->first;
	unsigned n = 0;

	for (; distance > 0 && n < LINES - 1; distance -= 15) {
		in.ctrl.stall = (uint8_t)(distance > 15 ? 15 : distance);
		sass_encode(&in, text[n++]);
		parse_at(&in, n, "NOP");
	}
	sass_encode(&p->second, text[n++]);
	k.text_size = n * SASS_BYTES;
	EQ(ERR_OK, sass_scan(&s, 90, &k, &d));
	return s.hazards > 0;
}

static bool read_pair(FILE *f, struct pair *p)
{
	char line[PAIR_ROOM], first[PAIR_ROOM], second[PAIR_ROOM];

	do {
		if (!fgets(line, sizeof(line), f))
			return false;
	} while (line[0] == '#');
	EQ(3, sscanf(line, "%d\t%[^\t\n]\t%[^\t\n]", &p->needs, first, second));
	parse_at(&p->first, 0, first);
	parse_at(&p->second, 1, second);
	return true;
}

TEST(sass_latency, a_gpu_needs_no_more_than_the_model_asks_for)
{
	FILE *f = fopen(HEDDLE_SOURCE_DIR "/tests/sass/pairs.txt", "r");
	unsigned pairs = 0, same = 0, wrong = 0, counted = 0;
	struct pair p;

	OK(f);
	while (read_pair(f, &p)) {
		int cycles = modelled(&p);

		pairs++;
		same += cycles == p.needs;
		counted += cycles == RESULT_OF_COUNTER;
		if (cycles != RESULT_OF_COUNTER && p.needs > cycles) {
			char text[PAIR_ROOM];

			sass_print(text, sizeof(text), &p.first, 0);
			printf("  %s needs %d cycles, not %d, before ", text,
			       p.needs, cycles);
			sass_print(text, sizeof(text), &p.second, 16);
			printf("%s\n", text);
			wrong++;
		}
		if (cycles > 0) {
			OK(reported(&p, cycles - 1));
			OK(!reported(&p, cycles));
		}
	}
	fclose(f);
	EQ(0, wrong);
	OK(pairs > 1000);
	OK(same > 600); /* the others may follow sooner than ptxas lets them */
	OK(counted > 10);
}
