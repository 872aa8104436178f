#!/bin/sh
# Do the pages show what they must, and does a browser like them?
#
#	pages.sh HEDDLE JSON-CHECKER SWEEP_DB CASE
#
# SWEEP_DB is the program that fills databases, or "" without SQLite. 77:
# skipped, for want of a program that the message names. Where CI=true nothing may
# be skipped: nobody would notice that a page is broken.
set -eu
heddle=$1
json=$2
sweep_db=$3
case=$4
sources=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail()
{
	echo "FAILED: $*" >&2
	for f in err out dom console; do
		[ ! -f $f ] || { echo "--- $f"; tail -n 30 $f; } >&2
	done
	exit 1
}

skip()
{
	[ "${CI:-}" != true ] ||
		fail "$*, and CI=true: 'scripts/setup pages' installs what is missing"
	echo "skipped: $*; 'scripts/setup pages' installs what is missing"
	exit 77
}

# run CODE WORD...
run()
{
	want=$1
	shift
	code=0
	"$heddle" "$@" >out 2>err || code=$?
	[ "$code" = "$want" ] || fail "exit code $code, not $want: $*"
}

has()
{
	grep -qF -- "$2" "$1" || fail "no '$2' in $1"
}

lacks()
{
	! grep -qF -- "$2" "$1" || fail "'$2' in $1"
}

# launch FILE OPTION...: a small run on the GPU `tiny`
launch()
{
	file=$1
	shift
	run 0 run "$sources/cli/saxpy.ptx" --kernel saxpy --gpu tiny \
		--grid 8 --block 128 --arg 1000 --arg 2.5 \
		--arg 'x:f32[1K]=iota' --arg 'y:f32[1K]=fill:1' --arg 3 \
		--quiet --json "$file" "$@"
}

need_sweeps()
{
	[ -n "$sweep_db" ] || skip "built without SQLite"
	command -v gnuplot >/dev/null 2>&1 || skip "no gnuplot"
}

# ---- a browser ----

find_browser()
{
	for browser in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
		[ -n "$browser" ] && command -v "$browser" >/dev/null 2>&1 &&
			return
	done
	skip "no chromium"
}

# visit PAGE WIDTH SCRIPT: opens the page in a frame of that width, as high as
# a phone, and prints what the script returns; d is the page's document. What
# the page logs is an error, whatever it is.
visit()
{
	cat >frame.html <<END
<!DOCTYPE html><meta charset="utf-8">
<iframe id="frame" src="$1" width="$2" height="844"></iframe>
<pre id="answer">nothing</pre>
<script>
document.getElementById('frame').onload = function() {
	var d = this.contentDocument, e = d.documentElement;
	function answer() { $3 }
	document.getElementById('answer').textContent = 'answer ' + answer();
};
</script>
END
	code=0
	timeout 120 "$browser" --headless --no-sandbox --disable-gpu \
		--disable-dev-shm-usage --user-data-dir="$folder/profile" \
		--allow-file-access-from-files --enable-logging=stderr \
		--virtual-time-budget=10000 --dump-dom \
		"file://$folder/frame.html" >dom 2>console || code=$?
	sed -n 's/.*<pre id="answer">answer \([^<]*\)<.*/\1/p' dom >answer
	if [ ! -s answer ]; then
		# A browser that does not start says nothing about a page.
		[ -s dom ] || skip "chromium does not run here ($code)"
		fail "the page $1 did not load"
	fi
	! grep 'CONSOLE' console || fail "the page $1 has something to complain"
	cat answer
}

