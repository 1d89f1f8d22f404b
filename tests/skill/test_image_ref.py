"""Names of images: what is one, which registry it means, and how it is pinned."""

from __future__ import annotations

import pytest

from skill.image_ref import is_loopback, read_image_ref

DIGEST = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "Python",
        "python:",
        "python:-x",
        "py thon",
        "python@sha256:" + "A" * 64,
        "python@sha512:" + "0" * 128,
        "python@" + "0" * 64,
        "-x/python",
        "host.example/",
        "/python",
        "a//b",
        "${BASE}",
        "{{ image }}",
        "https://host.example/x",
        DIGEST,
        "x" * 256,
    ],
)
def test_what_is_no_name(text: str) -> None:
    assert read_image_ref(text) is None


@pytest.mark.parametrize(
    ("text", "host", "repository", "tag", "digest"),
    [
        ("python", "docker.io", "library/python", "latest", ""),
        ("python:3.12", "docker.io", "library/python", "3.12", ""),
        ("docker.io/python", "docker.io", "library/python", "latest", ""),
        ("index.docker.io/library/python:3", "docker.io", "library/python", "3", ""),
        ("gull/nest", "docker.io", "gull/nest", "latest", ""),
        ("localhost/nest", "localhost", "nest", "latest", ""),
        ("localhost:5000/gull/nest:v1", "localhost:5000", "gull/nest", "v1", ""),
        ("host.example/nest", "host.example", "nest", "latest", ""),
        ("[::1]:5000/nest:v1", "[::1]:5000", "nest", "v1", ""),
        (f"python@{DIGEST}", "docker.io", "library/python", "", DIGEST),
        (f"host.example:443/a/b__c-d.e:V_1.2@{DIGEST}", "host.example:443", "a/b__c-d.e", "V_1.2", DIGEST),
    ],
)
def test_what_a_name_means(text: str, host: str, repository: str, tag: str, digest: str) -> None:
    found = read_image_ref(text)
    assert found is not None
    assert (found.host, found.repository, found.tag, found.digest) == (host, repository, tag, digest)


@pytest.mark.parametrize(
    ("text", "pinned"),
    [
        ("python", f"python:latest@{DIGEST}"),
        ("gull/nest:2", f"gull/nest:2@{DIGEST}"),
        (f"gull/nest:2@sha256:{'1' * 64}", f"gull/nest:2@{DIGEST}"),
        (f"gull/nest@sha256:{'1' * 64}", f"gull/nest@{DIGEST}"),
    ],
)
def test_a_pin_shows_the_tag_and_the_digest(text: str, pinned: str) -> None:
    found = read_image_ref(text)
    assert found is not None and found.pinned(DIGEST) == pinned


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("localhost.example", False),
        ("128.0.0.1:80", False),
        ("[fe80::1]:80", False),
        ("localhost:5000", True),
        ("127.8.0.1", True),
        ("[::1]:5000", True),
    ],
)
def test_which_registries_are_this_machine(host: str, here: bool) -> None:
    assert is_loopback(host) is here
