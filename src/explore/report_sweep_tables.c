/* The tables of a sweep's page, and its CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "cfg/param.h"
#include "explore/html.h"
#include "explore/report_parts.h"
#include "explore/report_sweep.h"

/* Pages with more rows are slow on a phone. */
enum {
	POINTS_SHOWN = 2000,
	FAILURES_SHOWN = 200, /* for each reason */
	REASONS_SHOWN = 40,
	CONFIGS_SHOWN = 300
};

const char sweep_script[] =
	"(function(){var t=document.getElementById('points');if(!t)return;"
	"var b=t.tBodies[0],h=t.tHead.rows[0].cells;"
	"function k(r,i){var c=r.cells[i],v=c.getAttribute('data-v');"
	"return v===null?c.textContent:v===''?-Infinity:+v}"
	"function s(i){var h1=h[i],d=h1.getAttribute('aria-sort')==='ascending'"
	"?-1:1,r=[].slice.call(b.rows);"
	"r.sort(function(x,y){var p=k(x,i),q=k(y,i);"
	"return p<q?-d:p>q?d:0});"
	"for(var j=0;j<h.length;j++)h[j].removeAttribute('aria-sort');"
	"h1.setAttribute('aria-sort',d>0?'ascending':'descending');"
	"for(j=0;j<r.length;j++)b.appendChild(r[j])}"
	"for(var i=0;i<h.length;i++)(function(i){var c=h[i];"
	"c.classList.add('sort');c.tabIndex=0;"
	"c.addEventListener('click',function(){s(i)});"
	"c.addEventListener('keydown',function(e){"
	"if(e.key==='Enter'||e.key===' '){e.preventDefault();s(i)}})"
	"})(i)})();";
/* base64 of the SHA-256 of the script; tests/page checks it. */
const char sweep_script_hash[] = "T+sbsfRTyp6v1j37M0avrParr9kUkKIIyrLOA4sv+DM=";

static const char *const state_text[] = {
	[SWEPT_WAITING] = "not run",
	[SWEPT_OK] = "ok",
	[SWEPT_FAILED] = "failed",
};

/* ---- failures ---- */

static bool failure_is_shown(const char *const *reasons, size_t n,
			     const char *reason)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(reasons[i], reason))
			return true;
	return false;
}

/* All points with the reason of this one, which is the first. */
static void failure_group(FILE *to, const struct swept *s, size_t first)
{
	const char *reason = s->points[first].reason;
	size_t n = 0, shown = 0;

	for (size_t i = first; i < s->point_count; i++)
		n += s->points[i].state == SWEPT_FAILED &&
		     !strcmp(s->points[i].reason, reason);
	html(to,
	     "<details><summary>%s<small>%zu point%s</small></summary>"
	     "<div class=\"scroll pin\"><table><thead><tr>"
	     "<th scope=\"col\" class=\"n\">#</th>"
	     "<th scope=\"col\">program</th><th scope=\"col\">axis</th>"
	     "<th scope=\"col\">value</th></tr></thead><tbody>\n",
	     *reason ? reason : "for no known reason", n, n == 1 ? "" : "s");
	for (size_t i = first; i < s->point_count && shown < FAILURES_SHOWN;
	     i++) {
		const struct swept_point *p = &s->points[i];

		if (p->state != SWEPT_FAILED || strcmp(p->reason, reason) != 0)
			continue;
		shown++;
		html(to,
		     "<tr><td class=\"n\">%" PRId64 "</td><td>%s</td>"
		     "<td class=\"m\">%s</td><td>%s</td></tr>\n",
		     p->id, s->programs[p->program].name,
		     p->baseline ? "baseline" : s->axes[p->axis].name,
		     p->label);
	}
	html(to, "</tbody></table></div>\n");
	if (shown < n)
		html(to, "<p class=\"about\">The first %zu of %zu.</p>\n",
		     shown, n);
	html(to, "</details>\n");
}

void sweep_failures(FILE *to, const struct swept *s)
{
	const char *reasons[REASONS_SHOWN];
	size_t groups = 0;
	bool more = false;
	char about[160];

	snprintf(about, sizeof(about),
		 "%zu points failed, %zu have not been run.", s->failed,
		 s->waiting);
	html_section(to, "Failures", about);
	for (size_t i = 0; i < s->point_count && !more; i++) {
		const struct swept_point *p = &s->points[i];

		if (p->state != SWEPT_FAILED ||
		    failure_is_shown(reasons, groups, p->reason))
			continue;
		more = groups == REASONS_SHOWN;
		if (more)
			break;
		reasons[groups++] = p->reason;
		failure_group(to, s, i);
	}
	if (more)
		html(to,
		     "<p class=\"about\">The first %d reasons; the CSV has all "
		     "of them.</p>\n",
		     REASONS_SHOWN);
	html_section_end(to);
}

