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
