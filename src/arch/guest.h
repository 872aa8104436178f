/*
 * What cores and a system ask of an instruction set whose programs they
 * simulate: decoded instructions with their micro-operations, their function,
 * the threads of a program, its system calls. No names of any instruction set.
 *
 * Function and time are apart: the core says when an instruction executes and
 * in which order; the guest does it, at once, on the program's own memory.
 *
 * Everything here is called by one host thread at a time.
 */
#ifndef HEDDLE_ARCH_GUEST_H
#define HEDDLE_ARCH_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/uop.h"

enum { GUEST_ACCESSES = 4, GUEST_UOPS = 16 };

enum guest_branch {
	GUEST_BRANCH_NONE,
	GUEST_BRANCH_COND,
	GUEST_BRANCH_JUMP,
	GUEST_BRANCH_CALL,
	GUEST_BRANCH_INDIRECT,
	GUEST_BRANCH_INDIRECT_CALL,
	GUEST_BRANCH_RETURN
};

/* What surrounds an instruction. */
enum guest_order {
	GUEST_PLAIN,
	/* Executes when everything before it has been performed, and nothing
	 * after it begins before. */
	GUEST_ALONE,
	GUEST_ATOMIC, /* the same, with one UOP_ATOMIC */
	GUEST_STRING, /* repeated; wrong paths end at it, as at the others */
	GUEST_PAUSE,
	GUEST_CALL /* a system call: executes alone, and stops */
};

/* A marked region of the program begins or ends, when it is executed. */
enum { GUEST_MARK_NONE = 0, GUEST_MARK_END = 0x8000, GUEST_MARK_SET = 0x10000 };

struct guest_inst {
	const struct uop *uop; /* at least one */
	uint8_t uops, length;
	uint8_t branch; /* enum guest_branch */
	uint8_t order;  /* enum guest_order */
	/* GUEST_MARK_SET, GUEST_MARK_END or not, and the region's number. */
	uint32_t mark;
	uint64_t target; /* of a direct branch */
};

enum guest_stop {
	GUEST_GOES_ON,
	GUEST_STOPS_CALL,  /* after a system call instruction */
	GUEST_STOPS_FAULT, /* it did something wrong */
	GUEST_STOPS_TURN   /* another thread's turn; set by a core's owner */
};

/* What an instruction did. */
struct guest_effect {
	uint64_t next;                    /* the address of the next one */
	uint64_t address[GUEST_ACCESSES]; /* of the accesses, in their order */
	/* A repeated instruction: its micro-operations so many times, each time
	 * `step` bytes further. `bytes`: of each access, 0: as they say. */
	uint64_t repeats;
	int32_t step;
	uint32_t bytes;
	bool idle; /* repeated zero times: nothing is accessed */
	enum guest_stop stop;
};

enum guest_state {
	GUEST_RUNS,
	GUEST_WAITS, /* until another thread, a device or the time wakes it */
	GUEST_DEAD
};

/* What kind of system call it was, for the time that it takes. */
enum guest_call_kind {
	GUEST_CALL_SHORT,   /* reads or sets something of the process */
	GUEST_CALL_WAIT,    /* may give the processor up */
	GUEST_CALL_WAKE,    /* may wake others */
	GUEST_CALL_START,   /* makes a thread */
	GUEST_CALL_MEMORY,  /* maps memory */
	GUEST_CALL_FILE,    /* moves `bytes` */
	GUEST_CALL_PRIVATE, /* takes `ns` */
	GUEST_CALL_KINDS
};

struct guest_call {
	uint64_t number;
	enum guest_call_kind kind;
	uint64_t bytes, ns;
	bool yields; /* others may run first */
};

/* `program` and `thread` are the guest's own. */
struct guest_ops {
	/* The instruction at an address, with or without any meaning. NULL:
	 * nothing may be executed there. What is returned stays. */
	const struct guest_inst *(*decode)(void *program, uint64_t at);
	uint64_t (*at)(const void *thread); /* of the next instruction */
	/* Where an instruction of decode's is. */
	uint64_t (*place)(const struct guest_inst *i);
	/* Executes the instruction at guest_ops.at. i == NULL: nothing may be
	 * executed there. cycle: what a counter of cycles shows. */
	void (*execute)(void *thread, const struct guest_inst *i,
			uint64_t cycle, struct guest_effect *e);
	/* A thread's wrong path: has its registers, reads its memory and
	 * changes nothing but itself. `stray` has stray_bytes. */
	size_t stray_bytes;
	void (*stray)(void *stray, const void *thread);
	void (*go)(void *stray, uint64_t at);

	/* Threads: numbers below threads() are used, or used again. */
	unsigned (*threads)(const void *program);
	void *(*thread)(void *program, unsigned n);
	enum guest_state (*state)(const void *thread);

	/* Time is the system's: nanoseconds. */
	void (*set_time)(void *program, uint64_t ns);
	/* When the next thread wakes by itself, or UINT64_MAX. */
	uint64_t (*next_wake)(const void *program);
	void (*wake)(void *program); /* those whose time has come */

	/* Performs the system call, or ends the program for the fault, at which
	 * execute has stopped. */
	void (*call)(void *program, void *thread, struct guest_call *c);
	void (*fault)(void *program, void *thread);
	/* Something has to be done before the thread's next instruction, such
	 * as a signal; and does it, between two instructions. */
	bool (*wanted)(const void *program, const void *thread);
	void (*interrupt)(void *program, void *thread);
	/* The marker that the thread has just executed. */
	void (*mark)(void *program, void *thread);
	bool (*ended)(const void *program);
	/* Nobody will ever wake: ends the program, and says where they wait. */
	void (*deadlock)(void *program);
	/* The bytes of memory themselves; NULL: may not be read (written). */
	void *(*memory)(void *program, uint64_t at, uint64_t bytes, bool write);
};

struct guest {
	const struct guest_ops *ops;
	void *program;
};

#endif
