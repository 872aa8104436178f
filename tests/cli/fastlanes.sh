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
