"""Where a verifier ended: its own bash tells each line that it runs, in a file that nothing else reads.

Works for scripts that bash interprets; of others nothing is told.
"""

from __future__ import annotations

import re
from typing import Final

from tools.archive import Packed
from tools.capture import printable
from tools.runners.docker_box import DockerBox

FOLDER: Final = "/var/lib/suite-converter-trace"
START: Final = {"BASH_ENV": f"{FOLDER}/start"}  # bash reads it before the script's first line
READ_BYTES: Final = 1 << 24
SHOWN: Final = 80  # characters of a line
BEFORE: Final = 3  # lines

_START: Final = f"""\
case $0 in */test.sh)
  unset BASH_ENV
  exec {{suite_trace}}>>{FOLDER}/lines || return 0
  BASH_XTRACEFD=$suite_trace PS4='+:${{BASH_SOURCE[0]}}:${{LINENO}}: '
  set -x ;;
esac
"""
_LINE: Final = re.compile(r"^\++:(?:[^:\n]*/)?tests/test\.sh:(\d+): (.*)$", re.MULTILINE)

_PRIVATE: Final = re.compile(r"/tmp/tmp\.\w+")  # another name in every run


def lay(box: DockerBox) -> None:
    """Afterwards a bash that is started with START tells the lines of a test.sh."""
    box.shell('mkdir -p "$1" && chmod 777 "$1"', FOLDER)
    box.put([Packed("start", 0o644, _START.encode())], FOLDER)


def place(box: DockerBox) -> str:
    """The last line of tests/test.sh that was run and those before it, as "tests/test.sh:12: exit 0 (after 11: true)".

    Empty when nothing was told.
    """
    told = _PRIVATE.sub("/tmp/*", printable(box.read(f"{FOLDER}/lines", READ_BYTES) or b""))
    lines = _LINE.findall(told)
    if not lines:
        return ""
    number, text = lines[-1]
    before = dict(pair for pair in lines[-BEFORE - 1 :] if pair[0] != number)
    after = ", ".join(f"{number}: {text[:SHOWN]}" for number, text in before.items())
    return f"tests/test.sh:{number}: {text[:SHOWN]}" + (f" (after {after})" if after else "")