# A page on a phone and on a desk: as wide as the window, one heading of the
# first order, pictures with titles, tables with headings.
browse()
{
	for width in 390 1280; do
		got=$(visit "$1" "$width" "
			var wide = [], svg = d.querySelectorAll('svg'), n = 0;
			d.querySelectorAll('details').forEach(
				function(x) { x.open = true });
			for (var i = 0; i < svg.length; i++)
				n += !svg[i].querySelector('title');
			return (e.scrollWidth <= e.clientWidth) + ' ' +
				d.querySelectorAll('h1').length + ' ' + n + ' ' +
				d.querySelectorAll('table:not(.bars)').length + ' ' +
				d.querySelectorAll('table:not(.bars) thead').length;")
		# shellcheck disable=SC2086	# its words
		set -- "$1" $got
		[ "$2" = true ] || fail "$1 is wider than a window of $width"
		[ "$3" = 1 ] || fail "$1 has $3 headings h1"
		[ "$4" = 0 ] || fail "$1 has $4 pictures without a title"
		[ "$5" = "$6" ] || fail "$1: $5 tables, $6 with headings"
	done
}

# ---- cases ----

report()
{
	launch run.json --interval 100
	run 0 report run.json
	has err "wrote run.html"
	for text in '<h1>saxpy on ' '<h2>Advice</h2>' 'Share of the peak' \
		'Where the issue slots went' 'Hottest source lines' \
		'Over time' 'Instruction mix' '>dram.bandwidth<' '>l2.hit_rate<' \
		"default-src 'none'" 'prefers-color-scheme: dark' \
		'>Stall Long Scoreboard<' '>sm__inst_executed_pipe_lsu.sum<' \
		'>lts__t_sectors_op_read.sum<' '<h2>Roofline</h2>' 'fp32, L1' \
		'fp32, L2'; do
		has run.html "$text"
	done
	# Nothing from elsewhere; the name space of SVG is only a name.
	! grep -oE '(src|href)="[^"#d][^"]*"|@import|url\(' run.html ||
		fail "the page loads something"
	lacks run.html '<script'
	# The numbers are those of the run.
	cycles=$("$json" run.json timing.cycles | sed -E ':a
		s/^([0-9]+)([0-9]{3})/\1,\2/; ta')
	has run.html "<dd>$cycles<small>"
	run 0 report run.json --out -
	cmp -s out run.html || fail "- is another page"
	launch plain.json
	run 0 report plain.json
	lacks plain.html 'Over time'
	# 1000 threads, 3 rounds, an FMA each.
	[ "$(grep -A 3 '"operations": \[' plain.json |
		sed -n 's/.*"operations": \([0-9]*\),.*/\1/p')" = 6000 ] ||
		fail "operations"
}

# Maps of SMs and slices: their numbers are those of the run, their size is
# bounded, and nonsense is left out.
maps()
{
	launch run.json
	run 0 report run.json
	for text in 'SMs and slices over time' 'warp-instructions, by SM;' \
		'requests, by L2 slice;'; do
		has run.html "$text"
	done
	sum=$(sed -n '/"sms": {/,/}/p' run.json | grep '^ *\[[0-9]' |
		tr -d '[]' | tr ',' '\n' | awk '{ n += $1 } END { print n }')
	[ "$sum" = "$("$json" run.json timing.stats.sm.instructions)" ] ||
		fail "$sum warp-instructions"
	launch big.json -o sm.count=400 -o l2.slices=512 -o dram.channels=64 \
		-o l2.bytes=64M --interval 3
	run 0 report big.json
	has big.html ', 3 in a row'
	[ "$(wc -c <big.json)" -lt 40000000 ] || fail "a huge result"
	[ "$(sed -n '/"parts": {/,/"lines": /p' big.json | wc -c)" -lt 400000 ] ||
		fail "huge maps"
	[ "$(wc -c <big.html)" -lt 900000 ] || fail "a huge page"
	for ends in '[0]' '[7, 7]' '[9, 3]' '[]' '"x"' '[1e300, -1]'; do
		sed "s|\"ends\": .*\],|\"ends\": $ends,|" run.json >bad.json
		run 0 report bad.json
		lacks bad.html 'nan per'
		lacks bad.html 'Mnan'
	done
	sed 's|"components": [0-9]*|"components": 99999999999|' run.json >bad.json
	run 0 report bad.json
	lacks bad.html 'by SM;'
}

# A line with its instructions and the reasons for waiting, and a call that was
# inlined.
source_view()
{
	mkdir own
	printf 'one\ntwo <b>\nthree\nfour\ncall it\n' >own/k.cu
	sed "s|^\.address_size 64|&\n.file 1 \"k.cu\"|; s|^{|{\n.loc 1 5 1|
		s|^\(.*ld\.global.*\)|.loc 1 2 3, function_name \$L, inlined_at 1 5 1\n\1\n.loc 1 3 1|" \
		"$sources/cli/saxpy.ptx" >own/p.ptx
	grep -q 'inlined_at' own/p.ptx || fail "the test's PTX"
	run_own view
	run 0 report run.json
	for text in 'two &lt;b&gt;' 'with inlined' 'ld.global.f32' \
		'<th scope="col" class="n">executed' 'class="r-memory"' \
		'<h3>Source by file</h3>'; do
		has run.html "$text"
	done
	lacks run.html '<b>'
	# Line 5 has what line 2 has, and more.
	awk '/"line": / { line = $2 + 0 } /"issued":/ && !/pc/ { own[line] = $2 + 0 }
		/"total_issued":/ { total[line] = $2 + 0 }
		END { exit !(own[2] > 0 && total[2] == own[2] &&
			total[5] == own[5] + own[2] && total[3] == own[3]) }' \
		run.json || fail "totals"
	# Every slot that had a warp is charged to an instruction.
	for reason in memory dependence; do
		sum=$(grep '"pc":' run.json |
			sed -n "s/.*\"$reason\": \([0-9]*\).*/\1/p" |
			awk '{ n += $1 } END { print n + 0 }')
		[ "$sum" = "$("$json" run.json timing.stats.reason.$reason)" ] ||
			fail "$sum slots of $reason"
	done
	sed -e 's|"text": "[^"]*"|"text": "<script>alert(1)</script>"|' \
		-e 's|"memory": [0-9]*|"<u>": 7|' run.json >hostile.json
	run 0 report hostile.json
	has hostile.html '&lt;script&gt;alert(1)'
	lacks hostile.html '<script'
	lacks hostile.html '<u>'
}

# What clang inlines counts for the line that called it, level by level.
inlined()
{
	cat >k.cu <<'END'
__device__ __forceinline__ float inner(float x)
{
	return x * x + 1.0f;
}

__device__ __forceinline__ float outer(float x)
{
	return inner(x + 2.0f) * inner(x + 3.0f);
}

__global__ void k(float *a)
{
	float x = a[threadIdx.x];

	x = outer(x);
	a[threadIdx.x] = inner(x);
}
END
	"$heddle" run k.cu --gpu tiny --block 64 --arg 'a:f32[64]=iota' \
		--quiet --json run.json 2>err || skip "clang cannot compile it"
	awk '/"line": / { line = $2 + 0 } /"issued":/ && !/pc/ { own[line] = $2 + 0 }
		/"total_issued":/ { total[line] = $2 + 0 }
		END { exit !(own[3] > 0 && total[3] == own[3] &&
			total[8] > own[8] && total[8] < own[8] + own[3] &&
			total[15] == own[15] + total[8] &&
			total[16] - own[16] == own[3] - total[8] + own[8]) }' \
		run.json || fail "totals"
	run 0 report run.json
	has run.html 'with inlined'
}

errors()
{
	run 2 report
	run 1 report absent.json
	has err "cannot read 'absent.json'"
	echo '{"heddle": "0", "kernel": "k"}' >functional.json
	run 1 report functional.json
	has err "no timing: the run was made without --gpu"
	echo '[1, 2' >cut.json
	run 1 report cut.json
	has err 'cut.json:'
	echo '{}' >other.json
	run 1 report other.json
	has err "is not a result of 'heddle run --json'"
	mkdir empty
	run 1 report empty
	has err 'program.json'
	launch run.json
	run 1 report run.json --out absent/page.html
	has err "cannot create 'absent/page.html'"
	# A file that may not grow is like a full disk.
	code=0
	(trap '' XFSZ; ulimit -f 1
		"$heddle" report run.json --out page.html 2>err) || code=$?
	[ $code = 1 ] || fail "exit code $code with a full disk"
	has err "cannot write 'page.html'"
	! ls | grep '^page' || fail "half a page"
	# Another version's names are counted, not refused.
	sed 's/"reads_sent"/"reads_begun"/' run.json >older.json
	run 0 report older.json
	has older.html '1 of its names are unknown to this version, 1 statistics are missing'
	run 2 compare run.json
	run 1 compare run.json run.json --only 'no.such'
	has err 'no statistic matches'
	run 2 compare run.json run.json --min-change much
}

# What an attacker may name: a kernel, a file, a line of its source.
hostile()
{
	launch run.json
	sed -e 's|"kernel": "[^"]*"|"kernel": "<script>alert(1)</script>"|' \
		-e 's|"program": "[^"]*"|"program": "</title><b>\&\\"x\\u0001"|' \
		-e 's|"source": "[^"]*"|"source": "<img src=x onerror=alert(2)>"|' \
		-e 's|"instruction": "[^"]*"|"instruction": "\\"><i>"|' \
		-e 's|"rule": "[^"]*"|"rule": "<u>rule"|' \
		-e 's|"evidence": "[^"]*"|"evidence": "<img src=y>"|' \
		-e 's|"bound": [0-9.]*|"bound": 1e99|' \
		-e 's|"gpu.name": "[^"]*"|"gpu.name": "<u>gpu</u>"|' \
		run.json >hostile.json
	"$json" hostile.json || fail "the test's JSON"
	# Nothing of it steers the terminal.
	sed -e 's|"kernel": "[^"]*"|"kernel": "\\u001b[2Jk"|' \
		-e 's|"memory": |"\\u001b[31mm": |' run.json >steer.json
	run 0 compare steer.json run.json
	! grep -q "$(printf '\033')" out || fail "an escape sequence"
	has out '?[31mm'
	has out '?[2Jk on tiny'
	run 0 report hostile.json
	has hostile.html '&lt;script&gt;alert(1)&lt;/script&gt;'
	run 0 compare run.json hostile.json --html compare.html
	for page in hostile.html compare.html; do
		for text in '<script' '<img' '<b>' '<u>' '"><i>'; do
			lacks $page "$text"
		done
	done
}

# Which files may be shown: those of the program's folder, and of folders that
# the user names, but nothing that the program names by itself.
sources()
{
	mkdir -p own/deep own/.git other
	echo 'own line' >own/deep/k.cu
	echo 'other line' >other/k.cu
	echo 'hidden line' >own/.git/config
	ln -s ../other/k.cu own/link.cu
	ln -s / own/root
	mkfifo own/pipe
	for name in "$folder/own/deep/k.cu" own/deep/k.cu deep/k.cu \
		"$folder/other/k.cu" own/../other/k.cu ../other/k.cu \
		own/link.cu /etc/passwd ../../../../../../../../etc/passwd \
		own/root/etc/passwd own/.git/config own/pipe /dev/zero ''; do
		sed "s|^\.address_size 64|&\n.file 1 \"$name\"|; s|^{|{\n.loc 1 1 1|" \
			"$sources/cli/saxpy.ptx" >own/p.ptx
		grep -q '^\.loc' own/p.ptx || fail "the test's PTX"
		run_own "$name"
		case $name in
		*deep/k.cu) has run.json '"source": "own line"' ;;
		*) lacks run.json '"source": "' ;;
		esac
		run_own "$name" --source other
		case $name in
		*other/k.cu | *link.cu) has run.json '"source": "other line"' ;;
		*deep/k.cu) has run.json '"source": "own line"' ;;
		*) lacks run.json '"source": "' ;;
		esac
	done
	# The lines of --profile are as careful.
	sed "s|^\.address_size 64|&\n.file 1 \"/etc/passwd\"|; s|^{|{\n.loc 1 1 1|" \
		"$sources/cli/saxpy.ptx" >own/p.ptx
	run 0 run own/p.ptx --kernel saxpy --profile --block 32 --arg 32 --arg 2.5 \
		--arg 'x:f32[1K]=iota' --arg 'y:f32[1K]=fill:1' --arg 3
	has err 'passwd:1'
	lacks err "$(head -n 1 /etc/passwd)"
	run_own absent --record own/p.trace --source other
	run 0 run own/p.trace --gpu tiny --quiet --json run.json
	lacks run.json '"source": "'
	run 2 run own/p.trace --gpu tiny --source own
	has err '--source cannot be used with a trace'
	run 1 run own/p.ptx --source absent
	has err '--source absent: No such file'
}

