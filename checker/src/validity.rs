//! Well-formedness: which obligations of a translated model fail, for the original and for each mutant alone.
//!
//! An obligation is a condition that must hold for *all* values of inputs and state, reachable or not (a variable gets a
//! value outside its domain, no branch of a case applies): one combinational solver query per obligation and
//! mutant that can influence it.

use hyperkill_core::aig::{Cone, Node};
use hyperkill_core::{Aig, ConditionalMutant, Lit, Var};

use crate::budget::{Budget, Stop};
use crate::encode::Encoder;
use crate::sat::{Answer, Cadical};

/// The obligations that fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Validity {
    /// Indices of obligations that the original breaks, ascending.
    pub original: Vec<usize>,
    /// Per mutant (selector index) the first obligation that it breaks, if it breaks any.
    pub mutants: Vec<Option<usize>>,
}

/// Checks all obligations. Those that the original breaks are not held against mutants.
///
/// # Errors
/// If the budget ends before all are checked.
pub fn validity(
    model: &ConditionalMutant,
    obligations: &[Lit],
    budget: &Budget,
) -> Result<Validity, Stop> {
    let aig = &model.aig;
    let selector_vars: Vec<Var> = model
        .selectors
        .iter()
        .map(|selector| aig.latches()[selector.latch].var)
        .collect();
    let mut result = Validity {
        original: Vec::new(),
        mutants: vec![None; model.selectors.len()],
    };
    for (number, &obligation) in obligations.iter().enumerate() {
        if obligation == Lit::TRUE {
            continue;
        }
        let cone = Cone::combinational(aig, [obligation]);
        let influential: Vec<usize> = (0..selector_vars.len())
            .filter(|&i| cone.contains(selector_vars[i]))
            .collect();
        let mut query = Query::new(aig, &cone);
        // Only selectors in the cone can matter; all others may be anything.
        let mut fails = |on: Option<usize>| -> Result<bool, Stop> {
            let selectors: Vec<(Var, bool)> = influential
                .iter()
                .map(|&i| (selector_vars[i], on == Some(i)))
                .collect();
            query.can_be_false(obligation, &selectors, budget)
        };
        if fails(None)? {
            result.original.push(number);
            continue;
        }
        for &mutant in &influential {
            if result.mutants[mutant].is_none() && fails(Some(mutant))? {
                result.mutants[mutant] = Some(number);
            }
        }
    }
    Ok(result)
}

/// The combinational circuit of one obligation in a solver; latches are free like inputs.
struct Query {
    graph: Aig,
    nodes: Vec<Lit>,
    encoder: Encoder<Cadical>,
}

impl Query {
    fn new(aig: &Aig, cone: &Cone) -> Query {
        let mut graph = Aig::new();
        let mut nodes = vec![Lit::FALSE; aig.len()];
        for (var, node) in aig.nodes() {
            if cone.contains(var) {
                nodes[var.index()] = match node {
                    Node::False => Lit::FALSE,
                    Node::Input(_) | Node::Latch(_) => graph.add_input(None),
                    Node::And(a, b) => {
                        let a = nodes[a.var().index()] ^ a.is_negated();
                        let b = nodes[b.var().index()] ^ b.is_negated();
                        graph.and(a, b)
                    }
                };
            }
        }
        Query {
            graph,
            nodes,
            encoder: Encoder::new(Cadical::new()),
        }
    }

    fn can_be_false(
        &mut self,
        obligation: Lit,
        selectors: &[(Var, bool)],
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let condition = self.nodes[obligation.var().index()] ^ obligation.is_negated();
        if let Some(holds) = condition.as_constant() {
            return Ok(!holds);
        }
        let mut assumptions = vec![!self.encoder.lit(&self.graph, condition)];
        for &(var, on) in selectors {
            let lit = self.encoder.lit(&self.graph, self.nodes[var.index()]);
            assumptions.push(if on { lit } else { !lit });
        }
        match self.encoder.solve(&assumptions, None, budget) {
            Answer::Possible => Ok(true),
            Answer::Impossible => Ok(false),
            Answer::Undecided(stop) => Err(stop),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperkill_core::Reset;
    use hyperkill_core::conditional::SelectorLatch;
    use hyperkill_core::mutant::MutantId;

    #[test]
    fn an_obligation_is_held_against_the_mutant_that_breaks_it_and_no_other() {
        let mut aig = Aig::new();
        let input = aig.add_input(Some("a".into()));
        let first = aig.add_latch(Reset::Free, Some("mut:one".into()));
        let second = aig.add_latch(Reset::Free, Some("mut:two".into()));
        // Fails iff the second mutant is on and the input is 1.
        let broken = aig.and(second, input);
        let harmless = aig.and(first, !first);
        let model = ConditionalMutant {
            name: "m".into(),
            aig,
            inputs: Vec::new(),
            choices: Vec::new(),
            outputs: Vec::new(),
            selectors: ["one", "two"]
                .iter()
                .enumerate()
                .map(|(latch, id)| SelectorLatch {
                    id: MutantId((*id).into()),
                    latch,
                })
                .collect(),
            mutants: Vec::new(),
        };
        let found = validity(&model, &[!harmless, !broken], &Budget::unlimited());
        assert_eq!(
            found,
            Ok(Validity {
                original: vec![],
                mutants: vec![None, Some(1)],
            })
        );
    }
}
