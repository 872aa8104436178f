#!/bin/sh
# Does a shell complete a command line of heddle as its tables say?
#
#	completion.sh HEDDLE CASE
#
# 77: skipped, for want of the shell.
set -eu
heddle=$1
case=$2
scripts=$(cd "$(dirname "$0")/../.." && pwd)/src/door/cli/completion
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir bin sub
ln -s "$heddle" bin/heddle
touch a.ptx a.cu a.txt b.sweep b.db c.trace 'my run.json' mine.cfg
PATH=$folder/bin:$PATH
export PATH

fail()
{
	echo "FAILED: $*" >&2
	exit 1
}

# gives WANT WORD...: the candidates, without explanations, in one line
gives()
{
	want=$1
	shift
	got=$(heddle complete -- heddle "$@" | cut -f 1 | tr '\n' ' ')
	[ "$got" = "$want${want:+ }" ] || fail "$*: got '$got', not '$want'"
}

words()
{
	gives 'run report' r
	gives '--help --version' --
	gives '' complet
	gives '' nosuch --
	gives 'gpus' g
	gives 'gpus' help g
	gives 'record' trace r
	gives 'status :files .sweep' sweep st
	gives ':files .sweep' sweep wo
	gives 'status report collect :files .sweep' sweep ''
	gives ':files .sweep .db' sweep status ''
	gives ':files .trace .g .traceg' trace info ''
	gives 'import' config i
	gives ':files' config import ''
	gives '--launch --limit' trace show x.trace --l
	gives 'h100 h200 hd7870 hd7970 hd7990 :files .cfg' run a.ptx --gpu h
	gives '--gpu=h100 --gpu=h200 --gpu=hd7870 --gpu=hd7970 --gpu=hd7990 :files .cfg' run --gpu=h
	gives 'h100 h200 hd7870 hd7970 hd7990 :files .cfg' exec --gpu h
	gives 'gtx285 gtx480 :files .cfg' gpus gtx
	gives 'sm.count= sm.compiled=' run -o sm.co
	gives '--set=l2.bytes=' exec --set=l2.by
	gives 'serial slack:' run --engine s
	gives '--kernels' exec --ker
	gives ':files .ptx .cu .cl .cubin .fatbin .o .hsaco .trace .g .traceg' run ''
	gives 'auto sass ptx' run a.ptx --isa ''
	gives 'sass' exec --isa s
	gives ':files' run a.ptx --json x
	gives ':folders' exec --out ''
	gives 'model rtl' fastlanes run a.code --on ''
	gives ':files .code' fastlanes run ''
	gives 'cgm cgm-sm :files .cfg' system --config cg
	gives 'cgm cgm-sm :files .cfg' cgm --config cg
	gives 'serial exact' system --config cgm --engine ''
	gives 'cgm.cores=' system -o cgm.cor
	gives ':folders' system --out ''
	gives '--interval' system --int
	gives ':command 5' system --config cgm -- ''
	gives ':command 3' exec -- ''
	gives ':command 4' exec --gpu=h200 -q ''
	gives ':command 5' exec --gpu h200 -- ./a b c
	gives '--gpu' run --kernel --quiet --gp
	gives '' run --seed ''
	# A letter takes its value without a =.
	gives '' run -o=sm.co
	gives '' run --=x
	# Each option of the help, of every command.
	for command in run dis as kernels gpus exec cc sweep report compare engines \
		system cgm; do
		heddle help $command | sed -n 's/^  \(-., \)\{0,1\}\(--[a-zA-Z_-]*\).*/\2/p' |
			sort >help
		heddle complete -- heddle $command -- | cut -f 1 |
			grep -v '^--help$' | sort >offered
		[ -s help ] || fail "$command has no help"
		cmp -s help offered || {
			diff help offered >&2
			fail "$command --"
		}
	done
	code=0
	heddle complete heddle r >/dev/null 2>&1 || code=$?
	[ $code = 2 ] || fail "without --: exit code $code"
	HEDDLE_CONFIGS=/nowhere heddle complete -- heddle gpus '' >out 2>&1
	[ "$(cat out)" = ':files .cfg' ] || fail "no GPUs: $(cat out)"
}

