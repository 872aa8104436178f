#!/bin/sh
# Is a result ever lost, or taken for what it is not?
#
#	lost.sh HEDDLE JSON-CHECKER CASE
set -eu
. "$(dirname "$0")/checks"
heddle=$1
json=$2
case=$3
ptx=$(cd "$(dirname "$0")" && pwd)/saxpy.ptx
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# run CODE WORD...
run()
{
	want=$1
	shift
	code=0
	"$heddle" "$@" >out 2>err || code=$?
	[ "$code" = "$want" ] || fail "exit code $code, not $want: $*"
}

# launch CODE OPTION...: a small run, of 1,000 elements in 8 blocks
launch()
{
	want=$1
	shift
	run "$want" run "$ptx" --kernel saxpy --grid 8 --block 128 --arg 1000 \
		--arg 2 --arg "x:f32[1000]=iota" --arg "y:f32[1000]" \
		--arg "${times:-2}" "$@"
}

# A run that did not complete is not compared as if it were a fast one, and its
# page says so.
cut_short()
{
	launch 0 --gpu tiny --json whole.json
	launch 3 --gpu tiny --max-cycles 200 --json cut.json
	for runs in "whole.json cut.json" "cut.json whole.json"; do
		run 1 compare $runs --json c.json --html c.html
		has err "'cut.json' was cut short in launch 1, saxpy: cycle limit"
		run 1 compare $runs
		[ ! -s out ] || fail "a comparison with a run that was cut short"
	done
	[ ! -e c.json ] && [ ! -e c.html ] || fail "files of a refused comparison"
	run 0 report cut.json
	has cut.html 'Launch 1 was cut short: cycle limit'
	# Interrupted between two launches: each is complete, but not the run.
	sed 's/"status": "ok"/"status": "interrupted"/' whole.json >between.json
	run 1 compare whole.json between.json
	has err "'between.json' is incomplete: it was interrupted"
	run 0 report between.json
	has between.html 'The run is incomplete: it was interrupted'
	sed 's/"whole": true/"whole": false/' whole.json >half.json
	run 1 compare whole.json half.json
	has err "'half.json' was cut short in launch 1, saxpy$"
	run 0 compare whole.json whole.json
}

"$case"
echo ok
