#!/bin/sh
# scripts/mutants on a small tree: which tokens it changes, that a seed decides
# which, that the tree is not touched, and that it leaves nothing behind.
set -eu
mutants=$(cd "$(dirname "$0")/../.." && pwd)/scripts/mutants
command -v git >/dev/null || exit 77
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
git init -q .

fail()
{
	echo "$*"
	cat said
	exit 1
}

cat >f.c <<'END'
#include "f.h"
#define TWICE(x) ((x) + \
	(x) + 0)
/* 1 + 2 */ // 3
int less(const int *p, int n)
{
	return *p < n && !(n == 0x10) ? 1 : '1';	/* a
	1 + 1 */
}
END
cat >main.c <<'END'
int less(const int *p, int n);
int main(void)
{
	int a = 7;

	return less(&a, 9) != 1;
}
END
printf '/build/\n' >.gitignore
touch f.h
before=$(cat f.c main.c | cksum)

# Everything that can be changed, and nothing else.
"$mutants" -r . -l -n 100 -s 1 f.c | sort -t: -k2,2n -k3,3n >said
cat >want <<'END'
f.c:7:12: '<' -> '<='
f.c:7:16: '&&' -> '||'
f.c:7:19: '!' -> ''
f.c:7:23: '==' -> '!='
f.c:7:26: '0x10' -> '0x11'
f.c:7:34: '1' -> '0'
END
cmp -s want said || fail "other mutants than wanted:"

# The seed decides.
"$mutants" -r . -l -n 3 -s 7 f.c >said
cat >want <<'END'
f.c:7:23: '==' -> '!='
f.c:7:19: '!' -> ''
f.c:7:26: '0x10' -> '0x11'
END
cmp -s want said || fail "seed 7 has given other mutants:"
"$mutants" -r . -l -n 3 -s 8 f.c >said
! cmp -s want said || fail "seed 8 gives what seed 7 gives:"

# All of them, built and tested in a copy.
"$mutants" -r . -n 100 -s 1 -b 'cc -o f f.c main.c' -t ./f f.c >said
grep -q "^6 mutants: 3 killed, 0 change nothing, 3 survived (seed 1)" said ||
	fail "another result:"
grep -q "^f.c:7:34: '1' -> '0' *killed by own" said || fail "1 survived:"
grep -q "^f.c:7:12: '<' -> '<=' *SURVIVED" said || fail "< was killed:"
sed -n '/^6 mutants/,$p' said | grep -A2 "^f.c:7:12: '<'" | tail -n 1 |
	grep -q "^  + return \*p <= n && " || fail "no line of the survivor:"

# Several at a time give the same, in any order; a second round reads what the
# first has found out, and one about other sources refuses it.
"$mutants" -r . -n 100 -s 1 -p 3 -o results -b 'cc -o f f.c main.c' -t ./f f.c >again
grep '^f.c.*(' again | sed 's/ ([0-9]* s)//' | sort >said
[ "$(grep -c SURVIVED said)/$(grep -c killed said)" = 3/3 ] || fail "with -p 3:"
"$mutants" -r . -n 100 -s 1 -o results -b 'cc -o f f.c main.c' \
	-t "cmp f.c $dir/f.c" f.c >said
grep -q "^6 mutants: 3 killed, 0 change nothing, 3 survived" said ||
	fail "the results are not read:"
sed -i 's/9/8/' main.c
! "$mutants" -r . -n 1 -o results -b true -t true main.c >said 2>&1 &&
	grep -q "is about other sources" said || fail "results of other sources:"
sed -i 's/8/9/' main.c

# A list, and one that does not fit.
echo "f.c:7:34: '1' -> '0'   killed by own" >list
"$mutants" -r . -m list -b 'cc -o f f.c main.c' -t ./f >said
grep -q "^1 mutants: 1 killed" said || fail "a list of one:"
echo "f.c:7:33: '1' -> '0'" >list
! "$mutants" -r . -m list -b true -t true >said 2>&1 &&
	grep -q "f.c:7:33: no '1' there" said || fail "a list that does not fit:"

# After its time it ends with what it has: some tests hang.
"$mutants" -r . -n 100 -s 1 -p 2 -T 2 -b 'cc -o f f.c main.c' \
	-t "./f && { cmp -s f.c $dir/f.c || sleep 61.5; }" f.c >said
grep -q "^[0-3] mutants: [0-3] killed, 0 change nothing, 0 survived" said ||
	fail "with -T:"
[ -z "$(ls build)" ] || fail "left in build: $(ls build)"
rm -f again list results

# A build that fails is no mutant, a test that fails without one is an error.
"$mutants" -r . -n 1 -s 1 -t ./f -b 'grep -q "p < n && !(n == 0x10) ? 1 :" f.c &&
	cc -o f f.c main.c' f.c >said
grep -q "^0 mutants" said || fail "what does not compile is counted:"
! "$mutants" -r . -n 1 -b true -t false f.c >said 2>&1 || fail "no error:"
grep -q "own: the tests fail without a mutant" said || fail "another error:"

# Stopped, it ends what it has started and removes its copy.
"$mutants" -r . -n 1 -s 1 -b true -t 'sleep 61.5' f.c >said 2>&1 &
pid=$!
waited=0
until ls build/mutants.*/00/f.c >/dev/null 2>&1 || [ $waited = 50 ]; do
	sleep 0.2
	waited=$((waited + 1))
done
sleep 0.5
kill -TERM $pid
status=0
wait $pid || status=$?
[ $status = 143 ] || fail "status $status after a signal:"
[ -z "$(ls build)" ] || fail "left in build: $(ls build)"

[ "$before" = "$(cat f.c main.c | cksum)" ] || fail "the tree has changed"
echo ok
