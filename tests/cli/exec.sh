#!/bin/sh
# Does `heddle exec` run programs as its manual promises?
#
#	exec.sh HEDDLE JSON-CHECKER CASE
#
# On the GPU `tiny`, which is small enough to be quick. Exits with 77, skipped,
# if the library that programs need is missing.
set -eu
. "$(dirname "$0")/checks"
heddle=$1
json=$2
case=$3
sources=$(cd "$(dirname "$0")" && pwd)/exec
enter_new_folder
# Settings of the tester's own environment must not count.
for name in GPU DEVICES SET FUNCTIONAL THREADS ENGINE OUT OUT_OPEN KERNELS \
	MAX_CYCLES TIMEOUT QUIET COLD INTERVAL CSV TIMELINE TIMELINE_LIMIT TRACE \
	MEMORY; do
	unset "HEDDLE_$name"
done

# run CODE WORD...
run()
{
	want=$1
	shift
	heddle_ends "$want" exec "$@"
}

need_library()
{
	[ -n "${HEDDLE_CUDA_LIB:-}" ] ||
		[ -e "$(dirname "$heddle")/lib/cuda/libcudart.so.13" ] || {
		echo "SKIPPED: no libcudart in this build"
		exit 77
	}
}

build()
{
	need_library
	"$heddle" cc -arch=sm_70 -o app "$sources/app.cu" "$@" 2>err ||
		fail "the program does not compile"
}

help()
{
	run 0 --help
	has out '^Usage: heddle exec '
	has out '^  --gpu NAME'
	has out '^  -o, --set KEY=VALUE'
}

errors()
{
	need_library
	run 2
	has err 'no program given'
	run 2 --gpuu tiny -- true
	has err "unknown option '--gpuu', did you mean --gpu\?"
	run 2 --gpu tinny -- true
	has err "no GPU named 'tinny', did you mean 'tiny'\?"
	run 2 --gpu tiny -o sm.cuont=3 -- true
	has err 'sm\.cuont'
	run 2 --gpu tiny --kernels 1,7-3 -- true
	has err "'7-3': ends before it begins"
	run 2 --kernels 1 -- true
	has err '^heddle: error: --kernels needs timed launches'
	run 2 --threads some -- true
	has err '^heddle: error: --threads some: expected a number'
	run 2 --threads 0 -- true
	has err '--threads 0: expected a number of at least 1'
	run 2 --engine quick -- true
	has err "--engine: no engine named 'quick'; there are: serial"
	run 2 --gpu tiny --engine warp -- true
	run 2 --out "" -- true
	has err '\-\-out: expected a value'
	run 127 -- ./none
	has err "program './none' not found"
	run 127 -- none-of-that-name
	has err 'in PATH'
	echo text >text
	run 126 -- ./text
	has err "cannot run './text'"
}

# Programs that do not use CUDA, and their exit codes.
ends()
{
	need_library
	run 0 -- true
	run 7 -- sh -c 'exit 7'
	run 143 -- sh -c 'kill -TERM $$'
	run 0 sh -c 'echo "$# $1 $HEDDLE_GPU $HEDDLE_SET"' - --gpu
	same "$(cat out)" "1 --gpu  " "options after the program"
	run 0 --gpu tiny,tiny --gpu tiny -o a=1 -h
	run 0 --gpu tiny,tiny --gpu tiny --set sm.count=3 -o l2.ways=4 --quiet \
		-- sh -c 'echo "$HEDDLE_GPU $HEDDLE_SET $HEDDLE_QUIET"'
	same "$(cat out)" "tiny,tiny,tiny sm.count=3;l2.ways=4 1" "variables"
	printf 'exit 4\n' >script
	chmod +x script
	run 4 -- ./script
	code=0
	timeout -s HUP 1 "$heddle" exec -- sh -c \
		'trap "echo hung up; exit 6" HUP; while :; do sleep 0.1; done' \
		>out 2>err || code=$?
	has out 'hung up'
	# What a script has started ends with it.
	"$heddle" exec -- sh -c \
		'(sleep 100; true) & sleep 100 & echo $! >pid; sleep 100; true' \
		>out 2>err &
	exec=$!
	until [ -s pid ]; do
		sleep 0.05
	done
	kill -TERM $exec
	code=0
	wait $exec || code=$?
	same "$code" 143 "exit code of a script that was terminated"
	! kill -0 "$(cat pid)" 2>/dev/null || fail "a process is left"
	# Without a signal, it may go on.
	run 0 -- sh -c 'sleep 100 & echo $! >pid'
	kill "$(cat pid)" || fail "a background process was ended"
}

