/*
 * Shared mappings of files: what the program stores there comes into the file, and
 * what is written to the file comes into the memory.
 *
 * Models:  both when the program could see the difference by a system call: before it
 *          reads or changes the file, after it has changed it, at msync, when the
 *          mapping ends, when the program ends.
 * Does not model: two mappings of the same file that see each other's stores in
 *          between; what others write to the file meanwhile; faults beyond its end,
 *          where bytes are zero and stores are lost.
 * Owner:   the process.
 */
#ifndef HEDDLE_ISA_X86_SHARED_H
#define HEDDLE_ISA_X86_SHARED_H

#include <stdint.h>
#include <sys/types.h>

struct x86_process;

struct x86_shared {
	struct x86_shared *next;
	uint64_t at, bytes, offset; /* multiples of a page */
	int host;                   /* its own */
	dev_t device;
	ino_t inode;
	uint8_t *seen; /* what both had when they were last the same */
};

/* Pages that hold the file's bytes from `offset` on are shared from now on. An error
 * of Linux: negative. */
int64_t x86_shared_add(struct x86_process *p, uint64_t at, uint64_t bytes,
		       int host, uint64_t offset);
/* What was stored comes into the file `host`; negative: into all of them. */
void x86_shared_store(struct x86_process *p, int host);
/* What the file has comes into the memory. */
void x86_shared_load(struct x86_process *p, int host);
/* These pages are no longer shared; stores. */
void x86_shared_end(struct x86_process *p, uint64_t at, uint64_t bytes);
/* Pages of a mapping, `old` bytes, lie somewhere else from now on, as `bytes`; those
 * that come to them are the file's. */
void x86_shared_move(struct x86_process *p, uint64_t from, uint64_t old,
		     uint64_t to, uint64_t bytes);
/* All end; stores. */
void x86_shared_free(struct x86_process *p);

#endif