# run_own NAME OPTION...: runs own/p.ptx
run_own()
{
	shift
	run 0 run own/p.ptx --kernel saxpy --gpu tiny --grid 8 --block 128 \
		--arg 1000 --arg 2.5 --arg 'x:f32[1K]=iota' \
		--arg 'y:f32[1K]=fill:1' --arg 3 --quiet --json run.json "$@"
}

compare()
{
	launch a.json
	launch b.json -o sm.count=1 -o l2.ways=8
	run 0 compare a.json b.json
	has out 'sm.count'
	has out 'l2.ways'
	grep -qE '^  sm\.slots +[0-9,]+ +[0-9,]+ +[-+]' out || fail "no slots"
	# Half the SMs: the same instructions take twice the cycles each.
	grep -qE '^B takes [0-9]+ cycles more than A \(\+[0-9.]+%\)\.$' out ||
		fail "no verdict"
	grep -qE '^  issued +1,152 +1,152 +\+288$' out || fail "issued slots"
	grep -qE '^  [0-9]+ reasons moved less than 0.5% of the cycles' out ||
		fail "nothing is folded"
	[ "$(grep -n '^issue slots' out | cut -d: -f1)" -lt \
		"$(grep -n '^statistics' out | cut -d: -f1)" ] || fail "order"
	folded=$(sed -n 's/^  \([0-9]*\) more have less effect.*/\1/p' out)
	[ "${folded:-0}" -gt 0 ] || fail "no statistic is folded"
	run 0 compare a.json b.json --all
	lacks out 'moved less than'
	lacks out 'less effect'
	has out 'reason.dependence'
	run 0 compare a.json a.json
	has out 'The configurations are the same.'
	grep -qE '^[0-9]+ statistics are the same\.' out || fail "differences"
	run 0 compare a.json b.json --only 'sm.*' --json c.json --csv c.csv \
		--html c.html
	[ ! -s out ] || fail "files and text"
	"$json" c.json || fail "no JSON"
	[ "$("$json" c.json runs)" = 2 ] || fail "not two runs"
	[ "$("$json" c.json config.sm.count)" = 2 ] || fail "sm.count"
	has c.csv 'name,a.json,b.json,change B,effect'
	has c.csv 'config.sm.count,2,1,,'
	! grep -E '^(l2|dram)\.' c.csv || fail "more than asked for"
	has c.html '<h1>Runs side by side</h1>'
	# The largest effect first, and the cycles of the reasons add up.
	awk -F, '/^sm\./ {
		if (n++ && $5 > last * 1.000001) exit 1
		last = $5
	} END { exit n < 2 }' c.csv || fail "not the largest effect first"
	for text in 'What moved' 'class="sides"' '<strong>A</strong><div class="stack"' \
		'<strong>B</strong><div class="stack"' 'class="r-memory"' \
		'</span>issued</th><td class="n">1,152</td><td class="n">1,152</td>'; do
		has c.html "$text"
	done
	"$json" c.json slots >n
	[ "$(cat n)" -ge 5 ] || fail "slots in JSON"
	sed -n 's/.*"reason": "[a-z0-9]*".*"cycles": \[\([0-9.e+-]*\), .*/\1/p' \
		c.json | awk '{ sum += $1 } END { exit !(sum > 545.9 && sum < 546.1) }' ||
		fail "cycles of A in JSON"
	# A reason of another version is shown as it is called, and said so.
	sed 's/"memory": /"<b>old<\/b>": /' a.json >old.json
	run 0 compare old.json a.json
	grep -qE '^  <b>old</b> +78 +0 +-78 +-' out || fail "another reason"
	has out "'<b>old</b>' is a reason not known to this version of Heddle"
	run 0 compare old.json a.json --html old.html
	has old.html '&#39;&lt;b&gt;old&lt;/b&gt;&#39; is a reason not known to'
	lacks old.html '<b>old'
}

