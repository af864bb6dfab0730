//! Tokens to the syntax tree. The first thing that does not fit ends the reading.

use hyperkill_frontend::{Diagnostic, Span};

use crate::guard::{Interval, LONGEST};
use crate::lexer::{RESERVED, Token, TokenKind, tokens};
use crate::syntax::{
    AnswersText, Document, Fault, FaultsText, GuardText, Instead, Kind, Limit, LimitText,
    MachineText, Name, Pattern, StateText, Subject, TimeoutText,
};

/// Reads a file with faults only, which is the second one of a model.
///
/// # Errors
/// The first thing that does not fit.
pub fn parse_faults(text: &str) -> Result<FaultsText, Diagnostic> {
    let in_second = |span: &mut Span| span.file = 1;
    let mut tokens = tokens(text).map_err(|mut error| {
        error.span.iter_mut().for_each(in_second);
        error
    })?;
    tokens
        .iter_mut()
        .for_each(|token| in_second(&mut token.span));
    let mut parser = Parser { tokens, at: 0 };
    let faults = parser.faults()?;
    match parser.now().kind {
        TokenKind::End => Ok(faults),
        _ => Err(parser.expected("the end of the file")),
    }
}

/// Reads a file.
///
/// # Errors
/// The first thing that does not fit.
pub fn parse(text: &str) -> Result<Document, Diagnostic> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
    };
    let machine = parser.machine()?;
    let faults = match parser.is_word("faults") {
        true => Some(parser.faults()?),
        false => None,
    };
    match parser.now().kind {
        TokenKind::End => Ok(Document { machine, faults }),
        _ => Err(parser.expected("the end of the file")),
    }
}

struct Parser<'a> {
    /// `End` last.
    tokens: Vec<Token<'a>>,
    at: usize,
}

