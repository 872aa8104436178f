#include "explore/draw_series.h"

#include <math.h>
#include <string.h>

#include "base/human.h"
#include "explore/html.h"

/* Where things are in a picture. */
struct series_frame {
	int width, height, left, right, top, bottom, ticks;
	double first, last; /* cycles */
};

static const struct series_frame frame_small = { 340, 136, 42, 334, 14,
						 112, 1,   0,  0 };
static const struct series_frame frame_wide = { 1000, 250, 52, 990, 22,
						222,  5,   0,  0 };

static double frame_x(const struct series_frame *f, double cycle)
{
	double at = (cycle - f->first) / (f->last - f->first);

	return f->left + (f->right - f->left) * fmin(1, fmax(0, at));
}

static double frame_y(const struct series_frame *f, double v, double top)
{
	return f->bottom - (f->bottom - f->top) * fmin(1, fmax(0, v / top));
}

double axis_round_up(double v)
{
	static const double round[] = { 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 };
	double power;
	int i = 0;

	if (!(v > 0))
		return 1;
	power = pow(10, floor(log10(v)));
	while (i < 9 && v > round[i] * power * (1 + 1e-9))
		i++;
	return round[i] * power;
}

/* What a line and, of areas, all below it come to. */
static double series_value(const struct series_chart *c, size_t line, size_t i)
{
	double sum = 0;

	if (!c->stacked)
		return c->line[line].v[i];
	for (size_t k = 0; k <= line; k++)
		sum += isnan(c->line[k].v[i]) ? 0 : c->line[k].v[i];
	return sum;
}

static double series_most(const struct series_chart *c)
{
	double most = 0;

	for (size_t k = c->stacked ? c->lines - 1 : 0; k < c->lines; k++)
		for (size_t i = 0; i < c->samples; i++)
			most = fmax(most, series_value(c, k, i));
	return most;
}

/* Steps: a sample lasts from the one before to its own end. */
static void series_path(FILE *to, const struct series_chart *c,
			const struct series_frame *f, size_t line, double top)
{
	bool open = false;
	double old = NAN;

	html(to, "<path class=\"%s %s\" d=\"", c->stacked ? "area" : "line",
	     c->line[line].colour);
	for (size_t i = 0; i < c->samples; i++) {
		double v = series_value(c, line, i), y;
		double from = frame_x(f, i ? c->ends[i - 1] : f->first);

		if (isnan(v)) {
			open = false;
			continue;
		}
		y = frame_y(f, v, top);
		if (!open && c->stacked)
			html(to, "M%.1f %dV%.1f", from, f->bottom, y);
		else if (!open)
			html(to, "M%.1f %.1f", from, y);
		else if (fabs(y - old) >= .05)
			html(to, "H%.1fV%.1f", from, y);
		old = y;
		open = true;
	}
	if (open)
		html(to, "H%.1f", frame_x(f, c->ends[c->samples - 1]));
	if (open && c->stacked)
		html(to, "V%dz", f->bottom);
	html(to, "\"/>\n");
}

/* Round times, and the end where there is room for no other. */
static void series_times(FILE *to, const struct series_frame *f, double ns)
{
	double whole = (f->last - f->first) * ns;
	double step = axis_round_up(whole / (f->ticks + 1));
	char a[GROUPED_TEXT];

	if (f->ticks == 1)
		step = whole;
	for (double at = 0; at <= whole * (1 + 1e-9); at += step) {
		double cycle = f->first + at / ns;
		bool last = at + step > whole * (1 + 1e-9);

		html(to,
		     "<text class=\"t2\" x=\"%.1f\" y=\"%d\" font-size=\"11\""
		     " text-anchor=\"%s\">%s</text>\n",
		     frame_x(f, cycle), f->bottom + 16,
		     at <= 0                  ? "start" :
		     last && at > .95 * whole ? "end" :
						"middle",
		     cycle > 0 ? duration(a, cycle * ns * 1e-9) : "0");
	}
}

static void series_axes(FILE *to, const struct series_chart *c,
			const struct series_frame *f, double top)
{
	for (int i = 0; i <= 2; i++) {
		double v = top * i / 2, y = frame_y(f, v, top);

		html(to,
		     "<path class=\"grid\" d=\"M%d %.1fH%d\"/>"
		     "<text class=\"t2\" x=\"%d\" y=\"%.1f\" font-size=\"11\" "
		     "text-anchor=\"end\">%.3g%s</text>\n",
		     f->left, y, f->right, f->left - 5, y + 4, v,
		     strcmp(c->unit, "%") ? "" : "%");
	}
	series_times(to, f, c->ns);
}

