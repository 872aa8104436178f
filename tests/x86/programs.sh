#!/bin/sh
# Do whole programs give the output and the exit status that they have natively?
#
#	programs.sh HEDDLE FOLDER PROGRAM [--record]
#
# FOLDER has PROGRAM.c or .cc and PROGRAM.out, which says what it printed natively;
# where this is an x86-64 machine it is run again. Its exit status is the last line.
set -eu
heddle=$1
folder=$2
program=$3
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

case $(uname -m) in
x86_64) cc=gcc cxx=g++ native=yes ;;
*) cc=x86_64-linux-gnu-gcc cxx=x86_64-linux-gnu-g++ native= ;;
esac
source=$folder/$program.c
if [ ! -e "$source" ]; then
	source=$folder/$program.cc
	cc=$cxx
fi
if ! command -v "$cc" >/dev/null; then
	echo "no $cc"
	exit 77
fi
# A machine without the static libraries of C cannot build them.
"$cc" -O2 -static -fopenmp -pthread -o "$temporary/$program" "$source" -lm \
	2>"$temporary/log" || {
	cat "$temporary/log"
	exit 77
}
cd "$temporary"
OMP_NUM_THREADS=4
export OMP_NUM_THREADS

# run COMMAND...: its output, and its exit status
run()
{
	status=0
	"$@" || status=$?
	echo "exit $status"
}
if [ "$native" ]; then
	run "./$program" argument >native
	if [ "${4:-}" = --record ]; then
		cp native "$folder/$program.out"
	fi
	cmp native "$folder/$program.out"
fi
for quantum in 10000 137; do
	run "$heddle" system --quiet --env OMP_NUM_THREADS=4 \
		--quantum $quantum -- "./$program" argument >simulated
	diff "$folder/$program.out" simulated
done
# The same number of instructions again.
for i in 1 2; do
	"$heddle" system --quiet --env OMP_NUM_THREADS=4 --json $i.json -- \
		"./$program" argument >/dev/null || :
done
cmp 1.json 2.json
