"""The case of an odd verifier with everything mechanical done: only the body of tests/test.sh is missing.

Above the body stands what differs from case to case and is a program's to know: the limit, the hash of the list of
files, variables, the working directory. That is what lets one body serve a whole shape.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from skill import bash
from skill.ledger import digest
from skill.verifier import template
from skill.verifier.base import Odd, Rewrite, VerifierInput
from skill.verifier.patterns import Addition, Situation, additions
from skill.verifier.rewrite import BOM, reserved, test_places, unfit_names
from skill.verifier.runner import Call

MARK: Final = (
    "# suite-converter frame 1: all but the part between the two marks is a program's, and differs from case to case"
)
BEGIN: Final = "# >>> the verifier"
END: Final = "# <<< the verifier"
UNWRITTEN: Final = 'infra "this verifier is not written yet"'
FORM: Final = "rewritten"
SHELL: Final = re.compile(rb"#![^\n]*\b(?:ba|da|)sh\b")
AROUND: Final = ("alone", "intact", "own-settings", "guarded")
HASH: Final = re.compile(rb"(?m)^(  begin \d+ \d+ )[0-9a-f]{64}$")

Making = Callable[[VerifierInput], Rewrite | Odd]


def skeleton(shape: str) -> Making:
    """What makes the verifier of a case of ``shape`` that nobody has written yet."""
    return completed(shape, f"  {UNWRITTEN}\n".encode(), {}, "skeleton")


def completed(shape: str, body: bytes, files: Mapping[str, bytes], by: str) -> Making:
    """What makes a verifier of a written ``body`` and ``files`` below tests/."""

    def make(given: VerifierInput) -> Rewrite | Odd:
        if odd := reserved(given.assets) or unfit_names(given.env):
            return odd
        script = given.script.removeprefix(BOM)
        own = {template.SOURCE_SCRIPT: script, template.LIBRARY: template.library()}
        own |= {path: data for addition in hardening(given) for path, data in addition.files.items()} | dict(files)
        staged = {asset.path: asset.data for asset in given.assets} | own
        listed = template.manifest({path: digest(data) for path, data in staged.items()})
        text = {**own, template.MANIFEST: listed, "test.sh": framed(given, body, digest(listed))}
        return Rewrite(FORM, shape, by, text)

    return make


def hardening(given: VerifierInput) -> list[Addition]:
    """The patterns that can stand around a verifier whose body is not known."""
    script = bash.parse(given.script.removeprefix(BOM))
    if script.broken or (given.script.startswith(b"#!") and not SHELL.match(given.script)):
        return []
    found = additions(Situation(given, script, "wrapped", Call("reward")))
    return [addition for name, addition in found.items() if name in AROUND]


def framed(given: VerifierInput, body: bytes, manifest: str) -> bytes:
    """tests/test.sh with ``body`` in the frame of one case."""
    text = template.Text(
        form=FORM,
        shape="",
        limit=given.timeout_seconds,
        manifest=manifest,
        cwd=given.cwd,
        env=given.env,
        names=test_places(given),
        pre_verify=given.pre_verify,
    )
    added = hardening(given)
    first = [line for addition in added for line in addition.first]
    setup = [line for addition in added for line in addition.setup]
    after = [line for addition in added for line in addition.after]
    if after:  # what is looked at right after the candidate elsewhere is looked at before a pass here
        setup.append(f'pass() {{ {"; ".join(after)}; verdict 0 PASS "$1"; }}')
    whole = template.joined(MARK, [*first, *template.opening(text), *setup, BEGIN, END])
    mark = f"  {BEGIN}\n".encode()
    head, tail = whole.split(mark)
    return head + mark + body + tail


def body_of(script: bytes) -> bytes | None:
    """What stands between the marks of a test.sh; None unless each of them stands there once."""
    begin, end = (f"  {mark}\n".encode() for mark in (BEGIN, END))
    if script.count(begin) != 1 or script.count(end) != 1:
        return None
    before, _, rest = script.partition(begin)
    body, found, _ = rest.partition(end)
    return body if found and before else None


def frame_fault(script: bytes) -> str:
    """What is wrong with the frame of a test.sh written in a session; empty when it is whole and written."""
    body, frame = body_of(script), frame_of(script)
    if body is None or frame is None:
        return f"the two marks {BEGIN!r} and {END!r} do not stand there once each, in this order"
    blank = template.joined(MARK, ["", BEGIN, END])
    before, after = blank.split(f"\n  {BEGIN}\n".encode())
    if not frame.startswith(before) or not frame.endswith(after) or not re.search(rb"(?m)^  begin \d+ \d+ $", frame):
        return "the lines outside of the two marks are not those that suite-converter wrote"
    return "the verifier is not written yet" if UNWRITTEN.encode() in body else ""


def frame_of(script: bytes) -> bytes | None:
    """test.sh without its body and the hash of its list of files; None when the marks are gone."""
    body = body_of(script)
    mark = f"  {BEGIN}\n".encode()
    if body is None:
        return None
    before, _, rest = script.partition(mark)
    return HASH.sub(rb"\1", before) + rest[len(body) :]


def sealed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The list of files, and test.sh with its hash, for the ``files`` below tests/ as they stand."""
    left_out = ("test.sh", template.MANIFEST)
    listed = template.manifest({path: digest(data) for path, data in files.items() if path not in left_out})
    named = HASH.sub(rb"\g<1>" + digest(listed).encode(), files["test.sh"])
    return {template.MANIFEST: listed, "test.sh": named}