results()
{
	build
	run 0 -- ./app fill scale show
	same "$(cat out)" "2 510" "what the program says"
	has err '^heddle: launch 1, fill: grid 4x1x1, block 64x1x1, functional, [0-9]+ warp-instructions, host '
	has err '^heddle: launch 2, ns::scale<float>: '
	has err '^heddle: 2 launches on NVIDIA H200, results only$'
	has err '^  fill +1 +[0-9]+ '
	has err '^  device to host +1, 1\.02 kB$'
	run 0 --quiet -- ./app fill
	[ ! -s err ] || fail "--quiet says something"
	run 0 -- ./app many fill
	has err '^heddle: launch 20, '
	lacks err '^heddle: launch 21, '
	has err '^heddle: further launches that are not timed are only counted'
	has err '^heddle: 31 launches on '
}

timed()
{
	build
	run 5 --gpu tiny -- ./app fill scale scale show 5
	same "$(cat out)" "4 1020" "what the program says"
	has err '^heddle: launch 3, ns::scale<float>: grid 4x1x1, block 64x1x1, [0-9,]+ cycles, [0-9.]+ us, IPC [0-9.]+ per SM, host '
	has err '^  kernel +launches +cycles +time +share +IPC/SM +top stall$'
	has err '^  ns::scale<float> +2 +[0-9,]+ +[0-9.]+ us +[0-9.]+% +[0-9.]+  [a-z0-9_]+ [0-9.]+%$'
	has err '^  advice    ns::scale<float>$'
	has err '^    1\. [A-Z].*'

	has err '^  simulated time +[0-9.]+ us, '
	# Four blocks for 132 SMs: what they wait for is not the point.
	run 0 --gpu h200 -- ./app scale
	has err '^  ns::scale<float> .*  launch [0-9.]+%$'
	has err '^    2\. The grid is too small for the GPU\. Gain: at most '
	run 0 --gpu tiny --kernels scale:1,1 -- ./app fill fill scale scale
	has err '^heddle: launch 1, .* cycles, '
	has err '^heddle: launch 2, .* functional, '
	has err '^heddle: launch 3, .* cycles, '
	has err '^heddle: launch 4, .* functional, '
	has err '^  fill +1 of 2 '
	run 0 --gpu tiny --cold --out res -- ./app scale scale scale
	first=$(value res/launch-000001.json timing.cycles)
	for i in 2 3; do
		same "$(value res/launch-00000$i.json timing.cycles)" "$first" \
			"cycles of cold launch $i"
		same "$(value res/launch-00000$i.json timing.cold)" true cold
	done
	run 0 --gpu tiny --out res -- ./app scale scale scale
	[ "$(value res/launch-000003.json timing.cycles)" -lt "$first" ] ||
		fail "a warm launch is not faster"
	# What would run at once does not: each begins with empty caches.
	run 0 --gpu tiny --out res -- ./app stream stream
	same "$(value res/launch-000002.json launches_at_once)" 2 streams
	run 0 --gpu tiny --cold --out res -- ./app stream stream
	same "$(value res/launch-000001.json timing.cycles)" "$first" cycles
	same "$(value res/launch-000002.json timing.cycles)" "$first" cycles
	run 2 --cold -- ./app scale
	has err '^heddle: error: --cold needs timed launches'
	run 8 --gpu tiny --max-cycles 5000 -- ./app spin show
	has err '^heddle: launch 1, spin: .*; cut short: cycle limit$'
	run 8 --timeout 0.5 -- ./app spin show
	has err 'has not ended after 0\.5 s'
}

