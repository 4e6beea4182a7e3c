#!/bin/sh
# Tests the GPU of this machine in a minute: its context, its programs, computations (compared with
# the CPU and, if python3 has it, PyTorch with CUDA), and edits in the window.
#   gpu.sh [--json FILE]
#   gpu.sh --copy FOLDER: makes a folder whose gpu.sh does the same on a machine that has only a
#   driver.
# A software renderer gets small sizes. Run it when the machine is idle.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
usage() { echo "gpu.sh [--json FILE] | --copy FOLDER" >&2; exit 2; }
json='' copy=''
case ${1:-} in
    '') ;;
    --json) [ $# -eq 2 ] || usage; json=$2 ;;
    --copy) [ $# -eq 2 ] || usage; copy=$2 ;;
    *) usage ;;
esac

# In a copied folder programs and libraries are beside it; in the source tree they are built.
programs=$here/bin
if [ ! -d "$programs" ]; then
    top=$(cd "$here/../.." && pwd)
    programs=$top/build/tests
    cmake -S "$top" -B "$top/build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
    cmake --build "$top/build" --target gpu_bench frame_bench >/dev/null
fi

if [ -n "$copy" ]; then
    [ ! -d "$here/bin" ] || { echo "gpu.sh: it is a copy already" >&2; exit 2; }
    mkdir -p "$copy/bin" "$copy/lib" "$copy/share/maskscope" "$copy/fonts"
    cp "$programs/gpu_bench" "$programs/frame_bench" "$copy/bin"
    cp "$here/gpu.sh" "$here/torch_cuda.py" "$copy"
    cp -r "$top/shaders" "$top/assets" "$copy/share/maskscope"
    # Copies libraries, but not the C library and the driver's, which must be those of the machine.
    ldd "$copy/bin/gpu_bench" "$copy/bin/frame_bench" |
        sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u |
        grep -Ev '/(libc|libm|libdl|libpthread|librt|ld-linux.*|libEGL|libGL|libGLX|libGLdispatch|libOpenGL)\.so' |
        while read -r library; do cp -L "$library" "$copy/lib"; done
    find /usr/share/fonts -name 'Inter*' -o -name 'DejaVuSans*' | while read -r font; do
        cp "$font" "$copy/fonts"
    done
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache" XDG_STATE_HOME="$work/state"
if [ -d "$here/bin" ]; then
    export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    printf '<fontconfig><dir>%s/fonts</dir><cachedir>%s</cachedir></fontconfig>\n' \
        "$here" "$work/fonts" >"$work/fonts.conf"
    export FONTCONFIG_FILE="$work/fonts.conf"
fi

python3 "$here/torch_cuda.py" 12x64 12x512 12x1024 12x2048 1x4096 16x4096 >"$work/torch" 2>&1 || :
head -n 1 "$work/torch"
"$programs/gpu_bench" --torch "$work/torch" --json "$work/gpu.json"

# The window's edits; on a software renderer, small ones.
tokens='16 1024 4096' heads=12x1024
if grep -qiE '"renderer": "(llvmpipe|softpipe|swrast)' "$work/gpu.json"; then
    tokens='16 64' heads=2x64
fi
for backend in cpu gpu auto; do
    for n in $tokens; do
        "$programs/frame_bench" --quick --frames-alone --backend $backend --tokens "$n" || :
    done
    "$programs/frame_bench" --quick --frames-alone --backend $backend --heads "${heads%x*}" \
        --tokens "${heads#*x}" || :
done | tee "$work/frames"

# Reads lines such as "name   median   most ms" that follow "16 × 16, 1 heads, backend gpu, …".
[ -z "$json" ] || {
    printf '{"gpu": '
    cat "$work/gpu.json"
    printf ', "window": ['
    awk '/^[0-9]+ × / { split($0, part, ", "); size = part[1] ", " part[2]; backend = part[3]; next }
        / ms$/ {
            most = $(NF - 1); middle = $(NF - 2); name = $0
            sub(/ +[0-9.]+ +[0-9.]+ ms$/, "", name)
            printf "%s{\"size\": \"%s\", \"backend\": \"%s\", \"what\": \"%s\", \"median\": %s, \"most\": %s}", \
                comma, size, backend, name, middle, most
            comma = ", "
        }' "$work/frames"
    printf ']}\n'
} >"$json"
