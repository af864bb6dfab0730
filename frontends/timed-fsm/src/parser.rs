//! Parses tokens to the syntax tree. The first error ends the parser.

use hyperkill_frontend::{Diagnostic, Span};

use crate::guard::{Interval, LONGEST};
use crate::lexer::{RESERVED, TokenKind, Tokens, tokens};
use crate::syntax::{
    AnswersText, Document, Fault, FaultsText, GuardText, Instead, Kind, Limit, LimitText,
    MachineText, Name, Pattern, StateText, Subject, TimeoutText,
};

/// Parses a file with faults only, which is the second one of a model.
///
/// # Errors
/// The first error.
pub fn parse_faults(text: &str) -> Result<FaultsText, Diagnostic> {
    let mut parser = Parser {
        tokens: tokens(text, 1)?,
    };
    let faults = parser.faults()?;
    parser.end()?;
    Ok(faults)
}

/// Parses the text of a machine and, if a `faults` section follows, of its fault model.
///
/// # Errors
/// The first syntax error.
pub fn parse(text: &str) -> Result<Document, Diagnostic> {
    let mut parser = Parser {
        tokens: tokens(text, 0)?,
    };
    let machine = parser.machine()?;
    let faults = match parser.tokens.is_word("faults") {
        true => Some(parser.faults()?),
        false => None,
    };
    parser.end()?;
    Ok(Document { machine, faults })
}

struct Parser<'a> {
    tokens: Tokens<'a>,
}

