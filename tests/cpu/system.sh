#!/bin/sh
# Do programs on simulated cores do what they do elsewhere, whatever the cores are,
# and the same on any number of threads?
#
#	system.sh HEDDLE CASE
set -eu
heddle=$1
case=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/checks"
enter_new_folder

case $(uname -m) in
x86_64) cc=gcc cxx=g++ ;;
*) cc=x86_64-linux-gnu-gcc cxx=x86_64-linux-gnu-g++ ;;
esac

# build NAME SOURCE: with the compiler for it, or the test is skipped
build()
{
	compiler=$cc
	[ "${2%.cc}" = "$2" ] || compiler=$cxx
	command -v "$compiler" >/dev/null || { echo "no $compiler"; exit 77; }
	"$compiler" -O2 -g -static -fopenmp -pthread -I"$here/../../include" \
		-o "$1" "$2" -lm 2>log || { cat log; exit 77; }
}

# simulate PROGRAM OPTION...: prints what the program prints, and its exit status
simulate()
{
	program=$1
	shift
	status=0
	"$heddle" system --config cgm --quiet --env OMP_NUM_THREADS=4 "$@" -- \
		"./$program" argument || status=$?
	echo "exit $status"
}

small="-o cpu.rob=4 -o cpu.iq=1 -o cpu.lsq=1 -o cpu.int_regs=8 -o cpu.fp_regs=8
-o cpu.vector_regs=8 -o cpu.store_buffer=1 -o cpu.fetch_queue=1
-o cpu.fetch_blocks=1 -o cpu.predictor=not_taken"
smt="-o cgm.cores=1 -o cpu.threads=4 -o cgm.l1d_bytes=4K -o cgm.l2_bytes=8K
-o cgm.l3_bytes=32K"
few="-o cgm.cores=2 -o os.quantum=1000 -o os.resume=0 -o os.change=0"

case $case in
numbers | threads | openmp)
	build program "$here/../x86/programs/$case.c"
	for options in "" "$small" "$smt" "$few"; do
		# shellcheck disable=SC2086
		simulate program $options >out
		diff "$here/../x86/programs/$case.out" out
	done
	;;
classes)
	cat >classes.cc <<-'END'
	#include <cstdio>
	#include <map>
	#include <memory>
	#include <stdexcept>
	#include <string>
	#include <thread>
	struct Shape { virtual ~Shape() {} virtual int area() const = 0; };
	struct Square : Shape {
		int a; explicit Square(int v) : a(v) {}
		int area() const override { return a * a; }
	};
	int main()
	{
		std::map<std::string, std::unique_ptr<Shape>> all;
		int sum = 0;
		for (int i = 0; i < 20; i++)
			all[std::to_string(i)] = std::make_unique<Square>(i);
		std::thread t([&] { for (auto &p : all) sum += p.second->area(); });
		t.join();
		try { throw std::runtime_error("thrown"); }
		catch (const std::exception &e) { printf("%s %d\n", e.what(), sum); }
		return 7;
	}
	END
	build program classes.cc
	simulate program >out
	printf 'thrown 2470\nexit 7\n' | diff - out
	;;
same)
	# Two threads that share data, on few cycles: a window is one.
	cat >same.c <<-'END'
	#include <pthread.h>
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	static volatile long a[64];
	static void *work(void *p)
	{
		for (int i = 0; i < 64; i++) {
			pthread_mutex_lock(&m);
			a[i * 7 % 64] += i;
			pthread_mutex_unlock(&m);
		}
		return p;
	}
	int main(void)
	{
		pthread_t t;
		pthread_create(&t, 0, work, 0);
		work(0);
		return pthread_join(t, 0);
	}
	END
	build program same.c
	simulate program --json 1.json --engine serial -o os.start=0 >/dev/null
	sed -i '/"engine"/d' 1.json
	for threads in 2 4 8; do
		simulate program --json "$threads.json" -j $threads \
			--engine exact -o os.start=0 >/dev/null
		sed -i '/"engine"/d' "$threads.json"
		cmp 1.json "$threads.json" || fail "$threads threads differ"
	done
	has 1.json '"mispredicted": [1-9]'
	has 1.json '"forwards": [1-9]'
	;;
