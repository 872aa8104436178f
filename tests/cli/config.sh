#!/bin/sh
# Does `heddle config import` make configurations of others' option files?
#
#	config.sh HEDDLE CASE
set -eu
. "$(dirname "$0")/checks"
heddle=$1
case=$2
files=$(cd "$(dirname "$0")" && pwd)/config
ptx=$(cd "$(dirname "$0")" && pwd)/saxpy.ptx
enter_new_folder

# is KEY VALUE: in mine.cfg
is()
{
	grep -qE -- "^$1 += +$2( |\$)" mine.cfg ||
		fail "$1 is not $2: $(grep "^$1 " mine.cfg || echo missing)"
}

# refuses TEXT PATTERN: a file with this line ends with that message
refuses()
{
	printf '# a comment\n%s\n' "$1" >wrong.config
	heddle_ends 1 config import wrong.config -o wrong.cfg
	has err "$2"
	[ ! -e wrong.cfg ] || fail "a configuration of what is wrong"
}

case $case in
new)
	heddle_ends 0 config import "$files/new.config" -o mine.cfg
	has err '^[0-9]+ parameters set, 4 options without a counterpart, 1 not'
	has err 'new.config:73: -gpgpu_made_up is not known$'
	is gpu.capability 75
	is gpu.clock 1200
	is sm.count 48
	is sm.subcores 4
	is sm.scheduler two_level
	is sm.active_warps 6
	is sm.max_warps 64
	is sm.block_shared 64K
	is unit.fp32.lanes 64
	is unit.fp64.lanes 32
	is unit.sfu.lanes 16
	is lat.fma.cycles 6
	is lat.shfl.interval 4
	is regs.banks 4
	is l1.bytes 128K
	is l1.sector 32
	is l1.adaptive yes
	is l1.write_miss validate
	is l2.slices 32
	is l2.bytes 3M
	is l2.write back
	is net.sm_out 16            # 32 bytes, at half the clock
	is net.request_latency 90   # 150 cycles of 1,000 MHz, both ways
	is dram.latency 120
	is dram.standard hbm2
	is dram.bandwidth 409.6
	is dram.banks 16
	is dram.queue 64
	is front.perfect yes
	is dispatch.launch_latency 4500
	has mine.cfg '^#   -gpgpu_ptx_sim_mode 0: --gpu chooses'
	has mine.cfg '^#   -gpgpu_dram_timing_opt .*: its times: those of'
	has mine.cfg '^#   -gpgpu_made_up 17 \(line 73\)$'
	heddle_ends 0 gpus ./mine.cfg
	heddle_ends 0 run "$ptx" --kernel saxpy --grid 8 --block 128 \
		--arg 1000 --arg 2 --arg "x:f32[1000]=iota" \
		--arg "y:f32[1000]" --arg 2 --gpu ./mine.cfg
	has err 'on config$' # named after the folder
	;;
trace)
	heddle_ends 0 config import "$files/new.config" "$files/trace.config" \
		--name "My GPU" -o mine.cfg
	has mine.cfg '^gpu.name  = "My GPU"$'
	is lat.alu.cycles 2
	is lat.fma.cycles 2
	is lat.f64.cycles 8         # not in the trace.config
	is unit.fp32.lanes 128      # an interval of 1
	is lat.sfu.cycles 20
	is lat.mma.cycles 32
	is tex.latency 200
	is lat.branch.cycles 4
	heddle_ends 0 gpus ./mine.cfg
	;;
old)
	heddle_ends 0 config import "$files/old.config" "$files/old.icnt" \
		-o mine.cfg
	has err 'old.icnt:6: made_up is not known$'
	is gpu.capability 20
	is sm.count 14
	is sm.subcores 1
	is sm.schedulers 2
	is unit.int.lanes 64        # on the single-precision units
	is unit.fp64.lanes 4        # on the special function unit
	is regs.collectors 14
	is l1.bytes 16K
	is l1.sector 128
	is l1.adaptive no
	is l1.hash xor
	is l2.bytes 768K
	is l2.write_miss fetch
	is net.sm_in 24             # of the .icnt file
	is dram.standard gddr5
	is dram.bandwidth 177.408
	is dram.banks 16
	is dram.bank_groups 4
	is dram.burst 64
	heddle_ends 0 gpus ./mine.cfg
	heddle_ends 0 config import "$files/old.config" -q
	has out '^sm.count = 14 '
	lacks err 'comments at the end'
	;;
wrong)
	refuses 'gpgpu_n_clusters 4' "wrong.config:2: 'gpgpu_n_clusters'"
	refuses '-gpgpu_n_clusters' 'wrong.config:2: -gpgpu_n_clusters has no'
	refuses '-gpgpu_n_clusters -gpgpu_n_mem 4' 'wrong.config:2: .*no value'
	refuses '-gpgpu_n_clusters four' 'wrong.config:2: .*expected numbers'
	refuses '-gpgpu_n_clusters 4,4' 'wrong.config:2: .*expected numbers'
	refuses '-gpgpu_n_clusters 5000' 'wrong.config:2: .*sm.count = 5000'
	refuses '-gpgpu_clock_domains 700:700' 'wrong.config:2: .*the clocks of'
	refuses '-gpgpu_shader_core_pipeline 1024:64' 'wrong.config:2: .*32 lan'
	refuses '-gpgpu_cache:dl1 S:4:128,L:T:m' 'wrong.config:2: .*SETS:LINE'
	refuses '-gpgpu_cache:dl2 S:4:128:6,L:T:m:L:L' 'wrong.config:2: .*MSHR:'
	refuses '-gpgpu_dram_timing_opt "nbk=16' 'wrong.config:2: .*no value: it'
	refuses '-gpgpu_cache:dl2 S:3:128:6,L:T:m:L:L,A:8:4' 'make no GPU that'
	heddle_ends 1 config import none.config
	has err 'none.config: No such file'
	heddle_ends 2 config import
	heddle_ends 2 config
	heddle_ends 2 config export
	has err "unknown command 'config export'"
	heddle_ends 0 config --help
	has out 'import'
	heddle_ends 0 config import --help
	has out 'gpgpusim.config'
	;;
*)
	fail "no case $case"
	;;
esac
