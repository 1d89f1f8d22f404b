"""The judges of source frameworks by name."""

from __future__ import annotations

from collections.abc import Sequence

from skill.case import Case
from skill.sources.base import SourceTask
from tools.errors import EngineUnavailable
from tools.runners.base import Runner
from tools.source_judges.base import Carried, SourceJudge, SourcePrepared


def open_judge(framework: str, runner: Runner) -> SourceJudge:
    """The judge of ``framework``, at work in the engine of ``runner``, whose images it shares.

    Several frameworks, joined by ``+``, get one that hands each task to its own. Raises EngineUnavailable for a
    framework or a runner that has none.
    """
    from tools.runners.docker import DockerRunner
    from tools.runners.margin import MarginRunner
    from tools.source_judges.harbor import HarborJudge
    from tools.source_judges.terminal_bench import TerminalBenchJudge

    docker = runner.docker if isinstance(runner, MarginRunner) else runner
    known = {judge.name: judge for judge in (HarborJudge, TerminalBenchJudge)}
    names = framework.split("+")
    if not isinstance(docker, DockerRunner) or any(name not in known for name in names):
        raise EngineUnavailable(framework, "its verifiers cannot be run under their own contract here")
    judges = [known[name](docker) for name in names]
    return judges[0] if len(judges) == 1 else _Several(judges)


class _Several:
    """Judges of several frameworks, for a dataset that holds tasks of each."""

    def __init__(self, judges: Sequence[SourceJudge]) -> None:
        self.by_name = {judge.name: judge for judge in judges}
        self.name = "+".join(self.by_name)
        self.version = " ".join(judge.version for judge in judges)

    def prepare(self, task: SourceTask, case: Case, states: Sequence[Carried]) -> SourcePrepared:
        """The task, in the hands of its own framework's judge."""
        return self.by_name[task.framework].prepare(task, case, states)
