#!/bin/sh
# heddle cgm: what it prints, and what it says of what it cannot read.
#
#	command.sh HEDDLE
set -eu
heddle=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail()
{
	echo "cgm: $1" >&2
	exit 1
}
# ends CODE TEXT LINE...: the trace of these lines ends so and says that.
ends()
{
	code=$1 text=$2
	shift 2
	printf '%s\n' "$@" >trace
	got=0
	"$heddle" cgm trace >out 2>err || got=$?
	[ "$got" = "$code" ] || fail "$*: exit code $got, expected $code"
	grep -qF -- "$text" out err || fail "$*: no '$text': $(cat out err)"
}

ends 0 'CPU  stores              1' '* cpu0 store 0x40 8 7' 'barrier' \
	'* cu0 load 0x40 8 = 7' '+3 cu0 add 0x40 8 1 = 7' 'barrier' \
	'* scalar1 load 0x40 8 = 8' '* cpu1 fence' '* cpu1 flush 0x40 1'
ends 4 'trace:3: found 0x7, expected 0x8' '* cpu0 store 0x40 8 7' 'barrier' \
	'* cpu1 load 0x40 8 = 8'
ends 1 "trace:2: 'lod': expected fetch, load" '# first' '* cpu0 lod 0 1'
ends 1 "trace:1: 'gpu0': expected cpu, cu or scalar" '* gpu0 load 0 1'
ends 1 "trace:1: 'soon': expected *, a cycle" 'soon cpu0 load 0 1'
ends 1 'trace:1: the bytes cross the end of a block' '* cpu0 load 0x3f 2'
ends 1 'trace:1: an atomic has 1, 2, 4 or 8 bytes' '* cpu0 add 0 16 1'
ends 1 'trace:1: the line ends: expected a value' '* cpu0 store 0 8'
ends 1 "trace:1: 'x': nothing more was expected" '* cpu0 load 0 8 x'
ends 1 'trace:1: address 0x400000000000: expected less than 2^46' \
	'* cpu0 load 0x400000000000 8'
ends 1 'trace:1: the configuration has no core 60; see cgm.cores' \
	'* cpu60 load 0 8'
ends 0 'time  0.0 ns' '# nothing'

# Cores and compute units on the same few blocks.
awk 'BEGIN {
	for (i = 0; i < 4000; i++)
		printf "+%d %s%d %s %d 8 %s\n", i % 7, i % 3 ? "cpu" : "cu",
			int(i / 3) % 4, i % 5 < 3 ? "load" : "add",
			i * 7919 % 97 * 8, i % 5 < 3 ? "" : i
}' >trace
result()
{
	grep -vE '"(program|engine|threads|window|exact)"' "$1"
}
"$heddle" cgm - --json - <trace >one.json
grep -q '"engine": "serial"' one.json || fail "$(head -5 one.json)"
grep -q '"read_ticks"' one.json || fail "no statistics in JSON"
result one.json >one
for how in '--threads 1' '--threads 2' '--threads 4' '--threads 8' \
	'--engine exact --threads 3' '--engine exact' '--engine cycle' \
	'--engine serial --threads 4'; do
	"$heddle" cgm trace $how --json two.json >/dev/null
	result two.json >two
	cmp one two || fail "$how changes something"
done
grep -q '"threads": 1,' two.json || fail "serial on several threads"
"$heddle" cgm trace --threads 4 --json two.json >/dev/null
grep -q '"engine": "exact"' two.json || fail "four threads without exact"
grep -q '"threads": 4,' two.json || fail "$(head -5 two.json)"
for engine in slack:10 workgroup; do
	if "$heddle" cgm trace --engine $engine 2>err; then
		fail "an engine that is not exact"
	fi
	grep -q 'is not exact' err || fail "$(cat err)"
done
if "$heddle" cgm trace --engine fast 2>err; then
	fail "an engine that is not there"
fi
grep -q "no engine named 'fast'" err || fail "$(cat err)"
if "$heddle" cgm trace -o cgm.gpu_at=memory 2>err; then
	fail "a coherent GPU at the memory controller"