/* A band with its name above, where there is room for it. */
static void series_bands(FILE *to, const struct series_chart *c,
			 const struct series_frame *f)
{
	double free = 0;

	for (size_t i = 0; i < c->bands; i++) {
		const struct series_band *b = &c->band[i];
		double x = frame_x(f, b->from), end = frame_x(f, b->to);

		html(to,
		     "<rect class=\"band\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
		     "height=\"%d\"><title>%s</title></rect>\n",
		     x, f->top - 8, fmax(end - x, .6), f->bottom - f->top + 8,
		     b->text);
		if (!c->wide || x < free)
			continue;
		html(to,
		     "<text class=\"t2\" x=\"%.1f\" y=\"%d\" font-size=\"11\">"
		     "%s</text>\n",
		     x + 2, f->top - 11, b->text);
		free = x + 8 + 6.2 * (double)strlen(b->text);
	}
}

/* What the script shows. */
static void series_data(FILE *to, const struct series_chart *c,
			const struct series_frame *f)
{
	html(to, " data-g=\"%d,%d,%d,%d,%d,%.0f,%.9g\" data-u=\"%s\" data-n=\"",
	     f->width, f->left, f->right, f->top, f->bottom, f->first, c->ns,
	     c->unit);
	for (size_t k = 0; k < c->lines; k++)
		html(to, "%s%s", k ? "|" : "", c->line[k].name);
	html(to, "\" data-c=\"");
	for (size_t k = 0; k < c->lines; k++)
		html(to, "%s%s", k ? "|" : "", c->line[k].colour);
	html(to, "\" data-e=\"");
	for (size_t i = 0; i < c->samples; i++)
		html(to, "%s%.0f", i ? "," : "", c->ends[i]);
	html(to, "\" data-v=\"");
	for (size_t k = 0; k < c->lines; k++) {
		if (k)
			html(to, "|");
		for (size_t i = 0; i < c->samples; i++)
			if (isnan(c->line[k].v[i]))
				html(to, "%s", i ? "," : "");
			else
				html(to, "%s%.3g", i ? "," : "",
				     c->line[k].v[i]);
	}
	html(to, "\"");
}

static void series_legend(FILE *to, const struct series_chart *c)
{
	html(to, "<figcaption>%s", c->name);
	if (c->lines > 1) {
		html(to, "<span class=\"legend\">");
		for (size_t k = 0; k < c->lines; k++)
			html(to, " <span><i class=\"key %s\"></i>%s</span>",
			     c->line[k].colour, c->line[k].name);
		html(to, "</span>");
	}
	html(to, "</figcaption>\n");
}

void draw_series(FILE *to, const struct series_chart *c)
{
	struct series_frame f = c->wide ? frame_wide : frame_small;
	double top;

	if (!c->samples || !c->lines || !(c->ends[c->samples - 1] > 0))
		return;
	f.last = c->ends[c->samples - 1];
	top = c->top > 0 ? c->top : axis_round_up(series_most(c));
	html(to, "<figure>");
	series_legend(to, c);
	html(to, "<svg class=\"hv\" viewBox=\"0 0 %d %d\" role=\"img\"",
	     f.width, f.height);
	series_data(to, c, &f);
	html(to, "><title>%s over time</title>\n", c->name);
	series_axes(to, c, &f, top);
	/* The lower areas are painted over the higher ones. */
	for (size_t k = c->lines; k-- > 0;)
		series_path(to, c, &f, k, top);
	series_bands(to, c, &f);
	html(to, "</svg></figure>\n");
}

enum { BAR_HEIGHT = 18, BAR_STEP = 26 };

