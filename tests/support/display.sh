# Sourced by tests of the real window, which got the program as $1. Starts a virtual display, and
# makes a folder of the test's own that holds the program's state. Both are removed with the test.
program=$(realpath "$1")
folder=$(mktemp -d)
window= server=
fail() { echo "$(basename "$0"): $1" >&2; exit 1; }
trap '{ kill -9 $window $server && wait; } 2>/dev/null || true; rm -rf "$folder"' EXIT
export LIBGL_ALWAYS_SOFTWARE=1 XDG_STATE_HOME="$folder" XDG_CACHE_HOME="$folder/cache"
unset WAYLAND_DISPLAY

# await COMMAND…: waits until it succeeds; on a busy machine that may take a minute.
await() {
    for _ in $(seq 600); do
        "$@" && return
        sleep 0.1
    done
    return 1
}

# Starts another display, one that is free. It stays when its last client ends.
display() {
    rm -f "$folder/display"
    Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp -noreset >/dev/null 2>&1 \
        3>"$folder/display" & server=$!
    await test -s "$folder/display" || fail "no display came up"
    export DISPLAY=":$(cat "$folder/display")"
    await answers || fail "the display $DISPLAY does not answer"
}
answers() { xdotool getmouselocation >/dev/null 2>&1; }
display

# Opens the window, whose process is $window. Without OpenGL 4.3 a first window closes again before
# the real one opens, so it is enough that one was seen.
start() {
    "$program" "$@" & window=$!
    await is_up || fail "no window came up for $*"
}
is_up() { xdotool search --name Maskscope >/dev/null 2>&1; }
ended() { ! kill -0 $window 2>/dev/null; }
# Prints the processor time that the window has used, in hundredths of a second.
ticks() { set -- $(cut -d' ' -f14,15 "/proc/$window/stat"); echo $(($1 + $2)); }
# Prints the checksum of the bench alone, because the buttons around it change with the history.
shot() { xwd -root -silent | convert xwd:- -crop 1020x700+280+100 rgb:- | cksum; }
differs_from() { [ "$(shot)" != "$1" ]; }
is_again() { [ "$(shot)" = "$1" ]; }
# Prints the checksum once the picture has not changed for half a second.
picture() {
    last=
    for _ in $(seq 120); do
        now=$(shot)
        [ "$now" = "$last" ] && { echo "$now"; return; }
        last=$now
        sleep 0.5
    done
    fail "the picture never stands still"
}
