#include "explore/advice_case.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/minmax.h"
#include "explore/core_words.h"
#include "explore/view.h"

double case_before(const struct advice_case *c)
{
	const struct cfg_dispatch *k = &c->in->cfg->dispatch;

	return fmin((double)(k->launch_latency + k->block_latency),
		    (double)c->in->cycles);
}

static uint64_t sum_reasons(const struct stats *s, uint64_t reasons)
{
	uint64_t sum = 0;

	for (unsigned r = 0; r < REASON_COUNT; r++)
		sum += reasons >> r & 1 ? s->reason[r] : 0;
	return sum;
}

double case_share(const struct advice_case *c, uint64_t reasons)
{
	return ratio_of((double)sum_reasons(&c->in->s, reasons), c->slots);
}

double case_busy_share(const struct advice_case *c, uint64_t reasons)
{
	return ratio_of(case_share(c, reasons),
			case_share(c, WHY_RESIDENT | WHY(UNFILLED)));
}

bool case_prevails(const struct advice_case *c, uint64_t reasons)
{
	return case_share(c, reasons) > case_share(c, WHY_WAITING & ~reasons);
}

/*
 * Cycles by which the SM would end earlier. Schedulers without a warp do not make
 * it longer: what counts is the share of the slots that had one, unless the
 * missing warps themselves are the reason. The cycles of a cluster are those of its
 * compute units, summed; none of them is there for longer than until the end.
 */
static double sm_saved(const struct advice_case *c, size_t i, uint64_t reasons,
		       double share)
{
	const struct stats *s = &c->in->sm[i];
	double most = c->units ? (double)c->in->sm_ends[i] - case_before(c) :
				 INFINITY;
	double active = (double)s->sm.active_cycles;
	double slots = active * (double)c->in->cfg->sm.schedulers;

	if (!(reasons & WHY(UNFILLED)))
		slots -= (double)s->reason[REASON_UNFILLED];
	return share * fmin(active, most) *
	       fmin(1, ratio_of((double)sum_reasons(s, reasons), slots));
}

double case_saved(const struct advice_case *c, uint64_t reasons, double share,
		  double (*most)(const struct stats *sm, const struct cfg *cfg))
{
	const struct advice_input *in = c->in;
	double before = 0, after = 0;

	for (size_t i = 0; i < in->sms; i++) {
		double end = (double)in->sm_ends[i];
		double saved = sm_saved(c, i, reasons, share);

		if (most)
			saved = fmin(saved, most(&in->sm[i], in->cfg));
		before = fmax(before, end);
		after = fmax(after, end - saved);
	}
	return fmax(0, ratio_of(before - after, (double)in->cycles));
}

/* ---- how busy the memory was ---- */

static void use_more(struct case_use *u, double share, const char *name)
{
	if (share <= u->share)
		return;
	u->share = share;
	u->name = name;
}

/* The ports between network and slices, which pages do not show. */
static void use_slices(struct case_use *u, const struct advice_case *c)
{
	const struct cfg *cfg = c->in->cfg;
	double doors = (double)(cfg->net.channels ? cfg->net.channels :
						    cfg->l2.slices) *
		       (double)c->in->cycles;

	use_more(u,
		 ratio_of((double)c->in->s.l2.bytes_out,
			  doors * (double)cfg->net.slice_out),
		 "ports out of the slices");
	use_more(u,
		 ratio_of((double)c->in->s.l2.bytes_in,
			  doors * (double)cfg->net.slice_in),
		 "ports into the slices");
}

static enum case_level level_of(const char *name)
{
	return !strcmp(name, "DRAM") ? CASE_DRAM :
	       !strcmp(name, "L1 lookups") || !strcmp(name, "shared memory") ?
				       CASE_L1 :
				       CASE_L2;
}

void case_find_use(struct advice_case *c)
{
	const struct run_device dev = { .cfg = *c->in->cfg };
	const struct run_view v = {
		.device = &dev,
		.s = c->in->s,
		.cycles = (double)c->in->cycles,
		.seconds = ratio_of((double)c->in->cycles,
				    dev.cfg.gpu.clock * 1e6),
	};
	struct peak_shares all = view_memory_shares(&v);

	for (int i = 0; i < CASE_LEVELS; i++)
		c->use[i].name = "";
	/* With fixed latencies nothing has a bandwidth. */
	if (dev.cfg.mem.kind == CFG_MEM_LATENCY)
		return;
	for (size_t i = 0; i < all.count; i++)
		use_more(&c->use[level_of(all.at[i].name)], all.at[i].share,
			 all.at[i].name);
	use_slices(&c->use[CASE_L2], c);
	for (int i = 0; i < CASE_LEVELS; i++)
		c->use[i].active =
			fmin(1, ratio_of(c->use[i].share, c->launched));
}

double case_busiest(const struct advice_case *c)
{
	double most = 0;

	for (int i = 0; i < CASE_LEVELS; i++)
		most = fmax(most, c->use[i].share);
	return fmin(1, most);
}

bool case_found(const struct advice_case *c, const char *rule)
{
	for (size_t i = 0; i < c->found_count; i++)
		if (!strcmp(c->found[i].rule, rule))
			return c->found[i].bound >= ADVICE_LEAST;
	return false;
}

/* ---- lines ---- */

bool case_is(const struct advice_inst *i, const char *words)
{
	const char *text = i->text;

	if (*text == '@') {
		text += strcspn(text, " \t");
		text += strspn(text, " \t");
	}
	while (*words) {
		size_t n = strcspn(words, " ");

		if (!strncmp(text, words, n))
			return true;
		words += n + strspn(words + n, " ");
	}
	return false;
}

void case_place(const struct advice_case *c, struct advice_finding *f,
		bool (*fits)(const struct advice_inst *i),
		uint64_t (*value)(const struct advice_inst *i))
{
	const struct advice_inst *best = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < c->in->inst_count; i++) {
		const struct advice_inst *at = &c->in->insts[i];

		if (!fits(at) || value(at) <= most)
			continue;
		most = value(at);
		best = at;
	}
	if (!best || !best->line)
		return;
	snprintf(f->file, sizeof(f->file), "%s", best->file);
	f->line = best->line;
}

uint64_t case_issued(const struct advice_inst *i)
{
	return i->issued;
}

uint64_t case_waited(const struct advice_inst *i)
{
	return i->waited;
}

uint64_t case_excess(const struct advice_inst *i)
{
	return i->excess;
}

void case_say(char text[ADVICE_TEXT], const char *fmt, ...)
{
	size_t used = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + used, ADVICE_TEXT - used, fmt, ap);
	va_end(ap);
}

void case_say_place(struct advice_finding *f, const char *before)
{
	if (f->line)
		case_say(f->evidence, "%s%c", before, CASE_PLACE);
}

void case_words(char text[ADVICE_TEXT], const struct advice_finding *f,
		bool units)
{
	char was[ADVICE_TEXT], place[ADVICE_TEXT];
	char *from, *cut;

	snprintf(was, sizeof(was), "%s", text);
	if (units)
		core_words(was, sizeof(was), text);
	text[0] = '\0';
	for (from = was; (cut = strchr(from, CASE_PLACE)); from = cut + 1)
		case_say(text, "%.*s%s", (int)(cut - from), from,
			 advice_place_text(place, f));
	case_say(text, "%s", from);
}
