//! Random designs, compared with the event interpreter.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::clock_events::{Expr, Fault, Machine, Register, Signal};
use crate::clocks::{clocks, inputs, outputs, read};

const NAMES: [&str; 3] = ["a", "b", "c"];
const STEPS: usize = 60;

/// A design with two or three clocks.
struct Random {
    registers: Vec<Register>,
    clocks: usize,
}

fn random(seed: u64) -> Random {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let clocks = rng.random_range(2..4);
    let count = rng.random_range(4..8);
    let makes_clocks = rng.random_bool(0.7);
    let mut registers: Vec<Register> = Vec::new();
    let mut made: Vec<(usize, bool)> = Vec::new();
    for at in 0..count {
        let rising = rng.random_bool(0.75);
        let first = at < clocks;
        let derived = makes_clocks && !first && rng.random_bool(0.5);
        let clock = match derived {
            true => Signal::Bit(rng.random_range(0..at), rng.random_range(0..2)),
            false if first => Signal::Clock(at),
            false => Signal::Clock(rng.random_range(0..clocks)),
        };
        if let Signal::Bit(register, bit) = clock {
            made.push((register * 2 + bit, rising));
        }
        let mut any = || rng.random_range(0..count);
        let (x, y) = (any(), any());
        let next = match rng.random_range(0..5) {
            0 => Expr::Register(x),
            1 => Expr::Input,
            2 => Expr::Plus(x, y),
            3 => Expr::Xor(x),
            _ => Expr::Choose(x, y),
        };
        let enable = rng.random_bool(0.3).then(|| (x, rng.random_range(0..2)));
        registers.push(Register {
            clock,
            rising,
            reset: rng.random_bool(0.4).then(|| rng.random_range(0..4)),
            next,
            enable,
        });
    }
    // A reset must not make an edge of a clock.
    for (bit, rising) in made {
        let (register, bit) = (bit / 2, bit % 2);
        if registers[register]
            .reset
            .is_some_and(|value| (value >> bit & 1 == 1) == rising)
        {
            registers[register].reset = None;
        }
    }
    Random { registers, clocks }
}

/// The text of a random design.
pub(crate) fn text(seed: u64) -> String {
    random(seed).text()
}

impl Random {
    fn text(&self) -> String {
        let names = NAMES[..self.clocks].join(", ");
        let count = self.registers.len();
        let shown: Vec<String> = (0..count)
            .map(|r| format!("output reg [1:0] r{r}"))
            .collect();
        let mut text = format!(
            "module m(input {names}, input rst, input [1:0] i, {});\n",
            shown.join(", ")
        );
        for (at, register) in self.registers.iter().enumerate() {
            let clock = match register.clock {
                Signal::Clock(clock) => NAMES[clock].to_owned(),
                Signal::Bit(other, bit) => format!("r{other}[{bit}]"),
                Signal::Reset => "rst".to_owned(),
            };
            let edge = if register.rising {
                "posedge"
            } else {
                "negedge"
            };
            let next = match register.next {
                Expr::Register(a) => format!("r{a}"),
                Expr::Input => "i".to_owned(),
                Expr::Plus(a, b) => format!("r{a} + r{b} + 2'd1"),
                Expr::Xor(a) => format!("r{a} ^ i"),
                Expr::Choose(a, b) => format!("i[0] ? r{a} : r{b}"),
            };
            let enable = register.enable.map_or(String::new(), |(other, bit)| {
                format!("if (r{other}[{bit}]) ")
            });
            let (also, reset) = match register.reset {
                Some(value) => (
                    " or posedge rst",
                    format!("if (rst) r{at} <= {value}; else "),
                ),
                None => ("", String::new()),
            };
            text.push_str(&format!(
                "  always @({edge} {clock}{also}) {reset}{enable}r{at} <= {next};\n"
            ));
        }
        text + "endmodule\n"
    }

    /// Returns for each clock whether both of its edges are used.
    fn both(&self) -> Vec<bool> {
        let uses = |clock: usize, rising: bool| {
            let mut registers = self.registers.iter();
            registers.any(|r| r.clock == Signal::Clock(clock) && r.rising == rising)
        };
        (0..self.clocks)
            .map(|clock| uses(clock, true) && uses(clock, false))
            .collect()
    }

    /// Returns the register values in each step by the interpreter.
    fn run(&self, stimulus: &[Stimulus], fault: Option<Fault>) -> Vec<Vec<u64>> {
        let both = self.both();
        let falling = |clock: usize| {
            let mut registers = self.registers.iter();
            !both[clock] && registers.any(|r| r.clock == Signal::Clock(clock) && !r.rising)
        };
        let mut machine = Machine {
            registers: &self.registers,
            values: vec![0; self.registers.len()],
            clocks: (0..self.clocks).map(falling).collect(),
            reset: false,
            input: 0,
            fault,
        };
        let step = |step: &Stimulus| {
            machine.change(|this| (this.reset, this.input) = (step.reset, step.input));
            let shown = machine.values.clone();
            machine.tick(&step.ticks, &both);
            shown
        };
        stimulus.iter().map(step).collect()
    }
}

