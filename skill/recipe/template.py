"""Templates over the fields of a record: text with ``{{ field }}``, loops and conditions, and nothing that computes.

A template never makes a script: verifiers and oracles are files of the recipe, the same for every record, and read
what differs from data.json beside them. So no field can become code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from jinja2 import StrictUndefined, TemplateError, Undefined, nodes
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment

from skill.recipe.errors import BadRecord

FILTERS: Final = frozenset(("trim", "join", "first", "last", "length", "tojson", "indent"))
ALLOWED: Final = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Getattr, nodes.Getitem, nodes.Const,
    nodes.Filter, nodes.For, nodes.If, nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Test,
    nodes.Keyword,
)  # fmt: skip
WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:@+-]*")


def fault(text: str) -> str:
    """Why ``text`` is no template of ours; empty when it is one."""
    try:
        tree = _environment(_as_text).parse(text)
    except TemplateError as error:
        return f"line {getattr(error, 'lineno', 1)}: {error}"
    for node in tree.find_all(nodes.Node):
        line = getattr(node, "lineno", 1)
        if not isinstance(node, ALLOWED):
            return f"line {line}: a template has fields, filters, for and if, but no {type(node).__name__.lower()}"
        if isinstance(node, nodes.Filter) and node.name not in FILTERS:
            return f"line {line}: no filter {node.name!r}; there are {', '.join(sorted(FILTERS))}"
    return ""


def fields_of(text: str) -> frozenset[str]:
    """The fields that a sound template asks for."""
    return frozenset(find_undeclared_variables(_environment(_as_text).parse(text)))


def filled(text: str, record: Mapping[str, Any]) -> str:
    """``text`` with the fields of ``record``; raises BadRecord for one that is missing or no plain value."""
    return _rendered(text, record, _as_text)


def filled_with_words(text: str, record: Mapping[str, Any]) -> str:
    """The same for files in which only a plain word is safe, such as a Dockerfile."""
    return _rendered(text, record, _as_word)


def _rendered(text: str, record: Mapping[str, Any], finalize: Callable[[Any], str]) -> str:
    try:
        return str(_compiled(text, finalize).render(record))
    except TemplateError as error:
        raise BadRecord(str(error)) from error
    except (TypeError, ValueError) as error:
        raise BadRecord(f"a template cannot be filled: {error}") from error


@lru_cache(maxsize=64)
def _compiled(text: str, finalize: Callable[[Any], str]) -> Any:
    return _environment(finalize).from_string(text)


@lru_cache(maxsize=2)
def _environment(finalize: Callable[[Any], str]) -> ImmutableSandboxedEnvironment:
    made = ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True, finalize=finalize)
    made.globals.clear()
    return made


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, Undefined):
        raise BadRecord(f"has no field {value._undefined_name!r}")
    raise BadRecord(f"{value!r:.60} is no text; a template takes texts and numbers, or a filter makes one")


def _as_word(value: Any) -> str:
    text = _as_text(value)
    if not WORD.fullmatch(text) or ".." in text:
        raise BadRecord(f"{text!r:.60} is no plain word of letters, digits and . _ / : @ + -")
    return text
