#!/bin/sh
# Is a result ever lost, or taken for what it is not?
#
#	lost.sh HEDDLE JSON-CHECKER CASE
set -eu
. "$(dirname "$0")/checks"
heddle=$1
json=$2
case=$3
ptx=$(cd "$(dirname "$0")" && pwd)/saxpy.ptx
enter_new_folder

# run CODE WORD...
run()
{
	heddle_ends "$@"
}

# launch CODE OPTION...: a small run, of 1,000 elements in 8 blocks
launch()
{
	want=$1
	shift
	run "$want" run "$ptx" --kernel saxpy --grid 8 --block 128 --arg 1000 \
		--arg 2 --arg "x:f32[1000]=iota" --arg "y:f32[1000]" \
		--arg "${times:-2}" "$@"
}

# A run that did not complete is not compared as if it were a fast one, and its
# page says so.
cut_short()
{
	launch 0 --gpu tiny --json whole.json
	launch 3 --gpu tiny --max-cycles 200 --json cut.json
	for runs in "whole.json cut.json" "cut.json whole.json"; do
		run 1 compare $runs --json c.json --html c.html
		has err "'cut.json' was cut short in launch 1, saxpy: cycle limit"
		run 1 compare $runs
		[ ! -s out ] || fail "a comparison with a run that was cut short"
	done
	[ ! -e c.json ] && [ ! -e c.html ] || fail "files of a refused comparison"
	run 0 report cut.json
	has cut.html 'Launch 1 was cut short: cycle limit'
	# Interrupted between two launches: each is complete, but not the run.
	sed 's/"status": "ok"/"status": "interrupted"/' whole.json >between.json
	run 1 compare whole.json between.json
	has err "'between.json' is incomplete: it was interrupted"
	run 0 report between.json
	has between.html 'The run is incomplete: it was interrupted'
	sed 's/"whole": true/"whole": false/' whole.json >half.json
	run 1 compare whole.json half.json
	has err "'half.json' was cut short in launch 1, saxpy$"
	run 0 compare whole.json whole.json
}

# Regular files are replaced; everything else is written through.
through()
{
	launch 0 --gpu tiny --json run.json
	run 0 report run.json --out page.html
	mkfifo pipe
	cat pipe >copy &
	reader=$!
	run 0 report run.json --out pipe
	wait $reader
	[ -p pipe ] || fail "the pipe is gone"
	cmp page.html copy || fail "the pipe has another page"
	mkdir else
	echo old >else/file
	chmod 600 else/file
	ln -s else/file link
	ln -s link second
	ln -s else/new dangling
	ln -s loop loop
	run 0 report run.json --out second
	[ -L second ] && [ -L link ] || fail "a link is gone"
	cmp page.html else/file || fail "a link to another page"
	same "$(ls -l else/file | cut -c 1-10)" "-rw-------" rights
	run 0 report run.json --out dangling
	[ -L dangling ] || fail "a link without a file is gone"
	cmp page.html else/new || fail "a link to no page"
	run 1 report run.json --out loop
	has err "cannot create 'loop': Too many levels of symbolic links"
	run 1 report run.json --out else
	has err "cannot create 'else': Is a directory"
	echo first >file
	"$heddle" report run.json --out /dev/stdout >>file 2>err
	! ls -A . else | grep tmp || fail "temporary files are left"
	if mknod null c 1 3 2>err; then
		run 0 report run.json --out null
		[ -c null ] || fail "the device is gone"
		run 0 compare run.json run.json --json null
		[ -c null ] || fail "the device is gone"
	fi
	if mknod full c 1 7 2>err && [ -w full ]; then
		run 1 report run.json --out full
		has err "cannot write 'full': No space left on device"
		[ -c full ] || fail "the full device is gone"
	fi
}

