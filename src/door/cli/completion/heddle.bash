# bash completion for heddle; `heddle complete` knows what may come next.

# The words up to the cursor, in `words`. Bash breaks them at = and :, heddle
# wants them whole. `part` is what bash takes for the last one.
_heddle_words()
{
	local i word joined=

	words=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $joined && ${#words[@]} -gt 0 ]] || [[ $word == [=:]* ]]; then
			words[${#words[@]} - 1]+=$word
		else
			words+=("$word")
		fi
		joined=
		[[ $word != *[=:] ]] || joined=1
	done
	part=${COMP_WORDS[COMP_CWORD]}
	[[ $part != [=:]* ]] || part=
}

# _heddle_files SUFFIX...: folders, and files with one of the suffixes
_heddle_files()
{
	local file suffix

	compopt -o filenames 2>/dev/null
	while IFS= read -r file; do
		if [[ -d $file || $# == 0 ]]; then
			COMPREPLY+=("$file")
			continue
		fi
		for suffix; do
			[[ $file != *"$suffix" ]] || COMPREPLY+=("$file")
		done
	done < <(compgen -f -- "$part")
}

# _heddle_command N: the rest of the line is a command of its own
_heddle_command()
{
	if declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	else
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -c -f -- "$part")
	fi
}

_heddle()
{
	local words part line word before

	COMPREPLY=()
	_heddle_words
	before=${words[-1]%"$part"}
	while IFS= read -r line; do
		case $line in
		:files*)
			# shellcheck disable=SC2086	# its words
			_heddle_files ${line#:files}
			;;
		:folders)
			compopt -o filenames 2>/dev/null
			mapfile -t -O ${#COMPREPLY[@]} COMPREPLY \
				< <(compgen -d -- "$part")
			;;
		:command*)
			_heddle_command "${line#:command }"
			;;
		*)
			word=${line%%$'\t'*}
			[[ $word != *= ]] || compopt -o nospace 2>/dev/null
			COMPREPLY+=("${word#"$before"}")
			;;
		esac
	done < <("${words[0]}" complete -- "${words[@]}" 2>/dev/null)
}

complete -F _heddle heddle
