/* The inside of a process, for its own files: process.c, load.c, sys*.c. */
#ifndef HEDDLE_ISA_X86_PROCESS_IMPL_H
#define HEDDLE_ISA_X86_PROCESS_IMPL_H

#include "base/elf.h"
#include "isa/x86/code.h"
#include "isa/x86/lines.h"
#include "isa/x86/mem.h"
#include "isa/x86/process.h"
#include "isa/x86/shared.h"
#include "isa/x86/signal.h"

enum {
	X86_THREADS = 1024,
	X86_FILES = 256,
	X86_PATH = 4096,
	X86_SYS_MOST = 512,    /* numbers of system calls that have a name */
	X86_SYSCALL_BYTES = 2, /* of the instruction */
	X86_PID = 1000         /* of the process and its first thread */
};

/* Where things lie. */
#define X86_PIE_BASE 0x555555000ull
#define X86_STACK_TOP (X86_SPACE - 2 * X86_PAGE)
#define X86_STACK_BYTES (8ull << 20)
#define X86_MMAP_TOP (X86_STACK_TOP - 2 * X86_STACK_BYTES)
#define X86_NEVER UINT64_MAX
/* Where threads wait that sleep in a service: nothing is mapped there. */
#define X86_SERVICE_FUTEX (X86_SPACE - X86_PAGE)
/* The same for pipes. */
#define X86_CHANNEL_FUTEX (X86_SERVICE_FUTEX + 8)
/* Signals that cannot be blocked: KILL and STOP. */
#define X86_NEVER_BLOCKED (1ull << (9 - 1) | 1ull << (19 - 1))

enum x86_state {
	X86_RUNNING,
	X86_SLEEPING, /* until `wake` */
	X86_WAITING,  /* at the futex, or until `wake` */
	X86_PAUSED,   /* until a signal comes, or until `wake` */
	X86_DEAD
};

struct x86_thread {
	struct x86_cpu cpu;
	int tid;
	enum x86_state state;
	uint64_t wake; /* in nanoseconds, or X86_NEVER */
	uint64_t futex;
	uint32_t mask;   /* of a futex' bit set */
	uint64_t queued; /* order among those that wait */
	uint64_t clear_tid;
	uint64_t robust; /* its list of locks; 0: none */
	struct x86_signals sig;
	uint64_t call_ns; /* what its call of the service takes */
	char name[16];    /* that it gave itself */
	unsigned again;   /* 1 + the call it makes again when woken; 0: none */
	uint64_t moved;   /* bytes of a call that is made again */
	uint64_t until;   /* the end of its wait; 0: none */
};

/* What a folder holds. */
struct x86_entries {
	char **name; /* behind the end of each its type, DT_... */
	size_t count, next;
};

/* A file of the guest. */
struct x86_file {
	bool open;
	bool borrowed; /* standard input and output: not ours to close */
	int host;
	char *path;               /* in the guest; NULL: none */
	uint64_t number;          /* as stat tells it, of what has a path */
	struct x86_entries *list; /* a folder's; NULL: not read */
	/* What it reads from and writes to, or waits with, inside of the guest;
	 * all are NULL: a file of the host. */
	struct x86_channel *in, *out;
	struct x86_epoll *epoll;
	bool nonblocking;
	bool random; /* reads as random numbers */
};

struct x86_symbol {
	uint64_t at, size;
	const char *name;
};

/* Where the program's file is in memory, and what that is called. */
struct x86_segment {
	uint64_t at, end, offset;
};
enum { X86_SEGMENTS = 16 }; /* that /proc/self/maps knows */
struct x86_image {
	char path[X86_PATH]; /* in the guest; "": none */
	char *file;          /* of the host */
	struct x86_segment segment[X86_SEGMENTS];
	unsigned segments;
};

/* A system call that was refused. */
struct x86_refusal {
	uint64_t number, times;
	const char *error;
};

