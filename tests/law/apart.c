/* Runs a test in a child process: a crash or a hang of one machine must not
 * hide the others. */
#include "law.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

bool apart(bool (*run)(const void *ctx), const void *ctx, unsigned seconds)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		bool good;

		alarm(seconds);
		good = run(ctx);
		fflush(NULL);
		_exit(good ? 0 : 1);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return false;
	if (WIFSIGNALED(status))
		printf("ended by signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
