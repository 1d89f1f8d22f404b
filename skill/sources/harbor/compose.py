"""environment/docker-compose.yaml as Harbor takes it: merged over a file of its own, with the service ``main``."""

from __future__ import annotations

import re
from typing import Final

from skill.sources.dialect import COMPOSE, Dialect

HARBOR_COMPOSE: Final = Dialect(
    path=f"environment/{COMPOSE}",
    own_image=re.compile(r"\$\{?(?:MAIN|PREBUILT)_IMAGE_NAME\b"),
    log_mount=re.compile(r"\$\{?HOST_(?:VERIFIER_LOGS|AGENT_LOGS|ARTIFACTS)_PATH\}?:"),
    contexts=frozenset({"", ".", "${CONTEXT_DIR}", "$CONTEXT_DIR"}),
    main=lambda _: "main",
    gone=frozenset({"TEST_DIR"}),
)
