#!/bin/sh
# Do the commands of `heddle trace` answer as their manual says?
#
#	trace.sh HEDDLE JSON-CHECKER CASE
set -eu
. "$(dirname "$0")/checks"
heddle=$1
json=$2
case=$3
ptx=$(cd "$(dirname "$0")" && pwd)/saxpy.ptx
enter_new_folder

# record N FILE OPTION...: N elements of 1,000, in 8 blocks of 128 threads
record()
{
	code=0
	n=$1
	to=$2
	shift 2
	"$heddle" run "$ptx" --kernel saxpy --grid 8 --block 128 --arg "$n" \
		--arg 2 --arg "x:f32[1000]=iota" --arg "y:f32[1000]" --arg 2 \
		--quiet --record "$to" "$@" >out 2>err || code=$?
	if grep -q 'this build has no zstd' err; then
		echo "this build has no zstd"
		exit 77
	fi
	[ $code = 0 ] || fail "exit code $code of the recording"
}

# trace CODE ARGUMENT...
trace()
{
	want=$1
	shift
	heddle_ends "$want" trace "$@"
}

replay()
{
	want=$1
	shift
	heddle_ends "$want" run "$@"
}

case $case in
info)
	record 1000 a.trace
	trace 0 info a.trace
	[ ! -s err ] || fail "something on the standard error"
	has out '^a.trace: .*, complete$'
	has out '^  module    0: .*saxpy.ptx$'
	has out '^  copies    1 to the device \(4.00 kB\)'
	has out '^      0  saxpy: grid 8x1x1, block 128x1x1$'
	has out '8 work-groups, [0-9]+ warp-instructions, 0\.[0-9]+ bytes each$'
	trace 0 info --json a.trace
	[ "$("$json" out whole)" = true ] || fail "not whole"
	has out '"kernel": "saxpy"'
	[ "$("$json" out work_groups)" = 8 ] || fail "not 8 work-groups"
	;;
show)
	record 1000 a.trace
	trace 0 show a.trace --block 7 --warp 3 --limit 0
	has out '^launch 0: saxpy, grid 8x1x1, block 128x1x1$'
	has out '^block 7,0,0 warp 3$'
	# Elements 992 to 999 are left for the last warp.
	has out '000000ff .*ld.global.f32 .*saxpy.*:[0-9]+$'
	has out '^ +read global 4 B: lanes 0-7 0x[0-9a-f]+80\+4$'
	has out '^ +write global 4 B: lanes 0-7 0x[0-9a-f]+\+4$'
	trace 0 show a.trace --limit 5
	[ "$(grep -c ffffffff out)" = 5 ] || fail "not 5 instructions"
	has out '^\.\.\. [0-9]+ more of this warp; --limit 0 shows all$'
	trace 1 show a.trace --block 8
	has err 'outside the grid of saxpy, 8x1x1, counted from 0'
	trace 1 show a.trace --warp 4
	has err 'a work-group of saxpy has 4 warps'
	trace 1 show a.trace --launch 1
	has err 'a.trace has no launch 1'
	;;
texels)
	# Texels of an array lie in tiles: 16 bytes by two rows to a sector.
	# Lanes from 20 on are not in the second fetch.
	"$heddle" run "$(dirname "$ptx")/fetch.ptx" --kernel fetch --grid 2 \
		--block 32 --arg 'tex2d:f32[32x32]=iota' --arg 'out:f32[64]' \
		--record a.trace --quiet >out 2>err || true
	! grep -q 'this build has no zstd' err || exit 77
	trace 0 show a.trace --block 1 --limit 0
	has out 'ffffffff .*tex.2d.v4.f32.s32'
	has out '^ +read global 4 B: lanes 0-3 0x[0-9a-f]+10\+4 lanes 4-7 0x[0-9a-f]+30\+4'
	has out '000fffff .*@%p1 tex.2d.v4.f32.s32'
	has out '^ +read global 4 B: lanes 0-1 0x[0-9a-f]+04\+16 lanes 2-3 0x[0-9a-f]+44\+16'
	trace 0 map a.trace --gpu tiny --out m -o lsu.coalesce=64
	cp m/sm001.txt out
	has out '^0 [0-9]+ 000000ff global tex.2d.v4.f32.s32 r 0x[0-9a-f]+ 64$'
	;;
diff)
	record 1000 a.trace
	record 1000 b.trace
	record 990 c.trace
	trace 0 diff a.trace b.trace
	has out '^work-groups +8 compared, +0 differ$'
	trace 4 diff a.trace c.trace
	has out '^launches +1 compared, +1 differ, the first is number 0$'
	has out '^work-groups +8 compared, +1 differ$'
	has out '^first in launch 0, block 7,0,0, warp 2, its instruction'
	trace 2 diff a.trace
	has err 'expected two traces'
	# A recording that was interrupted early has no launch.
	head -c 300 a.trace >none.trace
	trace 0 diff none.trace none.trace
	has out '^launches +0 compared, +0 differ$'
	trace 4 diff a.trace none.trace
	has out '^launches +1 compared, +1 differ, the first is number 0$'
	trace 4 diff none.trace a.trace
	has out '^work-groups +0 compared, +0 differ$'
	;;
