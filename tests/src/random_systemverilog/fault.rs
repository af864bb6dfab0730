//! Planted faults of a reader. Each fault is a rewriting of the program: the faulty reader takes the original for the rewritten program. A
//! comparison detects the fault if the two programs differ.

/// A misreading of the language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The sign of an enumeration is ignored.
    SignOfEnum,
    /// The first part of a struct is the least significant one.
    OrderOfStruct,
    /// A constant is taken from the other package.
    PackageOfConstant,
    /// A register reads the new value of another register at the same edge.
    OrderOfEdge,
    /// A closed latch has the value 0.
    LatchForgets,
    /// The last matching label of a case wins, not the first.
    OrderOfLabels,
    /// A streaming operator does not reverse its slices.
    OrderOfStream,
    /// `break` acts as `continue`.
    BreakContinues,
    /// A cast to signed extends with zeros.
    SignOfCast,
    /// A type parameter of an instance is ignored.
    TypeParameter,
    /// A parameter of an instance is ignored.
    Parameter,
    /// A conditional early `return` is ignored.
    Return,
}

impl Fault {
    /// All faults.
    pub const ALL: [Fault; 12] = [
        Fault::SignOfEnum,
        Fault::OrderOfStruct,
        Fault::PackageOfConstant,
        Fault::OrderOfEdge,
        Fault::LatchForgets,
        Fault::OrderOfLabels,
        Fault::OrderOfStream,
        Fault::BreakContinues,
        Fault::SignOfCast,
        Fault::TypeParameter,
        Fault::Parameter,
        Fault::Return,
    ];
}

/// Returns the program that a reader with this fault sees instead of the text.
#[must_use]
pub fn planted(fault: Fault, text: &str) -> String {
    let lines = text.lines().map(|line| match fault {
        Fault::SignOfEnum => line.replace("enum logic signed", "enum logic"),
        Fault::OrderOfStruct => turned(line),
        Fault::PackageOfConstant => line.replace("::K0", "::K1"),
        Fault::OrderOfEdge => match line.split_once(" <= ") {
            Some((target, value)) if !target.contains(['(', '{', ' ']) => {
                format!("{target} = {value}")
            }
            _ => line.to_owned(),
        },
        Fault::LatchForgets => match line.split_once("always_latch if (") {
            Some((before, rest)) => {
                let (condition, assignment) = rest.split_once(") l = ").unwrap_or((rest, ""));
                format!("{before}always_comb l = !({condition}) ? 9'd0 : {assignment}")
            }
            None => line.to_owned(),
        },
        Fault::OrderOfLabels => line.to_owned(),
        Fault::OrderOfStream => line.replace("{<<", "{>>"),
        Fault::BreakContinues => line.replace("break;", "continue;"),
        Fault::SignOfCast => line
            .replace("signed'(", "unsigned'(")
            .replace("ununsigned'(", "unsigned'("),
        Fault::TypeParameter => line.replace("$bits(T)", "4"),
        Fault::Parameter => line
            .replace("#(.N(7)) un", "un")
            .replace("#(9, -3) un", "un")
            .replace("#(.S(5)) un", "un"),
        Fault::Return if line.starts_with("if (") && line.contains(") return ") => String::new(),
        Fault::Return => line.to_owned(),
    });
    let text = lines.collect::<Vec<String>>().join("\n");
    match fault {
        Fault::OrderOfLabels => labels_turned(&text),
        _ => text,
    }
}

/// Returns a line with the members of its struct in reverse order.
fn turned(line: &str) -> String {
    let Some((head, rest)) = line
        .split_once('{')
        .filter(|_| line.contains("struct packed"))
    else {
        return line.to_owned();
    };
    let (parts, end) = rest.split_once('}').unwrap_or((rest, ""));
    let mut parts: Vec<&str> = parts
        .split("; ")
        .filter(|part| !part.trim().is_empty())
        .collect();
    parts.reverse();
    format!("{head}{{{}; }}{end}", parts.join("; "))
}

/// Exchanges the first two labels of each `priority case (1'b1)`. The statements keep their positions.
fn labels_turned(text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for at in 0..lines.len() {
        if !lines[at].starts_with("priority case (1'b1)") {
            continue;
        }
        let second = (at + 2..lines.len()).find(|&line| {
            lines[line].ends_with(": begin")
                && lines[line - 1] == "end"
                && !lines[line].starts_with("default")
        });
        if let Some(second) = second {
            lines.swap(at + 1, second);
        }
    }
    lines.join("\n")
}
