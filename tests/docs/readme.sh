#!/bin/sh
# Do the commands of README.md work, in their order, in a new folder, and do they
# print the lines that it shows?
#
#	readme.sh BUILD [quick]
#
# quick: with a smaller graph for bfs, and without the demo. At the end of a line,
# ... stands for the rest of it; alone, for other lines. 77: skipped, for want of a
# program.
set -eu
sources=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
quick=${2:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for name in demo workloads configs include; do
	ln -s "$sources/$name" $name
done
ln -s "$build" build

for program in clang gnuplot; do
	command -v $program >/dev/null && continue
	echo "skipped: no $program"
	exit 77
done

# A program for x86-64 is that of one compiler, too.
guest=yes
if [ "$(uname -m)" != x86_64 ] || [ "$(gcc -dumpversion)" != 12 ] ||
	build/heddle system -- ./none 2>&1 | grep -q Zydis; then
	guest=
	echo "not run: programs for x86-64 made by gcc 12"
fi

fail()
{
	echo "FAILED: $*" >&2
	[ ! -f said ] || tail -n 40 said >&2
	exit 1
}

# The blocks of the page, without the text: a line begins with $ (a command), > (it
# goes on) or | (what is printed); a block ends with an empty line.
awk '
/^    / {
	line = substr($0, 5)
	kind = line ~ /^\$ / ? "$" : more ? ">" : "|"
	sub(/^\$ /, "", line)
	more = kind != "|" && line ~ /\\$/
	sub(/\\$/, "", line)
	print kind line
	next
}
{ print "" }' "$sources/README.md" |
	if [ -n "$quick" ]; then sed 's/20000/2000/g'; else cat; fi >blocks

# Cycles and lines of PTX are those of one compiler.
clang --version | grep -q 'version 14\.' && same=yes || same=
[ -n "$same" ] || echo "not compared with README.md: what clang 14 does not compile"

# shows FILE: does it have the lines of `want`?
shows()
{
	[ -n "$same" ] || return 0
	while IFS= read -r line; do
		awk -v want="$line" '
		BEGIN { open = sub(/ *\.\.\.$/, "", want) }
		open ? index($0, want) == 1 : $0 == want { found = 1; exit }
		END { exit !found }' "$1" || fail "not printed: '$line'"
	done <want
}

# A command that reads a file which is not there: the page shows what is in it.
try()
{
	[ -n "$command" ] || return 0
	case $command in
	'gcc '* | *' system '*) [ -n "$guest" ] || return 0 ;;
	esac
	case $command in
	'cat '*)
		cp want "${command#cat }"
		;;
	*)
		code=0
		sh -c "$command" >said 2>&1 </dev/null || code=$?
		[ $code = 0 ] || fail "exit code $code: $command"
		shows said
		;;
	esac
	count=$((count + 1))
}

count=0
command=
: >want
while IFS= read -r line; do
	rest=${line#?}
	case $line in
	'$'*)
		try
		command=$rest
		: >want
		;;
	'>'*) command="$command $rest" ;;
	'|'*) [ -z "$command" ] || printf '%s\n' "$rest" >>want ;;
	'')
		try
		command=
		: >want
		;;
	esac
done <blocks
try
[ $count -ge 7 ] || fail "only $count commands in README.md"

# The demo; what it takes the host is not the same every time.
[ -z "$quick" ] || exit 0
sed -n '/^|== 2\./,/^$/p' blocks | sed 's/^|//; /^ *time /d' >want
[ "$(wc -l <want)" -ge 5 ] || fail "README.md shows no demo"
BUILD=$build "$sources/demo/run.sh" >said 2>&1 || fail "the demo fails"
shows said
