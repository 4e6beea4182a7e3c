# Sourced by tests of the real window, which got the program as $1: a virtual display, and a folder of
# the test's own that holds the program's state; both go with the test.
program=$(realpath "$1")
folder=$(mktemp -d)
window=
fail() { echo "$(basename "$0"): $1" >&2; exit 1; }
Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp -noreset >/dev/null 2>&1 3>"$folder/display" &  # a free one
server=$!
trap '{ kill $window && wait $window; kill $server; wait; } 2>/dev/null || true; rm -rf "$folder"' EXIT
for _ in $(seq 300); do [ -s "$folder/display" ] && break; sleep 0.1; done
export DISPLAY=":$(cat "$folder/display")" LIBGL_ALWAYS_SOFTWARE=1 XDG_STATE_HOME="$folder" XDG_CACHE_HOME="$folder"
[ "$DISPLAY" != : ] || fail "no display came up"
unset WAYLAND_DISPLAY

# Opens the window, whose process is $window. Without OpenGL 4.3 a first one goes again: once seen is
# enough.
start() {
    "$program" "$@" & window=$!
    seen=
    for _ in $(seq 150); do xdotool search --name Maskscope >/dev/null 2>&1 && seen=1 && break; sleep 0.1; done
    [ "$seen" ] || fail "no window came up for $*"
}
# What the window has used of a processor, in hundredths of a second.
ticks() { set -- $(cut -d' ' -f14,15 "/proc/$window/stat"); echo $(($1 + $2)); }
# The bench alone: the buttons around it change with the history.
shot() { xwd -root -silent | convert xwd:- -crop 1020x700+280+100 rgb:- | cksum; }
# The picture, once it has stood still for half a second.
picture() {
    last=
    for _ in $(seq 40); do
        now=$(shot)
        [ "$now" = "$last" ] && { echo "$now"; return; }
        last=$now
        sleep 0.5
    done
    fail "the picture never stands still"
}