map)
	record 1000 a.trace
	trace 0 map a.trace --gpu tiny --out m -o lsu.coalesce=64
	has out '^m: 2 files, one for each SM of '
	has out '^  work-groups +8$'
	ls m >out
	[ "$(cat out)" = "$(printf 'sm000.txt\nsm001.txt')" ] || fail "files"
	[ "$(grep '^block' m/sm001.txt)" = "$(printf 'block %d 0 0\n' 1 3 5 7)" ] ||
		fail "every other block on the second SM"
	cp m/sm001.txt out
	# A warp reads 128 bytes: two accesses of 64, each by half of it.
	has out '^0 [0-9]+ 0000ffff global ld.global.f32 r 0x[0-9a-f]+ 64$'
	has out '^0 [0-9]+ ffff0000 global ld.global.f32 r 0x[0-9a-f]+ 64$'
	has out '^0 [0-9]+ ffffffff reg fma.rn.f32 fp32$'
	# Its last one has 8 lanes left.
	has out '^3 [0-9]+ 000000ff global st.global.f32 w 0x[0-9a-f]+ 64$'
	trace 2 map a.trace --out m
	has err '--gpu is missing'
	;;
damage)
	record 1000 a.trace
	size=$(wc -c <a.trace)
	# Cut in its last part: everything but the index is there.
	head -c $((size - 30)) a.trace >cut.trace
	trace 1 info cut.trace
	has err 'warning: cut.trace: byte [0-9]+: '
	has out '^cut.trace: .*, damaged$'
	has out '8 work-groups'
	trace 0 show cut.trace --warp 0
	has out 'ld.global.f32'
	# Cut in the work-groups: the launch is there, without them.
	trace 0 info --json a.trace
	head -c $((size - 200)) a.trace >cut.trace
	trace 1 info cut.trace
	has out 'incomplete'
	# One byte of the work-groups is another one.
	{
		head -c $((size - 200)) a.trace
		printf '\377'
		tail -c 199 a.trace
	} >bad.trace
	cmp -s a.trace bad.trace && fail "nothing was damaged"
	trace 1 info bad.trace
	has err 'warning: bad.trace: byte [0-9]+: .* is wrong'
	# It is replayed only if that is said; nothing of it is whole.
	replay 3 bad.trace
	has err 'launch 0.*: the checksum of its body is wrong'
	replay 1 bad.trace --partial
	has err 'byte .*; 1 incomplete launches are left out'
	# Of two launches the second is cut off.
	record 1000 two.trace --repeat 2
	head -c $(($(wc -c <two.trace) - 130)) two.trace >cut.trace
	trace 1 info cut.trace
	has out '^      1  saxpy: '
	replay 1 cut.trace
	has err 'cut.trace: the trace is damaged: byte'
	replay 0 cut.trace --partial --gpu tiny
	has err 'warning: cut.trace: byte .*; 1 incomplete launches'
	has err '^  executed  8 blocks, 1,024 threads$'
	trace 1 info "$ptx"
	has err 'not a Heddle trace'
	trace 1 info nowhere.trace
	has err 'nowhere.trace: No such file'
	;;
usage)
	trace 2
	has err '^Usage: heddle trace COMMAND'
	trace 0 --help
	for c in record info show diff map; do
		has out "^  $c  "
		"$heddle" trace $c --help >help || fail "no help of $c"
		grep -q "^Usage: heddle trace $c " help || fail "help of $c"
	done
	trace 2 inof a
	has err "did you mean 'trace info'"
	trace 2 info
	has err 'no trace given'
	trace 2 info a b
	has err "unexpected argument 'b': expected 1 trace"
	;;
replay)
	# The statistics of a replay are those of the run: the same lines.
	record 1000 a.trace
	"$heddle" run "$ptx" --kernel saxpy --grid 8 --block 128 --arg 1000 \
		--arg 2 --arg "x:f32[1000]=iota" --arg "y:f32[1000]" --arg 2 \
		--gpu tiny --quiet --json live.json
	code=0
	"$heddle" run a.trace --gpu tiny --json replay.json >out 2>err || code=$?
	[ $code = 0 ] || fail "exit code $code of the replay"
	has err '^saxpy: grid 8x1x1, block 128x1x1, on '
	"$json" replay.json || fail "the JSON of a replay"
	for f in live replay; do
		sed -n '/"timing"/,/^  }/p' $f.json |
			grep -vE 'host|"source"' >$f.timing # a trace has no sources
		[ -s $f.timing ] || fail "no timing in $f.json"
	done
	cmp live.timing replay.timing || fail "a replay differs"
	"$heddle" run a.trace --quiet || fail "without time"
	;;
wrong)
	record 1000 a.trace
	for words in '--grid 4' '--arg 3' '--repeat 2' '--record b.trace' \
		'--gpu tiny --registers 9'; do
		code=0
		"$heddle" run a.trace $words >out 2>err || code=$?
		[ $code = 2 ] || fail "exit code $code: $words"
		has err 'cannot be used with a trace'
	done
	code=0
	"$heddle" run a.trace --launch 1 >out 2>err || code=$?
	[ $code = 1 ] || fail "exit code $code: --launch 1"
	has err 'the trace has no launch 1'
	code=0
	"$heddle" run "$ptx" --kernel saxpy --launch 0 >out 2>err || code=$?
	[ $code = 2 ] || fail "exit code $code: --launch of a program"
	has err 'is not a trace'
	# The middle of the file is damaged: what is wrong is said.
	size=$(wc -c <a.trace)
	printf 'XXXX' | dd of=a.trace bs=1 seek=$((size / 2)) conv=notrunc \
		2>/dev/null
	code=0
	"$heddle" run a.trace --gpu tiny >out 2>err || code=$?
	[ $code = 1 ] || [ $code = 3 ] || fail "exit code $code: damaged"
	has err 'error: '
	;;
*)
	fail "no such case"
	;;
esac
