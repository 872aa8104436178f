#!/bin/sh
# Does `heddle run --gpu` say what its manual promises?
#
#	timed.sh HEDDLE JSON-CHECKER CASE
#
# On the GPU `tiny`, which is small enough to be quick.
set -eu
. "$(dirname "$0")/checks"
heddle=$1
json=$2
case=$3
ptx=$(cd "$(dirname "$0")" && pwd)/saxpy.ptx
enter_new_folder

# run CODE OPTION...: 1,000 elements in 8 blocks of 128 threads
run()
{
	want=$1
	shift
	heddle_ends "$want" run "$ptx" --kernel saxpy --grid 8 --block 128 \
		--arg "${n:-1000}" --arg 2 --arg "x:f32[1000]=iota" \
		--arg "y:f32[1000]" --arg "${times:-2}" "$@"
}

# run_trace CODE FILE OPTION...
run_trace()
{
	want=$1
	shift
	heddle_ends "$want" run "$@"
}

# A program in the order of a GPU: its loads come first, and some instructions are
# part of others. What is printed can be run.
order()
{
	cat >k.ptx <<-'END'
	.version 8.4
	.target sm_90
	.address_size 64
	.visible .entry k(.param .u64 a) {
	.reg .u64 %rd<2>; .reg .u32 %r<6>;
	ld.param.u64 %rd1, [a];
	ld.global.u32 %r1, [%rd1];
	add.u32 %r2, %r1, 1;
	ld.global.u32 %r3, [%rd1+4];
	xor.b32 %r4, %r2, %r3;
	st.global.u32 [%rd1+8], %r4;
	ret;
	}
	END
	heddle_ends 0 dis k.ptx --gpu h200
	has out 'ld.param.u64 %rd1, \[a\]; // folded$'
	has out '^// k: [0-9]+ registers a thread$'
	grep -n 'ld.global\|add.u32' out | cut -d: -f2 >got
	printf '\tld.global.u32 %%r1, [%%rd1];\n\tld.global.u32 %%r3, [%%rd1+4];\n' >want
	printf '\tadd.u32 %%r2, %%r1, 1;\n' >>want
	cmp got want || fail "another order: $(cat got)"
	cp out again.ptx
	heddle_ends 0 run again.ptx --kernel k --grid 1 --block 1 \
		--arg "x:u32[3]=iota" --print x
	has out '0 1 0$'
	heddle_ends 0 dis k.ptx
	! grep -q folded out || fail "folded without a GPU"
	heddle_ends 1 dis k.ptx --gpu nosuch
	has err 'nosuch'
}

# The file has a line like this.
summary()
{
	run 0 --gpu tiny --expect y=iota:0:4
	has err '^saxpy: grid 8x1x1, block 128x1x1, on tiny$'
	has err '^  executed  8 blocks, 1,024 threads$'
	has err '^  cycles    [0-9,]+, [0-9.]+ us at 1000 MHz$'
	has err '^  IPC       [0-9.]+ of 2 per SM; [0-9.]+ of the GPU, 2 SMs$'
	has err '^  occupancy [0-9.]+ of 16 warps .*; 16 would fit$'
	has err '^ +4 blocks of 4 warps, limited by blocks; 16 registers a'
	has err '^  issue slots, [0-9,]+: '
	has err '^ +[0-9.]+%  issued      an instruction was issued$'
	has err '^  advice    '
	has err '^  mix       int [0-9.]+%, lsu [0-9.]+%, branch '
	has err '^  lanes     [0-9.]+ of 32 active; [0-9.]+% of 96 branches'
	has err '^    global +128 +64 +0 +[0-9]+ +[0-9.]+$'
	has err '^    L1 +[0-9,]+ +[0-9.]+% +[0-9.]+% +[0-9.]+%$'
	has err '^    L2 +[0-9,]+ +[0-9.]+% +[0-9.]+% +[0-9.]+%$'
	has err '^  DRAM      [0-9.]+ kB read, .* written; [0-9.]+% row hits$'
	has err '^ +[0-9.]+ GB/s, [0-9.]+% of 64 GB/s$'
	has err '^  L2 to SMs [0-9.]+ kB; [0-9.]+ GB/s, [0-9.]+ bytes per'
	has err '^ +[0-9.]+%  saxpy.ptx:31 +64  fma.rn.f32 '
	has err '^  host      .* warp-instructions/s, .* cycles/s$'
	has err '^  compared  y equals iota:0:4 '
	! grep -nE '^.{80}' err || fail "lines longer than 79 columns"
	run 0 --gpu tiny --show-config
	has err '^sm.count = 2 '
}

