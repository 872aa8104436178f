#!/bin/sh
# Does `heddle sweep` run every point once, whatever happens in between?
#
#	sweep.sh HEDDLE DUMP CASE
#
# On the GPU `tiny`, which is small enough to be quick.
set -eu
. "$(dirname "$0")/checks"
heddle=$1
dump=$2
case=$3
ptx=$(cd "$(dirname "$0")" && pwd)/saxpy.ptx
enter_new_folder

# sweep CODE ARGUMENT...
sweep()
{
	want=$1
	shift
	heddle_ends "$want" sweep "$@"
}

# saxpy TIMES N: the command of a kernel that runs that many times over
saxpy()
{
	echo "$ptx --kernel saxpy --grid 8 --block 128 --arg ${2:-1000} --arg 2 \
--arg x:f32[1000]=iota --arg y:f32[1000] --arg $1"
}

# A sweep of 24 points, of which 8 are the baseline's.
write_sweep()
{
	cat >a.sweep <<-END
	title = "a test"
	gpu = tiny
	program quick { run = "$(saxpy 2)" }
	program slow { run = "$(saxpy "${times:-400}")" }
	vary sm.count = 1..4
	vary dram.bandwidth *= 1, 2
	variant "no L1" { l1.on = no }
	cross { vary l2.ways = 2, 4; vary l1.replace = lru, fifo }
	END
}

done_points()
{
	"$dump" "$1" sql 'SELECT COUNT(*) FROM result' 2>/dev/null || echo 0
}

# wait_for N: until the sweep in the background has this many results
wait_for()
{
	for i in $(seq 600); do
		[ "$(done_points a.db)" -lt "$1" ] || return 0
		sleep 0.05
	done
	fail "no $1 results after 30 s"
}

# The results from before are unchanged; the rest are as in a sweep that was not
# interrupted.
check_resumed()
{
	"$dump" a.db times >before
	[ -s before ] || fail "no result before the interruption"
	[ "$(wc -l <before)" -lt 18 ] || fail "the sweep was over too soon"
	sweep 0 a.sweep
	"$dump" a.db times >after
	same "$(grep -cvxFf after before)" 0 "results that were made again"
	sweep 0 a.sweep --out b.db
	"$dump" a.db points >a.points
	"$dump" b.db points >b.points
	cmp a.points b.points || fail "another result than without interruption"
	same "$(wc -l <a.points)" 24 points
	[ ! -e a.db.work ] || fail "the work folder was left"
}

errors()
{
	sweep 2
	has err 'no sweep file given'
	sweep 2 reprot a.db
	has err "unknown command 'sweep reprot', did you mean 'sweep report'\?"
	sweep 1 none.sweep
	has err "cannot open 'none.sweep': No such file"
	printf 'gpu = tiny\nprogram p { run = "a.ptx" }\nvary sm.cuont = 1\n' \
		>a.sweep
	sweep 1 a.sweep
	has err "a.sweep:3:6: no parameter named 'sm.cuont', did you mean"
	printf 'gpu = tinny\nprogram p { run = "a.ptx" }\n' >a.sweep
	sweep 1 a.sweep
	has err "a.sweep:1:1: no GPU named 'tinny', did you mean 'tiny'"
	printf 'gpu = tiny\nprogram p { run = "a.ptx" }\n' >a.sweep
	sweep 1 a.sweep
	has err "program 'p': cannot open 'a.ptx'"
	printf 'gpu = tiny\nprogram p { run = "a.ptx --girt 4" }\n' >a.sweep
	sweep 2 a.sweep
	has err "unknown option '--girt'"
	has err "program 'p': invalid command line for 'heddle run'"
	printf 'gpu = tiny\nprogram p { exec = "./none" }\n' >a.sweep
	sweep 1 a.sweep
	write_sweep
	sed -i 's/sm.count = 1..4/l2.bytes = 16K, 24K/' a.sweep
	sweep 1 a.sweep
	has err 'a.sweep:5:22: 24K: l2.bytes = 24K: gives 24 sets'
	[ ! -e a.db ] || [ "$(done_points a.db)" = 0 ] || fail "something ran"
}

dry()
{
	write_sweep
	sweep 0 a.sweep --dry-run
	has out '^ +0  quick +baseline$'
	has out '^ +7  quick +no L1$'
	has out '^ +19  slow +no L1$'
	has out '^ +23  slow +l2.ways x l1.replace = 4 x fifo$'
	has err '^a: 24 points, 2 programs on 12 configurations of tiny$'
	[ ! -e a.db ] || fail "a dry run left something"
}

