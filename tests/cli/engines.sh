#!/bin/sh
# Does `heddle engines` compare engines as its manual promises?
#
#	engines.sh HEDDLE JSON-CHECKER CASE
#
# On the GPU `tiny`, which is small enough to be quick. Exits with 77, skipped,
# if the library that programs need is missing.
set -eu
. "$(dirname "$0")/checks"
heddle=$1
json=$2
case=$3
tests=$(cd "$(dirname "$0")" && pwd)
enter_new_folder
cp "$tests/saxpy.ptx" .

# run CODE WORD...
run()
{
	want=$1
	shift
	heddle_ends "$want" engines "$@"
}

# A kernel of 8 blocks for `heddle run`; $1: what follows.
saxpy()
{
	echo "saxpy.ptx --kernel saxpy --grid 8 --block 128 --arg 1000 --arg 2" \
		"--arg x:f32[1000]=iota --arg y:f32[1000] --arg ${1:-2}"
}

# sums FILE HEADING FIRST LAST: these columns of the lines under the heading,
# counted from the end, add up to 100 but for rounding.
sums()
{
	awk -v heading="$2" -v first="$3" -v last="$4" '
	index($0, heading) { on = 1; next }
	on && /^$/ { on = 0 }
	on && !/program/ { sum = 0; rows++
		for (i = first; i >= last; i--) sum += $(NF - i)
		if (sum < 99.7 || sum > 100.3) { print sum ": " $0; bad = 1 } }
	END { if (!rows) print "no rows"; exit bad || !rows }' "$1" ||
		fail "$2 does not add up"
}

tables()
{
	run 0 --gpu tiny --runs 2 --engines exact,cycle --threads 2 \
		"$(saxpy)" "$(saxpy 5)"
	has out '^tiny \(tiny\), 2 threads, 2 runs of each$'
	has out '^Speed-up over serial'
	has out '^  program .* serial s M instr/s +exact +cycle$'
	same "$(grep -cE '^  saxpy.ptx .*( +0\.00){4}$' out)" 2 \
		"programs without any error"
	same "$(grep -cE '^  saxpy.ptx .*( +100.00 +0\.00){2}$' out)" 2 \
		"programs with accurate SMs"
	sums out 'Warp-instructions' 8 4
	sums out 'Warp-instructions' 3 0
	lacks out '^Late messages'
	has err '^heddle: 1 of 16: saxpy.ptx .*, serial, run 1: [0-9,]+ cycles'
	has err '^heddle: 16 of 16: .*, serial with --host-time, run 2: [0-9,]+ c'
}

# Inexact engines say how many messages were late; with one thread the drift is
# the same in every run.
drift()
{
	run 0 -q --gpu tiny --runs 2 --engines slack:10,slack:500,workgroup \
		--threads 1 --json all.json --out kept "$(saxpy)"
	has out '^  program .* serial s M instr/s +slack:10 +slack:500 +workgroup$'
	has out '^Late messages'
	has kept/engines-cycles.csv 'slack:500 error %,slack:500 variation %,slac'
	same "$(grep -c '"exact": false' all.json)" 3 "engines that may be wrong"
	same "$(grep -c '"variation_percent": 0,' all.json)" 4 \
		"engines whose runs are the same"
	same "$(grep -cE '"late_messages": [1-9]' all.json)" 6 \
		"runs and engines with late messages"
}

as_json()
{
	run 0 -q --gpu tiny --runs 2 --engines cycle --json - "$(saxpy)"
	"$json" out || fail "the standard output is no JSON"
	[ ! -s err ] || fail "--quiet is not quiet"
	same "$(value out gpu)" '"tiny"' gpu
	same "$(value out runs)" 2 runs
	same "$(value out programs)" 1 programs
	same "$(grep -c '"error_percent": 0,' out)" 2 "engines without error"
	same "$(grep -c '"cycles": [0-9]*,' out)" 6 "cycles of runs and sums"
	same "$(grep '"cycles": ' out | tr -d ' ' | sort -u | wc -l)" 1 "different cycles"
}

