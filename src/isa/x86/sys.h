/* System calls: what their files share. Rows are in syscall.def. */
#ifndef HEDDLE_ISA_X86_SYS_H
#define HEDDLE_ISA_X86_SYS_H

#include "isa/x86/process_impl.h"

/* The result, or an error of Linux, negative. */
typedef int64_t x86_sys(struct x86_process *p, struct x86_thread *t,
			const uint64_t *a);

/* The result is not written now: the thread goes on later, or never, or with
 * other registers. */
#define X86_SYS_LATER INT64_MIN

#define X86_SYS(number, name, kind, text) x86_sys x86_sys_##name;
#define X86_SYS_IS(number, name, kind, result, text)
#define X86_SYS_NONE(number, name, kind, text)
#define X86_SYS_REFUSED(number, name, kind, error, text)
#include "isa/x86/syscall.def"

#define X86_SYSCALL(name)                                                     \
	int64_t x86_sys_##name(__attribute__((unused)) struct x86_process *p, \
			       __attribute__((unused)) struct x86_thread *t,  \
			       __attribute__((unused)) const uint64_t *a)

/*
 * Resolves a guest's path below the root, relative to the folder `from` of the
 * guest: no "..", no links but perhaps the last one. `out` has X86_PATH bytes
 * and becomes relative to the root, "." for itself. An error of Linux: negative.
 */
int x86_path(const struct x86_process *p, const char *from, const char *path,
	     bool follow, char *out);
/* Opens a file without a name in a folder (O_TMPFILE). */
int64_t x86_nameless_open(struct x86_process *p, const char *folder,
			  uint64_t flags, uint64_t mode);
enum { X86_CWD = -100 }; /* AT_FDCWD */
/* The same of a path in the guest's memory; folder: a number, or X86_CWD. */
int x86_guest_path(struct x86_process *p, int64_t folder, uint64_t at,
		   bool follow, char *out);
/* A number for a path, the same in every run, as x86_path gives it. */
uint64_t x86_path_number(const char *path);
/* A new number of the guest for a file of the host, which is the guest's from now
 * on. */
int64_t x86_add_file(struct x86_process *p, int host, const char *path);
void x86_entries_free(struct x86_entries *l);
/* The lowest free number of a file from `least` on; -EMFILE. */
int x86_free_file(const struct x86_process *p, uint64_t least);
/* The host's file of a guest's number; negative: EBADF. */
int x86_host_file(const struct x86_process *p, uint64_t number);
/* The user is told that the call was refused with -code, which is called
 * `error`. Returns that. */
int64_t x86_refuse(struct x86_process *p, const struct x86_thread *t, int code,
		   const char *error);
/* A lock's word: its owner, whether anybody waits, whether the owner has ended. */
enum { X86_FUTEX_OWNER = 0x3fffffff, X86_FUTEX_OWNER_DIED = 0x40000000 };
#define X86_FUTEX_WAITERS 0x80000000u
/* The oldest thread that waits for the lock with priorities goes on and owns it:
 * the word; 0: nobody waits. */
uint32_t x86_futex_next(struct x86_process *p, uint64_t at);
/* A random number of the guest. */
uint64_t x86_random(struct x86_process *p);
/* Reads a timespec in nanoseconds; false: it cannot be read or is none. */
bool x86_get_time(const struct x86_process *p, uint64_t at, uint64_t *ns);
/* Writes a time in seconds and in `unit` nanoseconds; or -EFAULT. */
int64_t x86_put_time(struct x86_process *p, uint64_t at, uint64_t ns,
		     unsigned unit);
/* The time that CLOCK_REALTIME shows when the guest starts. */
#define X86_EPOCH_NS 1577836800000000000ull

#endif
