"""A session until its proposal is accepted: what speaks against it goes back to the model, three times at most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from agent import loop
from agent.mind import Mind
from agent.session import Session
from agent.stop import Reason, Stop
from agent.text import plain
from tools.toolbox import Toolbox

MAX_REPAIRS: Final = 3
REPAIR: Final = "This is not accepted yet."


def until_accepted(session: Session, mind: Mind, toolbox: Toolbox, against: Callable[[], str]) -> Stop:
    """The end of the session; PROPOSED means that ``against`` had nothing to say about what it left."""
    while True:
        stop = loop.run(session, mind.model, toolbox, mind.budget, mind.watch)
        if stop.reason is not Reason.PROPOSED or not (said := against()):
            return stop
        if repairs(session) >= MAX_REPAIRS:
            return Stop(Reason.INCOMPLETE, plain(said.splitlines()[0]))
        session.say(f"{REPAIR}\n{said}")


def repairs(session: Session) -> int:
    """How often the session was told that its proposal is not accepted."""
    blocks = (block for message in session.messages if message["role"] == "user" for block in message["content"])
    return sum(block["type"] == "text" and block["text"].startswith(REPAIR) for block in blocks)
