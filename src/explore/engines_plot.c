/*
 * Plots: a script for gnuplot beside the CSV that it reads. Users can change a
 * script and run it again; each draws an SVG and a PNG.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "explore/engines.h"

#define LOG "runs/gnuplot.log"
enum { NOT_FOUND = 127 };

/* A script that is being written. */
struct plot_script {
	const struct engines *e;
	FILE *f;
	char name[64];
};

static enum err script_begin(struct plot_script *s, const struct engines *e,
			     const char *name, int height, struct diag *d)
{
	char file[72];

	s->e = e;
	snprintf(s->name, sizeof(s->name), "%s", name);
	snprintf(file, sizeof(file), "%s.gp", name);
	s->f = engines_create(e, file, d);
	if (!s->f)
		return d->code;
	fprintf(s->f,
		"# gnuplot %s.gp draws %s.svg and %s.png\n"
		"set datafile separator ','\n"
		"set style fill solid 0.85 noborder\n"
		"set grid ytics linetype 1 linecolor '#cccccc'\n"
		"set key outside center top horizontal noenhanced\n"
		"set xtics noenhanced nomirror\n"
		"set ytics nomirror\n"
		"set border 3\n"
		"do for [kind in 'svg png'] {\n"
		"if (kind eq 'svg') { set terminal svg size 1000,%d "
		"background '#ffffff' }\n"
		"else { set terminal pngcairo size 1000,%d }\n"
		"set output '%s.'.kind\n",
		name, name, name, height, height, name);
	return ERR_OK;
}

static enum err script_end(struct plot_script *s, struct diag *d)
{
	fputs("unset output\n}\n", s->f);
	return engines_finish(s->f, s->name, d);
}

/* Groups of bars, one group for each program, one bar for each engine. */
static void script_bars(struct plot_script *s, const char *csv,
			const char *label, int first, int step)
{
	fprintf(s->f,
		"set style data histograms\n"
		"set style histogram clustered gap 2\n"
		"set xtics rotate by -25\n"
		"set yrange [0:1<*]\n"
		"set ylabel '%s'\n"
		"plot ",
		label);
	for (size_t k = 1; k < s->e->engine_count; k++)
		fprintf(s->f, "%s'%s' every ::1 using %d:xtic(1) title '%s'",
			k > 1 ? ", \\\n  " : "", csv,
			first + (int)(k - 1) * step, s->e->engine[k].name);
	fputc('\n', s->f);
}

static enum err script_speed(const struct engines *e, struct diag *d)
{
	struct plot_script s;

	if (script_begin(&s, e, "engines-speed", 500, d))
		return d->code;
	script_bars(&s, "engines-speed.csv", "speed-up over serial", 4, 1);
	return script_end(&s, d);
}

/* Two plots, one above the other. */
static enum err script_two(const struct engines *e, const char *name,
			   const char *csv, const char *upper,
			   const char *lower, int first, struct diag *d)
{
	struct plot_script s;

	if (script_begin(&s, e, name, 800, d))
		return d->code;
	fputs("set multiplot layout 2,1\n", s.f);
	script_bars(&s, csv, upper, first, 3);
	script_bars(&s, csv, lower, first + 1, 3);
	fputs("unset multiplot\n", s.f);
	return script_end(&s, d);
}

static enum err script_mix(const struct engines *e, struct diag *d)
{
	struct plot_script s;

	if (script_begin(&s, e, "engines-mix", 800, d))
		return d->code;
	fprintf(s.f,
		"set multiplot layout 2,1\n"
		"set style data histograms\n"
		"set style histogram rowstacked\n"
		"set boxwidth 0.7\n"
		"set xtics rotate by -25\n"
		"set yrange [0:100]\n"
		"set ylabel 'warp-instructions, %%'\n"
		"plot for [i=2:%d] 'engines-mix.csv' using i:xtic(1) title "
		"columnheader(i)\n"
		"set ylabel 'time of the host, %%'\n"
		"plot for [i=%d:%d] 'engines-mix.csv' using i:xtic(1) title "
		"columnheader(i)\n"
		"unset multiplot\n",
		1 + MIXES, 2 + MIXES, 1 + MIXES + COSTS);
	return script_end(&s, d);
}

/* gnuplot writes a quote inside quotes as two. */
static void script_title(struct plot_script *s, const char *text)
{
	fputs("set title '", s->f);
	for (; *text; text++) {
		if (*text == '\'')
			fputc('\'', s->f);
		fputc(*text, s->f);
	}
	fputs("' noenhanced\n", s->f);
}

/* Of one program: the cycles of each SM as lines, the errors as bars. */
static enum err script_sms(const struct engines *e, size_t program,
			   struct diag *d)
{
	char name[48];
	struct plot_script s;

