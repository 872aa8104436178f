# dis.sh HEDDLE FOLDER: object files of both kinds, as the compiler's own text has their code;
# one function; damaged files; another GPU's.
set -eu
heddle=$1
cd "$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# code FILE: the instructions of a listing. A distance is a number there and a label in the
# compiler's text.
code()
{
	sed -n 's/^	\(.*[^ ]\) *\/\/ .*/\1/p' "$1" |
		sed 's/^\(s_c\?branch[a-z0-9_]*\) .*/\1/'
}

for kind in mesa3d amdhsa; do
	"$heddle" dis "kernels.$kind.o" > "$work/$kind"
	code "$work/$kind" > "$work/code"
	if ! diff "kernels.$kind.s" "$work/code" > "$work/diff"; then
		echo "dis.sh: $kind: text that is not the compiler's" >&2
		head "$work/diff" >&2
		exit 1
	fi
done
[ "$(grep -c '>:$' "$work/amdhsa")" = 5 ]
"$heddle" dis kernels.amdhsa.o --kernel roots > "$work/one"
[ "$(grep -c '>:$' "$work/one")" = 1 ]
grep -q '<roots>' "$work/one"

# refused WHAT FILE ARGUMENT...: an error that says so.
refused()
{
	what=$1
	shift
	if "$heddle" dis "$@" > "$work/out" 2> "$work/err"; then
		echo "dis.sh: not refused: $what" >&2
		exit 1
	fi
	if ! grep -q "$what" "$work/err"; then
		cat "$work/err" >&2
		echo "dis.sh: the message does not say: $what" >&2
		exit 1
	fi
}
refused 'no function nothing' kernels.amdhsa.o --kernel nothing
refused 'NVIDIA' kernels.amdhsa.o --control
head -c 3000 kernels.amdhsa.o > "$work/short.o"
refused 'section' "$work/short.o"
# e_flags: gfx900
{ head -c 48 kernels.amdhsa.o; printf '\054'; tail -c +50 kernels.amdhsa.o; } > "$work/other.o"
refused 'GFX6' "$work/other.o"
