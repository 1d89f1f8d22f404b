"""environment/docker-compose.yaml: folded into the case when it only restates the main service."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from skill.sources.base import EnvValue
from skill.sources.interpolation import MAX_TEXT, filled_in, pair_of, text_of
from skill.sources.notes import Remarks

COMPOSE: Final = "docker-compose.yaml"
OTHER_NAMES: Final = ("docker-compose.yml", "compose.yaml", "compose.yml")
PATH: Final = f"environment/{COMPOSE}"
HARBOR_IMAGE: Final = re.compile(r"\$\{?(?:MAIN|PREBUILT)_IMAGE_NAME\b")
CONTEXTS: Final = frozenset({"", ".", "${CONTEXT_DIR}", "$CONTEXT_DIR"})
LOG_MOUNT: Final = re.compile(r"\$\{?HOST_(?:VERIFIER_LOGS|AGENT_LOGS|ARTIFACTS)_PATH\}?:")
SLEEP: Final = re.compile(r"(?:(?:/bin/)?(?:ba)?sh -l?c )?[\"']?(?:exec )?(?:sleep \S+|tail -f /dev/null)[\"']?\Z")
HARMLESS: Final = frozenset(
    {"pull_policy", "expose", "tty", "stdin_open", "container_name", "labels", "restart", "init"}
)
NO_EFFECT: Final = frozenset({"ports", "platform"})
ALIAS: Final = re.compile(rb"(?:^|[\s\[{,])\*\w", re.MULTILINE)
MAX_ALIASES: Final = 20  # each can repeat all before it
RESOURCES: Final = frozenset({"limits", "reservations"})
LIMITS: Final = frozenset({"cpus", "memory", "pids"})


@dataclass
class Compose(Remarks):
    """What a compose file adds to the task."""

    image: str | None = None
    workdir: str | None = None
    env: dict[str, EnvValue] = field(default_factory=dict)

    def cannot(self, key: str, why: str = "has no counterpart in a single container") -> None:
        """Refuse because of a key that cannot be folded."""
        self.refuse("compose-feature", f"{PATH}: {key} {why}", allowable=True)


def read_compose(data: bytes, known: Mapping[str, EnvValue]) -> Compose:
    """The facts of a compose file, variables filled in from ``known``, [environment].env. Never raises."""
    compose = Compose()
    services = _services(compose, data)
    if services is None:
        return compose
    if others := sorted(text_of(name) for name in services if name != "main"):
        compose.refuse("several-services", f"{PATH} starts {', '.join(others)} beside the main container")
    main = services.get("main") or {}
    if not isinstance(main, dict):
        compose.refuse("bad-compose", f"{PATH}: services.main is no table")
        return compose
    for key, value in main.items():
        _fold(compose, text_of(key), value, known)
    image = main.get("image")
    if isinstance(image, str) and "build" not in main and not HARBOR_IMAGE.match(image):
        compose.image = image
    if not compose.refusals:
        compose.note("S107", PATH)
    return compose


def _services(compose: Compose, data: bytes) -> dict[Any, Any] | None:
    import yaml  # only tasks with a compose file pay for it

    if len(ALIAS.findall(data)) > MAX_ALIASES:
        compose.refuse("bad-compose", f"{PATH} repeats itself by more than {MAX_ALIASES} aliases")
        return None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        document = yaml.load(data, Loader=loader)  # a safe loader: plain values only
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        compose.refuse("bad-compose", f"{PATH} cannot be read: {' '.join(str(error).split())[:160]}")
        return None
    services = document.get("services") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(services, dict) or not services:
        compose.refuse("bad-compose", f"{PATH} has no services")
        return None
    for key in map(text_of, document):
        if key not in ("services", "version", "name") and not key.startswith("x-"):
            compose.cannot(key)
    return services


def _fold(compose: Compose, key: str, value: object, known: Mapping[str, EnvValue]) -> None:
    """Take one key of the main service over, let it go, or refuse it."""
    if key in HARMLESS or value is None:
        return
    if key in NO_EFFECT:
        compose.note("S108", PATH, key)
    elif key == "environment":
        compose.env.update(_environment(compose, value, known))
    elif handler := HANDLERS.get(key):
        handler(compose, value)
    else:
        compose.cannot(f"services.main.{key}")


def _build(compose: Compose, value: object) -> None:
    build = value if isinstance(value, dict) else {"context": value}
    for key, setting in build.items():
        text = text_of(setting)
        if key == "context" and text.rstrip("/") not in CONTEXTS:
            compose.cannot("services.main.build.context", f"is {text!r:.60}, not the environment folder")
        elif key != "context" and not (key == "dockerfile" and text.removeprefix("./") == "Dockerfile"):
            compose.cannot(f"services.main.build.{text_of(key)}")


def _image(compose: Compose, value: object) -> None:
    if not isinstance(value, str) or ("$" in value and not HARBOR_IMAGE.match(value)):
        compose.cannot("services.main.image", f"is {text_of(value)!r:.60}, which only a host can complete")


def _command(compose: Compose, value: object) -> None:
    text = " ".join(map(text_of, value)) if isinstance(value, list) else text_of(value)
    if not SLEEP.match(text.strip()):
        compose.cannot("services.main.command", f"is {text!r:.60}, which Margin does not start")


def _volumes(compose: Compose, value: object) -> None:
    volumes = value if isinstance(value, list) else [value]
    if others := [text for text in map(text_of, volumes) if not LOG_MOUNT.match(text)]:
        compose.cannot("services.main.volumes", f"mounts {others[0]!r:.80}")


def _deploy(compose: Compose, value: object) -> None:
    deploy = value if isinstance(value, dict) else {}
    resources = deploy.get("resources")
    if not isinstance(resources, dict) or len(deploy) > 1 or not set(resources) <= RESOURCES:
        compose.cannot("services.main.deploy")
        return
    for name, limits in resources.items():
        for key in sorted(map(text_of, limits if isinstance(limits, dict) else ())):
            if key not in LIMITS:
                compose.cannot(f"services.main.deploy.resources.{text_of(name)}.{key}")


def _working_dir(compose: Compose, value: object) -> None:
    if isinstance(value, str) and "$" not in value and value.startswith("/"):
        compose.workdir = value
    else:
        compose.cannot("services.main.working_dir", f"is {text_of(value)!r:.60}, no plain absolute path")


HANDLERS: Final[Mapping[str, Callable[[Compose, object], None]]] = {
    "build": _build,
    "image": _image,
    "command": _command,
    "volumes": _volumes,
    "deploy": _deploy,
    "working_dir": _working_dir,
}


def _environment(compose: Compose, value: object, known: Mapping[str, EnvValue]) -> Iterator[tuple[str, EnvValue]]:
    pairs = value.items() if isinstance(value, dict) else map(pair_of, value if isinstance(value, list) else ())
    for key, setting in pairs:
        name, text = text_of(key), text_of(setting)
        if setting is None:
            yield name, EnvValue(variable=name)
        elif name == "TEST_DIR" and "$" in text:
            compose.note("S108", PATH, "TEST_DIR, which Harbor no longer sets")
        elif isinstance(setting, dict | list) or ("$" in text and len(text) > MAX_TEXT):
            compose.cannot(f"services.main.environment.{name}", "is no plain value")
        else:
            yield name, filled_in(text, known)