void draw_bars(FILE *to, const struct series_row *row, size_t rows, double from,
	       double end, double ns)
{
	struct series_frame f = { 1000, 0, 80, 990, 6, 0, 5, from, end };

	f.bottom = f.top + (int)rows * BAR_STEP;
	f.height = f.bottom + 26;
	if (!(end > from))
		return;
	html(to,
	     "<figure><svg viewBox=\"0 0 %d %d\" role=\"img\">"
	     "<title>What was when</title>\n",
	     f.width, f.height);
	for (size_t i = 0; i < rows; i++) {
		int y = f.top + (int)i * BAR_STEP;

		html(to,
		     "<path class=\"grid\" d=\"M%d %dH%d\"/><text class=\"t2\""
		     " x=\"%d\" y=\"%d\" font-size=\"12\" "
		     "text-anchor=\"end\">%s</text>\n",
		     f.left, y + BAR_HEIGHT + 3, f.right, f.left - 8, y + 13,
		     row[i].name);
		for (size_t k = 0; k < row[i].bars; k++) {
			const struct series_band *b = &row[i].bar[k];
			double x = frame_x(&f, b->from);

			html(to,
			     "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" "
			     "width=\"%.1f\" height=\"%d\"><title>%s</title>"
			     "</rect>\n",
			     row[i].colour, x, y,
			     fmax(frame_x(&f, b->to) - x, .8), BAR_HEIGHT,
			     b->text);
		}
	}
	series_times(to, &f, ns);
	html(to, "</svg></figure>\n");
}

const char series_script[] =
	"(function(){var S=[].slice.call(document.querySelectorAll('svg.hv')),"
	"N='http://www.w3.org/2000/svg',T=document.createElement('div');"
	"T.className='tip';T.hidden=true;document.body.appendChild(T);"
	"function P(s){if(s.h)return s.h;"
	"function a(k){return s.getAttribute('data-'+k)}"
	"var g=a('g').split(',').map(Number),h={w:g[0],l:g[1],r:g[2],t:g[3],"
	"b:g[4],f:g[5],ns:g[6],u:a('u'),n:a('n').split('|'),"
	"c:a('c').split('|'),e:a('e').split(',').map(Number),"
	"v:a('v').split('|').map(function(x){return x.split(',')})};"
	"h.z=h.e[h.e.length-1];h.p=document.createElementNS(N,'path');"
	"h.p.setAttribute('class','cur');s.appendChild(h.p);return s.h=h}"
	"function I(h,c){var i=0,j=h.e.length-1;"
	"while(i<j){var m=(i+j)>>1;if(h.e[m]<c)i=m+1;else j=m}return i}"
	"function D(x){return x<1e3?x.toPrecision(3)+' ns':x<1e6?"
	"(x/1e3).toPrecision(4)+' us':x<1e9?(x/1e6).toPrecision(4)+' ms':"
	"(x/1e9).toPrecision(4)+' s'}"
	"function C(s,c){var h=P(s),x=h.l+(h.r-h.l)*(c-h.f)/(h.z-h.f);"
	"h.p.setAttribute('d','M'+x.toFixed(1)+' '+h.t+'V'+h.b)}"
	"function H(){T.hidden=true;S.forEach(function(s){"
	"if(s.h)s.h.p.setAttribute('d','')})}"
	"function W(s,e){var h=P(s),r=s.getBoundingClientRect(),"
	"c=h.f+((e.clientX-r.left)/r.width*h.w-h.l)/(h.r-h.l)*(h.z-h.f);"
	"if(!(c>=h.f&&c<=h.z))return H();"
	"S.forEach(function(o){C(o,c)});var i=I(h,c);T.textContent='';"
	"var d=document.createElement('b');"
	"d.textContent=D((i?h.e[i-1]:h.f)*h.ns)+' to '+D(h.e[i]*h.ns);"
	"T.appendChild(d);h.n.forEach(function(n,k){var v=h.v[k][i];"
	"if(v===''||v===undefined||(+v===0&&h.n.length>4))return;"
	"var q=document.createElement('div'),y=document.createElement('i');"
	"y.className='key '+h.c[k];q.appendChild(y);"
	"q.appendChild(document.createTextNode(n+' '+(+v).toPrecision(3)*1"
	"+h.u));T.appendChild(q)});T.hidden=false;"
	"var w=T.offsetWidth,x=e.clientX+14;if(x+w>innerWidth-4)"
	"x=e.clientX-w-14;T.style.left=Math.max(2,x)+'px';"
	"T.style.top=Math.max(2,Math.min(e.clientY+12,"
	"innerHeight-T.offsetHeight-4))+'px'}"
	"S.forEach(function(s){s.addEventListener('pointermove',function(e){"
	"W(s,e)});s.addEventListener('pointerdown',function(e){W(s,e)});"
	"s.addEventListener('pointerleave',H)})})();";
/* base64 of the SHA-256 of the script; tests/page checks it. */
const char series_script_hash[] =
	"qqbnP7a5PwNZ9rIG3pJsRtmqscwLVe9gBXMJOQT21Rs=";
