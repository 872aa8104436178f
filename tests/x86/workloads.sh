#!/bin/sh
# Does a program of workloads/system compute the same natively and as a guest, on any
# number of threads, and is its parallel section one region?
#
#	workloads.sh HEDDLE WORKLOADS PROGRAM SIZE
set -eu
heddle=$1
workloads=$2
program=$3
size=$4
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/checks"
enter_new_folder

case $(uname -m) in
x86_64) cc=gcc native=yes ;;
*) cc=x86_64-linux-gnu-gcc native= ;;
esac
command -v $cc >/dev/null || { echo "no $cc"; exit 77; }
# A machine without the static libraries of C cannot build it.
$cc -O2 -Wall -Wextra -Werror -static -fopenmp -I"$workloads/../../include" \
	-o "$program" "$workloads/$program.c" -lm 2>err || {
	cat err
	exit 77
}

for threads in 1 2 3; do
	if [ "$native" ]; then
		HEDDLE_REGIONS=1 "./$program" "$size" $threads >out 2>err ||
			fail "native, $threads threads"
		same "$(cat out)" "$program $size: ok" "$threads threads"
		has err '^region 1: [0-9]+ ns$'
	fi
	heddle_ends 0 system --env OMP_NUM_THREADS=$threads --json json -- \
		"./$program" "$size"
	same "$(cat out)" "$program $size: ok" "guest, $threads threads"
	has err "executed .* $threads thread"
	has json '"region": 1, "entries": 1, "threads": 1, '
done
heddle_ends 2 system -q -- "./$program" 0
has err "usage: $program"
heddle_ends 2 system -q -- "./$program" "$size" 0