# cycles_of PROGRAM: of its baseline
cycles_of()
{
	"$dump" a.db points | grep "|$1|||" | cut -d'|' -f9
}

# Programs whose launches start with empty caches, run, recorded or traced.
cold()
{
	two="$(saxpy 2) --repeat 2"
	printf 'gpu = "tiny"
program warm { run = "%s" }
program cold { run = "%s"; cold = yes }
program option { run = "%s --cold" }\n' "$two" "$two" "$two" >a.sweep
	sweep 0 a.sweep
	same "$(cycles_of cold)" "$(cycles_of option)" "two ways to say it"
	[ "$(cycles_of warm | cut -d. -f1)" -lt "$(cycles_of cold | cut -d. -f1)" ] ||
		fail "cold launches are not slower"
	cold=$(cycles_of cold | cut -d. -f1)
	rm -f a.db*
	printf 'gpu = "tiny"
program warm { run = "%s"; record = yes }
program cold { run = "%s"; record = yes; cold = yes }\n' "$two" "$two" >a.sweep
	sweep_code=0
	"$heddle" sweep a.sweep >out 2>err || sweep_code=$?
	! grep -q 'this build has no zstd' err || return 0
	same $sweep_code 0 "exit code"
	same "$(cycles_of cold | cut -d. -f1)" $((2 * cold)) "cycles of a trace"
	[ "$(cycles_of warm | cut -d. -f1)" -lt $((2 * cold)) ] ||
		fail "a cold trace is not slower"
}

whole()
{
	times=4
	write_sweep
	sweep 0 a.sweep --workers 3
	has err '^a: 24 points, 24 done, 0 failed, 0 left; 0 were done before'
	# Equal points are run once: sm.count 2, bandwidth x1, 4 ways and LRU.
	same "$(done_points a.db)" 18 results
	"$dump" a.db times >before
	sweep 0 a.sweep
	has err '24 were done before'
	"$dump" a.db times >after
	cmp before after || fail "something was run again"
	sweep 0 a.sweep --workers 1 --out b.db
	"$dump" a.db points >a.points
	"$dump" b.db points >b.points
	cmp a.points b.points || fail "one worker gives another result"
	# The cycles are those of `heddle run`.
	"$heddle" run $(saxpy 4) --gpu tiny -o sm.count=3 >out 2>err
	cycles=$(sed -n 's/^  cycles *\([0-9,]*\),.*/\1/p' err | tr -d ,)
	same "$("$dump" a.db sql "SELECT cycles FROM result JOIN point
		USING(key) JOIN program ON program.id = program WHERE
		label = '3' AND program.name = 'slow'")" "$cycles.0" cycles
	# What the environment says of runs is not for points.
	export HEDDLE_SET=sm.count=1 HEDDLE_GPU=h200 HEDDLE_ENGINE=none
	sweep 0 a.sweep --out e.db
	unset HEDDLE_SET HEDDLE_GPU HEDDLE_ENGINE
	"$dump" e.db points >e.points
	cmp a.points e.points || fail "the environment changes results"
	# Another sweep finds the results of this one.
	sed 's/^vary/#&/; s/^variant/#&/' a.sweep >c.sweep
	sweep 0 c.sweep --out a.db
	has err '^c: 10 points, 10 done, 0 failed, 0 left; 10 were done before'
	"$heddle" sweep status a.db >out
	has out '^a: 24 points, 24 done, 0 failed, 0 left; a test$'
	has out '^c: 10 points'
	sweep 0 c.sweep --out a.db --fresh
	has err '; 0 were done before'
}

