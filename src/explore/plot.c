#include "explore/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/utf8.h"

enum {
	TICKS_SHOWN = 16,
	TICK_TEXT = 18,  /* characters of a label */
	TITLE_TEXT = 28, /* of an entry in the key */
	LABEL_TEXT = 60, /* of an axis */
	NAME_SIZE = 96,
	NAMES = 256, /* maximum of a page */
};

/* ---- the script ---- */

/* The colours --c1 to --c8 of a light page. */
static const char *const colours[PLOT_SERIES] = {
	"#2f6db3", "#c2570c", "#2f7f6d", "#8a4fb0",
	"#b3832a", "#b33a63", "#4b6b20", "#5a6b7b",
};
static const int marks[PLOT_SERIES] = { 7, 5, 9, 13, 11, 6, 4, 8 };

void plot_quote(FILE *to, const char *text, size_t most)
{
	size_t shown = 0;

	fputc('\'', to);
	while (*text && shown++ < most) {
		size_t n = utf8_length(text);
		unsigned char c = (unsigned char)*text;

		/* gnuplot can write a quote inside quotes, but not at the
		 * start of a text: use a character that looks the same. */
		if (c == '\'' || c == '`')
			fputs("\xe2\x80\x99", to);
		else if (!n || c < 0x20 || c == 0x7f)
			fputc(' ', to);
		else
			fwrite(text, 1, n, to);
		text += n ? n : 1;
	}
	if (*text)
		fputs("...", to);
	fputc('\'', to);
}

/* Every which tick has its name. */
static size_t plot_stride(const struct plot *p)
{
	return (p->tick_count + TICKS_SHOWN - 1) / TICKS_SHOWN;
}

/* The names do not fit beside each other. */
static bool plot_rotates(const struct plot *p)
{
	size_t stride = plot_stride(p), letters = 0;

	if (p->kind == PLOT_POINTS)
		return false;
	for (size_t i = 0; i < p->tick_count; i += stride)
		letters += strlen(p->ticks[i]) + 2;
	return letters > 52;
}

/* Height in points of what a key of one row and level names do not have, so that the
 * plot itself keeps its size. */
static unsigned plot_extra(const struct plot *p)
{
	enum { ROW = 15, LETTER = 7, ENTRY = 45, WIDTH = 380, ROTATED = 70 };
	size_t longest = 0, entries = 0, columns;

	for (unsigned i = 0; i < p->series_count; i++)
		if (p->series[i].title) {
			size_t n = strlen(p->series[i].title);

			longest = n > longest ? n : longest;
			entries++;
		}
	columns = WIDTH / (ENTRY + LETTER * longest);
	columns = columns ? columns : 1;
	return (unsigned)(entries ? (entries - 1) / columns : 0) * ROW +
	       (plot_rotates(p) ? ROTATED : 0);
}

static void plot_write_ticks(FILE *to, const struct plot *p)
{
	size_t stride = plot_stride(p);

	if (p->kind == PLOT_POINTS) {
		fputs("set xtics auto norotate\nset xrange [*:*]\n", to);
		return;
	}
	fprintf(to, "set xrange [-0.5:%zu.5]\nset xtics %s (",
		p->tick_count ? p->tick_count - 1 : 0,
		plot_rotates(p) ? "rotate by -35" : "norotate");
	for (size_t i = 0; i < p->tick_count; i += stride) {
		if (i)
			fputs(", ", to);
		plot_quote(to, p->ticks[i], TICK_TEXT);
		fprintf(to, " %zu", i);
	}
	fputs(")\n", to);
}

/* The smallest and largest value that is drawn; false: there is none. */
static bool plot_extent(const struct plot *p, double *low, double *high)
{
	*low = p->from_one ? 1 : INFINITY;
	*high = p->from_one ? 1 : -INFINITY;
	for (size_t k = 0; k < p->series_count; k++) {
		const struct plot_series *s = &p->series[k];
		size_t n = p->kind == PLOT_POINTS ? s->count : p->tick_count;

		for (size_t i = 0; i < n; i++)
			if (isfinite(s->y[i])) {
				*low = fmin(*low, s->y[i]);
				*high = fmax(*high, s->y[i]);
			}
	}
	return *low <= *high;
}