# The numbers of the text add up, and so do those of the caches in the JSON.
reasons()
{
	run 0 --gpu tiny --json run.json
	sum=$(sed -n '/issue slots/,/  mix/s/^ *\([0-9]*\)\.\([0-9]\)%.*/\1\2/p' \
		err | awk '{ n += $1 } END { print n }')
	same "$sum" 1000 "shares of the issue slots, in tenths of a percent"
	slots=$(value run.json timing.stats.sm.slots)
	sum=0
	for r in issued int fp32 fp64 fp16 sfu tensor lsu tex branch registers \
		pace throttled dependence redirect fetch shared constant \
		memory atomic fence barrier converge sleep drain unfilled launch \
		tail no_block; do
		sum=$((sum + $(value run.json timing.stats.reason.$r)))
	done
	same "$sum" "$slots" "slots of all reasons"
	cycles=$(value run.json timing.cycles)
	same "$slots" $((cycles * 2 * 2)) "slots of two SMs of two schedulers"
}

as_json()
{
	run 0 --gpu tiny -o sm.count=1 --json run.json --interval 100
	"$json" run.json || fail "the result is no JSON"
	same "$(value run.json status)" '"ok"' status
	same "$(value run.json timing.whole)" true whole
	same "$(value run.json timing.exact)" true exact
	same "$(value run.json timing.config.sm.count)" 1 sm.count
	same "$(value run.json timing.config.gpu.name)" '"tiny"' gpu.name
	same "$(value run.json timing.stats.gpu.cycles)" \
		"$(value run.json timing.cycles)" cycles
	same "$(value run.json timing.occupancy.limit)" '"blocks"' limit
	[ "$(value run.json timing.lines)" -gt 10 ] || fail "too few lines"
	cycles=$(value run.json timing.cycles)
	same "$(value run.json timing.intervals)" $(((cycles + 99) / 100)) \
		intervals
	run 0 --gpu tiny --json - -q
	"$json" out || fail "the standard output is no JSON"
	[ ! -s err ] || fail "--quiet is not quiet"
	run 0 --json run.json
	! "$json" run.json timing 2>/dev/null || fail "time without --gpu"
}

# Each column of the intervals adds up to that of the whole run, except ratios
# and peaks.
intervals()
{
	run 0 --gpu tiny --csv whole.csv
	run 0 --gpu tiny --interval 64 --csv parts.csv
	has err '^  over time, from +to cycle +IPC per SM '
	awk -F, '
	FNR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; n = NF; next }
	NF != n { print "columns: " NF ", not " n; bad = 1 }
	FILENAME == "whole.csv" { for (i = 3; i <= NF; i++) want[i] = $i
		rows++; cycles = $2; next }
	{ if ($1 != at) { print "a gap before cycle " $1; bad = 1 }
	  at = $2; parts++
	  for (i = 3; i <= NF; i++) sum[i] += $i }
	END {
		if (rows != 1 || parts < 3 || at != cycles) {
			print rows " rows, " parts " intervals up to " at
			bad = 1
		}
		for (i = 3; i <= n; i++)
			if (want[i] == int(want[i]) && sum[i] != want[i] &&
			    name[i] !~ /rate|ipc|use|occupancy|per_|_most/) {
				print name[i] ": " sum[i] ", not " want[i]
				bad = 1
			}
		exit bad
	}' whole.csv parts.csv || fail "intervals do not add up"
	run 0 --gpu tiny --interval 1 --csv -
	same "$(wc -l <out)" $((1 + $(sed -n 's/^  cycles *\([0-9]*\),.*/\1/p' \
		err))) "rows of one cycle each"
	rows=$(sed -n '/over time/,$p' err | grep -cE '^ +[0-9,]+ +[0-9,]+ ')
	[ "$rows" -le 32 ] || fail "$rows rows for a person"
	has err 'intervals, [0-9]+ per row; --csv writes them all'
}

