//! Groups bits into words by their names: `x[0]`, `x[1]`, … as one input `x`.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::netlist::Port;

/// Returns ports of one bit with complete words joined: bits with consecutive indices, each once, if no port has the name of the word. A
/// word has the position of its first bit.
#[must_use]
pub fn group(ports: Vec<Port>) -> Vec<Port> {
    let names: FxHashSet<String> = ports.iter().map(|port| port.name.clone()).collect();
    let mut words: FxHashMap<(String, bool), Vec<(u64, usize)>> = FxHashMap::default();
    for (at, port) in ports.iter().enumerate() {
        if let Some((name, index)) = index_of(&port.name) {
            let key = (name.to_owned(), is_input(port));
            words.entry(key).or_default().push((index, at));
        }
    }
    let all: FxHashSet<(String, bool)> = words.keys().cloned().collect();
    words.retain(|(name, input), bits| {
        bits.sort_unstable();
        let in_a_row = bits.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0);
        let twice = all.contains(&(name.clone(), !input));
        bits.len() > 1 && in_a_row && !twice && !names.contains(name)
    });
    let mut grouped = Vec::with_capacity(ports.len());
    for port in &ports {
        let key = index_of(&port.name).map(|(name, _)| (name.to_owned(), is_input(port)));
        let Some(key) = key.filter(|key| words.contains_key(key)) else {
            grouped.push(port.clone());
            continue;
        };
        // The word is placed at its first bit; the others find an empty entry.
        if let Some(bits) = words.get_mut(&key).map(std::mem::take)
            && !bits.is_empty()
        {
            grouped.push(Port {
                name: key.0,
                direction: port.direction,
                bits: bits
                    .iter()
                    .flat_map(|&(_, at)| ports[at].bits.clone())
                    .collect(),
                span: port.span,
            });
        }
    }
    grouped
}

fn is_input(port: &Port) -> bool {
    port.direction == crate::netlist::Direction::Input
}

/// Splits `x[3]` into `x` and 3. `None` without an index, for an index with leading zeros or of more than 6 digits, and for an empty name.
fn index_of(name: &str) -> Option<(&str, u64)> {
    let (word, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    let plain = index == "0" || !index.starts_with('0');
    let short = index.len() < 7 && hyperkill_text::is_number(index);
    (plain && short && !word.is_empty()).then_some((word, index.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlist::{Bit, Direction};
    use hyperkill_frontend::Span;

    fn grouped(inputs: &[&str]) -> Vec<(String, Vec<usize>)> {
        let ports = inputs.iter().enumerate().map(|(net, name)| Port {
            name: (*name).to_owned(),
            direction: Direction::Input,
            bits: vec![Bit::Net(net)],
            span: Span::default(),
        });
        let number = |bit: &Bit| match bit {
            Bit::Net(net) => *net,
            _ => usize::MAX,
        };
        group(ports.collect())
            .into_iter()
            .map(|port| (port.name, port.bits.iter().map(number).collect()))
            .collect()
    }

    fn same(found: Vec<(String, Vec<usize>)>, expected: &[(&str, &[usize])]) {
        let expected: Vec<(String, Vec<usize>)> = expected
            .iter()
            .map(|(name, bits)| ((*name).to_owned(), bits.to_vec()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn bits_in_a_row_are_a_word_in_whatever_order_they_stand() {
        let found = grouped(&["x[1]", "go", "x[0]", "y[4]", "y[5]"]);
        same(found, &[("x", &[2, 0]), ("go", &[1]), ("y", &[3, 4])]);
    }

    #[test]
    fn gaps_lone_bits_and_names_that_are_taken_keep_bits_apart() {
        let names = [
            "x[0]", "x[2]", "y[0]", "z", "z[0]", "z[1]", "w[01]", "w[00]",
        ];
        let found = grouped(&names);
        let apart: Vec<(String, Vec<usize>)> = (names.iter().enumerate())
            .map(|(net, name)| ((*name).to_owned(), vec![net]))
            .collect();
        assert_eq!(found, apart);
    }
}
