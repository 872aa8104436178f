#define _GNU_SOURCE /* memfd_create */
#include "test.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/team.h"
#include "trace/crc.h"
#include "trace/format.h"
#include "trace/trace.h"

LABEL(trace_file, threads);

static const struct trace_info info = {
	.producer = "heddle test",
	.command = "program --with 'an argument'",
	.gpu = "tiny",
	.sm = 90,
	.sm_count = 4,
	.independent = 1,
	.memory = (uint64_t)1 << 36,
	.local_bytes = 65536,
	.more = "a = b\n",
};

/* The rest of the test needs a build with zstd. */
#define NEEDS_ZSTD()                    \
	do {                            \
		if (!trace_supported()) \
			return;         \
	} while (0)

static const uint8_t params[] = { 1, 2, 3, 0, 255 };

static struct diag d;
static char path[64];
static int memory = -1;

/* A file in memory: thousands of them are written here. */
static void make_path(void)
{
	memory = memfd_create("trace", 0);
	OK(memory >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memory);
}

static void drop_path(void)
{
	close(memory);
}

static struct trace_writer *create(void)
{
	struct trace_writer *w;

	make_path();
	EQ(ERR_OK, trace_create(&w, path, &info, &d));
	return w;
}

static struct trace *reopen(void)
{
	struct trace *t;

	EQ(ERR_OK, trace_open(&t, path, &d));
	return t;
}

static struct trace_launch grid_of(uint32_t x, uint32_t y)
{
	return (struct trace_launch){
		.stream = 3,
		.group = 1,
		.kernel = "saxpy",
		.grid = { x, y, 1 },
		.block = { 64, 1, 1 },
		.dynamic_shared = 4096,
		.params = params,
		.param_bytes = sizeof(params),
		.registers = 40,
		.id = 17,
		.local_bytes = 1024,
	};
}

/* Fills a stream with bytes that depend on its block, warp and lane. */
static size_t stream_bytes(uint8_t *to, size_t room, uint64_t index,
			   uint32_t warp, uint32_t lane)
{
	size_t n = (index * 31 + warp * 7 + lane) % room;

	for (size_t i = 0; i < n; i++)
		to[i] = (uint8_t)(index ^ warp << 3 ^ lane ^ i * i);
	return n;
}

/* A block with three streams of two warps. */
static enum err put_block(struct trace_writer *w, uint32_t launch,
			  uint64_t index, size_t room, struct diag *why)
{
	uint8_t *bytes = malloc(3 * room);
	struct trace_stream s[3] = { { .warp = 0, .lane = 0 },
				     { .warp = 0, .lane = 13 },
				     { .warp = 1, .lane = 31 } };
	const struct trace_block b = { .index = index,
				       .warp_instructions = 100 + index,
				       .thread_instructions = 3200 + index,
				       .streams = s,
				       .stream_count = 3 };
	enum err e;

	for (int i = 0; i < 3; i++) {
		s[i].bytes = bytes + (size_t)i * room;
		s[i].size = stream_bytes(bytes + (size_t)i * room, room, index,
					 s[i].warp, s[i].lane);
	}
	e = trace_put_block(w, launch, &b, why);
	free(bytes);
	return e;
}

/* Whether the block is in the file with the content it was written with. */
static bool has_block(struct trace *t, uint32_t launch, uint64_t index,
		      size_t room)
{
	static const uint32_t key[3][2] = { { 0, 0 }, { 0, 13 }, { 1, 31 } };
	uint8_t *want = malloc(room);
	struct trace_block_view v;
	struct diag why;
	bool same;

	if (trace_block_read(t, launch, index, &v, &why)) {
		free(want);
		return false;
	}
	same = v.block.index == index && v.block.stream_count == 3 &&
	       v.block.warp_instructions == 100 + index &&
	       v.block.thread_instructions == 3200 + index;
	for (int i = 0; same && i < 3; i++) {
		size_t n =
			stream_bytes(want, room, index, key[i][0], key[i][1]);
		const struct trace_stream *s =
			trace_find_stream(&v, key[i][0], key[i][1]);

		same = s && s->size == n && !memcmp(s->bytes, want, n);
	}
	same = same && !trace_find_stream(&v, 0, 14) &&
	       !trace_find_stream(&v, 1, 0);
	trace_block_drop(t, &v);
	free(want);
	return same;
}