locks)
	# Mutual exclusion by an atomic, by a fence and plain stores (Dekker's), and
	# a flag that a spinning thread waits for.
	cat >locks.c <<-'END'
	#include <pthread.h>
	#include <stdatomic.h>
	#include <stdio.h>
	enum { ROUNDS = 300 };
	static atomic_int want[2], turn, lock, flag;
	static long dekker, plain, value;
	static void *work(void *id)
	{
		int me = (int)(long)id, other = 1 - me;
		for (int i = 0; i < ROUNDS; i++) {
			atomic_store(&want[me], 1);
			while (atomic_load(&want[other]))
				if (atomic_load(&turn) != me) {
					atomic_store(&want[me], 0);
					while (atomic_load(&turn) != me)
						__builtin_ia32_pause();
					atomic_store(&want[me], 1);
				}
			dekker++;
			atomic_store(&turn, other);
			atomic_store(&want[me], 0);
			while (atomic_exchange_explicit(&lock, 1,
							memory_order_acquire))
				__builtin_ia32_pause();
			plain++;
			atomic_store_explicit(&lock, 0, memory_order_release);
		}
		if (me) {
			value = 42;
			atomic_store_explicit(&flag, 1, memory_order_release);
		} else {
			while (!atomic_load_explicit(&flag,
						     memory_order_acquire))
				;
			printf("%ld\n", value);
		}
		return NULL;
	}
	int main(void)
	{
		pthread_t t[2];
		for (long i = 0; i < 2; i++)
			pthread_create(&t[i], NULL, work, (void *)i);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
		printf("%ld %ld\n", dekker, plain);
		return 0;
	}
	END
	build program locks.c
	for options in "" "-o cgm.cores=1 -o cpu.threads=2" \
		"-o cgm.cores=1 -o os.quantum=3000"; do
		# shellcheck disable=SC2086
		simulate program $options >out
		printf '42\n600 600\nexit 0\n' | diff - out
	done
	;;
