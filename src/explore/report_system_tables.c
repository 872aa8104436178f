/* Tables of a system's page: functions, regions, caches, links and queues, and
 * everything. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/human.h"
#include "explore/draw.h"
#include "explore/files.h"
#include "explore/html.h"
#include "explore/report_parts.h"
#include "explore/report_system.h"
#include "explore/view.h"

enum {
	FUNCTIONS_SHOWN = 25,
	FUNCTIONS_MORE = 300,
	HOT_SHOWN = 40,
	LINKS_SHOWN = 16
};

/*
 * Functions
 */

/* The use that took most of a part's slots, other than being committed. */
static const char *part_reason(const struct system_part *p)
{
	unsigned best = CPU_SLOT_USES;

	for (unsigned u = 0; u < CPU_SLOT_USES; u++)
		if (u != CPU_SLOT_committed && p->slot[u] &&
		    (best == CPU_SLOT_USES || p->slot[u] > p->slot[best]))
			best = u;
	return best == CPU_SLOT_USES ? "" : system_use(best)->name;
}

static void function_row(FILE *to, const struct system_part *p, double whole)
{
	char a[GROUPED_TEXT];
	double total = (double)p->slots;

	html(to, "<tr><th scope=\"row\" class=\"m\">%s</th>",
	     p->name ? p->name :
	     p->at   ? "(no symbol)" :
		       "(not known)");
	html(to,
	     "<td class=\"n\">%.1f%%</td><td class=\"n\">%s</td>"
	     "<td class=\"n\">%.0f%%</td><td class=\"lost\"><div "
	     "style=\"width:%.1f%%\">",
	     100 * ratio_of(total, whole), grouped(a, p->slots),
	     100 * ratio_of((double)p->slot[CPU_SLOT_committed], total),
	     100 * ratio_of(total, whole));
	system_slot_bar(to, p->slot, "mini");
	html(to, "</div></td><td class=\"why\">%s</td></tr>\n", part_reason(p));
}

static void functions_head(FILE *to)
{
	html(to, "<div class=\"scroll\"><table><thead><tr>"
		 "<th scope=\"col\">function</th>"
		 "<th scope=\"col\" class=\"n\">share</th>"
		 "<th scope=\"col\" class=\"n\">slots</th>"
		 "<th scope=\"col\" class=\"n\">committed</th>"
		 "<th scope=\"col\">used, or lost for</th>"
		 "<th scope=\"col\">mostly</th></tr></thead><tbody>\n");
}

static void hot_instructions(FILE *to, const struct system_run *r, double whole)
{
	size_t shown = r->hot_count < HOT_SHOWN ? r->hot_count : HOT_SHOWN;

	if (!shown)
		return;
	html(to, "<details><summary>Hottest instructions</summary>\n"
		 "<div class=\"scroll\"><table><thead><tr>"
		 "<th scope=\"col\">place</th>"
		 "<th scope=\"col\">instruction</th>"
		 "<th scope=\"col\" class=\"n\">share</th>"
		 "<th scope=\"col\" class=\"n\">committed</th>"
		 "<th scope=\"col\">used, or lost for</th>"
		 "<th scope=\"col\">mostly</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < shown; i++) {
		const struct system_part *p = &r->hot[i];
		char a[GROUPED_TEXT];

		html(to,
		     "<tr><th scope=\"row\" class=\"m\">%s</th>"
		     "<td class=\"m nw\">%s</td><td class=\"n\">%.1f%%</td>"
		     "<td class=\"n\">%s</td><td class=\"lost\"><div "
		     "style=\"width:%.1f%%\">",
		     p->name ? p->name : "", p->text,
		     100 * ratio_of((double)p->slots, whole),
		     grouped(a, p->slot[CPU_SLOT_committed]),
		     100 * ratio_of((double)p->slots, (double)r->hot[0].slots));
		system_slot_bar(to, p->slot, "mini");
		html(to, "</div></td><td class=\"why\">%s</td></tr>\n",
		     part_reason(p));
	}
	html(to, "</tbody></table></div></details>\n");
}

