//! The four killing formulas of \[3\] ("Mutation testing with hyperproperties"), as data in the formula language; they are decided like any
//! other formula.
//!
//! They range over the traces of a conditional mutant, as finite runs of one common length that is existentially quantified first
//! (semantics.md §2). The trace `s` is a witness: a run of the other system on the same inputs. Without it, a universal block over runs of
//! a system that refuses those inputs would hold vacuously. In \[3\] the assumption that model and mutant are equally input-enabled
//! excludes this.
//!
//! | formula | proves | precondition |
//! | --- | --- | --- |
//! | [`phi1`] | potentially killable; definitely if the mutant is deterministic | deterministic model |
//! | [`phi2`] | potentially killable; definitely if the mutant is deterministic | none |
//! | [`phi3`] | definitely killable | none |
//! | [`phi4`] | definitely killable | deterministic model |
//!
//! Outside its precondition a formula proves nothing about killing: with one output o = nd ∧ ¬mut, φ4 holds and the mutant is equivalent.
//! This module only states the formulas and checks no preconditions.

use crate::ast::{Formula, Ltl, Quantifier, TraceVar};
use Quantifier::{Exists, Forall};

/// Returns φ1 [3, Prop. 2 and 5]: a run of the model and a run of the mutant with the same inputs that differ in an output.
///
/// `∃p∃q. □(¬mut_p ∧ mut_q ∧ I_p=I_q) ∧ ◇ O_p≠O_q`. For a deterministic model: potentially killable, and with a
/// deterministic mutant also definitely.
#[must_use]
pub fn phi1() -> Formula {
    let [p, q] = ["p", "q"].map(TraceVar::new);
    Formula {
        body: Ltl::and([
            Ltl::and([original(&p), mutant(&q), Ltl::inputs_equal(&p, &q)]).globally(),
            differ(&p, &q),
        ]),
        prefix: vec![(Exists, p), (Exists, q)],
    }
}

/// Returns φ2 [3, Prop. 3 and 7]: a run of the mutant whose outputs no run of the model has on the same inputs, which the model accepts.
///
/// `∃q∃s∀p. □(mut_q ∧ ¬mut_s ∧ I_s=I_q) ∧ (□(¬mut_p ∧ I_p=I_q) → ◇ O_p≠O_q)`. Potentially killable, whatever the model.
#[must_use]
pub fn phi2() -> Formula {
    let [p, q, s] = ["p", "q", "s"].map(TraceVar::new);
    Formula {
        body: Ltl::and([
            Ltl::and([mutant(&q), original(&s), Ltl::inputs_equal(&s, &q)]).globally(),
            Ltl::and([original(&p), Ltl::inputs_equal(&p, &q)])
                .globally()
                .implies(differ(&p, &q)),
        ]),
        prefix: vec![(Exists, q), (Exists, s), (Forall, p)],
    }
}

/// Returns φ3 [3, Prop. 4]: inputs that both accept (p, s), on which no run of the mutant has the outputs of any run of the model.
///
/// `∃p∃s∀q∀r. □(¬mut_p ∧ mut_s ∧ I_s=I_p) ∧ (□(mut_q ∧ ¬mut_r ∧ I_q=I_p ∧ I_r=I_p) → ◇ O_q≠O_r)`. Definitely
/// killable, whatever the model.
#[must_use]
pub fn phi3() -> Formula {
    let [p, q, r, s] = ["p", "q", "r", "s"].map(TraceVar::new);
    Formula {
        body: Ltl::and([
            Ltl::and([original(&p), mutant(&s), Ltl::inputs_equal(&s, &p)]).globally(),
            Ltl::and([
                mutant(&q),
                original(&r),
                Ltl::inputs_equal(&q, &p),
                Ltl::inputs_equal(&r, &p),
            ])
            .globally()
            .implies(differ(&q, &r)),
        ]),
        prefix: vec![(Exists, p), (Exists, s), (Forall, q), (Forall, r)],
    }
}

/// Returns φ4 [3, Prop. 6]: a run of the model whose outputs no run of the mutant has on the same inputs, which the mutant accepts.
///
/// `∃p∃s∀q. □(¬mut_p ∧ mut_s ∧ I_s=I_p) ∧ (□(mut_q ∧ I_q=I_p) → ◇ O_p≠O_q)`. For a deterministic model: definitely killable.
#[must_use]
pub fn phi4() -> Formula {
    let [p, q, s] = ["p", "q", "s"].map(TraceVar::new);
    Formula {
        body: Ltl::and([
            Ltl::and([original(&p), mutant(&s), Ltl::inputs_equal(&s, &p)]).globally(),
            Ltl::and([mutant(&q), Ltl::inputs_equal(&q, &p)])
                .globally()
                .implies(differ(&p, &q)),
        ]),
        prefix: vec![(Exists, p), (Exists, s), (Forall, q)],
    }
}

fn mutant(trace: &TraceVar) -> Ltl {
    Ltl::selector(trace)
}

fn original(trace: &TraceVar) -> Ltl {
    Ltl::selector(trace).not()
}

fn differ(a: &TraceVar, b: &TraceVar) -> Ltl {
    Ltl::outputs_equal(a, b).not().finally()
}
