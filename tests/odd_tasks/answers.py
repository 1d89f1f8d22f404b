"""One right verifier for each odd task: what stands between the marks of tests/test.sh."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

REPORT: Final = '"$PRIVATE/report.xml"'
PYTEST: Final = f"python3 -m pytest -q --junitxml={REPORT}"
STARTS: Final = "need python3\n  runner_works python3 -m pytest"

ANSWERS: Final[Mapping[str, str]] = {
    "helper-reward": """need python3
  candidate python3 "$TESTS/weigh.py" --list /app/pears.txt
  [ "$STATUS" = 0 ] || fail "the list could not be weighed (status $STATUS)"
  judge_reward""",
    "exit-trap": f"""{STARTS}
  candidate {PYTEST} "$TESTS/test_tide.py"
  judge_pytest {REPORT}""",
    "text-verdict": """need python3 grep
  candidate python3 "$TESTS/audit.py" >"$PRIVATE/audit.out" 2>&1
  cat "$PRIVATE/audit.out"
  [ "$STATUS" = 0 ] || fail "the ledger could not be audited (status $STATUS)"
  grep -q '^WARNING' "$PRIVATE/audit.out" && fail "the audit warns"
  grep -q '^RESULT: BALANCED$' "$PRIVATE/audit.out" && pass "the ledger balances"
  fail "the ledger does not balance\"""",
    "errexit": f"""{STARTS}
  need cmp
  [ -s cargo.sha256 ] || fail "no digest was written"
  candidate {PYTEST} "$TESTS/test_cargo.py"
  cmp -s <(printf 'twelve crates of oranges\\n') cargo.bin || fail "cargo.bin was changed"
  judge_pytest {REPORT}""",
    "piped-status": f"""{STARTS}
  candidate python3 -m pytest -v --junitxml={REPORT} "$TESTS/test_fold.py"
  judge_pytest {REPORT}""",
    "stages": """candidate bash "$TESTS/stage_one.sh"
  [ "$STATUS" = 0 ] || fail "stage one failed"
  candidate bash "$TESTS/stage_two.sh"
  [ "$STATUS" = 0 ] || fail "stage two failed"
  pass "both stages\"""",
    "node-runner": """need node grep
  mkdir "$PRIVATE/run" || infra "no room for the tests"
  cp "$TESTS/area.test.mjs" "$PRIVATE/run/" || infra "no room for the tests"
  cd "$PRIVATE/run" || infra "no room for the tests"
  candidate node --test area.test.mjs >"$PRIVATE/tap.txt" 2>&1
  cat "$PRIVATE/tap.txt"
  [ "$STATUS" = 0 ] || fail "node --test ended with $STATUS"
  grep -q '^# pass [1-9]' "$PRIVATE/tap.txt" || fail "no test passed"
  grep -q '^# fail 0$' "$PRIVATE/tap.txt" && pass "all tests passed"
  fail "a test failed\"""",
    "heredoc-verifier": """need python3
  candidate "$TESTS/source-test.sh"
  judge_reward""",
    "json-reward": """need python3 seq
  for part in even sum; do
    candidate python3 "$TESTS/score.py" "$part" >"$PRIVATE/$part.score"
    [ "$STATUS" = 0 ] || fail "$part cannot be scored"
    [ "$(<"$PRIVATE/$part.score")" = 1 ] || fail "$part is wrong"
  done
  candidate python3 "$TESTS/settle.py"
  [ "$STATUS" = 0 ] || infra "the scores could not be settled"
  pass "even and sum are right\"""",
    "background-server": """need python3
  timeout -k 5 "$(left)" python3 /app/server.py >"$PRIVATE/server.log" 2>&1 &
  server=$!
  sleep 2
  candidate python3 "$TESTS/ask.py"
  kill "$server" 2>/dev/null
  judge_status""",
    "tests-in-workspace": f"""{STARTS}
  rm -rf /app/shelf/tests && mkdir -p /app/shelf/tests || fail "there is no place for the tests"
  cp "$TESTS/test_stack.py" "$TESTS/cases.json" /app/shelf/tests/ || infra "the tests could not be copied"
  cd /app/shelf || fail "the shelf is gone"
  candidate {PYTEST} tests/test_stack.py
  rm -rf /app/shelf/tests
  judge_pytest {REPORT}""",
    "tests-from-image": f"""{STARTS}
  cd "$TESTS" || infra "the tests are gone"
  candidate {PYTEST} "$TESTS/test_roman.py"
  judge_pytest {REPORT}""",
}

