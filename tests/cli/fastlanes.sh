#!/bin/sh
# heddle fastlanes: fastlanes.sh HEDDLE CASE
set -eu
heddle=$1
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

fail()
{
	echo "fastlanes.sh: $*" >&2
	exit 1
}

# The command must fail with the exit code and print the text on stderr.
refused()
{
	want=$1 text=$2
	shift 2
	code=0
	"$@" >out 2>err || code=$?
	[ "$code" -eq "$want" ] || fail "$*: exit code $code, not $want"
	grep -qF -- "$text" err || fail "$*: no '$text' in: $(cat err)"
}

case $2 in
compile)
	"$heddle" fastlanes compile "$here/saxpy.ptx" --kernel saxpy -o saxpy.code
	"$heddle" fastlanes dis saxpy.code >listing
	grep -q '^saxpy:$' listing || fail "no kernel in $(cat listing)"
	grep -q '  ffma\.rn r[0-9]*, r[0-9]*, r[0-9]*, r[0-9]*$' listing ||
		fail "no ffma in $(cat listing)"
	"$heddle" fastlanes dis saxpy.code -o same
	cmp listing same
	# The same program gives the same file.
	"$heddle" fastlanes compile "$here/saxpy.ptx" --kernel saxpy -o again.code
	cmp saxpy.code again.code
	;;
run)
	"$heddle" fastlanes compile "$here/saxpy.ptx" --kernel saxpy -o saxpy.code
	set -- --grid 4 --block 256 --arg 1000 --arg 2.5 \
		--arg 'x:f32[1024]=random' --arg 'y:f32[1024]=random:1:9' --arg 3
	# The memory of PTX, and the same cycles in every run.
	"$heddle" run "$here/saxpy.ptx" --kernel saxpy "$@" --hash y -q >want
	"$heddle" fastlanes run saxpy.code "$@" --hash y --json a.json >got 2>stats
	cmp want got
	"$heddle" fastlanes run saxpy.code --on model "$@" --json b.json -q 2>quiet
	cmp a.json b.json
	[ ! -s quiet ] || fail "-q prints $(cat quiet)"
	grep -q '"cycles": [1-9]' a.json || fail "no cycles in $(cat a.json)"
	grep -q '^  cycles  *[1-9]' stats || fail "no cycles in $(cat stats)"
	# An event for each instruction.
	"$heddle" fastlanes run saxpy.code "$@" -q --events events
	count=$(sed -n 's/.*"instructions": \([0-9]*\).*/\1/p' a.json)
	[ "$(wc -l <events)" -eq "$count" ] || fail "not $count events"
	[ "$(head -n 1 events)" = "1 0 0 0 ffffffff" ] || fail "$(head -n 1 events)"
	# Parameters change time, not memory.
	"$heddle" fastlanes run saxpy.code "$@" --hash y -q -o sm.count=2 \
		-o mem.dram_latency=200 --slice 7 --json c.json >got
	cmp want got
	! cmp -s a.json c.json || fail "the same cycles on another machine"
	"$heddle" fastlanes run saxpy.code "$@" --expect y=fill:0 -q 2>err && \
		fail "a comparison that cannot hold"
	refused 3 "an illegal address: block 0,0,0, warp 0, lane 0, instruction" \
		"$heddle" fastlanes run saxpy.code --arg 1 --arg 1 --arg 0 \
		--arg 0 --arg 1
	refused 3 "cycles of --max-cycles have passed" \
		"$heddle" fastlanes run saxpy.code "$@" --max-cycles 100
	refused 1 "a block of 2048 x 1 x 1 threads" "$heddle" fastlanes run \
		saxpy.code "$@" --block 2048
	refused 1 "the kernel takes 5 parameters" "$heddle" fastlanes run \
		saxpy.code --arg 1
	refused 2 "expected model" "$heddle" fastlanes run saxpy.code --on rtl
	refused 1 "FastLanes has at most 64 multiprocessors" "$heddle" \
		fastlanes run saxpy.code "$@" --gpu h200
	;;
usage)
	"$heddle" fastlanes --help | grep -q '^  compile ' || fail "no list"
	refused 2 "unknown command 'fastlanes compil', did you mean" \
		"$heddle" fastlanes compil
	refused 2 "-o FILE is missing" \
		"$heddle" fastlanes compile "$here/saxpy.ptx"
	refused 2 "no program given" "$heddle" fastlanes dis
	;;
errors)
	"$heddle" fastlanes compile "$here/saxpy.ptx" --kernel saxpy -o saxpy.code
	sed 's/fma.rn.f32.*/add.f64 %fd1, %fd1, %fd1;/; s/\.reg \.b64/.reg .f64 %fd<2>; &/' \
		"$here/saxpy.ptx" >double.ptx
	refused 1 "add.f64: FastLanes has no double precision" \
		"$heddle" fastlanes compile double.ptx --kernel saxpy -o double.code
	[ ! -e double.code ] || fail "a file of a refused program"
	refused 1 "no kernel named 'daxpy'" "$heddle" fastlanes compile \
		"$here/saxpy.ptx" --kernel daxpy -o x.code
	refused 1 "not a CODE file" "$heddle" fastlanes dis "$here/saxpy.ptx"
	head -c 300 saxpy.code >cut.code
	refused 1 "cut.code: 300 bytes, but the header says" \
		"$heddle" fastlanes dis cut.code
	# The last byte but the padding belongs to the code.
	size=$(wc -c <saxpy.code)
	head -c $((size - 1)) saxpy.code >bad.code
	printf '\377' >>bad.code
	refused 1 "bad.code: section CODE: its checksum is wrong" \
		"$heddle" fastlanes dis bad.code
	refused 1 "saxpy.code" "$heddle" fastlanes dis saxpy.code -o saxpy.code
	;;
*)
	fail "no case $2"
	;;
esac