# Old results are there until new ones replace them, whatever happens meanwhile.
fresh()
{
	times=4
	write_sweep
	sweep 0 a.sweep
	"$dump" a.db points >first
	"$dump" a.db sql "UPDATE result SET host = 'old'"
	sweep 0 a.sweep --fresh --limit 5
	has err '^a: 24 points, 24 done, 0 failed, 0 left; 0 were done before'
	has err 'results are from before, until their points have been run again'
	same "$("$dump" a.db sql "SELECT COUNT(*) FROM result WHERE host <> 'old'")" \
		5 "new results"
	"$dump" a.db points >again
	cmp first again || fail "old results are lost"
	"$heddle" sweep status a.sweep >out
	has out '^a: 24 points, 24 done, 0 failed, 0 left, [0-9]+ to be run again; a test$'
	if command -v gnuplot >/dev/null; then
		sweep 0 report a.db --out page.html
		has page.html 'results are from before: their points are to be run'
	fi
	# A sweep that is killed is no different.
	"$heddle" sweep a.sweep --fresh --workers 1 >out 2>err &
	pid=$!
	for i in $(seq 400); do
		[ "$("$dump" a.db sql 'SELECT COUNT(*) FROM again' || echo 18)" = 18 ] ||
			break
		sleep 0.01
	done
	kill -KILL $pid 2>/dev/null || true
	wait $pid || true
	same "$(done_points a.db)" 18 "results after the kill"
	# It goes on where it was, without --fresh.
	sweep 0 a.sweep
	! grep -q 'are from before' err || fail "not all points were run again"
	same "$("$dump" a.db sql "SELECT COUNT(*) FROM result WHERE host = 'old'")" \
		0 "old results"
	"$dump" a.db points >last
	cmp first last || fail "another result"
	sweep 0 a.sweep
	has err '24 were done before'
}

limit()
{
	times=4
	write_sweep
	sweep 0 a.sweep --limit 5
	same "$(done_points a.db)" 5 results
	check_resumed
}