# The folder of a program with several kernels and a fault.
program()
{
	[ -e "$(dirname "$heddle")/lib/cuda/libcudart.so.13" ] ||
		skip "no CUDA runtime"
	"$heddle" cc -arch=sm_70 -o app "$sources/cli/exec/app.cu" 2>err ||
		skip "clang cannot compile the program"
	run 0 exec --gpu tiny --out res -- ./app fill scale show
	lacks res/launch-000002.json '"source": "'
	run 0 exec --gpu tiny --out res --source "$sources/cli" -- \
		./app fill scale show
	has res/launch-000002.json '"source": "'
	run 2 exec --source absent -- ./app
	has err '--source absent: No such file'
	run 0 report res
	for text in '<h1>app on ' '2 launches' 'ns::scale&lt;float&gt;' \
		'<h2>Kernels</h2>' '<h2>Launches</h2>' '<code>' \
		'warp-instructions, by SM;'; do
		has res.html "$text"
	done
	# The cycles of the launches add up to those of the page.
	sum=$(($("$json" res/launch-000001.json timing.cycles) +
		$("$json" res/launch-000002.json timing.cycles)))
	has res.html "<dd>$(echo $sum | sed -E ':a
		s/^([0-9]+)([0-9]{3})/\1,\2/; ta')<small>"
	run 8 exec --gpu tiny --out res -- ./app fill wrong show
	run 0 report res/
	has res.html 'Launch 2 was cut short: illegal address'
	run 1 compare res res
	has err "'res' was cut short in launch 2"
	echo 'The program was killed.' >res/INCOMPLETE
	run 0 report res
	has res.html 'The run is incomplete: The program was killed.'
	run 1 compare res res
	has err "'res' is incomplete: The program was killed."
	rm res/program.json
	run 0 report res
	has res.html 'The run is incomplete: The program was killed.'
	run 0 exec --out res -- ./app fill
	run 1 report res
	has err 'has no timed launch'
}

