//! Raw tokens to the tokens of the language: `define`, `ifdef`, `include` and similar directives.
//!
//! Every token keeps a place in one of the user's files. A token from a macro has the place and the number of the usage, so that a mutant
//! replaces an entire usage, never half of one.

use std::sync::Arc;

use hyperkill_frontend::mutation::{Switch, switched_off};
use hyperkill_frontend::{Diagnostic, SourceFile, Span, counted};
use rustc_hash::FxHashMap;

use crate::lexer::{Kind, Remark, Token, lex};

/// Most tokens of all files: more are a macro bomb.
const MAX_TOKENS: usize = 5_000_000;
/// Most nested usages of macros.
const MAX_DEPTH: usize = 200;

/// The result of preprocessing all files.
#[derive(Debug, Default)]
pub struct Text {
    /// The tokens, the last one [`Kind::End`].
    pub tokens: Vec<Token>,
    /// Stretches without mutants.
    pub off: Vec<Span>,
    /// Lines (file, line from 1) whose declarations are choices.
    pub choices: Vec<(usize, usize)>,
    /// Tokens from which `default_nettype` requires declarations of nets, or no longer does.
    pub strict_nets: Vec<(u32, bool)>,
    /// Files that `include` names and that are not among the sources.
    pub missing: Vec<Missing>,
}

/// A file that a source needs and that is missing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// Its name as written.
    pub name: String,
    /// The name of the file that includes it.
    pub asked_by: String,
    /// The place of the `include`.
    pub place: Span,
}

#[derive(Clone, Debug)]
struct Macro {
    /// Names and defaults of its parameters, if it has a list of them.
    parameters: Option<Vec<(Arc<str>, Vec<Token>)>>,
    body: Vec<Token>,
}

/// Tokens that are still to be read.
struct Input {
    tokens: Vec<Token>,
    at: usize,
    /// Place and number of the usage that they come from.
    usage: Option<(Span, u32)>,
}

/// An open `ifdef`.
struct Branch {
    place: Span,
    /// Whether its tokens are read.
    taken: bool,
    /// Whether one of its branches has been read.
    done: bool,
}

struct Preprocessor<'a> {
    sources: &'a [SourceFile],
    macros: FxHashMap<Arc<str>, Macro>,
    inputs: Vec<Input>,
    branches: Vec<Branch>,
    usages: u32,
    skipping: bool,
    text: Text,
}

/// Reads all sources that no other one includes, in order, with these macros defined first.
///
/// # Errors
/// If directives are wrong: all errors in the order of the text. Missing files are not errors here.
pub fn preprocess(
    sources: &[SourceFile],
    definitions: &[(String, String)],
) -> Result<Text, Vec<Diagnostic>> {
    let mut preprocessor = Preprocessor {
        sources,
        macros: FxHashMap::default(),
        inputs: Vec::new(),
        branches: Vec::new(),
        usages: 0,
        skipping: false,
        text: Text::default(),
    };
    for (name, value) in definitions {
        let body = lex(0, value);
        let body = body.into_iter().filter(|token| token.kind != Kind::Newline);
        let parameters = None;
        let body = body.collect();
        preprocessor
            .macros
            .insert(Arc::from(name.as_str()), Macro { parameters, body });
    }
    let mut end = Span::default();
    for (file, source) in sources.iter().enumerate() {
        if source.included.is_some() {
            continue;
        }
        end = Span {
            file,
            start: source.text.len(),
            end: source.text.len(),
        };
        preprocessor.file(file).map_err(|error| vec![error])?;
        if !preprocessor.text.missing.is_empty() {
            break;
        }
    }
    preprocessor.text.tokens.push(Token {
        kind: Kind::End,
        text: Arc::from(""),
        span: end,
        usage: 0,
    });
    Ok(preprocessor.text)
}

/// Directives to other tools; they are dropped with the rest of their line.
const IGNORED: &[&str] = &[
    "timescale",
    "celldefine",
    "endcelldefine",
    "line",
    "pragma",
    "begin_keywords",
    "end_keywords",
    "nounconnected_drive",
    "unconnected_drive",
    "protect",
    "endprotect",
    "default_decay_time",
    "default_trireg_strength",
    "delay_mode_path",
    "suppress_faults",
    "nosuppress_faults",
    "enable_portfaults",
    "disable_portfaults",
];

