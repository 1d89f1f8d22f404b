"""The source's script as it stands in the converted case: whole, or without what test.sh took over.

Bootstrap statements that moved to test.sh become comments on their own lines, so that line numbers hold. In the
direct form the script ends with its test command; the tail that turned a status into a reward is test.sh's.
"""

from __future__ import annotations

import re
import shlex

from skill import bash
from skill.bash import Node
from skill.verifier.placement import top_level
from skill.verifier.prefix import FILTERS, Kind
from skill.verifier.runner import Call
from skill.verifier.split import Split
from skill.verifier.status import SHEBANG_ERREXIT, STOPPING

MOVED = b"# moved to test.sh: "
PLAIN_SHELL = re.compile(rb"#!\s*(?:/usr)?/bin/(?:env\s+)?(?:da)?sh\b")  # has no PIPESTATUS


@bash.once_a_script
def whole(script: bash.Script, cut: Split) -> bytes:
    """The wrapped form's script: byte for byte the source's, but for bootstrap that moved and a dropped guard."""
    return _edited(script.data, _moves(script, cut))


@bash.once_a_script
def until_test(script: bash.Script, cut: Split, call: Call, inserts: tuple[tuple[int, str], ...] = ()) -> bytes:
    """The direct form's script: everything up to the test command, whose status becomes the script's.

    ``inserts`` are texts of ours in the test command, each with its offset in the script.
    """
    test = cut.test
    assert test is not None
    top = top_level(test)
    if call.runner == "pytest" and call.insert_at and not call.report:
        inserts = (*inserts, (call.insert_at, ' --junitxml="$VERDICT_DIR/report.xml"'))
    text = _edited(script.data[: test.end_byte], [(at, at, insert.encode()) for at, insert in inserts])[
        test.start_byte :
    ]
    if call.runner == "pytest" and may_stop(script, cut):
        text = b': >"$VERDICT_DIR/reached"; ' + text
    head = _edited(script.data[: top.start_byte], [move for move in _moves(script, cut) if move[1] <= top.start_byte])
    if top.type == "pipeline" and top.named_children[0].id == test.id and not PLAIN_SHELL.match(script.data):
        rest = script.data[test.end_byte : top.end_byte]  # the log that a tee leaves stays where the source has it
        return head + text + rest + b'\nexit "${PIPESTATUS[0]}"\n'
    return head + text + b"\n"


@bash.once_a_script
def may_stop(script: bash.Script, cut: Split) -> bool:
    """Whether an option lets the script end at a failure before its test command."""
    return bool(STOPPING.search("\n".join(cut.options)) or SHEBANG_ERREXIT.match(script.data))


@bash.once_a_script
def bootstrap(script: bash.Script, cut: Split) -> tuple[str, ...]:
    """The statements of test.sh that do the source's bootstrap, each install guarded."""
    last = max((i for i, (kind, _) in enumerate(cut.prefix) if kind is Kind.INSTALL), default=-1)
    options = "\n".join(script.text(node) for kind, node in cut.prefix if kind is Kind.OPTION)
    stops = bool(STOPPING.search(options) or SHEBANG_ERREXIT.match(script.data))
    lines: list[str] = []
    for kind, node in cut.prefix[: last + 1]:
        text = script.text(node)
        if kind is Kind.INSTALL:
            lines.append(text + _guard(script, node, stops))
        elif kind in (Kind.ASSIGN, Kind.ENTER):
            lines.append(text)
    return tuple(lines)


def _guard(script: bash.Script, node: Node, stops: bool) -> str:
    text = " ".join(script.text(node).replace("\\\n", " ").split())
    tail = node.named_children[-1] if node.type == "pipeline" else None
    filtered = tail is not None and bash.name(script, tail) in FILTERS
    updates = re.fullmatch(r"(?:sudo )?apt(?:-get)?(?: -\S+)* update(?: -\S+)*(?: *[12&]?> *\S+)*", text)
    forgiven = re.search(r"\|\|\s*(?:true|:|echo\b.*)$", text)
    begun = not stops and re.fullmatch(r"uv init(?: -\S+)*", text)  # fails where the candidate has a project already
    if filtered or updates or forgiven or begun or node.type in ("if_statement", "compound_statement"):
        return ""  # the source goes on when this fails; the tools are tried afterwards
    return f" || infra {shlex.quote(f'bootstrap failed in source line {bash.line(node)}: {text[:80]}')}"


def _moves(script: bash.Script, cut: Split) -> list[tuple[int, int, bytes]]:
    moves: list[tuple[int, int, bytes]] = []
    for kind, node in cut.prefix:
        if kind is Kind.INSTALL or kind is Kind.GUARD:
            moves.append((node.start_byte, node.end_byte, _comment(script.data, node)))
    return moves


def _comment(data: bytes, node: Node) -> bytes:
    start = data.rfind(b"\n", 0, node.start_byte) + 1
    end = data.find(b"\n", node.end_byte)
    after = data[node.end_byte : end if end >= 0 else len(data)].strip()
    if data[start : node.start_byte].strip() or (after not in (b"", b";") and not after.startswith(b"#")):
        return b":"
    return b"\n".join(MOVED + line for line in data[node.start_byte : node.end_byte].split(b"\n"))


def _edited(data: bytes, moves: list[tuple[int, int, bytes]]) -> bytes:
    out, at = b"", 0
    for start, end, text in sorted(moves):
        out += data[at:start] + text
        at = end
    return out + data[at:]
