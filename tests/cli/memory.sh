#!/bin/sh
# Does `heddle run --memory` do what its manual promises?
#
#	memory.sh HEDDLE
set -eu
. "$(dirname "$0")/checks"
heddle=$1
ptx=$(cd "$(dirname "$0")" && pwd)/saxpy.ptx
enter_new_folder

# run CODE WORD...: 1024 threads on arrays of 1000 words
run()
{
	want=$1
	shift
	heddle_ends "$want" run "$ptx" --kernel saxpy --grid 8 --block 128 --arg 1024 --arg 2.5 \
		--arg x:f32[1000]=iota --arg y:f32[1000] --arg 1 "$@"
}

run 3
has err 'illegal address: 4-byte load from global memory at 0x2000008010a0, where nothing is allocated'
run 3 --memory strict
run 3 --memory hardware --memory strict
run 3 --memory 1G
run 3 --memory 16M --gpu tiny

for how in "--threads 1" "--threads 3" "--gpu tiny" \
	"--gpu tiny --engine exact --threads 2"; do
	# shellcheck disable=SC2086
	run 0 --memory 16M --memory hardware --repeat 3 --hash y $how
	{ cat out && grep '^heddle: warning' err; } >now
	[ ! -e before ] || cmp before now || fail "not the same with $how"
	mv now before
done
# Two loads and a store, each at a line of its own, and each once.
same "$(grep -c warning before)" 3 warnings
has before '^heddle: warning: kernel saxpy, .*saxpy.ptx:29: 4-byte load from global memory at 0x2000008010a0, just past the end of the allocation of 4000 bytes at 0x200000800100 \(24 such accesses in this launch\)$'
has before 'saxpy.ptx:32: 4-byte store to global memory at '

run 2 --memory hard
has err '^heddle: error: --memory hard: expected a number of at least 1 \(bytes\), strict or hardware'
run 2 --memory 0
has err '^heddle: error: --memory 0: expected a number of at least 1 \(bytes\), strict or hardware'
echo ok
