//! Models written as XML.

use std::fmt::Write;

use crate::document::{LocationText, Nta, TemplateText, TransitionText};
use hyperkill_text::Excerpt;
pub use hyperkill_text::xml::{escaped, quoted, unescaped};

/// Returns a model as XML in the form of Uppaal.
#[must_use]
pub fn written(nta: &Nta) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<nta>\n");
    element(&mut text, "declaration", &nta.declaration.plain);
    for part in &nta.templates {
        template(&mut text, part);
    }
    if !nta.instantiation.plain.trim().is_empty() {
        element(&mut text, "instantiation", &nta.instantiation.plain);
    }
    element(&mut text, "system", &nta.system.plain);
    text.push_str("</nta>\n");
    text
}

fn element(text: &mut String, name: &str, inside: &str) {
    let _ = writeln!(text, "<{name}>{}</{name}>", escaped(inside));
}

/// Returns the XML of a label; empty for an empty text.
pub(crate) fn label(kind: &str, text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!("<label kind=\"{kind}\">{}</label>", escaped(text)),
    }
}

fn template(text: &mut String, template: &TemplateText) {
    text.push_str("<template>\n");
    element(text, "name", &template.name);
    if !template.parameter.plain.trim().is_empty() {
        element(text, "parameter", template.parameter.plain.trim());
    }
    element(text, "declaration", &template.declaration.plain);
    for part in &template.locations {
        location(text, part);
    }
    let id = |number: usize| {
        let location = template.locations.get(number);
        location.map_or(String::new(), |location| quoted(&location.id))
    };
    let _ = writeln!(text, "<init ref=\"{}\"/>", id(template.initial));
    for part in &template.transitions {
        transition(text, part, &id);
    }
    text.push_str("</template>\n");
}

fn location(text: &mut String, location: &LocationText) {
    let said = |text: &Option<Excerpt>| text.as_ref().map_or("", |text| &text.plain).to_owned();
    let rate = if location.has_rate { "1" } else { "" };
    let _ = write!(
        text,
        "<location id=\"{}\"><name>{}</name>{}{}",
        quoted(&location.id),
        escaped(&location.name),
        label("invariant", &said(&location.invariant)),
        label("exponentialrate", rate),
    );
    if location.is_urgent {
        text.push_str("<urgent/>");
    }
    if location.is_committed {
        text.push_str("<committed/>");
    }
    text.push_str("</location>\n");
}

fn transition(text: &mut String, transition: &TransitionText, id: &dyn Fn(usize) -> String) {
    let attribute = match transition.controllable {
        Some((false, _)) => " controllable=\"false\"",
        Some((true, _)) | None => "",
    };
    let _ = write!(
        text,
        "<transition{attribute}><source ref=\"{}\"/><target ref=\"{}\"/>",
        id(transition.source),
        id(transition.target)
    );
    for (kind, part) in [
        ("select", &transition.select),
        ("guard", &transition.guard),
        ("synchronisation", &transition.sync),
    ] {
        if let Some(part) = part {
            text.push_str(&label(kind, &part.plain));
        }
    }
    text.push_str(&label("assignment", &transition.updates()));
    text.push_str("</transition>\n");
}