sweep()
{
	need_sweeps
	"$sweep_db" s.db 100
	run 0 sweep report s.db
	has err 'wrote s-report/index.html'
	for text in '<h1>A small sweep</h1>' 'sm.shared = 0: no block fits' \
		'4 failed, 4 not run yet' 'Pareto front' 'sm.count = 160'; do
		has s-report/index.html "$text"
	done
	[ ! -e s-report/INCOMPLETE ] || fail "incomplete"
	[ "$(wc -l <s-report/points.csv)" = 101 ] || fail "points in the CSV"
	has s-report/points.csv '17,17,matmul,sm.count,160,0,ok,,800000,'
	for end in svg png; do
		[ "$(ls s-report/*.$end | wc -l)" -ge 6 ] || fail "no $end"
	done
	! grep -lE '<script|http://(www\.)?[^w]' s-report/*.svg || fail "links"
	# What matters most comes first, and the plots follow.
	order=$(grep -oE '<tr><th scope="row" class="m">(sm.count|dram.bandwidth|l1.replace)<' \
		s-report/index.html | grep -o 'class=.*' | head -n 3 | tr -d '\n')
	[ "$order" = 'class="m">sm.count<class="m">dram.bandwidth<class="m">l1.replace<' ] ||
		fail "ranking: $order"
	run 0 sweep report s.db --out page.html --sweep small
	has page.html '<svg'
	[ ! -e page.html.tmp ] || fail "something is left"
	run 0 compare s.db:1 s.db:17
	grep -qE '^  gpu.cycles +1,000,000 +800,000 +-20.0%' out || fail "point"
	run 1 compare s.db:1 s.db:9999
	has err "has no point 9999"
	run 1 compare s.db:1 s.db:53
	has err "point 53 has no result"
	run 1 sweep report s.db --sweep other
	has err "no sweep 'other' in 's.db'; it has small"
	run 1 sweep report absent.db
	echo 'this is no database, though it is long enough' >text.db
	run 1 sweep report text.db
	has err "text.db"
	mkdir bin
	PATH=$folder/bin run 1 sweep report s.db --out none.html
	has err 'plots need gnuplot'
	[ ! -e none.html ] || fail "a page without plots"
	# A folder that was not written to its end says so.
	rm s-report/index.html
	mkdir s-report/index.html
	run 1 sweep report s.db
	has s-report/INCOMPLETE 'has not been written to its end'
	: >empty.db
	run 1 sweep report empty.db
	has err "'empty.db' is not a database of sweeps"
}

# Cross products are taken apart: what each parameter does, and a heat map.
sweep_cross()
{
	need_sweeps
	"$sweep_db" s.db 0 cross
	run 0 sweep report s.db
	page=s-report/index.html
	for text in 'Cross product: sm.count x dram.bandwidth' \
		'Cross product: sm.count x l2.ways x variant'; do
		has $page "$text"
	done
	tr -d '\n' <$page | sed 's/<section>/\n&/g' >sections
	# Also what matters names the parameters.
	grep '<h2>What matters' sections | grep -o '<tr class="of">.*' >rank
	[ "$(grep -o '<tr class="of">' rank | wc -l)" = 5 ] || fail "ranking"
	has rank '>l2.ways</th>'
	has rank '<td class="n">300.0%</td><td class="n">4.00×</td>'
	grep 'Cross product: sm.count x l2' sections >three
	# The effects that the database was made with, and no interaction.
	for text in 'sm.count</th><td class="n">300.0%</td>' \
		'l2.ways</th><td class="n">20.0%</td>' \
		'variant</th><td class="n">100.0%</td>' \
		'>no L1</th><td class="n">0.11×<br><small>0.05 to 0.24</small>' \
		'the parameters act independently: every point is within 0.0%' \
		'means over the other parameters'; do
		has three "$text"
	done
	lacks three 'interact</strong>'
	grep 'Cross product: sm.count x dram' sections >two
	has two 'not all combinations have a result'
	has two '>failed</td>'
	# Of 4 x 3 cells and 4 programs, one has failed; a legend for each map.
	[ "$(grep -o '<td class="n" style="background:color-mix' two | wc -l)" = \
		44 ] || fail "cells of the heat map"
	[ "$(grep -o 'class="legend"' two | wc -l)" = 4 ] || fail "legends"
	has two '<th scope="col" class="n">400</th>'
	# Where values are close, the axis begins elsewhere and says so.
	grep -l 'speed-up, from 0.99' s-report/*lat.fma*.svg >/dev/null ||
		fail "an axis that hides the differences"
	! grep -l 'speed-up, from' s-report/*sm.count*.svg ||
		fail "an axis is cut for no reason"
	# Failures for the same reason are told once.
	[ "$(grep -o 'sm.shared = 0: no block fits' $page | wc -l)" = 1 ] ||
		fail "a reason is repeated"
	has $page '<small>4 points</small>'
}

sweep_hostile()
{
	need_sweeps
	"$sweep_db" s.db 80 hostile
	run 0 sweep report s.db
	[ ! -e pwned ] || fail "a name was executed"
	[ "$(grep -o '<script' s-report/index.html | wc -l)" = 1 ] ||
		fail "more than the page's script"
	for text in '<img' '<b>' '<i>'; do
		lacks s-report/index.html "$text"
	done
	has s-report/points.csv "'=cmd"
	grep -q '&lt;script>alert(1)' s-report/*.svg || fail "no name in a plot"
}

# Ten thousand points: seconds, and a page that a browser can take.
sweep_big()
{
	need_sweeps
	"$sweep_db" s.db 10000
	code=0
	timeout 30 "$heddle" sweep report s.db >out 2>err || code=$?
	[ "$code" = 0 ] || fail "exit code $code"
	[ "$(wc -l <s-report/points.csv)" = 10001 ] || fail "points in the CSV"
	has s-report/index.html 'The first 2000 of 10000 points.'
	[ "$(wc -c <s-report/index.html)" -lt 4000000 ] || fail "a huge page"
}

# profile FILE CYCLES KERNEL [VALUE]: what Nsight Compute would have written
profile()
{
	{
		echo '==PROF== Connected to process 9'
		echo 'the program said: ok'
		printf '"%s",' ID 'Process ID' 'Kernel Name' 'Block Size' \
			'Grid Size' 'Metric Name' 'Metric Unit'
		echo '"Metric Value"'
		row="\"0\",\"9\",\"$3\",\"(128, 1, 1)\",\"(8, 1, 1)\""
		echo "$row,\"gpc__cycles_elapsed.max\",\"cycle\",\"$2\""
		echo "$row,\"smsp__inst_executed.sum\",\"inst\",\"1,152\""
		echo "$row,\"dram__bytes_read.sum\",\"Kbyte\",\"${4:-8.192}\""
	} >"$1"
}

correlate()
{
	launch a.json
	mkdir profiles runs
	profile profiles/one.csv 500 'saxpy(int, float, const float *, float *)'
	profile profiles/two.csv 1,092 _Z5saxpyifPKfPf
	cp a.json runs/one.json
	cp a.json runs/two.json
	run 0 correlate profiles/one.csv:a.json
	grep -qE '^all programs +1 +9\.2% +9\.2% +9\.2% ' out || fail "cycles"
	grep -qE '^instructions +1 +0\.0% ' out || fail "instructions"
	has out 'program'
	run 0 correlate --profiles profiles --runs ptx=runs --halves \
		--json c.json --csv c.csv --html c.html
	grep -qE '^all programs +2 +29\.6% +29\.6% ' out || fail "two programs"
	"$json" c.json || fail "no JSON"
	[ "$("$json" c.json launches)" = 2 ] || fail "not two launches"
	[ "$(wc -l <c.csv)" = 3 ] || fail "not two lines"
	has c.csv 'one,ptx,'
	for text in '<h1>Simulation beside hardware</h1>' '<circle class="pt p2"' \
		'saxpy, launch 1, grid 8x1x1, block 128x1x1' \
		'ptx: farthest off' 'What is compared' \
		'<title>Launches by error</title>' \
		'<title>Errors of launches, smallest first</title>'; do
		has c.html "$text"
	done
	# Limits, and what they say.
	run 0 correlate two=profiles/two.csv:a.json --limit cycles=50.1%
	run 4 correlate two=profiles/two.csv:a.json --limit cycles=49%
	has err 'cycles: the mean error over 1 launch is 50.0%; the limit is 49.0%'
	run 1 correlate two=profiles/two.csv:a.json --limit l2_hit_rate=5%
	has err 'no launch has this metric on both sides'
	run 1 correlate --profiles profiles --runs ptx=runs --limit sass:cycles=5%
	has err "no --runs has the set 'sass'"
	run 4 correlate --profiles profiles --runs ptx=runs --limit ptx:cycles=29%
	run 0 correlate --profiles profiles --runs ptx=runs --limit ptx:cycles=30%
	run 2 correlate two=profiles/two.csv:a.json --limit cycle=5%
	has err "no metric is called 'cycle'"
	# Mistakes.
	run 2 correlate
	run 1 correlate profiles/one.csv
	has err 'expected PROFILE:RUN'
	run 2 correlate --profiles profiles
	run 1 correlate a.json:a.json
	has err "'a.json' has no launch: expected the CSV of 'ncu --csv'"
	profile bad.csv 500 saxpy 8,1,92
	run 1 correlate bad.csv:a.json
	has err "bad.csv:6: dram__bytes_read.sum is '8,1,92'; expected a number"
	profile other.csv 500 daxpy
	run 1 correlate other.csv:a.json
	has err 'the run has no launch of this kernel'
	# A program that cannot be compared does not keep the others from it.
	cp bad.csv profiles/bad.csv
	cp a.json runs/bad.json
	profile profiles/lost.csv 500 saxpy
	run 1 correlate --profiles profiles --runs runs
	has err 'bad.csv:6: '
	has err "'runs' has no run of lost: it is left out"
	grep -qE '^all programs +2 ' out || fail "the others"
	# Names are text, not markup.
	sed 's/"kernel": "[^"]*"/"kernel": "<b>saxpy"/' a.json >hostile.json
	profile hostile.csv 500 '<b>saxpy'
	run 0 correlate "<i>x=hostile.csv:hostile.json" --html h.html
	lacks h.html '<b>'
	lacks h.html '<i>x'
}

browser()
{
	find_browser
	launch run.json --interval 100
	run 0 report run.json
	browse run.html
	launch other.json -o sm.count=1
	run 0 compare run.json other.json --html compare.html
	browse compare.html
	profile p.csv 500 saxpy
	run 0 correlate p.csv:run.json --html correlate.html
	browse correlate.html
}

# A program on simulated cores, whose page has values over time.
guest()
{
	"$heddle" system --config cgm -o cgm.cores=2 --out "$1" --quiet \
		--max-instructions 40000 -- "$sources/x86/bare" 2 >out 2>err ||
		[ $? = 3 ] || fail "no run of a system"
}

# base64 of the SHA-256 of a page's script, as a browser computes it
script_hash()
{
	sed -n '/<script>/,/<\/script>/p' "$1" | tr -d '\n' |
		sed -e 's/.*<script>//' -e 's/<\/script>.*//' >script
	openssl dgst -sha256 -binary script | openssl base64
}