ends)
	cat >ends.c <<-'END'
	#include <pthread.h>
	#include <signal.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <unistd.h>
	static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
	static void handler(int n) { printf("signal %d\n", n); fflush(stdout); }
	int main(int argc, char **argv)
	{
		switch (atoi(argv[argc - 1])) {
		case 0: *(volatile int *)16 = 1; break;
		case 1: abort();
		case 2: pthread_mutex_lock(&a); pthread_mutex_lock(&a); break;
		case 3: __asm__ volatile("vaddps %ymm0, %ymm1, %ymm2"); break;
		case 4: ((void (*)(void))0x123000)(); break;
		case 5: signal(SIGUSR1, handler); raise(SIGUSR1); break;
		case 6: for (;;) ; break;
		case 7: sleep(1); return 9;
		case 8: sleep(3600); return 9;
		}
		return 0;
	}
	END
	build program ends.c
	for line in "0 3 4-byte write to 0x10, where nothing is mapped" \
		"1 134 killed by signal 6" "2 3 deadlock: every thread waits" \
		"3 3 instruction vaddps is not supported" \
		"4 3 nothing may be executed at 0x123000" "5 0 exit status 0" \
		"7 9 cycles +4,000," "8 1 reached 275 s of simulated time"; do
		number=${line%% *} rest=${line#* }
		heddle_ends "${rest%% *}" system --config cgm -- ./program "$number"
		has err "${rest#* }"
		[ "$number" != 5 ] || has out 'signal 10'
	done
	heddle_ends 3 system --config cgm --max-instructions 50000 -- \
		./program 6
	has err 'stopped after 50,000 instructions'
	heddle_ends 2 system --config cgm --cores 2 -- ./program 5
	has err 'cgm\.cores'
	heddle_ends 2 system -j 2 -- ./program 5
	has err 'need --config'
	heddle_ends 1 system --config cgm --engine slack -- ./program 5
	has err 'serial and exact'
	heddle_ends 1 system --config cgm -o cpu.rob=1 -- ./program 5
	has err 'cpu\.rob'
	;;
signals)
	# Those of timers reach threads that run, wait or have no place.
	build program "$here/../x86/programs/signals.c"
	simulate program >out
	diff "$here/../x86/programs/signals.out" out
	cat >timers.c <<-'END'
	#include <pthread.h>
	#include <signal.h>
	#include <stdatomic.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <sys/time.h>
	#include <unistd.h>
	static atomic_int ticks, got;
	static void tick(int n) { (void)n; ticks++; }
	static void get(int n) { (void)n; got++; }
	static void *spin(void *p)
	{
		while (!got)
			;
		return p;
	}
	static void start(int which, int first, int interval)
	{
		struct itimerval v = { { 0, interval }, { 0, first } };
		setitimer(which, &v, NULL);
	}
	int main(int argc, char **argv)
	{
		pthread_t t;
		sigset_t set, old;
		signal(SIGALRM, tick);
		signal(SIGVTALRM, tick);
		signal(SIGPROF, tick);
		signal(SIGUSR1, get);
		switch (atoi(argv[argc - 1])) {
		case 0: /* again and again */
			start(ITIMER_REAL, 20, 20);
			while (ticks < 5)
				;
			break;
		case 1: /* while it is blocked */
			sigemptyset(&set);
			sigaddset(&set, SIGALRM);
			sigprocmask(SIG_BLOCK, &set, &old);
			start(ITIMER_REAL, 10, 0);
			usleep(50);
			sigpending(&set);
			printf("%d %d\n", sigismember(&set, SIGALRM), ticks);
			sigprocmask(SIG_SETMASK, &old, NULL);
			while (!ticks)
				;
			break;
		case 2: /* a thread that may have no place */
			pthread_create(&t, NULL, spin, NULL);
			usleep(10);
			pthread_kill(t, SIGUSR1);
			pthread_join(t, NULL);
			break;
		case 3: /* the other timers */
			start(ITIMER_VIRTUAL, 10, 0);
			while (!ticks)
				;
			start(ITIMER_PROF, 10, 0);
			while (ticks < 2)
				;
			break;
		case 4: /* it ends the program */
			signal(SIGALRM, SIG_DFL);
			start(ITIMER_REAL, 10, 0);
			for (;;)
				;
		case 5:
			signal(SIGALRM, SIG_DFL);
			start(ITIMER_REAL, 10, 0);
			pause();
		}
		printf("%d %d\n", ticks, got);
	}
	END
	build program timers.c
	for line in "0 0 5 0" "1 0 1 0" "2 0 0 1" "3 0 2 0" "4 142 -" "5 142 -"; do
		number=${line%% *} rest=${line#* }
		for options in "" "-o cgm.cores=1 -o cpu.threads=2" \
			"-o cgm.cores=1 -o os.quantum=1000"; do
			# shellcheck disable=SC2086
			heddle_ends "${rest%% *}" system --config cgm $options \
				-- ./program "$number"
			[ "${rest#* }" = - ] || has out "^${rest#* }$"
		done
	done
	;;
regions)
	cat >regions.c <<-'END'
	#include "heddle/guest.h"
	static volatile int sum;
	int main(void)
	{
		for (int i = 0; i < 100; i++)
			sum += i;
		for (int k = 0; k < 3; k++) {
			HEDDLE_REGION_BEGIN(5);
			for (int i = 0; i < 1000; i++)
				sum += i;
			HEDDLE_REGION_END(5);
		}
		return 0;
	}
	END
	build program regions.c
	simulate program --json json >/dev/null
	has json '"region": 5'
	has json '"times": 3'
	has json '"entries": 3'
	;;
until)
	# What follows the region is executed, and changes nothing in it.
	build program "$here/../../workloads/system/lud.c"
	for threads in 1 4; do
		for options in "" "--detail-until 1"; do
			# shellcheck disable=SC2086
			"$heddle" system --config cgm --quiet --json json $options \
				--env OMP_NUM_THREADS=$threads -- ./program 40 >out
			echo 'lud 40: ok' | diff - out
			sed -n '/"region_stats"/,$p' json >"regions$options"
			grep '"cycles"' json | head -n 1 >"cycles$options"
		done
		diff regions "regions--detail-until 1"
		! diff -q cycles "cycles--detail-until 1" >/dev/null
	done
	! "$heddle" system --config cgm --detail-until 256 -- ./program 40 2>said
	has said 'from 0 to 255'
	;;
esac
