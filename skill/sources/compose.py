"""A compose file: folded into the case when it only restates the one container that a task works in.

Frameworks differ in what they fill in and in what they take for their own service; a `Dialect` says it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from skill.sources.base import EnvValue
from skill.sources.dialect import Compose, Dialect
from skill.sources.interpolation import MAX_TEXT, filled_in, pair_of, text_of

SLEEP: Final = re.compile(r"(?:(?:/bin/)?(?:ba)?sh -l?c )?[\"']?(?:exec )?(?:sleep \S+|tail -f /dev/null)[\"']?\Z")
HARMLESS: Final = frozenset(
    {"pull_policy", "expose", "tty", "stdin_open", "container_name", "labels", "restart", "init"}
)
NO_EFFECT: Final = frozenset({"ports", "platform"})
ALIAS: Final = re.compile(rb"(?:^|[\s\[{,])\*\w", re.MULTILINE)
MAX_ALIASES: Final = 20  # each can repeat all before it
RESOURCES: Final = frozenset({"limits", "reservations"})
LIMITS: Final = frozenset({"cpus", "memory", "pids"})


def read_compose(data: bytes, known: Mapping[str, EnvValue], dialect: Dialect) -> Compose:
    """The facts of a compose file, variables filled in from ``known`` and by the dialect. Never raises."""
    compose = Compose(dialect=dialect)
    services = _services(compose, data)
    if services is None:
        return compose
    compose.service = dialect.main(services)
    if others := sorted(text_of(name) for name in services if name != compose.service):
        said = f"{compose.path} starts {', '.join(others)} beside the main container"
        compose.refuse("several-services", said)
    main = services.get(compose.service) or {}
    if not isinstance(main, dict):
        compose.refuse("bad-compose", f"{compose.path}: services.{compose.service} is no table")
        return compose
    for key, value in main.items():
        _fold(compose, dialect, text_of(key), value, {**dialect.filled, **known})
    image = main.get("image")
    if isinstance(image, str) and "build" not in main and not dialect.own_image.match(image):
        compose.image = image
    if not compose.refusals:
        compose.note("S107", compose.path)
    return compose


def _services(compose: Compose, data: bytes) -> dict[Any, Any] | None:
    import yaml  # only tasks with a compose file pay for it

    if len(ALIAS.findall(data)) > MAX_ALIASES:
        compose.refuse("bad-compose", f"{compose.path} repeats itself by more than {MAX_ALIASES} aliases")
        return None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        document = yaml.load(data, Loader=loader)  # a safe loader: plain values only
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        compose.refuse("bad-compose", f"{compose.path} cannot be read: {' '.join(str(error).split())[:160]}")
        return None
    services = document.get("services") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(services, dict) or not services:
        compose.refuse("bad-compose", f"{compose.path} has no services")
        return None
    for key, value in document.items():
        name = text_of(key)
        named = name == "networks" and compose.is_lenient and len(services) == 1 and _is_plain_network(value)
        if name not in ("services", "version", "name") and not name.startswith("x-") and not named:
            compose.cannot(name)
    return services


def _is_plain_network(value: object) -> bool:
    """Whether networks are only named, as they may well be around one container."""
    networks = value.values() if isinstance(value, dict) else ()
    return all(not network or network == {"driver": "bridge"} for network in networks)


def _fold(compose: Compose, dialect: Dialect, key: str, value: object, known: Mapping[str, EnvValue]) -> None:
    """Take one key of the main service over, let it go, or refuse it."""
    if key in HARMLESS or value is None:
        return
    if key in NO_EFFECT or (key == "networks" and isinstance(value, list) and dialect.plain_networks):
        compose.note("S108", compose.path, key)
    elif key == "environment":
        compose.env.update(_environment(compose, dialect, value, known))
    elif handler := HANDLERS.get(key):
        handler(compose, dialect, value)
    else:
        compose.cannot(compose.place(key))


def _build(compose: Compose, dialect: Dialect, value: object) -> None:
    build = value if isinstance(value, dict) else {"context": value}
    for key, setting in build.items():
        text = text_of(setting)
        if key == "context" and text.rstrip("/") not in dialect.contexts:
            compose.context = _below(compose, dialect, "build.context", text)
        elif key == "dockerfile" and text.removeprefix("./") != "Dockerfile":
            compose.dockerfile = _below(compose, dialect, "build.dockerfile", text) or "Dockerfile"
        elif key not in ("context", "dockerfile"):
            compose.cannot(compose.place(f"build.{text_of(key)}"))


def _below(compose: Compose, dialect: Dialect, key: str, text: str) -> str:
    """A path of the task's own that stands where the framework's usual one is expected."""
    path = text.removeprefix("./").rstrip("/")
    if not dialect.any_dockerfile:
        compose.cannot(compose.place(key), f"is {text!r:.60}, not the environment folder's own")
        return ""
    if "$" in path or path.startswith("/") or ".." in path.split("/"):
        compose.cannot(compose.place(key), f"is {text!r:.60}, which does not lie in the task")
        return ""
    return path


def _image(compose: Compose, dialect: Dialect, value: object) -> None:
    if not isinstance(value, str) or ("$" in value and not dialect.own_image.match(value)):
        compose.cannot(compose.place("image"), f"is {text_of(value)!r:.60}, which only a host can complete")


def _command(compose: Compose, dialect: Dialect, value: object) -> None:
    text = " ".join(map(text_of, value)) if isinstance(value, list) else text_of(value)
    idle = dialect.shells and text.strip() in ("/bin/bash", "bash", "/bin/sh", "sh")
    if not SLEEP.match(text.strip()) and not idle:
        compose.cannot(compose.place("command"), f"is {text!r:.60}, which Margin does not start")


def _volumes(compose: Compose, dialect: Dialect, value: object) -> None:
    volumes = value if isinstance(value, list) else [value]
    if others := [text for text in map(text_of, volumes) if not dialect.log_mount.match(text)]:
        compose.cannot(compose.place("volumes"), f"mounts {others[0]!r:.80}")


def _deploy(compose: Compose, _: Dialect, value: object) -> None:
    deploy = value if isinstance(value, dict) else {}
    resources = deploy.get("resources")
    if not isinstance(resources, dict) or len(deploy) > 1 or not set(resources) <= RESOURCES:
        compose.cannot(compose.place("deploy"))
        return
    for name, limits in resources.items():
        for key in sorted(map(text_of, limits if isinstance(limits, dict) else ())):
            if key not in LIMITS:
                compose.cannot(compose.place(f"deploy.resources.{text_of(name)}.{key}"))


def _working_dir(compose: Compose, _: Dialect, value: object) -> None:
    if isinstance(value, str) and "$" not in value and value.startswith("/"):
        compose.workdir = value
    else:
        compose.cannot(compose.place("working_dir"), f"is {text_of(value)!r:.60}, no plain absolute path")


HANDLERS: Final[Mapping[str, Callable[[Compose, Dialect, object], None]]] = {
    "build": _build,
    "image": _image,
    "command": _command,
    "volumes": _volumes,
    "deploy": _deploy,
    "working_dir": _working_dir,
}


def _environment(
    compose: Compose, dialect: Dialect, value: object, known: Mapping[str, EnvValue]
) -> Iterator[tuple[str, EnvValue]]:
    pairs = value.items() if isinstance(value, dict) else map(pair_of, value if isinstance(value, list) else ())
    for key, setting in pairs:
        name, text = text_of(key), text_of(setting)
        if setting is None:
            yield name, EnvValue(variable=name)
        elif name in dialect.gone and "$" in text:
            compose.note("S108", compose.path, f"{name}, which is no longer set")
        elif isinstance(setting, dict | list) or ("$" in text and len(text) > MAX_TEXT):
            compose.cannot(compose.place(f"environment.{name}"), "is no plain value")
        else:
            yield name, filled_in(text, known)