bool plot_cuts_axis(const struct plot *p, double *from, double *to)
{
	double low, high, room, step;

	if (!plot_extent(p, &low, &high) || !(low > 0) ||
	    high - low > PLOT_NEAR * high)
		return false;
	/* Also equal values need an axis. */
	room = fmax(high - low, 0.002 * high);
	step = pow(10, floor(log10(room))) / 2;
	*from = fmax(0, step * floor((low - 0.05 * room) / step));
	*to = step * ceil((high + 0.05 * room) / step);
	return true;
}

/* An axis that does not begin at 0 says so, and has the mark of a break. */
static void plot_write_y_axis(FILE *to, const struct plot *p)
{
	char label[160];
	double low, high;
	bool any = plot_extent(p, &low, &high);
	bool cut = plot_cuts_axis(p, &low, &high);

	if (cut) {
		snprintf(label, sizeof(label), "%.100s, from %.6g", p->y_label,
			 low);
		fprintf(to, "set yrange [%.9g:%.9g]\n", low, high);
	} else {
		snprintf(label, sizeof(label), "%.100s", p->y_label);
		/* gnuplot refuses to find the range of no values. */
		fprintf(to, "set yrange [0:%s]\n", any ? "*" : "1");
	}
	for (int i = 1; i <= 2; i++)
		if (cut)
			fprintf(to,
				"set arrow %d from graph -0.02,%.3f to graph "
				"0.02,%.3f nohead front lw 1.5 "
				"lc rgb '#c2570c'\n",
				i, 0.025 * i, 0.025 * i + 0.03);
		else
			fprintf(to, "unset arrow %d\n", i);
	fputs("set ylabel ", to);
	plot_quote(to, label, LABEL_TEXT);
	fputs(" textcolor rgb '#1b1f24'\n", to);
}

static void plot_write_number(FILE *to, double v)
{
	if (isfinite(v))
		fprintf(to, " %.9g", v);
	else
		fputs(" NaN", to);
}

/* A row of data for each position, a column for each series; PLOT_POINTS has
 * one block for each series. */
static void plot_write_data(FILE *to, const struct plot *p)
{
	if (p->kind != PLOT_POINTS) {
		fputs("$d << END_OF_DATA\n", to);
		for (size_t i = 0; i < p->tick_count; i++) {
			for (size_t k = 0; k < p->series_count; k++)
				plot_write_number(to, p->series[k].y[i]);
			fputc('\n', to);
		}
		fputs("END_OF_DATA\n", to);
		return;
	}
	for (size_t k = 0; k < p->series_count; k++) {
		const struct plot_series *s = &p->series[k];

		fprintf(to, "$d%zu << END_OF_DATA\n", k);
		for (size_t i = 0; i < s->count; i++) {
			plot_write_number(to, s->x[i]);
			plot_write_number(to, s->y[i]);
			fputc('\n', to);
		}
		/* gnuplot refuses an empty block. */
		if (!s->count)
			fputs("NaN NaN\n", to);
		fputs("END_OF_DATA\n", to);
	}
}

static void plot_write_series(FILE *to, const struct plot *p, size_t k)
{
	const struct plot_series *s = &p->series[k];
	/* A faint series is grey and takes no colour of the others. */
	size_t colour = s->faint                    ? PLOT_SERIES - 1 :
			k && p->series[k - 1].faint ? k - 1 :
						      k;

	switch (p->kind) {
	case PLOT_BARS:
		fprintf(to, "$d using %zu with histograms", k + 1);
		break;
	case PLOT_LINES:
		fprintf(to, "$d using 0:%zu with linespoints", k + 1);
		break;
	case PLOT_POINTS:
		fprintf(to, "$d%zu using 1:2 with %s", k,
			s->joined ? "linespoints" : "points");
		break;
	}
	fprintf(to, " lc rgb '%s'%s", colours[colour],
		p->kind == PLOT_BARS ? "" : " lw 1.8");
	if (p->kind != PLOT_BARS)
		fprintf(to, " pt %d ps %s", s->faint ? 7 : marks[colour],
			s->faint ? "0.3" : "0.5");
	if (s->title) {
		fputs(" title ", to);
		plot_quote(to, s->title, TITLE_TEXT);
	} else {
		fputs(" notitle", to);
	}
}