static void hot_line_row(FILE *to, const struct system_run *r,
			 const struct system_part *p, double whole)
{
	char a[GROUPED_TEXT];

	if (p->line && p->file)
		html(to,
		     "<tr><th scope=\"row\" class=\"m nw\" title=\"%s\">"
		     "%s:%" PRIu64 "</th>",
		     p->file, file_base_name(p->file), p->line);
	else
		html(to, "<tr><th scope=\"row\" class=\"why\">no line</th>");
	html(to,
	     "<td class=\"m\">%s</td><td class=\"m\">%s</td>"
	     "<td class=\"n\">%.1f%%</td><td class=\"n\">%s</td>"
	     "<td class=\"lost\"><div style=\"width:%.1f%%\">",
	     p->name ? p->name : "", p->text,
	     100 * ratio_of((double)p->slots, whole),
	     grouped(a, p->slot[CPU_SLOT_committed]),
	     100 * ratio_of((double)p->slots, (double)r->lines[0].slots));
	system_slot_bar(to, p->slot, "mini");
	html(to, "</div></td><td class=\"why\">%s</td></tr>\n", part_reason(p));
}

static void hot_lines(FILE *to, const struct system_run *r, double whole)
{
	size_t shown = r->line_count < HOT_SHOWN ? r->line_count : HOT_SHOWN;
	bool known = false;

	for (size_t i = 0; i < r->line_count; i++)
		known |= r->lines[i].line && r->lines[i].file;
	if (!known)
		return;
	html(to, "<details open><summary>Hottest lines</summary>\n"
		 "<div class=\"scroll\"><table><thead><tr>"
		 "<th scope=\"col\">line</th><th scope=\"col\">function</th>"
		 "<th scope=\"col\">source</th>"
		 "<th scope=\"col\" class=\"n\">share</th>"
		 "<th scope=\"col\" class=\"n\">committed</th>"
		 "<th scope=\"col\">used, or lost for</th>"
		 "<th scope=\"col\">mostly</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < shown; i++)
		hot_line_row(to, r, &r->lines[i], whole);
	html(to, "</tbody></table></div></details>\n");
}

void system_part_functions(FILE *to, const struct system_run *r)
{
	double whole = 0;
	size_t shown = 0, most = r->function_count;

	for (size_t i = 0; i < r->function_count; i++)
		whole += (double)r->functions[i].slots;
	if (!(whole > 0))
		return;
	html_section(to, "Functions",
		     "Commit slots of cores that had a thread, by the function "
		     "of the instruction that was committed, or that was the "
		     "oldest one while none was.");
	functions_head(to);
	if (most > FUNCTIONS_MORE)
		most = FUNCTIONS_MORE;
	for (; shown < most && shown < FUNCTIONS_SHOWN; shown++)
		function_row(to, &r->functions[shown], whole);
	html(to, "</tbody></table></div>\n");
	if (shown < most) {
		html(to, "<details><summary>%zu more functions</summary>\n",
		     r->function_count - shown);
		functions_head(to);
		for (; shown < most; shown++)
			function_row(to, &r->functions[shown], whole);
		html(to, "</tbody></table></div></details>\n");
	}
	hot_lines(to, r, whole);
	hot_instructions(to, r, whole);
	html_section_end(to);
}

/*
 * Regions
 */

void system_part_regions(FILE *to, const struct system_run *r)
{
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	if (!r->region_count)
		return;
	html_section(to, "Regions",
		     "What the program marks, between its begins and ends; of "
		     "all cores.");
	html(to, "<div class=\"scroll\"><table><thead><tr>"
		 "<th scope=\"col\">region</th>"
		 "<th scope=\"col\" class=\"n\">times</th>"
		 "<th scope=\"col\" class=\"n\">time</th>"
		 "<th scope=\"col\" class=\"n\">of all</th>"
		 "<th scope=\"col\" class=\"n\">instructions</th>"
		 "<th scope=\"col\" class=\"n\">IPC</th>"
		 "<th scope=\"col\">commit slots</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < r->region_count; i++) {
		const struct system_region_row *g = &r->region_rows[i];
		struct cpu_stats st = g->cpu;
		uint64_t slot[CPU_SLOT_USES];

		for (unsigned u = 0; u < CPU_SLOT_USES; u++)
			slot[u] = *cpu_stat_slot(&st, (enum cpu_slot_use)u);
		html(to,
		     "<tr><th scope=\"row\">%" PRIu64 "</th>"
		     "<td class=\"n\">%" PRIu64 "</td><td class=\"n\">%s</td>"
		     "<td class=\"n\">%.1f%%</td><td class=\"n\">%s</td>"
		     "<td class=\"n\">%.2f</td><td class=\"lost\">",
		     g->number, g->times, duration(a, g->ns * 1e-9),
		     100 * ratio_of(g->ns, r->ns),
		     counted(b, (double)st.instructions),
		     ratio_of((double)st.instructions, g->cycles));
		system_slot_bar(to, slot, "mini");
		html(to, "</td></tr>\n");
	}
	html(to, "</tbody></table></div>\n");
	html_section_end(to);
}

/*
 * Caches and memory
 */

static void system_cache_row(FILE *to, const char *name, uint64_t hits,
			     uint64_t joins, uint64_t all, uint64_t evictions)
{
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	if (!all)
		return;
	html(to,
	     "<tr><th scope=\"row\">%s</th><td class=\"n\">%s</td>"
	     "<td class=\"n\">%.1f%%</td><td class=\"n\">%.1f%%</td>"
	     "<td class=\"n\">%.1f%%</td><td class=\"n\">%s</td></tr>\n",
	     name, grouped(a, all), 100 * ratio_of((double)hits, (double)all),
	     100 * ratio_of((double)joins, (double)all),
	     100 * ratio_of((double)(all - hits - joins), (double)all),
	     grouped(b, evictions));
}

static void l1_row(FILE *to, const char *name, const struct cgm_stat_l1 *s)
{
	system_cache_row(to, name, s->hits, s->joins, s->accesses - s->passed,
			 s->evictions);
}

static void port_row(FILE *to, const struct system_run *r, const char *name,
		     uint64_t count, uint64_t ticks, uint64_t most)
{
	double ns = 1e6 / r->khz;
	char a[GROUPED_TEXT];

	if (count)
		html(to,
		     "<tr><th scope=\"row\">%s</th><td class=\"n\">%s</td>"
		     "<td class=\"n\">%.1f ns</td><td class=\"n\">%.0f ns</td>"
		     "</tr>\n",
		     name, grouped(a, count),
		     ratio_of((double)ticks, (double)count) * ns,
		     (double)most * ns);
}

static void port_rows(FILE *to, const struct system_run *r, const char *who,
		      const struct cgm_stat_port *p)
{
	char name[40];

	snprintf(name, sizeof(name), "%s, reads", who);
	port_row(to, r, name, p->reads, p->read_ticks, p->read_max);
	snprintf(name, sizeof(name), "%s, stores", who);
	port_row(to, r, name, p->writes, p->write_ticks, p->write_max);
	snprintf(name, sizeof(name), "%s, atomics", who);
	port_row(to, r, name, p->atomics, p->atomic_ticks, p->atomic_max);
	snprintf(name, sizeof(name), "%s, flushes", who);
	port_row(to, r, name, p->flushes, p->flush_ticks, p->flush_max);
}

static void memory_rows(FILE *to, const struct system_run *r)
{
	const struct cgm_stat_memory *m = &r->cgm.memory;
	double all = (double)(m->row_hits + m->row_misses + m->row_conflicts);
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	html(to,
	     "<p>DRAM: %s blocks read, %s written; %.0f%% of the requests "
	     "found their row open, for %.0f%% another one was closed; "
	     "%.0f ns each, the longest %.0f ns.</p>\n",
	     grouped(a, m->reads), grouped(b, m->writes),
	     100 * ratio_of((double)m->row_hits, all),
	     100 * ratio_of((double)m->row_conflicts, all),
	     ratio_of((double)m->wait, (double)(m->reads + m->writes)) * 1e6 /
		     r->khz,
	     (double)m->wait_peak * 1e6 / r->khz);
}

void system_part_caches(FILE *to, const struct system_run *r)
{
	const struct cgm_stats *m = &r->cgm;

	html_section(to, "Caches and memory", NULL);
	html(to, "<div class=\"cols wide\"><div class=\"scroll\"><table><thead>"
		 "<tr><th scope=\"col\">cache</th>"
		 "<th scope=\"col\" class=\"n\">accesses</th>"
		 "<th scope=\"col\" class=\"n\">hit</th>"
		 "<th scope=\"col\" class=\"n\">in flight</th>"
		 "<th scope=\"col\" class=\"n\">missed</th>"
		 "<th scope=\"col\" class=\"n\">evictions</th></tr></thead>"
		 "<tbody>\n");
	l1_row(to, "L1I", &m->l1i);
	l1_row(to, "L1D, loads", &m->l1d);
	system_cache_row(to, "L2", m->l2.hits, m->l2.joins, m->l2.accesses,
			 m->l2.evictions);
	l1_row(to, "vector L1, loads", &m->vector);
	l1_row(to, "scalar L1, loads", &m->scalar);
	system_cache_row(to, "GPU's L2", m->gpu_l2.hits, m->gpu_l2.joins,
			 m->gpu_l2.accesses, m->gpu_l2.evictions);
	system_cache_row(to, "L3", m->l3.hits, 0, m->l3.requests,
			 m->l3.evictions);
	html(to, "</tbody></table></div>\n<div class=\"scroll\"><table><thead>"
		 "<tr><th scope=\"col\">accesses of</th>"
		 "<th scope=\"col\" class=\"n\">count</th>"
		 "<th scope=\"col\" class=\"n\">each</th>"
		 "<th scope=\"col\" class=\"n\">the longest</th></tr></thead>"
		 "<tbody>\n");
	port_rows(to, r, "CPU", &m->cpu);
	port_rows(to, r, "GPU", &m->gpu);
	html(to, "</tbody></table></div></div>\n");
	memory_rows(to, r);
	html_section_end(to);
}

/*
 * Links and queues
 */

static int links_order(const void *a, const void *b)
{
	const struct system_link *x = a, *y = b;

	if (x->busy != y->busy)
		return x->busy > y->busy ? -1 : 1;
	return x->held > y->held ? -1 : x->held < y->held;
}

static void link_row(FILE *to, const struct system_run *r,
		     const struct system_link *l)
{
	double ticks = r->ns * r->khz * 1e-6, ns = 1e6 / r->khz;
	double busy = ratio_of(l->busy, ticks);
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	html(to,
	     "<tr><th scope=\"row\">%s</th><td class=\"track\"><div>"
	     "<i style=\"width:%.2f%%\"></i></div></td>"
	     "<td class=\"n\">%.1f%%</td><td class=\"n\">%s</td>"
	     "<td class=\"n\">%s</td><td class=\"n\">%.1f ns</td>"
	     "<td class=\"n\">%.1f ns</td><td class=\"n\">%.2f</td>"
	     "<td class=\"n\">%.0f of %.0f</td></tr>\n",
	     l->name, 100 * (busy < 1 ? busy : 1), 100 * busy,
	     grouped_real(a, l->messages), bytes_text(b, l->bytes),
	     ratio_of(l->waited, l->messages) * ns,
	     ratio_of(l->held, l->messages) * ns, ratio_of(l->held, ticks),
	     l->peak, l->room);
}

static void links_head(FILE *to)
{
	html(to, "<div class=\"scroll\"><table><thead><tr>"
		 "<th scope=\"col\">link</th><th scope=\"col\"></th>"
		 "<th scope=\"col\" class=\"n\">busy</th>"
		 "<th scope=\"col\" class=\"n\">messages</th>"
		 "<th scope=\"col\" class=\"n\">bytes</th>"
		 "<th scope=\"col\" class=\"n\">wait for it</th>"
		 "<th scope=\"col\" class=\"n\">wait behind it</th>"
		 "<th scope=\"col\" class=\"n\">in its buffer</th>"
		 "<th scope=\"col\" class=\"n\">most of a lane</th></tr>"
		 "</thead><tbody>\n");
}

static void links_table(FILE *to, const struct system_run *r)
{
	size_t i = 0, used = 0;

	while (used < r->link_count && r->links[used].messages > 0)
		used++;
	links_head(to);
	for (; i < used && i < LINKS_SHOWN; i++)
		link_row(to, r, &r->links[i]);
	html(to, "</tbody></table></div>\n");
	if (i == used)
		return;
	html(to, "<details><summary>%zu more links</summary>\n", used - i);
	links_head(to);
	for (; i < used; i++)
		link_row(to, r, &r->links[i]);
	html(to, "</tbody></table></div></details>\n");
}

static void queue_row(FILE *to, const char *name, double mean, double peak,
		      double room, uint64_t stalls, const char *about)
{
	char a[GROUPED_TEXT];

	html(to, "<tr><th scope=\"row\">%s</th><td class=\"n\">%.2f</td>", name,
	     mean);
	if (peak >= 0)
		html(to, "<td class=\"n\">%.0f</td>", peak);
	else
		html(to, "<td class=\"n\">-</td>");
	html(to,
	     "<td class=\"n\">%.0f</td><td class=\"n\">%s</td>"
	     "<td class=\"why doc\">%s</td></tr>\n",
	     room, grouped(a, stalls), about);
}

static void queues_caches(FILE *to, const struct system_run *r, double ticks)
{
	const struct cgm_stats *m = &r->cgm;
	const struct cfg_cgm *c = &r->cfg.cgm;
	double banks = (double)((c->cus + c->bank_cus - 1) / c->bank_cus);

	queue_row(to, "MSHRs of an L2",
		  ratio_of((double)m->l2.mshr_ticks, ticks * (double)c->cores),
		  (double)m->l2.mshrs_peak, (double)c->l2_mshrs,
		  m->l2.stall_mshr, "cycles in which an access waited for one");
	if (m->gpu_l2.accesses)
		queue_row(to, "MSHRs of a bank of the GPU",
			  ratio_of((double)m->gpu_l2.mshr_ticks, ticks * banks),
			  (double)m->gpu_l2.mshrs_peak, (double)c->gpu_l2_mshrs,
			  m->gpu_l2.stall_mshr, "the same");
	queue_row(to, "waiting requests of an L3 slice",
		  ratio_of((double)m->l3.waiting_ticks,
			   ticks * (double)c->slices),
		  (double)m->l3.waiting_peak, (double)c->l3_pending,
		  m->l3.stalls, "cycles in which the first had to wait");
	queue_row(to, "memory controller",
		  ratio_of((double)m->memory.wait, ticks),
		  (double)m->memory.queue_peak, (double)c->memory_queue,
		  m->memory.stalls, "the same");
}

static void core_queue(FILE *to, const struct system_run *r, const char *name,
		       int64_t room, uint64_t stalls)
{
	char a[GROUPED_TEXT];

	html(to,
	     "<tr><th scope=\"row\">%s</th><td class=\"n\">%" PRId64 "</td>"
	     "<td class=\"n\">%s</td><td class=\"n\">%.1f%%</td></tr>\n",
	     name, room, grouped(a, stalls),
	     100 * ratio_of((double)stalls, (double)r->cpu.busy));
}

static void queues_cores(FILE *to, const struct system_run *r)
{
	const struct cfg_cpu *c = &r->cfg.cpu;
	const struct cpu_stats *st = &r->cpu;

	html(to, "<h3>Queues of cores</h3><table><thead><tr>"
		 "<th scope=\"col\">queue</th>"
		 "<th scope=\"col\" class=\"n\">room</th>"
		 "<th scope=\"col\" class=\"n\">cycles full</th>"
		 "<th scope=\"col\" class=\"n\">of busy ones</th></tr></thead>"
		 "<tbody>\n");
	core_queue(to, r, "ROB", c->rob, st->stall_rob);
	core_queue(to, r, "issue queue", c->iq, st->stall_iq);
	core_queue(to, r, "load/store queue", c->lsq, st->stall_lsq);
	core_queue(to, r, "physical registers",
		   c->int_regs + c->fp_regs + c->vector_regs, st->stall_regs);
	html(to, "</tbody></table>\n");
}

/* The links of the ring over time, a row each. */
static enum err links_map(FILE *to, struct system_run *r, struct diag *d)
{
	struct run_maps maps = { .columns = r->samples };
	struct run_map *m = &maps.sms;
	size_t most = r->samples < 96 ? r->samples : 96;
	size_t step, ring = 0;
	char path[60];

	for (size_t i = 0; i < r->link_count; i++)
		ring += r->links[i].ring;
	if (!r->samples || !ring || ring > RUN_MAP_SIDE)
		return ERR_OK;
	step = (r->samples + most - 1) / most;
	maps.columns = (r->samples + step - 1) / step;
	m->components = m->rows = ring;
	m->count = arena_new(&r->arena, uint64_t, ring * maps.columns);
	maps.ends = arena_new(&r->arena, uint64_t, maps.columns);
	if (!m->count || !maps.ends)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < r->samples; i++)
		maps.ends[i / step] = (uint64_t)r->ends[i];
	for (size_t k = 0; k < ring; k++) {
		const double *v;

		snprintf(path, sizeof(path), "links.%zu.busy_ticks", k);
		v = system_run_series(r, path);
		if (!v)
			return fail(d, ERR_NOMEM, "out of memory");
		for (size_t i = 0; i < r->samples; i++)
			m->count[k * maps.columns + i / step] += (uint64_t)v[i];
	}
	html(to, "<div class=\"cols wide\">\n");
	draw_map(to, &maps, m, "link", "busy ticks", 1);
	html(to, "</div>\n");
	return ERR_OK;
}

