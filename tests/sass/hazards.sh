# hazards.sh HEDDLE CUBINS: no kernel of the workloads, which ptxas has compiled,
# reads a register too early; one whose stall counts are lowered does, and says
# where.
set -eu
heddle=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
	echo "hazards.sh: $*" >&2
	exit 1
}

tar -xzf "$2" -C "$work"
count=0
for cubin in "$work"/*.cubin; do
	"$heddle" dis --hazards "$cubin" >"$work/out" ||
		fail "$(basename "$cubin"): $(head -n 3 "$work/out")"
	count=$((count + $(grep -c ' 0 too early$' "$work/out")))
done
[ "$count" -gt 100 ] || fail "$count kernels are too few"

cubin=$work/matrix_mul.sm_90.cubin
"$heddle" dis --control "$cubin" >"$work/code"
sed -n -e '/Function :/p' -e 's/:S05\] IMAD.WIDE/:S01] IMAD.WIDE/p' "$work/code" \
	>"$work/edits"
"$heddle" as "$work/edits" --patch "$cubin" -o "$work/patched.cubin"
if "$heddle" dis --hazards "$work/patched.cubin" >"$work/out" 2>"$work/err"; then
	fail "lowered stall counts go unnoticed"
fi
grep -q ' is read [0-9]* cycles too early:$' "$work/out" || fail "no register is named"
grep -q 'registers are read too early' "$work/err" || fail "no error"