static uint32_t put_module(struct trace_writer *w, const char *text)
{
	uint32_t number;

	EQ(ERR_OK,
	   trace_put_module(w, "saxpy.ptx", text, strlen(text), &number, &d));
	return number;
}

static uint32_t begin(struct trace_writer *w, const struct trace_launch *l)
{
	uint32_t number;

	EQ(ERR_OK, trace_begin_launch(w, l, &number, &d));
	return number;
}

static const struct trace_copy to_device = { .kind = TRACE_TO_DEVICE,
					     .stream = 2,
					     .at = 0x200000000000,
					     .bytes = 4000 };

/* A module, a copy, two launches of 6 and 2 blocks, a memory set. */
static void write_small(void)
{
	const struct trace_copy set = {
		.kind = TRACE_SET, .at = 1 << 20, .bytes = 77, .value = 0xab
	};
	const struct trace_outcome fault = { .depends = TRACE_ON_CLOCK,
					     .fault = 5,
					     .text = "trap: it was one" };
	struct trace_launch l = grid_of(3, 2);
	struct trace_writer *w = create();
	uint32_t n;

	l.module = put_module(w, ".version 8.0\n.target sm_90\n");
	EQ(ERR_OK, trace_put_copy(w, &to_device, &d));
	n = begin(w, &l);
	for (uint64_t i = 6; i-- > 0;)
		EQ(ERR_OK, put_block(w, n, i, 40, &d));
	EQ(ERR_OK, trace_end_launch(w, n, NULL, &d));
	EQ(ERR_OK, trace_put_copy(w, &set, &d));
	n = begin(w, &l);
	EQ(ERR_OK, put_block(w, n, 5, 40, &d));
	EQ(ERR_OK, put_block(w, n, 1, 40, &d));
	EQ(ERR_OK, trace_end_launch(w, n, &fault, &d));
	EQ(ERR_OK, trace_finish(w, &d));
}

TEST(trace_file, crc32c_is_the_one_of_rfc_3720)
{
	uint8_t bytes[32] = { 0 };

	EQ(0x8a9136aau, trace_crc(bytes, 32));
	memset(bytes, 0xff, 32);
	EQ(0x62a8ab43u, trace_crc(bytes, 32));
	for (unsigned i = 0; i < 32; i++)
		bytes[i] = (uint8_t)i;
	EQ(0x46dd794eu, trace_crc(bytes, 32));
	EQ(0xe3069283u, trace_crc("123456789", 9));
	EQ(0, trace_crc("", 0));
}

TEST(trace_file, a_build_without_zstd_says_so)
{
	struct trace_writer *w;
	struct trace *t;

	if (trace_supported())
		return;
	EQ(ERR_UNSUPP, trace_create(&w, "/nowhere/at/all", &info, &d));
	OK(strstr(d.text, "this build has no zstd"));
	EQ(ERR_UNSUPP, trace_open(&t, "/nowhere/at/all", &d));
	OK(strstr(d.text, "this build has no zstd"));
}

TEST(trace_file, what_was_written_is_read_in_order)
{
	static const struct trace_item want[] = { { TRACE_MODULE, 0 },
						  { TRACE_COPY, 0 },
						  { TRACE_LAUNCH, 0 },
						  { TRACE_COPY, 1 },
						  { TRACE_LAUNCH, 1 } };
	struct trace *t;
	size_t n;
	char *text;

	NEEDS_ZSTD();
	write_small();
	OK(trace_is_trace(path));
	t = reopen();
	EQ(ERR_OK, trace_check(t, &d));
	STREQ(NULL, trace_damage(t, &n));
	EQ(0, n);
	EQ(5, trace_item_count(t));
	for (size_t i = 0; i < 5; i++) {
		EQ(want[i].kind, trace_item(t, i).kind);
		EQ(want[i].number, trace_item(t, i).number);
	}
	STREQ("saxpy.ptx", trace_module_name(t, 0));
	EQ(ERR_OK, trace_module_text(t, 0, &text, &n, &d));
	STREQ(".version 8.0\n.target sm_90\n", text);
	EQ(27, n);
	free(text);
	EQ(ERR_RANGE, trace_module_text(t, 1, &text, &n, &d));
	EQ(NULL, trace_get_launch(t, 2));
	trace_close(t);
	drop_path();
}

