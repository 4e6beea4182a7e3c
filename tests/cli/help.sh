# --help, the man page, assets/docs/command-line.md and the completions of the shells agree: on each
# command and each option.
set -eu
program=$(realpath "$1")
system=$(cd "$(dirname "$0")/../../assets/system" && pwd)
reference=$system/../docs/command-line.md
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "help.sh: $*" >&2
    exit 1
}

# Prints each usage of the program on one line, however the text was wrapped.
unfolded() {
    { tr '\n' ' '; echo; } | tr -s ' ' | sed 's/^ //; s/ $//; s/ maskscope/\nmaskscope/g'
}

"$program" --help >help
awk '/^maskscope / || /^     / && on { on = 1; print; next } { on = 0 }' help | unfolded >uses
[ "$(wc -l <uses)" -ge 8 ] || fail "--help says little: $(cat help)"

export LC_ALL=C.UTF-8 MANWIDTH=300
man --warnings -l "$system/maskscope.1" >man 2>warnings || fail "man: $(cat warnings)"
[ ! -s warnings ] || fail "man warns: $(cat warnings)"
sed -n '/^SYNOPSIS/,/^DESCRIPTION/p' man | sed '1d; $d' | unfolded >man_uses
diff uses man_uses >&2 || fail "maskscope.1: the synopsis is not that of --help"
grep -q "maskscope $("$program" --version | cut -d ' ' -f 2) " man || fail "maskscope.1: the version"

# options COMMAND: prints its options as --help writes them ("" is the window); --[no-]x is one option.
options() {
    if [ "$1" ]; then grep "^maskscope $1\( \|$\)" uses; else grep '^maskscope [^a-z]' uses; fi |
        grep -o -e '--\(\[no-\]\)\?[a-z][a-z-]*' || true
}
spelt_out() { sed 's/^--\[no-\]\(.*\)/--\1\n--no-\1/' | sort; }

cat >complete.bash <<'BASH'
. /usr/share/bash-completion/bash_completion
. "$1/completion.bash"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_TYPE=9 COMP_KEY=9
COMP_POINT=${#COMP_LINE}
_maskscope
printf '%s\n' "${COMPREPLY[@]}"
BASH
cat >complete.zsh <<'ZSH'
_arguments() { print -rl -- "$@" }
completion=$1/completion.zsh
shift
words=("$@") CURRENT=$#
. $completion
ZSH
in_bash() { bash --norc complete.bash "$system" "$program" "$@" 2>/dev/null; }
in_zsh() { zsh -f complete.zsh "$system" "$program" "$@"; }

# names WHAT: checks that each line of standard input is an option of $command, or its older name --lane
names() {
    sort -u | grep -v -x -e --lane | while read -r option; do
        options "$command" | grep -q -x -F -e "$option" ||
            fail "$1: \"maskscope $command\" explains $option, which --help does not name"
    done
}

# The options for files of tensors are explained once.
awk '/^   [^ ]/ || /^[^ ]/ { on = $0 == "   Files of tensors" } on' man >common
awk '/^## / { on = $0 == "## Files of tensors" } on' "$reference" >common_reference
[ -s common ] && [ -s common_reference ] || fail "nothing explains files of tensors"
commands=$(sed -n 's/^maskscope \([a-z]*\).*/\1/p' uses)
echo "$commands" | sed 's/./ &/; s/^/maskscope/' | sort -u >wanted
sed -n 's/^## \(maskscope\)/\1/p' "$reference" | sort -u >offered
diff wanted offered >&2 || fail "command-line.md: has other commands than --help"
for command in "" $commands; do
    # The section of the man page on this command.
    awk -v wanted="   maskscope${command:+ $command}" '
        /^   [^ ]/ || /^[^ ]/ { on = $0 == wanted } on' man >section
    options "$command" | while read -r option; do
        grep -q -F -e "       $option" section common ||
            fail "maskscope.1: \"maskscope $command\" does not explain $option"
    done
    sed -n 's/^       \(--\(\[no-\]\)\?[a-z-]*\).*/\1/p' section | names maskscope.1
    awk -v wanted="## maskscope${command:+ $command}" '/^## / { on = $0 == wanted } on' \
        "$reference" >section
    options "$command" | grep -v -x -e --lane | while read -r option; do
        grep -q -e "\`$(echo "$option" | sed 's/[][]/\\&/g')[\` ]" section common_reference ||
            fail "command-line.md: \"maskscope $command\" does not explain $option"
    done
    sed -n '/^- `--/,/^$/p' section | grep -o -e '`--\(\[no-\]\)\?[a-z-]*' | tr -d '`' |
        names command-line.md
    options "$command" | spelt_out >wanted
    in_bash ${command:+"$command" x} -- | sed '/^$/d' | sort >offered
    diff wanted offered >&2 || fail "completion.bash: \"maskscope $command --\" offers the wrong options"
    in_zsh ${command:+"$command" x} -- | grep -o -e '^--[a-z-]*' | sort >offered || true
    diff wanted offered >&2 || fail "completion.zsh: \"maskscope $command --\" offers the wrong options"
done