static void plot_write(FILE *to, const struct plot *p)
{
	fputs("plot ", to);
	if (p->from_one)
		fputs("1 with lines lc rgb '#59636e' dt 2 notitle, ", to);
	for (size_t k = 0; k < p->series_count; k++) {
		if (k)
			fputs(", ", to);
		plot_write_series(to, p, k);
	}
	/* It refuses to plot nothing, too. */
	if (!p->series_count && !p->from_one)
		fputs("NaN notitle", to);
	fputc('\n', to);
}

enum err plots_begin(struct plots *p, bool png, struct diag *d)
{
	const char *tmp = getenv("TMPDIR");
	char path[PATH_MAX + 16];

	*p = (struct plots){ .png = png };
	p->names = calloc(NAMES, sizeof(*p->names));
	if (!p->names)
		return fail(d, ERR_NOMEM, "out of memory");
	snprintf(p->folder, sizeof(p->folder), "%.3000s/heddle-plots-XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(p->folder)) {
		p->folder[0] = '\0';
		return fail(d, ERR_IO, "cannot create a folder for plots: %s",
			    strerror(errno));
	}
	snprintf(path, sizeof(path), "%s/script", p->folder);
	p->script = fopen(path, "we");
	if (!p->script)
		return fail(d, ERR_IO, "cannot create '%.300s': %s", path,
			    strerror(errno));
	fputs("set encoding utf8\n"
	      "set style data histograms\n"
	      "set style histogram clustered gap 1\n"
	      "set style fill solid 1 noborder\n"
	      "set boxwidth 0.9\n"
	      "set border 3 lc rgb '#59636e'\n"
	      "set tics nomirror out scale 0.5 textcolor rgb '#1b1f24'\n"
	      "set grid ytics lt 1 lw 1 lc rgb '#dde2e7'\n"
	      "set key outside top left horizontal Left reverse samplen 1.5 "
	      "textcolor rgb '#1b1f24'\n",
	      p->script);
	return ERR_OK;
}

enum err plots_add(struct plots *p, const struct plot *plot, struct diag *d)
{
	FILE *to = p->script;
	char *name = p->names[p->count];
	unsigned extra = plot_extra(plot);

	if (p->count == NAMES)
		return fail(d, ERR_RANGE,
			    "too many plots: at most %d fit on a page", NAMES);
	CHECK(plot->series_count <= PLOT_SERIES);
	snprintf(name, NAME_SIZE, "%s", plot->name);
	fputs("set xlabel ", to);
	plot_quote(to, plot->x_label, LABEL_TEXT);
	fputs(" textcolor rgb '#1b1f24'\n", to);
	plot_write_y_axis(to, plot);
	plot_write_ticks(to, plot);
	plot_write_data(to, plot);
	fprintf(to,
		"set terminal svg size 440,%u dynamic noenhanced "
		"font 'sans,12'\nset output '%zu.svg'\n",
		290 + extra, p->count);
	plot_write(to, plot);
	if (p->png) {
		fprintf(to,
			"set terminal pngcairo size 1100,%u noenhanced "
			"fontscale 2.1 linewidth 2 pointscale 2 "
			"background rgb 'white' font 'sans,12'\n"
			"set output '%zu.png'\n",
			725 + extra * 5 / 2, p->count);
		plot_write(to, plot);
	}
	fputs("set output\n", to);
	p->count++;
	return ERR_OK;
}

/* ---- running it ---- */

/* In the child. */
static void plots_exec_gnuplot(const char *folder)
{
	int in = open("/dev/null", O_RDONLY);
	int log;

	if (in < 0 || chdir(folder))
		_exit(126);
	log = open("log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (log < 0 || dup2(in, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
		_exit(126);
	/* -d: ignore ~/.gnuplot. */
	execlp("gnuplot", "gnuplot", "-d", "script", (char *)NULL);
	_exit(127);
}

/* The last line that gnuplot printed. */
static void plots_last_line(char *out, size_t size, const char *folder)
{
	char path[PATH_MAX + 16], line[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/log", folder);
	f = fopen(path, "re");
	out[0] = '\0';
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[strspn(line, " \t^")])
			snprintf(out, size, "%s", line);
	}
	if (f)
		fclose(f);
}

