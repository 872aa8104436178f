#!/bin/sh
# workload.sh BUILD NAME GPU: a workload says that its results are right. GPU: a
# configuration, whose time is simulated, or pocl, another implementation.
set -eu
build=$1 name=$2 gpu=$3
WORKLOADS=$(cd "$(dirname "$0")/../../../workloads/opencl" && pwd)
export WORKLOADS
if [ "$gpu" = pocl ]; then
	if [ ! -e /etc/OpenCL/vendors/pocl.icd ]; then
		echo "skipped: pocl-opencl-icd is not installed"
		exit 77
	fi
	out=$(OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd \
		"$build/tests/opencl/$name")
else
	out=$("$build/heddle" exec -q --gpu "$gpu" -- \
		"$build/tests/opencl/$name")
fi
echo "$out"
case $out in
"$name "[0-9]*": ok") ;;
*) exit 1 ;;
esac
