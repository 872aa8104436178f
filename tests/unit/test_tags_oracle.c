#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "mem/replace.h"
#include "mem/tags.h"
#include "tags_oracle.h"

/* The tag array and its oracle, and the source of random operations. */
struct pair {
	struct arena arena;
	struct tags *t;
	struct plain o;
	uint64_t random;
	uint64_t lines; /* to choose from */
	uint32_t token;
};

static uint64_t draw(struct pair *p, uint64_t n)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return (p->random >> 11) % n;
}

static uint64_t draw_line(struct pair *p)
{
	/* Far apart too, so that partial tags collide now and then. */
	return draw(p, p->lines) * (draw(p, 8) ? 1 : 0x10001);
}

static void same_bytes(const struct pair *p, const struct tags_victim *v,
		       const bool *dirty)
{
	const struct tags_cfg *c = &p->o.cfg;
	uint32_t size = c->sector_bytes < 32 ? c->sector_bytes : 32;

	for (uint32_t i = 0; i < c->line_bytes; i++) {
		bool got = (v->dirty >> i / c->sector_bytes & 1) &&
			   (v->bytes[i / size] >> i % size & 1);

		if (got != dirty[i])
			EQ(dirty[i], got);
	}
}

static void same_line(struct pair *p, uint64_t line)
{
	struct tags_probe got = tags_probe(p->t, line);
	const struct plain_line *l = plain_find(&p->o, line);

	EQ(l != NULL, got.present);
	if (!l)
		return;
	EQ(l - p->o.at, got.set * tags_ways(p->t) + got.way);
	EQ(l->valid, got.valid);
	EQ(l->pending, got.pending);
	EQ(plain_written(&p->o, l), got.written);
}

static void same_out(struct pair *p, enum tags_result r,
		     const struct tags_out *got, const struct plain_out *want,
		     uint64_t line)
{
	EQ(want->result, r);
	if (tags_stalled(r))
		return;
	EQ(want->request, got->request);
	EQ(want->forward, got->forward);
	EQ(want->evicted, got->victim.evicted);
	if (got->victim.evicted) {
		EQ(want->victim, got->victim.line);
		same_bytes(p, &got->victim, want->dirty);
	}
	if (got->request)
		EQ(line, tags_mshr_line(p->t, got->mshr));
	same_line(p, line);
}

/* The oracle follows a random choice, which must be a legal one. */
static void follow_victim(struct pair *p, uint64_t line)
{
	struct tags_probe at = tags_probe(p->t, line);

	p->o.random_way = at.present ? at.way : 0;
}

static void step_read(struct pair *p)
{
	uint64_t line = draw_line(p);
	unsigned all = (1u << p->o.cfg.line_bytes / p->o.cfg.sector_bytes) - 1;
	unsigned sectors = 1 + (unsigned)draw(p, all);
	uint32_t token = draw(p, 16) ? p->token++ : TAGS_NO_TOKEN;
	struct tags_out got;
	struct plain_out want;
	enum tags_result r = tags_read(p->t, line, sectors, token, &got);

	follow_victim(p, line);
	plain_read(&p->o, line, sectors, token, &want);
	same_out(p, r, &got, &want, line);
}

static void step_write(struct pair *p)
{
	const struct tags_cfg *c = &p->o.cfg;
	uint32_t size = c->sector_bytes < 32 ? c->sector_bytes : 32;
	uint32_t count = c->line_bytes / size;
	uint32_t full = (uint32_t)((UINT64_C(1) << size) - 1);
	uint32_t bytes[TAGS_PIECES_MAX];
	uint64_t line = draw_line(p);
	uint32_t pieces = 1 + (uint32_t)draw(p, (UINT64_C(1) << count) - 1);
	bool whole = draw(p, 4) == 0;
	struct tags_out got;
	struct plain_out want;
	enum tags_result r;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t half = full >> size / 2;

		bytes[i] = (uint32_t)draw(p, full) + 1;
		if (draw(p, 2)) /* halves, which complete one another */
			bytes[i] = draw(p, 2) ? half : full & ~half;
	}
	r = tags_write(p->t, line, pieces, whole ? NULL : bytes, &got);
	follow_victim(p, line);
	plain_write(&p->o, line, pieces, whole ? NULL : bytes, &want);
	same_out(p, r, &got, &want, line);
}

static void fill(struct pair *p, struct plain_line *l, unsigned sectors)
{
	uint32_t got[PLAIN_MERGES], want[PLAIN_MERGES];
	uint32_t n, mshr;
	struct tags_out out;

	if (draw(p, 2)) {
		n = tags_fill(p->t, l->line, sectors, got);
	} else {
		/* A prefetch of what is in flight only returns the MSHR. */
		tags_read(p->t, l->line, l->pending, TAGS_NO_TOKEN, &out);
		follow_victim(p, l->line);
		plain_read(&p->o, l->line, l->pending, TAGS_NO_TOKEN,
			   &(struct plain_out){ 0 });
		mshr = out.mshr;
		EQ(l->line, tags_mshr_line(p->t, mshr));
		n = tags_fill_mshr(p->t, mshr, sectors, got);
	}
	EQ(plain_fill(&p->o, l, sectors, want), n);
	for (uint32_t i = 0; i < n; i++)
		EQ(want[i], got[i]);
	same_line(p, l->line);
}

static void step_fill(struct pair *p)
{
	size_t n = (size_t)p->o.sets * p->o.ways, from = draw(p, n);

	if (!p->o.mshrs)
		return;
	for (size_t i = 0; i < n; i++) {
		struct plain_line *l = &p->o.at[(from + i) % n];

		if (l->used && l->pending) {
			unsigned some = (unsigned)draw(p, 256) & l->pending;

			fill(p, l, some ? some : l->pending);
			return;
		}
	}
}

