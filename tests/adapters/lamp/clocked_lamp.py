"""The lamp of tests/models/uppaal/lamp as somebody may have built it: an adapter for timed tests (docs/src/guide/executing.md).

    hyperkill run tests/models/uppaal/lamp/model.xml -o lamp.out
    hyperkill exec lamp.out --reset --virtual-time -- python3 tests/adapters/lamp/clocked_lamp.py
    hyperkill exec lamp.out --reset --time-scale 100ms -- python3 tests/adapters/lamp/clocked_lamp.py 0.1

Without a number it has no clock and is told how much time passes; a number says how many seconds a unit of its clock lasts. `--late` dims
later than the model allows, and `--hasty` goes off where the model wants it to be bright.
"""

import json
import queue
import sys
import threading
import time
from fractions import Fraction


class Lamp:
    """The lamp itself. It is told what time it is, in units, whenever something happens."""

    def __init__(self, faults):
        self.dims_after = Fraction(9, 4) if "--late" in faults else 1
        self.closes_from = 4 if "--hasty" in faults else 5
        self.state = "dark"
        self.since = 0

    def due(self):
        """When it does something by itself, and what that is."""
        coming = {
            "dimming": (self.dims_after, "dim", "low"),
            "brightening": (0, "bright", "high"),
            "closing": (0, "off", "dark"),
        }
        if self.state not in coming:
            return None, None
        after, output, _ = coming[self.state]
        return self.since + after, output

    def acts(self):
        self.since, output = self.due()
        self.state = {"dim": "low", "bright": "high", "off": "dark"}[output]

    def press(self, now):
        """Whether somebody can press its button."""
        is_long_ago = now - self.since >= self.closes_from
        following = {
            "dark": "dimming",
            "low": "closing" if is_long_ago else "brightening",
            "high": "closing",
        }
        if self.state not in following:
            return False
        self.state, self.since = following[self.state], now
        return True


def say(line):
    print(json.dumps(line), flush=True)


def told(faults):
    """Time passes as the tester says."""
    for line in sys.stdin:
        request = json.loads(line)
        if request == "reset":
            lamp, now = Lamp(faults), Fraction(0)
            say("reset")
        elif "wait" in request:
            until = now + Fraction(request["wait"])
            due, output = lamp.due()
            if due is None or due > until:
                say({"waited": str(until - now)})
                now = until
            else:
                say({"waited": str(due - now), "output": output})
                now = due
                lamp.acts()
        else:
            say({"given": lamp.press(now)})


def clocked(faults, unit):
    """Time passes as it does. Lines are read by a thread, so that the lamp can wait for them and for its own time at once."""
    lines = queue.Queue()

    def read():
        for line in sys.stdin:
            lines.put(json.loads(line))
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    lamp, begun = None, 0.0
    while True:
        due, output = lamp.due() if lamp else (None, None)
        left = None if due is None else max(0.0, begun + due * unit - time.monotonic())
        try:
            request = lines.get(timeout=left)
        except queue.Empty:
            say({"output": output})
            lamp.acts()
            continue
        if request is None:
            return
        if request == "reset":
            lamp, begun = Lamp(faults), time.monotonic()
            say("reset")
        else:
            say({"given": lamp.press((time.monotonic() - begun) / unit)})


def main():
    words = sys.argv[1:]
    faults = [word for word in words if word.startswith("--")]
    units = [float(word) for word in words if word not in faults]
    if units:
        clocked(faults, units[0])
    else:
        told(faults)


main()
