#!/usr/bin/env python3
"""Writes `python/hyperkill/documents.py` from the schemas that `hyperkill schema` prints. `--check` compares only.

`HYPERKILL` names the program.
"""

import argparse
import json
import keyword
import os
import pathlib
import re
import subprocess
import sys
import textwrap

TARGET = pathlib.Path(__file__).parent / "hyperkill" / "documents.py"
HYPERKILL = os.environ.get("HYPERKILL", "hyperkill")
WIDTH = 140

# Schemas of files that hyperkill reads and does not write.
INPUTS = {"config"}

HEAD = '''"""The documents of hyperkill as typed objects: a class for each object of the JSON Schemas.

This file is written by `python/generate.py`. A value with one of several forms is a class with a field for each form; one field is set.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple, Type, Union

from ._reading import Document
'''

SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "Dict[str, Any]", "null": "None"}


# Names of tagged values that may also be a text.
TEXTS = set()


def schemas():
    """Returns the schemas of all documents by name."""
    listed = subprocess.run([HYPERKILL, "schema", "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout
    names = re.findall(r"^ +- ([a-z-]+): ", listed.split("Options:")[0], re.MULTILINE)
    found = {}
    for name in names:
        if name not in INPUTS:
            said = subprocess.run([HYPERKILL, "schema", name], check=True, stdout=subprocess.PIPE).stdout
            found[name] = json.loads(said)
    return found


def union(types):
    """Returns the union of types, each once, in a fixed order."""
    types = sorted(set(types), key=lambda name: (name == "None", name))
    if len(types) == 1:
        return types[0]
    if types[-1] == "None":
        return f"Optional[{union(types[:-1])}]"
    return f"Union[{', '.join(types)}]"


def type_of(schema):
    """Returns the type of the values that a schema describes."""
    if schema is True or not isinstance(schema, dict):
        return "Any"
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return union([name, "str"]) if name in TEXTS else name
    if "enum" in schema or "const" in schema:
        return "str" if isinstance(schema.get("const", schema.get("enum", [""])[0]), str) else "Any"
    for several in ["anyOf", "oneOf"]:
        if several in schema:
            return union(type_of(one) for one in schema[several])
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not kinds:
        return "Any"
    return union(single(kind, schema) for kind in kinds)


def single(kind, schema):
    """Returns the type of values of one JSON type."""
    if kind == "array":
        if "prefixItems" in schema:
            return f"Tuple[{', '.join(type_of(item) for item in schema['prefixItems'])}]"
        return f"List[{type_of(schema.get('items', True))}]"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"Dict[str, {type_of(schema['additionalProperties'])}]"
    return SIMPLE[kind]


def forms(schema):
    """Returns the forms of a tagged value by their tags, or None for other schemas. A form without content is a text."""
    found = {}
    for form in schema.get("oneOf", []):
        properties = form.get("properties", {})
        if len(properties) == 1:
            ((tag, content),) = properties.items()
            content = content if isinstance(content, dict) else {}
            found[tag] = {"description": form.get("description", ""), **content}
        elif "const" not in form and "enum" not in form:
            return None
    return found or None


def documentation(text, indent, prefix=""):
    """Returns the lines of a text with a prefix."""
    lines = []
    for paragraph in (text or "").split("\n\n"):
        paragraph = " ".join(paragraph.split())
        lines += textwrap.wrap(paragraph, WIDTH - indent - len(prefix)) or [""]
    return [" " * indent + prefix + line for line in lines]


def field_line(name, kind, is_required):
    """Returns the line of a field. A name that Python does not take has `_` in it, and the name of the document beside it."""
    own = name.replace("-", "_")
    own = f"{own}_" if keyword.iskeyword(own) else own
    if not is_required and not kind.startswith("Optional["):
        kind = f"Optional[{kind}]"
    arguments = [] if is_required else ["default=None"]
    if own != name:
        arguments.append(f'metadata={{"name": "{name}"}}')
    if arguments == ["default=None"]:
        return f"    {own}: {kind} = None"
    value = f" = field({', '.join(arguments)})" if arguments else ""
    return f"    {own}: {kind}{value}"


def class_of(name, schema):
    """Returns the lines of the class of a schema, or of an alias."""
    tagged = forms(schema)
    properties = tagged or schema.get("properties")
    if not properties:
        comment = documentation(schema.get("description", ""), 0, "# ")
        return [*comment, f"{name} = {type_of(schema)}"]
    required = [] if tagged else schema.get("required", [])
    text = schema.get("description", name)
    lines = ["@dataclass(frozen=True, repr=False)", f"class {name}(Document):"]
    block = documentation(text, 4 + len('""""""'))
    block = [f"    {line.strip()}".rstrip() for line in block]
    block[0] = '    """' + block[0].strip()
    lines += [*block[:-1], block[-1] + '"""', ""]
    order = [key for key in properties if key in required] + [key for key in properties if key not in required]
    for key in order:
        described = properties[key]
        if isinstance(described, dict) and described.get("description"):
            lines += documentation(described["description"], 4, "# ")
        lines.append(field_line(key, type_of(described), key in required))
    return lines


def with_texts(schema):
    """Whether a tagged value may also be a text."""
    return forms(schema) and any("const" in form or "enum" in form for form in schema["oneOf"])


def module(documents):
    """Returns the text of the module."""
    classes, roots, versions = {}, {}, {}
    for name, schema in documents.items():
        roots[name] = schema["title"]
        for inner, described in [*schema.get("$defs", {}).items(), (schema["title"], schema)]:
            described = {key: value for key, value in described.items() if key not in ["$defs", "$schema", "title"]}
            if classes.setdefault(inner, described) != described:
                raise ValueError(f"two schemas are called {inner}")
        stated = schema.get("properties", {}).get("schema", {}).get("description", "")
        version = re.search(r"`(hyperkill\.[a-z-]+/[0-9]+)`", stated)
        if version:
            versions.setdefault(version.group(1), set()).add(schema["title"])
    TEXTS.update(name for name, schema in classes.items() if with_texts(schema))
    aliases = {name for name, schema in classes.items() if not (forms(schema) or schema.get("properties"))}
    lines = [HEAD]
    for name in sorted(aliases):
        lines += ["", *class_of(name, classes[name])]
    for name in sorted(set(classes) - aliases):
        lines += ["", "", *class_of(name, classes[name])]
    lines += ["", "", "# The class of a document by its `schema`, if one class alone has it.", "SCHEMAS: Dict[str, Type[Document]] = {"]
    lines += [f'    "{version}": {named},' for version, (named, *others) in sorted(versions.items()) if not others]
    lines += ["}", "", "# The class of a document by its name in `hyperkill schema`.", "DOCUMENTS: Dict[str, Type[Document]] = {"]
    lines += [f'    "{name}": {roots[name]},' for name in sorted(roots)]
    lines += ["}", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    settings = parser.parse_args()
    text = module(schemas())
    if not settings.check:
        TARGET.write_text(text, encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != text:
        print(f"{TARGET} is not what the schemas say: run {__file__}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
