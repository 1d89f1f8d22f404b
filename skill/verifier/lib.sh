# Shared by every verifier that suite-converter writes; tests/test.sh sources it after checking its hash.
# Three phases: bootstrap (any fault is the suite's: 2), candidate (inside a time limit), interpret (0, 1 or 2).
# The verdict falls in bash builtins; nothing runs after it, and a way out that gave no verdict ends in 2.

trap - ERR DEBUG RETURN
unset -f exit return trap test printf source command read kill type hash
unset CDPATH GLOBIGNORE  # BASH_ENV and ENV stay: the image may set them for the scripts that the source starts

DECIDED=
STATUS=
PRIVATE=
IMPORTS=
TIMED_OUT=
OFFLINE=  # set where the source's verifier needs nothing from outside: then what breaks it off is the candidate's

verdict() {  # CODE NAME REASON
  DECIDED=1
  [ -z "$PRIVATE" ] || rm -rf "$PRIVATE"
  builtin printf 'VERDICT: %s\nreason: %s\n' "$2" "$3"
  builtin exit "$1"
}
pass() { verdict 0 PASS "$1"; }
fail() { verdict 1 FAIL "$1"; }
infra() { verdict 2 INFRA "$1"; }
on_exit() { [ -n "$DECIDED" ] || infra "the verifier stopped before it reached a verdict"; }

# begin LIMIT RESERVE MANIFEST_SHA256: the suite's own files are whole, the log places exist, the clock runs.
begin() {
  LIMIT=$1 RESERVE=$2 MANIFEST=$3
  trap on_exit EXIT
  trap 'infra "the verifier was interrupted"' HUP INT TERM
  own_tools
  need sha256sum timeout mktemp rm mkdir
  same_hash "$3" "$TESTS/.verdict/manifest.sha256" || infra "tests/.verdict/manifest.sha256 is missing or changed"
  (cd "$TESTS" && sha256sum -c .verdict/manifest.sha256) >/dev/null 2>&1 || infra "a file of tests/ is missing or changed"
  PRIVATE=$(mktemp -d) || infra "no place for private files"
  [ -d /logs ] && [ ! -L /logs ] || rm -rf /logs
  rm -rf /logs/verifier
  mkdir -p "$PRIVATE/check" && mkdir -p /logs/verifier /logs/agent /logs/artifacts || infra "the log folders cannot be made"
  if [ "$TESTS" != /tests ]; then
    rm -rf /tests && ln -s "$TESTS" /tests || infra "/tests cannot be pointed at $TESTS"
  fi
}
same_hash() { local sum; sum=$(sha256sum <"$2" 2>/dev/null) && [ "${sum%% *}" = "$1" ]; }

# own_tools: what this library calls is looked up in the image's own folders before any other.
own_tools() {
  local tool path
  for tool in sha256sum timeout mktemp rm mkdir cat env stat; do
    path=$(PATH=/usr/bin:/bin:$PATH; type -P "$tool") && hash -p "$path" "$tool"
  done
}

# intact: what is staged is what was staged before the candidate was judged.
intact() {
  same_hash "$MANIFEST" "$TESTS/.verdict/manifest.sha256" && (cd "$TESTS" && sha256sum -c .verdict/manifest.sha256) >/dev/null 2>&1 ||
    fail "a file of tests/ was changed while the candidate was judged"
}