	snprintf(name, sizeof(name), "engines-sms-%zu", program + 1);
	if (script_begin(&s, e, name, 700, d))
		return d->code;
	fputs("set multiplot layout 2,1\n", s.f);
	script_title(&s, e->program[program].label);
	fprintf(s.f,
		"set xlabel 'SM'\n"
		"set yrange [0:1<*]\n"
		"set ylabel 'cycles until the last block ended'\n"
		"plot '%s.csv' every ::1 using 1:2 with linespoints "
		"dashtype 2 linecolor 'black' title 'serial'",
		name);
	for (size_t k = 1; k < e->engine_count; k++)
		fprintf(s.f,
			", \\\n  '%s.csv' every ::1 using 1:%d with lines "
			"title '%s'",
			name, (int)(2 * k + 1), e->engine[k].name);
	fputs("\nunset title\n"
	      "set style data histograms\n"
	      "set style histogram clustered gap 2\n"
	      "set ylabel 'error, %'\n"
	      "plot ",
	      s.f);
	for (size_t k = 1; k < e->engine_count; k++)
		fprintf(s.f, "%s'%s.csv' every ::1 using %d:xtic(1) title '%s'",
			k > 1 ? ", \\\n  " : "", name, (int)(2 * k + 2),
			e->engine[k].name);
	fputs("\nunset multiplot\n", s.f);
	return script_end(&s, d);
}

/*
 * Drawing
 */

/* gnuplot's messages go to a log: it warns about plots that are all 0. */
static void engines_exec_gnuplot(const char *folder, const char *file)
{
	int log;

	if (chdir(folder))
		_exit(1);
	log = open(LOG, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	dup2(log, STDERR_FILENO);
	execlp("gnuplot", "gnuplot", file, (char *)NULL);
	_exit(errno == ENOENT ? NOT_FOUND : 1);
}

/* ERR_UNKNOWN: gnuplot is not installed. */
static enum err engines_run_gnuplot(const struct engines *e, const char *name,
				    struct diag *d)
{
	char file[72];
	int status;
	pid_t pid;

	snprintf(file, sizeof(file), "%s.gp", name);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		engines_exec_gnuplot(e->folder, file);
	if (pid < 0)
		return fail(d, ERR_IO, "fork: %s", strerror(errno));
	e->host.child(e->host.ctx, pid);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail(d, ERR_IO, "waitpid: %s", strerror(errno));
	e->host.child(e->host.ctx, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
		return fail(d, ERR_UNKNOWN, "gnuplot is not installed");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return fail(d, ERR_IO,
			    "gnuplot cannot draw '%.300s/%s'; " LOG " says why",
			    e->folder, file);
	return ERR_OK;
}

static enum err engines_write_scripts(const struct engines *e, struct diag *d)
{
	if (script_speed(e, d) ||
	    script_two(e, "engines-cycles", "engines-cycles.csv",
		       "error of the cycles, %", "variation over the runs, %",
		       3, d) ||
	    script_two(e, "engines-sms", "engines-sms.csv",
		       "accuracy of the SMs, mean, %",
		       "variation over the runs, %", 2, d))
		return d->code;
	for (size_t i = 0; i < e->program_count; i++)
		if (engines_complete(e, i, 0) && script_sms(e, i, d))
			return d->code;
	return script_mix(e, d);
}

static enum err engines_draw_all(const struct engines *e, struct diag *d)
{
	static const char *const names[] = { "engines-speed", "engines-cycles",
					     "engines-sms", "engines-mix" };
	char name[48];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (engines_run_gnuplot(e, names[i], d))
			return d->code;
	for (size_t i = 0; i < e->program_count; i++) {
		snprintf(name, sizeof(name), "engines-sms-%zu", i + 1);
		if (engines_complete(e, i, 0) &&
		    engines_run_gnuplot(e, name, d))
			return d->code;
	}
	return ERR_OK;
}

/* There is something to draw if a second engine has run a program. */
static bool engines_is_drawable(const struct engines *e)
{
	for (size_t i = 0; e->engine_count > 1 && i < e->program_count; i++)
		if (engines_complete(e, i, 1))
			return true;
	return false;
}

enum err engines_plot(const struct engines *e, bool *drawn, struct diag *d)
{
	enum err err;

	*drawn = true;
	if (!engines_is_drawable(e))
		return ERR_OK;
	if (engines_write_scripts(e, d))
		return d->code;
	err = engines_draw_all(e, d);
	*drawn = err != ERR_UNKNOWN;
	return *drawn ? err : ERR_OK;
}