system()
{
	"$heddle" system -q -- "$sources/x86/bare" 2 >out 2>err ||
		{ grep -q Zydis err && skip "built without Zydis"; }
	guest run.out
	[ -e run.out/program.json ] && [ -e run.out/system.cfg ] ||
		fail "files are missing: $(ls run.out)"
	for text in '<h1>bare on cgm</h1>' '<h2>What bounds this run</h2>' \
		'Where the commit slots went' '<h3>Each core</h3>' \
		'<h2>Over time</h2>' '<h2>Functions</h2>' \
		'<h2>Caches and memory</h2>' '<h2>Coherence and traffic</h2>' \
		'<h2>Links and queues</h2>' 'L2 0 to switch 0' '>l3.forwards<' \
		'>cgm.cores<' 'did not end by itself'; do
		has run.out/index.html "$text"
	done
	! grep -oE '(src|href)="[^"#d][^"]*"|@import|url\(' \
		run.out/index.html || fail "the page loads something"
	if command -v openssl >/dev/null; then
		has run.out/index.html "'sha256-$(script_hash run.out/index.html)'"
	fi
	# The same from the folder, and from its file.
	run 0 report run.out --out again.html
	cmp again.html run.out/index.html || fail "report makes another page"
	run 0 report run.out/program.json
	cmp run.out/program.html again.html || fail "the file's is another page"
	# What stands in it is a stranger's.
	sed -e 's|"link": "L2 [^"]*"|"link": "<script>x</script>"|' \
		-e 's|"config": "cgm"|"config": "<u>"|' \
		run.out/program.json >hostile.json
	run 0 report hostile.json
	has hostile.html '&lt;script&gt;x'
	lacks hostile.html '<u>'
	lacks hostile.html '<script>x'
	for cut in 100 5000 60000; do
		head -c $cut run.out/program.json >short.json
		run 1 report short.json
	done
	# Lists of other things, and numbers out of order.
	sed -e 's|"cycles": \[[0-9]*|"cycles": [99999999|' run.out/program.json \
		>wrong.json
	run 1 report wrong.json
	has err 'samples are not in order'
	sed -e 's|"links": \[|"links": [7, "x", null,|' \
		-e 's|"idle": \[|"idle": ["a", |' run.out/program.json >odd.json
	run 0 report odd.json
}

