"""Which commands a verifier's script is made of, as tables: quiet ones, installers, tools worth a look beforehand."""

from __future__ import annotations

# Without an effect on a verdict; their status is not known, so nothing may depend on it.
QUIET = frozenset(
    "cat cd chmod chown clear cp date df env find free head hostname id ls mkdir mv nproc ps pwd rm sleep sync"
    " tail tee touch uname unset wc which whoami".split()
)
# Change the shell that calls them, or when it goes on: nothing that follows can be told without running them.
SHELL = frozenset(
    ". alias bg break builtin command continue coproc disown enable eval exec fc fg getopts jobs let local logout"
    " mapfile popd pushd read readarray select shift shopt source trap type ulimit umask unalias wait".split()
)
# Say something or look around; may stand before the tests without being part of them.
DIAGNOSTIC = frozenset(
    "echo printf ls pwd whoami date id uname hostname df free env nproc true : shopt umask ulimit hash type".split()
)

INSTALLERS: dict[str, tuple[str, ...]] = {  # command -> sub-commands that install; () means any
    "apt-get": (),
    "apt": (),
    "apk": (),
    "yum": (),
    "dnf": (),
    "dpkg": (),
    "pip": ("install", "--version", "-V", "config"),
    "pip3": ("install", "--version", "-V", "config"),
    "uv": ("venv", "pip", "init", "add", "sync", "python", "tool", "--version", "cache"),
    "gem": ("install",),
    "add-apt-repository": (),
    "locale-gen": (),
    "update-alternatives": (),
    "playwright": ("install",),
    "nvm": (),
    "corepack": (),
}
FETCHERS = frozenset(("curl", "wget"))
NETWORK = frozenset(
    "apt-get apt apk yum dnf pip pip3 uv uvx curl wget npm npx pnpm yarn go cargo gem mvn gradle git playwright".split()
)

# Interpreters, compilers and runners whose absence says nothing about the candidate.
TOOLS = frozenset(
    "python python3 pytest node npm npx go cargo rustc java javac mvn gradle gcc g++ cc c++ clang clang++ make cmake"
    " ctest jq git bats Rscript ruby perl php dotnet sqlite3 uv uvx kotlinc bc xxd diff cmp unzip tar openssl bun deno"
    " tsc rewardkit awk sed grep file find xargs sort".split()
)
