"""The kettle of tests/models/timed-fsm/kettle as somebody may have built it, with a real clock: an adapter for `hyperkill exec`.

    hyperkill exec kettle.out --reset --time-scale 50ms -- python3 tests/adapters/kettle/kettle.py 0.05

The number says how many seconds a second of the model lasts, as `--time-scale` does. With `--bug` the kettle keeps the water warm for too
long.
"""

import json
import sys
import time


class Kettle:
    def __init__(self, second, bug):
        self.second = second
        self.warm_for = 610 if bug else 600
        self.enter("off")

    def enter(self, state):
        self.state = state
        self.since = time.monotonic()

    def look_at_the_clock(self):
        limits = {"heating": 180, "keeping": 180, "warm": self.warm_for}
        limit = limits.get(self.state)
        if limit is not None and time.monotonic() - self.since >= limit * self.second:
            self.enter("off")

    def event(self, name):
        self.look_at_the_clock()
        reactions = {
            ("off", "press"): ("click", "heating"),
            ("heating", "press"): ("light", "keeping"),
            ("heating", "boiling"): ("click", "off"),
            ("heating", "lift"): ("click", "off"),
            ("keeping", "press"): ("click", "off"),
            ("keeping", "lift"): ("click", "off"),
            ("keeping", "boiling"): ("light", "warm"),
            ("warm", "press"): ("click", "off"),
            ("warm", "lift"): ("click", "off"),
        }
        output, state = reactions.get((self.state, name), ("nothing", self.state))
        self.enter(state)
        return output


def main():
    second = float(next((word for word in sys.argv[1:] if word != "--bug"), "1"))
    bug = "--bug" in sys.argv
    kettle = Kettle(second, bug)
    for line in sys.stdin:
        inputs = json.loads(line)
        if inputs == "reset":
            kettle = Kettle(second, bug)
            print('"reset"', flush=True)
            continue
        print(json.dumps({"output": kettle.event(inputs["input"])}), flush=True)


main()
