/*
 * A Linux program for x86-64: its memory, threads, files and time.
 *
 * Models: static programs, position-independent or not; threads by clone and
 * futex; the system calls of syscall.def. Other calls stop the program and are
 * named. There is no vDSO.
 * Everything is deterministic: threads take turns of a fixed number of
 * instructions on one host thread, an instruction lasts a nanosecond of the
 * guest's time, random numbers have a fixed seed.
 * Files: those below one folder of the host, which is the guest's "/". Links and
 * ".." do not lead out of it.
 * Does not model: processes but this one, signals to handlers, sockets, pipes.
 */
#ifndef HEDDLE_ISA_X86_PROCESS_H
#define HEDDLE_ISA_X86_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/guest.h"
#include "base/diag.h"

struct x86_process;

struct x86_options {
	/* The program, and what it is called: argv[0] and so on; end in NULL. */
	const void *image;
	size_t size;
	const char *const *argv, *const *envp;
	const char *root; /* the guest's "/" */
	int standard[3];  /* the host's files that are its 0, 1 and 2 */
	unsigned cores;   /* that the guest is told; at least 1 */
	uint64_t quantum; /* instructions of a turn; at least 1 */
	uint64_t limit;   /* of instructions; 0: none */
};

enum x86_how {
	X86_EXITED,   /* with `status` */
	X86_SIGNALED, /* raised a signal that ends it: `status` */
	X86_FAULTED,  /* did something wrong: `text` */
	X86_DEADLOCK, /* all threads wait for ever: `text` */
	X86_REFUSED,  /* asked for what is not supported: `text` */
	X86_LIMITED   /* the limit of instructions was reached */
};

struct x86_end {
	enum x86_how how;
	int status; /* of the exit, or the number of the signal */
	uint64_t instructions, nanoseconds;
	unsigned threads; /* how many there ever were */
	char text[1024];  /* a deadlock: a line for each of the first threads */
};

/* Loads the program. ERR_SYNTAX, ERR_UNSUPP: it is not one that runs here. The
 * image may be freed afterwards, the rest of the options not. */
MUST_USE enum err x86_process_new(struct x86_process **p,
				  const struct x86_options *o, struct diag *d);
void x86_process_free(struct x86_process *p);

/* Runs it to its end. */
void x86_process_run(struct x86_process *p, struct x86_end *end);

/*
 * Or: it is run by a system whose cores simulate time. Quantum and limit are the
 * system's then. *g is valid until the process is freed. ERR_NOMEM.
 */
MUST_USE enum err x86_process_guest(struct x86_process *p, struct guest *g,
				    struct diag *d);
/* How it has ended, after `instructions`; or not: false. */
bool x86_process_end(struct x86_process *p, uint64_t instructions,
		     struct x86_end *end);

#endif
