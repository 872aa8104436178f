#!/bin/sh
# Runs a program of tests on engines and threads, ENGINE/THREADS each:
#
#	all.sh same PROGRAM FILTER serial/1 exact/2 ...
#	all.sh pass PROGRAM FILTER slack:50/3 ...
#
# The tests must pass. With `same`, what every launch leaves in memory, its cycles
# and all of its statistics must be those of the first one.
set -eu
what=$1 program=$2 filter=$3
shift 3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
first=
for run; do
	log=$dir/$(echo "$run" | tr /: __)
	if ! HEDDLE_TEST_ENGINE=${run%/*} HEDDLE_TEST_THREADS=${run##*/} \
		HEDDLE_TEST_LOG=$log "$program" "$filter" >"$dir/out" 2>&1; then
		cat "$dir/out"
		echo "failed on $run"
		exit 1
	fi
	[ -s "$log" ] || { echo "nothing was timed on $run"; exit 1; }
	first=${first:-$log}
	[ "$what" = pass ] || cmp "$first" "$log" ||
		{ echo "$run is not ${1}"; diff "$first" "$log" | head; exit 1; }
done
echo "$(wc -l <"$first") lines, $# runs"
