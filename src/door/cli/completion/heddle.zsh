#compdef heddle
# zsh completion for heddle; `heddle complete` knows what may come next.

local -a lines plain keys suffixes
local line

lines=("${(@f)$(${words[1]} complete -- "${(@)words[1,CURRENT-1]}" \
	"$PREFIX" 2>/dev/null)}")
# The shell completes what follows the = of an option.
[[ $PREFIX != -*=* ]] || compset -P '*='
for line in $lines; do
	case $line in
	:files*)
		suffixes=(${=line#:files})
		if (( $#suffixes )); then
			_files -g "${${(@)suffixes/#/*}}"
		else
			_files
		fi
		;;
	:folders)
		_files -/
		;;
	:command*)
		# _normal wants the words from the command on.
		shift ${line#:command } words
		(( CURRENT -= ${line#:command } ))
		_normal
		;;
	*)
		line=${line#"$IPREFIX"}
		# What stands before the tab, with a colon before the rest.
		plain+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
		[[ ${line%%$'\t'*} != *= ]] || keys=(-S '')
		;;
	esac
done
(( ! $#plain )) || _describe -t values value plain "${keys[@]}"
