//! Tokens to the syntax tree: the synthesizable part of Verilog-2005, and the common part of SystemVerilog.
//!
//! Known constructs without support are kept as such, and refused only if the design uses them: test benches beside a design do no harm.
//! Parsing stops at the first error.

mod cursor;
mod declaration;
mod expression;
mod generate;
mod instance;
mod interface;
mod item;
mod loops;
mod module;
mod primitive;
mod property;
mod statement;
mod types;

use hyperkill_frontend::Diagnostic;

use crate::ast::{ExprId, Item, Source};
use crate::lexer::Token;
use cursor::Parser;

/// Reads all modules.
///
/// # Errors
/// If the tokens are no Verilog: the first such place.
pub fn parse(tokens: Vec<Token>) -> Result<Source, Diagnostic> {
    let types = types::named_types(&tokens);
    let interfaces = interface::named_interfaces(&tokens);
    let mut parser = Parser::new(tokens, types, interfaces);
    while !parser.at_end() {
        parser.description()?;
    }
    Ok(parser.source)
}

/// Reads the value of a parameter into a source, e.g. the text of an option: an expression, or a type. A type without a name gets one that
/// the item declares.
///
/// # Errors
/// If the tokens are neither.
pub fn parse_value(
    source: &mut Source,
    tokens: Vec<Token>,
) -> Result<(ExprId, Option<Item>), Diagnostic> {
    let mut types = Vec::new();
    let value = parse_alone(source, tokens, |parser| parser.value_or_type(&mut types))?;
    Ok((value, types.pop()))
}

/// Reads one more expression into a source, e.g. the text of an option.
///
/// # Errors
/// If the tokens are no expression.
pub fn parse_expression(source: &mut Source, tokens: Vec<Token>) -> Result<ExprId, Diagnostic> {
    parse_alone(source, tokens, Parser::expression)
}

fn parse_alone(
    source: &mut Source,
    mut tokens: Vec<Token>,
    read: impl FnOnce(&mut Parser) -> Result<ExprId, Diagnostic>,
) -> Result<ExprId, Diagnostic> {
    let first = source.tokens.len();
    let types = types::named_types(&source.tokens);
    source.tokens.append(&mut tokens);
    let mut parser = Parser {
        types,
        ..Parser::at(std::mem::take(source), first)
    };
    let expression = read(&mut parser);
    let rest = parser.at_end();
    let here = parser.error("something follows the expression");
    *source = parser.source;
    match rest {
        true => expression,
        false => expression.and(Err(here)),
    }
}