timeline()
{
	run 0 --gpu tiny --timeline t.gz
	unzip_timeline
	same "$(value t.json displayTimeUnit)" '"ms"' unit
	same "$(value t.json otherData.whole)" true whole
	same "$(value t.json otherData.events_left_out)" 0 "left out"
	for b in 0 1 2 3 4 5 6 7; do
		same "$(grep -c "\"cat\":\"block\",\"name\":\"block $b\"" t.json)" \
			1 "block $b"
		same "$(grep -c "\"cat\":\"warp\".*\"block\":$b}" t.json)" \
			4 "warps of block $b"
	done
	has t.json '"name":"process_name","args":{"name":"SM 1"}'
	has t.json '"cat":"wait","name":"memory","args":\{"line": "saxpy.ptx:31", "instruction": "fma.rn.f32 [^"]*"\}\}'
	lacks t.json '"cat":"wait","name":"[a-z0-9]*"\}'
	has t.json '"cat":"launch","name": "launch 1, saxpy", "args": \{"launch": 1, "kernel": "saxpy", "stream": 0, "grid": \[8, 1, 1\], "block": \[128, 1, 1\]\}\}'
	counters
	# Slices of a row lie inside of each other or apart, in file order
	# where they begin together: else viewers drop them.
	grep '"ph":"X"' t.json |
		sed 's/.*"tid":\([0-9]*\),"ts":\([0-9]*\),"dur":\([0-9]*\).*/\1 \2 \3/' |
		sort -s -n -k1,1 -k2,2 | awk '
	$1 != row { row = $1; depth = 0 }
	{ while (depth && end[depth] <= $2) depth--
	  if (depth && $2 + $3 > end[depth]) { print; bad = 1 }
	  end[++depth] = $2 + $3 }
	END { exit bad }' || fail "slices overlap"
	run 0 --gpu tiny --timeline t.gz --timeline-limit 10
	unzip_timeline
	same "$(grep -c '"ph":"X".*"cat":"[bw]' t.json)" 10 \
		"events of a limited timeline"
	same "$(value t.json otherData.whole)" false whole
	[ "$(value t.json otherData.events_left_out)" -gt 100 ] ||
		fail "events that are left out are not counted"
	has err '^  timeline  only the first 10 events'
	# It is written as a whole, and takes little room.
	times=200
	run 0 --gpu tiny --timeline - -q
	mv out t.gz
	unzip_timeline
	[ $((10 * $(wc -c <t.gz))) -lt $(wc -c <t.json) ] ||
		fail "the timeline is not compact"
}

# Counters of the whole launch, from samples: their mean is that of the run.
counters()
{
	run 0 --gpu tiny --timeline t.gz --interval 100 --json run.json
	unzip_timeline
	cycles=$(value run.json timing.cycles)
	for pair in "IPC:sm.instructions" "resident warps:sm.warp_cycles" \
		"L2 to SMs:l2.bytes_out" "SMs to L2:l2.bytes_in" \
		"DRAM read:dram.bytes_read" "DRAM written:dram.bytes_written"; do
		want=$(value run.json "timing.stats.${pair##*:}")
		grep "\"ph\":\"C\".*\"name\":\"${pair%%:*}\"" t.json |
			sed 's/.*"ts":\([0-9]*\).*"args":{"[a-zA-Z ]*":\([^}]*\)}.*/\1 \2/' |
			awk -v want="$want" -v cycles="$cycles" '
			NR > 1 { sum += value * ($1 - at) }
			{ at = $1; value = $2; rows++ }
			END { if (at != cycles || value || rows < 5 ||
				  sum < want * .999 - 1 || sum > want * 1.001 + 1)
				{ print rows, at, sum, want; exit 1 } }' ||
			fail "the counter '${pair%%:*}' does not add up"
	done
}

# t.gz, as another program reads it, is t.json.
unzip_timeline()
{
	gzip -dc <t.gz >t.json || fail "the timeline is no gzip file"
	"$json" t.json || fail "the timeline is no JSON"
}

# Wrong usage and wrong input; each message says what would be right.
errors()
{
	run 2 -o sm.count=1
	has err '^heddle: error: -o needs --gpu$'
	for option in "--interval 5" "--csv x" "--timeline x" "--registers 9" \
		"--max-cycles 9" --show-config; do
		run 2 $option
		has err "error: ${option%% *} needs --gpu"
	done
	run 2 --gpu tiny --timeline-limit 5
	run 2 --gpu tiny --csv - --json -
	run 2 --gpu tiny --profile
	run 2 --gpu tiny --interval 0
	run 1 --gpu tniy
	has err "no GPU named 'tniy', did you mean 'tiny'\?"
	run 1 --gpu ./none.cfg
	has err 'cannot open ./none.cfg'
	run 1 --gpu tiny -o sm.coutn=1
	has err "no parameter named 'sm.coutn', did you mean 'sm.count'\?"
	run 1 --gpu tiny -o sm.count=0
	has err 'sm.count = 0: out of range'
	run 1 --gpu tiny -o sm.count
	has err 'expected section.key=value'
	run 1 --gpu tiny --registers 300
	run 1 --gpu tiny --csv none/x
	has err "cannot create 'none/x'"
	run 1 --gpu tiny --timeline none/x
	has err "cannot create 'none/x'"
	"$heddle" gpus tiny --dump >mine.cfg
	run 0 --gpu ./mine.cfg
}