TEST(trace_file, information_copies_and_launches_have_all_their_fields)
{
	const struct trace_launch_record *r;
	const struct trace_info *i;
	const struct trace_copy *c;
	struct trace *t;

	NEEDS_ZSTD();
	write_small();
	t = reopen();
	i = trace_get_info(t);
	STREQ(info.producer, i->producer);
	STREQ(info.command, i->command);
	STREQ(info.gpu, i->gpu);
	STREQ(info.more, i->more);
	EQ(90, i->sm);
	EQ(4, i->sm_count);
	EQ(1, i->independent);
	EQ(info.memory, i->memory);
	EQ(info.local_bytes, i->local_bytes);
	c = trace_get_copy(t, 0);
	OK(!memcmp(&to_device, c, sizeof(*c)));
	c = trace_get_copy(t, 1);
	EQ(TRACE_SET, c->kind);
	EQ(0xab, c->value);
	r = trace_get_launch(t, 0);
	STREQ("saxpy", r->launch.kernel);
	EQ(3, r->launch.grid[0]);
	EQ(64, r->launch.block[0]);
	EQ(4096, r->launch.dynamic_shared);
	EQ(sizeof(params), r->launch.param_bytes);
	OK(!memcmp(params, r->launch.params, sizeof(params)));
	EQ(17, r->launch.id);
	EQ(1024, r->launch.local_bytes);
	OK(r->ended && r->whole);
	EQ(6, r->blocks);
	EQ(600 + 15, r->warp_instructions);
	EQ(19200 + 15, r->thread_instructions);
	r = trace_get_launch(t, 1);
	OK(r->ended && !r->whole);
	EQ(2, r->blocks);
	EQ(5, r->outcome.fault);
	EQ(TRACE_ON_CLOCK, r->outcome.depends);
	STREQ("trap: it was one", r->outcome.text);
	trace_close(t);
	drop_path();
}

TEST(trace_file, blocks_are_found_in_any_order)
{
	struct trace *t;
	struct trace_block_view v;
	uint64_t i;

	NEEDS_ZSTD();
	write_small();
	t = reopen();
	for (i = 0; i < 6; i++) {
		OK(has_block(t, 0, i, 40));
		OK(trace_has_block(t, 0, i));
		EQ(i == 1 || i == 5, trace_has_block(t, 1, i));
		EQ(i == 1 || i == 5, has_block(t, 1, i, 40));
	}
	OK(trace_next_block(t, 1, 0, &i) && i == 1);
	OK(trace_next_block(t, 1, 1, &i) && i == 1);
	OK(trace_next_block(t, 1, 2, &i) && i == 5);
	OK(!trace_next_block(t, 1, 6, &i));
	OK(!trace_next_block(t, 2, 0, &i));
	EQ(ERR_RANGE, trace_block_read(t, 1, 0, &v, &d));
	OK(strstr(d.text, "launch 1 has no work-group 0"));
	EQ(ERR_RANGE, trace_block_read(t, 9, 0, &v, &d));
	trace_close(t);
	drop_path();
}

TEST(trace_file, the_same_name_and_text_are_one_module)
{
	NEEDS_ZSTD();
	struct trace_writer *w = create();
	uint32_t number;

	EQ(0, put_module(w, "a"));
	EQ(1, put_module(w, "b"));
	EQ(0, put_module(w, "a"));
	EQ(ERR_OK, trace_put_module(w, "other", "a", 1, &number, &d));
	EQ(2, number);
	EQ(ERR_OK, trace_finish(w, &d));
	drop_path();
}

TEST(trace_file, a_program_that_launched_nothing_has_a_trace)
{
	struct trace *t;

	NEEDS_ZSTD();
	EQ(ERR_OK, trace_finish(create(), &d));
	t = reopen();
	EQ(0, trace_item_count(t));
	EQ(ERR_OK, trace_check(t, &d));
	trace_close(t);
	drop_path();
}

/* Blocks from several threads, of two launches that are open at once. */
struct crowd {
	struct trace_writer *w;
	uint32_t launch[2];
	unsigned members;
	uint64_t blocks;
	enum err e[8];
};

static void put_share(void *ctx, unsigned member)
{
	struct crowd *c = ctx;
	struct diag why;

	for (uint64_t i = c->blocks; i-- > 0;)
		if (i % c->members == member)
			for (int k = 0; k < 2 && !c->e[member]; k++)
				c->e[member] = put_block(c->w, c->launch[k], i,
							 1000, &why);
}

