//! Bits as values of the model's variables: in the order of their domains, and in the form of tests.

use crate::ConditionalMutant;
use crate::aig::Reset;
use crate::conditional::Port;
use crate::relevance::Relevance;
use crate::sort::Value;
use crate::trace::{Stimulus, decode};

/// Returns the codes of ports, given the bits that they index. Sorting by codes gives the order of the domains.
#[must_use]
pub fn codes(ports: &[Port], bits: &[bool]) -> Vec<u64> {
    let mut codes = Vec::with_capacity(ports.len());
    for port in ports {
        let own: Vec<bool> = port.bits.iter().map(|&bit| bits[bit]).collect();
        // A wide word has no code: its limbs, from the top down, have the same order.
        let limbs = own.chunks(64).skip(1).rev();
        codes.extend(limbs.map(|limb| {
            limb.iter()
                .rev()
                .fold(0, |code, &bit| code << 1 | u64::from(bit))
        }));
        codes.push(port.sort.code_of_bits(&own));
    }
    codes
}

/// Returns the values of all test inputs. With `arranged`, also returns the choices that are relevant, named `nd:NAME`.
#[must_use]
pub fn inputs_of(
    model: &ConditionalMutant,
    bits: &[bool],
    arranged: Option<&Relevance>,
) -> Vec<(String, Value)> {
    let mut inputs = decode(&model.inputs, bits);
    if let Some(relevance) = arranged {
        let choices = model.choices.iter();
        let choices: Vec<Port> = choices
            .filter(|port| relevance.of_port(port))
            .cloned()
            .collect();
        let choices = decode(&choices, bits).into_iter();
        inputs.extend(choices.map(|(name, value)| (format!("nd:{name}"), value)));
    }
    inputs
}

/// Returns the free initial values of relevant latches, as (name, 0 or 1). A latch without a name is called `latch` and its number.
#[must_use]
pub fn free_values(
    model: &ConditionalMutant,
    run: &Stimulus,
    relevance: &Relevance,
) -> Vec<(String, Value)> {
    let selectors = model.selector_of_latch();
    let latches = model.aig.latches().iter().enumerate();
    latches
        .filter(|(i, latch)| {
            latch.reset == Reset::Free && selectors[*i].is_none() && relevance.of_latch(*i)
        })
        .map(|(i, latch)| {
            let name = latch.name.clone().unwrap_or_else(|| format!("latch{i}"));
            (name, Value::Int(i64::from(run.initial[i])))
        })
        .collect()
}
