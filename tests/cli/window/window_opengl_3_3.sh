#!/bin/sh
# The real window where there is no OpenGL 4.3: all of window.sh, computed by the CPU.
set -eu
export MESA_GL_VERSION_OVERRIDE=3.3
exec sh "$(dirname "$0")/window.sh" "$1"
