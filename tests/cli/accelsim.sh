#!/bin/sh
# Does the command line take traces of Accel-Sim?
#
#	accelsim.sh HEDDLE JSON-CHECKER CASE
set -eu
. "$(dirname "$0")/checks"
heddle=$1
json=$2
case=$3
enter_new_folder

# kernel FILE BLOCKS: of 64 threads, a load, a sum and a store each
kernel()
{
	awk -v blocks="$2" 'BEGIN {
		print "-kernel name = _Z3addPKfPf\n-kernel id = 1"
		print "-grid dim = (" blocks ",1,1)\n-block dim = (64,1,1)"
		print "-shmem = 0\n-nregs = 12\n-binary version = 70"
		print "-cuda stream id = 0\n-accelsim tracer version = 3\n"
		print "#traces format = PC mask dest_num\n"
		for (b = 0; b < blocks; b++) {
			print "#BEGIN_TB\n\nthread block = " b ",0,0"
			for (w = 0; w < 2; w++) {
				at = sprintf("0x7f00%08x 4 ", 256 * b + 128 * w)
				to = sprintf("0x7f01%08x 4 ", 256 * b + 128 * w)
				print "\nwarp = " w "\ninsts = 4"
				print "0000 ffffffff 1 R2 LDG.E.SYS 1 R4 4 1 " at
				print "0010 ffffffff 1 R3 FADD 2 R2 R2 0 "
				print "0020 ffffffff 0 STG.E.SYS 2 R6 R3 4 1 " to
				print "0030 ffffffff 0 EXIT 0 0 "
			}
			print "\n#END_TB\n"
		}
	}' >"$1"
}

# needs WORD...: skips the case where there is no such command
needs()
{
	for word in "$@"; do
		command -v "$word" >/dev/null || { echo "no $word"; exit 77; }
	done
}

printf 'MemcpyHtoD,0x00007f0000000000,2048\nkernel-1.traceg\nkernel-2.traceg\n' \
	>kernelslist.g
kernel kernel-1.traceg 8
kernel kernel-2.traceg 3

case $case in
run)
	heddle_ends 0 run kernelslist.g --gpu qv100 --json a.json
	has err '^add: grid 8x1x1, block 64x1x1, on NVIDIA Quadro GV100'
	has err '12 registers a thread'
	has err 'kernel-1.traceg:20 +16  FADD R3, R2, R2'
	has err '^total: 2 launches, 88 warp-instructions'
	same "$(value a.json trace.launches)" 2 "launches"
	same "$(grep -o '"lsu.global_sectors": [0-9]*' a.json | tail -n 1)" \
		'"lsu.global_sectors": 176' "sectors"
	heddle_ends 0 run kernelslist.g --gpu h200 --threads 3 --json b.json
	heddle_ends 0 run kernelslist.g --gpu h200 --json c.json
	same "$(value b.json trace.cycles)" "$(value c.json trace.cycles)" cycles
	heddle_ends 0 run kernelslist.g --gpu h200 --launch 1
	has err '^add: grid 3x1x1'
	heddle_ends 0 run kernel-2.traceg
	heddle_ends 0 report c.json
	heddle_ends 1 run kernelslist.g --launch 2
	has err 'the list has no kernel 2'
	heddle_ends 1 run kernelslist.g --gpu qv100 --partial
	has err 'only traces that Heddle has recorded'
	heddle_ends 2 run kernelslist.g --grid 4
	;;
info)
	heddle_ends 0 trace info kernelslist.g
	has out '^kernelslist.g: traces of Accel-Sim, '
	has out '^  copies    1 to the device \(2.05 kB\)$'
	has out '^      0  add: grid 8x1x1, block 64x1x1$'
	has out 'version 3, sm_70, 12 registers'
	has out '8 blocks, 64 warp-instructions of 4 in the text$'
	heddle_ends 0 trace info --json kernelslist.g
	same "$("$json" out launches)" 2 "kernels"
	has out '"warp_instructions": 24'
	heddle_ends 0 trace info --quick kernelslist.g
	lacks out 'in the text'
	heddle_ends 1 trace show kernelslist.g
	has err 'is a trace of Accel-Sim'
	;;
damage)
	sed -i '20s/R2/Q2/' kernel-2.traceg
	heddle_ends 1 run kernelslist.g --gpu qv100
	has err 'kernel-2.traceg:20: after the opcode, expected'
	heddle_ends 1 trace info kernelslist.g
	has err 'kernel-2.traceg:20: after the opcode, expected'
	head -c 3000 kernel-1.traceg >kernel-2.traceg
	heddle_ends 1 run kernelslist.g
	has err 'kernel-2.traceg:[0-9]+: '
	rm kernel-2.traceg
	heddle_ends 1 run kernelslist.g
	has err 'kernelslist.g:3: .*kernel-2.traceg: No such file'
	;;
packed)
	needs xz zstd gzip
	heddle_ends 0 run kernel-1.traceg --gpu qv100 --json a.json
	for with in xz zstd gzip; do
		$with -q -k kernel-1.traceg
	done
	for end in xz zst gz; do
		code=0
		"$heddle" run "kernel-1.traceg.$end" --gpu qv100 \
			--json b.json >out 2>err || code=$?
		if grep -q 'which this build cannot read' err; then
			continue
		fi
		same $code 0 "$end"
		same "$(value a.json trace.cycles)" \
			"$(value b.json trace.cycles)" "$end"
		head -c 300 "kernel-1.traceg.$end" >"kernel-3.traceg.$end"
		heddle_ends 1 run "kernel-3.traceg.$end" --gpu qv100
		has err 'the compressed data end too early'
	done
	;;
*)
	fail "no case $case"
	;;
esac
