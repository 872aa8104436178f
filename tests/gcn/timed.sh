# timed.sh HEDDLE HSACO: code objects on GPUs of compute units. Results are right, exact
# engines agree to the last digit, what the machine does not execute is refused by name.
set -eu
heddle=$1 code=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
	echo "timed.sh: $1" >&2
	exit 1
}

# run NAME KERNEL GRID BLOCK ARGUMENTS...: writes NAME.json and NAME.err
run()
{
	name=$1 kernel=$2 grid=$3 block=$4
	shift 4
	"$heddle" run "$code" --kernel "$kernel" --grid "$grid" --block "$block" \
		--json "$work/$name.json" "$@" >"$work/$name.out" \
		2>"$work/$name.err" ||
		{ cat "$work/$name.err" >&2; fail "$name"; }
}

add="vecadd 32 256 --arg f32[8K]=iota --arg f32[8K]=fill:1 --arg c:f32[8K] --arg 8192"
product="matmul_tiled 4,4 16,16 --arg f32[4K]=iota --arg f32[4K]=fill:1 --arg c:f32[4K] --arg 64"

for gpu in hd7970 hd7870 hd7990; do
	run "$gpu" $add --gpu $gpu --hash c
	run "$gpu.product" $product --gpu $gpu --hash c
done
run none $add --hash c
run none.product $product --hash c
grep -q 'hash' "$work/none.out" || fail "no hash"
for gpu in hd7970 hd7870 hd7990; do
	cmp "$work/$gpu.out" "$work/none.out" || fail "$gpu: results"
	cmp "$work/$gpu.product.out" "$work/none.product.out" ||
		fail "$gpu: results of the product"
done

# The lines of the statistics, without the host's time and the engine's name.
for engine in "serial 1" "exact 2" "cycle 2"; do
	set -- $engine
	run "$1" $product --gpu hd7970 --engine "$1" --threads "$2" --csv "$work/$1.csv"
done
cmp "$work/serial.csv" "$work/exact.csv" || fail "exact differs from serial"
cmp "$work/serial.csv" "$work/cycle.csv" || fail "cycle differs from serial"
grep -q '64 active' "$work/serial.err" || fail "lanes of a wavefront"

run pages $product --gpu hd7970 --interval 500 --timeline "$work/timeline"
[ -s "$work/timeline" ] || fail "no timeline"
"$heddle" report "$work/pages.json" --out "$work/page.html" 2>/dev/null
grep -q vmcnt "$work/page.html" || fail "the page has no profile by instruction"

# 64 x 64 results of 64 multiply-adds each.
grep -q '"unit": "fp32", "operations": 524288,' "$work/pages.json" ||
	fail "operations of the product"
grep -q '<h2[^>]*>Roofline' "$work/page.html" || fail "no roofline"

# Advice knows the 32 units, not their 8 clusters, and speaks of no SM.
advice()
{
	sed -n '/^  advice/,$p' "$work/$1.err"
}
advice hd7970.product >"$work/advice"
grep -q '16 work-groups for 32 compute units: 16 compute units had none' \
	"$work/advice" || { cat "$work/advice" >&2; fail "advice on the grid"; }
grep -q '5 per compute unit; .* of the GPU, 32 compute units' \
	"$work/hd7970.product.err" || fail "the summary speaks of SMs"
grep -q ' constant  *scalar loads$' "$work/hd7970.product.err" ||
	fail "the reason for scalar loads"
run scalar $product --gpu hd7970 -o dispatch.launch_latency=0 \
	-o cu.scalar_latency=10000
advice scalar >"$work/scalar"
grep -q 'Wavefronts wait for scalar loads.' "$work/scalar" ||
	{ cat "$work/scalar" >&2; fail "advice on scalar loads"; }
"$heddle" run "$(dirname "$0")/peaks.hsaco" --kernel fp32 --gpu hd7970 --grid 640 \
	--block 72 --arg 'f32[256]' --arg 60 >/dev/null 2>"$work/odd.err" ||
	fail "odd work-groups"
advice odd >"$work/odd"
grep -q '(partial_wavefronts)' "$work/odd" ||
	{ cat "$work/odd" >&2; fail "advice on odd work-groups"; }
if grep -wE '[Ww]arps?|SMs?|[Cc]onstant memory|[Bb]locks?|[Tt]hreads?' \
	"$work/advice" "$work/scalar" "$work/odd" >&2; then
	fail "advice speaks of SMs"
fi

# refused WHAT MESSAGE OPTIONS...
refused()
{
	what=$1 message=$2
	shift 2
	if "$heddle" run "$@" >/dev/null 2>"$work/refused"; then
		fail "$what: not refused"
	fi
	grep -q "$message" "$work/refused" ||
		{ cat "$work/refused" >&2; fail "$what: another message"; }
}
refused "an NVIDIA GPU" "which the GPU NVIDIA H200 does not execute" \
	"$code" --kernel vecadd --gpu h200 --grid 1 --block 256 \
	--arg 'f32[1K]' --arg 'f32[1K]' --arg 'f32[1K]' --arg 256

# A replay has every statistic of the run, recorded with time or without.
run recorded $product --record "$work/none.trace"
run timed $product --gpu hd7870 --record "$work/timed.trace"
for gpu in hd7970 hd7870 hd7990; do
	for trace in none timed; do
		"$heddle" run "$work/$trace.trace" --gpu $gpu \
			--json "$work/replay.json" >/dev/null 2>&1 ||
			fail "$gpu: replay of $trace.trace"
		"$heddle" compare "$work/$gpu.product.json" "$work/replay.json" \
			--all | grep -q 'statistics are the same' ||
			fail "$gpu: the replay of $trace.trace differs"
	done
done
"$heddle" run "$work/none.trace" >/dev/null 2>&1 || fail "reading a trace"
refused "a replay on NVIDIA" "which the GPU NVIDIA H200 does not execute" \
	"$work/none.trace" --gpu h200
if "$heddle" trace show "$work/none.trace" >/dev/null 2>"$work/refused"; then
	fail "trace show: not refused"
fi
grep -q "but not shown" "$work/refused" || fail "trace show: another message"
# A trace that lacks facts is noticed.
head -c 3000 "$work/none.trace" >"$work/cut.trace"
if "$heddle" run "$work/cut.trace" --gpu hd7970 >/dev/null 2>&1; then
	fail "a trace that was cut is replayed"
fi
