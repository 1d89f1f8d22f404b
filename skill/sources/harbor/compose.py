"""environment/docker-compose.yaml: folded into the case when it only restates the main service, refused otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from skill.finding import Finding
from skill.sources.base import EnvValue, Refusal
from skill.sources.harbor.notes import note

PATH: Final = "environment/docker-compose.yaml"
MAIN: Final = "main"
REFERENCE: Final = re.compile(r"\$(?:\{([A-Za-z_]\w*)(?:(:?[-?+])([^}]*))?\}|([A-Za-z_]\w*)|\$)")
HARBOR_IMAGES: Final = frozenset({"MAIN_IMAGE_NAME", "PREBUILT_IMAGE_NAME"})
LOG_MOUNT: Final = re.compile(r"\$\{?HOST_(?:VERIFIER|AGENT)_LOGS_PATH\}?:|\$\{?HOST_ARTIFACTS_PATH\}?:")
SLEEP: Final = re.compile(r"(?:(?:/bin/)?(?:ba)?sh -l?c )?[\"']?(?:exec )?(?:sleep \S+|tail -f /dev/null)[\"']?\Z")
HARMLESS: Final = frozenset({"pull_policy", "expose", "tty", "stdin_open", "container_name", "labels", "restart", "init"})
NO_EFFECT: Final = frozenset({"ports", "platform"})


@dataclass
class Compose:
    """What a compose file adds to the task."""

    image: str | None = None
    workdir: str | None = None
    env: dict[str, EnvValue] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def refuse(self, key: str, why: str = "has no counterpart in a single container") -> None:
        """Name a key that cannot be folded."""
        self.refusals.append(Refusal("compose-feature", f"{PATH}: {key} {why}", allowable=True))


def read_compose(data: bytes, known: Mapping[str, EnvValue]) -> Compose:
    """The facts of a compose file; ``known`` is [environment].env, from which Compose interpolates. Never raises."""
    compose = Compose()
    document = _load(data, compose)
    if document is None:
        return compose
    services = document.get("services")
    if not isinstance(services, dict) or not services:
        compose.refusals.append(Refusal("bad-compose", f"{PATH} has no services"))
        return compose
    if others := sorted(str(name) for name in services if name != MAIN):
        compose.refusals.append(Refusal("several-services", f"{PATH} starts {', '.join(others)} beside the main container"))
    for key in document:
        if key not in ("services", "version", "name") and not str(key).startswith("x-"):
            compose.refuse(str(key))
    _fold(compose, services.get(MAIN) or {}, known)
    if not compose.refusals:
        compose.findings.append(note("S107", PATH))
    return compose


def _load(data: bytes, compose: Compose) -> dict[Any, Any] | None:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        document = yaml.load(data, Loader=loader)  # a safe loader: plain values only
    except (yaml.YAMLError, ValueError, RecursionError, UnicodeError) as error:
        reason = " ".join(str(error).split())[:160]
        compose.refusals.append(Refusal("bad-compose", f"{PATH} cannot be read: {reason}"))
        return None
    if not isinstance(document, dict):
        compose.refusals.append(Refusal("bad-compose", f"{PATH} is no table of services"))
        return None
    return document


def _fold(compose: Compose, service: object, known: Mapping[str, EnvValue]) -> None:
    if not isinstance(service, dict):
        compose.refusals.append(Refusal("bad-compose", f"{PATH}: services.main is no table"))
        return
    for key, value in service.items():
        if key in HARMLESS or value is None:
            continue
        if key in NO_EFFECT:
            compose.findings.append(note("S108", PATH, str(key)))
        elif handler := HANDLERS.get(str(key)):
            handler(compose, value)
        elif key == "environment":
            compose.env.update(_environment(compose, value, known))
        else:
            compose.refuse(f"services.main.{key}")
    if isinstance(image := service.get("image"), str) and "build" not in service and not _is_harbors(image):
        compose.image = image


def _is_harbors(image: str) -> bool:
    found = REFERENCE.match(image)
    return found is not None and (found[1] or found[4]) in HARBOR_IMAGES


def _build(compose: Compose, value: object) -> None:
    build = value if isinstance(value, dict) else {"context": value}
    for key, setting in build.items():
        if key == "context":
            if str(setting).rstrip("/") not in (".", "${CONTEXT_DIR}", "$CONTEXT_DIR"):
                compose.refuse("services.main.build.context", f"is {setting!r:.60}, not the environment folder")
        elif not (key == "dockerfile" and str(setting).removeprefix("./") == "Dockerfile"):
            compose.refuse(f"services.main.build.{key}")


def _image(compose: Compose, value: object) -> None:
    if not isinstance(value, str):
        compose.refuse("services.main.image", "is no text")
    elif "$" in value and not _is_harbors(value):
        compose.refuse("services.main.image", "holds a variable that only a host knows")


def _command(compose: Compose, value: object) -> None:
    text = " ".join(str(word) for word in value) if isinstance(value, list) else str(value)
    if not SLEEP.match(text.strip()):
        compose.refuse("services.main.command", "starts something that Margin does not start")


def _volumes(compose: Compose, value: object) -> None:
    for volume in value if isinstance(value, list) else [value]:
        if not LOG_MOUNT.match(str(volume)):
            compose.refuse("services.main.volumes", f"mounts {str(volume)!r:.80}")
            return


def _deploy(compose: Compose, value: object) -> None:
    resources = value.get("resources") if isinstance(value, dict) else None
    only = isinstance(value, dict) and set(value) <= {"resources"}
    if not only or not isinstance(resources, dict) or not set(resources) <= {"limits", "reservations"}:
        compose.refuse("services.main.deploy")
        return
    for name, limits in resources.items():
        for key in limits if isinstance(limits, dict) else ():
            if key not in ("cpus", "memory", "pids"):
                compose.refuse(f"services.main.deploy.resources.{name}.{key}")


def _working_dir(compose: Compose, value: object) -> None:
    if isinstance(value, str) and "$" not in value and value.startswith("/"):
        compose.workdir = value
    else:
        compose.refuse("services.main.working_dir", f"is {value!r:.60}, no plain absolute path")


HANDLERS: Final[Mapping[str, Callable[[Compose, object], None]]] = {
    "build": _build,
    "image": _image,
    "command": _command,
    "volumes": _volumes,
    "deploy": _deploy,
    "working_dir": _working_dir,
}


def _environment(compose: Compose, value: object, known: Mapping[str, EnvValue]) -> Iterator[tuple[str, EnvValue]]:
    pairs = value.items() if isinstance(value, dict) else map(_pair, value if isinstance(value, list) else ())
    for name, setting in pairs:
        if setting is None:
            yield str(name), EnvValue(variable=str(name))
        elif name == "TEST_DIR" and "TEST_DIR" in str(setting):
            compose.findings.append(note("S108", PATH, "TEST_DIR, which Harbor no longer sets"))
        else:
            text = str(setting).lower() if isinstance(setting, bool) else str(setting)
            yield str(name), _interpolate(text, known)


def _pair(item: object) -> tuple[str, str | None]:
    name, equals, value = str(item).partition("=")
    return name, value if equals else None


def _interpolate(text: str, known: Mapping[str, EnvValue]) -> EnvValue:
    """A value after Compose's interpolation; one that needs an unknown host variable names it."""
    missing: list[str] = []

    def fill(found: re.Match[str]) -> str:
        name = found[1] or found[4]
        if name is None:
            return "$"
        value = known.get(name)
        if value is not None and (value.literal is not None or value.default is not None):
            return value.literal if value.literal is not None else value.default or ""
        if found[2] in ("-", ":-"):
            return found[3]
        missing.append(name)
        return ""

    filled = REFERENCE.sub(fill, text)
    return EnvValue(variable=missing[0]) if missing else EnvValue(literal=filled)