impl Preprocessor<'_> {
    fn file(&mut self, file: usize) -> Result<(), Diagnostic> {
        let depth = self.inputs.len();
        let branches = self.branches.len();
        self.open(file);
        while self.inputs.len() > depth {
            self.step()?;
            if !self.text.missing.is_empty() {
                // The definitions of the missing file are missing, too: skip the rest.
                self.inputs.truncate(depth);
                self.branches.truncate(branches);
            }
        }
        match self.branches.get(branches) {
            Some(open) => Err(Diagnostic::error(open.place, "this has no `endif`")),
            None => Ok(()),
        }
    }

    /// Continues with the text of a file.
    fn open(&mut self, file: usize) {
        let tokens = lex(file, &self.sources[file].text);
        self.remarks(file, &tokens);
        self.inputs.push(Input {
            tokens,
            at: 0,
            usage: None,
        });
    }

    /// Collects the directives on mutants and choices from the comments of a file.
    fn remarks(&mut self, file: usize, tokens: &[Token]) {
        let text = &self.sources[file].text;
        let mut switches = Vec::new();
        for (i, token) in tokens.iter().enumerate() {
            if token.kind != Kind::Remark {
                continue;
            }
            let place = token.span;
            let remark = Remark::of(&token.text);
            match remark {
                Some(Remark::MutantsOff | Remark::MutantsOn) => switches.push(Switch {
                    place,
                    own_line: i == 0 || tokens[i - 1].kind == Kind::Newline,
                    off: remark == Some(Remark::MutantsOff),
                }),
                Some(Remark::Choice) => {
                    let line = text[..place.start].matches('\n').count() + 1;
                    self.text.choices.push((file, line));
                }
                _ => {}
            }
        }
        let off = switched_off(text, switches);
        self.text.off.extend(off);
    }

    fn reading(&self) -> bool {
        self.branches.iter().all(|branch| branch.taken)
    }

    /// Returns the next token; `None` at the end of the innermost input.
    fn next(&mut self) -> Option<Token> {
        let input = self.inputs.last_mut()?;
        let mut token = input.tokens.get(input.at)?.clone();
        input.at += 1;
        if let Some((span, usage)) = input.usage {
            (token.span, token.usage) = (span, usage);
        }
        Some(token)
    }

    fn peek(&self) -> Option<&Token> {
        let input = self.inputs.last()?;
        input.tokens.get(input.at)
    }

    /// Returns the tokens up to the end of the line.
    fn line(&mut self) -> Vec<Token> {
        let mut line = Vec::new();
        while let Some(token) = self.next() {
            match token.kind {
                Kind::Newline => break,
                Kind::Remark => {}
                _ => line.push(token),
            }
        }
        line
    }

    fn step(&mut self) -> Result<(), Diagnostic> {
        let Some(token) = self.next() else {
            self.inputs.pop();
            return Ok(());
        };
        match token.kind {
            Kind::Newline => {}
            Kind::Remark => match Remark::of(&token.text) {
                Some(Remark::SkipFrom) => self.skipping = true,
                Some(Remark::SkipTo) => self.skipping = false,
                _ => {}
            },
            Kind::Directive => self.directive(&token)?,
            _ if !self.reading() || self.skipping => {}
            Kind::Unknown => {
                let message = match &*token.text {
                    "/*" => "this comment does not end".to_owned(),
                    "\"" => "this string does not end on its line".to_owned(),
                    text => format!("`{text}` is no token of Verilog"),
                };
                return Err(Diagnostic::error(token.span, message));
            }
            _ => self.push(token)?,
        }
        Ok(())
    }

    fn push(&mut self, token: Token) -> Result<(), Diagnostic> {
        if self.text.tokens.len() >= MAX_TOKENS {
            let message = format!("more than {MAX_TOKENS} tokens");
            return Err(Diagnostic::error(token.span, message));
        }
        self.text.tokens.push(token);
        Ok(())
    }

    fn directive(&mut self, token: &Token) -> Result<(), Diagnostic> {
        match &*token.text {
            name @ ("ifdef" | "ifndef") => {
                let defined = self.is_defined(token)?;
                let taken = defined == (name == "ifdef");
                self.branches.push(Branch {
                    place: token.span,
                    taken,
                    done: taken,
                });
            }
            name @ ("elsif" | "else" | "endif") => {
                let defined = name == "elsif" && self.is_defined(token)?;
                let Some(branch) = self.branches.last_mut() else {
                    let message = format!("`{name}` without `ifdef`");
                    return Err(Diagnostic::error(token.span, message));
                };
                if name == "endif" {
                    self.branches.pop();
                } else {
                    branch.taken = !branch.done && (name == "else" || defined);
                    branch.done |= branch.taken;
                }
            }
            "define" => {
                let line = self.line();
                if self.reading() {
                    self.define(token, line)?;
                }
            }
            _ if !self.reading() => {}
            "undef" => {
                if let Some(name) = self.line().first() {
                    self.macros.remove(&name.text);
                }
            }
            "undefineall" => self.macros.clear(),
            "include" => return self.include(token),
            "__FILE__" => {
                let mut text = token.clone();
                text.kind = Kind::Text;
                text.text = Arc::from(self.sources[token.span.file].name.as_str());
                return self.push(text);
            }
            "__LINE__" => {
                let source = &self.sources[token.span.file].text;
                let line = source[..token.span.start].matches('\n').count() + 1;
                let mut number = token.clone();
                number.kind = Kind::Number;
                number.text = Arc::from(line.to_string().as_str());
                return self.push(number);
            }
            name @ ("default_nettype" | "resetall") => {
                let strict = self
                    .line()
                    .first()
                    .is_some_and(|word| &*word.text == "none");
                let from = self.text.tokens.len() as u32;
                self.text
                    .strict_nets
                    .push((from, strict && name == "default_nettype"));
            }
            name if IGNORED.contains(&name) => {
                self.line();
            }
            _ if self.skipping => {}
            _ => return self.expand(token),
        }
        Ok(())
    }

    fn is_defined(&mut self, directive: &Token) -> Result<bool, Diagnostic> {
        match self.next() {
            Some(name) if matches!(name.kind, Kind::Word | Kind::Escaped) => {
                Ok(self.macros.contains_key(&name.text))
            }
            _ => Err(Diagnostic::error(
                directive.span,
                format!("`{}` needs the name of a macro", directive.text),
            )),
        }
    }

    fn define(&mut self, directive: &Token, line: Vec<Token>) -> Result<(), Diagnostic> {
        let bad = |message: &str| Err(Diagnostic::error(directive.span, message));
        let mut line = line.into_iter().peekable();
        let Some(name) = line.next().filter(|token| token.kind == Kind::Word) else {
            return bad("`define` needs the name of a macro");
        };
        // A parenthesis begins parameters only if it touches the name.
        let list = line
            .peek()
            .is_some_and(|next| next.is("(") && next.span.start == name.span.end);
        let mut parameters = None;
        if list {
            line.next();
            let mut all: Vec<(Arc<str>, Vec<Token>)> = Vec::new();
            loop {
                let Some(parameter) = line.next() else {
                    return bad("the list of parameters does not end");
                };
                if parameter.is(")") {
                    break;
                }
                if parameter.kind != Kind::Word {
                    return bad("a parameter of a macro is a name");
                }
                let mut default = Vec::new();
                let mut depth = 0;
                let last = loop {
                    let Some(token) = line.next() else {
                        return bad("the list of parameters does not end");
                    };
                    if depth == 0 && (token.is(",") || token.is(")")) {
                        break token;
                    }
                    depth += i32::from(token.is("(")) - i32::from(token.is(")"));
                    if !(default.is_empty() && token.is("=")) {
                        default.push(token);
                    }
                };
                all.push((parameter.text, default));
                if last.is(")") {
                    break;
                }
            }
            parameters = Some(all);
        }
        let body = line.collect();
        self.macros.insert(name.text, Macro { parameters, body });
        Ok(())
    }

    fn include(&mut self, directive: &Token) -> Result<(), Diagnostic> {
        let line = self.line();
        if self.skipping {
            return Ok(());
        }
        let name = match line.first() {
            Some(token) if token.kind == Kind::Text => token.text.to_string(),
            Some(token) if token.kind == Kind::Directive => {
                let body = self.macros.get(&token.text).map(|m| m.body.as_slice());
                match body {
                    Some([text]) if text.kind == Kind::Text => text.text.to_string(),
                    _ => String::new(),
                }
            }
            _ => String::new(),
        };
        if name.is_empty() {
            let message = "`include` needs a file name in quotes";
            return Err(Diagnostic::error(directive.span, message));
        }
        if self.inputs.len() > MAX_DEPTH {
            let message = "files include each other without end";
            return Err(Diagnostic::error(directive.span, message));
        }
        let found = self
            .sources
            .iter()
            .position(|source| source.included.as_deref() == Some(name.as_str()));
        match found {
            Some(file) => {
                if self.text.off.iter().any(|off| off.overlaps(directive.span)) {
                    let end = self.sources[file].text.len();
                    self.text.off.push(Span {
                        file,
                        start: 0,
                        end,
                    });
                }
                self.open(file);
            }
            None => {
                let asked_by = self.sources[directive.span.file].name.clone();
                let place = line.first().map_or(directive.span, |file| file.span);
                self.text.missing.push(Missing {
                    name,
                    asked_by,
                    place,
                });
            }
        }
        Ok(())
    }

    /// Expands a usage of a macro: its body becomes the next input.
    fn expand(&mut self, usage: &Token) -> Result<(), Diagnostic> {
        let Some(definition) = self.macros.get(&usage.text).cloned() else {
            let message = format!("the macro `{}` is not defined", usage.text);
            return Err(Diagnostic::error(usage.span, message)
                .with_help("define it with -D, or give the file that does first"));
        };
        if self.inputs.len() > MAX_DEPTH {
            let message = format!("the macro `{}` uses itself without end", usage.text);
            return Err(Diagnostic::error(usage.span, message));
        }
        let (mut place, mut number) = (usage.span, usage.usage);
        let mut body = definition.body;
        if let Some(parameters) = definition.parameters {
            let (arguments, end) = self.arguments(usage)?;
            if usage.usage == 0 {
                place.end = end.end.max(place.end);
            }
            if arguments.len() > parameters.len().max(1) {
                let message = format!(
                    "the macro `{}` has {} and is given {}",
                    usage.text,
                    counted(parameters.len(), "parameter"),
                    counted(arguments.len(), "value")
                );
                return Err(Diagnostic::error(usage.span, message));
            }
            let mut values: FxHashMap<&str, &[Token]> = FxHashMap::default();
            for (i, (name, default)) in parameters.iter().enumerate() {
                let given = arguments.get(i).filter(|given| !given.is_empty());
                values.insert(name, given.unwrap_or(default));
            }
            let replaced = body
                .iter()
                .flat_map(|token| match values.get(&*token.text) {
                    Some(value) if token.kind == Kind::Word => value.to_vec(),
                    _ => vec![token.clone()],
                });
            body = replaced.collect();
        }
        body = pasted(usage.span.file, body);
        if number == 0 {
            self.usages += 1;
            number = self.usages;
        }
        self.inputs.push(Input {
            tokens: body,
            at: 0,
            usage: Some((place, number)),
        });
        Ok(())
    }

    /// Returns the arguments of a usage, and the end of their list.
    fn arguments(&mut self, usage: &Token) -> Result<(Vec<Vec<Token>>, Span), Diagnostic> {
        while self.peek().is_some_and(|token| token.kind == Kind::Newline) {
            self.next();
        }
        let bad = |message: &str| Err(Diagnostic::error(usage.span, message));
        if !self.next().is_some_and(|token| token.is("(")) {
            return bad("this macro needs arguments");
        }
        let mut arguments = vec![Vec::new()];
        let mut depth = 0;
        loop {
            let Some(token) = self.next() else {
                return bad("the list of arguments does not end");
            };
            if depth == 0 && token.is(")") {
                return Ok((arguments, token.span));
            }
            if depth == 0 && token.is(",") {
                arguments.push(Vec::new());
                continue;
            }
            if ["(", "[", "{"].iter().any(|open| token.is(open)) {
                depth += 1;
            } else if [")", "]", "}"].iter().any(|close| token.is(close)) {
                depth -= 1;
            }
            if !matches!(token.kind, Kind::Newline | Kind::Remark)
                && let Some(last) = arguments.last_mut()
            {
                last.push(token);
            }
        }
    }
}

