# fish completion for heddle; `heddle complete` knows what may come next.

function __heddle_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    # fish completes what follows the = of an option, but wants all of the word.
    set -l part (string replace -r '^-[^=]*=' '' -- $word)
    set -l before (string sub -l (math (string length -- "$word") - (string length -- "$part")) -- "$word")
    $words[1] complete -- $words "$word" 2>/dev/null | while read -l line
        switch $line
            case ':files*'
                set -l suffixes (string split -n ' ' -- (string replace ':files' '' -- $line))
                for file in (complete -C"__heddle_no_such_command $part")
                    set -l name (string split -f 1 \t -- $file)
                    if test (count $suffixes) -eq 0; or string match -q '*/' -- $name
                        echo $before$file
                    else
                        for suffix in $suffixes
                            string match -q "*$suffix" -- $name; and echo $before$file
                        end
                    end
                end
            case ':folders'
                for folder in (__fish_complete_directories "$part" '')
                    echo $before$folder
                end
            case ':command*'
                set -l at (math (string replace ':command ' '' -- $line) + 1)
                if test (count $words) -lt $at
                    complete -C"$word"
                else
                    complete -C(string join ' ' -- (string escape -- $words[$at..-1]) $word)
                end
            case '*'
                echo $line
        end
    end
end

complete -c heddle -f -a '(__heddle_complete)'
