#!/bin/sh
# heddle fastlanes: fastlanes.sh HEDDLE CASE CLI_JSON CIRCUIT
# CIRCUIT is the program of the circuit that the tests have built, if they could.
set -eu
heddle=$1 json=$3 circuit=$4
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

# The same values, but for the seconds that it took.
same_json()
{
	grep -v '"seconds"' "$1" >1.json
	grep -v '"seconds"' "$2" >2.json
	cmp 1.json 2.json
}

# close_to PREDICTED COUNTED: host cycles, within 10%
close_to()
{
	awk -v a="$("$json" "$1" performance.host_cycles)" \
		-v b="$("$json" "$2" circuit.host_cycles)" \
		'BEGIN { exit !(a > 0.9 * b && a < 1.1 * b) }' ||
		fail "predicted $(cat "$1"), counted $(cat "$2")"
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
	same_json a.json b.json
	"$json" a.json || fail "not JSON: $(cat a.json)"
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
	refused 2 "expected model or rtl" "$heddle" fastlanes run saxpy.code \
		--on fpga
	refused 1 "--predict is the model's" "$heddle" fastlanes run saxpy.code \
		"$@" --on rtl --predict
	# A slower memory takes the circuit longer, the model says.
	"$heddle" fastlanes run saxpy.code "$@" --predict --json e.json >/dev/null \
		2>stats
	"$heddle" fastlanes run saxpy.code "$@" --predict --json f.json -q \
		--memory-latency 200 >/dev/null
	grep -q '^  host_cycles  *[1-9]' stats || fail "no prediction: $(cat stats)"
	[ "$("$json" f.json performance.host_cycles)" -gt \
		"$("$json" e.json performance.host_cycles)" ] ||
		fail "a slower memory takes no longer"
	refused 1 "FastLanes has at most 64 multiprocessors" "$heddle" \
		fastlanes run saxpy.code "$@" --gpu h200
	;;
rtl)
	[ -x "$circuit" ] || { echo "skipped: no circuit was built"; exit 77; }
	HEDDLE_CIRCUIT=$circuit
	export HEDDLE_CIRCUIT
	"$heddle" fastlanes compile "$here/saxpy.ptx" --kernel saxpy -o saxpy.code
	set -- --grid 4 --block 256 --arg 1000 --arg 2.5 \
		--arg 'x:f32[1024]=random' --arg 'y:f32[1024]=random:1:9' --arg 3
	"$heddle" fastlanes run saxpy.code "$@" --hash y --json a.json \
		--events a.events -q >want
	"$heddle" fastlanes run saxpy.code --on rtl "$@" --hash y --json b.json \
		--events b.events >got 2>stats
	cmp want got
	cmp a.events b.events
	for name in cycles blocks instructions lane_instructions stalled empty \
		branches divergent barriers loads stores segments \
		shared_accesses shared_segments l1_hits l1_misses l2_hits \
		l2_misses; do
		[ "$("$json" a.json statistics.$name)" = \
			"$("$json" b.json statistics.$name)" ] ||
			fail "$name differs"
	done
	[ "$("$json" a.json on) $("$json" b.json on)" = '"model" "rtl"' ] ||
		fail "$(cat b.json)"
	[ "$("$json" b.json circuit.host_cycles)" -gt 0 ] || fail "$(cat b.json)"
	grep -q '^  host_cycles  *[1-9]' stats || fail "no cycles: $(cat stats)"
	# They are close to what is predicted.
	"$heddle" fastlanes run saxpy.code "$@" --hash y -q --predict --json e.json \
		>got
	cmp want got
	close_to e.json b.json
	# So they are where registers take longer to move than turns last.
	set -- "$@" --slice 64
	"$heddle" fastlanes run saxpy.code "$@" -q --predict --memory-interval 4 \
		--json g.json >/dev/null
	"$heddle" fastlanes run saxpy.code --on rtl "$@" -q --memory-interval 4 \
		--json h.json >/dev/null
	close_to g.json h.json
	[ "$("$json" h.json circuit.wait_switch)" -gt \
		"$("$json" h.json circuit.simulating)" ] || fail "$(cat h.json)"
	set -- --grid 4 --block 256 --arg 1000 --arg 2.5 \
		--arg 'x:f32[1024]=random' --arg 'y:f32[1024]=random:1:9' --arg 3
	# A slower memory changes the circuit's cycles only.
	"$heddle" fastlanes run saxpy.code --on rtl "$@" --hash y -q --json d.json \
		--memory-latency 100 --memory-interval 5 --events d.events >got
	cmp want got
	cmp a.events d.events
	[ "$("$json" d.json circuit.host_cycles)" -gt \
		"$("$json" b.json circuit.host_cycles)" ] ||
		fail "a slower memory takes no longer"
	refused 3 "an illegal address: block 0,0,0, warp 0, lane 0, instruction" \
		"$heddle" fastlanes run saxpy.code --on rtl --arg 1 --arg 1 \
		--arg 0 --arg 0 --arg 1
	refused 3 "cycles of --max-cycles have passed" \
		"$heddle" fastlanes run saxpy.code "$@" --on rtl --max-cycles 100
	refused 1 "sm.count = 16, not 17" \
		"$heddle" fastlanes run saxpy.code "$@" --on rtl -o sm.count=17
	# Not a circuit, and one that ends at once.
	refused 1 "\$HEDDLE_CIRCUIT is '/nonexistent'" \
		env HEDDLE_CIRCUIT=/nonexistent "$heddle" fastlanes run saxpy.code "$@" --on rtl
	refused 1 "has ended" env HEDDLE_CIRCUIT=/bin/true "$heddle" \
		fastlanes run saxpy.code "$@" --on rtl
	# Ctrl-C ends it in good order, and its circuit with it.
	printf '.version 7.0\n.target sm_70\n.address_size 64\n%s\n' \
		'.visible .entry k() { L: bra L; }' >endless.ptx
	"$heddle" fastlanes compile endless.ptx -o endless.code
	code=0
	timeout --foreground --preserve-status -s INT 2 "$heddle" fastlanes run endless.code \
		--on rtl -q || code=$?
	[ "$code" -eq 130 ] || fail "exit code $code"
	;;
