#!/bin/sh
# Does `heddle cc` compile and link what its manual promises?
#
#	cc.sh HEDDLE CASE
#
# Exits with 77, skipped, if the library to link programs with is missing.
set -eu
. "$(dirname "$0")/checks"
heddle=$1
case=$2
sources=$(cd "$(dirname "$0")" && pwd)/cc
enter_new_folder
TMPDIR=$folder
export TMPDIR

# run CODE OPTION...
run()
{
	want=$1
	shift
	heddle_ends "$want" cc "$@"
	[ -z "$(find . -name 'heddle-cc-*')" ] || fail "files left behind: $*"
}

help()
{
	run 0 --help
	has out '^Usage: heddle cc '
	has out '^  --arch sm_XX '
	run 0 --version
	has out '^heddle [0-9]'
}

errors()
{
	run 2
	has err 'no file given'
	run 2 -archh=sm_80 "$sources/kernel.cu"
	has err '^heddle: error: -archh=sm_80: unknown option, did you mean -arch\?'
	run 2 -rdc=true -c "$sources/kernel.cu"
	has err 'linking device code of several files is not supported'
	run 2 -dc "$sources/kernel.cu"
	run 2 -cubin "$sources/kernel.cu"
	has err 'Heddle runs PTX'
	run 2 -m32 "$sources/kernel.cu"
	run 2 -std
	has err 'needs a value'
	run 2 -c "$sources/kernel.cu" "$sources/main.cpp" -o both.o
	run 2 notes.txt
	has err 'expected a source'
	run 1 -c none.cu
	has err 'none.cu'
	run 1 -arch=sixty -c "$sources/kernel.cu"
	has err "invalid architecture 'sixty'"
	run 1 -c "$sources/wrong.cu"
	has err "wrong.cu:3:7: error: use of undeclared identifier 'nothing'"
	has err '^heddle: error: .*wrong.cu: does not compile$'
	run 1 -c --clang ./none "$sources/kernel.cu"
	has err "compiler './none' .* not found"
	echo '__managed__ int x;' >managed.cu
	run 1 -c managed.cu
	has err 'error: no __managed__ here'
}

ptx()
{
	run 0 -ptx "$sources/kernel.cu"
	has kernel.ptx '^\.target sm_80'
	has kernel.ptx '\.entry .*scale'
	run 0 -ptx -arch=sm_70 -lineinfo "$sources/kernel.cu" -o old.ptx
	has old.ptx '^\.target sm_70'
	run 1 -ptx "$sources/main.cpp"
	has err 'has no device code'
	run 1 -ptx -gencode arch=compute_70,code=sm_70 -arch sm_80 \
		"$sources/kernel.cu"
}

# What nvcc's Makefiles pass, in all of its spellings.
objects()
{
	run 0 -c -O3 -std=c++14 -Xcompiler -Wall,-Wextra -Xptxas -v -lineinfo \
		-cudart shared -maxrregcount=32 --expt-relaxed-constexpr \
		-ccbin g++ -m64 -DN=1 -D M=2 -I"$sources" -I "$sources" \
		--use_fast_math -gencode arch=compute_70,code=sm_70 \
		--generate-code=arch=compute_90,code=[sm_90,compute_90] \
		--default-stream legacy -Wno-deprecated-gpu-targets \
		"$sources/kernel.cu"
	grep -q 'target sm_70' kernel.o || fail "no PTX for sm_70"
	grep -q 'target sm_80' kernel.o || fail "no PTX for sm_80"
	run 0 --compile "$sources/kernel.cu" "$sources/main.cpp" \
		"$sources/devices.c" -odir .
	[ -s main.o ] && [ -s devices.o ] || fail "an object is missing"
	cp "$sources/kernel.cu" kernel.txt
	run 0 -x cu -c kernel.txt -I "$sources" -o other.o -MD -MF deps
	has deps 'shared\.h'
	run 0 -M "$sources/kernel.cu"
	has out 'shared\.h'
	run 0 -E "$sources/devices.c"
	has out 'cudaGetDeviceCount'
	run 0 --dryrun -keep -c -o no.o "$sources/kernel.cu"
	has err 'cuda-device-only.*kernel\.cu'
	has err 'cuda-host-only.*fcuda-include-gpubinary'
	[ ! -e no.o ] || fail "--dryrun has made a file"
	run 0 -keep -c "$sources/kernel.cu"
	[ -s kernel.fatbin ] && [ -s kernel.sm_80.ptx ] || fail "not kept"
	run 0 -fatbin "$sources/kernel.cu" -o fat
	cmp -s fat kernel.fatbin || fail "two fat binaries of one source"
}

# The C++ forms of the runtime API; nvcc, if installed, confirms them.
forms()
{
	run 0 -Xcompiler -Wall,-Werror -c "$sources/api.cu"
	if command -v nvcc >/dev/null; then
		nvcc -w -std=c++17 -extended-lambda -arch=sm_80 -c \
			"$sources/api.cu" -o nvcc.o || fail "nvcc does not agree"
	else
		echo "without nvcc: only heddle cc was asked"
	fi
}

need_library()
{
	[ -n "${HEDDLE_CUDA_LIB:-}" ] ||
		[ -e "$(dirname "$heddle")/lib/cuda/libcudart.so.13" ] || {
		echo "SKIPPED: no libcudart in this build"
		exit 77
	}
}

# A program of several files runs on its own, however it is linked.
program()
{
	need_library
	run 0 -o app "$sources/kernel.cu" "$sources/main.cpp" \
		"$sources/devices.c" -lm -lcudart
	./app >said || fail "the program returned $?"
	has said '^[1-9][0-9]* devices?, 1000 threads, 0 wrong$'
	run 0 -c "$sources/kernel.cu" "$sources/main.cpp" "$sources/devices.c"
	run 0 kernel.o main.o devices.o
	./a.out >said || fail "the program returned $?"
	run 0 -shared -Xcompiler -fPIC "$sources/kernel.cu" -o libkernel.so
	run 0 "$sources/main.cpp" "$sources/devices.c" -L. -lkernel \
		-Xlinker -rpath,. -o thin
	./thin >said || fail "the program returned $?"
	has said '0 wrong$'
	run 1 kernel.o
	has err 'heddle: error: the program cannot be linked'
}

"$case"
echo ok
