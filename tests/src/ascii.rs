//! A circuit as ascii AIGER 1.9, for messages of failing tests.
//!
//! Deliberately not the product's writer: a test that fails because of that writer must still be readable.

use std::fmt::Write;

use hyperkill_core::aig::{Node, Signal};
use hyperkill_core::{Aig, Reset};

/// Returns the text of an `.aag` file: header, sections, symbols. Justice and fairness are left out.
#[must_use]
pub fn aag(aig: &Aig) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(aig, &mut text);
    text
}

fn write(aig: &Aig, text: &mut String) -> std::fmt::Result {
    writeln!(
        text,
        "aag {} {} {} {} {} {} {}",
        aig.len() - 1,
        aig.inputs().len(),
        aig.latches().len(),
        aig.outputs.len(),
        aig.gate_count(),
        aig.bad.len(),
        aig.constraints.len(),
    )?;
    for input in aig.inputs() {
        writeln!(text, "{}", input.var.lit().code())?;
    }
    for latch in aig.latches() {
        let current = latch.var.lit().code();
        let reset = match latch.reset {
            Reset::Zero => 0,
            Reset::One => 1,
            Reset::Free => current,
        };
        writeln!(text, "{current} {} {reset}", latch.next.code())?;
    }
    for signal in aig.outputs.iter().chain(&aig.bad).chain(&aig.constraints) {
        writeln!(text, "{}", signal.lit.code())?;
    }
    for (var, node) in aig.nodes() {
        if let Node::And(a, b) = node {
            // Larger fan-in first, as in the binary format.
            let (low, high) = (a.min(b), a.max(b));
            writeln!(text, "{} {} {}", var.lit().code(), high.code(), low.code())?;
        }
    }
    let names = |mark: char, signals: &[Signal], text: &mut String| {
        signals
            .iter()
            .enumerate()
            .filter_map(|(i, signal)| Some((i, signal.name.as_ref()?)))
            .try_for_each(|(i, name)| writeln!(text, "{mark}{i} {name}"))
    };
    for (i, input) in aig.inputs().iter().enumerate() {
        if let Some(name) = &input.name {
            writeln!(text, "i{i} {name}")?;
        }
    }
    for (i, latch) in aig.latches().iter().enumerate() {
        if let Some(name) = &latch.name {
            writeln!(text, "l{i} {name}")?;
        }
    }
    names('o', &aig.outputs, text)?;
    names('b', &aig.bad, text)?;
    names('c', &aig.constraints, text)
}

#[cfg(test)]
mod tests {
    use super::aag;
    use crate::circuit::Circuit;
    use hyperkill_core::Reset;

    #[test]
    fn a_circuit_is_spelled_as_the_format_says() {
        let mut c = Circuit::new();
        let i = c.input("i");
        let n = c.choice("n");
        let m = c.selector("m");
        let x = c.latch("x", Reset::One);
        let gate = c.aig.and(i, !m);
        c.set_next(x, !gate);
        c.output("o", !x);
        c.constrain(n);
        let text = "aag 5 2 2 1 1 0 1\n2\n4\n6 6 6\n8 11 1\n9\n4\n10 7 2\ni0 i\ni1 nd:n\nl0 mut:m\nl1 x\no0 o\n";
        assert_eq!(aag(&c.finish("spelled").aig), text);
    }
}