# All results are kept, and the next comparison replaces them and nothing else.
folders()
{
	run 0 -q --gpu tiny --runs 1 --engines exact --out kept "$(saxpy)"
	[ ! -e kept/INCOMPLETE ] || fail "incomplete: $(cat kept/INCOMPLETE)"
	"$json" kept/engines.json || fail "engines.json is no JSON"
	"$json" kept/runs/1-saxpy.ptx/exact-1.json || fail "no raw result"
	for f in speed cycles sms sms-1 blocks mix; do
		[ "$(wc -l <kept/engines-$f.csv)" -ge 2 ] || fail "engines-$f.csv"
	done
	# As many fields in each line of numbers as its head has names.
	awk -F, 'FNR == 1 { n = NF } { sub(/^"[^"]*"/, "") }
		NF != n { print FILENAME ": " $0; bad = 1 } END { exit bad }' \
		kept/engines-*.csv || fail "fields of CSV"
	for f in speed cycles sms sms-1 mix; do
		[ -s kept/engines-$f.gp ] || fail "engines-$f.gp"
		command -v gnuplot >/dev/null || continue
		has kept/engines-$f.svg '</svg>'
		[ -s kept/engines-$f.png ] || fail "engines-$f.png"
	done
	(
		PATH=$folder
		"$heddle" engines -q --gpu tiny --runs 1 --out kept "$(saxpy)" \
			>out 2>err
	) || fail "without gnuplot"
	has err 'no plots, because gnuplot is not installed'
	[ ! -e kept/engines-speed.svg ] || fail "an old plot was left"
	echo mine >kept/notes
	run 1 -q --gpu tiny --out kept "$(saxpy)"
	has err "holds 'notes', which is not from an earlier comparison"
	same "$(cat kept/notes)" mine "a file of somebody else"
	[ -e kept/engines.json ] || fail "an earlier result was removed"
}

# A program that fails is named; the others are still compared.
failures()
{
	run 3 --gpu tiny --runs 1 --engines exact --json all.json \
		"saxpy.ptx --kernel no" "$(saxpy)"
	has err "error: saxpy.ptx --kernel no, serial, run 1: exit status 1: .*no kernel named 'no'"
	has out '^  saxpy.ptx --kernel no +- +- +-$'
	has out '^  saxpy.ptx --kernel saxpy .* 100.00 +0.00$'
	"$json" all.json || fail "no JSON after a failure"
	has all.json '"why": "exit status 1: '
}

errors()
{
	run 2
	has err 'no program given'
	run 2 --runs 0 x
	run 2 --runs 1001 x
	run 1 --engines exact,exat x
	has err "no engine named 'exat'; there are: serial, exact"
	run 1 --gpu tniy x
	has err "no GPU named 'tniy', did you mean 'tiny'"
	run 1 -o sm.coutn=1 x
	run 1 "x 'y"
	has err 'a quote is not closed'
	run 0 --help
	has out '^  --engines LIST'
}

# Ctrl-C ends the child and shows the results so far.
interrupt()
{
	: >err
	"$heddle" engines --gpu tiny --runs 1 --engines exact --out kept \
		"$(saxpy)" "$(saxpy 100000000)" >out 2>err &
	pid=$!
	for i in $(seq 100); do
		! grep -q '3 of 6' err || break
		sleep 0.1
	done
	sleep 0.5
	has kept/INCOMPLETE '^The comparison has not ended\.$'
	kill -INT $pid
	code=0
	wait $pid || code=$?
	same "$code" 130 "exit code after Ctrl-C"
	has out '^  saxpy.ptx .* 100.00 +0.00$'
	has kept/INCOMPLETE '^The comparison was interrupted\.$'
	# The next one replaces it.
	run 0 -q --gpu tiny --runs 1 --engines exact --out kept "$(saxpy)"
	[ ! -e kept/INCOMPLETE ] || fail "still incomplete"
}

# Whole programs, by `heddle exec`.
programs()
{
	[ -e "$(dirname "$heddle")/lib/cuda/libcudart.so.13" ] || {
		echo "SKIPPED: no libcudart in this build"
		exit 77
	}
	for p in clock scan; do
		"$heddle" cc -O2 -o $p "$tests/../../workloads/$p.cu" 2>err ||
			fail "$p does not compile"
	done
	# What whoever tests has set does not count.
	export HEDDLE_FUNCTIONAL=1 HEDDLE_DEVICES=2 HEDDLE_OUT=elsewhere
	run 3 --gpu gtx285 --runs 2 --engines exact,cycle --threads 2 \
		'./clock 8' './scan 1024 2' './clock 0' ./none
	same "$(grep -cE '^  (clock 8|scan 1024 2) .*( +0\.00){4}$' out)" 2 \
		"programs without any error"
	same "$(grep -cE '^  (clock 8|scan 1024 2) .*( +100.00 +0\.00){2}$' out)" \
		2 "programs with accurate SMs"
	has err 'error: clock 0, serial, run 1: exit status 2: usage: clock'
	has err 'error: none, serial, run 1: exit status 127'
	[ ! -e elsewhere ] || fail "a folder of results that nobody asked for"
}

"$case"
echo ok
