"""Hardening against settings of tools that lie in HOME, in /etc or in the workspace.

HOME itself stays: what a right candidate installs for its user lies there. Each tool is given settings of its own.
"""

from __future__ import annotations

import re
from typing import Final

from skill.verifier.situation import Addition, Situation, pattern

_GIT_SETTINGS: Final = re.compile(
    r"gitconfig|GIT_CONFIG|hookspath|insteadof|excludesfile|git[ -]lfs|filter\.|alias\.|credential|gpgsign"
    r"|config (?:--global|--system) (?!--add |user\.|safe\.|init\.)",
    re.IGNORECASE,
)
_INSTALLER_SETTINGS: Final = re.compile(
    r"pip\.conf|pip3? config|\bPIP_|uv\.toml|\bUV_|index-url|extra-index|find-links|--index\b|pip/pip|no-config"
)
_DOWNLOAD_SETTINGS: Final = re.compile(r"curlrc|wgetrc|CURL_HOME|WGETRC|proxy", re.IGNORECASE)
_PROJECT_OF_UV: Final = re.compile(r"\buv (?:run|sync|lock|add|build)\b")


@pattern("own-git-settings")
def own_git_settings(situation: Situation) -> Addition | None:
    """Git sees of its user's and its system's settings only who works and which folders to trust.

    Stops settings that silence `git diff`, hide files or run something else. Only where nothing speaks of settings of
    git but those.
    """
    used = any(name == "git" for name, _ in situation.commands) or re.search(r"[\"']git[\"' ]", situation.text)
    if not used or _GIT_SETTINGS.search(situation.told):
        return None
    return Addition(early=("own_git",))


@pattern("own-installer-settings")
def own_installer_settings(situation: Situation) -> Addition | None:
    """Pip and uv read no settings of a user or of the system.

    Stops an index or a folder of the candidate's that offers a runner of its own. Only where the verifier installs
    something, nothing speaks of such settings, and uv is not asked to run a project.
    """
    installs = any(
        name in ("uv", "uvx") or (name.startswith(("pip", "python")) and "install" in words)
        for name, words in situation.commands
    )
    if not installs or _INSTALLER_SETTINGS.search(situation.told) or _PROJECT_OF_UV.search(situation.text):
        return None
    if any(name.startswith(("PIP_", "UV_")) for name in situation.given.image_env):
        return None
    return Addition(early=("export PIP_CONFIG_FILE=/dev/null UV_NO_CONFIG=1",))


@pattern("own-download-settings")
def own_download_settings(situation: Situation) -> Addition | None:
    """Curl and wget read no settings of their user.

    Stops settings that send what they fetch somewhere else. Only where nothing speaks of such settings or a proxy.
    """
    used = any(name in ("curl", "wget") for name, _ in situation.commands)
    if not used or _DOWNLOAD_SETTINGS.search("\n".join((situation.told, *situation.given.image_env))):
        return None
    return Addition(early=("own_downloads",))


@pattern("npm-shell")
def npm_shell(situation: Situation) -> Addition | None:
    """Package scripts are run by bash, and node without options of the candidate's, whatever .npmrc says.

    Stops a settings file that runs every script with `true`, or loads something into every node. Only where nothing
    speaks of such a file.
    """
    if not any(name in ("npm", "npx") for name, _ in situation.commands):
        return None
    if ".npmrc" in situation.told or "npm config" in situation.told:
        return None
    options = (
        "${NODE_OPTIONS:---stack-trace-limit=10}"  # an empty value would not win over the file; this is node's own
    )
    return Addition(setup=(f'export NPM_CONFIG_SCRIPT_SHELL=/bin/bash NPM_CONFIG_NODE_OPTIONS="{options}"',))