/* ---- points ---- */

/* A number, with the value that the script sorts by; NaN: an empty cell. */
static void number_cell(FILE *to, double v, const char *text)
{
	if (isnan(v))
		html(to, "<td class=\"n\" data-v=\"\"></td>");
	else
		html(to, "<td class=\"n\" data-v=\"%.9g\">%s</td>", v, text);
}

static void sweep_point_row(FILE *to, const struct swept *s,
			    const struct swept_point *p)
{
	char a[GROUPED_TEXT], b[GROUPED_TEXT], c[32], e[32];

	html(to,
	     "<tr><td class=\"n\" data-v=\"%" PRId64 "\">%" PRId64 "</td>"
	     "<td>%s</td><td class=\"m\">%s</td><td>%s</td>",
	     p->id, p->id, s->programs[p->program].name,
	     p->baseline ? "baseline" : s->axes[p->axis].name, p->label);
	number_cell(to, p->cycles,
		    isnan(p->cycles) ? "" : grouped_real(a, p->cycles));
	number_cell(to, p->seconds,
		    isnan(p->seconds) ? "" : duration(b, p->seconds));
	snprintf(c, sizeof(c), "%.3f", p->speedup);
	number_cell(to, p->speedup, c);
	if (s->costs) {
		snprintf(e, sizeof(e), "%.6g%s", p->cost, p->front ? " *" : "");
		number_cell(to, p->cost, e);
	}
	html(to, "<td>%s</td></tr>\n", state_text[p->state]);
}

