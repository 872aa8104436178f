#include "cgm/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_SIDES = 2 * 128,
	COUNTERS = 8,
	MAX_DEPTH = 16,
	WORD = 8,
	DOMAINS = 3
};

/* An access in flight. */
struct flight {
	bool used;
	enum cgm_op op;
	unsigned writer, word;
	uint64_t least; /* that the read must find */
};

struct side;

struct random_world {
	const struct random_test *t;
	struct random_result *result;
	struct side *side;
	unsigned sides, writers; /* which are the first */
	bool finish;             /* fences, */
	bool reads;              /* then everyone reads everything */
};

struct side {
	struct random_world *w;
	struct cgm_source *source;
	unsigned number;
	bool coherent, gpu;
	enum cgm_op read;
	unsigned depth;
	unsigned domain; /* of those that see each other's writes */
	uint64_t random, left;
	uint64_t accesses, checks; /* answers; values that were compared */
	uint64_t written;          /* numbers, answered or in flight */
	uint64_t *seen;            /* by writer: the largest number */
	uint64_t *found;           /* by writer and word */
	uint64_t added, last_counter[COUNTERS];
	bool writing; /* a store or update is in flight */
	bool fenced;
	uint64_t reading; /* at the end: the next word to read */
	unsigned in_flight;
	struct flight flight[MAX_DEPTH];
	uint8_t value[CGM_BLOCK];
};

static uint64_t draw(struct side *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return s->random * UINT64_C(0x2545f4914f6cdd1d) >> 16;
}

static bool is_writer(const struct side *s)
{
	return s->number < s->w->writers;
}

/* Word `at` of a domain: what is coherent shares no block with what is not. */
static uint64_t address_of(const struct random_world *w, unsigned domain,
			   uint64_t at)
{
	uint64_t byte = at * WORD;

	return 0x100000 + (uint64_t)domain * 0x100000 +
	       byte / CGM_BLOCK * w->t->stride + byte % CGM_BLOCK;
}

/* Words of neighbours share a block. */
static uint64_t word_address(const struct random_world *w, unsigned writer,
			     unsigned word)
{
	return address_of(w, w->side[writer].domain,
			  (uint64_t)word * w->writers + writer);
}

static uint64_t counter_address(const struct side *s, unsigned i)
{
	/* In the blocks of the words: the words of a number are `writers`
	 * apart, and these follow the last. */
	return address_of(s->w, s->domain,
			  (uint64_t)s->w->t->words * s->w->writers + i);
}

/* The largest number up to k that was written to a word. */
static uint64_t floor_of(uint64_t k, unsigned word, unsigned words)
{
	uint64_t behind = (k + words - word % words) % words;

	return k >= behind ? k - behind : 0;
}

static void fail_side(struct side *s, const char *what, uint64_t want,
		      uint64_t got)
{
	char *to = s->w->result->failure;

	if (!*to)
		snprintf(to, sizeof(s->w->result->failure),
			 "requester %u: %s: %" PRIu64 " instead of %" PRIu64,
			 s->number, what, got, want);
}

static struct flight *new_flight(struct side *s, struct cgm_request *r,
				 enum cgm_op op)
{
	unsigned i = 0;

	while (s->flight[i].used)
		i++;
	s->flight[i] = (struct flight){ .used = true, .op = op };
	*r = (struct cgm_request){
		.tag = i, .op = op, .size = WORD, .value = s->value
	};
	s->in_flight++;
	return &s->flight[i];
}

static void ask_read(struct side *s, struct cgm_request *r, unsigned writer,
		     unsigned word)
{
	unsigned words = s->w->t->words;
	bool same = s->domain == s->w->side[writer].domain;
	bool ordered = s->coherent && same;
	struct flight *f = new_flight(s, r, s->read);

	f->writer = writer;
	f->word = word;
	f->least = same ? s->found[writer * words + word] : 0;
	if (ordered && f->least < floor_of(s->seen[writer], word, words))
		f->least = floor_of(s->seen[writer], word, words);
	r->address = word_address(s->w, writer, word);
}