# alone: ends what the candidate left running, in a container that Margin's idle loop keeps up; its server is spared.
alone() {
  local entry id line parent=$PPID spared=" 1 $$ " round
  read_all /proc/1/cmdline
  [[ $ALL = *"while true; do sleep 3600; done" ]] || return 0
  while [ "${parent:-0}" -gt 1 ]; do
    spared+="$parent "
    IFS= read -r line 2>/dev/null <"/proc/$parent/stat" || break
    line=${line##*) }; line=${line#* }; parent=${line%% *}
  done
  for round in 1 2 3; do
    for entry in /proc/[0-9]*; do
      id=${entry#/proc/}
      read_all "$entry/cmdline"
      [[ $spared = *" $id "* || $ALL = */tmp/marginlab/bin/* ]] || kill -KILL "$id" 2>/dev/null
    done
  done
}
read_all() {  # ALL: the words of a file that separates them by NUL bytes
  local word
  ALL=
  while IFS= read -r -d '' word; do ALL+=${ALL:+ }$word; done 2>/dev/null <"$1"
}

# left: whole seconds until the candidate has to be done.
left() { printf '%s' "$((LIMIT - RESERVE - SECONDS))"; }

# seconds_left: the same as a limit of timeout's, which takes 0 for none.
seconds_left() { local seconds; seconds=$(left); printf '%s' "$((seconds > 0 ? seconds : 1))"; }

# need TOOL...: each is in the image and, where it interprets or builds, runs.
need() {
  local tool
  for tool; do
    type -P "$tool" >/dev/null || infra "tool missing: $tool"
    case $tool in
      python | python3) interprets "$tool" -c 'print(42); raise SystemExit(7)' ;;
      node) interprets node -e 'console.log(42); process.exit(7)' ;;
      Rscript) interprets Rscript -e 'cat(42); quit(status = 7)' ;;
      ruby | perl) interprets "$tool" -e 'print 42; exit 7' ;;
      grep) refuses grep -q x /dev/null ;;
      cmp | diff) refuses "$tool" /dev/null "$TESTS/.verdict/manifest.sha256" ;;
      jq) refuses jq -en false ;;
      awk) refuses awk 'BEGIN { exit 1 }' ;;
      make) refuses make -f /dev/null no-such-target ;;
      go) works go version && refuses go no-such-command ;;
      cargo) works cargo --version && refuses cargo no-such-command ;;
      rustc | pytest | npm | npx | bats | php) works "$tool" --version ;;
      java | javac) works "$tool" -version ;;
      gcc | g++ | cc | c++ | clang | clang++) builds "$tool" ;;
    esac
  done
}
works() { sound "$@" || blamed "$1" "$*" sound "$@"; }
refuses() { refusing "$@" || blamed "$1" "$* succeeds" refusing "$@"; }
sound() { timeout 60 "$@" >/dev/null 2>&1 </dev/null; }
refusing() { ! sound "$@"; }
# speaks INTERPRETER OPTION CODE: it says 42 and ends with 7; the words after that are what a false one may look for.
speaks() { answers "$@" pytest unittest "$TESTS/test"; }
answers() {
  local said
  said=$(timeout 60 "$@" 2>/dev/null </dev/null)
  [ $? = 7 ] && [ "$said" = 42 ]
}
interprets() { speaks "$@" || startup "$@"; }
# startup INTERPRETER OPTION CODE: one that works, but not with all that it loads as it starts, or not where tests are
# spoken of, was tampered with.
startup() {
  barely "$@" && fail "$1 was tampered with: it does not work with what it loads as it starts, or where tests are spoken of"
  blamed "$1" "$1" barely "$@"
}
barely() {
  local tool=$1; shift
  case $tool in
    python*) answers "$tool" -I -S "$@" ;;
    Rscript) answers "$tool" --vanilla "$@" ;;
    *) answers "$tool" "$@" ;;
  esac
}
builds() { compiles "$1" || blamed "$1" "$1 cannot build a known-good program" compiles "$1"; }
compiles() {
  local out="${PRIVATE:-/tmp}/known-good"
  rm -f "$out"
  printf 'int main(void) { return 0; }\n' | timeout 60 "$1" -x "$([[ $1 = *++ ]] && echo c++ || echo c)" -o "$out" - >/dev/null 2>&1 &&
    [ -s "$out" ]
}
# blamed TOOL WHAT TEST...: a tool that fails a test is the image's fault, but not where the same tool further on in
# PATH passes it: then something was put before it.
blamed() {
  local tool=$1 what=$2 path first=; shift 2
  while IFS= read -r path; do
    [ -n "$first" ] || { first=$path; continue; }
    (PATH=${path%/*}:$PATH; own_tools; "$@") && fail "$first, which stands before $path, does not work: $what"
  done <<<"$(type -aP "$tool")"
  infra "tool broken: $what"
}

# runner_works COMMAND...: pytest, as the source calls it, on a test that is known to pass and that imports
# (IMPORTS) what the suite brings for its tests. What only fails with the folders of PYTHONPATH fails by what the
# candidate put there.
runner_works() {
  case $1 in /*) ;; */*) set -- "$PWD/$1" "${@:2}" ;; esac  # it is tried from another folder
  { printf 'import %s\n' os $IMPORTS; printf 'def test_known():\n    assert True\n'; } >"$PRIVATE/check/test_known.py"
  printf '[pytest]\n' >"$PRIVATE/check/pytest.ini"
  (cd "$PRIVATE/check" && known_test "$@") && return
  cat "$PRIVATE/check/log"
  [ -z "${PYTHONPATH-}" ] || ! (PYTHONPATH="$TESTS/.verdict"; cd "$PRIVATE/check" && known_test "$@") ||
    fail "files in the folders of PYTHONPATH keep pytest from working"
  infra "the test runner does not pass a test that is known to pass: $*"
}
# unshadowed COMMAND...: the same from where the source starts it; what keeps it from working there is the candidate's.
unshadowed() { known_test "$@" || { cat "$PRIVATE/check/log"; fail "files of the workspace keep pytest from working"; }; }
known_test() {
  local report="$PRIVATE/check/report.xml"
  rm -f "$report"
  timeout "$(seconds_left)" "$@" --junitxml="$report" "$PRIVATE/check/test_known.py" >"$PRIVATE/check/log" 2>&1 </dev/null
  read_report "$report"
  [ "$RAN" = 1 ] && [ "$BROKE" = 0 ]
}
# tool_starts COMMAND...: a tool fetched at grading can be fetched and started.
tool_starts() { timeout "$(seconds_left)" "$@" >"$PRIVATE/check/log" 2>&1 </dev/null || { cat "$PRIVATE/check/log"; infra "the tool does not start: $*"; }; }

# read_report FILE: RAN and BROKE from pytest's JUnit report; RAN is 0 where there is none.
read_report() {
  local text head
  RAN=0 BROKE=0 SKIPPED=0
  is_plain "$1" || return 0
  IFS= read -r -N 65536 text <"$1"
  head=${text#*<testsuite }
  [ "$head" != "$text" ] || return 0
  head=${head%%>*}
  SKIPPED=$(count skipped "$head")
  RAN=$(($(count tests "$head") - SKIPPED))
  BROKE=$(($(count failures "$head") + $(count errors "$head")))
}
is_plain() { [ -f "$1" ] && [ ! -L "$1" ]; }
count() { [[ " $2" =~ [[:space:]]$1=\"([0-9]+)\" ]] && printf '%s' "${BASH_REMATCH[1]}" || printf 0; }

# keep_environment, take_environment STATUS: the bootstrap runs in a shell of its own, so that no file that it sources
# can end or change this one; what it exports comes back as plain values, the names of this library excepted.
keep_environment() { env -0 >"$PRIVATE/environment"; }
take_environment() {
  local entry
  [ -d "$PRIVATE" ] || { DECIDED=1; builtin exit 2; }
  [ -f "$PRIVATE/environment" ] || infra "the bootstrap ended early (status $1)"
  while IFS= read -r -d '' entry; do
    [[ $entry =~ ^[A-Za-z_][A-Za-z0-9_]*= ]] || continue
    case ${entry%%=*} in
      TESTS | PRIVATE | DECIDED | STATUS | IMPORTS | TIMED_OUT | LIMIT | RESERVE | RAN | BROKE | REWARD | STRIPPED) ;;
      MANIFEST | ALL | SKIPPED | SEAL) ;;
      SECONDS | PWD | OLDPWD | SHLVL | _ | IFS | ENV | BASH* | SHELLOPTS | LD_PRELOAD | LD_AUDIT) ;;
      *) export "$entry" ;;
    esac
  done <"$PRIVATE/environment"
  own_tools
}

# enter FOLDER: where the source's verifier ran.
enter() { cd "$1" 2>/dev/null || fail "the working directory is gone: $1"; }

# candidate COMMAND...: runs it within what is left of the time; STATUS is its exit status.
candidate() {
  local seconds
  seconds=$(left)
  [ "$seconds" -gt 0 ] || infra "no time was left to judge the candidate"
  export VERDICT_DIR=$PRIVATE
  timeout -k 5 "$seconds" "$@" </dev/null
  STATUS=$?
  case $STATUS in
    124 | 137) TIMED_OUT=1 ;;
    *) TIMED_OUT= ;;
  esac
}

# counted PATTERN COMMAND...: as candidate, with the output kept, to see in it that a test ran.
counted() {
  local pattern=$1; shift
  candidate "$@" >"$PRIVATE/output" 2>&1
  cat "$PRIVATE/output"
  [[ $'\n'$(<"$PRIVATE/output") =~ $pattern ]] || [ "$STATUS" != 0 ] || fail "status 0, but nothing shows that a test ran"
}

# guarded: the pytest of this run loads a plugin that sees how each test really ended; genuine: it saw nothing false.
guarded() {
  export VERDICT_DIR=$PRIVATE PYTHONPATH="$TESTS/.verdict${PYTHONPATH:+:$PYTHONPATH}"
  export PYTEST_PLUGINS="verdict_guard${PYTEST_PLUGINS:+,$PYTEST_PLUGINS}"
}
genuine() { [ ! -s "$PRIVATE/forged" ] || { cat "$PRIVATE/forged"; fail "a test that did not pass was called passed"; }; }

# plain_makefile: make reads the file that the task speaks of.
plain_makefile() { [ ! -e GNUmakefile ] || [ ! -e Makefile ] || fail "a GNUmakefile hides the Makefile"; }

# completed: the script whose status decides came to an end of its own, and with that status.
completed() {
  local status=
  [ "$STATUS" = 0 ] || return 0
  is_plain "$PRIVATE/completed" || fail "status 0, but the script did not come to its end"
  IFS= read -r -N 9 status <"$PRIVATE/completed"
  [ "$status" = 0 ] || fail "status 0, but the script came to its end with $status"
}

# seal, unbroken: no staged piece of code was written to since, not even to be put back as it was. The time of the
# last change is the file system's own; where stat cannot tell it, both say the same.
seal() { SEAL=$(changes); }
unbroken() { [ "$SEAL" = "$(changes)" ] || fail "a file of tests/ was written to while the candidate was judged"; }
changes() {
  local line files=(./test.sh)
  cd "$TESTS" || return
  while IFS= read -r line; do
    case $line in *.py | *.sh | *.js | *.mjs | *.cjs | *.ts | */names | */node-names) files+=("./${line:66}") ;; esac
  done <.verdict/manifest.sha256
  stat -c '%n %i %Z %.9Z' -- "${files[@]}" 2>/dev/null
}

