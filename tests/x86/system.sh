#!/bin/sh
# Does `heddle system` end as the program did, and explain what went wrong?
#
#	system.sh HEDDLE JSONVALUE CASE
set -eu
heddle=$1
json=$2
case=$3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/checks"
enter_new_folder

case $(uname -m) in
x86_64) cc=gcc ;;
*) cc=x86_64-linux-gnu-gcc ;;
esac

# program NAME: compiled from standard input
program()
{
	command -v $cc >/dev/null || { echo "no $cc"; exit 77; }
	cat >"$1.c"
	$cc -O1 -g -static -pthread -I"$here/../../include" -o "$1" "$1.c" \
		-lm 2>err || {
		cat err
		exit 77
	}
}

case $case in
bare)
	# No compiler is needed: the program is in the tree.
	heddle_ends 0 system "$here/bare" 2
	same "$(cat out)" 3f8c8e8491972680 "what it prints"
	has err 'exit status 0'
	has err 'executed  [0-9,]+ instructions, 2 threads'
	for quantum in 1 37 100000; do
		heddle_ends 0 system -q --quantum $quantum --json $quantum \
			-- "$here/bare" 2
		same "$(cat out)" 3f8c8e8491972680 "with quantum $quantum"
		[ ! -s err ] || fail "--quiet says something"
	done
	heddle_ends 0 system -q --quantum 37 --json again -- "$here/bare" 2
	cmp 37 again || fail "another number of instructions"
	"$json" again || fail "no JSON"
	heddle_ends 3 system --max-instructions 1000 -- "$here/bare" 2
	has err 'stopped after 1,000 instructions'
	;;
errors)
	heddle_ends 2 system
	has err 'no program given'
	heddle_ends 1 system -- ./none
	has err 'none'
	heddle_ends 1 system -- "$here/system.sh"
	has err 'system.sh'
	heddle_ends 1 system --root ./none -- "$here/bare"
	has err '\./none'
	head -c 600 "$here/bare" >short
	heddle_ends 1 system -- ./short
	has err 'short: ELF'
	;;
faults)
	program faults <<-'END'
	#include <pthread.h>
	#include <stdint.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <sys/socket.h>
	__attribute__((noinline)) void wrong(int what)
	{
		volatile int zero = 0;
		switch (what) {
		case 0: *(volatile int *)16 = 1; break;
		case 1: zero = (what + 99) / zero; break;
		case 2: __builtin_trap();
		case 3: abort();
		case 4: socket(1, 2, 3); break;
		case 5: __asm__ volatile("vaddps %ymm0, %ymm1, %ymm2"); break;
		case 6: ((void (*)(void))0x123000)(); break;
		case 7: *(volatile char *)wrong = 1; break;
		case 8: zero = *(volatile char *)0xffff800000000000; break;
		case 9: ((void (*)(void))0x6e789e6aa1b965f4)(); break;
		}
	}
	static void *thread(void *what)
	{
		wrong((int)(intptr_t)what);
		return what;
	}
	int main(int argc, char **argv)
	{
		pthread_t t;
		pthread_create(&t, NULL, thread,
			       (void *)(intptr_t)atoi(argv[argc - 1]));
		return pthread_join(t, NULL);
	}
	END
	for line in \
		"0 3 4-byte write to 0x10, where nothing is mapped" \
		"1 3 division by zero" "2 3 invalid instruction" \
		"3 134 killed by signal 6" \
		"4 0 system call socket was refused with EAFNOSUPPORT, 1 time" \
		"5 3 instruction vaddps is not supported" \
		"6 3 nothing may be executed at 0x123000" \
		"7 3 1-byte write to 0x[0-9a-f]*, which may not be written" \
		"8 3 1-byte read at 0xffff800000000000" \
		"9 3 thread 1, at 0x6e789e6aa1b965f4\)"; do
		number=${line%% *} rest=${line#* }
		heddle_ends "${rest%% *}" system -- ./faults "$number"
		has err "${rest#* }"
	done
	heddle_ends 3 system -q -- ./faults 0
	has err 'thread 1, at 0x[0-9a-f]+, wrong\+0x'
	;;
refused)
	# The program gets an error that Linux has, too, and goes on.
	program refused <<-'END'
	#define _GNU_SOURCE
	#include <errno.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <sys/mman.h>
	#include <sys/socket.h>
	#include <unistd.h>
	static void tell(const char *what, long result)
	{
		printf("%s %ld %s\n", what, result,
		       result < 0 ? strerrorname_np(errno) : "");
	}
	int main(void)
	{
		tell("socket", socket(AF_INET, SOCK_STREAM, 0));
		tell("fork", fork());
		tell("fork", fork());
		tell("execl", execl("/bin/true", "true", (char *)NULL));
		tell("number", syscall(4000));
		return 5;
	}
	END
	heddle_ends 5 system -q --json refused.json -- ./refused
	cat >want <<-'END'
	socket -1 EAFNOSUPPORT
	fork -1 ENOSYS
	fork -1 ENOSYS
	execl -1 ENOSYS
	number -1 ENOSYS
	END
	diff want out || fail "other errors"
	has err 'system call socket was refused with EAFNOSUPPORT, 1 time: there is'
	has err 'system call clone was refused with ENOSYS, 2 times: threads only'
	has err 'system call 4000 was refused with ENOSYS, 1 time$'
	same "$("$json" refused.json refused)" 4 "refused calls"
	heddle_ends 5 system -q --config cgm -- ./refused
	has err 'system call execve was refused with ENOSYS, 1 time'
	diff want out || fail "other errors with --config"
	;;
