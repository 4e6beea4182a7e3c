# What another program may do to a window: "ask" for the clipboard's text, fifty times, and be gone
# before the answer; "destroy WINDOW".
import ctypes
import sys
import time

x = ctypes.CDLL("libX11.so.6")
number = ctypes.c_ulong
x.XOpenDisplay.restype = ctypes.c_void_p
for function in (x.XInternAtom, x.XDefaultRootWindow, x.XCreateSimpleWindow):
    function.restype = number
display = ctypes.c_void_p(x.XOpenDisplay(None))


def atom(name):
    return number(x.XInternAtom(display, name.encode(), 0))


def destroy(window):
    x.XDestroyWindow(display, number(window))
    x.XSync(display, 0)


if sys.argv[1] == "destroy":
    destroy(int(sys.argv[2]))
else:
    root = number(x.XDefaultRootWindow(display))
    for _ in range(50):
        window = x.XCreateSimpleWindow(display, root, 0, 0, 1, 1, 0, number(0), number(0))
        x.XConvertSelection(display, atom("CLIPBOARD"), atom("UTF8_STRING"), atom("ANSWER"),
                            number(window), number(0))
        destroy(window)
        time.sleep(0.02)