/* The same as a store of a block of which only the word is meant. */
static void mask_write(struct side *s, struct cgm_request *r)
{
	unsigned offset = r->address % CGM_BLOCK;

	memset(s->value, 0x5a, sizeof(s->value));
	memcpy(s->value + offset, &s->written, WORD);
	r->address -= offset;
	r->size = CGM_BLOCK;
	r->mask = cgm_mask(offset, WORD);
}

static void ask_write(struct side *s, struct cgm_request *r)
{
	struct flight *f = new_flight(s, r, CGM_OP_STORE);

	s->written++;
	f->word = (unsigned)(s->written % s->w->t->words);
	memcpy(s->value, &s->written, WORD);
	r->address = word_address(s->w, s->number, f->word);
	s->writing = true;
	if (draw(s) % 4 == 0)
		mask_write(s, r);
}

static void ask_add(struct side *s, struct cgm_request *r, uint64_t n,
		    unsigned counter)
{
	struct flight *f = new_flight(s, r, CGM_OP_ADD);

	f->word = counter;
	memcpy(s->value, &n, WORD);
	r->address = counter_address(s, counter);
	s->added += n;
	s->writing = true;
}

/* At the end: a fence, then every word and counter. */
static cycle_t next_at_end(struct side *s, cycle_t now, struct cgm_request *r)
{
	unsigned words = s->w->t->words;
	uint64_t all = (uint64_t)s->w->writers * words;

	if (s->in_flight)
		return CYCLE_NEVER;
	if (!s->fenced) {
		new_flight(s, r, CGM_OP_FENCE);
		s->fenced = true;
		s->writing = true;
		return now;
	}
	if (!s->w->reads)
		return CYCLE_NEVER;
	if (s->reading == all + (is_writer(s) ? COUNTERS : 0))
		return CYCLE_NEVER;
	if (s->reading >= all)
		ask_add(s, r, 0, (unsigned)(s->reading - all));
	else
		ask_read(s, r, (unsigned)(s->reading / words),
			 (unsigned)(s->reading % words));
	s->reading++;
	return now;
}

static cycle_t next_request(void *ctx, cycle_t now, struct cgm_request *r)
{
	struct side *s = ctx;
	const struct random_test *t = s->w->t;
	uint64_t what = draw(s) % 100;

	if (s->w->result->failure[0])
		return CYCLE_NEVER;
	if (s->w->finish)
		return next_at_end(s, now, r);
	if (!s->left || s->in_flight >= s->depth)
		return CYCLE_NEVER;
	if (what < 45 && s->writing)
		return CYCLE_NEVER;
	if (!is_writer(s))
		what = 99;
	if (what < 30) {
		ask_write(s, r);
	} else if (what < 40) {
		ask_add(s, r, 1, (unsigned)(draw(s) % COUNTERS));
	} else if (what < 42 && t->flushes) {
		/* A writer's own: nobody else's number may be lost. */
		new_flight(s, r, draw(s) % 8 ? CGM_OP_FLUSH : CGM_OP_FENCE);
		r->address = word_address(s->w, s->number,
					  (unsigned)(draw(s) % t->words));
		s->writing = true;
	} else {
		ask_read(s, r, (unsigned)(draw(s) % s->w->writers),
			 (unsigned)(draw(s) % t->words));
	}
	s->left--;
	return now;
}

static void check_read(struct side *s, const struct flight *f, uint64_t v)
{
	const struct side *writer = &s->w->side[f->writer];
	unsigned words = s->w->t->words;
	bool own = f->writer == s->number;

	if (v && v % words != f->word)
		fail_side(s, "a number of another word", f->word, v);
	if (v < f->least)
		fail_side(s, "an older number than before", f->least, v);
	/* Another thread may be changing it. */
	if (s->w->t->options.threads <= 1 && v > writer->written)
		fail_side(s, "a number from the future", writer->written, v);
	if (s->w->finish && s->domain == writer->domain &&
	    v != floor_of(writer->written, f->word, words))
		fail_side(s, "at the end",
			  floor_of(writer->written, f->word, words), v);
	if (own && !s->writing && v < floor_of(f->least, f->word, words))
		fail_side(s, "its own word", f->least, v);
	if (v > s->seen[f->writer])
		s->seen[f->writer] = v;
	if (v > s->found[f->writer * words + f->word])
		s->found[f->writer * words + f->word] = v;
}

