"""The lamp of tests/models/uppaal/lamp as somebody may have built it, with a clock: an adapter for `hyperkill exec`.

    hyperkill translate tests/models/uppaal/lamp/model.xml -o lamp.aag
    hyperkill check lamp.aag --tests global -o lamp.out
    hyperkill exec lamp.out --reset -- python3 tests/adapters/lamp/lamp.py 0.1

The number says how many seconds a step of time lasts in which nothing is given, half a unit of the model; without one the clock counts
steps and nobody sleeps. The lamp's clock stands still while the tester thinks. `--late` dims later than the model allows, and `--hasty` goes
off where the model wants it to be bright.
"""

import json
import sys
import time


class Clock:
    """Runs while the tester waits, and meets whole steps as exactly as this machine sleeps."""

    def __init__(self, step):
        self.step = step
        self.steps = 0
        # In steps.
        self.stands_at = 0.0

    def now(self):
        """In units of the model."""
        return self.stands_at / 2

    def wait(self):
        self.steps += 1
        if self.step is None:
            self.stands_at = self.steps
            return
        begun = time.monotonic()
        time.sleep(max(0.0, (self.steps - self.stands_at) * self.step))
        self.stands_at += (time.monotonic() - begun) / self.step
        if self.stands_at > self.steps + 0.4:
            # What is seen would not be what happened.
            sys.exit("late: this machine has slept for too long")


class Lamp:
    def __init__(self, clock, faults):
        self.clock = clock
        self.dims_after = 2.25 if "--late" in faults else 1
        self.closes_from = 4 if "--hasty" in faults else 5
        self.enter("dark", clock.now())

    def enter(self, state, since):
        self.state = state
        self.since = since

    def seen(self):
        """What has happened since somebody looked."""
        effects = {
            "dimming": (self.dims_after, "dim", "low"),
            "brightening": (0, "bright", "high"),
            "closing": (0, "off", "dark"),
        }
        if self.state not in effects:
            return None
        after, output, state = effects[self.state]
        if self.clock.now() < self.since + after:
            return None
        self.enter(state, self.since + after)
        return output

    def press(self):
        is_long_ago = self.clock.now() - self.since >= self.closes_from
        following = {
            "dark": "dimming",
            "low": "closing" if is_long_ago else "brightening",
            "high": "closing",
        }
        if self.state in following:
            self.enter(following[self.state], self.clock.now())


def main():
    words = sys.argv[1:]
    faults = [word for word in words if word.startswith("--")]
    step = next((float(word) for word in words if word not in faults), None)
    lamp = Lamp(Clock(step), faults)
    for line in sys.stdin:
        inputs = json.loads(line)
        if inputs == "reset":
            lamp = Lamp(Clock(step), faults)
            print('"reset"', flush=True)
            continue
        if inputs["input"] == "press":
            lamp.press()
            output = "given"
        else:
            output = lamp.seen()
            if output is None:
                lamp.clock.wait()
                output = "silent"
        print(json.dumps({"output": output}), flush=True)


main()
