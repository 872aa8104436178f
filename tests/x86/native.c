/*
 * A case on the processor that this runs on, if it is an x86-64 one: registers
 * are loaded, the code runs, registers are stored. Code and data are at the
 * addresses of the cases.
 */
#include "cases.h"

#ifdef __x86_64__

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "test.h"

void native_enter(struct case_state *s);
void native_exit(void);

__asm__(".text\n"
	"native_enter:\n"
	"	push %rbx\n"
	"	push %rbp\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	mov %rdi, native_state(%rip)\n"
	"	mov %rsp, native_stack(%rip)\n"
	"	fxrstor 144(%rdi)\n"
	"	pushq 128(%rdi)\n"
	"	popfq\n"
	"	mov 0(%rdi), %rax\n"
	"	mov 8(%rdi), %rcx\n"
	"	mov 16(%rdi), %rdx\n"
	"	mov 24(%rdi), %rbx\n"
	"	mov 32(%rdi), %rsp\n"
	"	mov 40(%rdi), %rbp\n"
	"	mov 48(%rdi), %rsi\n"
	"	mov 64(%rdi), %r8\n"
	"	mov 72(%rdi), %r9\n"
	"	mov 80(%rdi), %r10\n"
	"	mov 88(%rdi), %r11\n"
	"	mov 96(%rdi), %r12\n"
	"	mov 104(%rdi), %r13\n"
	"	mov 112(%rdi), %r14\n"
	"	mov 120(%rdi), %r15\n"
	"	mov 56(%rdi), %rdi\n"
	"	jmp *native_code(%rip)\n"
	"native_exit:\n"
	"	mov %rdi, native_rdi(%rip)\n"
	"	mov native_state(%rip), %rdi\n"
	"	mov %rax, 0(%rdi)\n"
	"	mov %rcx, 8(%rdi)\n"
	"	mov %rdx, 16(%rdi)\n"
	"	mov %rbx, 24(%rdi)\n"
	"	mov %rsp, 32(%rdi)\n"
	"	mov %rbp, 40(%rdi)\n"
	"	mov %rsi, 48(%rdi)\n"
	"	mov %r8, 64(%rdi)\n"
	"	mov %r9, 72(%rdi)\n"
	"	mov %r10, 80(%rdi)\n"
	"	mov %r11, 88(%rdi)\n"
	"	mov %r12, 96(%rdi)\n"
	"	mov %r13, 104(%rdi)\n"
	"	mov %r14, 112(%rdi)\n"
	"	mov %r15, 120(%rdi)\n"
	"	mov native_stack(%rip), %rsp\n"
	"	pushfq\n"
	"	popq 128(%rdi)\n"
	"	mov native_rdi(%rip), %rax\n"
	"	mov %rax, 56(%rdi)\n"
	"	fxsave 144(%rdi)\n"
	"	cld\n"
	"	fninit\n"
	"	ldmxcsr native_mxcsr(%rip)\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbp\n"
	"	pop %rbx\n"
	"	ret\n"
	".data\n"
	"native_state: .quad 0\n"
	"native_stack: .quad 0\n"
	"native_rdi: .quad 0\n"
	"native_code: .quad 0x30000000\n"
	"native_mxcsr: .long 0x1f80\n"
	".text\n");

static sigjmp_buf native_fault;

static void native_signal(int number)
{
	siglongjmp(native_fault, number);
}

static void native_start(void)
{
	static bool started;
	static char stack[65536];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction act = { .sa_handler = native_signal,
				 .sa_flags = SA_ONSTACK };
	void *data, *code;

	if (started)
		return;
	started = true;
	_Static_assert(offsetof(struct case_state, flags) == 128, "flags");
	_Static_assert(offsetof(struct case_state, fx) == 144, "fx");
	data = mmap((void *)CASE_DATA_AT, 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	code = mmap((void *)CASE_CODE_AT, 4096,
		    PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	OK(data != MAP_FAILED && code != MAP_FAILED);
	sigaltstack(&alternate, NULL);
	sigaction(SIGFPE, &act, NULL);
	sigaction(SIGSEGV, &act, NULL);
	sigaction(SIGILL, &act, NULL);
}

void case_run_native(struct case_state *s, const uint8_t *code, size_t size)
{
	/* jmp *0(%rip), to the address that follows */
	static const uint8_t jump[] = { 0xff, 0x25, 0, 0, 0, 0 };
	void (*const out)(void) = native_exit;
	uint8_t *at = (uint8_t *)CASE_CODE_AT;

	native_start();
	memcpy((void *)CASE_DATA_AT, s->data, sizeof(s->data));
	memcpy(at, code, size);
	memcpy(at + size, jump, sizeof(jump));
	memcpy(at + size + sizeof(jump), &out, sizeof(out));
	if (sigsetjmp(native_fault, 1))
		s->fault = true;
	else
		native_enter(s);
	memcpy(s->data, (void *)CASE_DATA_AT, sizeof(s->data));
}

#endif
