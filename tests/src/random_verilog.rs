//! Random Verilog: modules of expressions, and modules of blocks, with test benches that print what they do.
//!
//! Modules of expressions may select outside bounds and divide by 0, so that some bits are unknown in some steps. Modules of blocks
//! never make an unknown value: a simulator would take one branch of an `if` for it, where a reader of hardware takes either.

use std::fmt::Write as _;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A port, or a variable.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub name: String,
    /// Bound on the left.
    pub left: i64,
    /// Bound on the right.
    pub right: i64,
    /// Two's complement.
    pub signed: bool,
}

impl Name {
    /// Bits.
    #[must_use]
    pub fn width(&self) -> usize {
        self.left.abs_diff(self.right) as usize + 1
    }

    fn declared(&self, class: &str) -> String {
        let sign = if self.signed { "signed " } else { "" };
        format!("{class} {sign}[{}:{}] {}", self.left, self.right, self.name)
    }
}

/// A random module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Its inputs without the clock.
    pub inputs: Vec<Name>,
    /// Its outputs.
    pub outputs: Vec<Name>,
    /// Whether it has an input `clk`.
    pub clocked: bool,
}

/// Values of all inputs in one step, least significant bit first.
pub type Step = Vec<Vec<bool>>;

impl Module {
    /// Random values of all inputs for some steps.
    #[must_use]
    pub fn stimulus(&self, seed: u64, steps: usize) -> Vec<Step> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut value = |name: &Name| -> Vec<bool> {
            // Small and large numbers, and all that is between.
            let likely = [0.1, 0.5, 0.5, 0.9][rng.random_range(0..4)];
            (0..name.width()).map(|_| rng.random_bool(likely)).collect()
        };
        (0..steps)
            .map(|_| self.inputs.iter().map(&mut value).collect())
            .collect()
    }

    /// A bench around the module: a line per step with the name of the module and the bits of all outputs.
    #[must_use]
    pub fn bench(&self, stimulus: &[Step]) -> String {
        let mut text = format!("module bench_{};\n", self.name);
        for input in &self.inputs {
            writeln!(text, "{};", input.declared("reg")).expect("memory");
        }
        for output in &self.outputs {
            writeln!(text, "{};", output.declared("wire")).expect("memory");
        }
        let mut ports: Vec<String> = self
            .inputs
            .iter()
            .chain(&self.outputs)
            .map(|n| format!(".{0}({0})", n.name))
            .collect();
        if self.clocked {
            text.push_str("reg clk;\n");
            ports.push(".clk(clk)".to_owned());
        }
        writeln!(text, "{} dut({});", self.name, ports.join(", ")).expect("memory");
        text.push_str("initial begin\n");
        if self.clocked {
            text.push_str("clk = 0;\n");
        }
        let format: Vec<&str> = self.outputs.iter().map(|_| "%b").collect();
        let values: Vec<&str> = self.outputs.iter().map(|o| o.name.as_str()).collect();
        for step in stimulus {
            for (input, bits) in self.inputs.iter().zip(step) {
                let bits: String = bits
                    .iter()
                    .rev()
                    .map(|&b| if b { '1' } else { '0' })
                    .collect();
                write!(text, "{} = {}'b{bits}; ", input.name, input.width()).expect("memory");
            }
            writeln!(
                text,
                "#1 $display(\"{} {}\", {});",
                self.name,
                format.join(" "),
                values.join(", ")
            )
            .expect("memory");
            if self.clocked {
                text.push_str("#1 clk = 1; #1 clk = 0; #1 ;\n");
            }
        }
        text.push_str("end\nendmodule\n");
        text
    }
}

/// A module whose outputs are random expressions over its inputs. None has more than 64 bits: Icarus 11 divides those wrongly.
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