enum err system_part_queues(FILE *to, struct system_run *r, struct diag *d)
{
	double ticks = r->ns * r->khz * 1e-6;

	html_section(to, "Links and queues",
		     "The busiest link first. A message waits for the link "
		     "that it wants, then in the buffer behind it until the "
		     "receiver takes it: of switches, its latency included.");
	if (links_map(to, r, d))
		return d->code;
	if (r->link_count)
		qsort(r->links, r->link_count, sizeof(*r->links), links_order);
	links_table(to, r);
	html(to, "<h3>Queues of the memory system</h3>"
		 "<div class=\"scroll\"><table class=\"docs\"><thead><tr>"
		 "<th scope=\"col\">queue</th>"
		 "<th scope=\"col\" class=\"n\">in use, mean</th>"
		 "<th scope=\"col\" class=\"n\">most</th>"
		 "<th scope=\"col\" class=\"n\">room</th>"
		 "<th scope=\"col\" class=\"n\">stalls</th>"
		 "<th scope=\"col\" class=\"doc\"></th></tr></thead><tbody>\n");
	queues_caches(to, r, ticks);
	html(to, "</tbody></table></div>\n");
	if (!r->alone)
		queues_cores(to, r);
	html_section_end(to);
	return ERR_OK;
}

/*
 * Everything
 */

