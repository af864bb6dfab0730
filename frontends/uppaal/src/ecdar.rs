//! Projects of Ecdar: JSON files of components and declarations, as the XML that means the same.

use std::collections::BTreeSet;
use std::fmt::Write;

use hyperkill_core::mutant::{Mutant, Operator};
use hyperkill_core::system::Translation;
use hyperkill_frontend::{Diagnostic, Frontend, FrontendOptions, ModelOption, SourceFile, Span};
use hyperkill_text::json;
use serde::Deserialize;

use crate::UppaalFrontend;
use crate::xml::escaped;
use crate::xml::{label, quoted};

/// The suggestion for a file that is not part of a project.
const HELP: &str = "Ecdar saves each component and the declarations as JSON files";

/// Components in JSON files.
#[derive(Clone, Copy, Default, Debug)]
pub struct EcdarFrontend;

impl EcdarFrontend {
    /// The name of the language, as in `--language`.
    pub const NAME: &str = "ecdar";
}

/// A file of a project: a component, or declarations.
#[derive(Deserialize)]
struct Part {
    name: String,
    #[serde(default)]
    declarations: String,
    locations: Option<Vec<Location>>,
    #[serde(default)]
    edges: Vec<Edge>,
}

#[derive(Deserialize)]
struct Location {
    id: String,
    #[serde(default)]
    nickname: String,
    #[serde(default)]
    invariant: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    urgency: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Edge {
    source_location: String,
    target_location: String,
    status: String,
    #[serde(default)]
    select: String,
    #[serde(default)]
    guard: String,
    #[serde(default)]
    update: String,
    #[serde(default)]
    sync: String,
}

/// Returns the XML of a project from all of its files.
///
/// # Errors
/// If a file is not part of a project, or uses features that are not supported.
pub fn xml(sources: &[SourceFile]) -> Result<String, Vec<Diagnostic>> {
    let (mut global, mut system, mut components) = (String::new(), None, Vec::new());
    let mut errors = Vec::new();
    for (file, source) in sources.iter().enumerate() {
        let text = json::Text {
            file,
            text: &source.text,
            what: "file of a project",
            help: HELP,
        };
        match text.document::<Part>() {
            Ok(part) if part.locations.is_some() => components.push((file, part)),
            Ok(part) if part.name == "System Declarations" => system = Some(part.declarations),
            Ok(part) => global = part.declarations,
            Err(error) => errors.push(error),
        }
    }
    let mut templates = String::new();
    for (file, component) in &components {
        match template(component) {
            Ok(text) => templates.push_str(&text),
            Err(message) => {
                let place = Span {
                    file: *file,
                    ..Span::default()
                };
                errors.push(Diagnostic::error(
                    place,
                    format!("{}: {message}", component.name),
                ));
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let names: Vec<&str> = components
        .iter()
        .map(|(_, component)| component.name.as_str())
        .collect();
    let system = system.unwrap_or_else(|| format!("system {};", names.join(", ")));
    let channels = undeclared(&global, components.iter().map(|(_, component)| component));
    let channels = match channels.is_empty() {
        true => String::new(),
        false => format!("broadcast chan {};\n", channels.join(", ")),
    };
    Ok(format!(
        "<nta>\n<declaration>{}{}</declaration>\n{templates}<system>{}</system>\n</nta>\n",
        escaped(&channels),
        escaped(&global),
        escaped(&system)
    ))
}

/// Returns the channels of components that the global declarations do not name.
fn undeclared<'a>(global: &str, components: impl Iterator<Item = &'a Part>) -> Vec<&'a str> {
    let words: BTreeSet<&str> = global
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let edges = components.flat_map(|component| &component.edges);
    let syncs: BTreeSet<&str> = edges.map(|edge| edge.sync.as_str()).collect();
    let open = syncs
        .into_iter()
        .filter(|sync| !sync.is_empty() && !words.contains(sync));
    open.collect()
}

fn template(component: &Part) -> Result<String, String> {
    let mut text = format!(
        "<template>\n<name>{}</name>\n<declaration>{}</declaration>\n",
        escaped(&component.name),
        escaped(&component.declarations)
    );
    let mut initial = None;
    for location in component.locations.iter().flatten() {
        let invariant = match location.kind.as_str() {
            "NORMAL" => location.invariant.as_str(),
            "INITIAL" => {
                initial = Some(quoted(&location.id));
                location.invariant.as_str()
            }
            "INCONSISTENT" => "false",
            other => return Err(format!("locations of type {other} are not read")),
        };
        let urgency = match location.urgency.as_str() {
            "" | "NORMAL" | "PROHIBITED" => "",
            "URGENT" => "<urgent/>",
            "COMMITTED" => "<committed/>",
            other => return Err(format!("the urgency {other} is not known")),
        };
        let name = match location.nickname.trim() {
            "" => String::new(),
            name => format!("<name>{}</name>", escaped(name)),
        };
        let invariant = label("invariant", invariant);
        let id = quoted(&location.id);
        let _ = writeln!(
            text,
            "<location id=\"{id}\">{name}{invariant}{urgency}</location>"
        );
    }
    let initial = initial.ok_or("no location is of type INITIAL")?;
    let _ = writeln!(text, "<init ref=\"{initial}\"/>");
    for edge in &component.edges {
        let (sign, attribute) = match edge.status.as_str() {
            "INPUT" => ("?", ""),
            "OUTPUT" => ("!", " controllable=\"false\""),
            other => return Err(format!("the status {other} of an edge is not known")),
        };
        let sync = match edge.sync.trim() {
            "" => String::new(),
            sync => format!("{sync}{sign}"),
        };
        let _ = writeln!(
            text,
            "<transition{attribute}><source ref=\"{}\"/><target ref=\"{}\"/>{}{}{}{}</transition>",
            quoted(&edge.source_location),
            quoted(&edge.target_location),
            label("select", &edge.select),
            label("guard", &edge.guard),
            label("synchronisation", &sync),
            label("assignment", &edge.update),
        );
    }
    text.push_str("</template>\n");
    Ok(text)
}

impl Frontend for EcdarFrontend {
    fn name(&self) -> &'static str {
        EcdarFrontend::NAME
    }

    /// Returns no extensions: a file `*.json` is a netlist.
    fn extensions(&self) -> &'static [&'static str] {
        &[]
    }

