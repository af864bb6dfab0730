//! An event interpreter for small designs (IEEE 1364-2005, 11.3). Processes wait for edges, and read when they wake. All assign after the
//! last process has woken.

use std::collections::BTreeMap;

/// A signal of one bit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Signal {
    /// A clock.
    Clock(usize),
    /// The asynchronous reset.
    Reset,
    /// A bit of a register; it may be a clock.
    Bit(usize, usize),
}

/// A value of two bits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expr {
    Register(usize),
    Input,
    Plus(usize, usize),
    Xor(usize),
    Choose(usize, usize),
}

/// A register of two bits with the block that drives it.
#[derive(Clone, Debug)]
pub(crate) struct Register {
    pub(crate) clock: Signal,
    pub(crate) rising: bool,
    /// The value during an active reset.
    pub(crate) reset: Option<u64>,
    pub(crate) next: Expr,
    /// A bit of another register that enables the change.
    pub(crate) enable: Option<(usize, usize)>,
}

/// Faults in the interpreter that the comparison must detect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// Simultaneous clock ticks happen one after the other.
    OneByOne,
    /// Registers with a register as clock read old values.
    Old,
    /// Registers on a falling edge react to the rising edge.
    Rising,
    /// Registers with a register as clock change at every edge of the first clock.
    AtOnce,
}

/// A running design.
pub(crate) struct Machine<'a> {
    pub(crate) registers: &'a [Register],
    pub(crate) values: Vec<u64>,
    pub(crate) clocks: Vec<bool>,
    pub(crate) reset: bool,
    pub(crate) input: u64,
    pub(crate) fault: Option<Fault>,
}

impl Machine<'_> {
    fn value(&self, values: &[u64], expr: Expr) -> u64 {
        let value = match expr {
            Expr::Register(a) => values[a],
            Expr::Input => self.input,
            Expr::Plus(a, b) => values[a] + values[b] + 1,
            Expr::Xor(a) => values[a] ^ self.input,
            Expr::Choose(a, b) => match self.input & 1 {
                1 => values[a],
                _ => values[b],
            },
        };
        value & 3
    }

    fn signal(&self, signal: Signal) -> bool {
        match signal {
            Signal::Clock(clock) => self.clocks[clock],
            Signal::Reset => self.reset,
            Signal::Bit(register, bit) => self.values[register] >> bit & 1 == 1,
        }
    }

    fn signals(&self) -> BTreeMap<Signal, bool> {
        let clocks = (0..self.clocks.len()).map(Signal::Clock);
        let bits = (0..self.values.len()).flat_map(|r| [Signal::Bit(r, 0), Signal::Bit(r, 1)]);
        let all = clocks.chain([Signal::Reset]).chain(bits);
        all.map(|signal| (signal, self.signal(signal))).collect()
    }

    /// Applies a change, and runs processes until no edge is left.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Self)) {
        let mut before = self.signals();
        let first = self.values.clone();
        change(self);
        loop {
            let now = self.signals();
            let edge = |signal: Signal, rising: bool| {
                before[&signal] != now[&signal] && now[&signal] == rising
            };
            let mut assigned = Vec::new();
            for (at, register) in self.registers.iter().enumerate() {
                let rising = register.rising || self.fault == Some(Fault::Rising);
                let made = matches!(register.clock, Signal::Bit(..));
                let ticks = match self.fault {
                    Some(Fault::AtOnce) if made => edge(Signal::Clock(0), true),
                    _ => edge(register.clock, rising),
                };
                let wakes = ticks || register.reset.is_some() && edge(Signal::Reset, true);
                if !wakes {
                    continue;
                }
                let seen = match self.fault {
                    Some(Fault::Old) if made => &first,
                    _ => &self.values,
                };
                if let Some(value) = register.reset.filter(|_| self.reset) {
                    assigned.push((at, value));
                } else if register
                    .enable
                    .is_none_or(|(other, bit)| seen[other] >> bit & 1 == 1)
                {
                    assigned.push((at, self.value(seen, register.next)));
                }
            }
            if assigned.is_empty() {
                return;
            }
            before = now;
            for (at, value) in assigned {
                self.values[at] = value;
            }
        }
    }

    /// Ticks clocks. A clock with both edges in use changes its level; any other makes a pulse.
    pub(crate) fn tick(&mut self, ticking: &[bool], both: &[bool]) {
        let rises = |clock: usize| {
            let mut registers = self.registers.iter();
            registers.all(|r| r.clock != Signal::Clock(clock) || r.rising)
        };
        let pulses: Vec<bool> = (0..ticking.len()).map(rises).collect();
        let apart = self.fault == Some(Fault::OneByOne);
        let all: Vec<usize> = (0..ticking.len()).filter(|&clock| ticking[clock]).collect();
        let groups: Vec<Vec<usize>> = match apart {
            true => all.into_iter().map(|clock| vec![clock]).collect(),
            false => vec![all],
        };
        for group in groups {
            self.change(|this| {
                for &clock in &group {
                    this.clocks[clock] = if both[clock] {
                        !this.clocks[clock]
                    } else {
                        pulses[clock]
                    };
                }
            });
            self.change(|this| {
                for &clock in group.iter().filter(|&&clock| !both[clock]) {
                    this.clocks[clock] = !pulses[clock];
                }
            });
        }
    }
}
