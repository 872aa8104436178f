#!/bin/sh
# OpenCL of guests on the simulated system: timed.sh HEDDLE PROGRAM CASE [CONFIG]
set -eu
heddle=$1 program=$2 case=$3 config=${4:-cgm}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

run() # JSON [OPTION...] -- [ARGUMENT...]
{
	json=$1
	shift
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	"$heddle" system --config $config --quiet --json "$dir/$json" $options \
		-- "$program" "$@"
}

# A number of the object "opencl"; the first of that name.
opencl() # JSON NAME
{
	sed -n '/"opencl":/,$p' "$dir/$1" |
		sed -n "s/.*\"$2\": *\([0-9.e+]*\).*/\1/p" | head -1
}

# The same of the banks of the GPU's second level, while OpenCL was used.
bank() # JSON NAME
{
	sed -n '/"opencl":/,$p' "$dir/$1" | sed -n '/"gpu_l2":/,$p' |
		sed -n "s/.*\"$2\": *\([0-9]*\).*/\1/p" | head -1
}

expect() # WHAT WANT GOT
{
	[ "$2" = "$3" ] && return
	echo "$1: want $2, got $3"
	exit 1
}

holds() # EXPRESSION of awk
{
	awk "BEGIN { exit !($1) }" && return
	echo "does not hold: $1"
	exit 1
}

case $case in
copies)
	# The time of a copy grows with its bytes; the kernel has a request for
	# each block that it reads, and one for each that it writes.
	run one -- 4096
	run two -- 8192
	expect "bytes copied" $((2 * 4 * 4096)) "$(opencl one copied_bytes)"
	expect "bytes copied" $((2 * 4 * 8192)) "$(opencl two copied_bytes)"
	a=$(opencl one copy_ns) b=$(opencl two copy_ns)
	holds "$b > 1.7 * $a && $b < 2.3 * $a"
	# Of a multiprocessor, each warp also requests the constant that holds
	# the first global id: none is there yet.
	[ $config = cgm ] && more=0 || more=$((4096 / 32))
	a=$(opencl one requests) b=$(opencl two requests)
	holds "$b - $a == 2 * 4 * 4096 / 64 + $more"
	r=$(opencl one region_ns) k=$(opencl one kernel_ns)
	c=$(opencl one copy_ns) l=$(opencl one call_ns)
	holds "$k > 0 && $l > 0 && $k + $c + $l <= $r"
	;;
stats)
	# What kernels did is told, every slot has one reason, and the units sent
	# what CGM got.
	run out -- 4096
	reasons=$(sed -n '/"reason": {/,/}/p' "$dir/out" | head -40 |
		awk '{ n += $2 } END { print n }')
	expect "reasons of all slots" "$(opencl out slots)" "$reasons"
	holds "$(opencl out instructions) > 0 && $(opencl out slots) > 0"
	sent=$(($(opencl out reads_sent) + $(opencl out writes_sent)))
	# A message of 128 bytes is two requests.
	holds "$sent > 0 && $sent <= $(opencl out requests)"
	expect "answers" "$(opencl out reads_sent)" "$(opencl out answers)"
	;;
maps)
	# What is mapped is not copied.
	run copied -- 4096
	run mapped -- 4096 mapped
	expect "bytes copied" 0 "$(opencl mapped copied_bytes)"
	holds "$(opencl mapped requests) == $(opencl copied requests)"
	;;
calls)
	# What calls take by their kind. "double" sets an argument, launches a kernel,
	# writes and reads. Both look for the place of the bytes and wait for what is
	# before them, with a marker that is released; the reader waits once more.
	# Its buffer is made before the region begins.
	kinds='opencl argument object launch transfer finish'
	free=$(printf -- '-o os.%s=0 ' $kinds)
	run none $free -- 64
	expect "calls that take nothing" 0 "$(opencl none call_ns)"
	for want in opencl:8000 argument:1000 object:0 launch:1000 \
		transfer:2000 finish:4000; do
		kind=${want%:*}
		run $kind $free -o os.$kind=1000 -- 64
		expect "calls of kind $kind" ${want#*:} "$(opencl $kind call_ns)"
	done
	;;
protocols)
	# Every system computes the same. Only caches that are not coherent have
	# fences, two for each of the two ports of eight units.
	for shared in yes no; do
		for cpu in mesi none; do
			for gpu in mesi:l3 none:l3 none:memory; do
				run out -o cgm.shared=$shared \
					-o cgm.cpu_protocol=$cpu \
					-o cgm.gpu_protocol=${gpu%:*} \
					-o cgm.gpu_at=${gpu#*:} -- 512
				[ ${gpu%:*} = mesi ] && n=0 || n=32
				expect "fences of $gpu" $n "$(opencl out fences)"
			done
		done
	done
	;;
threads)
	for n in 1 2 4; do
		run $n --threads $n -- 1024
		sed -i '/"engine"/d' "$dir/$n"
	done
	cmp "$dir/1" "$dir/2"
	cmp "$dir/1" "$dir/4"
	;;
print)
	# Kernels print in the order of their queue, whether they take time or not.
	"$heddle" system --quiet -- "$program" >"$dir/want"
	"$heddle" system --config $config --quiet -- "$program" >"$dir/got"
	[ -s "$dir/want" ]
	cmp "$dir/want" "$dir/got"
	;;