as_json()
{
	build
	run 8 --gpu tiny --out res -- ./app fill scale wrong show
	[ ! -e res/INCOMPLETE ] || fail "incomplete: $(cat res/INCOMPLETE)"
	for f in res/*.json; do
		"$json" "$f" || fail "$f is no JSON"
	done
	same "$(value res/program.json totals.launches)" 3 launches
	same "$(value res/program.json totals.timed_launches)" 3 "timed ones"
	same "$(value res/program.json arguments)" 5 arguments
	same "$(value res/program.json environment.HEDDLE_GPU)" '"tiny"' setting
	same "$(value res/program.json kernels)" 2 kernels
	same "$(value res/program.json events_left_out)" 0 "left out"
	has res/program.json '\{"call": "cudaMalloc", "count": 1\}'
	has res/program.json '\{"launch": 2, "kernel": "ns::scale<float>", "file": "launch-000002.json", "timed": true, "cycles": [1-9]'
	same "$(value res/launch-000002.json kernel)" '"ns::scale<float>"' kernel
	same "$(value res/launch-000002.json timed)" true timed
	same "$(value res/launch-000002.json fault)" null fault
	same "$(value res/launch-000002.json timing.stats.sm.cycles)" \
		"$((2 * $(value res/launch-000002.json timing.kernel_cycles)))" \
		"cycles of two SMs"
	[ "$(value res/launch-000002.json advice)" -ge 1 ] || fail "no advice"
	has res/launch-000002.json '^ +"rule": "[a-z0-9_]+",$'
	has res/launch-000003.json '"advice_about": "None: the run was cut short'
	has res/program.json '^ +"rule": "[a-z0-9_]+",$'
	same "$(value res/launch-000003.json fault.kind)" '"illegal address"' fault
	has res/gpu-0.cfg '^ *sm\.count *= *2|^count *= *2'
	"$heddle" gpus ./res/gpu-0.cfg >out 2>err || fail "gpu-0.cfg"
	run 0 --out res -- ./app fill
	same "$(value res/launch-000001.json timing)" null "no time"
	[ ! -e res/launch-000002.json ] || fail "the earlier result is there"
}

# An access outside of an allocation, as on a GPU or as an error.
memory()
{
	build -lineinfo
	reads=$(sed -n '/float y = x/=' "$sources/app.cu")
	writes=$(sed -n '/x\[i\] += y/=' "$sources/app.cu")
	for how in "" "--threads 2" "--gpu tiny" \
		"--gpu tiny --engine exact --threads 2"; do
		# shellcheck disable=SC2086
		run 0 $how -- ./app fill past show past pastend past
		has out '^10 255$'
		grep '^heddle: warning' err >warnings
		[ "$(wc -l <warnings)" = 2 ] ||
			fail "not a warning for each kernel and line: $how"
		has warnings "kernel past, .*app\.cu:$reads: 4-byte load from global memory at 0x[0-9a-f]+, just past the end of the allocation of 1024 bytes at 0x[0-9a-f]+ \(8 such accesses"
		has warnings "app\.cu:$writes: 4-byte load .*, just past the end .* \(128 such accesses"
		[ ! -e first ] || cmp first warnings || fail "other warnings: $how"
		mv warnings first
		[ "$(grep -c 'HEDDLE_MEMORY=strict makes' err)" = 1 ] ||
			fail "not explained once"
	done
	run 0 -q -- ./app fill past show
	lacks err warning
	# Few addresses of the host: there are pages, and they leave most of them.
	(ulimit -v 6000000 && run 0 -- ./app fill past show && has err warning)
	run 8 --memory strict -- ./app fill past show
	has err 'error: illegal address: 4-byte load from global memory at .*, where nothing is allocated'
	HEDDLE_MEMORY=strict run 8 -- ./app fill past show
	HEDDLE_MEMORY=strict run 0 --memory hardware -- ./app fill past show
	run 8 -- ./app fill wrong show
	has err 'error: illegal address: 4-byte store to global memory at .*, where nothing is allocated'
	run 2 --memory 16G -- ./app fill
	has err '^heddle: error: --memory 16G: expected strict or hardware'
	run 0 --record past.trace -- ./app fill past show
	has out '^10 255$'
	"$heddle" run past.trace --gpu tiny 2>err || fail replay
	cycles=$(sed -n '/^past:/,$s/^  cycles *\([0-9]*\),.*/\1/p' err)
	run 0 --gpu tiny --out res -- ./app fill past
	same "$(value res/launch-000001.json outside_accesses)" 0 "none outside"
	same "$(value res/launch-000002.json outside_accesses)" 8 "outside"
	same "$cycles" \
		"$(value res/launch-000002.json timing.kernel_cycles)" \
		"cycles of the replay"
}