# bash splits words at = and :, and wants only what follows.
bash_shell()
{
	command -v bash >/dev/null || exit 77
	cat >try.bash <<-'END'
	. "$1"
	# try WANT LINE-WORD...: as readline would ask at the end of the line
	try()
	{
		local want=$1 got
		shift
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		COMP_LINE=$*
		COMP_POINT=${#COMP_LINE}
		COMPREPLY=()
		_heddle
		got=$(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort |
			tr '\n' ' ')
		[[ $got == "$want " ]] && return
		echo "FAILED: $*: got '$got', not '$want'" >&2
		exit 1
	}
	complete -p heddle | grep -q -- '-F _heddle' || exit 1
	try 'report run' heddle r
	try 'h100 h200 hd7870 hd7970 hd7990' heddle run --gpu h
	try 'h100 h200 hd7870 hd7970 hd7990' heddle run --gpu = h
	try 'a.cu a.ptx bin c.trace sub' heddle run ''
	try 'a.ptx' heddle run a.p
	try 'bin my run.json sub' heddle report ''
	try 'sm.count=' heddle run -o sm.cou
	try 'bin sub' heddle exec --out ''
	try 'bin sub' heddle exec --out = ''
	try 'serial' heddle run --engine se
	try 'slack:' heddle run --engine sl
	try 'mine.cfg' heddle gpus mi
	try '--functional' heddle exec --gpu a100 --func
	declare -F _command_offset >/dev/null ||
		try 'a.txt' heddle exec -- a.t
	END
	bash --norc --noprofile try.bash "$scripts/heddle.bash"
}

zsh_shell()
{
	command -v zsh >/dev/null || exit 77
	mkdir functions
	cp "$scripts/heddle.zsh" functions/_heddle
	# A terminal in which the keys are typed; the line and the list of
	# candidates come back.
	cat >try.zsh <<-'END'
	zmodload zsh/zpty
	zpty -b shell zsh -f -i
	# typed KEYS: what the terminal shows after them
	typed()
	{
		local text all= i
		zpty -w -n shell "$1"$'\C-t'
		for ((i = 0; i < 400; i++)); do
			if zpty -r -t shell text; then
				all+=$text
			elif [[ $all == *END* ]]; then
				break
			else
				sleep 0.05
			fi
		done
		print -r -- "$all"
	}
	zpty -w shell "PATH=$PATH; cd $PWD; fpath=($PWD/functions \$fpath)"
	zpty -w shell 'autoload -Uz compinit && compinit -u -d dump; PS1=; PROMPT='
	zpty -w shell 'show() { print -r -- "<$BUFFER>END"; zle kill-buffer }'
	zpty -w shell 'zle -N show; bindkey "^T" show; setopt no_beep; echo READY'
	for ((i = 0; i < 200; i++)); do
		zpty -r -t shell text && all+=$text
		[[ $all != *READY*READY* ]] || break
		sleep 0.05
	done
	try()
	{
		local got
		got=$(typed "$2"$'\t')
		[[ $got == *"<$1>END"* ]] && return
		print -r -- "FAILED: $2: not '$1' in '$got'" >&2
		exit 1
	}
	try 'heddle gpus ' 'heddle gp'
	try 'heddle run --gpu rtx4090 ' 'heddle run --gpu rtx4'
	try 'heddle run --gpu=rtx4090 ' 'heddle run --gpu=rtx4'
	try 'heddle run c.trace ' 'heddle run c'
	try 'heddle exec --out sub/' 'heddle exec --out su'
	try 'heddle exec --functional ' 'heddle exec --func'
	try 'heddle run -o sm.count=' 'heddle run -o sm.coun'
	END
	zsh -f try.zsh
}

fish_shell()
{
	command -v fish >/dev/null || exit 77
	HOME=$folder
	XDG_CONFIG_HOME=$folder
	export HOME XDG_CONFIG_HOME
	cat >try.fish <<-END
	source $scripts/heddle.fish
	function try
		set -l got (complete -C"\$argv[2]" | string split -f 1 \t | sort | string join ' ')
		test "\$got" = "\$argv[1]"; and return
		echo "FAILED: \$argv[2]: got '\$got', not '\$argv[1]'" >&2
		exit 1
	end
	try 'report run' 'heddle r'
	try 'h100 h200 hd7870 hd7970 hd7990' 'heddle run --gpu h'
	try '--gpu=h100 --gpu=h200 --gpu=hd7870 --gpu=hd7970 --gpu=hd7990' 'heddle run --gpu=h'
	try 'c.trace' 'heddle run c'
	try 'sub/' 'heddle exec --out su'
	try '--functional' 'heddle exec --func'
	try 'sm.count=' 'heddle run -o sm.coun'
	try 'mine.cfg' 'heddle gpus mi'
	END
	fish --no-config try.fish
}

case $case in
words) words ;;
bash | zsh | fish) "${case}_shell" ;;
*) fail "no case $case" ;;
esac
