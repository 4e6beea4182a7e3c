#compdef maskscope
# Completes maskscope in zsh. The program itself gives the words: commands, options and their values come
# from `maskscope --help`, lessons from `maskscope lessons`.

# Prints the options of a command ("" is the window), one on each line: --backend cpu|gpu|auto
_maskscope_options() {
    print -r -- $1 | awk -v wanted="$2" '
        /^maskscope / { on = wanted == "" ? $2 !~ /^[a-z]/ : $2 == wanted }
        /^$/ || /^    [^ ]/ { on = 0 }
        on { sub(/^maskscope/, ""); $1 = $1; usage = usage " " $0 }
        END { print usage }' |
        sed 's/--\[no-\]\([a-z-]*\)/--\1 --no-\1/g; s/[][]//g; s/ | / /g; s/ --/\n--/g' | grep '^--'
}

# Prints the lessons, and the steps of a lesson once its slash is typed.
_maskscope_lessons() {
    $1 lessons 2>/dev/null | awk -F '\t' -v typed="$2" '
        typed !~ "/" { print "lesson:" $1 }
        index(typed, "lesson:" $1 "/") == 1 { for (k = 1; k <= $2; ++k) print "lesson:" $1 "/" k }'
}

_maskscope_arguments() {
    [[ $command == lessons ]] && return
    local -a lessons=($(_maskscope_lessons $program "$PREFIX"))
    compadd -a lessons
    (( CURRENT == 2 )) && [[ -z $command ]] && compadd -a commands
    _files -g '*.(json|png|svg|pdf|safetensors|npz|npy)(-.)'
}

_maskscope() {
    local program=${~words[1]} command= option value
    local help="$($program --help 2>/dev/null)"
    local -a specs choices commands=($(print -r -- $help | awk '/^maskscope [a-z]/ { print $2 }'))
    if (( CURRENT > 2 && $commands[(Ie)$words[2]] )); then
        command=$words[2]
        shift words
        (( --CURRENT ))
    fi
    _maskscope_options $help "$command" | while read -r option value; do
        case $value in
            '') specs+=$option ;;
            *FILE.{*) specs+="$option=:file:_files -g '*.(${${${value#*\{}%%\}*}//,/|})(-.)'" ;;
            FILE) specs+="$option=:file:_files" ;;
            *DIR*) specs+="$option=:folder:_files -/" ;;
            *)
                choices=(${(M)${(s:|:)value}:#[a-z]*})
                [[ $value == S ]] &&
                    choices=($(print -r -- $help | sed -n 's/[,.]//g; s/^S is one of //p'))
                specs+="$option=:${value//:/\\:}:${choices:+($choices)}"
                ;;
        esac
    done
    _arguments $specs '*: :_maskscope_arguments'
}

_maskscope "$@"