# A folder of results is complete, or marked as incomplete.
folder()
{
	build
	mkdir other
	echo mine >other/notes
	run 1 --out other -- ./app fill
	has err "holds 'notes', which is not a result"
	same "$(ls other)" notes "a folder with something else"
	run 1 --out none/below -- ./app fill
	run 134 --out res -- ./app fill abort
	has res/INCOMPLETE 'killed by signal 6'
	has err 'are incomplete: The program was killed'
	[ ! -e res/program.json ] || fail "complete after abort"
	run 3 --out res -- ./app fill _exit
	has res/INCOMPLETE 'exit status 3 before its results were written'
	run 0 --out res -- ./app fill
	[ ! -e res/INCOMPLETE ] && [ -e res/program.json ] || fail "incomplete"
	run 0 --out res -- true
	has res/INCOMPLETE 'did not use CUDA'
	rm -rf res
	# A shell has its background processes ignore SIGINT.
	env --default-signal=INT "$heddle" exec --gpu tiny --out res \
		-- ./app fill spin show >out 2>err &
	wait_for_file res/launch-000001.json $!
	signal_ends INT 130 $!
	has res/INCOMPLETE 'killed by signal 2'
	[ -e res/launch-000001.json ] || fail "no launch before Ctrl-C"
	run 0 --out res -- sh -c './app fill; ./app scale fill; ./app fill'
	[ ! -e res/INCOMPLETE ] || fail "incomplete: three processes"
	[ -e res/program.json ] && [ -e res/process-3/program.json ] &&
		[ -e res/process-2/launch-000002.json ] || fail "a process lacks"
	run 0 --out res -- sh -c './app fill; ./app _exit; true'
	has res/INCOMPLETE '1 of its 2 processes'
	"$heddle" exec -q --gpu tiny --out res -- ./app fill spin show 2>/dev/null &
	until [ -e res/launch-000001.json ] && [ ! -e res/process-2 ]; do
		sleep 0.1
	done
	run 1 --out res -- ./app fill
	has err 'is in use by another run'
	kill "$!"
	wait "$!" || :
}

# Without `heddle exec`: environment variables suffice.
environment()
{
	build
	HEDDLE_OUT=res HEDDLE_GPU=tiny HEDDLE_QUIET=1 ./app fill show >out 2>err
	[ ! -s err ] || fail "HEDDLE_QUIET=1 says something"
	[ -e res/program.json ] && [ ! -e res/INCOMPLETE ] || fail "incomplete"
	code=0
	HEDDLE_OUT=res HEDDLE_QUIET=1 ./app fill _exit >out 2>err || code=$?
	same "$code" 3 "exit code"
	has res/INCOMPLETE 'has not ended'
	mkdir other
	echo mine >other/notes
	HEDDLE_OUT=other HEDDLE_QUIET=1 ./app fill show >out 2>err
	same "$(cat out)" "1 255" "without results to write"
	has err "holds 'notes'"
	same "$(ls other)" notes "a folder with something else"
}

