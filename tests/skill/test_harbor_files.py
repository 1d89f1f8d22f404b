"""The files of a task: links, odd names, special files, modes, ignore files, prompt, image and Dockerfile."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from skill.contract import MAX_PACKED_BYTES, MAX_UNPACKED_BYTES
from skill.errors import SourceError
from skill.sources.base import SourceTask, TaskRef
from skill.sources.harbor import HARBOR
from skill.sources.prompt import describe
from tests.support.harbor_tasks import codes, load, make_task, notes, sentence

PINNED = "registry.example/birds@sha256:" + "a" * 64
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n"


def test_a_sound_task_is_read_without_a_word(tmp_path: Path) -> None:
    task = load(make_task(tmp_path / "reef"))
    assert (task.refusals, task.questions, task.findings) == ((), (), ())
    assert [file.path for file in task.tests] == ["test.sh"]
    assert [file.path for file in task.environment] == ["Dockerfile"]
    assert [file.path for file in task.solution] == ["solve.sh"]
    assert task.prompt is not None and task.prompt.path == "instruction.md"
    assert task.dockerfile is not None and task.dockerfile.workdir == "/app"
    assert (task.image, task.generated_dockerfile, task.workdir) == (None, None, None)


def test_a_task_that_is_gone_is_a_source_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be listed"):
        HARBOR.load(TaskRef("x", tmp_path / "x", "x", "x"))


def test_files_come_sorted_with_size_and_mode_from_the_disk(tmp_path: Path) -> None:
    make_task(tmp_path, {"tests/b/z": "zz", "tests/a": "", "tests/B": "1"})
    (tmp_path / "tests/test.sh").chmod(0o640)
    (tmp_path / "tests/b/z").chmod(0o755)
    assert [(file.path, file.size, file.mode) for file in load(tmp_path).tests] == [
        ("B", 1, 0o644),
        ("a", 0, 0o644),
        ("b/z", 2, 0o755),
        ("test.sh", 17, 0o640),
    ]


def test_set_id_bits_are_noted(tmp_path: Path) -> None:
    make_task(tmp_path)
    (tmp_path / "tests/test.sh").chmod(stat.S_ISUID | 0o755)
    task = load(tmp_path)
    assert task.tests[0].mode == 0o755 and notes(task) == {"S305"}


def test_links_inside_the_task_are_what_they_point_to(tmp_path: Path) -> None:
    make_task(tmp_path, {"environment/data/rows.csv": "1\n"})
    (tmp_path / "tests/rows.csv").symlink_to("../environment/data/rows.csv")
    (tmp_path / "tests/all").symlink_to("../environment/data")
    task = load(tmp_path)
    linked = {file.path: (file.host.read_text(), file.link) for file in task.tests if file.path != "test.sh"}
    assert linked == {"rows.csv": ("1\n", "../environment/data/rows.csv"), "all/rows.csv": ("1\n", "")}
    assert not task.refusals and notes(task) == {"S301"}


@pytest.mark.parametrize(
    ("link", "target", "code"),
    [
        ("tests/out", "/etc/hostname", "link-escape"),
        ("tests/out", "../../beside.txt", "link-escape"),
        ("tests/out", "../..", "link-escape"),
        ("solution/out", "/", "link-escape"),
        ("environment/out", "nothing", "link-broken"),
        ("environment/out", "out", "link-broken"),
        ("environment/out", ".", "link-broken"),
        ("environment/out", "..", "link-broken"),
    ],
)
def test_links_that_leave_or_lead_nowhere_are_refused(tmp_path: Path, link: str, target: str, code: str) -> None:
    (tmp_path / "beside.txt").write_text("not yours")
    root = make_task(tmp_path / "reef")
    (root / link).symlink_to(target)
    task = load(root)
    assert codes(task) == {code} and link in sentence(task, code)


@pytest.mark.parametrize("name", ["task.toml", "instruction.md"])
def test_the_top_files_may_be_links_inside_but_not_out_of_the_task(tmp_path: Path, name: str) -> None:
    root = make_task(tmp_path / "reef")
    (root / name).rename(root / "real")
    (root / name).symlink_to("real")
    assert not codes(load(root))
    (root / "real").rename(tmp_path / "outside")
    (root / name).unlink()
    (root / name).symlink_to(tmp_path / "outside")
    assert codes(load(root)) == {"link-escape"}


def test_a_whole_part_may_be_a_link_inside_the_task_only(tmp_path: Path) -> None:
    root = make_task(tmp_path / "reef")
    (root / "tests").rename(root / "checks")
    (root / "tests").symlink_to("checks")
    assert not codes(load(root)) and [file.path for file in load(root).tests] == ["test.sh"]
    (root / "checks").rename(tmp_path / "checks")
    (root / "tests").unlink()
    (root / "tests").symlink_to("../checks")
    assert "link-escape" in codes(load(root))


def test_links_that_multiply_files_without_bound_are_stopped(tmp_path: Path) -> None:
    root = make_task(tmp_path)
    for level in range(20):
        folder = root / "tests" / f"l{level}"
        folder.mkdir()
        for side in "ab":
            (folder / side).symlink_to(f"../l{level + 1}")
    (root / "tests/l20").mkdir()
    (root / "tests/l20/leaf").write_text("")
    assert "too-large" in codes(load(root))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (b"a\\b", "backslash"),
        (b" ", "outer blanks"),
        (b"end ", "outer blanks"),
        (b"two\nlines", "control character"),
        (b"caf\xe9", "not UTF-8"),
    ],
)
def test_names_that_packing_would_not_keep_are_refused_and_shown_in_ascii(
    tmp_path: Path, name: bytes, why: str
) -> None:
    root = make_task(tmp_path)
    Path(os.fsdecode(os.fsencode(root) + b"/tests/dir-" + name)).write_text("")
    task = load(root)
    if name == b" ":
        assert codes(task) == {"unusual-name"}
    assert why in sentence(task, "unusual-name") and sentence(task, "unusual-name").isascii()
    assert sentence(task, "unusual-name").isprintable()


@pytest.mark.parametrize("name", ["with blank.txt", "附件.txt", "quote'\".txt", "-dash", "a:b", "x" * 200])
def test_names_that_packing_keeps_are_kept(tmp_path: Path, name: str) -> None:
    task = load(make_task(tmp_path, {f"tests/{name}": ""}))
    assert not task.refusals and name in {file.path for file in task.tests}


@pytest.mark.parametrize("part", ["tests", "solution", "environment"])
def test_special_files_are_refused(tmp_path: Path, part: str) -> None:
    root = make_task(tmp_path)
    os.mkfifo(root / part / "pipe")
    assert f"{part}/pipe is a FIFO" in sentence(load(root), "special-file")


def test_a_fifo_in_place_of_a_top_file_is_refused_and_not_opened(tmp_path: Path) -> None:
    root = make_task(tmp_path, {"instruction.md": None})
    os.mkfifo(root / "instruction.md")
    assert codes(load(root)) == {"special-file"}


def test_a_verifier_that_nobody_may_read_is_there_but_unreadable(tmp_path: Path) -> None:
    root = make_task(tmp_path)
    (root / "tests/test.sh").chmod(0)
    task = load(root)
    assert codes(task) == {"unreadable"} and "tests/test.sh" in sentence(task, "unreadable")


@pytest.mark.parametrize("part", ["tests", "environment"])
def test_a_file_in_place_of_a_folder_is_refused(tmp_path: Path, part: str) -> None:
    files = {"tests/test.sh": None, "environment/Dockerfile": None, part: "text"}
    assert "bad-layout" in codes(load(make_task(tmp_path, files)))


def test_empty_folders_of_the_environment_are_listed(tmp_path: Path) -> None:
    root = make_task(tmp_path)
    (root / "environment/logs/deep").mkdir(parents=True)
    task = load(root)
    assert task.empty_dirs == ("logs/deep",) and notes(task) == {"S302"}


@pytest.mark.parametrize(
    ("size", "refused", "noted"),
    [
        (MAX_PACKED_BYTES, set(), set()),
        (MAX_PACKED_BYTES + 1, set(), {"S308"}),
        (MAX_UNPACKED_BYTES, set(), {"S308"}),
        (MAX_UNPACKED_BYTES + 1, {"too-large"}, set()),
    ],
)
def test_sizes_are_held_against_margins_limits(tmp_path: Path, size: int, refused: set[str], noted: set[str]) -> None:
    root = make_task(tmp_path, {"solution/big": ""})
    os.truncate(root / "solution/big", size - (root / "solution/solve.sh").stat().st_size)
    assert (codes(load(root)), notes(load(root))) == (refused, noted)


def sparse(root: Path, **sizes: int) -> Path:
    for name, size in sizes.items():
        os.truncate(root / "environment" / name, size)
    return root


def test_the_largest_files_are_named(tmp_path: Path) -> None:
    root = make_task(tmp_path, {f"environment/{name}": "" for name in "abcd"})
    third = MAX_UNPACKED_BYTES // 3
    task = load(sparse(root, a=1, b=third + 3, c=third + 2, d=third + 1))
    said = sentence(task, "too-large")
    assert said.endswith(
        f"the largest: environment/b ({third + 3}), environment/c ({third + 2}), environment/d ({third + 1})"
    )


@pytest.mark.parametrize(
    ("ignore", "size", "refused", "noted", "kept"),
    [
        ("big", MAX_PACKED_BYTES - 100, set(), set(), True),  # fits: everything is copied
        (None, MAX_UNPACKED_BYTES + 1, {"too-large"}, set(), True),
        ("small", MAX_UNPACKED_BYTES + 1, {"too-large"}, set(), True),
        ("*\n!big", MAX_UNPACKED_BYTES + 1, {"too-large"}, set(), True),
        ("[", MAX_UNPACKED_BYTES + 1, {"too-large"}, set(), True),
        ("*\n", MAX_UNPACKED_BYTES + 1, set(), {"S309"}, False),
        ("b*", MAX_UNPACKED_BYTES + 1, set(), {"S309"}, False),
    ],
)
def test_what_docker_never_sees_does_not_make_a_folder_too_large(
    ignore: str | None, size: int, refused: set[str], noted: set[str], kept: bool, tmp_path: Path
) -> None:
    files = {"environment/big": "", "environment/small": "", "environment/.dockerignore": ignore}
    task = load(sparse(make_task(tmp_path, files), big=size))
    assert (codes(task), notes(task)) == (refused, noted)
    paths = {file.path for file in task.environment}
    assert ("big" in paths) is kept and "Dockerfile" in paths and (".dockerignore" in paths) is (ignore is not None)


def test_pointers_of_large_file_storage_are_refused_but_may_be_the_task(tmp_path: Path) -> None:
    (refusal,) = load(make_task(tmp_path / "1", {"tests/rows.csv": LFS})).refusals
    assert (refusal.code, refusal.allowable) == ("lfs-pointer", True)
    assert not codes(load(make_task(tmp_path / "2", {"tests/doc.md": b"about\n" + LFS})))


class TestIgnoreFiles:
    def read(self, tmp_path: Path, **ignore: str) -> SourceTask:
        files = {f"tests/{name}": "" for name in ("a.log", "keep.log", "sub/b.log", "sub/c.txt")}
        return load(make_task(tmp_path, files | {"environment/x.log": "", "solution/s.log": ""} | ignore))

    def test_none_leaves_everything(self, tmp_path: Path) -> None:
        assert len(self.read(tmp_path).tests) == 5

    def test_the_one_at_the_top_covers_tests_and_solution_only(self, tmp_path: Path) -> None:
        task = self.read(tmp_path, **{".harborignore": "*.log\n!keep.log\n"})
        assert [file.path for file in task.tests] == ["keep.log", "sub/c.txt", "test.sh"]
        assert [file.path for file in task.solution] == ["solve.sh"]
        assert "x.log" in {file.path for file in task.environment} and "S304" in notes(task)

    def test_a_nested_one_adds_to_it(self, tmp_path: Path) -> None:
        nested = {".harborignore": "*.log\n", "tests/sub/.harborignore": "!b.log\nc.txt\n"}
        task = self.read(tmp_path, **nested)
        assert [file.path for file in task.tests] == ["sub/.harborignore", "sub/b.log", "test.sh"]

    def test_it_is_anchored_at_its_own_folder(self, tmp_path: Path) -> None:
        task = self.read(tmp_path, **{".harborignore": "/tests/sub/\n/a.log\n"})
        assert [file.path for file in task.tests] == ["a.log", "keep.log", "test.sh"]

    def test_a_verifier_that_it_leaves_out_is_missing(self, tmp_path: Path) -> None:
        assert codes(self.read(tmp_path, **{".harborignore": "test.sh\n"})) == {"no-verifier"}


@pytest.mark.parametrize(
    ("files", "code", "said"),
    [
        ({"tests/test.sh": None}, "no-verifier", "tests/test.sh is missing"),
        ({"tests/test.sh": None, "tests/check.py": ""}, "no-verifier", "there is tests/check.py"),
        ({"tests/test.sh": None, "tests/test.bat": ""}, "windows", "test.bat"),
        ({"tests/test.sh": None, "test.sh": ""}, "lookalike", "top of the task"),
        ({"instruction.md": None}, "no-prompt", "no instruction.md"),
        ({"instruction.md": ""}, "empty-prompt", "no text"),
        ({"instruction.md": " \n\t\u00a0\n"}, "empty-prompt", "no text"),
        ({"trajectory.json": "{}"}, "prior-trajectory", "conversation"),
        ({"environment/Dockerfile": None}, "no-environment", "neither environment/"),
        ({"environment/Dockerfile": None, "environment/dockerfile": ""}, "no-environment", "dockerfile"),
        ({"environment/Dockerfile": "FROM {image}\n"}, "template", "placeholder {image}"),
        ({"environment/Dockerfile": "FRUM x\n"}, "bad-dockerfile", "unknown instruction"),
        ({"environment/Dockerfile": "FROM x\nUSER app\n"}, "user-not-root", "USER app"),
        ({"environment/Dockerfile": 'FROM x\nENTRYPOINT ["/serve"]\n'}, "entrypoint-services", "/serve"),
    ],
)
def test_what_is_missing_or_wrong_is_refused(
    tmp_path: Path, files: dict[str, str | bytes | None], code: str, said: str
) -> None:
    task = load(make_task(tmp_path, files))
    assert codes(task) == {code} and said in sentence(task, code)


def test_a_command_in_the_configuration_is_no_verifier(tmp_path: Path) -> None:
    toml = '[verifier]\ncommand = "pytest"\n'
    assert codes(load(make_task(tmp_path / "1", {"tests/test.sh": None}, toml=toml))) == {"lookalike"}
    beside = load(make_task(tmp_path / "2", toml=toml))
    assert not codes(beside) and "S001" in notes(beside)


def test_several_steps_are_one_refusal_although_the_root_has_no_prompt_and_no_verifier(tmp_path: Path) -> None:
    files = {"instruction.md": None, "tests/test.sh": None, "steps/one/instruction.md": "One.\n"}
    task = load(make_task(tmp_path, files, toml='[[steps]]\nname = "one"\n[[steps]]\nname = "two"\n'))
    assert codes(task) == {"multi-step"} and "S303" not in notes(task)


def test_what_plays_no_part_is_named(tmp_path: Path) -> None:
    task = load(make_task(tmp_path, {"README.md": "", "steps/x": "", "notes.txt": ""}))
    (found,) = task.findings
    assert found.code == "S303" and found.message.endswith("README.md, notes.txt, steps")


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"solution/solve.sh": None, "solution/solve.py": ""}, "S306"),
        ({"tests/Dockerfile": "FROM x"}, "S307"),
        ({"environment/Dockerfile": "FROM x\nHEALTHCHECK CMD true\n"}, "S106"),
        ({"environment/Dockerfile": "FROM x\nRUN --mount=type=cache,target=/c true\n"}, "S105"),
        ({"environment/Dockerfile": "FROM x\nCOPY solution /s\n", "environment/solution/a": ""}, "S109"),
    ],
)
def test_what_is_odd_is_noted(tmp_path: Path, files: dict[str, str | bytes | None], code: str) -> None:
    task = load(make_task(tmp_path, files))
    assert not task.refusals and notes(task) == {code}


@pytest.mark.parametrize(
    "line",
    [
        "COPY . /app",
        "COPY ./data/ /data/",
        "COPY data/rows.csv other.txt /data/",
        "COPY data/*.csv /data/",
        "COPY /data/rows.csv /data/",
        "COPY hollow /hollow",
        "ADD https://example.org/x /x",
        "COPY --from=debian /missing /x",
        "COPY <<EOF /x\nEOF",
    ],
)
def test_copies_of_what_is_there_are_fine(tmp_path: Path, line: str) -> None:
    root = make_task(
        tmp_path,
        {"environment/Dockerfile": f"FROM x\n{line}\n", "environment/data/rows.csv": "", "environment/other.txt": ""},
    )
    (root / "environment/hollow").mkdir()
    assert not load(root).refusals


@pytest.mark.parametrize(
    ("entrypoint", "script"),
    [
        ("[]", None),
        ('["/bin/bash"]', None),
        ('["bash", "-l"]', None),
        ('["/usr/bin/tini", "--"]', None),
        ('["tini", "-g", "--", "/bin/sh"]', None),
        ('["sleep", "infinity"]', None),
        ("exec sleep infinity", None),
        ('["sh", "-c", "exec \\"$@\\"", "--"]', None),
        ('["bash", "-c", "chmod -R a+rw /logs 2>/dev/null || true; exec \\"$@\\"", "--"]', None),
        ('["/entry.sh"]', '#!/bin/sh\n# nothing to do\nset -e\n\nexec "$@"\n'),
        ('["tini", "--", "/entry.sh"]', "#!/bin/bash\nset -euo pipefail\nexec $@\n"),
    ],
)
def test_entrypoints_that_only_hand_over_are_fine(tmp_path: Path, entrypoint: str, script: str | None) -> None:
    files = {"environment/Dockerfile": f"FROM x\nENTRYPOINT {entrypoint}\n", "environment/entry.sh": script}
    assert not codes(load(make_task(tmp_path, files)))


@pytest.mark.parametrize(
    ("entrypoint", "script"),
    [
        ('["/entry.sh"]', '#!/bin/sh\nredis-server &\nexec "$@"\n'),
        ('["/entry.sh"]', '#!/bin/sh\nexport MODE=1\nexec "$@"\n'),
        ('["/entry.sh"]', "#!/bin/sh\nexec redis-server\n"),
        ('["/from-the-base.sh"]', None),
        ('["sh", "-c", "redis-server & exec \\"$@\\""]', None),
        ('["sh", "-c", "redis-server"]', None),
        ('["bash", "/entry.sh"]', "redis-server\n"),
        ("redis-server", None),
    ],
)
def test_entrypoints_that_start_something_are_refused(tmp_path: Path, entrypoint: str, script: str | None) -> None:
    files = {"environment/Dockerfile": f"FROM x\nENTRYPOINT {entrypoint}\n", "environment/entry.sh": script}
    (refusal,) = load(make_task(tmp_path, files)).refusals
    assert (refusal.code, refusal.allowable) == ("entrypoint-services", True)


class TestImages:
    def read(self, tmp_path: Path, image: str, **environment: str | None) -> SourceTask:
        files = {f"environment/{name}": text for name, text in environment.items()}
        toml = f'[environment]\ndocker_image = "{image}"\n[verifier]\ntimeout_sec = 9\n'
        return load(make_task(tmp_path, {"environment/Dockerfile": None, **files}, toml=toml))

    def test_a_pinned_image_alone_needs_no_dockerfile(self, tmp_path: Path) -> None:
        task = self.read(tmp_path, PINNED)
        assert (task.image, task.dockerfile, task.generated_dockerfile) == (PINNED, None, None)
        assert not task.refusals and not task.questions and not task.findings

    def test_a_tag_alone_gets_one_line(self, tmp_path: Path) -> None:
        task = self.read(tmp_path, "debian:12")
        assert (task.image, task.generated_dockerfile) == ("debian:12", b"FROM debian:12\n")
        assert notes(task) == {"S101", "S102"} and not task.questions

    def test_loose_files_are_copied_where_harbor_uploads_them(self, tmp_path: Path) -> None:
        odd = {"a$b [1].txt": "", "data/rows.csv": "", "data/more.csv": ""}
        task = self.read(tmp_path, PINNED, **odd)
        assert (task.generated_dockerfile or b"").decode().splitlines() == [
            f"FROM {PINNED}",
            'COPY ["a\\\\$b [[]1].txt", "./"]',
            'COPY ["data", "./data/"]',
        ]
        assert task.dockerfile is not None and task.dockerfile.base == PINNED
        assert {file.path for file in task.environment} == set(odd)

    def test_a_stated_directory_is_where_they_go(self, tmp_path: Path) -> None:
        toml = f'[environment]\ndocker_image = "{PINNED}"\nworkdir = "/srv"\n'
        files = {"environment/Dockerfile": None, "environment/a": ""}
        task = load(make_task(tmp_path, files, toml=toml))
        assert b"\nWORKDIR /srv\nCOPY" in (task.generated_dockerfile or b"")

    def test_with_a_dockerfile_a_person_chooses(self, tmp_path: Path) -> None:
        task = self.read(tmp_path, "debian:12", Dockerfile="FROM x\nWORKDIR /app\n")
        (question,) = task.questions
        assert (question.key, question.choices) == ("image", ("keep", "dockerfile", "publish"))
        assert task.image == "debian:12" and task.dockerfile is not None and task.generated_dockerfile is None

    def test_a_broken_dockerfile_beside_an_image_is_only_noted(self, tmp_path: Path) -> None:
        task = self.read(tmp_path, PINNED, Dockerfile="# the image is in task.toml\n")
        assert not task.refusals and "S104" in notes(task)


@pytest.mark.parametrize(
    ("prompt", "code"),
    [
        (b"<!-- reef-canary GUID 1 -->\nSort.\n", "S201"),
        (b"# CANARY do not train\nSort.\n", "S201"),
        (b"\xef\xbb\xbfSort.\n", "S202"),
        (b"Sort \xff.\n", "S203"),
        (b"Sort \0.\n", "S204"),
        (b"Read /tests/test.sh.\n", "S205"),
        (b"Write to `/solution`.\n", "S205"),
        (b"\n Sort.\n", "S206"),
    ],
)
def test_what_is_odd_about_a_prompt_is_noted(tmp_path: Path, prompt: bytes, code: str) -> None:
    task = load(make_task(tmp_path, {"instruction.md": prompt}))
    assert notes(task) == {code} and not task.refusals


@pytest.mark.parametrize(
    "prompt",
    ["Sort.\n\n", "Look into /app/tests and ./solution.", "Read /testsuite.", "A coal mine canary.", "Grüße �"],
)
def test_what_is_not_odd_is_not_noted(tmp_path: Path, prompt: str) -> None:
    assert not notes(load(make_task(tmp_path, {"instruction.md": prompt})))


@pytest.mark.parametrize(
    ("prompt", "line"),
    [
        ("Sort the table.\nThen stop.", "Sort the table."),
        ("\n\n## Sort the **table**\n", "Sort the **table**"),
        ("**Sort.**\n", "Sort."),
        ("<!-- canary\nGUID -->\n\nSort.", "Sort."),
        ("# canary 123\n# Task\n\nSort.", "Sort."),
        ("# Task\n", "Task"),
        ("---\ntitle: x\n---\nSort.", "Sort."),
        ("---\nSort.", "Sort."),
        ("<uploaded_files>\n/app\n</uploaded_files>\nSort.", "Sort."),
        ('<div class="x"><b>\nSort.', "Sort."),
        ("Use Vec<i32> here.", "Use Vec<i32> here."),
        ("```python\ndef sort(): ...\n```", "def sort(): ..."),
        ("reef-canary GUID 12\nSort.", "Sort."),
        ("/app/x.py sorts.", "/app/x.py sorts."),
        ("- Sort\tthe \u200btable\x07.\r\n", "Sort the table ."),
        ("1. Sort.", "1. Sort."[3:]),
        ("\ufeffSort.", "Sort."),
        ("=====\nSort.", "Sort."),
        ("x" * 100, "x" * 100),
        ("y" * 101, "y" * 99 + "…"),
        ("", ""),
    ],
)
def test_the_description_is_the_first_line_that_says_something(prompt: str, line: str) -> None:
    assert describe(prompt.encode()) == line


def test_the_description_falls_back_to_the_packages(tmp_path: Path) -> None:
    toml = '[task]\nname = "coast/reef"\ndescription = """\nBirds of\nthe shore"""\n'
    task = load(make_task(tmp_path, {"instruction.md": "<!-- only a comment -->\n"}, toml=toml))
    assert task.description == "Birds of"
