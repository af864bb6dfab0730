//! The states that simple paths compare: all values that the continuation of a run depends on. Also the condition for late choices of
//! strategies.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::aig::{Cone, Node, Reset};
use hyperkill_core::product::Variant;
use hyperkill_core::{Lit, Var};
use hyperkill_evidence::question::{Aim, Options, Question, Steered};

use super::meaning::{asserted_selector, meanings_of, of_variant};

/// The state of all copies of a question, as simple paths compare it.
pub(super) struct PathState {
    /// Per copy: the latches that outputs, constraints and atoms of a formula can ever depend on. The set is closed under next-state
    /// functions, as the simple-path argument needs.
    pub(super) latches: Vec<Vec<usize>>,
    /// The state of copies whose choices a strategy resolves. It lacks some of these latches and has further nodes.
    pub(super) steered: Vec<StrategyState>,
}

/// The state of a steered copy, whose late choices belong to the next step.
pub(super) struct StrategyState {
    /// Latches whose value does not depend on the late choices of the step before.
    pub(super) latches: Vec<usize>,
    /// Nodes of the step before from which, with its late choices, the other latches are computed.
    pub(super) frontier: Vec<Var>,
}

/// The dependence of a node on late choices of its own step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// The selectors of the variant fix this value.
    Fixed(bool),
    /// The node depends on no late choice.
    Known,
    /// The node depends on a late choice.
    Late,
}

impl PathState {
    /// Returns the values that make up the state in a question. `None` if its strategy is ill-formed: it resolves an input that is no
    /// choice, or makes a choice late although the step itself reads it.
    pub(super) fn of(model: &ConditionalMutant, question: &Question) -> Option<PathState> {
        let wires = match question {
            Question::Composed(composed) => super::atoms::wires(model, &composed.formula),
            Question::Pair(_) | Question::Family(_) | Question::Steered(_) => Vec::new(),
        };
        let copies = meanings_of(model, question, asserted_selector).into_iter();
        let latches = copies.map(|meaning| latches_under(model, &wires, &meaning));
        let latches: Vec<Vec<usize>> = latches.collect();
        let steered = match question {
            Question::Pair(_) | Question::Family(_) | Question::Composed(_) => Vec::new(),
            Question::Steered(steered) => strategy_states(model, steered, &latches)?,
        };
        Some(PathState { latches, steered })
    }
}

fn strategy_states(
    model: &ConditionalMutant,
    question: &Steered,
    latches: &[Vec<usize>],
) -> Option<Vec<StrategyState>> {
    let [original, mutant] = question.variants();
    let (copies, accepting) = match question.aim {
        Aim::Track => (1, vec![original]),
        Aim::Agree => (2, vec![original, mutant]),
    };
    if question.options.len() != copies || !question.witnesses.iter().all(|w| accepting.contains(w))
    {
        return None;
    }
    let shaped = &question.shaped;
    let mut compared = shaped.first.iter().chain(&shaped.later).chain(&shaped.next);
    if compared.any(|&i| i >= model.aig.latches().len()) {
        return None;
    }
    let mut states = Vec::new();
    let copies = question.options.iter().zip([original, mutant]);
    for ((options, variant), latches) in copies.zip(latches) {
        if !are_choices(model, options) {
            return None;
        }
        let next = &question.shaped.next;
        states.push(StrategyState::of(model, variant, options, next, latches)?);
    }
    Some(states)
}

/// Whether all inputs and latches in a copy's options are choices of the model, each listed once.
fn are_choices(model: &ConditionalMutant, options: &Options) -> bool {
    let choices: Vec<usize> = model.choice_bits().collect();
    let mut listed: Vec<usize> = options.early.iter().chain(&options.late).copied().collect();
    let (bits, latches) = (listed.len(), options.initial.len());
    listed.sort_unstable();
    listed.dedup();
    let mut initial = options.initial.clone();
    initial.sort_unstable();
    initial.dedup();
    let selectors = model.selector_of_latch();
    let free = |&i: &usize| {
        let latch = model.aig.latches().get(i);
        latch.is_some_and(|latch| latch.reset == Reset::Free) && selectors[i].is_none()
    };
    listed.len() == bits
        && initial.len() == latches
        && listed.iter().all(|bit| choices.contains(bit))
        && initial.iter().all(free)
}

