/* A program without a library, and with a stack of its own: main's result is its
 * exit status. */
#ifndef HEDDLE_TESTS_X86_STEPS_START_H
#define HEDDLE_TESTS_X86_STEPS_START_H

#include <stddef.h>
#include <stdint.h>

char stack_of_steps[65536] __attribute__((aligned(16)));
int main(void);

__asm__(".globl _start\n"
	"_start:\n"
	"	lea stack_of_steps + 65536(%rip), %rsp\n"
	"	xor %ebp, %ebp\n"
	"	call main\n"
	"	mov %eax, %edi\n"
	"	mov $60, %eax\n"
	"	syscall\n");

static uint64_t seed = 88172645463325252ull;

static uint64_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* gcc calls these for structures and arrays. */
void *memset(void *to, int v, size_t n)
{
	void *start = to;

	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(v) : "memory");
	return start;
}

void *memcpy(void *to, const void *from, size_t n)
{
	void *start = to;

	__asm__ volatile("rep movsb"
			 : "+D"(to), "+S"(from), "+c"(n)
			 :
			 : "memory");
	return start;
}

#endif
