# Completes maskscope in bash. The program itself gives the words: commands, options and their values
# come from `maskscope --help`, lessons from `maskscope lessons`.

# Prints the options of a command ("" is the window), one on each line: --backend cpu|gpu|auto
_maskscope_options() {
    "$1" --help 2>/dev/null | awk -v wanted="$2" '
        /^maskscope / { on = wanted == "" ? $2 !~ /^[a-z]/ : $2 == wanted }
        /^$/ || /^    [^ ]/ { on = 0 }
        on { sub(/^maskscope/, ""); $1 = $1; usage = usage " " $0 }
        END { print usage }' |
        sed 's/--\[no-\]\([a-z-]*\)/--\1 --no-\1/g; s/[][]//g; s/ | / /g; s/ --/\n--/g' | grep '^--'
}

# Prints the lessons, and the steps of a lesson once its slash is typed.
_maskscope_lessons() {
    "$1" lessons 2>/dev/null | awk -F '\t' -v typed="$2" '
        typed !~ "/" { print "lesson:" $1 }
        index(typed, "lesson:" $1 "/") == 1 { for (k = 1; k <= $2; ++k) print "lesson:" $1 "/" k }'
}

_maskscope() {
    local cur prev words cword split
    _init_completion -s -n : || return
    local program=${words[0]} command= commands options value choices
    commands=$("$program" --help 2>/dev/null | awk '/^maskscope [a-z]/ { print $2 }')
    [[ $cword -gt 1 ]] && command=$(grep -Fx -e "${words[1]}" <<<"$commands")
    options=$(_maskscope_options "$program" "$command")
    value=$(awk -v option="$prev" '$1 == option { print $2 }' <<<"$options")

    if [[ $value == *FILE.\{* ]]; then
        choices=${value#*\{}
        choices=${choices%%\}*}
        _filedir "@(${choices//,/|})"
    elif [[ $value == *DIR* ]]; then
        _filedir -d
    elif [[ $value == FILE ]]; then
        _filedir
    elif [[ $value ]]; then
        choices=$(tr '|' '\n' <<<"$value" | grep '^[a-z]')
        [[ $value == S ]] && choices=$("$program" --help | sed -n 's/[,.]//g; s/^S is one of //p')
        COMPREPLY=($(compgen -W "$choices" -- "$cur"))
    elif [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$(cut -d ' ' -f 1 <<<"$options")" -- "$cur"))
    elif [[ $command != lessons ]]; then
        _filedir '@(json|png|svg|pdf|safetensors|npz|npy)'
        [[ $cword -eq 1 ]] || commands=
        COMPREPLY+=($(compgen -W "$commands $(_maskscope_lessons "$program" "$cur")" -- "$cur"))
        __ltrim_colon_completions "$cur"
    fi
} && complete -F _maskscope maskscope
