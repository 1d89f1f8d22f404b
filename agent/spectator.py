"""What a person sees of sessions: a line for each reply, and how long the model is waited for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from agent.budget import Budget
from agent.console import Console
from agent.messages import Call
from agent.patience import Watch
from agent.session import Session
from agent.text import count, plain

EVERY: Final = 10.0  # seconds between two lines about one wait
SHOWN: Final = 4  # calls named in one line


def shown_on(console: Console, stopped: Callable[[], bool]) -> Watch:
    """A watch that writes to ``console`` and asks ``stopped``."""
    told: list[float] = []  # seconds that were left when a wait was last told

    def waiting(seconds: float, why: str) -> None:
        if not told or seconds > told[0] or told[0] - seconds >= EVERY:
            told[:] = [seconds]
            console.note(f"waiting {seconds:.0f} s more: {why}")

    def replied(session: Session, budget: Budget) -> None:
        told.clear()
        console.note(line(session, budget))

    return Watch(stopped=stopped, waiting=waiting, replied=replied)


def line(session: Session, budget: Budget) -> str:
    """One line about the last reply: what it asks for, what it used, what the run has cost."""
    reply, used = session.reply, session.last_usage
    calls = reply.calls if reply else ()
    asked = ", ".join(_asked(call) for call in calls[:SHOWN]) or (reply.stop_reason if reply else "")
    more = f" and {count(len(calls) - SHOWN, 'call')} more" if len(calls) > SHOWN else ""
    cached = f", {100 * used.cache_read // used.prompt} % cached" if used.prompt else ""
    cap = f" of {budget.limits.usd}" if budget.limits.usd is not None else ""
    cost = f"; {budget.usd:.2f}{cap} USD so far" if budget.rules.price else ""
    return plain(f"{session.id} turn {session.turns}: {asked}{more}; {used.prompt} in{cached}, {used.output} out{cost}")


def _asked(call: Call) -> str:
    path = call.input.get("path") if isinstance(call.input, dict) else None
    return f"{call.name} {path}"[:80] if isinstance(path, str) else call.name[:40]
