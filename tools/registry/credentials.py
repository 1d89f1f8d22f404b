"""What ``docker login`` left: credentials in the client's config file or behind its credential helpers.

They are read when a registry asks for them, sent to it and the token service it names, and never written.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from skill.image_ref import HUB
from tools import process

HUB_KEY: Final = "https://index.docker.io/v1/"
HELPER: Final = "docker-credential-"
HELPER_SECONDS: Final = 30
TOKEN_USER: Final = "<token>"  # by which helpers say that the secret is an identity token


@dataclass(frozen=True)
class Login:
    """A name and a password, or an identity token."""

    user: str = ""
    password: str = ""
    token: str = ""

    @property
    def basic(self) -> str:
        """The value of a basic Authorization header."""
        return "Basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode()

    def __repr__(self) -> str:
        return "Login(...)"


def config_folder() -> Path:
    """Where the docker client keeps its settings."""
    return Path(os.environ.get("DOCKER_CONFIG") or Path.home() / ".docker")


def login_for(host: str) -> Login | None:
    """The login for a registry, None when there is none or a helper has none."""
    config = _config()
    keys = (HUB_KEY, HUB, "index.docker.io") if host == HUB else (host, f"https://{host}", f"http://{host}")
    helpers = config.get("credHelpers")
    for key in keys:
        helper = helpers.get(key) if isinstance(helpers, dict) else None
        if isinstance(helper, str) and (found := _from_helper(helper, key)):
            return found
    store = config.get("credsStore")
    if isinstance(store, str) and (found := _from_helper(store, keys[0])):
        return found
    return _from_file(config.get("auths"), keys)


def _config() -> Mapping[str, Any]:
    try:
        table = json.loads((config_folder() / "config.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return table if isinstance(table, dict) else {}


def _from_file(auths: object, keys: tuple[str, ...]) -> Login | None:
    """The entry of the config file; its keys may carry a scheme and a path."""
    if not isinstance(auths, dict):
        return None
    named = {_host(name): entry for name, entry in auths.items() if isinstance(entry, dict)}
    entry = next((auths[key] for key in keys if isinstance(auths.get(key), dict)), None) or named.get(_host(keys[0]))
    if not entry:
        return None
    if token := entry.get("identitytoken"):
        return Login(token=str(token))
    try:
        user, colon, password = base64.b64decode(str(entry.get("auth", ""))).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return Login(user, password.rstrip("\0")) if colon else None


def _host(key: str) -> str:
    return key.partition("://")[2].partition("/")[0] or key.partition("/")[0]


def _from_helper(name: str, key: str) -> Login | None:
    """What ``docker-credential-NAME get`` answers; None for a name that is none, or when it fails."""
    if not name.replace("-", "").replace("_", "").isalnum():
        return None
    env = {**process.environment("DOCKER_CONFIG", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")}
    try:
        done = subprocess.run(
            [HELPER + name, "get"], input=key.encode(), capture_output=True, timeout=HELPER_SECONDS, env=env, check=True
        )
        table = json.loads(done.stdout)
        user, secret = str(table["Username"]), str(table["Secret"])
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError):
        return None
    return Login(token=secret) if user == TOKEN_USER else Login(user, secret)
