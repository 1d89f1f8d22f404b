"""The engine confirms every fact that is read from the text of a Dockerfile, or the text is said not to tell."""

from __future__ import annotations

import posixpath
import subprocess
from collections.abc import Iterator

import pytest

from skill.dockerfile import Dockerfile, is_root, parse
from skill.image_facts import ImageFacts
from tools.runners.docker_engine import connect
from tools.runners.docker_facts import configured

pytestmark = pytest.mark.docker

TEXTS = {
    "nothing": "",
    "user": "USER app",
    "the last user counts": "USER app\nUSER root",
    "user and group": "USER 1000:100",
    "user by argument": "ARG U=app\nUSER ${U}",
    "user by environment": "ENV U=1\nUSER $U:$U",
    "user with a default": "USER ${U:-app}",
    "a stage's user is inherited": "USER app\nFROM one AS two\nENV A=1",
    "another stage's user is not": "USER app\nFROM scratch\nENV A=1",
    "two variables in a line": "ENV A=1 B=2",
    "the old form": "ENV A one two",
    "quotes and blanks": "ENV A=\"x y\" B='$A' C=x\\ y",
    "one line sees old values": "ENV A=1\nENV A=2 B=$A",
    "a path that grows": "ENV PATH=/a\nENV PATH=/b:$PATH",
    "an unset variable": "ENV A=x${NONE}y",
    "an alternative": "ENV A=1\nENV B=${A:+set} C=${N:+set} D=${N:-no}",
    "an escaped dollar": "ENV A=\\$HOME",
    "environment beats argument": "ARG A=1\nENV A=2\nENV B=$A",
    "an argument is not kept": "ARG A=1\nENV B=$A",
    "continued": "ENV A=1 \\\n    B=2",
    "entrypoint": 'ENTRYPOINT ["a", "b c"]',
    "entrypoint in a shell": "ENTRYPOINT serve --now",
    "command": 'CMD ["run"]',
    "entrypoint takes an inherited command": 'CMD ["a"]\nFROM one\nENTRYPOINT ["e"]',
    "entrypoint taken back": 'ENTRYPOINT ["a"]\nENTRYPOINT []\nCMD ["c"]',
    "another shell": 'SHELL ["/bin/bash", "-c"]\nCMD go',
    "working directory by argument and environment": "ARG D=a\nENV E=/e\nWORKDIR $E\nWORKDIR $D",
}


def built(text: str) -> Iterator[str]:
    done = subprocess.run(["docker", "build", "-q", "-"], input=text.encode(), capture_output=True, check=True)
    image = done.stdout.decode().strip()
    try:
        yield image
    finally:
        subprocess.run(["docker", "image", "rm", "-f", image], capture_output=True, check=True)


def told(facts: Dockerfile | ImageFacts) -> dict[str, object]:
    """What both sides tell, in one form: a shell by its name, the environment without the builder's own PATH."""
    commands = {"entrypoint": facts.entrypoint or (), "cmd": facts.cmd or ()}
    return {
        "workdir": posixpath.normpath(facts.workdir or "/"),
        "user": facts.user or "",
        "root": is_root(facts.user),
        "env": {key: value for key, value in facts.env.items() if (key, value[:15]) != ("PATH", "/usr/local/sbin")},
        **{key: tuple(word.removeprefix("/bin/") for word in words) for key, words in commands.items()},
    }


@pytest.mark.parametrize("name", TEXTS)
def test_the_engine_agrees(name: str) -> None:
    text = f"FROM scratch AS one\n{TEXTS[name]}\nLABEL suite-converter-test=facts\n"
    for image in built(text):
        facts = configured(connect(), image)
        assert facts is not None
        assert told(parse(text.encode())) == told(facts)
