#!/bin/sh
# Does a sweep on a Slurm cluster give what it gives here, also when a worker
# is lost in the middle?
#
#	slurm.sh HEDDLE DUMP PTX
#
# Starts a cluster of its own on this machine. Exit code 77: it cannot be tried
# here, and why.
set -eu
heddle=$1
dump=$2
ptx=$3
. "$(dirname "$0")/cluster.sh"

missing=$(cluster_missing)
if [ "$missing" ]; then
	echo "skipped: no Slurm cluster can be started here: $missing"
	exit 77
fi
folder=$(mktemp -d /tmp/heddle-slurm-XXXXXX)
trap 'cluster_stop; rm -rf "$folder"' EXIT
cd "$folder"

fail()
{
	echo "FAILED: $*" >&2
	for f in err out; do
		[ ! -f $f ] || { echo "--- $f"; tail -n 60 $f; } >&2
	done
	tail -n 5 a.db.slurm/task-*.log >&2 2>/dev/null || true
	cluster_log >&2
	exit 1
}

has()
{
	grep -qE -- "$2" "$1" || fail "no '$2' in $1"
}

same()
{
	[ "$1" = "$2" ] || fail "$3: '$1' is not '$2'"
}

done_points()
{
	"$dump" a.db sql 'SELECT COUNT(*) FROM result' 2>/dev/null || echo 0
}

# wait_for N: until so many results are in the database
wait_for()
{
	for i in $(seq 1200); do
		[ "$(done_points)" -lt "$1" ] || return 0
		sleep 0.05
	done
	fail "no $1 results after 60 s"
}

# finish CODE PID
finish()
{
	code=0
	wait "$2" || code=$?
	same "$code" "$1" "exit code"
}

cat >a.sweep <<END
gpu = tiny
program saxpy { run = "$ptx --kernel saxpy --grid 8 --block 128 --arg 1000
--arg 2 --arg x:f32[1000]=iota --arg y:f32[1000] --arg 2000" }
program far { run = "$ptx --kernel saxpy --grid 8 --block 128 --arg 5000
--arg 2 --arg x:f32[1000]=iota --arg y:f32[1000] --arg 2" }
vary sm.count = 1..12
vary l1.replace = lru, fifo
END
tr '\n' ' ' <a.sweep | sed 's/program/\n&/g; s/vary/\n&/g' >b.sweep
mv b.sweep a.sweep

# Here.
code=0
"$heddle" sweep a.sweep --out here.db >out 2>err || code=$?
same $code 3 "exit code"
"$dump" here.db points >here

cluster_start "$folder/cluster" || fail "the cluster does not start"

# There; a worker is killed in the middle of its points.
"$heddle" sweep a.sweep --on slurm --per-task 4 >out 2>err &
pid=$!
wait_for 3
killed=
for i in $(seq 500); do
	for worker in $(pgrep -f "sweep work $folder/a.db.slurm"); do
		# One that is in the middle of a point.
		[ "$(pgrep -P "$worker")" ] || continue
		! kill -KILL "$worker" 2>/dev/null || killed=$worker
		break
	done
	[ ! "$killed" ] || break
	sleep 0.02
done
[ "$killed" ] || fail "no worker"
finish 3 $pid
has err '^a: job [0-9]+, 7 tasks for 26 points$'
has err 'points have no result: their workers were lost'
"$dump" a.db times >before
[ "$(wc -l <before)" -lt 26 ] || fail "all points are there"

# Again: only the rest is run.
code=0
"$heddle" sweep a.sweep --on slurm --per-task 4 >out 2>err || code=$?
same $code 3 "exit code"
has err 'tasks for [0-9] points$'
has err ' 30 points, 15 done, 15 failed, 0 left'
has err '^  far, baseline: exit code 3: illegal address'
"$dump" a.db times >after
same "$(grep -cvxFf after before)" 0 "results that were made again"
"$dump" a.db points >there
cmp here there || fail "another result than here"

# Somebody goes home; the job goes on, and its results are taken in later.
rm -rf a.db a.db.slurm
"$heddle" sweep a.sweep --on slurm >out 2>err &
pid=$!
wait_for 1
kill -INT $pid
finish 130 $pid
has err 'job [0-9]+ goes on'
job=$(sed -n 's/^  job \([0-9]*\) goes on.*/\1/p' err)
for i in $(seq 300); do
	[ "$(squeue -h -j "$job" 2>/dev/null)" ] || break
	sleep 0.2
done
code=0
"$heddle" sweep collect a.sweep >out 2>err || code=$?
same $code 3 "exit code"
has err ' 30 points, 15 done, 15 failed, 0 left'
"$dump" a.db points >there
cmp here there || fail "another result than here"

# Submitted and left alone; the same command waits for the job that there is.
rm -rf a.db a.db.slurm
"$heddle" sweep a.sweep --on slurm --no-wait --workers 1 \
	--slurm-options '--nice=1 --time=5' >out 2>err || fail "not submitted"
code=0
"$heddle" sweep a.sweep --on slurm >out 2>err || code=$?
same $code 3 "exit code"
! grep -q 'tasks for' err || fail "submitted twice"
"$dump" a.db points >there
cmp here there || fail "another result than here"