# A trace of requests on the memory system alone.
cgm()
{
	awk 'BEGIN { for (i = 0; i < 600; i++)
		printf "+%d %s%d %s %d 8 %s\n%s", i % 7, i % 3 ? "cpu" : "cu",
			int(i / 3) % 4, i % 5 < 3 ? "load" : "add",
			i * 7919 % 97 * 8, i % 5 < 3 ? "" : i,
			i == 300 ? "barrier\n" : "" }' >requests.txt
	run 0 cgm requests.txt --interval 20 --out run.out
	for text in '<h1>requests.txt on cgm</h1>' '<h2>Requests</h2>' \
		'cpu 3, data' 'cu 0, vectors' 'Slowest requests' \
		'<h2>Over time</h2>' 'a read takes, mean' 'phase 1' \
		'<h2>Coherence and traffic</h2>' '<h2>Links and queues</h2>' \
		'>cpu.reads<' '>cgm.cores<'; do
		has run.out/index.html "$text"
	done
	# Nothing of cores that are not there.
	for text in 'ommit slots' 'Queues of cores' 'IPC' 'all cores'; do
		lacks run.out/index.html "$text"
	done
	run 0 report run.out --out again.html
	cmp again.html run.out/index.html || fail "report makes another page"
	sed -e 's|"who": "cpu"|"who": "<u>"|' -e 's|"what": "add"|"what": "<u>"|' \
		run.out/program.json >hostile.json
	run 0 report hostile.json
	lacks hostile.html '<u>'
	sed -e 's|"slowest": \[|"slowest": [7, null,|' \
		-e 's|"requesters": \[|"requesters": ["x", [],|' \
		run.out/program.json >odd.json
	run 0 report odd.json
	printf '* cpu0 load 0 8 = 1\n' >requests.txt
	run 4 cgm requests.txt --out run.out
	has run.out/index.html '1 value is not as the trace expects'
}

