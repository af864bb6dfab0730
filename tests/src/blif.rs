//! Random netlists in BLIF: covers of all kinds, latches with all initial values, nested models, and names that are keywords.

use std::fmt::Write;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Returns a netlist of a few dozen gates without cycles. The same seed gives the same text on every platform.
#[must_use]
pub fn random_blif(seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let children = rng.random_range(0..=2);
    let mut text = format!("# seed {seed}\n");
    let mut shapes: Vec<(usize, usize)> = Vec::new();
    let mut below = String::new();
    for child in 0..children {
        let shape = (rng.random_range(1..=4), rng.random_range(1..=3));
        let inputs: Vec<String> = (0..shape.0).map(|i| format!("a[{i}]")).collect();
        let outputs: Vec<String> = (0..shape.1).map(|i| format!("s{i}")).collect();
        let uses = shapes.clone();
        below += &model(&format!("child{child}"), &inputs, &outputs, &uses, &mut rng);
        shapes.push(shape);
    }
    let inputs: Vec<String> = (0..rng.random_range(1..=5))
        .map(|i| {
            if i < 3 {
                format!("x[{i}]")
            } else {
                format!("in{i}")
            }
        })
        .collect();
    let outputs: Vec<String> = (0..rng.random_range(1..=4))
        .map(|i| {
            if i < 3 {
                format!("y[{i}]")
            } else {
                format!("out{i}")
            }
        })
        .collect();
    text += &model("top", &inputs, &outputs, &shapes, &mut rng);
    text + &below
}

fn model(
    name: &str,
    inputs: &[String],
    outputs: &[String],
    children: &[(usize, usize)],
    rng: &mut ChaCha8Rng,
) -> String {
    // A model with state has a clock; so does a model with a child that has state.
    let mut text = format!(".model {name}\n.inputs clk {}\n.outputs", inputs.join(" "));
    let shown: Vec<String> = outputs.to_vec();
    for output in &shown {
        let _ = write!(text, " \\\n {output}");
    }
    text.push('\n');
    let latches: Vec<String> = (0..rng.random_range(0..=4))
        .map(|i| format!("l{i}"))
        .collect();
    let mut nets: Vec<String> = inputs.iter().chain(&latches).cloned().collect();
    for gate in 0..rng.random_range(1..=8) {
        if !children.is_empty() && rng.random_bool(0.25) {
            let child = rng.random_range(0..children.len());
            let (reads, drives) = children[child];
            let _ = write!(text, ".subckt child{child} clk=clk");
            for pin in 0..reads {
                let _ = write!(text, " a[{pin}]={}", any(&nets, rng));
            }
            for pin in 0..drives {
                let _ = write!(text, " s{pin}=c{gate}_{pin}");
                nets.push(format!("c{gate}_{pin}"));
            }
            text.push('\n');
        } else {
            let name = format!("g{gate}");
            text += &cover(&name, &nets, rng);
            nets.push(name);
        }
    }
    for output in outputs {
        text += &cover(output, &nets, rng);
    }
    for latch in &latches {
        let next = any(&nets, rng);
        let init = rng.random_range(0..4);
        let _ = writeln!(text, ".latch {next} {latch} re clk {init}");
    }
    text + ".end\n"
}

fn any(nets: &[String], rng: &mut ChaCha8Rng) -> String {
    nets.choose(rng).expect("inputs are nets").clone()
}

fn cover(output: &str, nets: &[String], rng: &mut ChaCha8Rng) -> String {
    let width = rng.random_range(0..=4);
    let mut text = ".names".to_owned();
    for _ in 0..width {
        let _ = write!(text, " {}", any(nets, rng));
    }
    let _ = writeln!(text, " {output}");
    let value = u8::from(rng.random_bool(0.7));
    let rows = if width == 0 {
        rng.random_range(0..=1)
    } else {
        rng.random_range(0..=4)
    };
    for _ in 0..rows {
        let products = (0..width).map(|_| *['0', '1', '-'].choose(rng).expect("three"));
        let products: String = products.collect();
        let _ = match width {
            0 => writeln!(text, "{value}"),
            _ => writeln!(text, "{products} {value}"),
        };
    }
    text
}