# A point that fails says why and is not run again; the others go on.
failing()
{
	cat >a.sweep <<-END
	gpu = tiny
	timeout = 2
	program good { run = "$(saxpy 2)" }
	program far { run = "$(saxpy 2 5000)" }
	program stuck { run = "$ptx --kernel saxpy --grid 8 --block 128 --arg 1000
--arg 2 --arg x:f32[1000]=iota --arg y:f32[1000] --arg 2000000000" }
	vary sm.count = 1, 2
	END
	tr '\n' ' ' <a.sweep | sed 's/program/\n&/g; s/timeout/\n&/; s/vary/\n&/' \
		>b.sweep
	sweep 3 b.sweep
	has err '^b: 9 points, 3 done, 6 failed, 0 left'
	has err '^  far, baseline: exit code 3: illegal address: '
	has err '^  stuck, baseline: stopped after 2 s, its time limit$'
	has err '^  their output is in b.db.work$'
	"$heddle" sweep status b.sweep --failed >out
	has out '^  far, sm.count = 2: exit code 3: illegal address'
	"$dump" b.db times >before
	sweep 3 b.sweep
	"$dump" b.db times >after
	cmp before after || fail "something was run again"
	sed -i 's/--arg 2000000000/--arg 3/' b.sweep
	sweep 3 b.sweep
	has err ' 9 points, 6 done, 3 failed, 0 left; 6 were done before'
	sweep 3 b.sweep
	[ ! -e b.db.work ] || fail "the work folder was left"
	sweep 3 b.sweep --retry
	has err '; 6 were done before'
}

# Texels are looked up at points of a recording, too.
textures()
{
	run="$(dirname "$ptx")/fetch.ptx --kernel fetch --grid 2 --block 32 \
--arg tex2d:f32[32x32]=iota --arg out:f32[64]"
	cat >t.sweep <<-END
	gpu = tiny
	program live { run = "$run" }
	program replayed { run = "$run"; record = yes }
	vary tex.lookup = no, yes
	END
	sweep 0 t.sweep
	"$dump" t.db sql "SELECT program.name, cycles FROM point
		JOIN program ON program.id = program JOIN result USING(key)
		ORDER BY program.name, cycles" >out
	same "$(sed -n 's/^live//p' out)" "$(sed -n 's/^replayed//p' out)" \
		"cycles of a recording"
	same "$(sed -n 's/^live//p' out | sort -u | wc -l)" 2 \
		"with and without texels"
}

# A replay has the statistics of the program itself.
recorded()
{
	textures
	"$heddle" run $(saxpy 3) --record t.trace --quiet >out 2>err ||
		fail "not recorded"
	cat >a.sweep <<-END
	gpu = tiny
	program live { run = "$(saxpy 3)" }
	program replayed { run = "$(saxpy 3)"; record = yes }
	program trace { trace = "t.trace" }
	vary sm.count = 1, 3
	variant "no L1" { l1.on = no }
	END
	sweep 0 a.sweep
	has err '^a: recording replayed$'
	for program in live replayed trace; do
		"$dump" a.db sql "SELECT label, cycles, name, value FROM
			(SELECT point.*, program.name AS program_name FROM point
			JOIN program ON program.id = program)
			JOIN result USING(key) JOIN stat USING(key)
			WHERE program_name = '$program' AND
			name <> 'gpu.host_bytes' ORDER BY label, name" >$program
	done
	[ "$(wc -l <live)" -gt 400 ] || fail "no statistics"
	cmp live replayed || fail "another result of a recording"
	cmp live trace || fail "another result of a trace"
	sweep 0 a.sweep
	has err '12 were done before'
	! grep -q recording err || fail "recorded again"
	printf 'gpu = tiny\nprogram p { run = "%s"; record = yes }\n' \
		"$(saxpy 2 5000)" >b.sweep
	sweep 1 b.sweep
	has err "program 'p' was not recorded: exit code 3: illegal address"
}

# The overhead of a point, beyond its simulation, must be small against 0.1 s.
cost()
{
	cat >a.sweep <<-END
	gpu = tiny
	program p { run = "$(saxpy 1)" }
	vary lat.f64div.cycles = 1..99
	END
	used=$(sh -c '"$@" >out 2>err || exit 1; times' sh "$heddle" sweep \
		a.sweep | awk 'NR == 2 {
			for (i = 1; i <= 2; i++) {
				split($i, t, /[ms]/)
				sum += 60 * t[1] + t[2]
			}
			print int(1000 * sum / 100)
		}')
	[ "$used" ] || fail "no time"
	echo "$used ms of processor time for a point"
	[ "$used" -lt 25 ] || fail "a point costs $used ms"
}

# Stands in for Slurm where there is none: tasks run one after the other, except
# the one that the file `lost` names.
fake_slurm()
{
	mkdir bin
	cat >bin/sbatch <<-'END'
	#!/bin/sh
	for word; do
		last=$word
		case $word in
		--array=*) most=${word#--array=0-} ;;
		esac
	done
	echo "$*" >sbatch.words
	touch running
	(
		for i in $(seq 0 "${most%%%*}"); do
			[ "$i" = "$(cat lost)" ] ||
				SLURM_ARRAY_TASK_ID=$i sh "$last" || touch broken
		done
		rm running
	) >task.out 2>&1 &
	echo '42;cluster'
	END
	cat >bin/squeue <<-'END'
	#!/bin/sh
	[ ! -e running ] || echo 42
	END
	chmod +x bin/sbatch bin/squeue
	PATH=$PWD/bin:$PATH
}

cluster()
{
	times=4
	write_sweep
	sweep 0 a.sweep --out here.db
	fake_slurm
	echo 1 >lost
	sweep 3 a.sweep --on slurm --per-task 5 --workers 3 \
		--slurm-options '--time=5 --nice=1'
	[ ! -e broken ] || fail "a task failed: $(cat task.out)"
	has sbatch.words '--array=0-3%3 .*--time=5 --nice=1 .*task.sh'
	has err '^a: job 42, 4 tasks for 18 points$'
	has err 'has ended, but 5 points have no result: their workers were'
	same "$(done_points a.db)" 13 results
	"$dump" a.db times >before
	echo none >lost
	sweep 0 a.sweep --on slurm --no-wait
	has err '^a: job 42, 1 tasks for 5 points$'
	sweep 0 a.sweep --on slurm
	! grep -q 'tasks for' err || fail "submitted twice"
	"$dump" a.db times >after
	same "$(grep -cvxFf after before)" 0 "results that were made again"
	"$dump" here.db points >here
	"$dump" a.db points >there
	cmp here there || fail "another result than here"
	[ ! -e a.db.slurm ] || fail "the folder was left"
	printf '#!/bin/sh\necho no >&2; exit 1\n' >bin/sbatch
	sweep 1 a.sweep --on slurm --out c.db
	has err "'sbatch .*' failed"
	sweep 2 a.sweep --on slrum
	has err 'expected local or slurm'
	sweep 2 a.sweep --no-wait
	has err '^heddle: error: --no-wait needs --on slurm'
}

interrupted()
{
	write_sweep
	"$heddle" sweep a.sweep --workers 2 >out 2>err &
	pid=$!
	wait_for 3
	kill -"$1" $pid
	code=0
	wait $pid || code=$?
	same "$code" "$2" "exit code"
	[ "$1" = KILL ] || has err "interrupted; 'heddle sweep a.sweep' continues"
	# Nothing of it goes on.
	for i in $(seq 100); do
		left=$(pgrep -f "$folder/none|$PWD/a.db.work|a.db.work/" || true)
		[ "$left" ] || break
		sleep 0.05
	done
	[ ! "$left" ] || fail "processes are left: $left"
	check_resumed
}

# Kills a worker of the sweep with this process. A worker that could be stopped
# has not ended by itself, and cannot end before it is killed.
kill_worker()
{
	for i in $(seq 600); do
		child=$(pgrep -P "$1" | head -n 1)
		if [ "$child" ] && kill -STOP "$child" 2>/dev/null; then
			sleep 0.02
			case $(ps -o stat= -p "$child") in
			T*)
				kill -KILL "$child"
				return 0
				;;
			esac
		fi
	done
	fail "there was no worker to kill"
}