profile)
	# The line that divides has nearly all of the slots; a page and a text say so.
	program profile <<-'END'
	#include <stdio.h>
	__attribute__((noinline)) static unsigned long divide(unsigned long v)
	{
		for (int i = 0; i < 20000; i++)
			v = 0x123456789abcdefUL / (v | 1); /* <b>here</b> */
		return v;
	}
	int main(void)
	{
		printf("%lu\n", divide(3) % 2);
		return 0;
	}
	END
	heddle_ends 0 system --config cgm -o cgm.cores=1 --profile \
		--out run.out -- ./profile
	has err '[5-9][0-9]\.[0-9]%  +[0-9.]+%  execute +divide$'
	has err '[5-9][0-9]\.[0-9]%  +[0-9.]+%  execute +profile\.c:5 divide$'
	has run.out/index.html 'title="[^"]*profile\.c">profile\.c:5<'
	has run.out/index.html 'v = 0x123456789abcdefUL / \(v \| 1\); /\* &lt;b&gt;'
	# Each slot belongs to one line, as it does to one function.
	for list in functions lines; do
		awk -v list="$list" '$1 == "\"" list "\":" { on = 1 }
			on && /^  \]/ { on = 0 }
			on && match($0, /"slots": [0-9]+/) {
				n += substr($0, RSTART + 9, RLENGTH - 9)
			} END { print n }' run.out/program.json >$list.sum
	done
	# Slots that concern no instruction are those of no line.
	[ "$(cat functions.sum)" -ge "$(cat lines.sum)" ] &&
		[ $(($(cat functions.sum) * 9 / 10)) -lt "$(cat lines.sum)" ] ||
		fail "slots of functions and lines: $(cat functions.sum lines.sum)"
	# Without debug information there are no lines, and nothing else changes.
	$cc -O1 -static -o plain profile.c
	heddle_ends 0 system --config cgm -o cgm.cores=1 --profile \
		--out plain.out -- ./plain
	has err 'divide, no line$'
	lacks plain.out/index.html 'Hottest lines'
	# A table that is damaged is none.
	objcopy --dump-section .debug_line=lines profile 2>/dev/null || exit 0
	head -c 40 lines >short
	objcopy --update-section .debug_line=short profile damaged
	heddle_ends 0 system --config cgm -o cgm.cores=1 --profile -- ./damaged
	has err 'divide, no line$'
	heddle_ends 2 system --profile -- ./profile
	has err 'need --config'
	;;
