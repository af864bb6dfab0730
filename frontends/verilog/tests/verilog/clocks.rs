//! Several clocks, both edges, and clocks made by registers. The front end is compared with an independent event interpreter.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::Simulator;
use hyperkill_frontend::{
    ClockOption, Diagnostic, Frontend, FrontendOptions, HardwareOptions, NamePredicate, SourceFile,
};
use hyperkill_verilog::VerilogFrontend;

use crate::alone::blasted;

/// Returns `--clock` options.
pub(crate) fn clocks(asked: &[(&str, Option<u32>)]) -> Vec<ClockOption> {
    let clocks = asked.iter().map(|&(name, period)| ClockOption {
        name: name.to_owned(),
        period,
    });
    clocks.collect()
}

/// Reads a design without mutants; its registers start at 0.
pub(crate) fn read(
    text: &str,
    clocks: Vec<ClockOption>,
) -> Result<(ConditionalMutant, Vec<String>), Vec<Diagnostic>> {
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        hardware: HardwareOptions {
            zero_init: true,
            infer_no_resets: true,
            clocks,
            ..HardwareOptions::default()
        },
        ..FrontendOptions::default()
    };
    let found = VerilogFrontend.translate(&[SourceFile::new("design.v", text)], &options)?;
    Ok((blasted(&found), found.role_notes))
}

/// Returns the outputs as numbers, for each step with these inputs.
pub(crate) fn outputs(model: &ConditionalMutant, steps: &[Vec<(&str, u64)>]) -> Vec<Vec<u64>> {
    let simulator = Simulator::for_variant(model, Variant::Original);
    let mut lanes = simulator.lanes::<1>();
    lanes.reset(|_| [0]);
    let step = |inputs: &Vec<(&str, u64)>| {
        for input in 0..model.aig.inputs().len() {
            lanes.set_input_everywhere(input, false);
        }
        for port in &model.inputs {
            let value = inputs.iter().find(|(name, _)| *name == port.name);
            let value = value
                .unwrap_or_else(|| panic!("no value for `{}`", port.name))
                .1;
            for (i, &bit) in port.bits.iter().enumerate() {
                lanes.set_input_everywhere(bit, value >> i & 1 == 1);
            }
        }
        lanes.eval();
        let values = model.outputs.iter().map(|port| {
            let bits = port.bits.iter().enumerate();
            bits.fold(0, |sum, (i, &bit)| {
                sum | (lanes.value(model.aig.outputs[bit].lit)[0] & 1) << i
            })
        });
        let values = values.collect();
        lanes.step();
        values
    };
    steps.iter().map(step).collect()
}

/// Returns the names of the test inputs.
pub(crate) fn inputs(model: &ConditionalMutant) -> Vec<&str> {
    model.inputs.iter().map(|port| port.name.as_str()).collect()
}