moves)
	# What the GPU moves: each block that is written asks for the one or two
	# blocks that it is copied from.
	run one -- copy 8192
	expect "copies" 1 "$(opencl one gpu_copies)"
	expect "bytes" 8192 "$(opencl one gpu_copied_bytes)"
	expect "requests" $((2 * 8192 / 64)) "$(opencl one gpu_copy_requests)"
	run two -- copy 32768
	holds "$(opencl two gpu_copy_ns) > 2 * $(opencl one gpu_copy_ns)"
	run shifted -- copy 8192 20
	expect "requests" $((3 * 8192 / 64)) "$(opencl shifted gpu_copy_requests)"
	run narrow -o cgm.copy_blocks=1 -- copy 8192
	holds "$(opencl narrow gpu_copy_ns) > 4 * $(opencl one gpu_copy_ns)"
	run fill -- fill 8192
	expect "requests" 129 "$(opencl fill gpu_copy_requests)"
	run apart -- apart 8192
	expect "copies" 2 "$(opencl apart gpu_copies)"
	for n in 1 2 4; do
		run $n --threads $n -- image 8192
		expect "copies" 4 "$(opencl $n gpu_copies)"
		sed -i '/"engine"/d' "$dir/$n"
	done
	cmp "$dir/1" "$dir/2"
	cmp "$dir/1" "$dir/4"
	# Every system computes the same.
	none="-o cgm.gpu_protocol=none"
	for system in "" "$none" "$none -o cgm.gpu_at=memory" \
		"-o cgm.cpu_protocol=none" "-o cgm.shared=no" \
		"-o cgm.shared=no $none -o cgm.gpu_at=memory"; do
		for what in image rect; do
			run out $system -- $what 4096
		done
	done
	;;
svm)
	# Coherent caches make shared memory fine, with atomics since the kernel
	# runs while the program does; without them it is coarse, and separate
	# address spaces have none.
	none="-o cgm.gpu_protocol=none"
	expect "functional" 7 "$("$heddle" system --quiet -- "$program" can)"
	expect "coherent" 15 "$(run out -- can)"
	expect "not coherent" 1 "$(run out $none -- can)"
	expect "at the memory" 1 "$(run out $none -o cgm.gpu_at=memory -- can)"
	expect "separate" 0 "$(run out -o cgm.shared=no -- can)"
	run out -o cgm.shared=no -- refused
	for n in 1 2; do
		expect "atomics" "at the same time" \
			"$(run $n --threads $n -- atomics)"
		sed -i '/"engine"/d' "$dir/$n"
	done
	cmp "$dir/1" "$dir/2"
	# Ordinary memory, small (brk) and large (mmap).
	run out -- system 5000
	run out -- system 100000
	"$heddle" system --quiet -- "$program" system 100000
	;;
fences)
	# 40 fences of more than a group: without coherence each one writes back the
	# word, and what is read comes from the L3 again. Every port has a fence
	# before the kernel and one after it.
	none="-o cgm.gpu_protocol=none"
	ports=32
	fence=-DFENCE=atomic_work_item_fence"(CLK_GLOBAL_MEM_FENCE"
	fence=$fence,memory_order_acq_rel,memory_scope_
	for scope in work_group device all_svm_devices; do
		[ $scope = work_group ] && n=0 || n=40
		run mesi -- "-cl-std=CL2.0 $fence$scope)"
		run none $none -- "-cl-std=CL2.0 $fence$scope)"
		expect "fences, coherent" 0 "$(opencl mesi fences)"
		expect "fences" $((ports + n)) "$(opencl none fences)"
		a=$(bank mesi misses) b=$(bank none misses) w=$(bank none writebacks)
		if [ $n = 0 ]; then
			holds "$b == $a && $w < 4"
		else
			holds "$b >= $a + 2 * 39 && $w >= $n"
			a=$(opencl mesi cycles) b=$(opencl none cycles)
			holds "$b > $a + 40 * 20"
		fi
	done
	run mesi -- "-cl-std=CL2.0 -DFENCE="
	run none $none -- "-cl-std=CL2.0 -DFENCE="
	expect "fences" $ports "$(opencl none fences)"
	if [ $config = cgm ]; then
		# The scalars' cache, and what is behind it.
		run none $none -- -DFENCE=__builtin_amdgcn_s_dcache_inv\(\)
		expect "fences of scalars" $((ports + 40)) "$(opencl none fences)"
	else
		# 40 loads that acquire, 40 stores that release.
		root="--root $(dirname "$0")"
		run mesi $root -- /fences.ptx
		run none $none $root -- /fences.ptx
		expect "fences, coherent" 0 "$(opencl mesi fences)"
		expect "fences" $((ports + 80)) "$(opencl none fences)"
	fi
	;;
refused)
	# Systems without a GPU, or with one that cannot be, say so.
	if run out -o mem.kind=latency -- 64 2>"$dir/err"; then exit 1; fi
	grep -q "mem.kind" "$dir/err"
	if run out -o net.queue=121 -- 64 2>"$dir/err"; then exit 1; fi
	grep -q "net.queue = 121: at most 120" "$dir/err"
	if run out -o cgm.cus=0 -- 64 2>"$dir/err"; then exit 1; fi
	grep -q "there is no GPU" "$dir/err"
	if "$heddle" system --config h200 --quiet -- "$program" 2>"$dir/err"; then
		exit 1
	fi
	grep -q "dram.channels" "$dir/err"
	;;
esac