deadlock)
	program deadlock <<-'END'
	#include <pthread.h>
	static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
	static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
	static pthread_barrier_t both;
	static void *other(void *p)
	{
		pthread_mutex_lock(&b);
		pthread_barrier_wait(&both);
		pthread_mutex_lock(&a);
		return p;
	}
	int main(void)
	{
		pthread_t t;
		pthread_barrier_init(&both, NULL, 2);
		pthread_create(&t, NULL, other, NULL);
		pthread_mutex_lock(&a);
		pthread_barrier_wait(&both);
		pthread_mutex_lock(&b);
		return 0;
	}
	END
	heddle_ends 3 system -- ./deadlock
	has err 'deadlock: every thread waits for ever'
	has err '  thread 0 waits at the futex 0x'
	has err '  thread 1 waits at the futex 0x'
	;;
files)
	program files <<-'END'
	#include <fcntl.h>
	#include <stdio.h>
	#include <sys/stat.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		char line[100];
		FILE *f;
		for (int i = 1; i < argc; i++) {
			f = fopen(argv[i], "r");
			printf("%s: %s", argv[i],
			       f && fgets(line, 100, f) ? line : "none\n");
			if (f)
				fclose(f);
		}
		f = fopen("new", "w");
		fprintf(f, "written\n");
		fclose(f);
		while (fgets(line, 100, stdin))
			fputs(line, stdout);
		printf("%s %d %d\n", getcwd(line, 100), isatty(1),
		       access("new", 0));
		return unlink("gone");
	}
	END
	mkdir -p root/sub
	echo secret >secret
	echo plain >root/plain
	echo >root/gone
	ln -s ../plain root/sub/in
	ln -s /plain root/sub/absolute
	ln -s ../../../../secret root/sub/out
	ln -s "$PWD/secret" root/sub/away
	ln -s loop root/loop
	printf 'one\ntwo\n' | "$heddle" system -q --root root -- ./files plain \
		sub/in /sub/absolute sub/../plain sub/out sub/away ../secret \
		../../plain loop >out 2>err || fail "exit code $?"
	cat >want <<-'END'
	plain: plain
	sub/in: plain
	/sub/absolute: plain
	sub/../plain: plain
	sub/out: none
	sub/away: none
	../secret: none
	../../plain: plain
	loop: none
	one
	two
	/ 0 0
	END
	diff want out || fail "other files"
	same "$(cat root/new)" written "the new file"
	[ ! -e root/gone ] || fail "not unlinked"
	;;
signals)
	program signals <<-'END'
	#include <pthread.h>
	#include <signal.h>
	#include <stdio.h>
	#include <string.h>
	#include <sys/time.h>
	#include <unistd.h>
	static void handler(int number) { (void)number; }
	int main(int argc, char **argv)
	{
		struct itimerval tick = { { 0, 1 }, { 0, 1 } };
		const char *what = argc > 1 ? argv[1] : "";
		sigset_t set;
		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		sigprocmask(SIG_BLOCK, &set, NULL);
		signal(SIGUSR2, SIG_IGN);
		raise(SIGUSR2);
		raise(SIGUSR1);
		puts("here");
		fflush(stdout);
		if (!strcmp(what, "unblock"))
			sigprocmask(SIG_UNBLOCK, &set, NULL);
		if (!strcmp(what, "again")) {
			signal(SIGSEGV, handler);
			*(volatile int *)0 = 1;
		}
		if (!strcmp(what, "stack")) {
			signal(SIGUSR2, handler);
			__asm__ volatile("mov $64, %rsp; mov $39, %eax; syscall;"
					 "mov %eax, %edi; mov $12, %esi;"
					 "mov $62, %eax; syscall; ud2");
		}
		if (!strcmp(what, "tick")) {
			signal(SIGALRM, SIG_IGN);
			setitimer(ITIMER_REAL, &tick, NULL);
			pause();
		}
		if (!strcmp(what, "alarm")) {
			alarm(3);
			pause();
		}
		return 0;
	}
	END
	heddle_ends 0 system -q -- ./signals
	same "$(cat out)" here "what it says"
	heddle_ends 138 system -q -- ./signals unblock
	# A handler that returns to what faults goes on for ever.
	heddle_ends 3 system --max-instructions 100000 -- ./signals again
	has err 'stopped after 100,000 instructions'
	heddle_ends 3 system -q -- ./signals stack
	has err 'the stack for the handler of signal 12 cannot be written'
	# A signal that is ignored wakes nobody, however often it comes.
	heddle_ends 3 system -q -- ./signals tick
	has err 'deadlock: every thread waits for ever'
	has err '  thread 0 waits for a signal'
	heddle_ends 142 system --json json -- ./signals alarm
	has json '"nanoseconds": 3000'
	;;