struct x86_process {
	struct x86_mem mem;
	struct x86_code code;
	struct arena arena;
	struct x86_thread *thread[X86_THREADS];
	unsigned threads;
	unsigned turn;
	uint64_t quantum, limit;
	unsigned cores;
	/* All instructions, and the time that nobody worked. */
	uint64_t instructions, idle;
	uint64_t queued;
	uint64_t brk_start, brk;
	struct x86_file file[X86_FILES];
	struct x86_shared *shared; /* mappings of files */
	struct x86_image image;
	uint64_t nameless; /* files without a name that it has made */
	int root;          /* the folder */
	char cwd[X86_PATH];
	struct x86_action action[X86_SIGNALS];
	struct x86_service service;
	/* Signals for any thread that does not block them. */
	uint64_t pending;
	struct x86_siginfo info[X86_SIGNALS];
	struct x86_timer timer[X86_TIMERS_ALL];
	uint64_t random;
	struct x86_symbol *symbol, *object; /* functions, data; by address */
	size_t symbols, objects;
	struct x86_lines lines;
	struct x86_regions regions;
	const struct x86_listener *listener;
	struct x86_refusal refused[X86_SYS_MOST + 1]; /* by number; all others */
	bool ended;
	struct x86_end end;
	/* The system's time, if a system runs it. */
	bool timed;
	uint64_t time;
	struct x86_lowered *lowered;
};

static inline uint64_t x86_round_up(uint64_t v)
{
	return (v + X86_PAGE - 1) & ~(uint64_t)(X86_PAGE - 1);
}

/* Maps the program, writes the stack of its first thread and sets its
 * registers. */
MUST_USE enum err x86_load_program(struct x86_process *p,
				   const struct x86_options *o, struct diag *d);
/* The function that an address is in; NULL: not known. */
const struct x86_symbol *x86_symbol_at(const struct x86_process *p,
				       uint64_t at);
/* "main+0x12", or the address alone. */
void x86_name_address(const struct x86_process *p, uint64_t at, char *text,
		      size_t size);
/* The same of data. */
void x86_name_data(const struct x86_process *p, uint64_t at, char *text,
		   size_t size);
/* Opens the program's file for the guest and gives it a path. */
MUST_USE enum err x86_image_open(struct x86_process *p,
				 const struct x86_options *o, struct diag *d);
MUST_USE enum err x86_read_symbols(struct x86_process *p, const struct elf *f,
				   uint64_t base, struct diag *d);

/* Adds a thread; NULL: there are too many, or no memory. */
struct x86_thread *x86_thread_new(struct x86_process *p);
/* The one of a number; NULL: there is none, or it has ended. */
struct x86_thread *x86_find_thread(const struct x86_process *p, uint32_t tid);
/* A thread that waits goes on, with the result of its system call. */
void x86_thread_wake(struct x86_thread *t, int64_t result);
/* The thread ends: whoever joins it is woken. */
void x86_thread_end(struct x86_process *p, struct x86_thread *t);
/* Marks the locks that a thread holds as it ends. */
void x86_robust_end(struct x86_process *p, const struct x86_thread *t);
/* Who has waited longest at a futex; NULL: nobody does. */
struct x86_thread *x86_oldest_waiter(const struct x86_process *p, uint64_t at,
				     uint32_t mask);
/* Wakes up to `most` threads that wait at a futex; returns how many. */
unsigned x86_futex_wake(struct x86_process *p, uint64_t at, unsigned most,
			uint32_t mask);
uint64_t x86_now(const struct x86_process *p);
void x86_end_with(struct x86_process *p, enum x86_how how, int status);
/* Ends it with a text that is followed by the place of the thread. */
void x86_end_at(struct x86_process *p, const struct x86_thread *t,
		enum x86_how how, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* A fault at which the thread has stopped: a handler takes it, or it ends the
 * program. */
void x86_fault(struct x86_process *p, struct x86_thread *t);
/* A marker at which it has stopped. */
void x86_region(struct x86_process *p, const struct x86_thread *t);
void x86_end_deadlock(struct x86_process *p);
/* Threads whose time has come. */
void x86_wake_sleepers(struct x86_process *p);
/* Performs the system call that the thread has stopped at. */
void x86_syscall(struct x86_process *p, struct x86_thread *t);
/* The same for a system: *call says what it was. */
void x86_syscall_timed(struct x86_process *p, struct x86_thread *t,
		       struct guest_call *call);
void x86_lowered_free(struct x86_process *p);

#endif
