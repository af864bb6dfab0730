//! Types of words and of functions: widths given by constants, and conversions.

use super::{Checker, Type};
use crate::ast::{BinaryOp, ExprId, Function};
use crate::domain::Kind;
use crate::parser::word::MAX_WIDTH;
use crate::resolve::constant;

impl Checker<'_> {
    pub(super) fn no_words(&mut self, id: ExprId, kind: Kind) -> Option<()> {
        match kind {
            Kind::Word { .. } => {
                self.error(id, "NuSMV has no sets of words");
                None
            }
            _ => Some(()),
        }
    }

    /// Returns width and sign of an operand that must be a word. `None` if it has no type, or, with an error, if it is no word. `what`
    /// names the operand.
    pub(super) fn word(&mut self, id: ExprId, what: &str) -> Option<(u32, bool)> {
        match self.one(id, what, None)? {
            Kind::Word { width, signed } => Some((width, signed)),
            kind => {
                self.error(
                    id,
                    format!("{what} must be a word, but this is {}", kind.noun()),
                );
                None
            }
        }
    }

    /// Returns the value of an operand that must be a constant number. `None` if it has no type, or, with an error, if it is no constant
    /// number.
    pub(super) fn constant(&mut self, id: ExprId) -> Option<i64> {
        self.types[id.index()]?;
        match constant::value(self.model, id) {
            Ok(value) => Some(value),
            Err(error) => {
                self.errors.push(error);
                None
            }
        }
    }

    /// Returns the type of words of this width. `None`, with an error at `id`, if there are none.
    pub(super) fn made_word(&mut self, id: ExprId, width: i64, signed: bool) -> Option<Kind> {
        match u32::try_from(width) {
            Ok(width @ 1..=MAX_WIDTH) => Some(Kind::Word { width, signed }),
            _ => {
                let message = format!("words have 1 to {MAX_WIDTH} bits, not {width}");
                self.error(id, message);
                None
            }
        }
    }

    pub(super) fn call(
        &mut self,
        id: ExprId,
        function: Function,
        arguments: &[ExprId],
    ) -> Option<Kind> {
        let name = function.name();
        let what = format!("the operand of `{name}`");
        let (first, second) = (*arguments.first()?, arguments.get(1).copied());
        match function {
            Function::Bool => match self.one(first, &what, None)? {
                Kind::Bool | Kind::Int | Kind::Word { width: 1, .. } => Some(Kind::Bool),
                kind => {
                    let message = format!("`bool` makes no truth value of {}", kind.noun());
                    self.error(id, message);
                    None
                }
            },
            Function::Word1 => {
                self.one(first, &what, Some(Kind::Bool))?;
                self.made_word(id, 1, false)
            }
            Function::Toint => match self.one(first, &what, None)? {
                Kind::Bool | Kind::Int | Kind::Word { .. } => Some(Kind::Int),
                kind => {
                    let message = format!("`toint` makes no integer of {}", kind.noun());
                    self.error(id, message);
                    None
                }
            },
            Function::Signed | Function::Unsigned => {
                let (width, _) = self.word(first, &what)?;
                self.made_word(id, i64::from(width), function == Function::Signed)
            }
            Function::Extend => {
                let (width, signed) = self.word(first, &what)?;
                let more = self.constant(second?)?;
                if more < 0 {
                    self.error(id, "a word is extended by no fewer than 0 bits");
                    return None;
                }
                self.made_word(id, i64::from(width).saturating_add(more), signed)
            }
            Function::Resize => {
                let (_, signed) = self.word(first, &what)?;
                let width = self.constant(second?)?;
                self.made_word(id, width, signed)
            }
            Function::Swconst | Function::Uwconst => {
                let (value, width) = (self.constant(first)?, self.constant(second?)?);
                let signed = function == Function::Swconst;
                let kind = self.made_word(id, width, signed)?;
                // As in NuSMV, an unsigned constant may stand for the signed one with the same bits.
                let low = -1 << (width - 1);
                let high = match (signed, width) {
                    (true, _) => i64::MAX >> (64 - width),
                    (false, 64) => i64::MAX,
                    (false, _) => i64::MAX >> (63 - width),
                };
                if value < low || value > high {
                    self.error(id, format!("{value} has no room in {width} bits"));
                    return None;
                }
                Some(kind)
            }
            Function::Sizeof => self.word(first, &what).map(|_| Kind::Int),
            Function::Count => {
                let mut all = Some(Kind::Int);
                for argument in arguments {
                    let found = self.one(*argument, "what `count` counts", Some(Kind::Bool));
                    all = found.and(all);
                }
                all
            }
            Function::Abs | Function::Max | Function::Min => {
                for argument in arguments {
                    self.one(*argument, &what, Some(Kind::Int))?;
                }
                Some(Kind::Int)
            }
        }
    }

    pub(super) fn shift(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<Type> {
        let what = format!("the left operand of `{}`", op.sign());
        let (width, signed) = self.word(a, &what)?;
        let what = format!("the right operand of `{}`", op.sign());
        match self.one(b, &what, None)? {
            Kind::Int | Kind::Word { signed: false, .. } => {
                Some(Type::single(Kind::Word { width, signed }))
            }
            kind => {
                let found = kind.noun();
                let message = format!("{what} must be an integer or unsigned, but this is {found}");
                self.error(b, message);
                None
            }
        }
    }
}
