//! Reads guards and actions as expressions and assignments.

use hyperkill_frontend::{Diagnostic, Span};
use hyperkill_guarded::expression;
use hyperkill_guarded::fault::{Fault, planted};
use hyperkill_guarded::lexer::{Kind, Tokens, lex, name_of};
use hyperkill_guarded::tree::{BinaryOp, ExprId, ExprKind, Exprs, Name};
use hyperkill_text::Excerpt;
use hyperkill_text::json::{Raw, Text};

use super::spelling::LANGUAGE;

/// The prefix of variables of the global context.
const GLOBAL: &str = "global.";

/// An assignment of a script.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    /// The assigned variable, by its name among all models.
    pub(super) target: Name,
    /// The assigned value.
    pub(super) value: ExprId,
    /// The place of the assignment in the file.
    pub(super) span: Span,
}

/// The contents of the scripts of all models so far.
#[derive(Default, Debug)]
pub(super) struct Scripts {
    /// The expressions of the scripts.
    pub(super) exprs: Exprs,
    /// All strings in the scripts, each at its first place.
    pub(super) symbols: Vec<Name>,
    /// The places at which variables are read or assigned.
    pub(super) names: Vec<Name>,
}

impl Scripts {
    /// Reads a guard of a model; `None` if its text is empty. The prefix `scope` is added to the names of the model's own variables.
    ///
    /// # Errors
    /// If it is no supported condition, with its place in the file.
    pub(super) fn guard(
        &mut self,
        text: Text<'_>,
        part: Raw<'_>,
        scope: &str,
    ) -> Result<Option<ExprId>, Diagnostic> {
        let script = unescaped(text, part)?;
        if script.plain.trim().is_empty() {
            return Ok(None);
        }
        let guard = self.read(&script, scope, |tokens, exprs| {
            let guard = expression::read(tokens, exprs, &LANGUAGE.operators)?;
            tokens.eat(";");
            match tokens.kind(0) {
                Kind::End => Ok(guard),
                Kind::Sign("=" | "++" | "--" | "+=" | "-=" | "*=") => {
                    let error = Diagnostic::error(tokens.peek().span, "a guard with an effect");
                    Err(error.with_help("do it in an action; `==` compares"))
                }
                _ => Err(unexpected(tokens, "the end of the guard")),
            }
        })?;
        Ok(Some(guard))
    }

    /// Reads the actions of a script. The prefix `scope` is added to the names of the model's own variables.
    ///
    /// # Errors
    /// If they are no supported assignments, with their place in the file.
    pub(super) fn actions(
        &mut self,
        text: Text<'_>,
        part: Raw<'_>,
        scope: &str,
    ) -> Result<Vec<Assignment>, Diagnostic> {
        let script = unescaped(text, part)?;
        let found = self.read(&script, scope, assignments)?;
        let is_global = script.plain.contains(GLOBAL);
        let mut all = Vec::with_capacity(found.len());
        for Assignment {
            target,
            value,
            span,
        } in found
        {
            let there = place(&script, target.span);
            let name = qualified(&target.text, is_global, scope).ok_or_else(|| mixed(there))?;
            let target = Name {
                text: name,
                span: there,
            };
            self.names.push(target.clone());
            all.push(Assignment {
                target,
                value,
                span: place(&script, span),
            });
        }
        Ok(all)
    }

    /// Reads a script by `read`, and maps the places in its result to places in the file. Records names and symbols. The prefix `scope` is
    /// added to the names of the model's own variables.
    fn read<T>(
        &mut self,
        script: &Excerpt,
        scope: &str,
        read: impl FnOnce(&mut Tokens<'_>, &mut Exprs) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        let moved = |mut error: Diagnostic| {
            error.span = error.span.map(|span| place(script, span));
            error
        };
        let lexed = lex(&script.plain, 0, &LANGUAGE.lexicon).map_err(moved)?;
        let mut tokens = lexed.tokens;
        let from = self.exprs.len();
        let found = read(&mut tokens, &mut self.exprs).map_err(moved)?;
        let is_global = script.plain.contains(GLOBAL);
        let (names, symbols) = (&mut self.names, &mut self.symbols);
        let mut wrong = None;
        let name = |text: &str, span: Span| {
            let there = place(script, span);
            let quoted = span.of(&script.plain).starts_with(LANGUAGE.lexicon.quotes);
            if quoted {
                symbols.push(Name {
                    text: text.to_owned(),
                    span: there,
                });
                if text.contains(['\\', '\n']) {
                    let error = Diagnostic::error(there, "a string with an escape");
                    wrong = Some(error.with_help("strings are symbols here: compare plain ones"));
                }
                return text.to_owned();
            }
            let Some(text) = qualified(text, is_global, scope) else {
                wrong = Some(mixed(there));
                return text.to_owned();
            };
            names.push(Name {
                text: text.clone(),
                span: there,
            });
            text
        };
        self.exprs.settle(from, |span| place(script, span), name);
        match wrong {
            Some(error) => Err(error),
            None => Ok(found),
        }
    }
}

fn unescaped(text: Text<'_>, part: Raw<'_>) -> Result<Excerpt, Diagnostic> {
    let script = text.unescaped(part);
    script.ok_or_else(|| Diagnostic::error(text.span(part), "a script is a string"))
}