void sweep_points(FILE *to, const struct swept *s)
{
	size_t shown = s->point_count < POINTS_SHOWN ? s->point_count :
						       POINTS_SHOWN;
	char about[240];

	snprintf(about, sizeof(about), "%s%s",
		 s->costs ? "A star marks the Pareto front of the program. " :
			    "",
		 "Click a heading to sort.");
	html_section(to, "Points", about);
	if (shown < s->point_count)
		html(to,
		     "<p class=\"warn\">The first %zu of %zu points. The CSV "
		     "has all of them.</p>\n",
		     shown, s->point_count);
	html(to, "<div class=\"scroll pin\"><table id=\"points\"><thead><tr>"
		 "<th scope=\"col\" class=\"n\">#</th>"
		 "<th scope=\"col\">program</th><th scope=\"col\">axis</th>"
		 "<th scope=\"col\">value</th>"
		 "<th scope=\"col\" class=\"n\">cycles</th>"
		 "<th scope=\"col\" class=\"n\">time</th>"
		 "<th scope=\"col\" class=\"n\">speed-up</th>");
	if (s->costs)
		html(to, "<th scope=\"col\" class=\"n\">cost</th>");
	html(to, "<th scope=\"col\">state</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < shown; i++)
		sweep_point_row(to, s, &s->points[i]);
	html(to, "</tbody></table></div>\n");
	html_section_end(to);
}

/* ---- configurations ---- */

static enum err swept_config_read(struct cfg *out, const struct swept_config *c,
				  struct diag *d)
{
	struct cfg_sheet sheet;
	char name[64];
	enum err e;

	snprintf(name, sizeof(name), "configuration %" PRId64, c->id);
	cfg_sheet_init(&sheet);
	e = cfg_read_text(&sheet, name, c->text, strlen(c->text), CFG_ANY, d);
	*out = sheet.cfg;
	cfg_sheet_free(&sheet);
	return e;
}

static void config_difference(FILE *to, const struct cfg *base,
			      const struct cfg *its)
{
	char a[CFG_VALUE_SIZE], b[CFG_VALUE_SIZE];
	bool any = false;

	for (int i = 0; i < CFG_COUNT; i++) {
		cfg_value_print(a, base, (enum cfg_id)i);
		cfg_value_print(b, its, (enum cfg_id)i);
		if (!strcmp(a, b))
			continue;
		html(to, "%s%s = %s", any ? ", " : "", cfg_params[i].key, b);
		any = true;
	}
	html(to, "%s", any ? "" : "the base");
}

/* The configuration that the others are compared with. */
static const struct swept_config *swept_base_config(const struct swept *s)
{
	for (size_t i = 0; i < s->point_count; i++)
		if (s->points[i].baseline)
			return swept_config(s, s->points[i].config);
	return s->config_count ? &s->configs[0] : NULL;
}

/* Another version of Heddle may have other parameters. */
static void configs_unreadable(FILE *to, const struct diag *d,
			       const struct swept_config *c)
{
	html(to,
	     "<p class=\"warn\">This version of Heddle cannot read them: "
	     "%s</p>\n<details><summary>The text of the base</summary>"
	     "<pre class=\"scroll\">%s</pre></details>\n",
	     d->text, c->text);
}

void sweep_configs(FILE *to, const struct swept *s)
{
	const struct swept_config *first = swept_base_config(s);
	struct run_device base;
	struct cfg its;
	struct diag d;
	size_t shown = s->config_count < CONFIGS_SHOWN ? s->config_count :
							 CONFIGS_SHOWN;

	if (!first)
		return;
	html_section(to, "Configurations",
		     "The base in full; the others as differences from it.");
	base.gpu = first->gpu;
	if (swept_config_read(&base.cfg, first, &d)) {
		configs_unreadable(to, &d, first);
		html_section_end(to);
		return;
	}
	part_config(to, &base);
	html(to,
	     "<details><summary>%zu configurations</summary>"
	     "<div class=\"scroll pin\"><table><thead><tr>"
	     "<th scope=\"col\" class=\"n\">number</th>"
	     "<th scope=\"col\">what differs from the base</th></tr>"
	     "</thead><tbody>\n",
	     s->config_count);
	for (size_t i = 0; i < shown; i++) {
		html(to, "<tr><td class=\"n\">%" PRId64 "</td><td class=\"m\">",
		     s->configs[i].id);
		if (swept_config_read(&its, &s->configs[i], &d))
			html(to, "%s", d.text);
		else
			config_difference(to, &base.cfg, &its);
		html(to, "</td></tr>\n");
	}
	html(to, "</tbody></table></div>\n");
	if (shown < s->config_count)
		html(to, "<p class=\"about\">The first %zu of %zu.</p>\n",
		     shown, s->config_count);
	html(to, "</details>\n");
	html_section_end(to);
}

/* ---- CSV ---- */

enum { COLUMNS = 256 };

/* The parameters that points set, in order of first use. */
struct columns {
	const char *param[COLUMNS];
	size_t count;
};

static size_t csv_column(struct columns *c, const char *param)
{
	for (size_t i = 0; i < c->count; i++)
		if (!strcmp(c->param[i], param))
			return i;
	if (c->count == COLUMNS)
		return COLUMNS;
	c->param[c->count] = param;
	return c->count++;
}

static void csv_field(FILE *to, const char *text)
{
	fputc(',', to);
	csv_text(to, text);
}

static void csv_point(FILE *to, const struct swept *s,
		      const struct swept_point *p, struct columns *c)
{
	const char *values[COLUMNS] = { 0 };

	fprintf(to, "%" PRId64 ",%" PRId64, p->ordinal, p->id);
	csv_field(to, s->programs[p->program].name);
	csv_field(to, s->axes[p->axis].name);
	csv_field(to, p->label);
	fprintf(to, ",%d", p->baseline);
	csv_field(to, state_text[p->state]);
	csv_field(to, p->reason);
	csv_real(to, p->cycles);
	csv_real(to, p->seconds);
	csv_real(to, p->host_seconds);
	csv_real(to, p->instructions);
	csv_real(to, p->speedup);
	csv_real(to, p->cost);
	fprintf(to, ",%d,%" PRId64, p->front, p->config);
	for (size_t i = 0; i < p->setting_count; i++)
		values[csv_column(c, p->settings[i].param)] =
			p->settings[i].value;
	for (size_t i = 0; i < c->count; i++)
		csv_field(to, values[i] ? values[i] : "");
	fputc('\n', to);
}

enum err report_sweep_csv(FILE *to, const struct swept *s, struct diag *d)
{
	struct columns c = { 0 };

	for (size_t i = 0; i < s->point_count; i++)
		for (size_t k = 0; k < s->points[i].setting_count; k++)
			if (csv_column(&c, s->points[i].settings[k].param) ==
			    COLUMNS)
				return fail(d, ERR_RANGE,
					    "too many parameters: points "
					    "may set at most %d",
					    COLUMNS);
	fputs("ordinal,point,program,axis,value,baseline,state,reason,cycles,"
	      "gpu_seconds,host_seconds,warp_instructions,speedup,cost,front,"
	      "config",
	      to);
	for (size_t i = 0; i < c.count; i++)
		csv_field(to, c.param[i]);
	fputc('\n', to);
	for (size_t i = 0; i < s->point_count; i++)
		csv_point(to, s, &s->points[i], &c);
	return ERR_OK;
}
