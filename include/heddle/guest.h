/*
 * For programs that `heddle system` runs: regions, whose instructions and time it
 * reports one by one.
 *
 *	#include <heddle/guest.h>
 *
 *	HEDDLE_REGION_BEGIN(1);
 *	work();
 *	HEDDLE_REGION_END(1);
 *
 * The number is a constant from 0 to 255. A marker is one instruction that does
 * nothing, so that the program runs on hardware as well: a seven-byte NOP whose
 * address, which no processor looks at, says what it is:
 *
 *	0f 1f 80 NN WW 64 68	nopl 0x6864WWNN(%rax)
 *
 * NN is the number; WW is 0 for begin, 1 for end. Other processors than x86-64
 * get no instruction.
 *
 * A region belongs to the thread that begins and ends it. Regions may lie in each
 * other, overlap, and be entered again; a region inside of itself counts once.
 */
#ifndef HEDDLE_GUEST_H
#define HEDDLE_GUEST_H

#define HEDDLE_REGION_MARK 0x68640000
#define HEDDLE_REGION_MARK_END 0x100
#define HEDDLE_REGION_NUMBERS 256

#ifdef __x86_64__
/* A number out of range is an array of negative size. */
#define HEDDLE_REGION_(n, what)                                              \
	__asm__ volatile(                                                    \
		".byte 0x0f, 0x1f, 0x80\n\t.long %c0"                        \
		:                                                            \
		: "i"(HEDDLE_REGION_MARK + (what) + (n)-1 +                  \
		      (int)sizeof(                                           \
			      char[(n) >= 0 && (n) < HEDDLE_REGION_NUMBERS ? \
					   1 :                               \
					   -1]))                             \
		: "memory")
#else
#define HEDDLE_REGION_(n, what) \
	__asm__ volatile("" : : "i"((n) + (what)) : "memory")
#endif

#define HEDDLE_REGION_BEGIN(n) HEDDLE_REGION_(n, 0)
#define HEDDLE_REGION_END(n) HEDDLE_REGION_(n, HEDDLE_REGION_MARK_END)

#endif
