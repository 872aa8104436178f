#!/bin/sh
# Does bench/cores make the right table of its runs?
#
#	cores.sh CASE
set -eu
bench=$(cd "$(dirname "$0")/../../bench" && pwd)
. "$bench/../tests/cli/checks"
case=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# table ROW...: of `program,threads,seconds,cycles,warp_instructions,stolen`
table()
{
	code=0
	{
		echo heading
		printf '%s\n' "$@"
	} | awk -F, -v threads="1 4" -v limit=1 -f "$bench/cores.awk" \
		>out 2>err || code=$?
}

# line WORD...: the table has it, whatever the spaces
line()
{
	tr -s ' ' <out | grep -qxF "$*" || fail "no line '$*'"
}

case $case in
medians)
	table a,1,9,100,12000000,0 a,1,2,100,12000000,0 \
		a,1,4,100,12000000,0 a,4,1,100,12000000,0.9 \
		a,4,3,100,12000000,0.9
	line a 4.00 3.00 2.0 5/5 0.4%
	;;
stolen)
	table a,1,4,100,12000000,0 a,1,9,100,12000000,2 \
		a,4,1,100,12000000,1 a,4,4,100,12000000,5
	line a 4.00 3.00 4.0 2/4 2.0%
	;;
nothing)
	table a,1,4,100,12000000,2 a,4,1,100,12000000,0 \
		b,1,4,100,12000000,0 b,4,1,100,12000000,2
	line a - - - 1/2 1.0%
	line b 4.00 3.00 - 1/2 1.0%
	;;
different)
	table a,1,4,100,12000000,0 a,4,1,101,12000000,0
	[ "$code" = 1 ] || fail "exit code $code"
	line "cores: a: 101 cycles on 4 threads, not 100"
	;;
usage)
	for words in "some" "1 2 many" "-1" "0" "3 0"; do
		code=0
		# shellcheck disable=SC2086 # words
		"$bench/cores" $words >out 2>err || code=$?
		[ "$code" = 2 ] || fail "exit code $code of 'cores $words'"
		grep -q usage err || fail "no usage of 'cores $words'"
	done
	;;
*)
	fail "no case $case"
	;;
esac