enum err plots_draw(struct plots *p, struct diag *d)
{
	char said[300];
	int status = 0;
	bool bad = ferror(p->script);
	pid_t child;

	bad |= fclose(p->script) != 0;
	p->script = NULL;
	if (bad)
		return fail(d, ERR_IO, "cannot write the script for gnuplot");
	if (!p->count)
		return ERR_OK;
	child = fork();
	if (!child)
		plots_exec_gnuplot(p->folder);
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			child = -1;
	if (child < 0)
		return fail(d, ERR_IO, "cannot start gnuplot: %s",
			    strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return fail(d, ERR_UNSUPP,
			    "plots need gnuplot, which is not installed "
			    "(package gnuplot-nox)");
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		plots_last_line(said, sizeof(said), p->folder);
		return fail(d, ERR_IO, "gnuplot failed: %s", said);
	}
	return ERR_OK;
}

/* ---- what gnuplot has drawn ---- */

static char *plots_read_file(const char *path, struct diag *d)
{
	FILE *f = fopen(path, "re");
	struct stat st;
	char *text = NULL;

	if (f && !fstat(fileno(f), &st))
		text = malloc((size_t)st.st_size + 1);
	if (!text ||
	    fread(text, 1, (size_t)st.st_size, f) != (size_t)st.st_size) {
		fail(d, ERR_IO, "cannot read the plot '%.300s'", path);
		free(text);
		text = NULL;
	} else {
		text[st.st_size] = '\0';
	}
	if (f)
		fclose(f);
	return text;
}

enum err plots_inline(const struct plots *p, size_t i, FILE *to,
		      const char *alt, struct diag *d)
{
	char path[PATH_MAX + 32];
	enum err e = ERR_OK;
	char *text;

	snprintf(path, sizeof(path), "%s/%zu.svg", p->folder, i);
	text = plots_read_file(path, d);
	if (!text)
		return d->code;
	if (!plot_svg(to, text, i, alt))
		e = fail(d, ERR_SYNTAX,
			 "gnuplot drew an element that is not allowed on a "
			 "page");
	free(text);
	return e;
}

static enum err plots_copy_file(const char *from, const char *to,
				struct diag *d)
{
	FILE *in = fopen(from, "re"), *out = fopen(to, "we");
	char buf[8192];
	bool bad = !in || !out;
	size_t n;

	while (!bad && (n = fread(buf, 1, sizeof(buf), in)))
		bad = fwrite(buf, 1, n, out) != n;
	bad |= in && ferror(in);
	if (in)
		fclose(in);
	if (out && fclose(out))
		bad = true;
	return bad ? fail(d, ERR_IO, "cannot write '%.300s': %s", to,
			  strerror(errno)) :
		     ERR_OK;
}

enum err plots_copy(const struct plots *p, size_t i, const char *folder,
		    struct diag *d)
{
	static const char *const ends[] = { "svg", "png" };
	char from[PATH_MAX + 32], to[PATH_MAX + 128];

	for (int k = 0; k < (p->png ? 2 : 1); k++) {
		snprintf(from, sizeof(from), "%s/%zu.%s", p->folder, i,
			 ends[k]);
		snprintf(to, sizeof(to), "%.3800s/%s.%s", folder, p->names[i],
			 ends[k]);
		if (plots_copy_file(from, to, d))
			return d->code;
	}
	return ERR_OK;
}

void plots_end(struct plots *p)
{
	char path[PATH_MAX + 32];

	if (p->script)
		fclose(p->script);
	for (size_t i = 0; i < p->count && p->folder[0]; i++) {
		snprintf(path, sizeof(path), "%s/%zu.svg", p->folder, i);
		unlink(path);
		snprintf(path, sizeof(path), "%s/%zu.png", p->folder, i);
		unlink(path);
	}
	if (p->folder[0]) {
		snprintf(path, sizeof(path), "%s/script", p->folder);
		unlink(path);
		snprintf(path, sizeof(path), "%s/log", p->folder);
		unlink(path);
		rmdir(p->folder);
	}
	free(p->names);
	*p = (struct plots){ 0 };
}