# rows FILE COLUMN: the values of a column, by its number
rows()
{
	sed '1d; /^#/d' "$1" | cut -d, -f"$2" | tr '\n' ' '
}

# What timed launches do over time, in one file for all of them.
csv()
{
	build
	run 0 --gpu tiny --csv a.csv --out res -- ./app fill scale fork scale show
	same "$(cat out)" "4 1020" "what the program says"
	same "$(head -n 1 a.csv | cut -d, -f1-7)" \
		"launch,at_once,device,kernel,from,to,gpu.cycles" header
	same "$(rows a.csv 1)" "1 2 3 " "numbers of launches"
	same "$(rows a.csv 4)" '"fill" "ns::scale<float>" "ns::scale<float>" ' \
		kernels
	for i in 1 2 3; do
		same "$(rows a.csv 6 | cut -d' ' -f$i)" \
			"$(value res/launch-00000$i.json timing.cycles)" "cycles"
	done
	! ls -A res | grep -v -E 'launch|program|gpu' || fail "files in the folder"
	cycles=$(rows a.csv 6)
	run 0 --gpu tiny --csv b.csv --interval 50 -- ./app fill scale scale
	# Each launch starts at 0, has no gaps and ends where it does.
	sed '1d; s/"//g' b.csv | awk -F, -v want="$cycles" '
	$1 != launch { printf launch ? at " " : ""; launch = $1; at = 0 }
	$5 != at { print "a gap at " $0; exit }
	{ at = $6 }
	END { printf at " " }' >ends
	same "$(cat ends)" "$cycles" "the ends of the launches"
	# Launches at the same time: a row for each, without what they share.
	run 0 --gpu tiny --csv a.csv --out res -- ./app fill beside scale
	same "$(rows a.csv 1)" "1 2 3 4 " "numbers of launches"
	same "$(rows a.csv 2)" "1 2 2 1 " "launches at once"
	same "$(rows a.csv 4)" '"fill" "fill" "spin" "ns::scale<float>" ' kernels
	for column in gpu.cycles sm.instructions lsu.global_stores; do
		number=$(head -n 1 a.csv | tr , '\n' | grep -n "^$column\$")
		for i in 2 3; do
			same "$(rows a.csv "${number%%:*}" | cut -d' ' -f$i)" \
				"$(value res/launch-00000$i.json \
					timing.stats.$column)" \
				"$column of launch $i"
		done
	done
	number=$(head -n 1 a.csv | tr , '\n' | grep -n '^dram.reads$')
	same "$(rows a.csv "${number%%:*}" | cut -d' ' -f2,3)" " " \
		"a statistic that they share"
	same "$(rows a.csv 6 | cut -d' ' -f3)" \
		"$(value res/launch-000003.json timing.kernel_cycles)" "its end"
	run 0 --gpu tiny --csv a.csv --interval 50 -- ./app beside
	same "$(rows a.csv 2 | tr ' ' '\n' | sort -u | tr -d '\n')" 2 intervals
	# Devices, and processes.
	run 0 --gpu tiny --devices 2 --csv a.csv -- ./app fill other scale
	same "$(rows a.csv 3)" "0 1 " devices
	run 0 --gpu tiny --csv a.csv -- sh -c './app fill; ./app; ./app scale'
	same "$(rows a.csv 4)" '"fill" ' "the first process"
	same "$(rows a.csv.2 4)" '"ns::scale<float>" ' "the second process"
	run 8 --gpu tiny --csv a.csv --max-cycles 3000 -- ./app fill spin show
	same "$(tail -n 1 a.csv)" \
		"# cut short: launch 2 after 3000 cycles: cycle limit" "last line"
	HEDDLE_GPU=tiny HEDDLE_CSV=c.csv HEDDLE_QUIET=1 ./app fill >out 2>err
	same "$(rows c.csv 4)" '"fill" ' "with variables alone"
	run 2 --csv a.csv -- ./app fill
	has err '^heddle: error: --csv needs timed launches'
	run 2 --gpu tiny --interval 5 -- ./app fill
	has err '^heddle: error: --interval needs --csv or --timeline'
	run 2 --gpu tiny --interval 0 --csv a.csv -- ./app fill
	run 2 --gpu tiny --csv - -- ./app fill
	has err "standard output is the program's"
	run 1 --gpu tiny --csv app -- ./app fill
	has err '^heddle: error: --csv would overwrite the input'
	run 1 --gpu tiny --csv ./x --timeline x -- ./app fill
	has err 'write the same file'
	! ls -A | grep tmp || fail "temporary files are left"
}