/// Returns the place in the file of a part of a script.
fn place(script: &Excerpt, span: Span) -> Span {
    if planted(Fault::EscapesIgnored) {
        let start = script.span(0, 0).start;
        return Span::new(start + span.start, start + span.end);
    }
    script.span(span.start, span.end)
}

/// Returns the name of a variable among all models: the prefix `scope` is added to a local name. `None` for a local name in a script that
/// mentions the global context (`is_global`).
fn qualified(name: &str, is_global: bool, scope: &str) -> Option<String> {
    let own = name.strip_prefix(GLOBAL);
    match (own, is_global) {
        (Some(_), _) => Some(name.to_owned()),
        (None, true) if !planted(Fault::GlobalIgnored) => None,
        (None, _) => Some(format!("{scope}{name}")),
    }
}

fn mixed(span: Span) -> Diagnostic {
    let message = "a script that mentions `global.` runs in the global context, where this name is another variable";
    Diagnostic::error(span, message).with_help("write `global.` before it, or use two scripts")
}

/// Returns the error that another token was expected, with the reason if it is known.
fn unexpected(tokens: &Tokens<'_>, wanted: &str) -> Diagnostic {
    let error = tokens.unexpected(wanted);
    let why = match tokens.kind(0) {
        Kind::Sign("(") => "functions belong to the code of tests: keep their result in a variable",
        Kind::Sign("/" | "%") => "there are no fractions here: use `+`, `-` and `*` of integers",
        Kind::Sign(".") => "numbers are integers",
        Kind::Sign("?" | ":") => "use two edges with guards",
        Kind::Sign("[" | "]" | "{" | "}") => "values are truth values, strings and integers",
        _ => return error,
    };
    error.with_help(why)
}

/// Parses the assignments of a script; spans are relative to the script.
fn assignments(tokens: &mut Tokens<'_>, exprs: &mut Exprs) -> Result<Vec<Assignment>, Diagnostic> {
    let mut all = Vec::new();
    loop {
        while tokens.eat(";") {}
        if tokens.is_over() {
            return Ok(all);
        }
        for word in ["var", "let", "const"] {
            tokens.eat_word(word);
        }
        all.push(assignment(tokens, exprs)?);
        if !tokens.is_over() && !tokens.is(";") && !tokens.is_on_new_line() {
            return Err(unexpected(tokens, "`;`"));
        }
    }
}

fn assignment(tokens: &mut Tokens<'_>, exprs: &mut Exprs) -> Result<Assignment, Diagnostic> {
    let start = tokens.peek().span;
    let first = tokens.peek();
    let before = match first.kind {
        Kind::Sign(sign @ ("++" | "--")) => {
            tokens.bump();
            Some((sign, first.span))
        }
        _ => None,
    };
    let token = tokens.peek();
    if token.kind != Kind::Name {
        return Err(unexpected(tokens, "an assignment"));
    }
    tokens.bump();
    let target = Name {
        text: name_of(token).to_owned(),
        span: token.span,
    };
    let sign = tokens.peek();
    let value = match (before, sign.kind) {
        (Some((step, place)), _) => stepped(exprs, &target, step, place),
        (None, Kind::Sign(step @ ("++" | "--"))) => {
            tokens.bump();
            stepped(exprs, &target, step, sign.span)
        }
        (None, Kind::Sign("=")) => {
            tokens.bump();
            expression::read(tokens, exprs, &LANGUAGE.operators)?
        }
        (None, Kind::Sign(compound @ ("+=" | "-=" | "*="))) => {
            tokens.bump();
            let op = match compound {
                "+=" => BinaryOp::Add,
                "-=" => BinaryOp::Sub,
                _ => BinaryOp::Mul,
            };
            let old = silent_name(exprs, &target);
            let operand = expression::read(tokens, exprs, &LANGUAGE.operators)?;
            exprs.add(
                ExprKind::Binary(op, old, operand),
                silent(target.span),
                sign.span,
            )
        }
        (None, Kind::Sign("==" | "===")) => {
            let error = unexpected(tokens, "`=`");
            return Err(error.with_help("`=` assigns; a comparison alone does nothing"));
        }
        _ => return Err(unexpected(tokens, "`=`")),
    };
    Ok(Assignment {
        target,
        value,
        span: tokens.since(start),
    })
}

/// Returns the empty place at the start of `span`, for an expression whose text no mutant may change.
fn silent(span: Span) -> Span {
    Span {
        end: span.start,
        ..span
    }
}

fn silent_name(exprs: &mut Exprs, name: &Name) -> ExprId {
    let place = silent(name.span);
    exprs.add(ExprKind::Name(name.text.clone()), place, place)
}

/// Adds and returns the expression of the value of `x++` or `x--`; `sign` is the operator.
fn stepped(exprs: &mut Exprs, target: &Name, sign: &str, place: Span) -> ExprId {
    let old = silent_name(exprs, target);
    let nowhere = silent(place);
    let one = exprs.add(ExprKind::Number(1), nowhere, nowhere);
    let op = match sign {
        "--" => BinaryOp::Sub,
        _ => BinaryOp::Add,
    };
    exprs.add(ExprKind::Binary(op, old, one), nowhere, place)
}