killed_workers()
{
	"$dump" a.db sql "SELECT COUNT(*) FROM result WHERE
		reason LIKE 'killed by signal 9%'"
}

# If a worker is killed, its point has failed.
worker()
{
	times=4000
	write_sweep
	"$heddle" sweep a.sweep --workers 1 >out 2>err &
	pid=$!
	wait_for 1
	kill_worker $pid
	for i in $(seq 600); do
		[ "$(killed_workers)" = 0 ] || break
		sleep 0.05
	done
	kill -INT $pid || true
	wait $pid || true
	same "$(killed_workers)" 1 "workers killed"
}

# Programs on simulated cores: parameters and the environment vary.
systems()
{
	compiler=gcc
	[ "$(uname -m)" = x86_64 ] || compiler=x86_64-linux-gnu-gcc
	command -v $compiler >/dev/null || { echo "no $compiler"; exit 77; }
	cat >guest.c <<-'END'
	#include <heddle/guest.h>
	#include <stdlib.h>
	int main(int argc, char **argv)
	{
		const char *text = getenv("TIMES");
		volatile int sum = 0;

		HEDDLE_REGION_BEGIN(2);
		for (int i = 0; i < 1000 * (text ? atoi(text) : 1); i++)
			sum += i;
		HEDDLE_REGION_END(2);
		return argc > 1 ? atoi(argv[1]) : 0;
	}
	END
	$compiler -O1 -static -I"${ptx%/tests/*}/include" -o guest guest.c \
		2>log || { cat log; exit 77; }
	"$heddle" system -q -- ./guest 2>err ||
		{ ! grep -q Zydis err || { cat err; exit 77; }; }
	cat >a.sweep <<-END
	config = "cgm"
	cgm.cores = 1
	program all { system = "./guest" }
	program part { system = "./guest"; env = "TIMES=2"; region = 2 }
	program bad { system = "./guest 5" }
	program none { system = "./guest"; region = 9 }
	vary env.TIMES = 1, 4
	vary cpu.rob = 16
	END
	sweep 0 a.sweep --dry-run
	has out '^ +1  all +env.TIMES = 1$'
	has err '16 points, 4 programs on 4 configurations of cgm'
	sweep 3 a.sweep --workers 2
	has err '8 failed'
	has err 'exit code 5'
	has err 'the program has not executed region 9'
	"$dump" a.db points >points
	cycles="$(grep '|part|' points | cut -d'|' -f5,9)"
	# Four times the work, and what a small ROB costs.
	echo "$cycles" | awk -F'|' '{ c[$1] = $2 } END {
		exit !(c["4"] > 3.5 * c["1"] && c["4"] < 4.5 * c["1"]) }' ||
		fail "cycles of the region: $cycles"
	[ "$("$dump" a.db sql "SELECT COUNT(*) FROM stat WHERE
		name = 'region.2.cycles' AND value > 0")" = 8 ] ||
		fail "statistics of regions"
	[ "$("$dump" a.db sql "SELECT COUNT(DISTINCT value) FROM stat WHERE
		name = 'cpu.instructions'")" = 4 ] || fail "instructions"
	# Nothing that is done is done again; a value that is new, is.
	sweep 3 a.sweep
	has err '0 left; 16 were done before'
	sed -i 's/env.TIMES = 1, 4/env.TIMES = 1, 4, 6/' a.sweep
	sweep 3 a.sweep
	has err '20 points, 10 done'
	sweep 0 report a.db --out a.html
	has a.html 'env.TIMES'
}

case $case in
sigint) interrupted INT 130 ;;
sigterm) interrupted TERM 143 ;;
sigkill) interrupted KILL 137 ;;
*) "$case" ;;
esac
