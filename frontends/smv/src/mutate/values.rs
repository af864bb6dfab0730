//! UOI, IVC: a number changes its sign, or an initial value is replaced.

use hyperkill_core::sort::Value;

use super::rule::{Point, Position, Rule};
use super::text;
use crate::ast::{ExprKind, Level, Target, UnaryOp};
use crate::domain::Kind;
use crate::resolve::Entity;

/// The number of values of a type up to which all are tried. ICR and MA cover larger types.
const MAX_VALUES: u64 = 8;

/// `x` becomes `-x` for integers and words. ICR covers constants.
pub(super) const NEGATION: Rule = Rule {
    name: "UOI",
    summary: "negates an integer or a word",
    example: "next(wtr) := wtr - 1 ⇒ next(wtr) := -wtr - 1",
    edits: |scene, point| {
        let Point::Expr { id, position } = *point else {
            return Vec::new();
        };
        let found = scene.types.of(id);
        let number = matches!(found.kind, Kind::Int | Kind::Word { .. }) && !found.set;
        let constant = match scene.model.exprs().kind(id) {
            ExprKind::Number(_) | ExprKind::Range(..) | ExprKind::Unary(UnaryOp::Neg, _) => true,
            ExprKind::Name(_) => match scene.model.entity(id) {
                Some(Entity::Define(d)) => scene.model.constants[d].is_some(),
                _ => false,
            },
            _ => false,
        };
        if !number || constant || position == Position::ChainStart {
            return Vec::new();
        }
        let operand = text::operand(scene, id, Level::PRIMARY);
        vec![scene.replace(id, format!("-{operand}"))]
    },
};

/// `init(x) := a` becomes `init(x) := b` for each other value of `x`, if it has few.
pub(super) const INITIAL: Rule = Rule {
    name: "IVC",
    summary: "replaces an initial value by each value of the variable, if it has at most 8",
    example: "init(phase) := idle ⇒ init(phase) := busy",
    edits: |scene, point| {
        let Point::Assignment {
            name,
            target: Target::Init,
            value,
            ..
        } = *point
        else {
            return Vec::new();
        };
        let Some(Entity::Variable(v)) = scene.model.lookup(name) else {
            return Vec::new();
        };
        let domain = &scene.model.variables[v].domain;
        let sort = domain.sort();
        if sort.cardinality() > MAX_VALUES || matches!(domain.kind(), Kind::Word { .. }) {
            return Vec::new();
        }
        let values = (0..sort.cardinality()).map(|code| match sort.value_of_code(code) {
            Value::Int(n) => n.to_string(),
            Value::Symbol(symbol) => symbol,
        });
        let others = values.filter(|text| text != scene.text_of(value));
        others.map(|text| scene.replace(value, text)).collect()
    },
};
