#!/usr/bin/env python3
"""A car alarm behind the adapter protocol of hyperkill: a line of inputs in, a line of outputs out.

It is the car alarm of tests/models/action-system/car-alarm, written by hand. What it is told decides how it is spoken to: the events of
`model.as` are offered, and it says whether it has done them; of `inputs.as` some are given, and it says what it does when nothing is.

With --late it is armed after 21 seconds in place of 20. With --silent it never sounds.
"""

import json
import os
import random
import sys

ON = ["OpticalAlarm_SetOn", "AcousticAlarm_SetOn"]
OFF = ["OpticalAlarm_SetOff", "AcousticAlarm_SetOff"]


class Alarm:
    def __init__(self, late, silent):
        self.open, self.locked = True, False
        self.phase = "idle"  # then armed, alarm, flash, spent
        self.due = []  # outputs that come next, in any order
        self.then = []  # and those that come afterwards
        self.arms_after = 21 if late else 20
        self.silent = silent

    def outputs(self):
        """What it does by itself now: labels with values."""
        if self.due:
            return [(label, None) for label in self.due if not (self.silent and label == "AcousticAlarm_SetOn")]
        if self.phase == "idle" and not self.open and self.locked:
            return [("after", self.arms_after)]
        if self.phase == "alarm":
            return [("after", 30)]
        if self.phase == "flash":
            return [("after", 270)]
        return []

    def do(self, label, value):
        """Does an event if it can, and says whether it has."""
        if label in ("Open", "Close", "Lock", "Unlock"):
            return {"Open": self.opened, "Close": self.closed, "Lock": self.lock, "Unlock": self.unlock}[label]()
        if (label, value if label == "after" else None) not in self.outputs():
            return False
        if label != "after":
            self.due.remove(label)
            if not self.due:
                self.due, self.then = self.then, []
        elif self.phase == "idle":
            self.arm()
        elif self.phase == "alarm":
            self.phase, self.due = "flash", ["AcousticAlarm_SetOff"]
        else:
            self.phase, self.due = "spent", ["OpticalAlarm_SetOff"]
        return True

    def arm(self):
        self.phase, self.due = "armed", ["AlarmArmed_SetOn"]

    def closed(self):
        if not self.open or self.phase in ("alarm", "flash") or self.due:
            return False
        self.open = False
        if self.phase == "spent":
            self.arm()
        return True

    def opened(self):
        if self.open or self.due:
            return False
        self.open = True
        if self.phase == "armed":
            self.phase, self.due, self.then = "alarm", ["AlarmArmed_SetOff"], list(ON)
        return True

    def lock(self):
        if self.locked or self.due:
            return False
        self.locked = True
        return True

    def unlock(self):
        if not self.locked or self.phase == "armed" and self.due:
            return False
        if self.phase == "alarm" and self.due and sorted(self.due) != sorted(ON):
            return False
        if self.phase == "armed":
            self.due = ["AlarmArmed_SetOff"]
        elif self.phase == "alarm":
            self.due = [] if self.due else list(OFF)
        elif self.phase == "flash":
            self.due = list(OFF) if self.due else ["OpticalAlarm_SetOff"]
        self.phase, self.locked = "idle", False
        return True


def answer(alarm, inputs):
    label = inputs["event"]
    if label != "wait":
        done = alarm.do(label, inputs.get("after.Wait_time"))
        return {"done": done, "output": "none", "after.Wait_time": 0}
    choices = alarm.outputs()
    label, value = random.choice(choices) if choices else ("quiescent", None)
    if choices:
        alarm.do(label, value)
    return {"done": True, "output": label, "after.Wait_time": value or 0}


def main():
    late, silent = "--late" in sys.argv, "--silent" in sys.argv
    shown = [word for word in sys.argv[1:] if not word.startswith("--")] or ["done"]
    random.seed(f"{os.environ.get('HYPERKILL_TEST')} {os.environ.get('HYPERKILL_RUN')}")
    alarm = Alarm(late, silent)
    for line in sys.stdin:
        inputs = json.loads(line)
        if inputs == "reset":
            alarm = Alarm(late, silent)
            print('"reset"', flush=True)
            continue
        outputs = answer(alarm, inputs)
        print(json.dumps({name: outputs[name] for name in shown}), flush=True)


main()
