/*
 * Pipes, pairs of sockets and counters of events inside of the guest, and waiting for
 * files.
 *
 * A pair of sockets is two pipes: each end reads from one and writes to the other.
 * A thread that has to wait for a channel sleeps, and makes its call again when any
 * channel has changed. All files of the host are always ready.
 * Does not model: named pipes; sockets with an address; masks of signals while waiting.
 * Owner:   the process' files that lead to it; freed with the last one.
 */
#ifndef HEDDLE_ISA_X86_CHANNEL_H
#define HEDDLE_ISA_X86_CHANNEL_H

#include "isa/x86/process_impl.h"
#include "isa/x86/sys.h"

enum { X86_PIPE_BYTES = 65536, X86_PIPE_ATOMIC = 4096 };

struct x86_channel {
	unsigned ends[2]; /* files that read, and that write */
	bool event;       /* a counter; else a pipe */
	bool single;      /* a read takes 1 of the counter */
	bool records;     /* what is written at once is read at once */
	bool shut;        /* nothing more comes, as if nobody wrote */
	/* A timer, whose times are counted when somebody looks. */
	bool timed, realtime;
	uint64_t at, interval; /* at: X86_NEVER, it does not run */
	uint64_t counter;
	uint64_t changes[2]; /* how often it was read, and written */
	size_t first, count;
	uint8_t bytes[X86_PIPE_BYTES]; /* a ring */
};

/* Whether the file is a channel's end, or waits for other files. */
bool x86_is_channel(const struct x86_process *p, uint64_t number);
/* How a call moves bytes; x86_move_plain is that of read and write. */
struct x86_move {
	bool dontwait; /* -EAGAIN instead of waiting */
	bool peek;     /* what is read stays */
	bool silent;   /* no SIGPIPE */
};
extern const struct x86_move x86_move_plain;
int64_t x86_channel_take(struct x86_process *p, struct x86_thread *t,
			 struct x86_file *f, uint8_t *to, uint64_t bytes,
			 struct x86_move how);
int64_t x86_channel_put(struct x86_process *p, struct x86_thread *t,
			struct x86_file *f, const uint8_t *from, uint64_t bytes,
			struct x86_move how);
/* read, write, readv and writev. */
x86_sys x86_channel_read, x86_channel_write, x86_channel_readv,
	x86_channel_writev;
/* The same for a vector of `count` pieces. */
int64_t x86_channel_pieces(struct x86_process *p, struct x86_thread *t,
			   struct x86_file *f, uint64_t at, uint64_t count,
			   struct x86_move how, bool writes);

/* A file for ends of channels; flags: X86_NONBLOCK. -EMFILE. */
enum { X86_NONBLOCK = 04000, X86_CLOEXEC = 02000000 };
int x86_channel_add(struct x86_process *p, struct x86_channel *in,
		    struct x86_channel *out, uint64_t flags);
/* Two new files' numbers go to the guest; where that fails, no file is left. */
int64_t x86_channel_pair(struct x86_process *p, struct x86_thread *t,
			 uint64_t at, const int ends[2]);
/* Another file for the same ends; and one fewer. */
void x86_channel_hold(struct x86_file *f);
void x86_channel_drop(struct x86_process *p, struct x86_file *f);
/* Counts how often a timer has run out. */
void x86_channel_look(const struct x86_process *p, struct x86_channel *c);
/* When the first of all timers runs out. */
uint64_t x86_channels_next(const struct x86_process *p);
/* Whoever waits looks again. */
void x86_channels_changed(struct x86_process *p);
/* The thread sleeps, and makes its call again: when a channel changes, or at
 * `until`. restart: also after a signal whose handler wants that. */
int64_t x86_again(struct x86_process *p, struct x86_thread *t, uint64_t until,
		  bool restart);

/*
 * Waiting
 */

enum {
	X86_POLLIN = 1,
	X86_POLLOUT = 4,
	X86_POLLERR = 8,
	X86_POLLHUP = 16,
	X86_POLLNVAL = 32,
	X86_POLLRDHUP = 0x2000,
	X86_POLL_READS = X86_POLLIN | 0x40,   /* and POLLRDNORM */
	X86_POLL_WRITES = X86_POLLOUT | 0x100 /* and POLLWRNORM */
};

/* What of `wanted` is so, and what is told in every case. */
unsigned x86_events(const struct x86_process *p, uint32_t number,
		    unsigned wanted);
/* Nothing is ready: waits until a timeout from the first call on; 0: it has run
 * out. */
int64_t x86_wait_ready(struct x86_process *p, struct x86_thread *t,
		       uint64_t timeout);
/* A timespec's nanoseconds; X86_NEVER: there is none. -EINVAL. */
int64_t x86_timeout(const struct x86_process *p, uint64_t at, uint64_t *ns);

/* Of sys_epoll.c: whether one of its files is ready; another file of it, and one
 * fewer; the number of a file that is closed leads nowhere any more. */
bool x86_epoll_ready(const struct x86_process *p, const struct x86_epoll *e);
void x86_epoll_hold(struct x86_epoll *e);
void x86_epoll_drop(struct x86_epoll *e);
void x86_epoll_closed(struct x86_process *p, uint32_t number);

#endif
