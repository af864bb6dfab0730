"""Makes typed objects of JSON values, and JSON values of them."""

from __future__ import annotations

import dataclasses
import functools
import sys
import typing


class Document:
    """The base of all documents and of their parts."""

    @classmethod
    def from_json(cls, value: typing.Any) -> typing.Any:
        """Returns the object that a JSON value describes. Members that the class does not know are ignored."""
        return read(cls, value)

    def __repr__(self) -> str:
        kind: typing.Any = type(self)
        members = ((own, getattr(self, own)) for _, own, _ in _members(kind))
        shown = ", ".join(f"{own}={value!r}" for own, value in members if value is not None)
        return f"{type(self).__name__}({shown})"

    def as_json(self) -> typing.Any:
        """Returns the JSON value of the object, without absent members."""
        return as_json(self)


@functools.lru_cache(maxsize=None)
def _members(cls: typing.Any) -> typing.List[typing.Tuple[str, str, typing.Any]]:
    """Returns name in documents, name in Python and type of each field."""
    types = typing.get_type_hints(cls, vars(sys.modules[cls.__module__]))
    fields = dataclasses.fields(cls)
    return [(field.metadata.get("name", field.name), field.name, types[field.name]) for field in fields]


def read(kind, value):
    """Returns the object of a type that a JSON value describes."""
    origin = typing.get_origin(kind)
    if origin is typing.Union:
        return _read_union(typing.get_args(kind), value)
    if isinstance(value, list) and origin is tuple:
        return tuple(read(inner, one) for inner, one in zip(typing.get_args(kind), value))
    if isinstance(value, list) and origin is list:
        return [read(typing.get_args(kind)[0], one) for one in value]
    if isinstance(value, dict) and origin is dict:
        return {name: read(typing.get_args(kind)[1], one) for name, one in value.items()}
    if isinstance(value, dict) and dataclasses.is_dataclass(kind):
        members = {own: read(inner, value[name]) for name, own, inner in _members(kind) if name in value}
        return kind(**members)
    return value


def _read_union(kinds, value):
    """Returns the object of the first type that takes the value."""
    for kind in kinds:
        origin = typing.get_origin(kind)
        fits = {list: origin in (list, tuple), dict: origin is dict or dataclasses.is_dataclass(kind)}.get(type(value))
        if fits:
            return read(kind, value)
    return value


def as_json(value):
    """Returns the JSON value of an object."""
    if dataclasses.is_dataclass(value):
        members = ((name, getattr(value, own)) for name, own, _ in _members(type(value)))
        return {name: as_json(member) for name, member in members if member is not None}
    if isinstance(value, (list, tuple)):
        return [as_json(one) for one in value]
    if isinstance(value, dict):
        return {name: as_json(one) for name, one in value.items()}
    return value
