"""docker-compose.yaml as Terminal-Bench takes it: variables filled in, the client found by its container's name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from skill.sources.base import EnvValue
from skill.sources.dialect import COMPOSE, Dialect

CLIENT: Final = re.compile(r"\$\{?T_BENCH_TASK_DOCKER_CLIENT_CONTAINER_NAME\b")


def client(services: Mapping[str, Any]) -> str:
    """The service that the agent works in: by its container's name, by its own, or the only one."""
    for name, service in services.items():
        if isinstance(service, dict) and CLIENT.match(str(service.get("container_name", ""))):
            return str(name)
    return "client" if "client" in services or len(services) != 1 else str(next(iter(services)))


TERMINAL_BENCH_COMPOSE: Final = Dialect(
    path=COMPOSE,
    own_image=re.compile(r"\$\{?T_BENCH_TASK_DOCKER_CLIENT_IMAGE_NAME\b"),
    log_mount=re.compile(r"\s*\$\{?T_BENCH_TASK_(?:AGENT_)?LOGS_PATH\}?:"),
    contexts=frozenset({"", "."}),
    main=client,
    filled={
        "T_BENCH_TEST_DIR": EnvValue(literal="/tests"),
        "T_BENCH_CONTAINER_LOGS_PATH": EnvValue(literal="/logs"),
        "T_BENCH_CONTAINER_AGENT_LOGS_PATH": EnvValue(literal="/agent-logs"),
    },
    any_dockerfile=True,
    plain_networks=True,
    shells=True,
)