/// A module of `always` blocks with and without memory, with random statements.
#[must_use]
pub fn blocks(seed: u64) -> Module {
    let mut draft = Draft::new(seed, true);
    let mut body = draft.functions(1);
    // One for each block: who waits for what he reads would be woken by the loops of others.
    body.push_str("integer k0, k1, k2, k3;\n");
    // One for each block with a clock: who waits for a task in Icarus lets others call it.
    for number in 2..4 {
        let argument = draft.variable("a".to_owned());
        let result = draft.variable("r".to_owned());
        let outside = std::mem::replace(&mut draft.readable, vec![argument.clone()]);
        let (condition, value, other) = (
            draft.expression(1),
            draft.expression(2),
            draft.expression(2),
        );
        draft.readable = outside;
        writeln!(
            body,
            "task tk{number}; {}; {}; begin if ({condition}) r = {value}; else r = {other}; end endtask",
            argument.declared("input"),
            result.declared("output"),
        )
        .expect("memory");
    }
    let memory = draft.variable("m".to_owned());
    writeln!(
        body,
        "{} [0:3]; integer k4; initial for (k4 = 0; k4 < 4; k4 = k4 + 1) m[k4] = 5 * k4;",
        memory.declared("reg")
    )
    .expect("memory");
    let inputs = draft.readable.clone();
    let mut made: Vec<Name> = Vec::new();
    // What registers exist is known to all blocks.
    let clocked: Vec<(Vec<Name>, Vec<Name>)> = (0..2)
        .map(|b| {
            let queued = (0..2).map(|i| draft.variable(format!("q{b}{i}"))).collect();
            let own = (0..2).map(|i| draft.variable(format!("b{b}{i}"))).collect();
            (queued, own)
        })
        .collect();
    for name in clocked
        .iter()
        .flat_map(|(queued, own)| queued.iter().chain(own))
    {
        let value = draft.rng.random_range(0..1u64 << name.width().min(16));
        writeln!(body, "{} = {value};", name.declared("reg")).expect("memory");
    }
    let mut seen = inputs;
    for (queued, own) in &clocked {
        seen.extend(queued.iter().chain(own).cloned());
    }
    for block in 0..2 {
        let own: Vec<Name> = (0..2)
            .map(|i| draft.variable(format!("c{block}{i}")))
            .collect();
        draft.readable = seen.clone();
        draft.counter = block;
        let mut first = String::new();
        for name in &own {
            writeln!(body, "{};", name.declared("reg")).expect("memory");
            let value = draft.expression(1);
            writeln!(first, "{} = {value};", name.name).expect("memory");
        }
        draft.readable.extend(own.iter().cloned());
        draft.blocking = own.clone();
        draft.waiting = Vec::new();
        let rest = draft.statements(3, 3);
        writeln!(body, "always @* begin\n{first}{rest}end").expect("memory");
        seen.extend(own.iter().cloned());
        made.extend(own);
    }
    for (block, (queued, own)) in clocked.iter().enumerate() {
        // A variable that another block at the same edge assigns at once would be a race.
        let others = clocked
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != block);
        let races: Vec<String> = others
            .flat_map(|(_, (_, own))| own)
            .map(|n| n.name.clone())
            .collect();
        // So would be what is computed from it; those read registers only through waiting ones.
        draft.readable = seen
            .iter()
            .filter(|n| !races.contains(&n.name) && !n.name.starts_with('c'))
            .cloned()
            .collect();
        draft.counter = 2 + block;
        draft.blocking.clone_from(own);
        draft.waiting.clone_from(queued);
        draft.memory = (true, block == 0);
        let rest = draft.statements(3, 4);
        if draft.rng.random_bool(0.5) {
            let reset: String = queued
                .iter()
                .map(|n| format!("{} <= {}; ", n.name, n.width()))
                .collect();
            let own: String = own.iter().map(|n| format!("{} = 1; ", n.name)).collect();
            writeln!(body, "always @(posedge clk or posedge rst) if (rst) begin {reset}{own}end else begin\n{rest}end").expect("memory");
        } else {
            writeln!(body, "always @(posedge clk) begin\n{rest}end").expect("memory");
        }
        made.extend(queued.iter().chain(own).cloned());
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

struct Draft {
    rng: ChaCha8Rng,
    inputs: Vec<Name>,
    /// Nothing unknown may come about.
    known: bool,
    /// What expressions may read.
    readable: Vec<Name>,
    /// What statements may assign at once.
    blocking: Vec<Name>,
    /// What statements may assign at the end of the step.
    waiting: Vec<Name>,
    functions: Vec<String>,
    /// The variable that loops count with.
    counter: usize,
    /// How many blocks have names so far.
    named: usize,
    /// Whether there is a memory `m` of four words to read, to write.
    memory: (bool, bool),
}

impl Draft {
    fn new(seed: u64, known: bool) -> Draft {
        let mut draft = Draft {
            rng: ChaCha8Rng::seed_from_u64(seed),
            inputs: Vec::new(),
            known,
            readable: Vec::new(),
            blocking: Vec::new(),
            waiting: Vec::new(),
            functions: Vec::new(),
            counter: 0,
            named: 0,
            memory: (false, false),
        };
        for i in 0..6 {
            let input = draft.variable(format!("i{i}"));
            draft.inputs.push(input);
        }
        draft.readable.clone_from(&draft.inputs);
        draft
    }

    /// A vector, its bounds up or down, sometimes below 0.
    fn variable(&mut self, name: String) -> Name {
        let last = [0, 0, 1, 2, 3, 4, 7, 8, 15][self.rng.random_range(0..9)];
        let from = if self.rng.random_bool(0.3) {
            self.rng.random_range(-3..5)
        } else {
            0
        };
        let (low, high) = (from, from + last);
        let up = self.rng.random_bool(0.3);
        Name {
            name,
            left: if up { low } else { high },
            right: if up { high } else { low },
            signed: self.rng.random_bool(0.4),
        }
    }

    fn module(&self, name: String, outputs: Vec<Name>, clocked: bool, body: &str) -> Module {
        let inputs = self.inputs.iter().map(|name| name.declared("input"));
        let mut ports: Vec<String> = inputs.collect();
        ports.extend(outputs.iter().map(|name| name.declared("output")));
        if clocked {
            ports.push("input clk".to_owned());
        }
        let text = format!("module {name}({});\n{body}endmodule\n", ports.join(", "));
        Module {
            name,
            text,
            inputs: self.inputs.clone(),
            outputs,
            clocked,
        }
    }

    /// Functions that expressions may call.
    fn functions(&mut self, count: usize) -> String {
        let mut text = String::new();
        for i in 0..count {
            let arguments: Vec<Name> = (0..2).map(|a| self.variable(format!("a{a}"))).collect();
            let outside = std::mem::replace(&mut self.readable, arguments.clone());
            let result = Name {
                name: format!("f{i}"),
                ..self.variable(String::new())
            };
            let declared: String = arguments
                .iter()
                .map(|a| a.declared("input") + "; ")
                .collect();
            let (value, condition, other) = self.all_known(|draft| {
                (
                    draft.expression(2),
                    draft.expression(1),
                    draft.expression(2),
                )
            });
            let name = &result.name;
            writeln!(
                text,
                "{}; {declared}begin {name} = {value}; if ({condition}) {name} = {other}; end endfunction",
                result.declared("function")
            )
            .expect("memory");
            self.readable = outside;
            self.functions.push(result.name);
        }
        text
    }

    /// Drafts something in which nothing unknown comes about.
    fn all_known<T>(&mut self, make: impl FnOnce(&mut Draft) -> T) -> T {
        let before = std::mem::replace(&mut self.known, true);
        let made = make(self);
        self.known = before;
        made
    }

    /// An index that is no constant.
    fn index(&mut self) -> String {
        let name = self.pick().name;
        match self.rng.random_range(0..3) {
            0 => format!("{name} + {}", self.number()),
            1 => format!("{name} ^ {}", self.pick().name),
            _ => name,
        }
    }

    fn pick(&mut self) -> Name {
        let at = self.rng.random_range(0..self.readable.len());
        self.readable[at].clone()
    }

    fn number(&mut self) -> String {
        let width = self.rng.random_range(1..9);
        let value = self.rng.random_range(0..1u32 << width);
        match self.rng.random_range(0..4) {
            0 => format!("{width}'d{value}"),
            1 => format!("{width}'sd{value}"),
            2 => format!("{width}'h{value:x}"),
            _ => value.to_string(),
        }
    }

    /// Two constant bounds of a part of a vector, as they are written.
    fn bounds(&mut self, of: &Name) -> (i64, i64) {
        let (low, high) = (of.left.min(of.right), of.left.max(of.right));
        let (a, b) = (
            self.rng.random_range(low..=high),
            self.rng.random_range(low..=high),
        );
        match of.left >= of.right {
            true => (a.max(b), a.min(b)),
            false => (a.min(b), a.max(b)),
        }
    }

    /// A name or some of its bits; those outside its bounds only where something may be unknown.
    fn reference(&mut self) -> String {
        let of = self.pick();
        let name = &of.name;
        let kind = self.rng.random_range(0..9);
        let (first, last) = self.bounds(&of);
        if of.left == of.right {
            // Icarus 11 takes the only bit of a signed vector for signed, too.
            return of.name;
        }
        match kind {
            0 => format!("{name}[{first}:{last}]"),
            1 => format!("{name}[{first}]"),
            2 if !self.known => format!("{name}[{}]", self.expression(1)),
            3 if !self.known => {
                let width = self.rng.random_range(1..6);
                let sign = if self.rng.random_bool(0.5) { '+' } else { '-' };
                format!("{name}[{} {sign}: {width}]", self.expression(1))
            }
            4 => {
                let width = first.abs_diff(last) + 1;
                let (low, high) = (first.min(last), first.max(last));
                match self.rng.random_bool(0.5) {
                    true => format!("{name}[{low} +: {width}]"),
                    false => format!("{name}[{high} -: {width}]"),
                }
            }
            _ => of.name,
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        let Some(inner) = depth.checked_sub(1) else {
            return match self.rng.random_range(0..4) {
                0 => self.number(),
                _ => self.pick().name,
            };
        };
        match self.rng.random_range(0..18) {
            0 | 1 => self.reference(),
            2..=7 => {
                let ops = [
                    "+", "-", "*", "&", "|", "^", "~^", "<", "<=", ">", ">=", "==", "!=", "&&",
                    "||", "===", "!==",
                ];
                // What is unknown is unequal to all that is known for a simulator.
                let count = if self.known { ops.len() } else { ops.len() - 2 };
                let op = ops[self.rng.random_range(0..count)];
                format!(
                    "({} {op} {})",
                    self.expression(inner),
                    self.expression(inner)
                )
            }
            8 | 9 => {
                let op = ["<<", ">>", ">>>", "<<<"][self.rng.random_range(0..4)];
                format!(
                    "({} {op} {})",
                    self.expression(inner),
                    self.expression(inner)
                )
            }
            10 | 11 => {
                let ops = ["~", "-", "+", "!", "&", "|", "^", "~&", "~|", "~^"];
                let op = ops[self.rng.random_range(0..ops.len())];
                format!("({op} {})", self.expression(inner))
            }
            12 => {
                // Icarus 11 forgets the sign of the branch that a constant leaves out.
                let c = format!("{} != {}", self.pick().name, self.expression(inner));
                let (a, b) = (self.expression(inner), self.expression(inner));
                format!("(({c}) ? {a} : {b})")
            }
            13 => {
                let (a, b) = (self.reference(), self.reference());
                let times = self.rng.random_range(1..3);
                match self.rng.random_bool(0.5) {
                    true => format!("{{{a}, {b}, $signed({a})}}"),
                    false => format!("{{{times}{{{a}, {b}}}}}"),
                }
            }
            14 => {
                let sign = ["$signed", "$unsigned"][self.rng.random_range(0..2)];
                format!("{sign}({})", self.expression(inner))
            }
            15 => {
                let op = ["/", "%"][self.rng.random_range(0..2)];
                let by = match self.known {
                    true => ["3", "5", "4'd7", "5'sd6", "(-3)", "3'sd2"]
                        [self.rng.random_range(0..6)]
                    .to_owned(),
                    false => self.expression(inner),
                };
                format!("({} {op} {by})", self.expression(inner))
            }
            16 if self.memory.0 && self.rng.random_bool(0.5) => {
                format!("m[{{^ {}, | {}}}]", self.pick().name, self.pick().name)
            }
            16 if !self.functions.is_empty() => {
                let at = self.rng.random_range(0..self.functions.len());
                let name = self.functions[at].clone();
                self.all_known(|draft| {
                    let (a, b) = (draft.expression(inner), draft.expression(inner));
                    format!("{name}({a}, {b})")
                })
            }
            _ => {
                let power = self.rng.random_range(0..4);
                match self.rng.random_bool(0.3) {
                    true => format!("({} ** {power})", self.expression(inner)),
                    false => format!("({} + {})", self.expression(inner), self.expression(inner)),
                }
            }
        }
    }

    fn statements(&mut self, count: usize, depth: usize) -> String {
        (0..count).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> String {
        let kind = if depth == 0 {
            0
        } else {
            self.rng.random_range(0..10)
        };
        let inner = depth.saturating_sub(1);
        match kind {
            0..=4 => self.assignment(),
            5 | 6 => {
                let condition = self.expression(2);
                let then = self.statements(2, inner);
                match self.rng.random_bool(0.6) {
                    true => {
                        let other = self.statements(1, inner);
                        format!("if ({condition}) begin\n{then}end else begin\n{other}end\n")
                    }
                    false => format!("if ({condition}) begin\n{then}end\n"),
                }
            }
            7 => self.case(inner),
            8 => {
                let body = self.statements(1, inner);
                format!("begin\n{body}end\n")
            }
            _ => self.for_loop(),
        }
    }

    fn target(&mut self) -> (Name, &'static str) {
        let all = self.blocking.len() + self.waiting.len();
        let at = self.rng.random_range(0..all);
        match self.blocking.get(at) {
            Some(name) => (name.clone(), "="),
            None => (self.waiting[at - self.blocking.len()].clone(), "<="),
        }
    }

    fn assignment(&mut self) -> String {
        let kind = self.rng.random_range(0..12);
        if kind == 0 && self.memory.1 {
            // Icarus 11 does sums in indices of memories with more bits than they have.
            return format!("m[{}] <= {};\n", self.pick().name, self.expression(2));
        }
        if kind == 1 && self.counter >= 2 && !self.blocking.is_empty() {
            let at = self.rng.random_range(0..self.blocking.len());
            let name = self.blocking[at].name.clone();
            let task = self.counter;
            return format!("tk{task}({}, {name});\n", self.expression(1));
        }
        let (of, sign) = self.target();
        let name = &of.name;
        let value = self.expression(2);
        let (first, last) = self.bounds(&of);
        let target = match self.rng.random_range(0..9) {
            0 => format!("{name}[{first}:{last}]"),
            1 => format!("{name}[{first}]"),
            2 => format!("{name}[{}]", self.index()),
            3 => {
                let width = self.rng.random_range(1..=of.width());
                let way = if self.rng.random_bool(0.5) { '+' } else { '-' };
                format!("{name}[{} {way}: {width}]", self.index())
            }
            4 => {
                let all = if sign == "=" {
                    &self.blocking
                } else {
                    &self.waiting
                };
                let names: Vec<&str> = all.iter().map(|name| name.name.as_str()).collect();
                format!("{{{}}}", names.join(", "))
            }
            _ => of.name.clone(),
        };
        format!("{target} {sign} {value};\n")
    }

    fn case(&mut self, inner: usize) -> String {
        let word = ["case", "case", "casez", "casex"][self.rng.random_range(0..4)];
        // Icarus 11 extends signed labels and subjects by their sign even where another one is unsigned.
        let subject = self.expression(1);
        let mut text = format!("{word} ($unsigned({subject}))\n");
        for _ in 0..self.rng.random_range(1..4) {
            let labels: Vec<String> = (0..self.rng.random_range(1..3))
                .map(|_| match (word, self.rng.random_range(0..3)) {
                    ("case", 0) => format!("$unsigned({})", self.expression(1)),
                    ("case", _) | (_, 0) => format!("$unsigned({})", self.number()),
                    _ => {
                        let marks = if word == "casez" { "01?" } else { "01?x" };
                        let marks: Vec<char> = marks.chars().collect();
                        let digits: String = (0..self.rng.random_range(1..5))
                            .map(|_| marks[self.rng.random_range(0..marks.len())])
                            .collect();
                        format!("{}'b{digits}", digits.len())
                    }
                })
                .collect();
            let body = self.statements(1, inner);
            writeln!(text, "{}: begin\n{body}end", labels.join(", ")).expect("memory");
        }
        if self.rng.random_bool(0.5) {
            let body = self.statements(1, inner);
            writeln!(text, "default: begin\n{body}end").expect("memory");
        }
        text + "endcase\n"
    }

    /// Bit by bit over a vector.
    fn for_loop(&mut self) -> String {
        let (of, sign) = self.target();
        let (low, high) = (of.left.min(of.right), of.left.max(of.right));
        let name = of.name;
        let k = format!("k{}", self.counter);
        let value = self.expression(1);
        let other = self.pick().name;
        let head = format!("for ({k} = {low}; {k} <= {high}; {k} = {k} + 1)");
        let body = format!("{name}[{k}] {sign} ({value}) ^ ({other} >> {k});");
        // Blocks that are left by jumps wait for nothing more in Icarus 11 unless they have a clock.
        if self.counter < 2 || self.rng.random_bool(0.6) {
            return format!("{head} {body}\n");
        }
        self.named += 1;
        let (label, condition) = (
            format!("s{}_{}", self.counter, self.named),
            self.expression(1),
        );
        let condition = format!("({condition}) >> {k} & 1");
        match self.rng.random_bool(0.5) {
            true => format!(
                "begin : {label} {head} begin {body} if ({condition}) disable {label}; end end\n"
            ),
            false => {
                format!("{head} begin : {label} if ({condition}) disable {label}; {body} end\n")
            }
        }
    }
}
