# Does what another program may do to a window. "ask" requests the clipboard's text fifty times and ends
# before the answer. "hold" takes the clipboard, offers types and sends nothing. "destroy WINDOW"
# destroys a window.
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


class Selection(ctypes.Structure):  # XSelectionRequestEvent
    _fields_ = [("type", ctypes.c_int), ("serial", number), ("sent", ctypes.c_int),
                ("display", ctypes.c_void_p), ("owner", number), ("requestor", number),
                ("selection", number), ("target", number), ("property", number), ("time", number)]


class Answer(ctypes.Structure):  # XSelectionEvent
    _fields_ = [field for field in Selection._fields_ if field[0] != "owner"]


def hold():
    window = x.XCreateSimpleWindow(display, number(x.XDefaultRootWindow(display)), 0, 0, 1, 1, 0,
                                   number(0), number(0))
    x.XSetSelectionOwner(display, atom("CLIPBOARD"), number(window), number(0))
    x.XSync(display, 0)
    print("held", flush=True)
    types = (number * 2)(atom("TARGETS").value, atom("UTF8_STRING").value)
    event = ctypes.create_string_buffer(192)
    while True:
        x.XNextEvent(display, event)
        asked = Selection.from_buffer(event)
        if asked.type != 30 or asked.target != atom("TARGETS").value:  # SelectionRequest
            continue
        x.XChangeProperty(display, number(asked.requestor), number(asked.property), number(4), 32,
                          0, types, 2)
        answer = ctypes.create_string_buffer(192)
        to = Answer.from_buffer(answer)
        to.type, to.requestor, to.selection = 31, asked.requestor, asked.selection
        to.target, to.property, to.time = asked.target, asked.property, asked.time
        x.XSendEvent(display, number(asked.requestor), 0, number(0), answer)


if sys.argv[1] == "destroy":
    destroy(int(sys.argv[2]))
elif sys.argv[1] == "hold":
    hold()
else:
    root = number(x.XDefaultRootWindow(display))
    for _ in range(50):
        window = x.XCreateSimpleWindow(display, root, 0, 0, 1, 1, 0, number(0), number(0))
        x.XConvertSelection(display, atom("CLIPBOARD"), atom("UTF8_STRING"), atom("ANSWER"),
                            number(window), number(0))
        destroy(window)
        time.sleep(0.02)
