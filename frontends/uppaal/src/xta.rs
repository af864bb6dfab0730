//! Models in Uppaal's textual format (`.xta`): the same parts as in XML, and everything behind them is shared.
//!
//! Texts keep their places in the file, so that errors of all later steps point at it.

use hyperkill_frontend::{Diagnostic, Span};

use crate::lexer::Kind;
use crate::nta::{LocationText, Nta, TemplateText, TransitionText, joined};
use crate::parser::{Parser, Read};
use hyperkill_text::Excerpt;

/// Whether a text is in this format and not XML: it is not empty and does not begin with an angle bracket.
#[must_use]
pub fn is_xta(source: &str) -> bool {
    let first = source.trim_start_matches('\u{feff}').trim_start();
    !first.is_empty() && !first.starts_with('<')
}

/// Reads a file.
///
/// # Errors
/// The first place that does not fit the format.
pub fn read(source: &str) -> Result<Nta, Vec<Diagnostic>> {
    whole(source).map_err(|error| vec![error])
}

fn whole(source: &str) -> Read<Nta> {
    let start = source.len() - source.trim_start_matches('\u{feff}').len();
    let text = Excerpt::of_stretches(source, &[(start, source.len())]);
    let mut reader = Reader {
        source,
        parser: Parser::new(&text)?,
        points: Vec::new(),
    };
    let mut nta = Nta {
        system_span: Span::new(source.len(), source.len()),
        ..Nta::default()
    };
    let mut outside = Vec::new();
    let mut from = start;
    while !reader.parser.tokens.is_over() {
        if reader.parser.tokens.is("{") {
            reader.braces()?;
        } else if reader.parser.tokens.is_word("process") {
            outside.push((from, reader.parser.tokens.peek().span.start));
            nta.templates.push(reader.process()?);
            from = reader.parser.tokens.previous().end;
        } else {
            if reader.parser.tokens.is_word("system") {
                nta.system_span = reader.parser.tokens.peek().span;
            }
            reader.parser.tokens.bump();
        }
    }
    outside.push((from, source.len()));
    let rest = Excerpt::of_stretches(source, &outside);
    let mut parser = Parser::new(&rest)?;
    // Errors in declarations are reported when the declarations are read.
    let end = match parser.declarations(None) {
        Ok(_) => parser.tokens.peek().span.start,
        Err(_) => source.len(),
    };
    let before = outside.iter().map(|(from, to)| (*from, (*to).min(end)));
    let before: Vec<(usize, usize)> = before.filter(|(from, to)| from < to).collect();
    let behind = outside.iter().map(|(from, to)| ((*from).max(end), *to));
    let behind: Vec<(usize, usize)> = behind.filter(|(from, to)| from < to).collect();
    nta.declaration = Excerpt::of_stretches(source, &before);
    nta.system = Excerpt::of_stretches(source, &behind);
    Ok(nta)
}

struct Reader<'a> {
    source: &'a str,
    parser: Parser<'a>,
    /// The branch points of the process that is read.
    points: Vec<String>,
}

