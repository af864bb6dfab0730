//! Mutation operators as data.

use hyperkill_core::mutant::Operator;

use crate::options::FrontendOptions;

/// A mutation operator: its published description and its effect.
#[derive(Clone, Copy, Debug)]
pub struct Rule<E> {
    /// The name, as in `--operator`.
    pub name: &'static str,
    /// The replacement that it makes, in one sentence without a full stop.
    pub summary: &'static str,
    /// A small example, `before ⇒ after`.
    pub example: &'static str,
    /// The edits that it proposes at a place: a function of the language, or the data for such a function.
    pub edits: E,
}

/// The mutation operators of a language, in the order of its catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Rules<E: 'static> {
    /// The rules that are applied by default.
    pub usual: &'static [Rule<E>],
    /// The rules that are applied only if they are selected by name.
    pub on_demand: &'static [Rule<E>],
}

impl<E> Rules<E> {
    /// Returns the operators with their summaries and examples, as the catalogue for users shows them.
    #[must_use]
    pub fn operators(&self) -> Vec<Operator> {
        let describe = |rule: &Rule<E>| Operator {
            name: rule.name.to_owned(),
            summary: rule.summary.to_owned(),
            example: rule.example.to_owned(),
        };
        let on_demand = |rule: &Rule<E>| Operator {
            summary: format!("{} (only if asked for)", rule.summary),
            ..describe(rule)
        };
        let more = self.on_demand.iter().map(on_demand);
        self.usual.iter().map(describe).chain(more).collect()
    }

    /// Returns the rules to apply: the selected ones, or by default the usual ones.
    #[must_use]
    pub fn chosen(&self, options: &FrontendOptions) -> Vec<&'static Rule<E>> {
        match &options.operators {
            Some(chosen) => {
                let all = self.usual.iter().chain(self.on_demand);
                all.filter(|rule| chosen.holds(rule.name)).collect()
            }
            None => self.usual.iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::NamePredicate;

    const fn rule(name: &'static str) -> Rule<()> {
        Rule {
            name,
            summary: "does nothing",
            example: "a ⇒ a",
            edits: (),
        }
    }

    const RULES: Rules<()> = Rules {
        usual: &[rule("A"), rule("B")],
        on_demand: &[rule("C")],
    };

    fn names(options: &FrontendOptions) -> Vec<&'static str> {
        let chosen = RULES.chosen(options).into_iter();
        chosen.map(|rule| rule.name).collect()
    }

    #[test]
    fn rules_on_demand_are_applied_only_where_they_are_asked_for() {
        assert_eq!(names(&FrontendOptions::default()), ["A", "B"]);
        let asked = FrontendOptions {
            operators: Some(NamePredicate::names(["C", "A"])),
            ..FrontendOptions::default()
        };
        assert_eq!(names(&asked), ["A", "C"]);
    }

    #[test]
    fn the_catalogue_says_which_operators_must_be_asked_for() {
        let operators = RULES.operators();
        let summaries: Vec<&str> = operators.iter().map(|o| o.summary.as_str()).collect();
        let asked = "does nothing (only if asked for)";
        assert_eq!(summaries, ["does nothing", "does nothing", asked]);
    }
}
