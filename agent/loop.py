"""The loop: ask the model, do what it asks for, until something other than its wish ends the session."""

from __future__ import annotations

from typing import Final

from agent import prompt
from agent.budget import Budget, ShareSpent, WindowFull
from agent.messages import Model, Reply
from agent.patience import QUIET, Watch, ask
from agent.session import MAX_CALLS, MAX_TURNS, NOT_RUN, Session
from agent.stop import Reason, Stop
from tools.toolbox import Answer, Toolbox

MAX_NUDGES: Final = 2
MAX_PAUSES: Final = 3
TOO_MANY: Final = Answer(f"not_run: at most {MAX_CALLS} calls in one turn; make the rest in the next", is_error=True)
TRUNCATED: Final = Answer("truncated: the reply was cut at its token limit, so nothing of it was run", is_error=True)


def run(session: Session, model: Model, toolbox: Toolbox, budget: Budget, watch: Watch = QUIET) -> Stop:
    """Drive one session until it stops.

    Raises BudgetSpent, Infrastructure or Interrupted for what concerns the whole run; the session can then be
    opened from its transcript and run on, as it can after any crash.
    """
    prefix = prompt.prefix(toolbox.manifest)
    session.reopen()
    while (stop := settle(session, toolbox)) is None:
        try:
            session.record_reply(ask(session, model, budget, prefix, watch))
            watch.replied(session, budget)
        except ShareSpent as spent:
            session.end(Reason.SHARE, str(spent))
        except WindowFull as full:
            session.end(Reason.TOO_LONG, str(full))
    return stop


def settle(session: Session, toolbox: Toolbox) -> Stop | None:
    """Do all that the last reply calls for, also when an earlier run was cut off on the way; the stop, if any."""
    reply = session.reply
    if session.stop is None and reply is not None and not session.is_settled:
        _settle(session, reply, toolbox)
    if session.stop is None and session.turns >= MAX_TURNS:
        session.end(Reason.STUCK, f"{MAX_TURNS} turns without an end")
    return session.stop


def _settle(session: Session, reply: Reply, toolbox: Toolbox) -> None:
    match reply.stop_reason:
        case "tool_use":
            _perform(session, reply, toolbox)
        case "max_tokens":
            _cut(session)
        case "end_turn" | "stop_sequence":
            _ended(session, reply, toolbox)
        case "pause_turn" if session.pauses <= MAX_PAUSES:
            pass  # the history goes back as it is
        case "refusal":
            session.end(Reason.REFUSED, reply.detail)
        case "model_context_window_exceeded":
            session.end(Reason.TOO_LONG, "the conversation no longer fits into the model's window")
        case other:
            session.end(Reason.ODD_REPLY, f"the reply ended with {other!r}")


def _perform(session: Session, reply: Reply, toolbox: Toolbox) -> None:
    """Run the calls one after the other; the results go back together."""
    runnable = reply.calls[:MAX_CALLS]
    for call in session.open_calls:
        if session.stop is not None:
            return
        if call in runnable:
            session.perform(call, toolbox)
        else:
            session.answer(call, TOO_MANY)
    if not reply.calls:
        session.say(prompt.NO_CALL, nudge=True)


def _cut(session: Session) -> None:
    """Nothing of a cut reply is run: its arguments may be incomplete."""
    for call in session.open_calls:
        session.answer(call, TRUNCATED)
    if session.cut > 1:
        session.end(Reason.TRUNCATED, "two replies in a row were cut at their token limit")
    else:
        session.say(prompt.CUT)


def _ended(session: Session, reply: Reply, toolbox: Toolbox) -> None:
    """The model proposes an end; the gates are asked, not its words."""
    for call in session.open_calls:
        session.answer(call, NOT_RUN)
    if declined := prompt.declined(reply.text):
        session.end(Reason.DECLINED, declined)
    elif not (errors := toolbox.errors()):
        session.end(Reason.PROPOSED)
    elif session.nudges >= MAX_NUDGES:
        session.end(Reason.INCOMPLETE, str(errors[0]))
    else:
        session.say(prompt.nudge(errors), nudge=True)