static void take_answer(void *ctx, cycle_t now, const struct cgm_answer *a)
{
	struct side *s = ctx;
	struct flight *f = &s->flight[a->tag];
	unsigned words = s->w->t->words;
	uint64_t v;

	(void)now;
	memcpy(&v, a->value, WORD);
	f->used = false;
	s->in_flight--;
	s->accesses++;
	s->checks += f->op == s->read || f->op == CGM_OP_ADD;
	switch (f->op) {
	case CGM_OP_FETCH:
	case CGM_OP_LOAD:
		check_read(s, f, v);
		break;
	case CGM_OP_ADD:
		if (v < s->last_counter[f->word])
			fail_side(s, "a counter went back",
				  s->last_counter[f->word], v);
		s->last_counter[f->word] = v;
		s->writing = false;
		break;
	case CGM_OP_STORE:
		/* From now on its own reads find it. */
		s->seen[s->number] = s->written;
		s->found[s->number * words + f->word] = s->written;
		s->writing = false;
		break;
	default:
		s->writing = false;
		break;
	}
}

static void world_free(struct random_world *w)
{
	for (unsigned i = 0; i < w->sides; i++) {
		free(w->side[i].seen);
		free(w->side[i].found);
	}
	free(w->side);
}

static void add_side(struct random_world *w, struct cgm_system *s,
		     enum cgm_port_kind kind, unsigned index, bool coherent)
{
	struct side *x = &w->side[w->sides];

	x->w = w;
	x->source = cgm_system_source(s, kind, index);
	x->number = w->sides++;
	x->depth = 1 + x->number % w->t->depth;
	x->coherent = coherent;
	x->gpu = kind == CGM_PORT_VECTOR || kind == CGM_PORT_SCALAR;
	x->read = kind == CGM_PORT_FETCH ? CGM_OP_FETCH : CGM_OP_LOAD;
	x->domain = coherent ? 0 : 1;
	if (x->gpu && (!w->t->cfg.cgm.shared ||
		       w->t->cfg.cgm.gpu_at == CFG_CGM_GPU_AT_MEMORY))
		x->domain = 2;
	x->random = (x->number + 1) * UINT64_C(0x9e3779b97f4a7c15) ^
		    w->t->options.seed << 7;
	x->source->driver = (struct cgm_driver){ next_request, take_answer, x };
}

/* Requesters of one kind for all cores, or all compute units. */
static void add_sides(struct random_world *w, struct cgm_system *s,
		      enum cgm_port_kind kind)
{
	const struct cfg_cgm *c = &w->t->cfg.cgm;
	bool cpu = kind == CGM_PORT_FETCH || kind == CGM_PORT_DATA;
	bool coherent = (cpu ? c->cpu_protocol : c->gpu_protocol) ==
			CFG_CGM_PROTOCOL_MESI;

	for (unsigned i = 0; i < (cpu ? c->cores : c->cus); i++)
		add_side(w, s, kind, i, coherent);
}

static void make_world(struct random_world *w, struct cgm_system *s)
{
	w->side = calloc(MAX_SIDES, sizeof(*w->side));
	CHECK(w->side);
	add_sides(w, s, CGM_PORT_DATA);
	add_sides(w, s, CGM_PORT_VECTOR);
	w->writers = w->sides;
	add_sides(w, s, CGM_PORT_FETCH);
	add_sides(w, s, CGM_PORT_SCALAR);
	for (unsigned i = 0; i < w->sides; i++) {
		struct side *x = &w->side[i];

		x->seen = calloc(w->writers, sizeof(*x->seen));
		x->found = calloc((size_t)w->writers * w->t->words,
				  sizeof(*x->found));
		x->left = w->t->accesses / w->sides;
		CHECK(x->seen && x->found);
	}
}

static bool run_on(struct random_world *w, struct cgm_system *s)
{
	char *failure = w->result->failure;
	struct diag d;

	for (unsigned i = 0; i < w->sides; i++)
		cgm_system_wake(s, w->side[i].source);
	if (cgm_system_run(s, CYCLE_NEVER, &d))
		snprintf(failure, sizeof(w->result->failure), "%.150s", d.text);
	for (unsigned i = 0; i < w->sides && !*failure; i++)
		if (w->side[i].in_flight || (!w->finish && w->side[i].left))
			fail_side(&w->side[i], "left over", 0, w->side[i].left);
	if (!*failure && !cgm_system_is_idle(s))
		snprintf(failure, sizeof(w->result->failure), "not at rest");
	return !*failure;
}

