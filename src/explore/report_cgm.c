/* Sections of the page of a trace on a memory system. */
#include <inttypes.h>

#include "base/human.h"
#include "explore/html.h"
#include "explore/report_system.h"
#include "explore/view.h"

enum { SLOWEST_SHOWN = 20 };

void system_requests_warning(FILE *to, const struct system_run *r)
{
	double wrong = json_get_number(r->json, "wrong", 0);
	char a[GROUPED_TEXT];

	if (wrong > 0)
		html(to,
		     "<p class=\"warn\">%s value%s not as the trace "
		     "expects.</p>\n",
		     grouped_real(a, wrong), wrong == 1 ? " is" : "s are");
}

static double port_requests(const struct cgm_stat_port *p)
{
	return (double)(p->reads + p->writes + p->atomics + p->flushes);
}

static double port_ticks(const struct cgm_stat_port *p)
{
	return (double)(p->read_ticks + p->write_ticks + p->atomic_ticks +
			p->flush_ticks);
}

void system_request_cards(FILE *to, const struct system_run *r)
{
	const struct cgm_stat_port *cpu = &r->cgm.cpu, *gpu = &r->cgm.gpu;
	double all = port_requests(cpu) + port_requests(gpu);
	char a[GROUPED_TEXT], text[64], about[120];

	snprintf(about, sizeof(about), "%s of cores, %s of the GPU",
		 counted(a, port_requests(cpu)),
		 counted(text, port_requests(gpu)));
	html_card(to, "Requests", counted(a, all), about);
	snprintf(text, sizeof(text), "%.1f ns",
		 ratio_of(port_ticks(cpu) + port_ticks(gpu), all) * 1e6 /
			 r->khz);
	html_card(to, "Latency", text, "from request to answer, mean");
	snprintf(text, sizeof(text), "%.2f", ratio_of(all, r->ns));
	html_card(to, "Requests a ns", text, "all requesters together");
}

static void requester_row(FILE *to, const struct system_run *r,
			  const struct system_requester *q, double all)
{
	const struct cgm_stat_port *p = &q->st;
	char a[GROUPED_TEXT], b[GROUPED_TEXT], c[GROUPED_TEXT], e[GROUPED_TEXT];
	double ns = 1e6 / r->khz;

	html(to,
	     "<tr><th scope=\"row\" class=\"nw\">%s %" PRIu64 ", %s</th>"
	     "<td class=\"n\">%s</td><td class=\"n\">%s</td>"
	     "<td class=\"n\">%s</td><td class=\"n\">%s</td>"
	     "<td class=\"n\">%.1f%%</td>",
	     q->who, q->number, q->port, grouped(a, p->reads),
	     grouped(b, p->writes), grouped(c, p->atomics),
	     grouped(e, p->flushes), 100 * ratio_of(port_requests(p), all));
	html(to,
	     "<td class=\"n\">%.1f</td><td class=\"n\">%.0f</td>"
	     "<td class=\"n\">%.1f</td><td class=\"n\">%.0f</td></tr>\n",
	     ratio_of((double)p->read_ticks, (double)p->reads) * ns,
	     (double)p->read_max * ns,
	     ratio_of((double)p->write_ticks, (double)p->writes) * ns,
	     (double)p->write_max * ns);
}

static void requesters_table(FILE *to, const struct system_run *r)
{
	double all = port_requests(&r->cgm.cpu) + port_requests(&r->cgm.gpu);

	html(to, "<div class=\"scroll\"><table><thead><tr>"
		 "<th scope=\"col\">requester</th>"
		 "<th scope=\"col\" class=\"n\">reads</th>"
		 "<th scope=\"col\" class=\"n\">stores</th>"
		 "<th scope=\"col\" class=\"n\">atomics</th>"
		 "<th scope=\"col\" class=\"n\">flushes, fences</th>"
		 "<th scope=\"col\" class=\"n\">of all</th>"
		 "<th scope=\"col\" class=\"n\">a read, ns</th>"
		 "<th scope=\"col\" class=\"n\">the longest</th>"
		 "<th scope=\"col\" class=\"n\">a store, ns</th>"
		 "<th scope=\"col\" class=\"n\">the longest</th></tr></thead>"
		 "<tbody>\n");
	for (size_t i = 0; i < r->requester_count; i++)
		requester_row(to, r, &r->requesters[i], all);
	html(to, "</tbody></table></div>\n");
}

static void slowest_table(FILE *to, const struct system_run *r)
{
	size_t shown = r->slowest_count < SLOWEST_SHOWN ? r->slowest_count :
							  SLOWEST_SHOWN;

	if (!shown)
		return;
	html(to, "<details><summary>Slowest requests</summary>\n"
		 "<div class=\"scroll\"><table><thead><tr>"
		 "<th scope=\"col\" class=\"n\">line</th>"
		 "<th scope=\"col\">requester</th><th scope=\"col\">what</th>"
		 "<th scope=\"col\">address</th>"
		 "<th scope=\"col\" class=\"n\">bytes</th>"
		 "<th scope=\"col\" class=\"n\">sent at, ns</th>"
		 "<th scope=\"col\" class=\"n\">took, ns</th></tr></thead>"
		 "<tbody>\n");
	for (size_t i = 0; i < shown; i++) {
		const struct system_request *q = &r->slowest[i];

		html(to,
		     "<tr><td class=\"n\">%" PRIu64 "</td>"
		     "<td>%s %" PRIu64 "</td><td>%s</td>"
		     "<td class=\"m\">0x%" PRIx64 "</td>"
		     "<td class=\"n\">%" PRIu64 "</td>"
		     "<td class=\"n\">%.1f</td><td class=\"n\">%.1f</td></tr>\n",
		     q->line, q->who, q->number, q->what, q->address, q->size,
		     q->sent, q->latency);
	}
	html(to, "</tbody></table></div></details>\n");
}

void system_part_requests(FILE *to, const struct system_run *r)
{
	html_section(to, "Requests",
		     "Of each requester that sent any, with the time from "
		     "request to answer; requests.csv has each request.");
	requesters_table(to, r);
	slowest_table(to, r);
	html_section_end(to);
}
