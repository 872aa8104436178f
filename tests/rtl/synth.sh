#!/bin/sh
# synth.sh TOP PACKAGE FILE...: does yosys make a circuit of the 7-series of the module,
# without latches, loops or undriven wires? Prints its cells. 77: skipped.
top=$1
shift
if ! command -v yosys >/dev/null 2>&1; then
	if [ "${CI:-}" = true ]; then
		echo "FAILED: no yosys, and CI=true: 'scripts/setup rtl' installs it" >&2
		exit 1
	fi
	echo "skipped: yosys is not installed; 'scripts/setup rtl' installs it"
	exit 77
fi
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
yosys -l "$log" -q -p "read_verilog -sv $*; hierarchy -check -top $top; proc;
	select -assert-none t:\$dlatch t:\$adlatch t:\$dlatchsr;
	select -clear; check -assert;
	synth_xilinx -family xc7 -noiopad -top $top; check -assert;
	select -assert-none t:LDCE t:LDPE; select -clear; tee -a $log stat" ||
	exit 1
awk '/===/ { module = $2 } NF == 2 && /^ +[A-Z0-9]+ / { n[module, $1] = $2
	if (!seen[module]++) order[++modules] = module }
	function luts(m,	i, sum) {
		for (i = 1; i < 7; i++)
			sum += n[m, "LUT" i]
		return sum + 0
	}
	function rams(m) {
		return n[m, "RAM32X1D"] + n[m, "RAM32M"] + n[m, "RAM64X1D"] \
			+ n[m, "RAM64M"]
	}
	END {
		if (!modules)
			exit 1
		print "module LUTs flip-flops shift-registers distributed-RAMs",
			"DSPs block-RAMs"
		for (i = 1; i <= modules; i++) {
			m = order[i]
			print m, luts(m), n[m, "FDRE"] + n[m, "FDSE"],
				n[m, "SRL16E"] + n[m, "SRLC32E"],
				rams(m),
				n[m, "DSP48E1"] + 0,
				n[m, "RAMB36E1"] + n[m, "RAMB18E1"] / 2
		}
	}' "$log"