impl StrategyState {
    fn of(
        model: &ConditionalMutant,
        variant: Variant,
        options: &Options,
        compared: &[usize],
        latches: &[usize],
    ) -> Option<StrategyState> {
        let aig = &model.aig;
        let kinds = kinds(model, variant, options);
        let kind = |lit: Lit| kinds[lit.var().index()];
        let seen = aig.outputs.iter().chain(&aig.constraints);
        if seen
            .into_iter()
            .any(|signal| kind(signal.lit) == Kind::Late)
        {
            return None;
        }
        // A strategy may compare only values that are known when it chooses.
        if compared
            .iter()
            .any(|&i| kind(aig.latches()[i].next) == Kind::Late)
        {
            return None;
        }
        let (late, known): (Vec<usize>, Vec<usize>) = latches
            .iter()
            .partition(|&&i| kind(aig.latches()[i].next) == Kind::Late);
        let mut needed = vec![false; aig.len()];
        for i in late {
            needed[aig.latches()[i].next.var().index()] = true;
        }
        let mut frontier = Vec::new();
        for (var, node) in aig.nodes().rev() {
            match (needed[var.index()], kinds[var.index()], node) {
                (true, Kind::Late, Node::And(a, b)) => {
                    needed[a.var().index()] = true;
                    needed[b.var().index()] = true;
                }
                (true, Kind::Known, _) => frontier.push(var),
                _ => {}
            }
        }
        Some(StrategyState {
            latches: known,
            frontier,
        })
    }
}

fn kinds(model: &ConditionalMutant, variant: Variant, options: &Options) -> Vec<Kind> {
    let selectors = model.selector_of_latch();
    let mut kinds: Vec<Kind> = Vec::new();
    for (_, node) in model.aig.nodes() {
        let kind = match node {
            Node::False => Kind::Fixed(false),
            Node::Input(i) if options.late.contains(&(i as usize)) => Kind::Late,
            Node::Input(_) => Kind::Known,
            Node::Latch(i) => match selectors[i as usize] {
                Some(selector) => Kind::Fixed(variant == Variant::Mutant(selector)),
                None => Kind::Known,
            },
            Node::And(a, b) => {
                let of = |lit: Lit| match kinds[lit.var().index()] {
                    Kind::Fixed(value) => Kind::Fixed(value ^ lit.is_negated()),
                    kind => kind,
                };
                match (of(a), of(b)) {
                    (Kind::Fixed(false), _) | (_, Kind::Fixed(false)) => Kind::Fixed(false),
                    (Kind::Fixed(true), Kind::Fixed(true)) => Kind::Fixed(true),
                    (Kind::Late, _) | (_, Kind::Late) => Kind::Late,
                    _ => Kind::Known,
                }
            }
        };
        kinds.push(kind);
    }
    kinds
}

/// Returns the latches that outputs, constraints and these wires of a variant can ever depend on, given the selectors of the variant;
/// ascending.
pub(super) fn state_latches_of(
    model: &ConditionalMutant,
    wires: &[Lit],
    variant: Variant,
) -> Vec<usize> {
    latches_under(model, wires, &of_variant(model, variant))
}

/// Returns the latches that constraints and these wires of a variant can ever depend on, given the selectors of the variant; ascending.
pub(super) fn latches_behind(
    model: &ConditionalMutant,
    wires: &[Lit],
    variant: Variant,
) -> Vec<usize> {
    let constraints = model.aig.constraints.iter().map(|signal| signal.lit);
    let roots = constraints.chain(wires.iter().copied()).collect();
    latches_of_roots(model, roots, &of_variant(model, variant))
}

/// Returns as [`state_latches_of`] the latches that matter, for nodes with this meaning: for each node an equal literal.
fn latches_under(model: &ConditionalMutant, wires: &[Lit], meaning: &[Lit]) -> Vec<usize> {
    let aig = &model.aig;
    let roots = aig.outputs.iter().chain(&aig.constraints);
    let roots = roots.map(|signal| signal.lit).chain(wires.iter().copied());
    latches_of_roots(model, roots.collect(), meaning)
}

/// Returns the latches that these literals can ever depend on.
fn latches_of_roots(model: &ConditionalMutant, roots: Vec<Lit>, meaning: &[Lit]) -> Vec<usize> {
    let aig = &model.aig;
    let mut due = roots;
    let mut seen = vec![false; aig.len()];
    let selectors = model.selector_of_latch();
    let mut latches = Vec::new();
    while let Some(lit) = due.pop() {
        let var = meaning[lit.var().index()].var();
        if std::mem::replace(&mut seen[var.index()], true) {
            continue;
        }
        match aig.node(var) {
            Node::False | Node::Input(_) => {}
            Node::And(a, b) => due.extend([a, b]),
            Node::Latch(i) if selectors[i as usize].is_some() => {}
            Node::Latch(i) => {
                latches.push(i as usize);
                due.push(aig.latches()[i as usize].next);
            }
        }
    }
    latches.sort_unstable();
    latches
}

/// Returns the latches that outputs, constraints and these wires can depend on, in some variant.
pub(super) fn state_latches(model: &ConditionalMutant, wires: &[Lit]) -> Vec<usize> {
    let roots = model.aig.outputs.iter().chain(&model.aig.constraints);
    let roots = roots.map(|signal| signal.lit).chain(wires.iter().copied());
    let cone = Cone::sequential(&model.aig, roots);
    let selectors = model.selector_of_latch();
    let latches = model.aig.latches().iter().enumerate();
    latches
        .filter(|(i, latch)| selectors[*i].is_none() && cone.contains(latch.var))
        .map(|(i, _)| i)
        .collect()
}
