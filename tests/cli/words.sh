# words.py prints nothing for plain words, and names the others with their place.
set -eu
check=$(cd "$(dirname "$0")/.." && pwd)/words.py
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir .github

# expect TEXT: checks that words.py prints it, with status 1; "" if it must find nothing
expect() {
    wanted=0
    [ -z "$1" ] || wanted=1
    status=0
    printed=$(python3 "$check" "$folder") || status=$?
    if [ "$printed" != "$1" ] || [ "$status" -ne "$wanted" ]; then
        echo "words.sh: status $status and \"$printed\"; expected \"$1\"" >&2
        exit 1
    fi
}

command -v python3 >/dev/null || exit 77
cat >README.md <<'MD'
There is no mistake here: it is no longer there, and the lanes are `lanes`.
```
is no code either
```
MD
expect 'README.md:1: “lanes”: write “variant”'
printf 'A planet, mending.\n- *Not:* it is no figure\n' >README.md
expect ''
printf 'First.\nThis is\nno figure, Unless  said.\n' >.github/a.md
expect '.github/a.md:3: “Unless said”: write “default: …”
.github/a.md:2: “is no”: write “is not a”'

rm -r .github README.md
mkdir app
cat >app/a.cpp <<'CPP'
// Of lanes, what is drawn.
int lanes = 0;  // the ground
const char* const words = "a lane "
                          "is here", *const key = "lane", *const path = "lanes/a";
// What follows
// is a sentence.

// Not if it is a fragment: likewise.
const char* const share = "a share of {} % is here";
CPP
expect 'app/a.cpp:3: “lane”: write “variant”
app/a.cpp:9: “} %”: write “35%”
app/a.cpp:2: “ground”: write “background”
app/a.cpp:1: a comment begins with “Of”: write a sentence
app/a.cpp:5: a comment begins with “What”: write a sentence
app/a.cpp:8: a comment begins with “Not if”: write a sentence'