build)
	# Without the tools the error says which one is missing.
	"$heddle" fastlanes compile "$here/saxpy.ptx" --kernel saxpy -o saxpy.code
	set -- --arg 1 --arg 1 --arg 'x:f32[1]' --arg 'y:f32[1]' --arg 1
	mkdir bin
	refused 1 "needs Verilator, which is not in PATH" \
		env PATH="$tmp/bin" "$heddle" fastlanes run saxpy.code "$@" --on rtl
	printf '#!/bin/sh\ncase $1 in --version) echo 5;; *) echo no >&2; exit 1;; esac\n' \
		>bin/verilator
	chmod +x bin/verilator
	refused 1 "needs a C++ compiler" \
		env PATH="$tmp/bin" "$heddle" fastlanes run saxpy.code "$@" --on rtl
	printf '#!/bin/sh\n' >bin/g++
	cp bin/g++ bin/make
	chmod +x bin/g++ bin/make
	# A build that fails leaves nothing, and says what the tool said.
	XDG_CACHE_HOME=$tmp/cache
	export XDG_CACHE_HOME
	refused 1 "the circuit could not be built" \
		env PATH="$tmp/bin" "$heddle" fastlanes run saxpy.code "$@" --on rtl
	grep -qx no err || fail "not the tool's words: $(cat err)"
	[ -z "$(ls cache/heddle/circuit)" ] || fail "left: $(ls cache/heddle/circuit)"
	# What is built is kept: a program that ends at once, here.
	cat >bin/verilator <<-'END'
		#!/bin/sh
		[ "$1" = --version ] && { echo 5; exit; }
		echo built >>"$LOG"
		while [ $# -gt 0 ]; do
			[ "$1" = --Mdir ] && folder=$2
			shift
		done
		/bin/mkdir -p "$folder"
		/bin/cp /bin/true "$folder/fl_sim"
	END
	LOG=$tmp/log
	export LOG
	for i in 1 2; do
		refused 1 "has ended" \
			env PATH="$tmp/bin" "$heddle" fastlanes run saxpy.code "$@" --on rtl
	done
	[ "$(wc -l <log)" -eq 1 ] || fail "built $(wc -l <log) times"
	[ "$(ls cache/heddle/circuit | wc -l)" -eq 1 ] || fail "$(ls cache/heddle/circuit)"
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