# full CODE WORD...: standard output is on a full disk
full()
{
	want=$1
	shift
	code=0
	"$heddle" "$@" >/dev/full 2>err || code=$?
	[ "$code" = "$want" ] || fail "exit code $code, not $want: $*"
	has err "cannot write "
}

stdout()
{
	[ -w /dev/full ] || return 0
	kernel="$ptx --kernel saxpy --block 128 --arg 100 --arg 2"
	kernel="$kernel --arg x:f32[100]=iota --arg y:f32[100] --arg 2"
	saxpy="run $kernel --quiet"
	full 1 --version
	full 1 -V
	full 1 --help
	full 1 help
	full 1 help run
	full 1 $saxpy --print y
	full 1 $saxpy --hash y
	full 1 $saxpy --json -
	full 1 $saxpy --gpu tiny --csv -
	full 4 $saxpy --print y --expect y=zero
	full 1 dis "$ptx"
	full 1 kernels "$ptx"
	full 1 gpus
	full 1 gpus tiny
	full 1 gpus tiny --dump
	full 1 gpus tiny --json
	run 0 $saxpy --gpu tiny --json run.json
	full 1 compare run.json run.json
	for option in --json --csv --html; do
		full 1 compare run.json run.json $option -
	done
	full 1 report run.json --out -
	full 1 engines --gpu tiny --engines serial --runs 1 "$kernel"
	for command in run dis kernels gpus exec cc trace sweep report compare \
		engines "trace info" "sweep report"; do
		full 1 $command --help
	done
	code=0
	"$heddle" $saxpy --record x.trace >out 2>err || code=$?
	if [ $code = 0 ]; then
		full 1 trace info x.trace
		full 1 trace info x.trace --json
		full 1 trace show x.trace
		full 1 trace diff x.trace x.trace
	fi
	printf 'gpu = "tiny"\nprogram a { run = "%s" }\nvary sm.count = 1, 2\n' \
		"$kernel" >a.sweep
	if "$heddle" sweep a.sweep >out 2>err; then
		full 1 sweep a.sweep --dry-run
		full 1 sweep status a.db
		full 1 sweep report a.db --out -
	fi
}

# What cannot be written is refused before the simulation, which would take for
# ever.
folders()
{
	times=2000000000
	for option in "--json" "--out y=" "--record" "--gpu tiny --csv" \
		"--gpu tiny --timeline" "--gpu tiny --json"; do
		case $option in
		*=) words=${option}none/file ;;
		*) words="$option none/file" ;;
		esac
		launch 1 $words
		has err "cannot create 'none/file': No such file or directory"
		lacks err executed
	done
	mkdir folder
	launch 1 --json folder
	has err "error: --json: cannot create 'folder': Is a directory"
	if [ "$(id -u)" != 0 ]; then
		chmod 500 folder
		launch 1 --json folder/file
		has err "cannot create 'folder/file': Permission denied"
	fi
	times=2
	launch 0 --gpu tiny --json run.json
	run 1 engines --gpu tiny --runs 1 --engines serial --json none/file \
		"$ptx --kernel saxpy"
	has err "cannot create 'none/file': No such file or directory"
	[ ! -s out ] || fail "engines ran before the file was checked"
	# What fails leaves nothing behind, and keeps what was there.
	echo old >y.npy
	launch 4 --expect y=zero --json run.json
	launch 3 --gpu tiny --max-cycles 9 --out y=y.npy
	same "$(cat y.npy)" old "the file of a run that failed"
	! ls -A | grep tmp || fail "temporary files are left"
}

