"""Looking into images: every fact confirmed against an image that was built for it, and nothing left behind."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from skill.image_facts import ImageFacts, There, from_table, to_table
from skill.image_ref import read_image_ref
from tests.support.images import BASE_IMAGE
from tools.facts_cache import FactsCache
from tools.runners.docker_engine import RUN_LABEL, connect, containers_with
from tools.runners.docker_facts import configured, pulled_digest, terms_of
from tools.runners.docker_look import Looker

pytestmark = pytest.mark.docker

NAME = "suite-converter/facts-test:1"
DOCKERFILE = f"""FROM {BASE_IMAGE}
WORKDIR /srv//tide/
USER 1000:1000
ENV MODE=fast A="x=y"
RUN ["/bin/true"]
COPY --chown=0:0 entry.sh /usr/local/bin/entry.sh
COPY tests /tests
COPY full /oracle
ENTRYPOINT ["entry.sh", "--now"]
CMD ["run"]
"""
ENTRY = '#!/bin/sh\ntide-daemon &\nexec "$@"\n'


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("facts")
    for path, text in {"Dockerfile": DOCKERFILE, "entry.sh": ENTRY, "full/a": ""}.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    (root / "tests").mkdir()
    subprocess.run(["docker", "build", "-q", "-t", NAME, str(root)], check=True, capture_output=True)
    yield NAME
    subprocess.run(["docker", "image", "rm", "-f", NAME], check=True, capture_output=True)


def looker(root: Path) -> Looker:
    return Looker(FactsCache(root / "cache"), "facts-test", connect())


def test_the_configuration_is_read(image: str) -> None:
    facts = configured(connect(), image)
    assert facts is not None
    assert (facts.workdir, facts.user, facts.runs_as_root) == ("/srv/tide", "1000:1000", False)
    assert (facts.env["MODE"], facts.env["A"]) == ("fast", "x=y")
    assert (facts.entrypoint, facts.cmd, facts.platform) == (("entry.sh", "--now"), ("run",), "linux/amd64")
    assert facts.programs is None and facts.at("/tests") is None


def test_an_image_that_is_not_here(tmp_path: Path) -> None:
    assert configured(connect(), "suite-converter/no-such-image:1") is None
    assert looker(tmp_path).looked_into("suite-converter/no-such-image:1", ["/"]) is None


def test_folders_and_programs_are_listed_without_starting_anything(image: str, tmp_path: Path) -> None:
    paths = ["/tests", "/oracle", "/srv/tide", "/nowhere", "/etc/passwd", "/bin", "/bin/sh"]
    facts = looker(tmp_path).looked_into(image, paths)
    assert facts is not None
    assert facts.paths == {
        "/tests": There.EMPTY,
        "/oracle": There.FOLDER,
        "/srv/tide": There.EMPTY,
        "/nowhere": There.NOTHING,
        "/etc/passwd": There.FILE,
        "/bin": There.FOLDER,
        "/bin/sh": There.FILE,
    }
    assert not facts.lacks("bash") and not facts.lacks("sha256sum") and facts.lacks("tide-daemon")
    assert facts.starts == "tide-daemon &"
    assert not containers_with(connect(), f"{RUN_LABEL}=facts-test")


def test_what_was_seen_is_not_looked_at_again(image: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = looker(tmp_path).looked_into(image, ["/tests"])
    again = looker(tmp_path)
    assert again.engine is not None
    monkeypatch.setattr(again.engine, "create_container", None)
    assert again.looked_into(image, ["/tests"]) == first
    more = looker(tmp_path).looked_into(image, ["/oracle"])
    assert more is not None and more.paths.keys() == {"/tests", "/oracle"}


def test_a_torn_cache_is_none(image: str, tmp_path: Path) -> None:
    first = looker(tmp_path).looked_into(image, ["/tests"])
    (file,) = (tmp_path / "cache").rglob("*.json")
    file.write_bytes(file.read_bytes()[:40])
    assert looker(tmp_path).looked_into(image, ["/tests"]) == first


def test_an_image_that_was_never_pulled_has_no_digest(image: str) -> None:
    ref = read_image_ref(image)
    assert ref is not None and pulled_digest(connect(), ref) == ""


def test_the_engine_tells_which_registries_it_trusts() -> None:
    terms = terms_of(connect())
    assert all(url.startswith("http") for url in terms.mirrors) and "docker.io" not in terms.insecure


def test_facts_survive_their_table() -> None:
    facts = ImageFacts("a", "sha256:1", "linux/amd64", "/", "", paths={"/x": There.EMPTY}, programs=frozenset({"sh"}))
    assert from_table(to_table(facts)) == facts
