#!/bin/sh
# The folder of `heddle system --out`: whole, or marked as not complete; nothing else
# is touched.
#
#	folder.sh HEDDLE JSONVALUE CASE
set -eu
heddle=$1
json=$2
case=$3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/checks"
enter_new_folder
program="$here/../x86/bare"

# ends CODE OPTION...: a short run on two cores
ends()
{
	want=$1
	shift
	heddle_ends "$want" system --config cgm -o cgm.cores=2 \
		--max-instructions 40000 "$@" -- "$program" 2
}

# numbers FILE: all members but the host's time
numbers()
{
	grep -vE '"(host_seconds|engine)"' "$1"
}

case $case in
results)
	ends 3 --json plain.json
	ends 3 --json seen.json --out res
	has err 'page      res/index.html'
	[ ! -e res/INCOMPLETE ] || fail "marked as incomplete"
	# Nothing that is simulated knows of it.
	cmp plain.json seen.json || fail "--out changes the statistics"
	for path in cycles cpu.slot.load memory.l1d.hits cpu.instructions; do
		same "$(value res/program.json $path)" \
			"$(value plain.json $path)" $path
	done
	ends 3 --out four --threads 4
	numbers res/program.json >one
	numbers four/program.json >four.txt
	cmp one four.txt || fail "threads change the values over time"
	# The configuration is the one that was simulated.
	heddle_ends 3 system --config res/system.cfg --max-instructions 40000 \
		--json again.json -- "$program" 2
	same "$(value again.json cycles)" "$(value plain.json cycles)" \
		"cycles of the folder's configuration"
	# A shorter interval gives more samples, up to a limit.
	ends 3 --out fine --interval 10
	has fine/program.json '"interval": [0-9]{3},'
	ends 3 --out res --interval 2000
	has res/program.json '"interval": 2000,'
	;;
shared)
	# Two threads count in one block, each in a word of its own.
	compiler=gcc
	[ "$(uname -m)" = x86_64 ] || compiler=x86_64-linux-gnu-gcc
	command -v $compiler >/dev/null || { echo "no $compiler"; exit 77; }
	cat >two.c <<-'END'
	#include <pthread.h>
	static volatile long counters[8] __attribute__((aligned(64)));
	static void *count(void *p)
	{
		for (int i = 0; i < 4000; i++)
			counters[(long)p]++;
		return 0;
	}
	int main(void)
	{
		pthread_t t;

		pthread_create(&t, 0, count, (void *)1);
		while (!counters[1])
			;
		count(0);
		pthread_join(t, 0);
		return 0;
	}
	END
	$compiler -O1 -static -pthread -o two two.c 2>log || { cat log; exit 77; }
	heddle_ends 0 system --config cgm -o cgm.cores=2 --quiet --out res -- ./two
	grep -A 1 '"hot_blocks"' res/program.json >blocks
	has blocks '"what": "counters"'
	has res/index.html 'Blocks: counters'
	has res/program.json '"function": "count"'
	has res/program.json '"text": "[a-z]+[^"]*"'
	;;
refused)
	mkdir other
	echo mine >other/notes
	ends 1 --out other
	has err "holds 'notes', which is not a result"
	same "$(ls other)" notes "a folder with something else"
	ends 1 --out none/below
	echo mine >file
	ends 1 --out file
	has err "cannot use the folder 'file'"
	same "$(cat file)" mine "a file in the folder's place"
	heddle_ends 2 system --out res -- "$program"
	has err 'need --config'
	heddle_ends 2 system --config cgm --interval 10 -- "$program"
	has err 'need --out'
	heddle_ends 1 system --config cgm --out res -- ./nothing
	[ ! -e res ] || fail "a folder of no program"
	;;
lost)
	# A disk that is full: nothing looks complete.
	code=0
	(trap '' XFSZ; ulimit -f 40
	"$heddle" system --config cgm -q --max-instructions 40000 --out res \
		-- "$program" 2 >out 2>err) || code=$?
	same "$code" 1 "exit code on a full disk"
	has err 'cannot write'
	has res/INCOMPLETE 'cannot write'
	[ ! -e res/program.json ] || fail "half a result looks complete"
	[ -e res/program.json.tmp ] && [ ! -s res/program.json.tmp ] ||
		fail "half a result takes room"
	ends 3 --out res
	[ ! -e res/INCOMPLETE ] && [ -e res/program.json ] || fail "not written"
	;;
interrupted)
	"$heddle" system --config cgm -q --out res -- "$program" 9 >out 2>err &
	wait_for_file res/INCOMPLETE $!
	signal_ends INT 130 $!
	has res/INCOMPLETE 'interrupted'
	has res/index.html 'The run is incomplete: The run was interrupted.'
	has res/program.json '"interrupted": true'
	;;
esac