static void statistic_row(FILE *to, const char *name, uint64_t v,
			  const char *unit, const char *doc)
{
	char a[GROUPED_TEXT];

	html(to,
	     "<tr><th scope=\"row\" class=\"m\">%s</th><td class=\"n\">%s</td>"
	     "<td>%s</td><td class=\"why doc\">%s</td></tr>\n",
	     name, grouped(a, v), unit, doc);
}

static void statistics_head(FILE *to, const char *title)
{
	html(to,
	     "<h3>%s</h3><table class=\"docs\"><thead><tr>"
	     "<th scope=\"col\">statistic</th>"
	     "<th scope=\"col\" class=\"n\">value</th>"
	     "<th scope=\"col\">unit</th>"
	     "<th scope=\"col\" class=\"doc\">what it is</th></tr></thead>"
	     "<tbody>\n",
	     title);
}

static void statistics_of_cores(FILE *to, const struct system_run *r)
{
	statistics_head(to, "all cores");
	for (unsigned i = 0; i < cpu_stat_count; i++)
		statistic_row(to, cpu_stat_rows[i].name,
			      cpu_stat_value(&r->cpu, &cpu_stat_rows[i]),
			      cpu_stat_rows[i].unit, cpu_stat_rows[i].doc);
	html(to, "</tbody></table>\n");
}

void system_part_everything(FILE *to, const struct system_run *r)
{
	struct run_device device = { .gpu = r->config, .cfg = r->cfg };
	char name[80];

	html_section(to, "Everything",
		     "Every statistic and every parameter, with its meaning.");
	html(to, "<details><summary>All statistics</summary>\n");
	if (!r->alone)
		statistics_of_cores(to, r);
	for (unsigned i = 0; i < CGM_INSTANCES; i++) {
		const struct cgm_stat_place *p = &cgm_stat_places[i];

		statistics_head(to, p->title);
		for (unsigned k = 0; k < cgm_stat_count; k++) {
			const struct cgm_stat_row *s = &cgm_stat_rows[k];

			if (s->kind != p->kind)
				continue;
			snprintf(name, sizeof(name), "%s.%s", p->name, s->name);
			statistic_row(to, name, cgm_stat_value(&r->cgm, p, s),
				      s->unit, s->doc);
		}
		html(to, "</tbody></table>\n");
	}
	html(to, "</details>\n");
	part_config(to, &device);
	html_section_end(to);
}
