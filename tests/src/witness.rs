//! The five conditions of Certifaiger on witness circuits, each as a combinational circuit whose only output must never be true.
//!
//! Uses the two circuits only, not their origin. The first inputs and latches of the witness are shared with the problem, as many as the
//! problem has.

use hyperkill_core::aig::{Images, Leaf, Reset, Signal};
use hyperkill_core::{Aig, Lit};

/// Returns the conditions in their order, each with its name and the circuit that refutes it.
#[must_use]
pub fn conditions(problem: &Aig, witness: &Aig) -> Vec<(&'static str, Aig)> {
    let names = ["reset", "transition", "safety", "base", "inductive"];
    let refuting = |name: &&'static str| {
        let mut miter = Miter::new(problem, witness);
        let lit = miter.refutes(name);
        let mut aig = miter.aig;
        aig.add_output(lit, None);
        (*name, aig)
    };
    names.iter().map(refuting).collect()
}

/// A circuit at one point in time.
struct Instant<'a> {
    source: &'a Aig,
    nodes: Images,
}

impl Instant<'_> {
    fn of(&self, lit: Lit) -> Lit {
        self.nodes.of(lit)
    }

    fn latch(&self, index: usize) -> Lit {
        self.of(self.source.latches()[index].var.lit())
    }

    fn all(&self, aig: &mut Aig, signals: &[Signal], negated: bool) -> Lit {
        let lits = signals.iter().map(|signal| self.of(signal.lit) ^ negated);
        aig.and_all(&lits.collect::<Vec<_>>())
    }
}

/// Both circuits at two points in time, over common inputs and latches.
struct Miter<'a> {
    aig: Aig,
    problem: [Instant<'a>; 2],
    witness: [Instant<'a>; 2],
    shared: usize,
}

impl<'a> Miter<'a> {
    fn new(problem: &'a Aig, witness: &'a Aig) -> Miter<'a> {
        assert!(problem.inputs().len() <= witness.inputs().len());
        assert!(problem.latches().len() <= witness.latches().len());
        let mut aig = Aig::new();
        let mut both = || {
            let mut fresh =
                |count: usize| -> Vec<Lit> { (0..count).map(|_| aig.add_input(None)).collect() };
            let inputs = fresh(witness.inputs().len());
            let latches = fresh(witness.latches().len());
            let instants = [problem, witness];
            instants.map(|source| instant(&mut aig, source, &inputs, &latches))
        };
        let ([p0, w0], [p1, w1]) = (both(), both());
        Miter {
            aig,
            problem: [p0, p1],
            witness: [w0, w1],
            shared: problem.latches().len(),
        }
    }

    /// Returns a literal that is true where the condition with this name is violated.
    fn refutes(&mut self, condition: &str) -> Lit {
        let aig = &mut self.aig;
        let [p, q] = &self.problem;
        let [w, v] = &self.witness;
        let (shared, own) = (self.shared, w.source.latches().len());
        let valid = |aig: &mut Aig, at: &Instant<'_>| at.all(aig, &at.source.constraints, false);
        let good = |aig: &mut Aig, at: &Instant<'_>| at.all(aig, &at.source.bad, true);
        let [cp, cq, cw, cv] = [p, q, w, v].map(|at| valid(aig, at));
        let (premises, conclusions) = match condition {
            "reset" => {
                let premise = reset(aig, p, shared);
                (vec![premise, cp], vec![reset(aig, w, shared), cw])
            }
            "transition" => {
                let premise = step(aig, p, q, shared);
                (vec![premise, cp, cq, cw], vec![step(aig, w, v, shared), cv])
            }
            "safety" => (vec![cp, cw, good(aig, w)], vec![good(aig, p)]),
            "base" => (vec![reset(aig, w, own), cw], vec![good(aig, w)]),
            _ => {
                let premise = step(aig, w, v, own);
                (vec![premise, cw, cv, good(aig, w)], vec![good(aig, v)])
            }
        };
        let conclusion = aig.and_all(&conclusions);
        let mut refuted = premises;
        refuted.push(!conclusion);
        aig.and_all(&refuted)
    }
}

fn instant<'a>(aig: &mut Aig, source: &'a Aig, inputs: &[Lit], latches: &[Lit]) -> Instant<'a> {
    let nodes = aig.copy(
        source,
        |_| true,
        |_, _, leaf| match leaf {
            Leaf::Input(index) => inputs[index],
            Leaf::Latch(index) => latches[index],
        },
    );
    Instant { source, nodes }
}

/// Returns a literal that is true where the first `latches` latches have their initial values.
fn reset(aig: &mut Aig, at: &Instant<'_>, latches: usize) -> Lit {
    let lits = at.source.latches()[..latches].iter();
    let lits = lits.filter_map(|latch| match latch.reset {
        Reset::Zero => Some(!at.of(latch.var.lit())),
        Reset::One => Some(at.of(latch.var.lit())),
        Reset::Free => None,
    });
    aig.and_all(&lits.collect::<Vec<_>>())
}

/// Returns a literal that is true where the first `latches` latches have, at `to`, the next values computed at `from`.
fn step(aig: &mut Aig, from: &Instant<'_>, to: &Instant<'_>, latches: usize) -> Lit {
    let mut same = Vec::new();
    for (index, latch) in from.source.latches()[..latches].iter().enumerate() {
        same.push(aig.iff(from.of(latch.next), to.latch(index)));
    }
    aig.and_all(&same)
}
