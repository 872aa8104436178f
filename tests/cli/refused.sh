#!/bin/sh
# Is only the kernel with an unsupported instruction refused?
#
#	refused.sh HEDDLE
set -eu
heddle=$1
ptx=$(cd "$(dirname "$0")" && pwd)/refused.ptx
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
why='refused.ptx:7:2: warpgroup matrix operations are not supported: wgmma.fence.sync.aligned;'

fail()
{
	echo "FAILED: $*" >&2
	cat out err >&2
	exit 1
}

# heddle CODE ARGUMENT...
heddle()
{
	want=$1
	shift
	code=0
	"$heddle" "$@" >out 2>err || code=$?
	[ "$code" = "$want" ] || fail "exit code $code, not $want: $*"
}

heddle 0 kernels "$ptx"
[ "$(grep -c '^  refused: ' out)" = 1 ] || fail "one kernel is refused"
grep -A 1 '^calls$' out | grep -Fq "$why" || fail "the reason is not listed"
heddle 0 run "$ptx" --kernel fills --block 32 --arg 'out:u32[32]'
for gpu in '' '--gpu tiny'; do
	# shellcheck disable=SC2086 # two words or none
	heddle 1 run "$ptx" --kernel calls $gpu
	grep -q '^heddle: error: ' err || fail "it is not an error"
	grep -Fq "$why" err || fail "the reason is not said"
done
echo ok