# The same in other styles, as another mind might write them.
IN_OTHER_WAYS: Final[tuple[tuple[str, str], ...]] = (
    (
        "exit-trap",
        """need python3
  runner_works python3 -m pytest
  rm -f /tmp/all-done
  candidate "$TESTS/source-test.sh"
  if [ -n "$TIMED_OUT" ]; then
    fail "ran out of time"
  fi
  if [ "$STATUS" -eq 0 ] && [ -f /tmp/all-done ]; then
    pass "all tests passed"
  fi
  fail "the tests failed (status $STATUS)\"""",
    ),
    (
        "exit-trap",
        """need python3
  runner_works python3 -m pytest
  local report="$PRIVATE/report.xml" rc
  candidate python3 -m pytest -q --junitxml="$report" -p no:cacheprovider "$TESTS/test_tide.py"
  rc=$STATUS
  read_report "$report"
  case "$rc" in
    0) if [ "$RAN" -ge 4 ] && [ "$BROKE" -eq 0 ]; then pass "$RAN passed"; else infra "report incomplete"; fi ;;
    1|2) fail "tests failed" ;;
    124|137) fail "timeout" ;;
    *) infra "pytest ended with $rc" ;;
  esac""",
    ),
    (
        "background-server",
        """need python3
  python3 /app/server.py >"$PRIVATE/server.log" 2>&1 &
  local server=$! up=
  for _ in $(seq 1 50); do
    kill -0 "$server" 2>/dev/null || fail "the server died"
    if (exec 3<>/dev/tcp/127.0.0.1/8123) 2>/dev/null; then up=1; break; fi
    sleep 0.2
  done
  [ -n "$up" ] || fail "the server does not listen"
  candidate python3 "$TESTS/ask.py"
  local rc=$STATUS
  kill "$server" 2>/dev/null
  if [ "$rc" -eq 0 ]; then pass "pong"; fi
  fail "no pong (status $rc)\"""",
    ),
    (
        "stages",
        """need bash timeout
  for stage in stage_one.sh stage_two.sh; do
    candidate bash "$TESTS/$stage"
    case $STATUS in
      0) ;;
      124 | 137) fail "$stage ran out of time" ;;
      *) fail "$stage failed" ;;
    esac
  done
  pass "both stages\"""",
    ),
    (
        "piped-status",
        """need python3 tee sed grep
  runner_works python3 -m pytest
  candidate "$TESTS/source-test.sh"
  [ -z "$TIMED_OUT" ] || fail "time"
  passed=$(grep -c ' PASSED' /logs/verifier/pytest.log)
  reward=$(cat /logs/verifier/reward.txt 2>/dev/null)
  rm -f /logs/verifier/reward.txt
  if [ "$reward" = 1 ] && [ "$passed" -ge 2 ]; then pass "ok"; fi
  [ "$reward" = 0 ] && fail "tests failed"
  infra "no reward\"""",
    ),
    (
        "node-runner",
        """need node
  cp "$TESTS/area.test.mjs" "$PRIVATE/area.test.mjs" || infra "copy failed"
  candidate node --test --test-reporter=tap "$PRIVATE/area.test.mjs" >"$PRIVATE/tap" 2>&1
  cat "$PRIVATE/tap"
  if [[ $STATUS -eq 0 ]] && grep -qx '# fail 0' "$PRIVATE/tap" && ! grep -qx '# tests 0' "$PRIVATE/tap"; then
    pass "node tests passed"
  fi
  fail "node tests failed\"""",
    ),
    (
        "heredoc-verifier",
        """need python3
  cat >"$PRIVATE/check.py" <<'PY'
import json

menu = json.load(open("/app/menu.json"))
assert menu == {"soup": 4, "roast": 11, "cake": 5}, menu
open("/logs/verifier/reward.txt", "w").write("1")
PY
  candidate python3 -I "$PRIVATE/check.py"
  rm -f /logs/verifier/reward.txt
  [ "$STATUS" = 0 ] && pass "menu is right"
  fail "menu is wrong\"""",
    ),
    (
        "json-reward",
        """need python3
  candidate "$TESTS/source-test.sh"
  [ -z "$TIMED_OUT" ] || fail "time"
  judge_reward reward '>=' 1""",
    ),
    (
        "text-verdict",
        """need python3
  out=$(cd / && timeout -k 5 "$(left)" python3 "$TESTS/audit.py" 2>&1 </dev/null)
  rc=$?
  printf '%s\\n' "$out"
  case $rc in 124 | 137) fail "time" ;; esac
  if [[ $'\\n'$out$'\\n' == *$'\\nRESULT: BALANCED\\n'* && $out != *WARNING* ]]; then pass "balanced"; fi
  fail "not balanced\"""",
    ),
    (
        "errexit",
        """need python3 cmp
  runner_works python3 -m pytest
  candidate "$TESTS/source-test.sh"
  if [ -f /logs/verifier/reward.txt ]; then judge_reward; fi
  fail "the checks stopped (status $STATUS)\"""",
    ),
    (
        "tests-in-workspace",
        """need python3
  runner_works python3 -m pytest
  [ -d /app/shelf ] || fail "shelf gone"
  mkdir -p "$PRIVATE/shelf/tests" && cp -r /app/shelf/. "$PRIVATE/shelf/" || infra "copy"
  cp "$TESTS/test_stack.py" "$TESTS/cases.json" "$PRIVATE/shelf/tests/" || infra "copy"
  cd "$PRIVATE/shelf" || infra cd
  candidate python3 -m pytest -q --rootdir="$PRIVATE/shelf" --junitxml="$PRIVATE/report.xml" tests/test_stack.py
  judge_pytest "$PRIVATE/report.xml\"""",
    ),
    (
        "helper-reward",
        """need python3
  candidate env -u PYTHONPATH python3 -I "$TESTS/weigh.py" --list /app/pears.txt
  if [ ! -f /logs/verifier/reward.txt ]; then fail "no list"; fi
  judge_reward""",
    ),
    (
        "exit-trap",
        """need python3
  printf '[pytest]\\n' >"$PRIVATE/pytest.ini" || infra "no room for the settings"
  runner_works python3 -m pytest
  guarded
  candidate python3 -m pytest -q -c "$PRIVATE/pytest.ini" --junitxml="$PRIVATE/report.xml" "$TESTS/test_tide.py"
  genuine
  judge_pytest "$PRIVATE/report.xml\"""",
    ),
)
