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

# Regular files are replaced; everything else is written through.
through()
{
	launch 0 --gpu tiny --json run.json
	run 0 report run.json --out page.html
	mkfifo pipe
	cat pipe >copy &
	reader=$!
	run 0 report run.json --out pipe
	wait $reader
	[ -p pipe ] || fail "the pipe is gone"
	cmp page.html copy || fail "the pipe has another page"
	mkdir else
	echo old >else/file
	chmod 600 else/file
	ln -s else/file link
	ln -s link second
	ln -s else/new dangling
	ln -s loop loop
	run 0 report run.json --out second
	[ -L second ] && [ -L link ] || fail "a link is gone"
	cmp page.html else/file || fail "a link to another page"
	same "$(ls -l else/file | cut -c 1-10)" "-rw-------" rights
	run 0 report run.json --out dangling
	[ -L dangling ] || fail "a link without a file is gone"
	cmp page.html else/new || fail "a link to no page"
	run 1 report run.json --out loop
	has err "cannot create 'loop': Too many levels of symbolic links"
	run 1 report run.json --out else
	has err "cannot create 'else': Is a directory"
	echo first >file
	"$heddle" report run.json --out /dev/stdout >>file 2>err
	! ls -A . else | grep tmp || fail "temporary files are left"
	if mknod null c 1 3 2>err; then
		run 0 report run.json --out null
		[ -c null ] || fail "the device is gone"
		run 0 compare run.json run.json --json null
		[ -c null ] || fail "the device is gone"
	fi
	if mknod full c 1 7 2>err && [ -w full ]; then
		run 1 report run.json --out full
		has err "cannot write 'full': No space left on device"
		[ -c full ] || fail "the full device is gone"
	fi
}

"$case"
echo ok
