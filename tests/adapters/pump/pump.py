#!/usr/bin/env python3
"""A pump behind the adapter protocol of hyperkill: a line of inputs in, a line of outputs out.

It starts as fast as it likes, and complains of running dry at once or a step later. With --bug it goes on after the alarm.
"""

import json
import os
import random
import sys


class Pump:
    def __init__(self, bug):
        self.bug = bug
        self.motor = "off"
        self.alarm = False
        self.steps_left = 0  # until the motor is on
        self.dry_before = False

    def outputs(self):
        return {"motor": self.motor, "alarm": self.alarm}

    def step(self, button, dry):
        motor, alarm = self.motor, self.alarm
        runs_dry = motor == "on" and dry
        if button == "stop" or (alarm and not self.bug):
            self.motor = "off"
        elif motor == "off" and button == "start":
            self.motor = "starting"
            self.steps_left = random.choice([0, 1])
        elif motor == "starting":
            if self.steps_left == 0:
                self.motor = "on"
            self.steps_left -= 1
        if button == "stop":
            self.alarm = False
        elif runs_dry:
            self.alarm = self.dry_before or random.choice([False, True])
        self.dry_before = runs_dry


def main():
    bug = "--bug" in sys.argv
    # Another run makes other choices, and the same run the same.
    random.seed(f"{os.environ.get('HYPERKILL_TEST')} {os.environ.get('HYPERKILL_RUN')}")
    pump = Pump(bug)
    for line in sys.stdin:
        inputs = json.loads(line)
        if inputs == "reset":
            pump = Pump(bug)
            print('"reset"', flush=True)
            continue
        # What a model of states shows in a step is what it was before the inputs of the step take effect.
        print(json.dumps(pump.outputs()), flush=True)
        pump.step(inputs["button"], inputs["dry"] == "TRUE")


main()