impl<'a> Parser<'a> {
    fn now(&self) -> Token<'a> {
        self.tokens[self.at]
    }

    fn step(&mut self) -> Token<'a> {
        let token = self.now();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// From a place to the last token taken.
    fn since(&self, start: Span) -> Span {
        let last = self.tokens[self.at.saturating_sub(1)];
        start.to(last.span)
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let token = self.now();
        let there = match token.kind {
            TokenKind::End => "the end of the file".to_owned(),
            _ => format!("`{}`", token.text),
        };
        Diagnostic::error(token.span, format!("{what} is expected, not {there}"))
    }

    fn is_word(&self, word: &str) -> bool {
        let token = self.now();
        token.kind == TokenKind::Word && token.text == word
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.now().kind, TokenKind::Sign(there) if there == sign)
    }

    fn word(&mut self, word: &str) -> Result<Token<'a>, Diagnostic> {
        match self.is_word(word) {
            true => Ok(self.step()),
            false => Err(self.expected(&format!("`{word}`"))),
        }
    }

    fn take(&mut self, sign: &str) -> bool {
        let is_there = self.is_sign(sign);
        if is_there {
            self.step();
        }
        is_there
    }

    fn sign(&mut self, sign: &str) -> Result<(), Diagnostic> {
        match self.take(sign) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{sign}`"))),
        }
    }

    fn name(&mut self, what: &str) -> Result<Name, Diagnostic> {
        let token = self.now();
        match token.kind {
            TokenKind::Word if RESERVED.contains(&token.text) => {
                let advice = format!("as a name it is written \"{}\"", token.text);
                Err(self.expected(what).with_help(advice))
            }
            TokenKind::Word | TokenKind::Quoted | TokenKind::Number => {
                self.step();
                Ok(Name {
                    text: token.text.to_owned(),
                    span: token.span,
                })
            }
            TokenKind::Sign("*") => Err(self
                .expected(what)
                .with_help("`*` stands in domains of faults only")),
            _ => Err(self.expected(what)),
        }
    }

    fn names(&mut self, what: &str) -> Result<Vec<Name>, Diagnostic> {
        let mut names = vec![self.name(what)?];
        while self.take(",") {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    fn pattern(&mut self, what: &str) -> Result<Pattern, Diagnostic> {
        match self.take("*") {
            true => Ok(Pattern::Every),
            false => self.name(what).map(Pattern::One),
        }
    }

    fn machine(&mut self) -> Result<MachineText, Diagnostic> {
        self.word("machine")?;
        let mut machine = MachineText {
            name: self.name("the name of the machine")?,
            inputs: Vec::new(),
            outputs: Vec::new(),
            unit: None,
            states: Vec::new(),
        };
        self.sign("{")?;
        loop {
            if self.take(";") {
            } else if self.is_word("input") {
                self.step();
                machine.inputs.extend(self.names("an input")?);
            } else if self.is_word("output") {
                self.step();
                machine.outputs.extend(self.names("an output")?);
            } else if self.is_word("time") {
                let word = self.step();
                let unit = self.name("a unit of time")?;
                if let Some(first) = machine.unit.replace(unit) {
                    let error = Diagnostic::error(word.span, "the unit of time is said twice");
                    return Err(error.with_label(first.span, "first here"));
                }
            } else if self.is_word("state") {
                machine.states.push(self.state()?);
            } else if self.take("}") {
                return Ok(machine);
            } else {
                return Err(self.expected("`input`, `output`, `time`, `state` or `}`"));
            }
        }
    }

    fn state(&mut self) -> Result<StateText, Diagnostic> {
        self.word("state")?;
        let name = self.name("the name of a state")?;
        let open = self.now().span.end;
        self.sign("{")?;
        let mut state = StateText {
            name,
            inside: Span::new(open, open),
            answers: Vec::new(),
            timeouts: Vec::new(),
        };
        loop {
            while self.take(";") {}
            if self.take("}") {
                return Ok(state);
            }
            if self.is_word("after") {
                state.timeouts.push(self.timeout()?);
            } else {
                state.answers.push(self.answers()?);
            }
            if !self.is_sign("}") {
                self.sign(";")?;
            }
        }
    }

    fn answers(&mut self) -> Result<AnswersText, Diagnostic> {
        let start = self.now().span;
        let inputs = self.names("an input, `after` or `}`")?;
        let guard = self.guard()?;
        self.sign("/")?;
        let output = self.name("an output")?;
        self.sign("->")?;
        let target = self.name("a state")?;
        Ok(AnswersText {
            inputs,
            guard,
            output,
            target,
            span: self.since(start),
        })
    }

    /// `in [2,5)`, if it is there.
    fn guard(&mut self) -> Result<Option<GuardText>, Diagnostic> {
        if !self.is_word("in") {
            return Ok(None);
        }
        self.step();
        let start = self.now().span;
        let is_open = self.take("(");
        if !is_open && !self.take("[") {
            return Err(self.expected("`[` or `(`"));
        }
        let from = 2 * self.bound("a number of time units")? + u32::from(is_open);
        self.sign(",")?;
        let until = if self.is_word("never") {
            self.step();
            None
        } else if self.is_sign(")") || self.is_sign("]") {
            let error = self.expected("where the guard ends");
            return Err(error.with_help("a guard that does not end is written `[2,never)`"));
        } else {
            Some(2 * self.bound("a number of time units, or `never`,")?)
        };
        let is_closed = self.is_sign("]");
        if !is_closed && !self.is_sign(")") {
            return Err(self.expected("`)` or `]`"));
        }
        self.step();
        let span = self.since(start);
        if is_closed && until.is_none() {
            let error = Diagnostic::error(span, "a guard that does not end has no last moment");
            return Err(error.with_help("write `never)`"));
        }
        let until = until.map(|until| until + u32::from(is_closed));
        match Interval::new(from, until) {
            Some(during) => Ok(Some(GuardText { during, span })),
            None => Err(Diagnostic::error(span, "no delay is in this guard")),
        }
    }

    fn bound(&mut self, what: &str) -> Result<u32, Diagnostic> {
        let token = self.now();
        if !matches!(token.kind, TokenKind::Number | TokenKind::Negative) {
            return Err(self.expected(what));
        }
        self.step();
        let bound = token.text.parse().ok().filter(|bound| *bound <= LONGEST);
        bound.filter(|_| !self.is_sign(".")).ok_or_else(|| {
            let message = format!("a bound is a whole number of units from 0 to {LONGEST}");
            Diagnostic::error(token.span, message)
        })
    }

    fn timeout(&mut self) -> Result<TimeoutText, Diagnostic> {
        let start = self.word("after")?.span;
        let limit = self.limit()?;
        let target = match self.take("->") {
            true => Some(self.name("a state")?),
            false if limit.limit == Limit::Never => None,
            false => {
                let error = Diagnostic::error(self.since(start), "the timeout leads nowhere");
                return Err(error.with_help("write `-> STATE` behind it"));
            }
        };
        Ok(TimeoutText {
            limit,
            target,
            span: self.since(start),
        })
    }

    fn limit(&mut self) -> Result<LimitText, Diagnostic> {
        let token = self.now();
        let limit = match token.kind {
            TokenKind::Word if token.text == "never" => Some(Limit::Never),
            TokenKind::Number => match token.text.parse() {
                Ok(0) | Err(_) => None,
                Ok(units) => Some(Limit::After(units)),
            },
            TokenKind::Negative => None,
            _ => return Err(self.expected("a number of time units, or `never`,")),
        };
        self.step();
        let limit = limit.filter(|_| !self.is_sign("."));
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
        self.word("faults")?;
        self.sign("{")?;
        let mut text = FaultsText {
            states: Vec::new(),
            faults: Vec::new(),
        };
        loop {
            while self.take(";") {}
            if self.take("}") {
                return Ok(text);
            }
            if self.is_word("state") {
                self.extra(&mut text)?;
                continue;
            }
            text.faults.push(self.fault()?);
            if !self.is_sign("}") {
                self.sign(";")?;
            }
        }
    }

    /// A state that only implementations have: all that it may do is written like other faults.
    fn extra(&mut self, text: &mut FaultsText) -> Result<(), Diagnostic> {
        self.word("state")?;
        let name = self.name("the name of a state")?;
        text.states.push(name.clone());
        self.sign("{")?;
        loop {
            while self.take(";") {}
            if self.take("}") {
                return Ok(());
            }
            let start = self.now().span;
            let mut instead = Vec::new();
            if self.is_word("after") {
                self.step();
                instead.push((Subject::Timeout, self.other_timeouts()?));
            } else {
                let what = "an input, `*`, `after` or `}`";
                let mut inputs = vec![self.pattern(what)?];
                while self.take(",") {
                    inputs.push(self.pattern(what)?);
                }
                let guard = self.guard()?;
                let transition = self.transition()?;
                let inputs = inputs.into_iter();
                let inputs = inputs.map(|input| Subject::Input(input, guard));
                instead.extend(inputs.map(|input| (input, transition.clone())));
            }
            let span = self.since(start);
            let faults = instead.into_iter().map(|(subject, instead)| Fault {
                state: Pattern::One(name.clone()),
                subject,
                instead,
                span,
            });
            text.faults.extend(faults);
            if !self.is_sign("}") {
                self.sign(";")?;
            }
        }
    }

    fn fault(&mut self) -> Result<Fault, Diagnostic> {
        let start = self.now().span;
        let state = self.pattern("a state, `*` or `}`")?;
        self.sign(".")?;
        let (subject, instead) = if self.is_word("after") {
            self.step();
            self.sign(":")?;
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
            span: self.since(start),
        })
    }

    fn other_answers(&mut self) -> Result<Instead, Diagnostic> {
        if self.is_sign("/") {
            return self.transition();
        }
        if !self.take(":") {
            return Err(self.expected("`:` or `/`"));
        }
        self.kinds().map(Instead::Kinds)
    }

    fn transition(&mut self) -> Result<Instead, Diagnostic> {
        self.sign("/")?;
        let output = self.pattern("an output or `*`")?;
        self.sign("->")?;
        let target = self.pattern("a state or `*`")?;
        Ok(Instead::Transition { output, target })
    }

    fn kinds(&mut self) -> Result<Vec<(Kind, Span)>, Diagnostic> {
        let mut kinds = Vec::new();
        loop {
            let token = self.now();
            let kind = match (token.kind, token.text) {
                (TokenKind::Word, "transfer") => Kind::Transfer,
                (TokenKind::Word, "any") => Kind::Any,
                (TokenKind::Word, "output") => Kind::Output,
                (TokenKind::Word, "never") => Kind::Never,
                (TokenKind::Word, "shifted") => Kind::Shifted,
                (TokenKind::Word, "narrowed") => Kind::Narrowed,
                (TokenKind::Word, "widened") => Kind::Widened,
                _ => {
                    let error = self.expected("`transfer`, `output` or `any`");
                    let help = "with guards also `shifted`, `narrowed`, `widened` and `never`";
                    return Err(error.with_help(help));
                }
            };
            kinds.push((kind, self.step().span));
            if !self.take(",") {
                return Ok(kinds);
            }
        }
    }

    fn other_timeouts(&mut self) -> Result<Instead, Diagnostic> {
        if self.is_word("transfer") {
            let span = self.step().span;
            return Ok(Instead::Kinds(vec![(Kind::Transfer, span)]));
        }
        let mut limits = vec![self.limit()?];
        while self.take(",") {
            limits.push(self.limit()?);
        }
        let target = match self.take("->") {
            true => Some(self.pattern("a state or `*`")?),
            false => None,
        };
        Ok(Instead::Timeouts { limits, target })
    }
}