impl Parser<'_> {
    fn end(&self) -> Result<(), Diagnostic> {
        match self.tokens.is_over() {
            true => Ok(()),
            false => Err(self.tokens.unexpected("the end of the file")),
        }
    }

    fn name(&mut self, what: &str) -> Result<Name, Diagnostic> {
        let token = self.tokens.peek();
        match token.kind {
            TokenKind::Word if RESERVED.contains(&token.text) => {
                let advice = format!("as a name it is written \"{}\"", token.text);
                Err(self.tokens.unexpected(what).with_help(advice))
            }
            TokenKind::Word | TokenKind::Quoted | TokenKind::Number => {
                self.tokens.bump();
                Ok(Name {
                    text: token.text.to_owned(),
                    span: token.span,
                })
            }
            TokenKind::Sign("*") => Err(self
                .tokens
                .unexpected(what)
                .with_help("`*` stands in domains of faults only")),
            _ => Err(self.tokens.unexpected(what)),
        }
    }

    fn names(&mut self, what: &str) -> Result<Vec<Name>, Diagnostic> {
        let mut names = vec![self.name(what)?];
        while self.tokens.eat(",") {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    fn pattern(&mut self, what: &str) -> Result<Pattern, Diagnostic> {
        match self.tokens.eat("*") {
            true => Ok(Pattern::Every),
            false => self.name(what).map(Pattern::One),
        }
    }

    fn machine(&mut self) -> Result<MachineText, Diagnostic> {
        self.tokens.expect_word("machine")?;
        let mut machine = MachineText {
            name: self.name("the name of the machine")?,
            inputs: Vec::new(),
            outputs: Vec::new(),
            unit: None,
            states: Vec::new(),
        };
        self.tokens.expect("{")?;
        loop {
            if self.tokens.eat(";") {
            } else if self.tokens.eat_word("input") {
                machine.inputs.extend(self.names("an input")?);
            } else if self.tokens.eat_word("output") {
                machine.outputs.extend(self.names("an output")?);
            } else if self.tokens.is_word("time") {
                let word = self.tokens.bump();
                let unit = self.name("a unit of time")?;
                if let Some(first) = machine.unit.replace(unit) {
                    let error = Diagnostic::error(word.span, "the unit of time is said twice");
                    return Err(error.with_label(first.span, "first here"));
                }
            } else if self.tokens.is_word("state") {
                machine.states.push(self.state()?);
            } else if self.tokens.eat("}") {
                return Ok(machine);
            } else {
                return Err(self
                    .tokens
                    .unexpected("`input`, `output`, `time`, `state` or `}`"));
            }
        }
    }

    fn state(&mut self) -> Result<StateText, Diagnostic> {
        self.tokens.expect_word("state")?;
        let name = self.name("the name of a state")?;
        let open = self.tokens.peek().span.end;
        self.tokens.expect("{")?;
        let mut state = StateText {
            name,
            inside: Span::new(open, open),
            answers: Vec::new(),
            timeouts: Vec::new(),
        };
        loop {
            while self.tokens.eat(";") {}
            if self.tokens.eat("}") {
                return Ok(state);
            }
            if self.tokens.is_word("after") {
                state.timeouts.push(self.timeout()?);
            } else {
                state.answers.push(self.answers()?);
            }
            if !self.tokens.is("}") {
                self.tokens.expect(";")?;
            }
        }
    }

    fn answers(&mut self) -> Result<AnswersText, Diagnostic> {
        let start = self.tokens.peek().span;
        let inputs = self.names("an input, `after` or `}`")?;
        let guard = self.guard()?;
        self.tokens.expect("/")?;
        let output = self.name("an output")?;
        self.tokens.expect("->")?;
        let target = self.name("a state")?;
        Ok(AnswersText {
            inputs,
            guard,
            output,
            target,
            span: self.tokens.since(start),
        })
    }

    /// Parses `in [2,5)`, if it is next.
    fn guard(&mut self) -> Result<Option<GuardText>, Diagnostic> {
        if !self.tokens.eat_word("in") {
            return Ok(None);
        }
        let start = self.tokens.peek().span;
        let is_open = self.tokens.eat("(");
        if !is_open && !self.tokens.eat("[") {
            return Err(self.tokens.unexpected("`[` or `(`"));
        }
        let from = 2 * self.bound("a number of time units")? + u32::from(is_open);
        self.tokens.expect(",")?;
        let until = if self.tokens.eat_word("never") {
            None
        } else if self.tokens.is(")") || self.tokens.is("]") {
            let error = self.tokens.unexpected("where the guard ends");
            return Err(error.with_help("a guard that does not end is written `[2,never)`"));
        } else {
            Some(2 * self.bound("a number of time units, or `never`,")?)
        };
        let is_closed = self.tokens.is("]");
        if !is_closed && !self.tokens.is(")") {
            return Err(self.tokens.unexpected("`)` or `]`"));
        }
        self.tokens.bump();
        let span = self.tokens.since(start);
        if is_closed && until.is_none() {
            let error = Diagnostic::error(span, "a guard without an end must close with `)`");
            return Err(error.with_help("write `never)`"));
        }
        let until = until.map(|until| until + u32::from(is_closed));
        match Interval::new(from, until) {
            Some(during) => Ok(Some(GuardText { during, span })),
            None => Err(Diagnostic::error(span, "this guard contains no delay")),
        }
    }

    fn bound(&mut self, what: &str) -> Result<u32, Diagnostic> {
        let token = self.tokens.peek();
        if !matches!(token.kind, TokenKind::Number | TokenKind::Negative) {
            return Err(self.tokens.unexpected(what));
        }
        self.tokens.bump();
        let bound = token.text.parse().ok().filter(|bound| *bound <= LONGEST);
        bound.filter(|_| !self.tokens.is(".")).ok_or_else(|| {
            let message = format!("a bound is a whole number of units from 0 to {LONGEST}");
            Diagnostic::error(token.span, message)
        })
    }

    fn timeout(&mut self) -> Result<TimeoutText, Diagnostic> {
        let start = self.tokens.expect_word("after")?.span;
        let limit = self.limit()?;
        let target = match self.tokens.eat("->") {
            true => Some(self.name("a state")?),
            false if limit.limit == Limit::Never => None,
            false => {
                let error =
                    Diagnostic::error(self.tokens.since(start), "the timeout leads nowhere");
                return Err(error.with_help("write `-> STATE` behind it"));
            }
        };
        Ok(TimeoutText {
            limit,
            target,
            span: self.tokens.since(start),
        })
    }

    fn limit(&mut self) -> Result<LimitText, Diagnostic> {
        let token = self.tokens.peek();
        let limit = match token.kind {
            TokenKind::Word if token.text == "never" => Some(Limit::Never),
            TokenKind::Number => match token.text.parse() {
                Ok(0) | Err(_) => None,
                Ok(units) => Some(Limit::After(units)),
            },
            TokenKind::Negative => None,
            _ => {
                return Err(self
                    .tokens
                    .unexpected("a number of time units, or `never`,"));
            }
        };
        self.tokens.bump();
        let limit = limit.filter(|_| !self.tokens.is("."));
        let Some(limit) = limit else {
            let most = u32::MAX;
            let message = format!("a timeout is a whole number of units from 1 to {most}");
            return Err(Diagnostic::error(token.span, message));
        };
        Ok(LimitText {
            limit,
            span: token.span,
        })
    }

    fn faults(&mut self) -> Result<FaultsText, Diagnostic> {
        self.tokens.expect_word("faults")?;
        self.tokens.expect("{")?;
        let mut text = FaultsText {
            states: Vec::new(),
            faults: Vec::new(),
        };
        loop {
            while self.tokens.eat(";") {}
            if self.tokens.eat("}") {
                return Ok(text);
            }
            if self.tokens.is_word("state") {
                self.extra(&mut text)?;
                continue;
            }
            text.faults.push(self.fault()?);
            if !self.tokens.is("}") {
                self.tokens.expect(";")?;
            }
        }
    }

    /// Parses a state that only implementations have. Its behaviour is written like other faults.
    fn extra(&mut self, text: &mut FaultsText) -> Result<(), Diagnostic> {
        self.tokens.expect_word("state")?;
        let name = self.name("the name of a state")?;
        text.states.push(name.clone());
        self.tokens.expect("{")?;
        loop {
            while self.tokens.eat(";") {}
            if self.tokens.eat("}") {
                return Ok(());
            }
            let start = self.tokens.peek().span;
            let mut instead = Vec::new();
            if self.tokens.eat_word("after") {
                instead.push((Subject::Timeout, self.other_timeouts()?));
            } else {
                let what = "an input, `*`, `after` or `}`";
                let mut inputs = vec![self.pattern(what)?];
                while self.tokens.eat(",") {
                    inputs.push(self.pattern(what)?);
                }
                let guard = self.guard()?;
                let transition = self.transition()?;
                let inputs = inputs.into_iter();
                let inputs = inputs.map(|input| Subject::Input(input, guard));
                instead.extend(inputs.map(|input| (input, transition.clone())));
            }
            let span = self.tokens.since(start);
            let faults = instead.into_iter().map(|(subject, instead)| Fault {
                state: Pattern::One(name.clone()),
                subject,
                instead,
                span,
            });
            text.faults.extend(faults);
            if !self.tokens.is("}") {
                self.tokens.expect(";")?;
            }
        }
    }

    fn fault(&mut self) -> Result<Fault, Diagnostic> {
        let start = self.tokens.peek().span;
        let state = self.pattern("a state, `*` or `}`")?;
        self.tokens.expect(".")?;
        let (subject, instead) = if self.tokens.eat_word("after") {
            self.tokens.expect(":")?;
            (Subject::Timeout, self.other_timeouts()?)
        } else {
            let input = self.pattern("an input, `*` or `after`")?;
            let guard = self.guard()?;
            (Subject::Input(input, guard), self.other_answers()?)
        };
        Ok(Fault {
            state,
            subject,
            instead,
            span: self.tokens.since(start),
        })
    }

    fn other_answers(&mut self) -> Result<Instead, Diagnostic> {
        if self.tokens.is("/") {
            return self.transition();
        }
        if !self.tokens.eat(":") {
            return Err(self.tokens.unexpected("`:` or `/`"));
        }
        self.kinds().map(Instead::Kinds)
    }

    fn transition(&mut self) -> Result<Instead, Diagnostic> {
        self.tokens.expect("/")?;
        let output = self.pattern("an output or `*`")?;
        self.tokens.expect("->")?;
        let target = self.pattern("a state or `*`")?;
        Ok(Instead::Transition { output, target })
    }

    fn kinds(&mut self) -> Result<Vec<(Kind, Span)>, Diagnostic> {
        let mut kinds = Vec::new();
        loop {
            let token = self.tokens.peek();
            let kind = match (token.kind, token.text) {
                (TokenKind::Word, "transfer") => Kind::Transfer,
                (TokenKind::Word, "any") => Kind::Any,
                (TokenKind::Word, "output") => Kind::Output,
                (TokenKind::Word, "never") => Kind::Never,
                (TokenKind::Word, "shifted") => Kind::Shifted,
                (TokenKind::Word, "narrowed") => Kind::Narrowed,
                (TokenKind::Word, "widened") => Kind::Widened,
                _ => {
                    let error = self.tokens.unexpected("`transfer`, `output` or `any`");
                    let help = "with guards also `shifted`, `narrowed`, `widened` and `never`";
                    return Err(error.with_help(help));
                }
            };
            kinds.push((kind, self.tokens.bump().span));
            if !self.tokens.eat(",") {
                return Ok(kinds);
            }
        }
    }

    fn other_timeouts(&mut self) -> Result<Instead, Diagnostic> {
        if self.tokens.is_word("transfer") {
            let span = self.tokens.bump().span;
            return Ok(Instead::Kinds(vec![(Kind::Transfer, span)]));
        }
        let mut limits = vec![self.limit()?];
        while self.tokens.eat(",") {
            limits.push(self.limit()?);
        }
        let target = match self.tokens.eat("->") {
            true => Some(self.pattern("a state or `*`")?),
            false => None,
        };
        Ok(Instead::Timeouts { limits, target })
    }
}