same_file()
{
	launch 0 --out y=a.npy --gpu tiny --json run.json --quiet
	cp a.npy kept.npy
	ln -s a.npy link.npy
	cp "$ptx" b.ptx
	for words in "--arg 1000 --arg 2 --arg x:@a.npy --arg y:f32[1000] --arg 2 \
		--out y=link.npy" \
		"--arg 1000 --arg 2 --arg x:f32[1000]=@a.npy --arg y:f32[1000]
		--arg 2 --json ./a.npy" \
		"--arg 1000 --arg 2 --arg x:f32[1000] --arg y:f32[1000] --arg 2
		--expect y=a.npy --out y=a.npy" \
		"--record b.ptx" "--json b.ptx"; do
		run 1 run b.ptx --kernel saxpy --block 128 --grid 8 $words
		has err "would overwrite the input "
	done
	cmp a.npy kept.npy || fail "an input was overwritten"
	cmp "$ptx" b.ptx || fail "the program was overwritten"
	launch 1 --gpu tiny --json both --csv ./both
	has err "^heddle: error: --(json|csv) and --(json|csv) write the same file"
	run 1 dis b.ptx -o b.ptx
	has err "^heddle: error: -o would overwrite the input 'b.ptx' \(PROGRAM\)"
	run 1 report run.json --out run.json
	has err "--out would overwrite the input 'run.json' \(RUN\)"
	run 1 compare run.json run.json --csv run.json
	has err "--csv would overwrite the input 'run.json' \(RUN\)"
	printf '__global__ void k() {}\n' >k.cu
	run 1 cc -c k.cu -o k.cu
	has err "-o would overwrite the input 'k.cu' \(FILE\)"
	has k.cu '__global__'
	cp run.json sweep.html
	run 1 sweep report sweep.html --out sweep.html
	has err "--out would overwrite the input 'sweep.html' \(DB\)"
	"$heddle" gpus tiny --dump >tiny.cfg
	launch 1 --gpu tiny.cfg --json tiny.cfg
	has err "--json would overwrite the input 'tiny.cfg' \(--gpu\)"
	run 0 dis b.ptx -o c.ptx
	run 0 dis b.ptx
	cmp out c.ptx || fail "dis -o writes something else"
}

# A message names what was given, where, and what would be right.
messages()
{
	launch 1 --gpu tiny -o dram.bank_groups=64
	has err 'tiny: dram.bank_groups = 64: more than dram.banks = 32, the default of hbm2 \(dram.bank_groups: -o\)'
	"$heddle" gpus tiny --dump |
		sed 's/^dram.bank_groups.*/dram.bank_groups = 64/' >bad.cfg
	line=$(grep -n '^dram.bank_groups' bad.cfg | cut -d: -f1)
	for command in "gpus ./bad.cfg" "run $ptx --gpu ./bad.cfg"; do
		run 1 $command
		has err "\(dram.bank_groups: ./bad.cfg:$line[;)]"
	done
	run 1 gpus tiny -o l2.slices=3
	has err 'l2.slices = 3: neither .* \(l2.slices: -o; dram.channels: .*/tiny.cfg:[0-9]+\)$'
	launch 2 --engine quick
	has err "^heddle: error: --engine quick: no engine named 'quick'; there are: serial, "
	for option in --threads --sm-count --registers --repeat \
		--local-bytes --heap-bytes --max-instructions --max-cycles; do
		launch 2 --gpu tiny $option 0
		has err "error: $option 0: expected a number of at least 1"
	done
	run 2 engines --threads 0 "$ptx"
	has err "error: --threads 0: expected a number of at least 1"
	run 2 gpsu
	has err "unknown command 'gpsu', did you mean 'gpus'\?"
	run 2 gpus --dmp tiny
	has err "unknown option '--dmp', did you mean --dump\?"
	for sm in 999 9 99.9 0 x; do
		launch 2 --sm $sm
		has err "error: --sm $sm: expected a compute capability such as 90, from 10 to 199"
	done
	for sm in 90 9.0 sm_90; do
		launch 0 --sm $sm
	done
	: >empty.trace
	echo text >other.trace
	run 1 run empty.trace
	has err "'empty.trace' is empty: expected a program that ends in .ptx, .cu or .cl, a cubin, a fat binary or a code object, or a trace"
	run 1 run other.trace
	has err "'other.trace' is not a Heddle trace: "
	run 1 run absent.trace
	has err "cannot open 'absent.trace': No such file"
	run 1 sweep report absent.db
	: >empty.db
	for command in "sweep report empty.db" "compare empty.db:1 empty.db:2" \
		"sweep report bad.cfg" "sweep status empty.db"; do
		run 1 $command
		has err "' is not a database of sweeps|built without SQLite"
	done
	same "$(echo *)" "bad.cfg empty.db empty.trace err other.trace out" files
}