struct readers {
	struct trace *t;
	unsigned members;
	uint64_t blocks, good[8];
};

static void read_share(void *ctx, unsigned member)
{
	struct readers *r = ctx;

	/* All threads need the same batches at the same time. */
	for (uint64_t i = 0; i < r->blocks; i++)
		r->good[member] +=
			has_block(r->t, (uint32_t)(i + member) % 2, i, 1000);
}

TEST(trace_file, several_threads_write_and_read)
{
	NEEDS_ZSTD();
	struct team *team = team_new(4);
	struct trace_launch l = grid_of(1500, 1);
	struct crowd c = { .w = create(), .blocks = 1500 };
	struct readers r = { .blocks = 1500 };

	l.module = put_module(c.w, "x");
	c.launch[0] = begin(c.w, &l);
	c.launch[1] = begin(c.w, &l);
	c.members = r.members = team_members(team);
	team_do(team, put_share, &c);
	for (unsigned i = 0; i < c.members; i++)
		EQ(ERR_OK, c.e[i]);
	EQ(ERR_OK, trace_end_launch(c.w, c.launch[1], NULL, &d));
	EQ(ERR_OK, trace_end_launch(c.w, c.launch[0], NULL, &d));
	EQ(ERR_OK, trace_finish(c.w, &d));
	r.t = reopen();
	EQ(ERR_OK, trace_check(r.t, &d));
	OK(trace_get_launch(r.t, 0)->whole && trace_get_launch(r.t, 1)->whole);
	team_do(team, read_share, &r);
	for (unsigned i = 0; i < r.members; i++)
		EQ(1500, r.good[i]);
	trace_close(r.t);
	team_free(team);
	drop_path();
}

/* The file in memory, to be damaged. */
static uint8_t *whole;
static size_t whole_bytes;

static void load(void)
{
	struct stat st;
	int file = open(path, O_RDONLY);

	OK(file >= 0 && !fstat(file, &st));
	whole_bytes = (size_t)st.st_size;
	whole = malloc(whole_bytes);
	EQ(whole_bytes, read(file, whole, whole_bytes));
	close(file);
}

static void store(const uint8_t *bytes, size_t n)
{
	int file = open(path, O_WRONLY | O_TRUNC);

	OK(file >= 0);
	EQ(n, write(file, bytes, n));
	close(file);
}

/* Reads all blocks that are in the file; each must be right. Returns how
 * many. */
static unsigned count_blocks(struct trace *t)
{
	unsigned n = 0;
	struct trace_block_view v;
	struct diag why;

	for (uint32_t l = 0; l < 2; l++)
		for (uint64_t i = 0; i < 6; i++) {
			if (trace_block_read(t, l, i, &v, &why))
				continue;
			trace_block_drop(t, &v);
			OK(has_block(t, l, i, 40));
			n++;
		}
	return n;
}

/* Where sections start, from the whole file. */
static size_t section_starts(size_t at[], size_t room)
{
	size_t n = 0;
	struct section s;

	for (size_t i = FILE_HEADER_BYTES;
	     i + SECTION_HEADER_BYTES <= whole_bytes;) {
		if (section_unpack(&s, whole + i, &d))
			break;
		OK(n < room);
		at[n++] = i;
		i += section_bytes(&s);
	}
	return n;
}

TEST(trace_file, a_truncated_file_says_so_and_its_intact_part_is_read)
{
	/* info, module, copy, launch, blocks, end, copy, launch, blocks, end,
	 * index */
	static const unsigned items_after[] = {
		0, 1, 2, 3, 3, 3, 4, 5, 5, 5, 5
	};
	static const unsigned blocks_after[] = {
		0, 0, 0, 0, 6, 6, 6, 6, 8, 8, 8
	};
	size_t start[16], n;

	NEEDS_ZSTD();
	write_small();
	load();
	n = section_starts(start, 16);
	EQ(11, n);
	start[n] = whole_bytes - TAIL_BYTES;
	for (size_t cut = 0; cut < whole_bytes; cut++) {
		struct trace *t;
		size_t sections = 0;

		store(whole, cut);
		if (cut < FILE_HEADER_BYTES) {
			EQ(ERR_SYNTAX, trace_open(&t, path, &d));
			OK(strstr(d.text, path));
			continue;
		}
		t = reopen();
		while (sections < n && start[sections + 1] <= cut)
			sections++;
		OK(trace_damage(t, NULL));
		OK(strstr(trace_damage(t, NULL), "byte "));
		EQ(ERR_SYNTAX, trace_check(t, &d));
		EQ(sections ? items_after[sections - 1] : 0,
		   trace_item_count(t));
		EQ(sections ? blocks_after[sections - 1] : 0, count_blocks(t));
		trace_close(t);
	}
	free(whole);
	drop_path();
}

