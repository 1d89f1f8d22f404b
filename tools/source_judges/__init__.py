"""The judges of source frameworks by name."""

from __future__ import annotations

from tools.errors import EngineUnavailable
from tools.runners.base import Runner
from tools.source_judges.base import SourceJudge


def open_judge(framework: str, runner: Runner) -> SourceJudge:
    """The judge of ``framework``, at work in the engine of ``runner``, whose images it shares.

    Raises EngineUnavailable for a framework or a runner that has none.
    """
    from tools.runners.docker import DockerRunner
    from tools.runners.margin import MarginRunner
    from tools.source_judges.harbor import HarborJudge

    docker = runner.docker if isinstance(runner, MarginRunner) else runner
    if framework != "harbor" or not isinstance(docker, DockerRunner):
        raise EngineUnavailable(framework, "its verifiers cannot be run under their own contract here")
    return HarborJudge(docker)