static void clean_all(struct pair *p)
{
	size_t n = (size_t)p->o.sets * p->o.ways;
	struct tags_victim v;
	struct plain_out want;
	uint32_t cursor = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t line = p->o.at[i].line;

		if (!plain_clean(&p->o, &p->o.at[i], &want))
			continue;
		OK(tags_clean_next(p->t, &cursor, &v));
		EQ(line, v.line);
		same_bytes(p, &v, want.dirty);
		same_line(p, line);
	}
	OK(!tags_clean_next(p->t, &cursor, &v));
	EQ(0, tags_dirty_lines(p->t));
}

static void same_all(struct pair *p)
{
	size_t n = (size_t)p->o.sets * p->o.ways;

	for (size_t i = 0; i < n; i++)
		if (p->o.at[i].used)
			same_line(p, p->o.at[i].line);
	EQ(p->o.mshrs, tags_outstanding(p->t));
	EQ(0, memcmp(&p->o.st, tags_stats(p->t), sizeof(p->o.st)));
	STREQ(NULL, tags_broken_law(p->t));
}

static void settle(struct pair *p)
{
	for (size_t i = 0; i < (size_t)p->o.sets * p->o.ways; i++)
		if (p->o.at[i].used && p->o.at[i].pending)
			fill(p, &p->o.at[i], p->o.at[i].pending);
	EQ(0, tags_outstanding(p->t));
}

static void step_rare(struct pair *p)
{
	const struct tags_cfg *c = &p->o.cfg;
	uint32_t sets = (uint32_t)(c->bytes / c->line_bytes / c->ways);
	uint64_t line = draw_line(p);

	switch (draw(p, 40)) {
	case 0:
		tags_invalidate_all(p->t);
		plain_invalidate_all(&p->o);
		break;
	case 1:
		settle(p);
		clean_all(p);
		sets = 1 + (uint32_t)draw(p, sets);
		tags_resize(p->t, sets, 1 + (uint32_t)draw(p, c->ways));
		plain_resize(&p->o, sets, tags_ways(p->t));
		EQ(sets, tags_sets(p->t));
		break;
	case 2:
		clean_all(p);
		break;
	case 3:
		same_all(p);
		break;
	default:
		tags_invalidate(p->t, line);
		plain_invalidate(&p->o, line);
		same_line(p, line);
	}
}

static void compare(const struct tags_cfg *cfg, uint64_t seed, int steps)
{
	struct pair p = { .random = seed * 2 + 1 };
	struct diag d;

	EQ(ERR_OK, tags_new(&p.t, &p.arena, cfg, &d));
	arena_seal(&p.arena);
	plain_init(&p.o, cfg);
	p.lines = 1 + cfg->bytes / cfg->line_bytes * (1 + seed % 3);
	for (int i = 0; i < steps; i++) {
		uint64_t what = draw(&p, 256);

		if (what < 110)
			step_read(&p);
		else if (what < 180)
			step_write(&p);
		else if (what < 253)
			step_fill(&p);
		else
			step_rare(&p);
	}
	settle(&p);
	same_all(&p);
	plain_free(&p.o);
	arena_free(&p.arena);
}

/* line, sector, sets, ways, mshrs, merges, waiters */
static const uint32_t shapes[][7] = {
	{ 128, 32, 4, 4, 8, 4, 0 },    { 128, 32, 3, 5, 6, 3, 10 },
	{ 128, 32, 16, 16, 40, 8, 0 }, { 128, 32, 6, 20, 24, 8, 64 },
	{ 128, 128, 4, 8, 12, 2, 0 },  { 32, 32, 7, 2, 4, 8, 5 },
	{ 64, 16, 1, 17, 3, 2, 0 },    { 256, 32, 2, 33, 12, 8, 0 },
	{ 128, 64, 5, 3, 30, 8, 0 },   { 32, 4, 12, 1, 4, 4, 0 },
	{ 128, 32, 1, 128, 64, 8, 0 }, { 128, 32, 2, 70, 20, 1, 0 },
};

static struct tags_cfg shaped(int i)
{
	const uint32_t *s = shapes[i];

	return (struct tags_cfg){
		.bytes = (uint64_t)s[0] * s[2] * s[3],
		.line_bytes = s[0],
		.sector_bytes = s[1],
		.ways = s[3],
		.mshrs = s[4],
		.merges = s[5],
		.waiters = s[6],
	};
}

static void compare_shapes(bool write_back, enum tags_write_miss miss)
{
	enum { SHAPES = sizeof(shapes) / sizeof(*shapes), STEPS = 14000 };

	for (int i = 0; replace_all[i / SHAPES]; i++) {
		struct tags_cfg c = shaped(i % SHAPES);

		c.write_back = write_back;
		c.write_miss = miss;
		c.replace = (enum cfg_replace)(i / SHAPES);
		c.hash = (enum map_hash)(i % 3);
		c.seed = (uint64_t)i;
		c.group = 1u << i / 3 % 3;
		compare(&c, (uint64_t)i + 1, STEPS);
	}
}

TEST(tags_oracle, write_through_around_agrees)
{
	compare_shapes(false, TAGS_AROUND);
}

TEST(tags_oracle, write_through_fetch_agrees)
{
	compare_shapes(false, TAGS_FETCH);
}

TEST(tags_oracle, write_through_validate_agrees)
{
	compare_shapes(false, TAGS_VALIDATE);
}

TEST(tags_oracle, write_back_around_agrees)
{
	compare_shapes(true, TAGS_AROUND);
}

TEST(tags_oracle, write_back_fetch_agrees)
{
	compare_shapes(true, TAGS_FETCH);
}

TEST(tags_oracle, write_back_validate_agrees)
{
	compare_shapes(true, TAGS_VALIDATE);
}
