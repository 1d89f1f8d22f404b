"""The part of JSON Schema that our tools use, checked by ourselves: a model's arguments are never trusted.

Schemas are flat on purpose (an object of strings, integers, booleans and lists of strings): any endpoint
understands them, and a wrong argument has one plain sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tools.errors import ToolError
from tools.plain import plain

Schema = Mapping[str, Any]
_TYPES = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}


def check(schema: Schema, arguments: object) -> Mapping[str, Any]:
    """``arguments`` as a mapping that satisfies ``schema``; raises ToolError that names the first defect."""
    if not isinstance(arguments, dict):
        raise _wrong("the arguments are no object")
    properties: Mapping[str, Schema] = schema["properties"]
    if missing := [name for name in schema.get("required", ()) if name not in arguments]:
        raise _wrong(f"{missing[0]} is missing")
    for name, value in arguments.items():
        if name not in properties:
            raise _wrong(f"{plain(str(name))[:40]!r} is no argument; there are {', '.join(sorted(properties))}")
        _check_value(name, properties[name], value)
    return arguments


def _check_value(name: str, schema: Schema, value: object) -> None:
    kind = schema["type"]
    if not isinstance(value, _TYPES[kind]) or (kind == "integer" and isinstance(value, bool)):
        raise _wrong(f"{name} must be of type {kind}")
    if isinstance(value, str) and len(value) > schema.get("maxLength", len(value)):
        raise _wrong(f"{name} is longer than {schema['maxLength']} characters")
    if isinstance(value, int) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        raise _wrong(f"{name} must be from {schema.get('minimum', '...')} to {schema.get('maximum', '...')}")
    if isinstance(value, list):
        if len(value) > schema.get("maxItems", len(value)):
            raise _wrong(f"{name} has more than {schema['maxItems']} entries")
        for item in value:
            _check_value(f"an entry of {name}", schema["items"], item)


def _wrong(sentence: str) -> ToolError:
    return ToolError("bad_arguments", sentence)
