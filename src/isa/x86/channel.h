/*
 * Pipes and counters of events inside of the guest, and waiting for files.
 *
 * A thread that has to wait for a channel sleeps, and makes its call again when any
 * channel has changed. All files of the host are always ready.
 * Does not model: epoll; named pipes; masks of signals while waiting.
 * Owner:   the process' files that lead to it; freed with the last one.
 */
#ifndef HEDDLE_ISA_X86_CHANNEL_H
#define HEDDLE_ISA_X86_CHANNEL_H

#include "isa/x86/process_impl.h"

enum { X86_PIPE_BYTES = 65536, X86_PIPE_ATOMIC = 4096 };

struct x86_channel {
	unsigned ends[2]; /* files that read, and that write */
	bool event;       /* a counter; else a pipe */
	bool single;      /* a read takes 1 of the counter */
	uint64_t counter;
	size_t first, count;
	uint8_t bytes[X86_PIPE_BYTES]; /* a ring */
};

/* The file's channel; NULL: it has none, or is not open. */
struct x86_channel *x86_channel_of(const struct x86_process *p,
				   uint64_t number);
/* read and write. */
int64_t x86_channel_read(struct x86_process *p, struct x86_thread *t,
			 const uint64_t *a);
int64_t x86_channel_write(struct x86_process *p, struct x86_thread *t,
			  const uint64_t *a);
/* Another file for the same end; and one fewer. */
void x86_channel_hold(struct x86_file *f);
void x86_channel_drop(struct x86_process *p, struct x86_file *f);

#endif