timeline()
{
	build
	run 0 --gpu tiny --devices 2 --timeline a.gz --interval 100 -- \
		./app fill scale fork other scale
	gzip -dc <a.gz >a.json || fail "no gzip file"
	"$json" a.json || fail "no JSON"
	for i in 1 2 3; do
		same "$(grep -c "\"name\": \"launch $i, " a.json)" 1 "launch $i"
	done
	has a.json '"args": \{"launch": 2, "kernel": "ns::scale<float>", "stream": 1, "grid": \[4, 1, 1\]'
	for name in "GPU 0" "GPU 1" "GPU 0 SM 1" "GPU 1 SM 0"; do
		same "$(grep -c "\"process_name\",\"args\":{\"name\":\"$name\"" \
			a.json)" 1 "$name"
	done
	has a.json '"cat":"wait","name":"[a-z]*","args":\{"line": "app.cu:1[0-9]", "instruction": "'
	has a.json '"ph":"C","pid":1,.*"name":"IPC","args":\{"of the GPU":'
	same "$(grep -c '"cat":"block"' a.json)" 12 "blocks of three launches"
	# Launches of a device do not overlap: a row shows one at a time.
	grep '"cat":"block"' a.json |
		sed 's/.*"tid":\([0-9]*\),"ts":\([0-9]*\),"dur":\([0-9]*\).*/\1 \2 \3/' |
		sort -n -k1,1 -k2,2 | awk '
		$1 == row && $2 < end { print; bad = 1 }
		{ row = $1; end = $2 + $3 } END { exit bad }' ||
		fail "blocks overlap"
	same "$(value a.json otherData.whole)" true whole
	run 8 --gpu tiny --timeline a.gz --max-cycles 3000 --timeline-limit 50 \
		-- ./app fill spin show
	has err '^heddle: the timeline has only the first 50 events'
	gzip -dc <a.gz >a.json
	same "$(value a.json otherData.cut)" \
		'"launch 2 after 3000 cycles: cycle limit"' cut
	same "$(value a.json otherData.whole)" false whole
}

