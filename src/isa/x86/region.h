/*
 * The regions that a guest marks (include/heddle/guest.h): how often each was
 * entered, and the instructions and the time while any thread was inside.
 *
 * Time is whatever the caller counts: nanoseconds of the guest here, cycles where
 * cores are simulated. Markers that do not match are no fault of the guest: they
 * are counted, and the first of a region is remembered.
 */
#ifndef HEDDLE_ISA_X86_REGION_H
#define HEDDLE_ISA_X86_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { X86_REGION_NUMBERS = 256 };

/* The address that a NOP has: the number is its lowest byte. */
enum { X86_MARK = 0x68640000, X86_MARK_END = 0x100, X86_MARK_BYTES = 7 };

/* A marker, as it is executed. */
struct x86_mark {
	unsigned thread; /* 0 is the first one */
	unsigned number;
	bool end;
	uint64_t at; /* its address */
	/* Instructions of the thread, those of all threads, and the time, each
	 * without the marker of an end, and with that of a begin. */
	uint64_t own, all, time;
};

/* Told of each marker, in the order in which they are executed. */
struct x86_listener {
	void *context;
	void (*mark)(void *context, const struct x86_mark *m);
};

/* Markers that have no partner: how many, and the first one. */
struct x86_unmatched {
	uint64_t count, at;
	unsigned thread;
};

struct x86_region {
	uint64_t entries;
	unsigned threads; /* that entered */
	/* Of the threads inside; of all threads while any was inside. */
	uint64_t own, all, time;
	struct x86_unmatched ends, begins;
	/* Threads inside now, and since when any is. */
	unsigned inside;
	uint64_t since_all, since_time;
};

/* A living thread that is inside of a region, or was. */
struct x86_visit {
	unsigned thread, number;
	unsigned depth; /* 0: it has left */
	uint64_t at, own;
};

struct x86_regions {
	struct x86_region region[X86_REGION_NUMBERS];
	struct x86_visit *visit;
	size_t visits, room;
};

void x86_regions_free(struct x86_regions *r);
void x86_regions_mark(struct x86_regions *r, const struct x86_mark *m);
/* The thread ends: it leaves all regions, and the markers that it owes are
 * counted. m: thread, own, all and time. */
void x86_regions_leave(struct x86_regions *r, const struct x86_mark *m);

#endif