# What failed before it began leaves nothing behind.
litter()
{
	words="--kernel saxpy --arg 1 --arg 2 --arg x:f32[9] --arg y:f32[9]"
	files="--record a.trace --csv a.csv --timeline a.json"
	: >empty.ptx
	run 1 run empty.ptx --record a.trace
	if grep -q 'this build has no zstd' err; then
		echo "this build has no zstd"
		exit 77
	fi
	run 1 run "$ptx" $words --arg 2 --block 2048 --gpu tiny $files
	has err "block 2048 x 1 x 1"
	run 1 run "$ptx" $words --gpu tiny $files
	run 1 run "$ptx" --kernel absent --record a.trace
	run 1 sweep empty.ptx
	same "$(echo *)" "empty.ptx err out" files
	# An earlier trace is kept if the recording cannot even start.
	echo old >a.trace
	run 1 run absent.ptx --record a.trace
	same "$(cat a.trace)" old "an earlier trace"
}

# A file has its name only when it is whole: neither a run that is killed nor one
# that fails leaves something that looks like a result.
whole()
{
	words="--kernel saxpy --grid 8 --block 128 --arg 1000 --arg 2"
	words="$words --arg x:f32[1000] --arg y:f32[1000] --quiet"
	files="--csv a.csv --timeline a.gz --record a.trace"
	for f in a.csv a.gz a.trace; do
		echo old >$f
	done
	"$heddle" run "$ptx" $words --arg 2000000000 --gpu tiny $files \
		--interval 100 >out 2>err &
	pid=$!
	for i in $(seq 100); do
		[ ! -e a.csv.$pid.tmp ] || break
		sleep 0.05
	done
	sleep 0.2
	kill -KILL $pid
	wait $pid 2>/dev/null || :
	if grep -q 'this build has no zstd' err; then
		echo "this build has no zstd"
		exit 77
	fi
	for f in a.csv a.gz a.trace; do
		same "$(cat $f)" old "$f of a run that was killed"
		[ -e $f.$pid.tmp ] || fail "no temporary file for $f"
	done
	rm -f *.tmp
	run 0 run "$ptx" $words --arg 2 --gpu tiny $files
	for f in a.csv a.gz a.trace; do
		! grep -qx old $f || fail "the run has not replaced $f"
	done
	# A trace that cannot be written costs neither results nor statistics.
	code=0
	(
		trap '' XFSZ
		ulimit -f 1
		exec "$heddle" run "$ptx" $words --arg 2 --hash y --record full.trace
	) >out 2>err || code=$?
	same $code 1 "exit code of a run whose trace is lost"
	has out '^y hash '
	same "$(cat err)" "heddle: error: full.trace: File too large" message
	! ls -A | grep full || fail "a part of a trace"
	run 0 run a.trace --csv b.csv --timeline b.gz --gpu tiny
	# A replay that fails after its files were opened.
	head -c $(($(wc -c <a.trace) - 9)) a.trace >cut.trace
	cp b.csv kept.csv
	run 1 run cut.trace --csv b.csv --timeline c.gz --gpu tiny
	cmp b.csv kept.csv || fail "a failed replay has changed its CSV"
	[ ! -e c.gz ] || fail "a timeline of a failed replay"
	run 1 run a.trace --launch 7 --csv b.csv --timeline c.gz --gpu tiny
	! ls -A | grep -E 'tmp|c.gz' || fail "files of a failed replay"
}

"$case"
echo ok
