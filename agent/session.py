"""One conversation with a model: what was said so far, and nothing that is not in its transcript.

Everything that happens is a record first and a change of state second, through one function; opening a
transcript again therefore gives the session as it was, wherever it was cut off. History only grows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from agent.errors import JournalError, ModelError
from agent.journal import Record
from agent.messages import Block, Call, Message, Reply, result_block, text_block
from agent.stop import Reason, Stop
from agent.stuck import STOPS_AT, TOLD_FROM, Repetition, key_of, warning
from agent.transcript import BRIEF, CALL, DISCARDED, REPLY, RESULT, SAID, STOP, Transcript, usages_of
from agent.usage import NOTHING, Usage
from tools.errors import AnswerMissing
from tools.toolbox import Answer, Toolbox

MAX_TURNS: Final = 80
MAX_CALLS: Final = 16  # of one turn; a prompt cache looks back 20 blocks
INTERRUPTED: Final = Answer(
    "interrupted: this call was cut off twice and may have taken effect; look before going on", True
)
NOT_RUN: Final = Answer("not_run: the reply did not end as a tool call does; make the call again", is_error=True)


class Session:
    """An open session; ``id`` names it, ``brief`` is the first thing the model is told.

    A transcript that began with another brief, or for another ``setting`` (model, skill, tools), is begun anew;
    what it cost stays counted.
    """

    def __init__(self, id: str, brief: str, transcript: Transcript, *, setting: str = "") -> None:
        self.id = id
        self._transcript = transcript
        self._reset()
        start = hashlib.sha256(f"{setting}\0{brief}".encode()).hexdigest()
        records = list(transcript.records())
        if records and records[0].get("start") != start:
            paid = [asdict(usage) for record in records for usage in usages_of(record)]
            transcript.restart()
            records = []
        else:
            paid = []
        if not records:
            records = [transcript.append(BRIEF, session=id, start=start, text=brief, paid_before=paid)]
        for record in records:
            self._replay(record)

    def _reset(self) -> None:
        self._history: list[Message] = []
        self._turn: list[Block] = []  # the user turn that is being put together
        self._answers: dict[str, Block] = {}
        self._started: dict[str, list[str]] = {}  # call id -> what stood at its target, for each start
        self._repetition = Repetition()
        self.usages: list[Usage] = []
        self.last_usage: Usage = NOTHING
        self.reply: Reply | None = None  # the last one, while its calls are open
        self.turns = 0
        self.cut = 0  # replies in a row that were cut at max_tokens
        self.pauses = 0  # replies in a row that only paused
        self.nudges = 0  # since the last word of ours that was no nudge
        self.stop: Stop | None = None
        self.is_settled = True  # all that the last reply calls for is recorded

    @property
    def messages(self) -> list[Message]:
        """The conversation as the next request has it; the last message is the user's."""
        return [*self._history, {"role": "user", "content": list(self._turn)}] if self._turn else list(self._history)

    @property
    def open_calls(self) -> list[Call]:
        """The calls of the last reply that have no result yet."""
        calls = self.reply.calls if self.reply else ()
        return [call for call in calls if call.id not in self._answers]

    def record_reply(self, reply: Reply) -> None:
        """Keep a whole reply; its usage counts whatever becomes of it."""
        fields = {**vars(reply), "content": [dict(block) for block in reply.content], "usage": asdict(reply.usage)}
        self._record(REPLY, **fields)

    def record_discarded(self, error: ModelError) -> None:
        """Keep what a try without a reply has used."""
        self._record(DISCARDED, why=str(error), request_id=error.request_id, usage=asdict(error.usage))

    def say(self, text: str, *, nudge: bool = False) -> None:
        """Add a word of ours to the user's next turn, after all results; a stopped session goes on with it."""
        for call in self.open_calls:
            self.answer(call, NOT_RUN)
        self._record(SAID, text=text, nudge=nudge)

    def end(self, reason: Reason, detail: str = "") -> None:
        """The session is over until somebody says something, or an obstacle is gone."""
        self._record(STOP, reason=reason.value, detail=detail)

    def reopen(self) -> None:
        """Go on where a question was open or a share was spent; any other stop stays."""
        if self.stop is not None and not self.stop.is_final:
            self.stop = None

    def perform(self, call: Call, toolbox: Toolbox) -> None:
        """Run one call, with a record before and after; ends the session at an open question or a dead loop.

        A call that was cut off is run again once, since every tool does the same when run twice.
        """
        starts = self._started.get(call.id, [])
        if len(starts) > 1:
            return self.answer(call, INTERRUPTED)
        before = starts[0] if starts else None
        target = toolbox.target(call.name, call.input) if before is None else before
        self._record(CALL, id=call.id, name=call.name, before=target)
        try:
            answer = toolbox.dispatch(call.name, call.input, resumed_from=before)
        except AnswerMissing as missing:
            return self.end(Reason.NEEDS_INPUT, str(missing))
        self.answer(call, answer)

    def answer(self, call: Call, answer: Answer) -> None:
        """Record the result of one call; a result seen too often becomes a warning, then the end."""
        key = key_of(call, answer.text)
        times = self._repetition.seen(key)
        if times >= TOLD_FROM:
            answer = Answer(warning(call, times), is_error=True)
        self._record(RESULT, id=call.id, text=answer.text, is_error=answer.is_error, key=key)
        if times >= STOPS_AT:
            self.end(Reason.STUCK, f"{call.name} was called {times} times with the same arguments and result")

    def close(self) -> None:
        """Close the transcript."""
        self._transcript.close()

    def _record(self, event: str, **fields: Any) -> None:
        self._apply(self._transcript.append(event, **fields))

    def _replay(self, record: Record) -> None:
        try:
            if record["event"] == RESULT:
                self._repetition.seen(record["key"])
            self._apply(record)
        except (KeyError, TypeError, ValueError) as error:
            raise JournalError(
                f"session {self.id}: holds a record that is none of ours (remove the run folder to start over)"
            ) from error

    def _apply(self, record: Record) -> None:
        self.usages += usages_of(record)
        match record["event"]:
            case "brief":
                self._turn = [text_block(record["text"])]
            case "reply":
                self._apply_reply(record)
            case "call":
                self.stop = None
                self._started.setdefault(record["id"], []).append(record["before"])
            case "result":
                self._answers[record["id"]] = result_block(record["id"], record["text"], record["is_error"])
                self._complete()
            case "said":
                self.stop = None
                self.is_settled = True
                self.nudges = self.nudges + 1 if record["nudge"] else 0
                self._turn.append(text_block(record["text"]))
            case "stop":
                self.stop = Stop(Reason(record["reason"]), record["detail"])
                self._started.clear()

    def _apply_reply(self, record: Mapping[str, Any]) -> None:
        fields = {key: record[key] for key in ("stop_reason", "request_id", "detail")}
        self.last_usage = Usage(**record["usage"])
        self.reply = Reply(tuple(record["content"]), usage=self.last_usage, **fields)
        self.stop = None
        self.is_settled = False
        self.turns += 1
        self.cut = self.cut + 1 if self.reply.stop_reason == "max_tokens" else 0
        self.pauses = self.pauses + 1 if self.reply.stop_reason == "pause_turn" else 0
        self._answers = {}
        self._started = {}
        if self.reply.content:  # an empty turn cannot be sent back
            self._history += [{"role": "user", "content": self._turn}] * bool(self._turn)
            self._history.append({"role": "assistant", "content": list(self.reply.content)})
            self._turn = []

    def _complete(self) -> None:
        """All results in one user turn, in the order of the calls, once the last one is there."""
        if self.reply and not self.open_calls:
            self._turn += [self._answers[call.id] for call in self.reply.calls]
            self.is_settled = self.reply.stop_reason == "tool_use"  # after any other, words of ours follow