environment)
	program environment <<-'END'
	#define _GNU_SOURCE
	#include <sched.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <sys/random.h>
	#include <time.h>
	extern char **environ;
	int main(int argc, char **argv)
	{
		unsigned r = 0;
		cpu_set_t set;
		struct timespec t;
		for (char **e = environ; *e; e++)
			printf("%s ", *e);
		getrandom(&r, sizeof(r), 0);
		sched_getaffinity(0, sizeof(set), &set);
		clock_gettime(CLOCK_MONOTONIC, &t);
		printf("%u %ld %d cores\n", r, t.tv_nsec, CPU_COUNT(&set));
		return argc;
	}
	END
	heddle_ends 3 system -q --env A=1 --env B=2 --cores 7 -- ./environment x y
	has out '^A=1 B=2 [0-9]+ [0-9]+ 7 cores$'
	mv out first
	heddle_ends 3 system -q --env A=1 --env B=2 --cores 7 -- ./environment x y
	cmp out first || fail "not the same again"
	;;
regions)
	program regions <<-'END'
	#include <heddle/guest.h>
	#include <pthread.h>
	#include <stdlib.h>
	#define NOPS __asm__ volatile("nop; nop; nop; nop; nop")
	static void *work(void *p)
	{
		HEDDLE_REGION_BEGIN(2);
		HEDDLE_REGION_BEGIN(2);
		NOPS;
		HEDDLE_REGION_END(2);
		HEDDLE_REGION_END(2);
		HEDDLE_REGION_BEGIN(254);
		return p;
	}
	int main(int argc, char **argv)
	{
		pthread_t t[2];
		HEDDLE_REGION_BEGIN(0);
		NOPS;
		HEDDLE_REGION_BEGIN(1);
		NOPS;
		HEDDLE_REGION_END(0);
		NOPS;
		HEDDLE_REGION_END(1);
		HEDDLE_REGION_BEGIN(255);
		for (int i = 0; i < 2; i++)
			pthread_create(&t[i], NULL, work, NULL);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
		HEDDLE_REGION_END(255);
		if (argc > 1)
			HEDDLE_REGION_END(9);
		return 0;
	}
	END
	same "$(./regions; echo $?)" 0 "run natively"
	heddle_ends 0 system --json regions.json --cores 1 -- ./regions
	has err '^  region +entered +threads +instructions +of those inside +time$'
	has err '^  0 +1 +1 +11 +11 '
	has err '^heddle: warning: region 254 begins and its thread never ends it, 2 times; first \(thread 1, at 0x[0-9a-f]+, work'
	lacks err 'region 9'
	"$json" regions.json || fail "no JSON"
	for row in '0, "entries": 1, "threads": 1, .* "nanoseconds": 11' \
		'1, "entries": 1, "threads": 1, .* "nanoseconds": 11' \
		'2, "entries": 2, "threads": 2, .*_inside": 14, .*' \
		'254, .* "unmatched_begins": 2, "unmatched_ends": 0' \
		'255, "entries": 1, "threads": 1, .*'; do
		has regions.json "^    \{\"region\": $row"
	done
	heddle_ends 0 system -- ./regions 1
	has err '^heddle: warning: region 9 ends where its thread has not begun it \(thread 0, at 0x[0-9a-f]+, main'
	;;
esac
