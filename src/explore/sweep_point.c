#define _GNU_SOURCE
#include "explore/sweep_point.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/utf8.h"
#include "explore/files.h"

#define LOG_LINE 300

enum err point_paths(struct point_paths *p, const char *folder,
		     const char *name, struct diag *d)
{
	int n = snprintf(p->out, sizeof(p->out), "%s/%s.out", folder, name);

	snprintf(p->log, sizeof(p->log), "%s/%s.log", folder, name);
	return n < (int)sizeof(p->out) ?
		       ERR_OK :
		       fail(d, ERR_IO, "the folder's name is too long");
}

enum err point_config(char path[PATH_MAX], const char *folder, const char *name,
		      const struct sweep_plan *p, size_t config, struct diag *d)
{
	char hash[STORE_KEY_SIZE];
	enum err e = ERR_OK;
	struct cfg c;
	char *text;

	plan_resolve(p, config, &c);
	text = cfg_dump(&c, NULL);
	if (!text)
		return fail(d, ERR_NOMEM, "out of memory");
	store_hash(hash, text, strlen(text));
	snprintf(path, PATH_MAX, "%s/%s.cfg", folder, name ? name : hash);
	if (name || access(path, R_OK))
		e = file_write(path, text, strlen(text), d);
	free(text);
	return e;
}

/* The most useful line of a log: the first with an error, else the last. */
static void point_log_line(char line[LOG_LINE], const char *path)
{
	static const char mark[] = "error: ";
	FILE *f = fopen(path, "re");
	char now[LOG_LINE];

	line[0] = '\0';
	while (f && fgets(now, sizeof(now), f)) {
		const char *error = strstr(now, mark);

		now[strcspn(now, "\r\n")] = '\0';
		if (!now[0])
			continue;
		snprintf(line, LOG_LINE, "%s",
			 error ? error + strlen(mark) : now);
		if (error)
			break;
	}
	utf8_make_plain(line);
	if (f)
		fclose(f);
}

void point_why(char *text, size_t room, const struct point_paths *p,
	       const struct pool_end *end)
{
	char line[LOG_LINE];
	int number = WIFSIGNALED(end->status) ? WTERMSIG(end->status) : 0;

	point_log_line(line, p->log);
	if (end->late)
		snprintf(text, room, "stopped after %.0f s, its time limit",
			 end->seconds);
	else if (number)
		snprintf(text, room, "killed by signal %d (%s)%s%s", number,
			 strsignal(number), line[0] ? ": " : "", line);
	else
		snprintf(text, room, "exit code %d%s%s",
			 WEXITSTATUS(end->status), line[0] ? ": " : "", line);
}

static void point_sign(struct sweep_outcome *o, const char *version)
{
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(o->finished, sizeof(o->finished), "%Y-%m-%dT%H:%M:%SZ", &tm);
	snprintf(o->version, sizeof(o->version), "%s", version);
	if (gethostname(o->host, sizeof(o->host) - 1))
		snprintf(o->host, sizeof(o->host), "unknown");
}

void point_outcome(struct sweep_outcome *o, const struct point_paths *p,
		   const struct pool_end *end, int region, const char *version)
{
	struct diag d;

	*o = (struct sweep_outcome){ .ok = false };
	if (end->late || !WIFEXITED(end->status) || WEXITSTATUS(end->status)) {
		point_why(o->reason, sizeof(o->reason), p, end);
	} else if (outcome_read(o, p->out, region, &d)) {
		*o = (struct sweep_outcome){ .ok = false };
		snprintf(o->reason, sizeof(o->reason), "%.390s", d.text);
	}
	if (!o->ok || o->system.is)
		o->host_seconds = end->seconds;
	point_sign(o, version);
}