impl Reader<'_> {
    /// Passes text in braces, with any text inside.
    fn braces(&mut self) -> Read<()> {
        self.parser.tokens.expect("{")?;
        self.up_to(&["}"])?;
        self.parser.tokens.expect("}")?;
        Ok(())
    }

    /// Reads the text up to one of the signs or words `ends` outside of brackets, which is not read.
    fn up_to(&mut self, ends: &[&str]) -> Read<Excerpt> {
        let start = self.parser.tokens.peek().span.start;
        let mut open: Vec<&str> = Vec::new();
        loop {
            let token = self.parser.tokens.peek();
            let sign = match token.kind {
                Kind::Sign(sign) => sign,
                Kind::Word if open.is_empty() && ends.contains(&token.text) => break,
                Kind::End => {
                    let wanted = open.last().or(ends.first()).copied().unwrap_or_default();
                    return Err(self.parser.tokens.unexpected(&format!("`{wanted}`")));
                }
                _ => "",
            };
            if open.is_empty() && ends.contains(&sign) {
                break;
            }
            match sign {
                "(" => open.push(")"),
                "[" => open.push("]"),
                "{" => open.push("}"),
                ")" | "]" | "}" if open.pop() != Some(sign) => {
                    return Err(self.parser.tokens.unexpected("something else"));
                }
                _ => {}
            }
            self.parser.tokens.bump();
        }
        let end = self.parser.tokens.peek().span.start;
        Ok(Excerpt::of_stretches(self.source, &[(start, end)]))
    }

    fn process(&mut self) -> Read<TemplateText> {
        self.parser.tokens.bump();
        let name = self.parser.name()?;
        let mut template = TemplateText {
            name: name.text,
            span: name.span,
            parameter: Excerpt::default(),
            declaration: Excerpt::default(),
            locations: Vec::new(),
            initial: 0,
            transitions: Vec::new(),
            branch_points: Vec::new(),
            room: 0,
        };
        if self.parser.tokens.eat("(") {
            template.parameter = self.up_to(&[")"])?;
            self.parser.tokens.expect(")")?;
        }
        self.parser.tokens.expect("{")?;
        template.declaration = self.up_to(&["state", "}"])?;
        self.parser.tokens.expect_word("state")?;
        self.locations(&mut template)?;
        self.points.clear();
        let mut initial = None;
        while !self.parser.tokens.eat("}") {
            let at = self.parser.tokens.peek().span;
            if self.parser.tokens.eat_word("commit") {
                for location in self.listed(&template)? {
                    template.locations[location].is_committed = true;
                }
            } else if self.parser.tokens.eat_word("urgent") {
                for location in self.listed(&template)? {
                    template.locations[location].is_urgent = true;
                }
            } else if self.parser.tokens.eat_word("init") {
                let known = self.location(&template)?;
                self.parser.tokens.expect(";")?;
                if initial.replace(known).is_some() {
                    return Err(Diagnostic::error(at, "a process starts in one location"));
                }
            } else if self.parser.tokens.eat_word("trans") {
                self.transitions(&mut template)?;
            } else if self.parser.tokens.eat_word("branchpoint") {
                self.branch_points(&mut template)?;
            } else {
                let wanted = "`commit`, `urgent`, `init`, `trans` or `}`";
                return Err(self.parser.tokens.unexpected(wanted));
            }
        }
        let Some(initial) = initial else {
            let message = format!("process `{}` does not say where it starts", template.name);
            return Err(Diagnostic::error(template.span, message));
        };
        template.initial = initial;
        let locations = template.locations.len();
        template.transitions = joined(template.transitions, locations)?;
        template.room = self.parser.tokens.previous().start;
        Ok(template)
    }

    fn locations(&mut self, template: &mut TemplateText) -> Read<()> {
        loop {
            let name = self.parser.name()?;
            if template.locations.iter().any(|l| l.id == name.text) {
                let message = format!("there are two locations `{}`", name.text);
                return Err(Diagnostic::error(name.span, message));
            }
            let mut location = LocationText {
                id: name.text.clone(),
                name: name.text,
                span: name.span,
                invariant: None,
                is_urgent: false,
                is_committed: false,
                has_rate: false,
            };
            if self.parser.tokens.eat("{") {
                location.invariant = Some(self.up_to(&[";", "}"])?);
                if self.parser.tokens.eat(";") {
                    location.has_rate = !self.parser.tokens.is("}");
                    self.up_to(&["}"])?;
                }
                self.parser.tokens.expect("}")?;
            }
            location.span = name.span.to(self.parser.tokens.previous());
            template.locations.push(location);
            if !self.parser.tokens.eat(",") {
                self.parser.tokens.expect(";")?;
                return Ok(());
            }
        }
    }

    /// Reads names of branch points up to a semicolon into `template`.
    fn branch_points(&mut self, template: &mut TemplateText) -> Read<()> {
        loop {
            let name = self.parser.name()?;
            let mut locations = template.locations.iter();
            if locations.any(|l| l.id == name.text) || self.points.contains(&name.text) {
                let message = format!("there are two locations `{}`", name.text);
                return Err(Diagnostic::error(name.span, message));
            }
            self.points.push(name.text);
            template.branch_points.push(name.span);
            if !self.parser.tokens.eat(",") {
                self.parser.tokens.expect(";")?;
                return Ok(());
            }
        }
    }

    /// Returns the number of the location or branch point with the name at the cursor.
    fn end(&mut self, template: &TemplateText) -> Read<usize> {
        let token = self.parser.tokens.peek();
        let points = match token.kind {
            Kind::Word => self.points.iter().position(|point| point == token.text),
            _ => None,
        };
        match points {
            Some(number) => {
                self.parser.tokens.bump();
                Ok(template.locations.len() + number)
            }
            None => self.location(template),
        }
    }

    /// Returns the number of the location with the name at the cursor.
    fn location(&mut self, template: &TemplateText) -> Read<usize> {
        let name = self.parser.name()?;
        let mut locations = template.locations.iter();
        let known = locations.position(|location| location.id == name.text);
        known.ok_or_else(|| {
            let message = format!("there is no location `{}`", name.text);
            Diagnostic::error(name.span, message)
        })
    }

    /// Returns the numbers of locations, with commas between them, up to a semicolon.
    fn listed(&mut self, template: &TemplateText) -> Read<Vec<usize>> {
        let mut all = vec![self.location(template)?];
        while self.parser.tokens.eat(",") {
            all.push(self.location(template)?);
        }
        self.parser.tokens.expect(";")?;
        Ok(all)
    }

    fn transitions(&mut self, template: &mut TemplateText) -> Read<()> {
        let mut last = None;
        loop {
            let start = self.parser.tokens.peek().span;
            // A transition without a source leaves the location that the one before it leaves.
            let is_arrow = self.parser.tokens.is("->") || self.parser.tokens.is("-");
            let source = match (is_arrow, last) {
                (true, Some(last)) => last,
                _ => self.end(template)?,
            };
            last = Some(source);
            let controllable = self.arrow()?;
            let mut transition = TransitionText {
                span: start,
                source,
                target: self.end(template)?,
                select: None,
                guard: None,
                sync: None,
                update: None,
                controllable,
                weight: None,
                branch: None,
            };
            self.labels(&mut transition)?;
            transition.span = start.to(self.parser.tokens.previous());
            template.transitions.push(transition);
            if !self.parser.tokens.eat(",") {
                self.parser.tokens.expect(";")?;
                return Ok(());
            }
        }
    }

    /// Reads `->` and returns `None`, or reads `-u->` of a transition that the tester does not control and returns `false` with the place.
    fn arrow(&mut self) -> Read<Option<(bool, Span)>> {
        let start = self.parser.tokens.peek().span;
        if !self.parser.tokens.eat("-") {
            self.parser.tokens.expect("->")?;
            return Ok(None);
        }
        self.parser.tokens.expect_word("u")?;
        self.parser.tokens.expect("->")?;
        Ok(Some((false, start.to(self.parser.tokens.previous()))))
    }

    fn labels(&mut self, transition: &mut TransitionText) -> Read<()> {
        self.parser.tokens.expect("{")?;
        while !self.parser.tokens.eat("}") {
            let token = self.parser.tokens.peek();
            let (word, at) = (token.text, token.span);
            let label = match word {
                "select" => &mut transition.select,
                "guard" => &mut transition.guard,
                "sync" => &mut transition.sync,
                "assign" => &mut transition.update,
                "probability" => {
                    self.parser.tokens.bump();
                    self.up_to(&[";", "}"])?;
                    self.parser.tokens.expect(";")?;
                    transition.weight = Some(at);
                    continue;
                }
                _ => {
                    let wanted = "`select`, `guard`, `sync`, `assign` or `}`";
                    return Err(self.parser.tokens.unexpected(wanted));
                }
            };
            self.parser.tokens.bump();
            let text = self.up_to(&[";", "}"])?;
            self.parser.tokens.expect(";")?;
            if label.replace(text).is_some() {
                return Err(Diagnostic::error(at, format!("there are two `{word}`")));
            }
        }
        Ok(())
    }
}