fi
grep -q 'needs cgm.gpu_protocol = none' err || fail "$(cat err)"
"$heddle" cgm trace -o cgm.gpu_at=memory -o cgm.gpu_protocol=none >/dev/null
if "$heddle" cgm nowhere 2>err; then
	fail "a file that is not there"
fi
grep -q "cannot read 'nowhere'" err || fail "$(cat err)"

# --out: the same statistics, values over time that add up to them, every request.
"$heddle" cgm trace --json plain.json >plain
"$heddle" cgm trace --out run.out --interval 50 >seen 2>err
cmp plain seen || fail "--out changes what is printed"
grep -q 'page  run.out/index.html' err || fail "$(cat err)"
[ "$(ls run.out | tr '\n' ' ')" = \
	'index.html program.json requests.csv system.cfg ' ] ||
	fail "the folder holds $(ls run.out)"
sed '/"host_seconds"/,$d' run.out/program.json | sed '$s/,$//' >seen.json
sed '$d' plain.json >want.json
cmp want.json seen.json || fail "--out changes a statistic"
# Sums of the array of a name, and its value in the whole run.
sum()
{
	sed -n "s/.*\"$1\": \[\(.*\)\].*/\1/p" run.out/program.json | tr , '\n' |
		awk '{ n += $1 } END { print n }'
}
for name in mc_load gets; do
	whole=$(sed -n "s/.*\"$name\": \([0-9]*\),*$/\1/p" plain.json)
	[ "$whole" -gt 0 ] && [ "$(sum $name)" = "$whole" ] ||
		fail "samples of $name: $(sum $name), not $whole"
done
awk -F, 'NR > 1 {
	if ($1 != NR - 1 || $8 <= 0 || $7 < 0 || $6 != 8)
		exit 1
	if ($4 == "load" && $9 !~ /^0x/)
		exit 1
} END { exit NR != 4001 }' run.out/requests.csv ||
	fail "requests.csv: $(head -3 run.out/requests.csv)"
# A value that was found, and when.
printf '* cpu0 store 0x40 8 7\nbarrier\n+5 cpu1 load 0x40 8\n* cu0 fence\n' |
	"$heddle" cgm - --out run.out >/dev/null 2>&1
[ "$(cut -d, -f1-6,9 run.out/requests.csv | tr '\n' ' ')" = \
	'line,phase,who,what,address,size,found 1,0,cpu0,store,0x40,8, 3,1,cpu1,load,0x40,8,0x7 4,1,cu0,fence,,, ' ] ||
	fail "$(cat run.out/requests.csv)"
if "$heddle" cgm trace --interval 50 2>err; then
	fail "--interval without --out"
fi
grep -q 'needs --out' err || fail "$(cat err)"
mkdir theirs && echo x >theirs/mine
if "$heddle" cgm trace --out theirs >/dev/null 2>err; then
	fail "a folder of somebody else"
fi
grep -q "holds 'mine'" err || fail "$(cat err)"
# A signal ends a run, on one thread of the host or two, and while it reads.
awk 'BEGIN {
	for (i = 0; i < 200000; i++)
		printf "+%d cpu%d load %d 8\n", i % 7, i % 4, i * 4160 % 40000000
}' >long
# stopped SIGNAL CODE PID: the run ends so.
stopped()
{
	got=0
	kill -s "$1" "$3"
	wait "$3" || got=$?
	[ "$got" = "$2" ] || fail "$1: exit code $got: $(cat err)"
	grep -qx 'heddle: interrupted' err || fail "$1: $(cat err)"
}
for words in "INT 130" "TERM 143 --engine exact --threads 2"; do
	set -- $words
	signal=$1 code=$2
	shift 2
	rm -rf run.out
	"$heddle" cgm long --out run.out "$@" >out 2>err &
	until [ -e run.out/INCOMPLETE ]; do
		sleep 0.1
	done
	stopped $signal $code $!
	grep -qx 'The run was interrupted.' run.out/INCOMPLETE ||
		fail "$signal: $(ls run.out)"
done
# It is reading when more has gone through a pipe than the pipe holds.
mkfifo pipe
exec 3<>pipe
"$heddle" cgm - <pipe >out 2>err &
cat long >&3
stopped INT 130 $!