# all_named: every test that the staged files define was seen to pass; one that may be skipped, to be told of.
all_named() {
  local seen= name wanted
  is_plain "$PRIVATE/ran" && IFS= read -r -N 4194304 seen <"$PRIVATE/ran"
  seen=$'\n'$seen
  while IFS= read -r name; do
    wanted="passed ${name#\?}"
    [[ $seen = *$'\n'"$wanted"$'\n'* || ($name = \?* && $seen = *$'\n'"told ${name#\?}"$'\n'*) ]] ||
      fail "the source's check succeeded, but nothing shows that ${name#\?} passed"
  done <"$TESTS/.verdict/names"
}

# node_reports: a node that can report twice writes a second report where only this run looks.
node_reports() {
  local first="--test-reporter=spec --test-reporter-destination=stdout" second="--test-reporter=tap"
  VERDICT_REPORTERS=
  timeout 60 node $first $second "--test-reporter-destination=$PRIVATE/report.tap" --version >/dev/null 2>&1 </dev/null &&
    VERDICT_REPORTERS="$first $second --test-reporter-destination=$PRIVATE/report.tap"
  export VERDICT_REPORTERS
}
# node_named: each test that the staged files name stands in it as passed.
node_named() {
  local report= name
  [ "$STATUS" = 0 ] && [ -n "$VERDICT_REPORTERS" ] || return 0
  is_plain "$PRIVATE/report.tap" && IFS= read -r -N 4194304 report <"$PRIVATE/report.tap"
  while IFS= read -r name; do
    [[ $report =~ (^|$'\n')' '*'ok '[0-9]+' - '"$name"$'\n' ]] || fail "status 0, but nothing shows that the test \"$name\" passed"
  done <"$TESTS/.verdict/node-names"
}