# A full disk is reported, and ends the run early if possible.
full()
{
	[ -w /dev/full ] || return 0
	run 1 --gpu tiny --csv /dev/full
	has err "cannot write '/dev/full': No space left"
	times=100000
	run 1 --gpu tiny --timeline /dev/full
	has err "cannot write '/dev/full': No space left"
	has err 'cut short after .* cycles: a file could not be written'
	run 1 --gpu tiny --interval 10 --csv /dev/full
	has err 'cut short after .* cycles: a file could not be written'
}

# Runs that do not complete show what was counted so far.
limit()
{
	run 3 --gpu tiny --max-cycles 200 --json run.json --interval 64 \
		--csv parts.csv --timeline t.gz
	same "$(head -n 1 err)" \
		"cut short after 200 cycles: cycle limit; the numbers until then:" \
		"first line"
	has err '^  cycles    200, '
	has err '^heddle: error: cycle limit reached: '
	unzip_timeline
	same "$(value t.json otherData.whole)" false whole
	same "$(value t.json otherData.cut)" '"after 200 cycles: cycle limit"' cut
	# What had not ended is there, too, until then.
	same "$(grep -c '"cat":"block"' t.json)" 8 blocks
	same "$(grep -c '"cat":"warp"' t.json)" 32 warps
	grep '"cat":"[bw]' t.json |
		sed 's/.*"ts":\([0-9]*\),"dur":\([0-9]*\).*/\1 \2/' |
		awk '$1 + $2 > 200 { print; bad = 1 } $1 + $2 == 200 { n++ }
		END { exit bad || n < 30 }' || fail "events beyond the end"
	same "$(value run.json status)" '"fault"' status
	same "$(value run.json fault.kind)" '"cycle limit"' kind
	same "$(value run.json timing.whole)" false whole
	same "$(value run.json advice)" 0 "findings on a part of a run"
	has run.json '"advice_about": "None: the run was cut short'
	has err '^  advice    None: the run was cut short'
	same "$(value run.json timing.cycles)" 200 cycles
	same "$(tail -n 1 parts.csv)" "# cut short: after 200 cycles: cycle limit" \
		"last line"
	same "$(tail -n 2 parts.csv | head -n 1 | cut -d, -f2)" 200 \
		"end of the last interval"
}

fault()
{
	n=1024 run 3 --gpu tiny
	has err '^cut short after [0-9]+ cycles: illegal address; the numbers'
	has err '^heddle: error: illegal address: 4-byte load from global'
	code=0
	"$heddle" run "$ptx" --kernel stuck --block 64 --gpu tiny 2>err ||
		code=$?
	same "$code" 3 "exit code of a deadlock"
	has err '^cut short after [0-9]+ cycles: deadlock at a barrier; '
	has err '^heddle: error: deadlock: 2 warps of the block wait for ever'
}

interrupt()
{
	stop INT 130
	stop TERM 143
}

# stop SIGNAL CODE
stop()
{
	rm -f parts.csv t.gz
	times=2000000000
	"$heddle" run "$ptx" --kernel saxpy --grid 8 --block 128 --arg 1000 \
		--arg 2 --arg "x:f32[1000]=iota" --arg "y:f32[1000]" \
		--arg $times --gpu tiny --progress --json run.json \
		--interval 1000 --csv parts.csv --timeline t.gz >out 2>err &
	pid=$!
	sleep 1
	[ ! -e parts.csv ] && [ ! -e t.gz ] || fail "files before they are whole"
	kill -$1 $pid
	code=0
	wait $pid || code=$?
	same "$code" $2 "exit code"
	has err '^heddle: interrupted$'
	has err '^cut short after [0-9,]+ cycles: interrupted; the numbers'
	has err '^  issue slots, '
	unzip_timeline
	has t.json '"cut": "after [0-9]+ cycles: interrupted"'
	tail -n 1 parts.csv >last
	has last '^# cut short: after [0-9]+ cycles: interrupted$'
	! ls -A | grep tmp || fail "temporary files are left"
	same "$(value run.json status)" '"interrupted"' status
	same "$(value run.json timing.whole)" false whole
}

