//! Random modules: expressions alone, or blocks with and without a clock.

use std::fmt::Write as _;

use rand::RngExt;

use super::draft::Draft;
use super::{Module, Name};

/// Returns a module whose outputs are random expressions over its inputs. No output has more than 64 bits, because Icarus 11 divides wider
/// values wrongly.
#[must_use]
pub fn expressions(seed: u64, outputs: usize) -> Module {
    let mut draft = Draft::new(seed, false);
    let mut body = draft.functions(2);
    let mut made = Vec::new();
    for i in 0..outputs {
        let width = [1, 2, 4, 7, 12, 33, 60][draft.rng.random_range(0..7)];
        let output = Name {
            name: format!("o{i}"),
            left: width - 1,
            right: 0,
            signed: draft.rng.random_bool(0.3),
        };
        let depth = draft.rng.random_range(1..4);
        let value = draft.expression(depth);
        writeln!(body, "assign o{i} = {value};").expect("memory");
        made.push(output);
    }
    draft.module(format!("t{seed}"), made, false, &body)
}

/// The variables that a clocked block assigns.
struct Clocked {
    /// By non-blocking assignments, at the end of the step.
    waiting: Vec<Name>,
    /// By blocking assignments, at once.
    own: Vec<Name>,
}

impl Clocked {
    fn all(&self) -> impl Iterator<Item = &Name> {
        self.waiting.iter().chain(&self.own)
    }
}

/// Returns a module of `always` blocks with and without memory, with random statements.
#[must_use]
pub fn blocks(seed: u64) -> Module {
    let mut draft = Draft::new(seed, true);
    let mut body = draft.functions(1);
    // One counter per block: a block that waits for changes would be woken by the loops of other blocks.
    body.push_str("integer k0, k1, k2, k3;\n");
    // One task per clocked block: in Icarus, another block can call a task before the first call has ended.
    for number in 2..4 {
        body += &task(&mut draft, number);
    }
    let memory = draft.variable("m".to_owned());
    writeln!(
        body,
        "{} [0:3]; integer k4; initial for (k4 = 0; k4 < 4; k4 = k4 + 1) m[k4] = 5 * k4;",
        memory.declared("reg")
    )
    .expect("memory");
    let mut seen = draft.readable.clone();
    // All blocks may read the registers, so they are declared first.
    let clocked = registers(&mut draft, &mut body);
    seen.extend(clocked.iter().flat_map(Clocked::all).cloned());
    let mut made: Vec<Name> = Vec::new();
    for block in 0..2 {
        made.extend(combinational(&mut draft, &mut body, block, &mut seen));
    }
    for block in 0..2 {
        at_the_clock(&mut draft, &mut body, &clocked, block, &seen);
        made.extend(clocked[block].all().cloned());
    }
    let mut outputs = Vec::new();
    for (i, name) in made.iter().enumerate() {
        let output = Name {
            name: format!("o{i}"),
            ..name.clone()
        };
        writeln!(body, "assign o{i} = {};", name.name).expect("memory");
        outputs.push(output);
    }
    writeln!(body, "assign om = m[{{^ i0, | i1}}];").expect("memory");
    outputs.push(Name {
        name: "om".to_owned(),
        ..memory
    });
    draft.inputs.push(Name {
        name: "rst".to_owned(),
        left: 0,
        right: 0,
        signed: false,
    });
    draft.module(format!("t{seed}"), outputs, true, &body)
}

/// Returns the text of a task `tkN` with an argument and a result, where N is `number`.
fn task(draft: &mut Draft, number: usize) -> String {
    let argument = draft.variable("a".to_owned());
    let result = draft.variable("r".to_owned());
    let outside = std::mem::replace(&mut draft.readable, vec![argument.clone()]);
    let condition = draft.expression(1);
    let (value, other) = (draft.expression(2), draft.expression(2));
    draft.readable = outside;
    format!(
        "task tk{number}; {}; {}; begin if ({condition}) r = {value}; else r = {other}; end endtask\n",
        argument.declared("input"),
        result.declared("output"),
    )
}

/// Declares the registers of the clocked blocks, with initial values.
fn registers(draft: &mut Draft, body: &mut String) -> Vec<Clocked> {
    let clocked: Vec<Clocked> = (0..2)
        .map(|b| Clocked {
            waiting: (0..2).map(|i| draft.variable(format!("q{b}{i}"))).collect(),
            own: (0..2).map(|i| draft.variable(format!("b{b}{i}"))).collect(),
        })
        .collect();
    for name in clocked.iter().flat_map(Clocked::all) {
        let value = draft.rng.random_range(0..1u64 << name.width().min(16));
        writeln!(body, "{} = {value};", name.declared("reg")).expect("memory");
    }
    clocked
}

/// Writes a block without memory. Returns the variables that it assigns; all later blocks may read them.
fn combinational(
    draft: &mut Draft,
    body: &mut String,
    block: usize,
    seen: &mut Vec<Name>,
) -> Vec<Name> {
    let own: Vec<Name> = (0..2)
        .map(|i| draft.variable(format!("c{block}{i}")))
        .collect();
    draft.readable.clone_from(seen);
    draft.counter = block;
    let mut first = String::new();
    for name in &own {
        writeln!(body, "{};", name.declared("reg")).expect("memory");
        let value = draft.expression(1);
        writeln!(first, "{} = {value};", name.name).expect("memory");
    }
    draft.readable.extend(own.iter().cloned());
    draft.blocking.clone_from(&own);
    draft.waiting.clear();
    let rest = draft.statements(3, 3);
    writeln!(body, "always @* begin\n{first}{rest}end").expect("memory");
    seen.extend(own.iter().cloned());
    own
}

/// Writes a clocked block, in some cases with a reset.
fn at_the_clock(
    draft: &mut Draft,
    body: &mut String,
    clocked: &[Clocked],
    block: usize,
    seen: &[Name],
) {
    let Clocked { waiting, own } = &clocked[block];
    // A variable that another block at the same edge assigns at once would be a race.
    let others = clocked.iter().enumerate().filter(|(at, _)| *at != block);
    let races: Vec<&Name> = others.flat_map(|(_, other)| &other.own).collect();
    // So would be a combinational variable computed from it. Those variables read registers only through non-blocking assignments.
    draft.readable = seen
        .iter()
        .filter(|n| !races.iter().any(|race| race.name == n.name) && !n.name.starts_with('c'))
        .cloned()
        .collect();
    draft.counter = 2 + block;
    draft.blocking.clone_from(own);
    draft.waiting.clone_from(waiting);
    draft.memory = (true, block == 0);
    let rest = draft.statements(3, 4);
    if draft.rng.random_bool(0.5) {
        let mut reset = String::new();
        for name in waiting {
            write!(reset, "{} <= {}; ", name.name, name.width()).expect("memory");
        }
        for name in own {
            write!(reset, "{} = 1; ", name.name).expect("memory");
        }
        writeln!(
            body,
            "always @(posedge clk or posedge rst) if (rst) begin {reset}end else begin\n{rest}end"
        )
        .expect("memory");
    } else {
        writeln!(body, "always @(posedge clk) begin\n{rest}end").expect("memory");
    }
}