/* The counters together hold what was added: their sum is read at the end, by
 * adding nothing. */
static void check_counters(struct random_world *w, unsigned domain)
{
	uint64_t added = 0, sum = 0;
	struct side *by = NULL;

	for (unsigned i = 0; i < w->writers; i++)
		if (w->side[i].domain == domain) {
			by = by ? by : &w->side[i];
			added += w->side[i].added;
		}
	for (unsigned i = 0; by && i < COUNTERS; i++)
		sum += by->last_counter[i];
	if (by && sum != added)
		fail_side(by, "sum of the counters", added, sum);
}

/* All accesses, then a fence of everyone, then everyone reads everything. */
static void run_world(struct random_world *w, struct cgm_system *s)
{
	if (!run_on(w, s))
		return;
	w->result->ticks = cgm_system_now(s);
	w->finish = true;
	if (!run_on(w, s))
		return;
	w->reads = true;
	if (!run_on(w, s))
		return;
	for (unsigned i = 0; i < DOMAINS; i++)
		check_counters(w, i);
}

bool random_run(const struct random_test *t, struct random_result *r)
{
	struct random_world w = { .t = t, .result = r };
	struct cgm_system *s;
	struct diag d;

	CHECK(t->depth <= MAX_DEPTH);
	*r = (struct random_result){ 0 };
	if (cgm_system_new(&s, &t->cfg, &t->options, &d)) {
		snprintf(r->failure, sizeof(r->failure), "%.190s", d.text);
		return false;
	}
	make_world(&w, s);
	run_world(&w, s);
	cgm_system_stats(s, &r->stats);
	if (!r->failure[0] && cgm_stats_broken_law(&r->stats, &d))
		snprintf(r->failure, sizeof(r->failure), "%.190s", d.text);
	for (unsigned i = 0; i < w.sides; i++) {
		r->accesses += w.side[i].accesses;
		r->checks += w.side[i].checks;
	}
	cgm_system_free(s);
	world_free(&w);
	return !r->failure[0];
}

void random_tiny(struct random_test *t, uint64_t accesses)
{
	struct cfg_cgm *c = &t->cfg.cgm;

	*t = (struct random_test){ .accesses = accesses,
				   .words = 5,
				   .depth = 6,
				   .stride = CGM_BLOCK,
				   .flushes = true };
	cfg_defaults(&t->cfg);
	t->cfg.dram.standard = CFG_DRAM_DDR3;
	t->cfg.dram.channels = 2;
	t->cfg.dram.clock = 800;
	t->cfg.dram.bandwidth = 25.6;
	c->cores = 16;
	c->cus = 8;
	c->slices = 4;
	c->l1i_bytes = c->l1d_bytes = 512;
	c->vector_bytes = c->scalar_bytes = 512;
	c->l1_ways = c->gpu_l1_ways = 2;
	c->l2_bytes = c->gpu_l2_bytes = 1024;
	c->l2_ways = c->gpu_l2_ways = 2;
	c->l2_mshrs = c->l2_buffers = 2;
	c->gpu_l2_mshrs = c->gpu_l2_buffers = 3;
	c->l3_bytes = 1024;
	c->l3_ways = 2;
	c->l3_pending = 3;
	c->link_room = 3;
	c->memory_queue = 4;
	c->tlb_entries = 2;
	c->tlb_ways = 2;
	c->hub_entries = c->hub_ways = 2;
}

void random_roomy(struct random_test *t)
{
	struct cfg_cgm *c = &t->cfg.cgm;

	t->words = 8;
	c->l1i_bytes = c->l1d_bytes = 4096;
	c->vector_bytes = c->scalar_bytes = 4096;
	c->l2_bytes = c->gpu_l2_bytes = 32768;
	c->l2_mshrs = c->gpu_l2_mshrs = 8;
	c->l3_bytes = 65536;
	c->l3_pending = 16;
	c->link_room = 8;
	c->memory_queue = 32;
	c->tlb_entries = c->hub_entries = 64;
}
