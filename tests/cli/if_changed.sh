# With ONLY_CHANGED, if_changed.sh runs a command again only after a failure, or if the program or a file
# that tests read has changed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export ONLY_CHANGED=yes
mkdir -p assets/lessons shaders tests/data tests/fuzz build
cp "$here/../if_changed.sh" tests
touch assets/lessons/a.json tests/CMakeLists.txt build/program

# expect STATUS RUNS WHAT: checks the status, and how often the command has run, after WHAT
expect() {
    status=0
    sh tests/if_changed.sh build/passed/it build/program sh -c "echo >>runs; exit ${fails:-0}" >/dev/null 2>&1 ||
        status=$?
    if [ $status != "$1" ] || [ "$(wc -l <runs)" != "$2" ]; then
        echo "if_changed.sh: after $3, status $status, $(wc -l <runs) runs; expected $1, $2" >&2
        exit 1
    fi
    find . -exec touch -d '1 hour ago' {} +  # so that what changes next is newer
}

fails=3 expect 3 1 "nothing"
expect 0 2 "a failure"
expect 77 2 "a success"
touch build/program
expect 0 3 "a new program"
echo >>assets/lessons/a.json
expect 0 4 "a new lesson"
touch tests/data/new.json
expect 0 5 "another file"
expect 77 5 "a success"
rm tests/data/new.json
fails=3 expect 3 6 "a deleted file"
expect 0 7 "a failure"
expect 77 7 "a success"
rm -r build/passed
expect 0 8 "removing the folder"
rm build/program
fails=3 expect 3 9 "removing the program"
expect 0 10 "a failure without a program"
unset ONLY_CHANGED
touch build/program
expect 0 11 "asking for all"
expect 0 12 "a success, asking for all"
