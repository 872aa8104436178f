#include "test.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char current[256]; /* the running test's name, for the crash handler */
static jmp_buf failed;
static int child_status;

struct test_value test_signed(int64_t i)
{
	return (struct test_value){ .kind = TEST_SIGNED, .i = i };
}

struct test_value test_unsigned(uint64_t u)
{
	return (struct test_value){ .kind = TEST_UNSIGNED, .u = u };
}

struct test_value test_float(double f)
{
	return (struct test_value){ .kind = TEST_FLOAT, .f = f };
}

struct test_value test_pointer(const void *p)
{
	return (struct test_value){ .kind = TEST_POINTER, .p = p };
}

static double as_double(struct test_value v)
{
	switch (v.kind) {
	case TEST_SIGNED:
		return (double)v.i;
	case TEST_FLOAT:
		return v.f;
	default:
		return (double)v.u;
	}
}

static bool equal(struct test_value a, struct test_value b)
{
	if (a.kind == TEST_FLOAT || b.kind == TEST_FLOAT) {
		double x = as_double(a), y = as_double(b);

		return x == y || (x != x && y != y);
	}
	if (a.kind != b.kind && ((a.kind == TEST_SIGNED && a.i < 0) ||
				 (b.kind == TEST_SIGNED && b.i < 0)))
		return false;
	return a.u == b.u;
}

static void print_value(const char *label, struct test_value v)
{
	printf("    %s ", label);
	switch (v.kind) {
	case TEST_SIGNED:
		printf("%" PRId64, v.i);
		break;
	case TEST_UNSIGNED:
		printf("%" PRIu64 " (0x%" PRIx64 ")", v.u, v.u);
		break;
	case TEST_FLOAT:
		printf("%.17g (%a)", v.f, v.f);
		break;
	case TEST_POINTER:
		printf("%p", v.p);
		break;
	}
	printf("\n");
}

static void place(const char *file, int line, const char *what)
{
	printf("FAILED %s\n  %s:%d: %s\n", current, file, line, what);
}

void test_eq(const char *file, int line, const char *what,
	     struct test_value want, struct test_value got)
{
	if (equal(want, got))
		return;
	place(file, line, what);
	print_value("want", want);
	print_value("got ", got);
	longjmp(failed, 1);
}

void test_ok(const char *file, int line, const char *what, int cond)
{
	if (cond)
		return;
	place(file, line, what);
	printf("    does not hold\n");
	longjmp(failed, 1);
}

void test_streq(const char *file, int line, const char *what, const char *want,
		const char *got)
{
	if (want == got || (want && got && strcmp(want, got) == 0))
		return;
	place(file, line, what);
	printf("    want %s%s%s\n", want ? "\"" : "", want ? want : "NULL",
	       want ? "\"" : "");
	printf("    got  %s%s%s\n", got ? "\"" : "", got ? got : "NULL",
	       got ? "\"" : "");
	longjmp(failed, 1);
}

int test_child(void)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		const struct rlimit no_core = { 0, 0 };

		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr))
			_exit(2);
		return 0;
	}
	if (pid < 0 || waitpid(pid, &child_status, 0) != pid)
		child_status = 0;
	return 1;
}

void test_died(const char *file, int line, const char *what)
{
	if (WIFSIGNALED(child_status) && WTERMSIG(child_status) == SIGABRT)
		return;
	place(file, line, what);
	printf("    was expected to stop the process\n");
	longjmp(failed, 1);
}

void test_survived(void)
{
	_exit(0);
}

static void say(const char *text)
{
	ssize_t n = write(STDOUT_FILENO, text, strlen(text));

	(void)n;
}

static void on_crash(int sig)
{
	say("CRASHED ");
	say(current);
	say("\n");
	signal(sig, SIG_DFL);
	raise(sig);
}

/* A sanitizer that has a handler tells a better story. */
static void catch_crash(int sig)
{
	struct sigaction sa;

	if (sigaction(sig, NULL, &sa) == 0 && sa.sa_handler == SIG_DFL)
		signal(sig, on_crash);
}

static bool selected(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strpbrk(argv[i], "*?[") ? fnmatch(argv[i], name, 0) == 0 :
					      strstr(name, argv[i]) != NULL)
			return true;
	return argc < 2;
}

static void on_alarm(int sig)
{
	(void)sig;
	say("HANGS ");
	say(current);
	say("\n");
	_exit(1);
}

static bool passes(const struct test_case *t)
{
	if (setjmp(failed))
		return false;
	t->run();
	return true;
}

/* limit: the seconds that it may take, 0 for any number. */
static bool passes_within(unsigned limit, const struct test_case *t)
{
	bool passed;

	if (limit)
		signal(SIGALRM, on_alarm);
	alarm(limit);
	passed = passes(t);
	alarm(0);
	return passed;
}

int main(int argc, char **argv)
{
	bool list = argc > 1 && strcmp(argv[1], "--list") == 0;
	bool first = argc > 2 && strcmp(argv[1], "--first") == 0;
	unsigned limit = first ? (unsigned)atoi(argv[2]) : 0;
	int good = 0, bad = 0;

	if (argc > 1 && !list && !first && argv[1][0] == '-') {
		fprintf(stderr,
			"usage: %s [--list|--first SECONDS] [FILTER...]\n"
			"A filter is a part of group.name, or a pattern such "
			"as 'arena.*'.\n"
			"--first ends at the first test that fails or takes "
			"longer than that.\n",
			argv[0]);
		return 2;
	}
	argc -= list + 2 * first;
	argv += list + 2 * first;
	setvbuf(stdout, NULL, _IOLBF, 0);
	catch_crash(SIGABRT);
	catch_crash(SIGSEGV);
	catch_crash(SIGBUS);
	for (int i = 0; i < test_count && !(first && bad); i++) {
		const struct test_case *t = &test_list[i];

		snprintf(current, sizeof(current), "%s.%s", t->group, t->name);
		if (!selected(current, argc, argv))
			continue;
		if (list)
			puts(current);
		else if (passes_within(limit, t))
			good++;
		else
			bad++;
	}
	if (list)
		return 0;
	if (good + bad == 0)
		printf("no test has such a name\n");
	printf("%d passed, %d failed\n", good, bad);
	return bad > 0 || good == 0;
}