/* Damages byte i of the file and counts what can still be read. */
static void flip(size_t i, unsigned *blocks, size_t *items)
{
	struct trace *t;
	uint8_t was = whole[i];

	whole[i] ^= (uint8_t)(1 + i % 255);
	store(whole, whole_bytes);
	whole[i] = was;
	if (trace_open(&t, path, &d)) {
		/* Only another version may prevent opening. */
		EQ(ERR_UNSUPP, d.code);
		*blocks = 8;
		*items = 5;
		return;
	}
	EQ(ERR_SYNTAX, trace_check(t, &d));
	OK(strstr(d.text, "byte "));
	*blocks = count_blocks(t);
	*items = trace_item_count(t);
	trace_close(t);
}

TEST(trace_file, any_damaged_byte_is_found_and_the_rest_is_read)
{
	size_t start[16], n;

	NEEDS_ZSTD();
	write_small();
	load();
	n = section_starts(start, 16);
	start[n] = whole_bytes;
	for (size_t i = 0, s = 0; i < whole_bytes; i++) {
		unsigned blocks;
		size_t items;

		flip(i, &blocks, &items);
		while (s < n && i >= start[s])
			s++;
		/* s - 1 is the section's number. A launch takes its blocks
		 * along, everything else only itself. */
		OK(blocks >= (s == 4 || s == 5 ? 2 : s == 8 || s == 9 ? 6 : 8));
		OK(items >=
		   (s == 2 || s == 3 || s == 4 || s == 7 || s == 8 ? 4 : 5));
	}
	free(whole);
	drop_path();
}

TEST(trace_file, damage_is_named_with_what_and_where)
{
	size_t start[16];
	char want[200];
	struct trace *t;

	NEEDS_ZSTD();
	write_small();
	load();
	section_starts(start, 16);
	/* The last byte of the first launch's blocks. */
	whole[start[5] - 1] ^= 1;
	store(whole, whole_bytes);
	t = reopen();
	STREQ(NULL, trace_damage(t, NULL));
	EQ(ERR_SYNTAX, trace_check(t, &d));
	snprintf(want, sizeof(want),
		 "%s: byte %zu: work-groups of launch 0: the checksum of its "
		 "body is wrong",
		 path, start[4]);
	STREQ(want, d.text);
	OK(!has_block(t, 0, 0, 40));
	/* The damaged blocks are no longer there. */
	OK(!trace_has_block(t, 0, 0) && !trace_get_launch(t, 0)->whole);
	EQ(0, trace_get_launch(t, 0)->blocks);
	EQ(0, trace_get_launch(t, 0)->warp_instructions);
	EQ(2, trace_get_launch(t, 1)->blocks);
	trace_close(t);
	store(whole, start[8] + 10);
	t = reopen();
	snprintf(want, sizeof(want),
		 "byte %zu: the file ends at byte %zu; the rest of the file, "
		 "10 bytes, is lost",
		 start[8], start[8] + 10);
	STREQ(want, trace_damage(t, NULL));
	trace_close(t);
	free(whole);
	drop_path();
}

TEST(trace_file, an_interrupted_recording_is_read_as_far_as_it_goes)
{
	NEEDS_ZSTD();
	struct trace_launch l = grid_of(6, 1);
	struct trace_writer *w = create();
	struct trace *t;
	uint32_t n;

	l.module = put_module(w, "x");
	n = begin(w, &l);
	EQ(ERR_OK, put_block(w, n, 3, 40, &d));
	/* The launch never ends; finishing writes the blocks so far. */
	EQ(ERR_OK, trace_finish(w, &d));
	t = reopen();
	EQ(ERR_OK, trace_check(t, &d));
	OK(!trace_get_launch(t, 0)->ended && !trace_get_launch(t, 0)->whole);
	EQ(1, trace_get_launch(t, 0)->blocks);
	OK(has_block(t, 0, 3, 40));
	trace_close(t);
	drop_path();
}