browser_system()
{
	find_browser
	guest run.out
	browse run.out/index.html
	# A pointer over a picture shows what its sample counted.
	got=$(visit run.out/index.html 1280 "
		var s = d.querySelector('svg.hv'), r = s.getBoundingClientRect();
		s.dispatchEvent(new PointerEvent('pointermove', { clientX:
			r.left + r.width / 2, clientY: r.top + r.height / 2 }));
		var t = d.querySelector('.tip');
		return t.hidden + ' ' + t.children.length + ' ' +
			/ to /.test(t.textContent) + ' ' +
			/committed [0-9.]+%/.test(t.textContent);")
	case $got in
	'false '[1-9]*' true true') ;;
	*) fail "what the pointer shows: $got" ;;
	esac
}

browser_sweep()
{
	need_sweeps
	find_browser
	"$sweep_db" s.db 100
	run 0 sweep report s.db --out s.html
	browse s.html
	# A click on a heading sorts, a second one the other way.
	got=$(visit s.html 1280 "
		var t = d.getElementById('points'), b = t.tBodies[0], a = '';
		for (var i = 0; i < 2; i++) {
			t.tHead.rows[0].cells[6].click();
			a += b.rows[b.rows.length - 1].cells[6].textContent + ' ';
		}
		return a + b.rows.length;")
	case $got in
	'2.000  100') ;;
	*) fail "sorted: $got" ;;
	esac
	# Plots have one size, whatever their number; boxes scroll, not the page,
	# and the first column stays.
	"$sweep_db" cross.db 0 cross
	run 0 sweep report cross.db --out cross.html
	browse cross.html
	size="var p = d.querySelectorAll('figure.plot'), a = [];
		p.forEach(function(x) { a.push(x.offsetWidth) });
		return Math.min.apply(0, a) == Math.max.apply(0, a) ?
			a[0] : a.join('/');"
	many=$(visit s.html 1280 "$size")
	few=$(visit cross.html 1280 "$size")
	[ "$many" = "$few" ] || fail "plots of $many and of $few pixels"
	got=$(visit cross.html 390 "
		var box = d.querySelector('#points').parentNode, a = '';
		box.scrollLeft = 200;
		var c = box.querySelector('tbody td').getBoundingClientRect();
		return (box.scrollWidth > box.clientWidth) + ' ' +
			(Math.round(c.left - box.getBoundingClientRect().left) == 0);")
	[ "$got" = 'true true' ] || fail "the table of points: $got"
	"$sweep_db" bad.db 80 hostile
	run 0 sweep report bad.db --out bad.html
	browse bad.html
	got=$(visit bad.html 390 "return d.scripts.length + ' ' +
		d.images.length + ' ' + d.title;")
	case $got in
	'1 0 &lt;/title&gt;'*) ;;
	*) fail "strangers' markup: $got" ;;
	esac
}

"$case"
