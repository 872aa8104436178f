#!/bin/sh
# Which code runs, PTX or machine code?
#
#	isa.sh HEDDLE JSON-CHECKER CASE
#
# A script takes the place of ptxas: it copies what ptxas once made.
set -eu
. "$(dirname "$0")/checks"
heddle=$1
json=$2
case=$3
here=$(cd "$(dirname "$0")" && pwd)
files=$here/isa
enter_new_folder
export XDG_CACHE_HOME="$PWD/cache"
unset HEDDLE_PTXAS CUDA_HOME
tools=/usr/bin:/bin

# run CODE PROGRAM OPTION...: 1,000 elements in 8 blocks of 128 threads
run()
{
	want=$1
	shift
	heddle_ends "$want" run "$@" --kernel saxpy --grid 8 --block 128 \
		--arg 1000 --arg "${factor:-2.0}" --arg "x:f32[1000]=iota" \
		--arg "y:f32[1000]" --arg 2 --expect y=iota:0:4
}

# ran ISA TARGET: of the last run with --json run.json
ran()
{
	same "$(value run.json isa)" "\"$1\"" "instruction set"
	same "$(value run.json target)" "\"$2\"" "architecture"
}

# A ptxas that copies, and counts.
make_ptxas()
{
	cat >ptxas <<END
#!/bin/sh
[ "\$1" = --version ] && { echo V1; exit; }
echo "\$1 \$2" >>$PWD/calls
cp $files/saxpy_\${1#-arch=sm_}.cubin "\$5"
END
	chmod +x ptxas
	export HEDDLE_PTXAS="$PWD/ptxas"
}

# What is said about the choice.
options()
{
	run 2 "$here/saxpy.ptx" --isa cuda
	has err '^heddle: error: --isa cuda: expected auto, sass or ptx$'
	run 0 "$here/saxpy.ptx" --isa ptx --json run.json
	ran ptx sm_70
	run 0 "$here/saxpy.ptx" --record t.trace --json run.json
	ran ptx sm_70
	heddle_ends 2 run t.trace --isa sass
	has err '^heddle: error: --isa cannot be used with a trace'
	heddle_ends 0 run t.trace --json run.json
	ran ptx sm_70
	heddle_ends 2 exec --isa x -- true
	has err '^heddle: error: --isa x: expected auto, sass or ptx$'
	HEDDLE_ISA=x heddle_ends 2 exec -- true
	has err '^heddle: error: HEDDLE_ISA=x: expected auto, sass or ptx$'
}

# Machine code runs where it fits, and is refused elsewhere.
cubins()
{
	run 0 "$files/saxpy_90.cubin" --json run.json
	ran sass sm_90
	has err '^saxpy: grid 8x1x1, block 128x1x1, machine code for sm_90$'
	run 0 "$files/saxpy_80.cubin" --json run.json
	ran sass sm_80
	run 0 "$files/saxpy_80.cubin" --sm 86 --json run.json
	ran sass sm_80
	run 1 "$files/saxpy_80.cubin" --gpu h200
	has err 'machine code for sm_80'
	run 1 "$files/saxpy_90.cubin" --sm 80
	run 1 "$files/saxpy_90.cubin" --isa ptx
	has err 'holds machine code for sm_90 only and no PTX'
	cp "$files/saxpy_90.cubin" no_suffix
	run 0 no_suffix
	head -c 3000 no_suffix >cut
	run 1 cut
	run 1 /bin/sh
	has err "is not machine code of a GPU; 'heddle exec' runs whole"
}

# A number without a type becomes what fits the parameter: an integer, unless
# it has a point; f32 can be asked for.
numbers()
{
	factor=2.0 run 0 "$files/saxpy_90.cubin"
	factor=2:f32 run 0 "$files/saxpy_90.cubin"
	factor=2 run 4 "$files/saxpy_90.cubin"
	make_ptxas
	factor=2 run 0 "$here/saxpy.ptx" --isa sass
}

# What `kernels` tells of machine code.
kernels()
{
	heddle_ends 0 kernels "$files/saxpy_90.cubin"
	has out '^saxpy$'
	has out '^  80 instructions, 16 registers, 0 bytes of static shared'
	has out '^  machine code for sm_90, 0 bytes of local memory, 0 barriers$'
	has out '^  machine code for sm_90, 0 bytes of local memory, 3 barriers$'
	has out '^  --arg 0  .* 4 bytes at 0$'
	has out '^  --arg 3  .* 8 bytes at 16$'
	heddle_ends 0 kernels "$files/saxpy.fatbin"
	has out '^  machine code for sm_90'
}

# Fat binaries hold several.
fatbins()
{
	run 0 "$files/saxpy.fatbin" --json run.json
	ran sass sm_90
	run 0 "$files/saxpy.fatbin" --sm 89 --json run.json
	ran sass sm_80
	run 0 "$files/saxpy.fatbin" --sm 100 --json run.json
	ran ptx sm_70
	run 0 "$files/saxpy.fatbin" --isa ptx --json run.json
	ran ptx sm_70
	run 1 "$files/machine.fatbin"
	has err 'holds machine code for sm_80 only and no PTX'
	run 0 "$files/machine.fatbin" --sm 80 --json run.json
	ran sass sm_80
	# Machine code that is not simulated.
	run 0 "$files/newer.fatbin" --sm 100 --json run.json
	ran ptx sm_70
	run 1 "$files/newer.fatbin" --sm 100 --isa sass
	has err 'machine code of sm_100: that of sm_70 to sm_90 runs'
}

# Kernels of a program that nvlink has linked call functions that they share.
linked()
{
	for sm in 75 90; do
		heddle_ends 0 run "$here/../unit/data/cubin/linked_$sm.cubin" \
			--kernel two --block 8 --arg x:s32[8]=iota \
			--max-instructions 10000 \
			--expect x=list:6,8,10,12,14,16,1458,4374
	done
}

# ptxas is used where it is there, once for the same PTX.
ptxas()
{
	PATH=$tools run 1 "$here/saxpy.ptx" --isa sass
	has err 'needs ptxas of NVIDIA.s CUDA toolkit, .* --isa ptx$'
	HEDDLE_PTXAS=/none run 1 "$here/saxpy.ptx" --isa sass
	has err 'HEDDLE_PTXAS=/none: not a program that can be executed'
	PATH=$tools run 0 "$here/saxpy.ptx" --json run.json
	ran ptx sm_70
	make_ptxas
	run 0 "$here/saxpy.ptx" --isa sass --json run.json
	ran sass sm_90
	run 0 "$here/saxpy.ptx" --isa sass --sm 80 --json run.json
	ran sass sm_80
	run 0 "$here/saxpy.ptx" --isa sass --json run.json
	ran sass sm_90
	same "$(cat calls)" "-arch=sm_90 -lineinfo
-arch=sm_80 -lineinfo" "calls of ptxas"
	same "$(ls cache/heddle/ptxas | wc -l)" 2 "files in the cache"
}

"$case"