    fn operators(&self) -> Vec<Operator> {
        UppaalFrontend.operators()
    }

    fn options(&self) -> &'static [ModelOption] {
        UppaalFrontend.options()
    }

    fn lacks(&self, option: ModelOption) -> &'static str {
        UppaalFrontend.lacks(option)
    }

    /// Returns the project as one file of Uppaal.
    fn prepare(
        &self,
        sources: Vec<SourceFile>,
        options: &FrontendOptions,
    ) -> Result<Vec<SourceFile>, Vec<Diagnostic>> {
        let text = xml(&sources)?;
        // A run is named after its first file.
        let name = sources
            .first()
            .map_or(String::new(), |source| source.name.clone());
        UppaalFrontend.prepare(vec![SourceFile::new(name, text)], options)
    }

    fn emitted(
        &self,
        mutated: &str,
        options: &FrontendOptions,
    ) -> Result<(String, Option<&'static str>), Vec<Diagnostic>> {
        UppaalFrontend.emitted(mutated, options)
    }

    fn featured(
        &self,
        sources: &[SourceFile],
        mutants: &[&Mutant],
        options: &FrontendOptions,
    ) -> Option<Result<String, Vec<Diagnostic>>> {
        UppaalFrontend.featured(sources, mutants, options)
    }

    fn translate(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Translation, Vec<Diagnostic>> {
        UppaalFrontend.translate(sources, options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPONENT: &str = r#"{ "name": "Door", "declarations": "clock x;",
      "locations": [ { "id": "L0", "nickname": "Shut", "invariant": "", "type": "INITIAL", "urgency": "NORMAL" },
                     { "id": "L1", "nickname": "", "invariant": "x<=2", "type": "NORMAL", "urgency": "NORMAL" } ],
      "edges": [ { "sourceLocation": "L0", "targetLocation": "L1", "status": "INPUT", "update": "x=0", "sync": "push" },
                 { "sourceLocation": "L1", "targetLocation": "L0", "status": "OUTPUT", "guard": "x>=1 && x<2", "sync": "click" } ] }"#;

    #[test]
    fn a_component_becomes_a_template_that_is_read() {
        let sources = vec![SourceFile::new("Door.json", COMPONENT)];
        let text = xml(&sources).unwrap();
        let automaton = crate::read_automaton(&text, &FrontendOptions::default()).unwrap();
        assert_eq!(automaton.locations[0].name, "Shut");
        assert_eq!(automaton.edges.len(), 2);
        assert_eq!(automaton.edges[1].guard.len(), 2);
        assert!(automaton.edges[0].action.is_input && !automaton.edges[1].action.is_input);
    }

    #[test]
    fn what_is_no_component_is_refused_in_its_file() {
        let broken = COMPONENT.replace("INITIAL", "UNIVERSAL");
        let files = |text: &str| {
            vec![
                SourceFile::new("a.json", COMPONENT),
                SourceFile::new("b.json", text),
            ]
        };
        for (text, message) in [
            ("{", "this is no file of a project"),
            ("[]", "this is no file of a project"),
            (broken.as_str(), "locations of type UNIVERSAL are not read"),
        ] {
            let errors = xml(&files(text)).unwrap_err();
            assert!(errors[0].message.contains(message), "{errors:?}");
            assert_eq!(errors[0].span.map(|span| span.file), Some(1));
        }
    }
}
