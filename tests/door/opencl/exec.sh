#!/bin/sh
# exec.sh BUILD: what `heddle exec` gives CUDA programs it gives those of OpenCL.
set -eu
build=$1
WORKLOADS=$(cd "$(dirname "$0")/../../../workloads/opencl" && pwd)
export WORKLOADS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
h=$build/heddle app=$build/tests/opencl/reduction
fail() { echo "FAILED: $1"; exit 1; }

for gpu in h200 hd7970; do
	"$h" exec --gpu $gpu --out one --csv one.csv --timeline one.json -- "$app" \
		2>err || { cat err; fail "exec --gpu $gpu"; }
	grep -q 'launch 2, reduction: .*cycles' err || fail "$gpu: no line of launch 2"
	[ "$(wc -l <one.csv)" = 3 ] || fail "$gpu: CSV has other rows"
	gzip -dc one.json | grep -q reduction || fail "$gpu: no launch in the timeline"
	"$h" report one >/dev/null 2>&1 || fail "$gpu: report"
	# Lines are those of the program's source, which is in no file.
	grep -A 1 '"file": "./program.cl"' one/launch-000002.json |
		grep -q '"line": [1-9]' || fail "$gpu: no line of the source"
	line=$(grep -o '"source": *"[^"]*' one/launch-000002.json | head -n 1 |
		sed 's/.*"//; s/\\u0009//g')
	grep -qF "$line" "$WORKLOADS/reduction.cl" || fail "$gpu: not a line: $line"
	# Threads change nothing.
	"$h" exec -q --gpu $gpu --engine exact --threads 2 --out two -- "$app" \
		>/dev/null
	"$h" compare one two --all | grep -q 'statistics are the same' ||
		fail "$gpu: two threads give another result"
	"$h" exec --gpu $gpu --kernels first:1 -- "$app" 2>&1 |
		grep -q 'launch 2.*functional' || fail "$gpu: launch 2 is timed"
	rm -rf one two one.csv one.json
done

# A trace takes the same cycles.
"$h" exec --gpu h200 -- "$app" 2>&1 | sed -n 's/.*block.* \([0-9,]*\) cycles.*/\1/p' >want
"$h" trace record -q --record r.trace -- "$app" >/dev/null
"$h" run r.trace --gpu h200 2>&1 | sed -n 's/.* \([0-9,]*\) cycles$/\1/p' >got
cmp want got || fail "the replay takes other cycles"
"$h" exec --gpu hd7970 -- "$app" 2>&1 | sed -n 's/.*block.* \([0-9,]*\) cycles.*/\1/p' >want
for how in "" --functional; do
	rm -f r.trace
	"$h" exec -q --gpu hd7970 $how --record r.trace -- "$app" >/dev/null 2>&1
	"$h" run r.trace --gpu hd7970 2>&1 |
		sed -n 's/.* \([0-9,]*\) cycles$/\1/p' >got
	cmp want got || fail "the replay on compute units takes other cycles"
done

# A sweep of a program that is recorded once, and of one that runs at each point.
cat >s.sweep <<EOF
gpu = "hd7970"
program recorded { exec = "$app"; record = yes }
program ran { exec = "$app" }
vary l2.bytes = 384K, 768K
EOF
"$h" sweep s.sweep --workers 1 >out 2>&1 || { cat out; fail "sweep"; }
grep -q '6 points, 6 done, 0 failed' out || { cat out; fail "points of the sweep"; }
"$h" engines -q --gpu hd7970 --engines serial,exact --threads 2 --runs 1 --json e.json \
	"$app" >out 2>&1 || { cat out; fail "engines"; }
grep -q 'reduction .* 0.00 *0.00' out || { cat out; fail "engines differ"; }
"$h" sweep report s.db >/dev/null 2>&1 || fail "sweep report"