# reported: a JavaScript runner's own report counts tests that passed, and none that failed.
reported() {
  local text=
  [ "$STATUS" = 0 ] || return 0
  is_plain "$PRIVATE/report.json" && IFS= read -r -N 65536 text <"$PRIVATE/report.json"
  [[ $text =~ \"numPassedTests\":[[:space:]]*[1-9] && $text =~ \"numFailedTests\":[[:space:]]*0[^0-9] ]] ||
    fail "status 0, but the runner's report shows no test that passed, or one that failed"
}

# own_git: of git's settings those that name who works and whom to trust; the rest is the candidate's.
own_git() {
  local scope entry
  for scope in --system --global; do
    while IFS= read -r -d '' entry; do
      git config --file "$PRIVATE/gitconfig" --add "${entry%%$'\n'*}" "${entry#*$'\n'}"
    done < <(git config "$scope" --null --get-regexp '^(safe|user|init)\.' 2>/dev/null)
  done
  : >>"$PRIVATE/gitconfig"
  export GIT_CONFIG_GLOBAL=$PRIVATE/gitconfig GIT_CONFIG_SYSTEM=/dev/null
}
# own_downloads: curl and wget are given settings that say nothing.
own_downloads() {
  mkdir "$PRIVATE/curl" && : >"$PRIVATE/curl/.curlrc"
  export CURL_HOME=$PRIVATE/curl WGETRC=/dev/null
}

# reached: the source's script came as far as its tests; what stopped it earlier is what the candidate left.
reached() { [ -e "$PRIVATE/reached" ] || [ -n "$TIMED_OUT" ] || fail "the script ended before its tests (status $STATUS)"; }

# judge_status: the source takes status 0 for a pass and any other for a fail.
judge_status() {
  case $STATUS in
    0) pass "the source's check succeeded" ;;
    124 | 137) fail "the candidate ran out of time" ;;
    *) fail "the source's check failed (status $STATUS)" ;;
  esac
}

