"""conformance_on_device.py - a checker of tests/conformance, or a program, on the device of KARAT_TEST_DEVICE (on_device.py).

usage: conformance_on_device.py check_facts.py [options] | conformance_on_device.py program.py

The checkers are kept as they were recorded, so what a device needs is put into their text here: their tensors go there, each case
waits for it inside the `try` that catches its error, and the next one is on the other stream. Any other program prints its text
with the device left out and one space between words, since a tensor's text breaks into lines by its width."""

import contextlib
import io
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import on_device  # noqa: E402


def finish():
    """The end of a case: an error that is still to come comes now."""
    try:
        on_device.synchronize()
    finally:
        on_device.place.next_stream()


def forget():
    """What a case left behind that failed before its end."""
    try:
        finish()
    except Exception:
        pass


PUT = {
    "check_facts.py": [
        ("    try: r = f()\n", "    forget()\n    try: r = f(); finish()\n"),
        ("t.numpy().dtype", "t.cpu().numpy().dtype"),
        ("fromhex(hexs), dtype=torch.uint8)\n", "fromhex(hexs), dtype=torch.uint8).to(torch.get_default_device())\n"),
    ],
    "check_opinfo.py": [("    try: e = run(row)\n", "    forget()\n    try: e = run(row); finish()\n")],
    "check_errors.py": [
        ('    src = c["source"]\n',
         f"""    forget(); src = c["source"].replace("device='cpu'", "device='{on_device.DEVICE}'")\n"""),
        ("            exec(src, g)\n", "            exec(src, g); finish()\n"),
    ],
}


def plain(text):
    """What a program printed, as it is compared."""
    return " ".join(re.sub(rf",\s+device='{on_device.DEVICE}:0'", "", text).split())


def main():
    path, name = sys.argv[1], os.path.basename(sys.argv[1])
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for old, new in PUT.get(name, ()):
        assert text.count(old) == 1, (name, old)
        text = text.replace(old, new)
    del sys.argv[0]
    space = {"__name__": "__main__", "__file__": path, "finish": finish, "forget": forget}
    printed = io.StringIO()
    with contextlib.nullcontext() if name in PUT else contextlib.redirect_stdout(printed):
        exec(compile(text, path, "exec"), space)
    if name not in PUT:
        print(plain(printed.getvalue()))


if __name__ == "__main__":
    main()
