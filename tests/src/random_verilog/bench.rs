//! Stimuli of modules, and benches for Icarus Verilog that print the values of the outputs.

use std::fmt::Write as _;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Module, Name};

/// The values of all inputs in one step, least significant bit first.
pub type BenchStep = Vec<Vec<bool>>;

impl Module {
    /// Returns random values of all inputs for some steps.
    #[must_use]
    pub fn stimulus(&self, seed: u64, steps: usize) -> Vec<BenchStep> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut value = |name: &Name| -> Vec<bool> {
            // Small, large and intermediate numbers.
            let likely = [0.1, 0.5, 0.5, 0.9][rng.random_range(0..4)];
            (0..name.width()).map(|_| rng.random_bool(likely)).collect()
        };
        (0..steps)
            .map(|_| self.inputs.iter().map(&mut value).collect())
            .collect()
    }

    /// Returns a bench around the module. It prints a line per step with the name of the module and the bits of all outputs.
    #[must_use]
    pub fn bench(&self, stimulus: &[BenchStep]) -> String {
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