# judge_pytest REPORT: pytest's status, held against its own report.
judge_pytest() {
  read_report "$1"
  case $STATUS in
    0) [ "$RAN" -gt 0 ] && [ "$BROKE" = 0 ] && pass "$RAN tests passed"
       fail "pytest ended with 0, but its report shows $RAN tests run and $BROKE broken" ;;
    1) fail "$BROKE of $RAN tests failed" ;;
    2) fail "the tests could not be collected: a module of the candidate does not import" ;;
    3) infra "pytest had an internal error" ;;
    4) infra "pytest was called wrongly or lacks a plugin" ;;
    5) [ "$SKIPPED" = 0 ] || fail "no test ran: $SKIPPED skipped, by what they import"
       infra "pytest found no tests" ;;
    124 | 137) fail "the candidate ran out of time" ;;
    126 | 127) infra "pytest could not be started (status $STATUS)" ;;
    *) fail "pytest died with status $STATUS" ;;
  esac
}

# judge_reward KEY OPERATOR NUMBER: the source's reward files by the source's rules, json before txt.
# Without arguments a single reward decides: 1 passes, 0 fails, anything else is no verdict.
judge_reward() {
  local json=/logs/verifier/reward.json txt=/logs/verifier/reward.txt text value
  [ -z "$TIMED_OUT" ] || [ "$(left)" -gt 0 ] || fail "the candidate ran out of time"
  declare -gA REWARD=()
  for value in "$json" "$txt"; do
    [ ! -L "$value" ] && [ ! -p "$value" ] || fail "a link or a pipe stands where the reward is written: $value"
  done
  if [ -f "$json" ]; then IFS= read -r -N 65536 text <"$json"; flat_json "$text" || no_verdict "reward.json is no flat table of numbers"
  elif [ -f "$txt" ]; then IFS= read -r -N 65536 text <"$txt"; strip "$text"; number "$STRIPPED" || no_verdict "reward.txt is not a number"; REWARD[reward]=$STRIPPED
  else no_verdict "the source's verifier left no reward"; fi
  rm -f "$json" "$txt"
  if [ $# -gt 0 ]; then
    [ -n "${REWARD[$1]+set}" ] || infra "the reward has no key $1"
    compare "${REWARD[$1]}" "$2" "$3" && pass "$1 ${REWARD[$1]} $2 $3"
    fail "$1 ${REWARD[$1]} is not $2 $3"
  fi
  [ "${#REWARD[@]}" = 1 ] || infra "${#REWARD[@]} rewards, and no rule that says which of them passes"
  for value in "${REWARD[@]}"; do
    compare "$value" == 1 && pass "the source's reward is 1"
    compare "$value" == 0 && fail "the source's reward is 0"
    infra "the source's reward is $value, neither 0 nor 1, and no threshold was stated"
  done
}
no_verdict() {
  local name
  [ -z "$TIMED_OUT" ] || fail "the candidate ran out of time"
  for name in csv io json os pathlib re subprocess sys tempfile; do
    [ ! -e "$name.py" ] || fail "$1, and $name.py of the workspace hides the standard library"
  done
  [ -z "$OFFLINE" ] || [ "$STATUS" = 0 ] || fail "$1: the source's verifier broke off on what the candidate left (status $STATUS)"
  infra "$1 (status $STATUS)"
}
number() { [[ $1 =~ ^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$ ]]; }
strip() { STRIPPED=${1#"${1%%[![:space:]]*}"}; STRIPPED=${STRIPPED%"${STRIPPED##*[![:space:]]}"}; }
compare() {  # A OPERATOR B, to nine decimals
  local a b LC_ALL=C
  printf -v a '%.9f' "$1" && printf -v b '%.9f' "$3" || return 1
  a=$(decimal "${a/./}") b=$(decimal "${b/./}")
  case $2 in
    '==') ((a == b)) ;;
    '>=') ((a >= b)) ;;
    '>') ((a > b)) ;;
  esac
}
decimal() {  # what 64 bits cannot hold becomes the largest number of its sign
  local sign= digits=$1
  [[ $digits = -* ]] && sign=- digits=${digits#-}
  [[ $digits =~ ^[0-9]{1,18}$ ]] || digits=999999999999999999
  printf '%s' "$sign$((10#$digits))"
}
flat_json() {  # fills REWARD
  local body item key value
  strip "$1"; body=$STRIPPED
  [[ $body = \{*\} ]] || return 1
  body=${body#\{}; body=${body%\}}
  strip "$body"; body=$STRIPPED
  while [ -n "$body" ]; do
    item=${body%%,*}
    [[ $body = *,* ]] && body=${body#*,} || body=
    [[ $item =~ ^[[:space:]]*\"([^\"\\]+)\"[[:space:]]*:[[:space:]]*([^[:space:]]+)[[:space:]]*$ ]] || return 1
    key=${BASH_REMATCH[1]} value=${BASH_REMATCH[2]}
    case $value in true) value=1 ;; false) value=0 ;; esac
    number "$value" || return 1
    REWARD[$key]=$value
  done
}