# Every run gives the same counters; warm caches are faster.
# One block on an H200: the launch is the limit, then the grid.
advice()
{
	run 0 --gpu h200 --grid 1 --json run.json
	has err '^    1\. The launch itself takes much of the time\. Gain: at most'
	has err '^    2\. .*|1 block for 132 SMs: 131 SMs had none'
	"$json" run.json || fail "the result is no JSON"
	rules=$(sed -n 's/^ *"rule": "\([a-z0-9_]*\)",$/\1/p' run.json |
		tr '\n' ' ')
	case $rules in
	"launch grid "*) ;;
	*) fail "rules: $rules" ;;
	esac
	[ "$(value run.json advice)" -le 5 ] || fail "too many findings"
	run 0 --gpu h200 --grid 1 --repeat 2
	same "$(grep -c '^  advice' err)" 1 "blocks of advice for two launches"
	# Without time there is none.
	run 0 --json run.json
	lacks err '  advice'
	lacks run.json '"advice'
}

again()
{
	run 0 --gpu tiny --csv first.csv
	run 0 --gpu tiny --csv second.csv --threads 1
	cmp first.csv second.csv || fail "two runs differ"
	run 0 --gpu tiny --repeat 2 --csv third.csv
	has err 'on tiny, 2 launches$'
	same "$(wc -l <third.csv)" 2 "lines of CSV"
}

# Every launch starts with empty caches: the second is like the first. Without
# --cold it is faster.
cold()
{
	words="--gpu tiny --cold -q"
	run 0 $words --csv one.csv --json one.json
	run 0 $words --csv two.csv --json two.json --repeat 2
	# Only what the host copied before is different.
	for f in one two; do
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++)
				if ($i == "gpu.host_bytes") at = i }
			{ $at = ""; print }' $f.csv >$f.rest
	done
	cmp one.rest two.rest || fail "two cold launches differ"
	same "$(value two.json timing.cold)" true cold
	run 0 --gpu tiny -q --json warm.json --repeat 2
	same "$(value warm.json timing.cold)" false cold
	cold=$(value one.json timing.cycles)
	[ "$(value warm.json timing.cycles)" -lt "$cold" ] ||
		fail "a warm launch is not faster"
	[ "$(value one.json timing.stats.l2.read_misses)" -gt \
		"$(value warm.json timing.stats.l2.read_misses)" ] ||
		fail "a cold launch finds its data in the L2"
	run 2 --cold
	has err '^heddle: error: --cold needs --gpu$'
	# A trace of two launches: both are those of a cold run.
	run 0 -q --repeat 2 --record a.trace || return 0
	run_trace 0 a.trace --gpu tiny --cold --json t.json
	same "$(value t.json trace.cycles)" $((2 * cold)) "cycles of two launches"
	run_trace 0 a.trace --gpu tiny --json t.json
	[ "$(value t.json trace.cycles)" -lt $((2 * cold)) ] ||
		fail "a warm replay is not faster"
}

# The output names the engine; the result is the same for exact engines.
engines()
{
	run 0 --gpu tiny --csv serial.csv --engine serial --threads 2
	for engine in exact cycle; do
		run 0 --gpu tiny --csv $engine.csv --engine $engine \
			--threads 2 --json run.json
		cmp serial.csv $engine.csv || fail "$engine differs"
		same "$(value run.json timing.engine)" "\"$engine\"" engine
		same "$(value run.json timing.threads)" 2 threads
		same "$(value run.json timing.exact)" true exact
	done
	same "$(value run.json timing.window)" 1 window
	grep -q 'is not exact' err && fail 'exact is said not to be'
	for engine in slack:10 workgroup; do
		run 0 --gpu tiny --engine $engine --threads 2 --json run.json \
			--pin
		has err "the engine $engine is not exact"
		same "$(value run.json timing.engine)" "\"$engine\"" engine
		same "$(value run.json timing.threads)" 2 threads
		same "$(value run.json timing.exact)" false exact
		value run.json timing.stats.engine.late_messages >/dev/null
	done
	run 2 --gpu tiny --engine quick
	has err "no engine named 'quick'; there are: serial, exact, cycle"
	run 2 --gpu tiny --engine slack:none
	has err "engine 'slack:none': expected a number of cycles"
	run 1 --pin
	has err 'pinned threads need a GPU with a configuration'
	run 1 --engine exact
	has err 'the engine exact needs a GPU with a configuration'
}

"$case"
echo ok
