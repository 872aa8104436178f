# peaks.sh HEDDLE HSACO: kernels of code objects reach what the data sheets say, within
# 5%, and nothing exceeds it.
set -eu
heddle=$1 code=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# peak GPU WHAT WANT AMOUNT GROUPS THREADS ARGUMENTS...: AMOUNT operations, or bytes, in all;
# WANT in 10^9 a second.
peak()
{
	gpu=$1 what=$2 want=$3 amount=$4 groups=$5 threads=$6
	shift 6
	"$heddle" run "$code" --kernel "${what%.*}" --gpu "$gpu" -o dispatch.launch_latency=0 \
		--grid "$groups" --block "$threads" --json "$work/json" "$@" \
		>/dev/null 2>"$work/err" || { cat "$work/err"; exit 1; }
	awk -v want="$want" -v amount="$amount" -v name="$gpu $what" '
		/"cycles":/ && !cycles { gsub(/[^0-9]/, ""); cycles = $0 }
		END {
			got = amount / cycles * mhz / 1000
			printf "%-14s %8.1f of %8.1f: %.1f%%\n", name, got, want,
				100 * got / want
			exit !(got >= 0.95 * want && got <= 1.0001 * want)
		}' mhz="$(clock_of "$gpu")" "$work/json" || bad=1
}

# MHz.
clock_of()
{
	case $1 in
	hd7970) echo 925 ;;
	*) echo 1000 ;;
	esac
}

# Multiply-adds are two operations. 32 units, 40 wavefronts each.
peak hd7970 fp32 3788.8 $((32 * 2560 * 60 * 32 * 2)) 320 256 --arg 'f32[256]' --arg 60
peak hd7870 fp32 2560 $((20 * 2560 * 100 * 32 * 2)) 200 256 --arg 'f32[256]' --arg 100
peak hd7970 lds 3788.8 $((5120 * 64 * 25 * 8 * 4)) 5120 64 --arg 'f32[256]' --arg 25
peak hd7970 l1 1894.4 $((1280 * 64 * 100 * 8 * 4)) 1280 64 --arg 'f32[4K]' --arg 100
peak hd7970 l2 710.4 $((1280 * 64 * 50 * 8 * 4)) 1280 64 --arg 'f32[128K]=fill:1' --arg 50
peak hd7970 dram 264 $((16384 * 2048)) 16384 64 --arg 'f32[8M]'
peak hd7870 dram 153.6 $((12288 * 2048)) 12288 64 --arg 'f32[6M]'
exit $bad
