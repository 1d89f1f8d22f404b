"""Entrypoints: which only hand over, and what the others would have started."""

from __future__ import annotations

import pytest

from skill.entrypoint import started_by

NODE = """#!/bin/sh
set -e

# Run command with node if the first argument is no program
if [ "${1#-}" != "${1}" ] || [ -z "$(command -v "${1}")" ] || { [ -f "${1}" ] && ! [ -x "${1}" ]; }; then
  set -- node "$@"
fi

exec "$@"
"""


@pytest.mark.parametrize(
    ("entrypoint", "script"),
    [
        ([], None),
        (["/bin/sh"], None),
        (["tini", "-g", "--"], None),
        (["/usr/bin/tini", "--", "bash"], None),
        (["sleep", "infinity"], None),
        (["/entry.sh"], '#!/bin/sh\nset -e\nexec "$@"\n'),
        (["docker-entrypoint.sh"], NODE),
    ],
)
def test_what_only_hands_over(entrypoint: list[str], script: str | None) -> None:
    assert started_by(entrypoint, lambda _: script) == ""


@pytest.mark.parametrize(
    ("entrypoint", "script", "started"),
    [
        (["/usr/bin/redis-server", "--save"], None, "/usr/bin/redis-server --save"),
        (["tini", "--", "serve"], None, "serve"),
        (["/entry.sh"], '#!/bin/sh\nset -e\nPORT=1\ntide-daemon --port 1 &\nexec "$@"\n', "tide-daemon --port 1 &"),
        (["/entry.sh"], '#!/bin/sh\nmkdir /x\nservice cron start\nexec "$@"\n', "service cron start"),
        (["/entry.sh"], '#!/bin/sh\nexport A=1\nexec "$@"\n', "export A=1"),
        (
            ["/entry.sh"],
            '#!/bin/sh\nif [ -f x ] && tide-daemon; then\nfi\nexec "$@"\n',
            "if [ -f x ] && tide-daemon; then",
        ),
        (["/entry.sh"], "#!/bin/sh\nset -e\nexec tide-daemon\n", "exec tide-daemon"),
        (["/entry.sh"], "#!/bin/sh\n", "nothing, and ends"),
        (["sh", "-c", 'nginx; exec "$@"'], None, "nginx"),
    ],
)
def test_what_is_started_is_named(entrypoint: list[str], script: str | None, started: str) -> None:
    assert started_by(entrypoint, lambda _: script) == started
