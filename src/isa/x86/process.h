/*
 * A Linux program for x86-64: its memory, threads, files and time.
 *
 * Models: static programs, position-independent or not; threads by clone and
 * futex; the system calls of syscall.def. Other calls are refused with an error,
 * and it is known which. There is no vDSO.
 * Everything is deterministic: threads take turns of a fixed number of
 * instructions on one host thread, an instruction lasts a nanosecond of the
 * guest's time, random numbers have a fixed seed.
 * Files: those below one folder of the host, which is the guest's "/". Links and
 * ".." do not lead out of it.
 * Signals: signal.h.
 * Does not model: processes but this one, a network.
 */
#ifndef HEDDLE_ISA_X86_PROCESS_H
#define HEDDLE_ISA_X86_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/guest.h"
#include "base/diag.h"
#include "isa/x86/region.h"

struct x86_process;
struct x86_thread;
struct x86_mem;

/*
 * A system call of Heddle's own, for what Linux does not have. The function gets
 * the call's first two arguments; what it returns is the call's result.
 * X86_SERVICE_SLEEP: the thread sleeps until a call of another thread, or
 * x86_process_changed, and the result is 0.
 */
typedef int64_t x86_service_fn(void *ctx, struct x86_process *p,
			       struct x86_thread *t, uint64_t function,
			       uint64_t words);
#define X86_SERVICE_SLEEP INT64_MIN
struct x86_service {
	x86_service_fn *call; /* NULL: none */
	void *ctx;
	uint64_t number; /* that Linux does not use */
};

struct x86_options {
	/* The program, and what it is called: argv[0] and so on; end in NULL. */
	const void *image;
	size_t size;
	const char *file; /* of the host, that the image is of: /proc/self/exe;
			   * NULL: none */
	const char *const *argv, *const *envp;
	const char *root; /* the guest's "/" */
	int standard[3];  /* the host's files that are its 0, 1 and 2 */
	unsigned cores;   /* that the guest is told; at least 1 */
	uint64_t quantum; /* instructions of a turn; at least 1 */
	uint64_t limit;   /* of instructions; 0: none */
	bool lines;       /* of its source, for x86_process_line */
	struct x86_service service;
	/* Told of the markers of regions; NULL: nobody is. */
	const struct x86_listener *listener;
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

/*
 * For services
 */
struct x86_mem *x86_process_mem(struct x86_process *p);
/* Memory that may be read and written, of whole pages; 0: there is none. */
uint64_t x86_process_map(struct x86_process *p, uint64_t bytes);
void x86_process_unmap(struct x86_process *p, uint64_t at, uint64_t bytes);
uint64_t x86_process_nanoseconds(const struct x86_process *p);
/* The program ends: it asked for what is not supported. */
void x86_process_refuse(struct x86_process *p, const struct x86_thread *t,
			const char *text);
/* The call of this thread takes so long, where time is simulated. */
void x86_process_takes(struct x86_thread *t, uint64_t ns);
/* Threads that sleep in a service go on. */
void x86_process_changed(struct x86_process *p);

/* Runs it to its end. */
void x86_process_run(struct x86_process *p, struct x86_end *end);

/*
 * Or: it is run by a system whose cores simulate time. Quantum and limit are the
 * system's then. *g is valid until the process is freed. ERR_NOMEM.
 */
MUST_USE enum err x86_process_guest(struct x86_process *p, struct guest *g,
				    struct diag *d);
/* How it has ended; false: it has not, and this is what is known. Called once,
 * when it does not run any more. */
bool x86_process_end(struct x86_process *p, struct x86_end *end);

/* A system call that it made and that was refused with an error of Linux. */
struct x86_refused {
	uint64_t number, times;
	const char *name,
		*text; /* what there is instead; NULL: none is known */
	const char *error;
};
/* The n-th of them; false: there are not so many. */
bool x86_process_refused(const struct x86_process *p, unsigned n,
			 struct x86_refused *r);

/* The regions that it has marked; time is in nanoseconds of the guest. They live
 * as long as the process. */
const struct x86_regions *x86_process_regions(const struct x86_process *p);
/* "main+0x12", or the address alone. */
void x86_process_place(const struct x86_process *p, uint64_t at, char *text,
		       size_t size);
/* The function that an address is in, and where that begins; NULL: not known. */
const char *x86_process_function(const struct x86_process *p, uint64_t at,
				 uint64_t *start);
/* The line of the source that an instruction came from, and its file; 0: not known,
 * or x86_options.lines was not set. */
uint32_t x86_process_line(const struct x86_process *p, uint64_t at,
			  const char **file);
/* What lies at an address of data: "counter+0x40", "heap+0x120", "stack". */
void x86_process_data(const struct x86_process *p, uint64_t at, char *text,
		      size_t size);
/* The instruction at an address, as an assembler writes it; "": there is none. */
void x86_process_text(const struct x86_process *p, uint64_t at, char *text,
		      size_t size);

#endif
