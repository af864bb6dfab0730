import os

import cocotb
from cocotb.triggers import Timer

# What follows the answers of a place: another place, or one of these.
PASSES = "passes"
STOPS = "stops"
# Steps of the simulator that outputs have to settle, and that each half of the clock takes.
SETTLE = 5


def signal(dut, path):
    """A port, or something inside by its path."""
    found = dut
    for name in path.split("."):
        name, *indices = name.replace("]", "").split("[")
        found = getattr(found, name)
        for index in indices:
            found = found[int(index)]
    return found


def seen(dut, names):
    """The values of outputs; `None` of one that is not known."""
    values = {}
    for name in names:
        try:
            values[name] = int(signal(dut, name).value)
        except ValueError:
            values[name] = None
    return values


async def settle():
    await Timer(SETTLE, "step")


def ticks(name, when, step, inputs):
    """Whether a clock ticks at the end of a step: always, never, by a round of steps, or as the inputs say."""
    if isinstance(when, list):
        return when[step % len(when)]
    return bool(inputs.get(name, 0)) if when is None else when


async def tick(dut, names, levels):
    """These clocks tick, all at once: those with both edges change their levels, the others make a pulse."""
    await settle()
    for name, rising, both, _ in CLOCKS:
        if name in names:
            levels[name] = 1 - levels[name] if both else int(rising)
            signal(dut, name).value = levels[name]
    await settle()
    for name, rising, both, _ in CLOCKS:
        if name in names and not both:
            levels[name] = 1 - int(rising)
            signal(dut, name).value = levels[name]


async def deposit(dut, registers):
    """Gives registers values, as the power does that comes on."""
    if "HYPERKILL_NO_DEPOSITS" in os.environ or not registers:
        return
    for path, value in registers:
        signal(dut, path).value = value
    await settle()


async def start(dut, registers):
    """Power on: resets are active for their steps before the first one, all other inputs 0."""
    levels = {name: 1 - int(rising) for name, rising, _, _ in CLOCKS}
    for name, level in levels.items():
        signal(dut, name).value = level
    await deposit(dut, DEPOSITS)
    await reset(dut, levels)
    await deposit(dut, registers)
    return levels


async def reset(dut, levels):
    """All resets end together, the longest begins first."""
    if not RESETS:
        return
    for name in INPUTS:
        signal(dut, name).value = 0
    for name, active, _ in RESETS:
        signal(dut, name).value = 1 - active
    resets = sorted(RESETS, key=lambda reset: -reset[2])
    for number, (name, active, steps) in enumerate(resets):
        await settle()
        signal(dut, name).value = active
        after = resets[number + 1][2] if number + 1 < len(resets) else 0
        names = [name for name, _, _, when in CLOCKS if when is not False]
        both = any(both for _, _, both, when in CLOCKS if when is not False)
        if names:
            for _ in range((steps - after) * (2 if both else 1)):
                await tick(dut, names, levels)
    for name, active, _ in resets:
        signal(dut, name).value = 1 - active
    await settle()


async def run(dut, test):
    """Carries out a test. It goes on after every answer that it allows, and fails at the first other one."""
    levels = await start(dut, test["registers"])
    place, step = 0, 0
    resets = [name for name, _, _ in RESETS]
    while True:
        inputs, answers = test["places"][place]
        choices = test["choices"]
        chosen = choices[min(step, len(choices) - 1)] if choices else {}
        for name in INPUTS:
            value = inputs.get(name, chosen.get(name, None if name in resets else 0))
            if value is not None:
                signal(dut, name).value = value
        await settle()
        found = seen(dut, answers[0][0])
        after = [then for allowed, then in answers if allowed == found]
        expected = " or ".join(str(allowed) for allowed, _ in answers[:4])
        assert after, f"FAIL {test['id']} step {step}: {found} (expected {expected})"
        place = after[0]
        if place == PASSES or step + 1 == test["steps"]:
            return
        assert place != STOPS, f"INCONCLUSIVE {test['id']} step {step}"
        if CLOCKS:
            await tick(dut, [name for name, _, _, when in CLOCKS if ticks(name, when, step, inputs)], levels)
        step += 1