/// The inputs of a step.
#[derive(Clone, Debug)]
struct Stimulus {
    ticks: Vec<bool>,
    reset: bool,
    input: u64,
}

fn stimulus(
    seed: u64,
    ticks: &mut dyn FnMut(&mut ChaCha8Rng, usize) -> Vec<bool>,
) -> Vec<Stimulus> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xabcd);
    let step = |at| Stimulus {
        ticks: ticks(&mut rng, at),
        // The first step has no edge of the reset.
        reset: at > 0 && rng.random_bool(0.1),
        input: rng.random_range(0..4),
    };
    (0..STEPS).map(step).collect()
}

/// Returns the register values in each step by the front end.
fn translated(
    design: &Random,
    stimulus: &[Stimulus],
    asked: &[(&str, Option<u32>)],
) -> Vec<Vec<u64>> {
    let text = design.text();
    let (model, _) =
        read(&text, clocks(asked)).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let known = inputs(&model);
    let step = |step: &Stimulus| {
        let clocks = NAMES
            .iter()
            .zip(&step.ticks)
            .map(|(name, ticks)| (*name, u64::from(*ticks)));
        let all = clocks.chain([("rst", u64::from(step.reset)), ("i", step.input)]);
        all.filter(|(name, _)| known.contains(name))
            .collect::<Vec<_>>()
    };
    outputs(&model, &stimulus.iter().map(step).collect::<Vec<_>>())
}

fn all_random(rng: &mut ChaCha8Rng, clocks: usize) -> Vec<bool> {
    (0..clocks).map(|_| rng.random_bool(0.5)).collect()
}

#[test]
fn designs_with_several_clocks_show_what_events_make_of_them() {
    let mut noticed = [0; 4];
    let (mut edges, mut made) = (0, 0);
    for seed in 0..400 {
        let design = random(seed);
        let stimulus = stimulus(seed, &mut |rng, _| all_random(rng, design.clocks));
        let expected = design.run(&stimulus, None);
        let found = translated(&design, &stimulus, &[]);
        assert_eq!(found, expected, "seed {seed}\n{}", design.text());
        edges += usize::from(design.both().contains(&true));
        made += usize::from(
            design
                .registers
                .iter()
                .any(|r| matches!(r.clock, Signal::Bit(..))),
        );
        for (noticed, fault) in
            noticed
                .iter_mut()
                .zip([Fault::OneByOne, Fault::Old, Fault::Rising, Fault::AtOnce])
        {
            *noticed += usize::from(design.run(&stimulus, Some(fault)) != found);
        }
    }
    println!(
        "400 designs, {edges} with both edges, {made} with clocks that registers make; faults noticed: {noticed:?}"
    );
    assert!(edges > 50 && made > 50, "{edges} {made}");
    assert!(noticed.iter().all(|noticed| *noticed > 30), "{noticed:?}");
}

#[test]
fn clocks_with_periods_tick_at_the_multiples_of_these() {
    for seed in 0..100 {
        let design = random(seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let periods: Vec<u32> = (0..design.clocks).map(|_| rng.random_range(1..6)).collect();
        let both = design.both();
        // Times, in half units, at which a clock ticks.
        let ticks = |time: usize, clock: usize| {
            let period = periods[clock] as usize;
            time.is_multiple_of(if both[clock] { period } else { 2 * period })
        };
        let mut times = (0..).filter(|&time| (0..design.clocks).any(|clock| ticks(time, clock)));
        let stimulus = stimulus(seed, &mut |_, _| {
            let time = times.next().expect("time goes on");
            (0..design.clocks).map(|clock| ticks(time, clock)).collect()
        });
        let asked: Vec<(&str, Option<u32>)> = NAMES
            .iter()
            .copied()
            .zip(periods.iter().copied().map(Some))
            .collect();
        let found = translated(&design, &stimulus, &asked);
        assert_eq!(
            found,
            design.run(&stimulus, None),
            "seed {seed} {periods:?}\n{}",
            design.text()
        );
    }
}

#[test]
fn a_clock_that_is_not_named_never_ticks() {
    for seed in 0..100 {
        let design = random(seed);
        let stimulus = stimulus(seed, &mut |_, _| {
            (0..design.clocks).map(|clock| clock == 0).collect()
        });
        let found = translated(&design, &stimulus, &[("a", None)]);
        assert_eq!(
            found,
            design.run(&stimulus, None),
            "seed {seed}\n{}",
            design.text()
        );
    }
}
