/*
 * Signals: pending, blocked, given to handlers.
 *
 * Models:  handlers with and without siginfo, on the thread's stack or another
 *          one, with the frame that Linux makes; masks; SA_RESTART, SA_NODEFER,
 *          SA_RESETHAND; waits that a signal ends; timers in the program's time.
 * Does not model: queues (a signal that is pending already is not pending
 *          twice), stopping and going on, core dumps.
 *
 * A signal comes between two turns of its thread, or after the basic block in
 * which a timer has run out: the same in every run.
 */
#ifndef HEDDLE_ISA_X86_SIGNAL_H
#define HEDDLE_ISA_X86_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

struct x86_process;
struct x86_thread;

enum {
	X86_SIGILL = 4,
	X86_SIGTRAP = 5,
	X86_SIGFPE = 8,
	X86_SIGKILL = 9,
	X86_SIGSEGV = 11,
	X86_SIGALRM = 14,
	X86_SIGSTOP = 19,
	X86_SIGVTALRM = 26,
	X86_SIGPROF = 27,
	X86_SIGNALS = 65
};

/* Linux' si_code. */
enum {
	X86_SI_USER = 0,
	X86_SI_TKILL = -6,
	X86_SI_KERNEL = 0x80,
	X86_SEGV_MAPERR = 1,
	X86_SEGV_ACCERR = 2,
	X86_FPE_INTDIV = 1,
	X86_FPE_FLTINV = 7,
	X86_ILL_ILLOPN = 2
};

/* What the handler is told. */
struct x86_siginfo {
	int code;
	uint64_t value; /* an address, or a process */
	uint64_t data;  /* that the program gave a timer */
};

struct x86_action {
	uint64_t handler, flags, restorer, mask;
};

/* Of a thread. */
struct x86_signals {
	uint64_t blocked, pending; /* bit 0 is number 1 */
	/* The mask that comes back after rt_sigsuspend. */
	uint64_t saved;
	bool has_saved;
	uint64_t wanted;    /* rt_sigtimedwait waits for these */
	uint64_t wanted_to; /* and tells about them here */
	uint64_t rest_to; /* a sleep that is interrupted writes its rest here */
	uint64_t restart; /* 1 + the system call to be made again; 0: none */
	/* The other stack; no bytes: there is none. */
	uint64_t stack, stack_bytes;
	struct x86_siginfo info[X86_SIGNALS];
};

struct x86_timer {
	uint64_t at, interval; /* at: X86_NEVER, it does not run */
	unsigned number;       /* of its signal; 0: none */
	struct x86_siginfo info;
	/* Of timer_create: */
	bool used, realtime;
	struct x86_thread *thread; /* that gets the signal; NULL: any */
};
/* Those of setitimer, then those of timer_create. */
enum { X86_TIMERS = 3, X86_OWN_TIMERS = 32, X86_TIMERS_ALL = 35 };

static inline uint64_t x86_signal_bit(unsigned number)
{
	return 1ull << (number - 1);
}

/* A signal for a thread; NULL: for one that does not block it. */
void x86_signal_send(struct x86_process *p, struct x86_thread *t,
		     unsigned number, struct x86_siginfo info);
/* A fault of the thread, at its instruction. False: no handler takes it. */
bool x86_signal_fault(struct x86_process *p, struct x86_thread *t,
		      unsigned number, struct x86_siginfo info);
/* To be called before the thread goes on: what is pending and not blocked ends the
 * program or enters a handler. */
void x86_signal_deliver(struct x86_process *p, struct x86_thread *t);
/* A set's signals that are pending, the lowest first; 0: none. Removes it. */
unsigned x86_signal_take(struct x86_process *p, struct x86_thread *t,
			 uint64_t set, struct x86_siginfo *info);
/* Writes the siginfo of Linux; false: it cannot be written. */
bool x86_signal_put_info(struct x86_process *p, uint64_t at, unsigned number,
			 struct x86_siginfo info);
/* Ends the thread's sleep or wait, with -EINTR. False: it does neither. */
bool x86_signal_interrupt(struct x86_process *p, struct x86_thread *t);

/* Builds the frame and enters the handler; false: the stack cannot be written. */
bool x86_signal_enter(struct x86_process *p, struct x86_thread *t,
		      unsigned number, struct x86_siginfo info);
bool x86_signal_on_stack(const struct x86_thread *t);

/* The time of timer n: that of ITIMER_VIRTUAL and ITIMER_PROF counts instructions, or
 * is that of the others where time is simulated; theirs goes on while nobody works. */
uint64_t x86_timer_now(const struct x86_process *p, unsigned n);
/* None runs. */
void x86_timers_init(struct x86_process *p);
/* Sends the signals of timers that have run out. */
void x86_timers_fire(struct x86_process *p);
/* How long none will; from now, in the time of the program. */
uint64_t x86_timers_left(const struct x86_process *p);
/* When the first of them wakes somebody while all threads wait. */
uint64_t x86_timers_wake(const struct x86_process *p);

#endif
