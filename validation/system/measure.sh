#!/bin/sh
# Measures the parallel sections of the system workloads on this machine, and the machine.
# Writes openmp.csv, machine.txt, pairs.csv and core_latency.csv (topology.c), memory.csv,
# share.csv, calls.csv, barrier.csv; where there is an OpenCL device, opencl.csv and
# clcalls.csv.
#
#	measure.sh OUT [RUNS [PROGRAMS]]
#
# PROGRAMS is a folder with the OpenMP programs, static and built for the baseline of
# x86-64, so that the simulator runs the same ones; without, they are built here. Runs
# of all programs and numbers of threads alternate, so that a disturbance meets all of
# them. Threads are pinned to the places of OMP_PLACES, else to processors that
# topology.c has found not to disturb each other. OpenCL programs
# use the first platform; OCL_ICD_VENDORS may name a folder with one only.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$here/../..
mkdir -p "$1"
out=$(cd "$1" && pwd)
runs=${2:-15}
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
programs=${3:-$temporary}
cc=${CC:-gcc}

# The sizes that are measured and simulated: those of docs/cgm-study.md.
sizes() { sed '/^#/d' "$here/sizes.txt"; }

# Numbers of the lines "region 1: N ns" and "pace: N ns"
numbers() { sed -n 's/^[a-z0-9 ]*: \(.*\) ns$/\1/p' | paste -sd, -; }

if [ ! "${3:-}" ]; then
	sizes | while read -r program size _; do
		$cc -O2 -static -fopenmp -I"$tree/include" -o \
			"$programs/$program" \
			"$tree/workloads/system/$program.c" -lm
	done
fi
for tool in frequency topology memory share calls; do
	$cc -O2 -pthread -o "$temporary/$tool" "$here/$tool.c"
done
$cc -O2 -fopenmp -o "$temporary/barrier" "$here/barrier.c"

{
	date -u +%Y-%m-%d
	lscpu 2>/dev/null || cat /proc/cpuinfo
	echo "frequency in use: $("$temporary/frequency") MHz"
} >"$out/machine.txt"

places=$("$temporary/topology" "$out/pairs.csv" "$out/core_latency.csv")
"$temporary/memory" "$(echo "$places" | tr -d '{}' | cut -d , -f 1-4)" \
	>"$out/memory.csv"
"$temporary/calls" >"$out/calls.csv"
# Neighbours and others of the first processors, several times.
set -- $(echo "$places" | tr -d '{}' | tr , ' ')
echo "first,second,what,bytes,nanoseconds" >"$out/share.csv"
for _ in 1 2 3 4; do
	for second in "${2:-$1}" "${3:-$1}" "${4:-$1}" "${5:-$1}"; do
		[ "$second" = "$1" ] || "$temporary/share" 100 "$1" "$second"
	done
done >>"$out/share.csv"
OMP_PLACES=${OMP_PLACES:-$places}
OMP_PROC_BIND=close
HEDDLE_REGIONS=1
export OMP_PLACES OMP_PROC_BIND HEDDLE_REGIONS
echo "what,threads,nanoseconds" >"$out/barrier.csv"
for run in $(seq "$runs"); do
	for threads in 2 4; do
		"$temporary/barrier" 100 $threads
	done
done >>"$out/barrier.csv"
echo "program,size,threads,run,ns,pace_ns" >"$out/openmp.csv"
for run in $(seq "$runs"); do
	sizes | while read -r program size _; do
		for threads in 1 2 4; do
			ns=$("$programs/$program" "$size" $threads 2>&1 \
				>/dev/null | numbers)
			echo "$program,$size,$threads,$run,$ns"
		done
	done
done >>"$out/openmp.csv"

$cc -O2 -shared -fPIC ${CLFLAGS:-} -o "$temporary/clwatch.so" \
	"$here/clwatch.c" -ldl || exit 0
sizes | while read -r program _; do
	$cc -O2 ${CLFLAGS:-} -o "$temporary/cl_$program" \
		"$tree/workloads/opencl/$program.c" ${CLLIBS:--lOpenCL} -lm
done || exit 0
$cc -O2 ${CLFLAGS:-} -o "$temporary/clcalls" "$here/clcalls.c" \
	${CLLIBS:--lOpenCL}
"$temporary/clcalls" >"$out/clcalls.csv"
WORKLOADS=$tree/workloads/opencl
export WORKLOADS
echo "program,size,run,section_ns,calls_ns,kernels_ns,launches" \
	>"$out/opencl.csv"
LD_PRELOAD=$temporary/clwatch.so "$temporary/cl_bfs" 64 2>&1 |
	sed -n 's/^device /OpenCL device: /p' >>"$out/machine.txt"
for run in $(seq "$runs"); do
	sizes | while read -r program other size; do
		LD_PRELOAD=$temporary/clwatch.so "$temporary/cl_$program" \
			"${size:-$other}" 2>&1 >"$temporary/said" |
			sed -n "s/^section \(.*\), calls \(.*\), kernels \(.*\), launches \(.*\)/$program,${size:-$other},$run,\1,\2,\3,\4/p"
		grep -q ': ok$' "$temporary/said" || {
			cat "$temporary/said" >&2
			exit 1
		}
	done
done >>"$out/opencl.csv"