/// Skips the tokens of a block comment whose opening, ``/``*``, is already consumed; its end, ``*``/``, is consumed too. Without an end the
/// comment extends to the end of the macro.
fn skip_pasted_comment(rest: &mut impl Iterator<Item = Token>) {
    let (mut star, mut joined) = (false, false);
    for token in rest {
        if joined && token.text.starts_with('/') {
            return;
        }
        joined = star && token.is("``");
        star = token.kind == Kind::Punct && token.text.ends_with('*');
    }
}

/// Returns the body of a macro with its arguments: the tokens around ` `` ` become one, and the text between `` `" `` becomes a string.
fn pasted(file: usize, body: Vec<Token>) -> Vec<Token> {
    let mark = |token: &Token, text: &str| token.is(text);
    if !body.iter().any(|t| mark(t, "``") || mark(t, "`\"")) {
        return body;
    }
    let mut all: Vec<Token> = Vec::new();
    let mut rest = body.into_iter();
    while let Some(token) = rest.next() {
        if mark(&token, "``") {
            let (Some(left), Some(right)) = (all.pop(), rest.next()) else {
                continue;
            };
            if mark(&left, "/") && right.text.starts_with('*') {
                skip_pasted_comment(&mut rest);
                continue;
            }
            let both = lex(file, &format!("{}{}", left.text, right.text));
            all.extend(both.into_iter().map(|made| Token {
                span: left.span,
                ..made
            }));
        } else if mark(&token, "`\"") {
            let inside = rest.by_ref().take_while(|t| !mark(t, "`\""));
            let words: Vec<String> = inside.map(|t| t.text.to_string()).collect();
            all.push(Token {
                kind: Kind::Text,
                text: Arc::from(words.join(" ").as_str()),
                ..token
            });
        } else {
            all.push(token);
        }
    }
    all
}