TEST(trace_file, a_file_that_is_not_a_trace_is_refused)
{
	struct trace *t;

	NEEDS_ZSTD();
	make_path();
	EQ(ERR_SYNTAX, trace_open(&t, path, &d));
	store((const uint8_t *)"HEDDLETR but nothing that follows is right",
	      42);
	EQ(ERR_SYNTAX, trace_open(&t, path, &d));
	store((const uint8_t *)"// some text that is long enough to be one",
	      42);
	EQ(ERR_SYNTAX, trace_open(&t, path, &d));
	OK(!trace_is_trace(path));
	drop_path();
	EQ(ERR_IO, trace_open(&t, "/nowhere/at/all", &d));
	OK(!trace_is_trace("/nowhere/at/all"));
	EQ(ERR_IO, trace_open(&t, "/", &d));
}

TEST(trace_file, a_later_version_is_named)
{
	struct trace *t;

	NEEDS_ZSTD();
	write_small();
	load();
	whole[MAGIC_BYTES] = FORMAT_VERSION + 1;
	for (int i = 0; i < 4; i++)
		whole[MAGIC_BYTES + 4 + i] =
			(uint8_t)(trace_crc(whole, MAGIC_BYTES + 4) >> 8 * i);
	store(whole, whole_bytes);
	EQ(ERR_UNSUPP, trace_open(&t, path, &d));
	OK(strstr(d.text, "trace format version 5 is not supported; this "
			  "Heddle reads versions 1 to 4"));
	free(whole);
	drop_path();
}

TEST(trace_file, writing_to_an_unwritable_path_fails)
{
	struct trace_writer *w;
	struct trace_launch l = grid_of(3000, 1);
	enum err e = ERR_OK;
	uint32_t n;

	NEEDS_ZSTD();
	EQ(ERR_IO, trace_create(&w, "/nowhere/at/all", &info, &d));
	OK(strstr(d.text, "/nowhere/at/all"));
	if (trace_create(&w, "/dev/full", &info, &d)) {
		EQ(ERR_IO, d.code);
		return;
	}
	l.module = put_module(w, "x");
	n = begin(w, &l);
	for (uint64_t i = 0; !e && i < 3000; i++)
		e = put_block(w, n, i, 1000, &d);
	EQ(ERR_IO, trace_finish(w, &d));
}

TEST(trace_file, memory_while_writing_does_not_grow_with_the_file)
{
	NEEDS_ZSTD();
	struct trace_launch l = grid_of(200000, 1);
	struct trace_writer *w = create();
	size_t before, most = 0;
	uint32_t n;

	l.module = put_module(w, "x");
	n = begin(w, &l);
	before = mallinfo2().uordblks;
	for (uint64_t i = 0; i < 200000; i++) {
		size_t now;

		EQ(ERR_OK, put_block(w, n, i, 600, &d));
		now = mallinfo2().uordblks;
		if (now > before && now - before > most)
			most = now - before;
	}
	/* 180 MB were written; a batch of 256 KiB grows by doubling. */
	OK(most < 2 << 20);
	EQ(ERR_OK, trace_end_launch(w, n, NULL, &d));
	EQ(ERR_OK, trace_finish(w, &d));
	drop_path();
}

TEST(trace_file, reading_one_block_reads_one_batch)
{
	NEEDS_ZSTD();
	struct trace_launch l = grid_of(20000, 1);
	struct trace_writer *w = create();
	struct trace_block_view v;
	struct trace *t;
	size_t before;
	uint32_t n;

	l.module = put_module(w, "x");
	n = begin(w, &l);
	for (uint64_t i = 0; i < 20000; i++)
		EQ(ERR_OK, put_block(w, n, i, 600, &d));
	EQ(ERR_OK, trace_end_launch(w, n, NULL, &d));
	EQ(ERR_OK, trace_finish(w, &d));
	t = reopen();
	before = mallinfo2().uordblks;
	EQ(ERR_OK, trace_block_read(t, 0, 12345, &v, &d));
	OK(mallinfo2().uordblks - before < 600 << 10);
	trace_block_drop(t, &v);
	/* Batches without users are kept, but not all of them. */
	for (uint64_t i = 0; i < 20000; i++)
		OK(has_block(t, 0, i, 600));
	OK(mallinfo2().uordblks - before < 34 << 20);
	trace_close(t);
	drop_path();
}
