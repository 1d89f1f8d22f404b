"""environment/docker-compose.yaml: folded into the case when it only restates the main service."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from skill.sources.base import EnvValue
from skill.sources.harbor.notes import Remarks

COMPOSE: Final = "docker-compose.yaml"
OTHER_NAMES: Final = ("docker-compose.yml", "compose.yaml", "compose.yml")
PATH: Final = f"environment/{COMPOSE}"
REFERENCE: Final = re.compile(r"\$(?:\{([A-Za-z_]\w*)(?:(:?[-?+])([^}]*))?\}|([A-Za-z_]\w*)|\$)")
HARBOR_IMAGE: Final = re.compile(r"\$\{?(?:MAIN|PREBUILT)_IMAGE_NAME\b")
CONTEXTS: Final = frozenset({"", ".", "${CONTEXT_DIR}", "$CONTEXT_DIR"})
LOG_MOUNT: Final = re.compile(r"\$\{?HOST_(?:VERIFIER_LOGS|AGENT_LOGS|ARTIFACTS)_PATH\}?:")
SLEEP: Final = re.compile(r"(?:(?:/bin/)?(?:ba)?sh -l?c )?[\"']?(?:exec )?(?:sleep \S+|tail -f /dev/null)[\"']?\Z")
HARMLESS: Final = frozenset(
    {"pull_policy", "expose", "tty", "stdin_open", "container_name", "labels", "restart", "init"}
)
NO_EFFECT: Final = frozenset({"ports", "platform"})
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
    if others := sorted(str(name) for name in services if name != "main"):
        compose.refuse("several-services", f"{PATH} starts {', '.join(others)} beside the main container")
    main = services.get("main") or {}
    if not isinstance(main, dict):
        compose.refuse("bad-compose", f"{PATH}: services.main is no table")
        return compose
    for key, value in main.items():
        _fold(compose, str(key), value, known)
    image = main.get("image")
    if isinstance(image, str) and "build" not in main and not HARBOR_IMAGE.match(image):
        compose.image = image
    if not compose.refusals:
        compose.note("S107", PATH)
    return compose


def _services(compose: Compose, data: bytes) -> dict[Any, Any] | None:
    import yaml  # only tasks with a compose file pay for it

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
    for key in map(str, document):
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
        if key == "context" and str(setting).rstrip("/") not in CONTEXTS:
            compose.cannot("services.main.build.context", f"is {setting!r:.60}, not the environment folder")
        elif key != "context" and not (key == "dockerfile" and str(setting).removeprefix("./") == "Dockerfile"):
            compose.cannot(f"services.main.build.{key}")


def _image(compose: Compose, value: object) -> None:
    if not isinstance(value, str) or ("$" in value and not HARBOR_IMAGE.match(value)):
        compose.cannot("services.main.image", f"is {value!r:.60}, which only a host can complete")


def _command(compose: Compose, value: object) -> None:
    text = " ".join(str(word) for word in value) if isinstance(value, list) else str(value)
    if not SLEEP.match(text.strip()):
        compose.cannot("services.main.command", f"is {text!r:.60}, which Margin does not start")


def _volumes(compose: Compose, value: object) -> None:
    volumes = value if isinstance(value, list) else [value]
    if others := [str(volume) for volume in volumes if not LOG_MOUNT.match(str(volume))]:
        compose.cannot("services.main.volumes", f"mounts {others[0]!r:.80}")


def _deploy(compose: Compose, value: object) -> None:
    deploy = value if isinstance(value, dict) else {}
    resources = deploy.get("resources")
    if not isinstance(resources, dict) or len(deploy) > 1 or not set(resources) <= {"limits", "reservations"}:
        compose.cannot("services.main.deploy")
        return
    for name, limits in resources.items():
        for key in sorted(map(str, limits if isinstance(limits, dict) else ())):
            if key not in LIMITS:
                compose.cannot(f"services.main.deploy.resources.{name}.{key}")


def _working_dir(compose: Compose, value: object) -> None:
    if isinstance(value, str) and "$" not in value and value.startswith("/"):
        compose.workdir = value
    else:
        compose.cannot("services.main.working_dir", f"is {value!r:.60}, no plain absolute path")


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
    for key, setting in pairs:
        name = str(key)
        if name == "TEST_DIR" and "$" in str(setting):
            compose.note("S108", PATH, "TEST_DIR, which Harbor no longer sets")
        elif setting is None:
            yield name, EnvValue(variable=name)
        else:
            yield (
                name,
                _interpolate(str(setting).lower() if isinstance(setting, bool) else str(setting), known),
            )


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
        stated = (value.default if value.literal is None else value.literal) if value else None
        if stated is None and found[2] in ("-", ":-"):
            return found[3]
        if stated is None:
            missing.append(name)
        return stated or ""

    filled = REFERENCE.sub(fill, text)
    return EnvValue(variable=missing[0]) if missing else EnvValue(literal=filled)