# A file is whole or not there, however the program ends.
whole()
{
	build
	files="--csv a.csv --timeline a.gz"
	run 137 --gpu tiny $files -- sh -c './app fill; kill -9 $$'
	[ -e a.csv ] && [ -e a.gz ] || fail "the files of a process that ended"
	run 3 --gpu tiny $files -- ./app fill _exit
	has err "'.*/a.csv' was not written: no launch was timed, or the program ended without"
	run 134 --gpu tiny $files -- ./app fill abort
	has err "'.*/a.gz' was not written: the program was killed by signal 6"
	! ls -A | grep '^a\.' || fail "files of a program that was killed"
	# Whoever kills us, kills the program.
	for signal in TERM KILL; do
		"$heddle" exec --gpu tiny $files -- sh -c \
			'echo $$ >pid; exec ./app fill spin show' >out 2>err &
		exec=$!
		until [ -s pid ] && grep -q 'launch 1' err; do
			sleep 0.05
		done
		kill -$signal $exec
		code=0
		wait $exec 2>/dev/null || code=$?
		case $signal:$code in
		TERM:143 | KILL:137) ;;
		*) fail "exit code $code after $signal" ;;
		esac
		for i in $(seq 100); do
			kill -0 $(cat pid) 2>/dev/null || break
			sleep 0.05
		done
		! kill -0 $(cat pid) 2>/dev/null || fail "a program without $signal"
		[ ! -e a.csv ] && [ ! -e a.gz ] || fail "files after $signal"
		rm -f pid a.*
	done
}

# A trace that cannot be written is lost once, not the program's results.
record()
{
	build
	run 0 --record a.trace -- ./app fill scale show
	if grep -q 'this build has no zstd' err; then
		echo "SKIPPED: this build has no zstd"
		exit 77
	fi
	[ -e a.trace ] || fail "no trace"
	for option in --record "--gpu tiny --csv" "--gpu tiny --timeline"; do
		run 1 $option none/a -- ./app fill show
		[ ! -s out ] || fail "the program has run"
		same "$(cat err)" "heddle: error: ${option##* }: cannot create '$PWD/none/a': No such file or directory" "message"
	done
	echo text >text
	run 1 --record text -- ./app fill show
	same "$(cat text)" text "a file that is not a trace"
	# In mid-run, because files must not grow beyond half a kilobyte.
	code=0
	(
		trap '' XFSZ
		ulimit -f 1
		exec "$heddle" exec -q --record b.trace -- \
			./app fill scale scale show many
	) >out 2>err || code=$?
	same "$code" 1 "exit code"
	same "$(cat out)" "4 1020" "what the program says"
	same "$(grep -c . err)" 1 "lines of messages"
	has err "^heddle: error: .*File too large; no trace is written$"
	! ls -A | grep '^b\.' || fail "a part of a trace"
	[ -w /dev/full ] || return 0
	for option in --record --csv --timeline; do
		run 1 -q --gpu tiny $option /dev/full -- ./app fill scale many show
		same "$(cat out)" "1 255" "what the program says with $option"
		same "$(grep -c . err)" 1 "lines of messages"
		has err "^heddle: error: .*No space left on device; no "
		run 5 -q --gpu tiny $option /dev/full -- ./app fill 5
	done
}

# The program names folders that come before the library path.
rpath()
{
	build
	mkdir fake
	cc -shared -o fake/libcudart.so.13 -Wl,-soname,libcudart.so.13 -x c - \
		</dev/null 2>err || fail "cannot make a library"
	build -Xlinker --disable-new-dtags,-rpath,"$PWD/fake"
	if ! readelf -d app | grep -q '(RPATH).*fake'; then
		echo "SKIPPED: the linker makes no RPATH"
		exit 77
	fi
	run 0 -- ./app fill show
	same "$(cat out)" "1 255" "what the program says"
}

# nvcc's default links another runtime than Heddle's. One line says what to do.
static()
{
	need_library
	command -v nvcc >/dev/null || {
		echo "SKIPPED: no nvcc"
		exit 77
	}
	nvcc -w -arch=sm_80 -o app "$sources/app.cu" 2>err || fail "nvcc"
	"$heddle" exec -- ./app >out 2>err || :
	has err "^heddle: './app' is not linked with the shared CUDA runtime; .*-cudart shared'\$"
	nvcc -w -arch=sm_80 -cudart shared -o app "$sources/app.cu" 2>err ||
		fail "nvcc"
	run 0 -- ./app fill scale show
	same "$(cat out)" "2 510" "what the program says"
	lacks err 'is not linked'
}

"$case"
echo ok
