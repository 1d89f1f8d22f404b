"""Twelve small Harbor tasks whose verifiers no rule covers, each odd in its own way, each provable in a container.

They are what sessions are recorded on. A task is its files; what all have in common is filled in by `files_of`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

TOML: Final = '[metadata]\ndifficulty = "easy"\n\n[verifier]\ntimeout_sec = 120.0\n'
PACKAGES: Final = "python3-pytest"
REWARD: Final = "/logs/verifier/reward.txt"


def dockerfile(packages: str = PACKAGES, more: str = "") -> str:
    """A Debian image with ``packages``, in which work is done in /app."""
    install = f"apt-get update && apt-get install -y --no-install-recommends {packages} && rm -rf /var/lib/apt/lists/*"
    return f"FROM debian:bookworm-slim\nRUN {install}\nWORKDIR /app\n{more}"


TASKS: Final[Mapping[str, Mapping[str, str]]] = {
    "helper-reward": {
        "instruction.md": "Write the names of the three ripest pears to /app/pears.txt, one a line, ripest first.\n",
        "tests/test.sh": f"""#!/bin/bash
# the helper decides; the trap covers the case that it dies
trap 'test -f {REWARD} || echo 0 > {REWARD}' EXIT
mkdir -p /logs/verifier
cd /app
python3 /tests/weigh.py --list /app/pears.txt
""",
        "tests/weigh.py": f"""import argparse

WANTED = ["conference", "williams", "comice"]

parser = argparse.ArgumentParser()
parser.add_argument("--list")
names = open(parser.parse_args().list).read().split()
reward = 1 if names == WANTED else 0
with open("{REWARD}", "w") as stream:
    stream.write(str(reward))
print("weighed", names)
""",
        "solution/solve.sh": "#!/bin/bash\nprintf 'conference\\nwilliams\\ncomice\\n' > /app/pears.txt\n",
    },
    "exit-trap": {
        "instruction.md": "Write a Python module /app/tide.py with a function height(hour): 3 plus hour modulo 6.\n",
        "tests/test.sh": f"""#!/bin/bash
finish() {{
  if [ -f /tmp/all-done ]; then echo 1 > {REWARD}; else echo 0 > {REWARD}; fi
}}
trap finish EXIT
mkdir -p /logs/verifier
rm -f /tmp/all-done
set -e
cd /app
python3 -m pytest -q /tests/test_tide.py
touch /tmp/all-done
""",
        "tests/test_tide.py": """import sys

import pytest

sys.path.insert(0, "/app")


@pytest.mark.parametrize(("hour", "wanted"), [(0, 3), (5, 8), (6, 3), (23, 8)])
def test_height(hour, wanted):
    from tide import height

    assert height(hour) == wanted
""",
        "solution/solve.sh": "#!/bin/bash\nprintf 'def height(hour):\\n    return 3 + hour %% 6\\n' > /app/tide.py\n",
    },
    "text-verdict": {
        "instruction.md": "Make /app/ledger.csv balance: the amounts must add up to zero. Change the last row only.\n",
        "environment/ledger.csv": "entry,amount\nrent,-40\nsales,95\nferry,-15\nadjust,0\n",
        "environment/Dockerfile": dockerfile("python3", "COPY ledger.csv /app/ledger.csv\n"),
        "tests/test.sh": f"""#!/bin/bash
trap '[ -s {REWARD} ] || echo 0 > {REWARD}; rm -f /tmp/audit.out' EXIT
mkdir -p /logs/verifier
python3 /tests/audit.py > /tmp/audit.out 2>&1
tail -n 5 /tmp/audit.out
if grep -q '^RESULT: BALANCED$' /tmp/audit.out && ! grep -q '^WARNING' /tmp/audit.out; then
  echo 1 > {REWARD}
else
  echo 0 > {REWARD}
fi
""",
        "tests/audit.py": """import csv

rows = list(csv.DictReader(open("/app/ledger.csv")))
original = [("rent", "-40"), ("sales", "95"), ("ferry", "-15")]
if [(row["entry"], row["amount"]) for row in rows[:3]] != original:
    print("WARNING: another row was changed")
total = sum(int(row["amount"]) for row in rows)
print("RESULT:", "BALANCED" if total == 0 and len(rows) == 4 else f"OFF BY {total}")
""",
        "solution/solve.sh": "#!/bin/bash\nsed -i 's/^adjust,.*/adjust,-40/' /app/ledger.csv\n",
    },
    "errexit": {
        "instruction.md": "Write the SHA-256 of /app/cargo.bin in hex to /app/cargo.sha256.\n",
        "environment/cargo.bin": "twelve crates of oranges\n",
        "environment/Dockerfile": dockerfile("python3-pytest", "COPY cargo.bin /app/cargo.bin\n"),
        "tests/test.sh": f"""#!/bin/bash
set -euo pipefail
trap 'echo "line $LINENO ended with $?"' ERR
mkdir -p /logs/verifier
cd /app
test -s cargo.sha256
python3 -m pytest -q /tests/test_cargo.py
cmp -s <(printf 'twelve crates of oranges\\n') cargo.bin
echo 1 > {REWARD}
""",
        "tests/test_cargo.py": """import hashlib


def test_digest():
    wanted = hashlib.sha256(open("/app/cargo.bin", "rb").read()).hexdigest()
    assert open("/app/cargo.sha256").read().strip() == wanted
""",
        "solution/solve.sh": "#!/bin/bash\ncd /app && sha256sum cargo.bin | cut -d' ' -f1 > cargo.sha256\n",
    },
    "piped-status": {
        "instruction.md": "Write /app/fold.py: it reads words from its input and prints them sorted, one a line.\n",
        "tests/test.sh": f"""#!/bin/bash
trap 'echo "verifier ended"' EXIT
mkdir -p /logs/verifier
cd /app
python3 -m pytest -v /tests/test_fold.py 2>&1 | tee /logs/verifier/pytest.log | sed 's/^/| /'
STATUS=${{PIPESTATUS[0]}}
PASSED=$(grep -c ' PASSED' /logs/verifier/pytest.log)
if [ "$STATUS" -eq 0 ] && [ "$PASSED" -ge 2 ]; then echo 1 > {REWARD}; else echo 0 > {REWARD}; fi
""",
        "tests/test_fold.py": """import subprocess


def fold(text):
    command = ["python3", "/app/fold.py"]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=20).stdout


def test_sorted():
    assert fold("plum fig apple") == "apple\\nfig\\nplum\\n"


def test_empty():
    assert fold("") == ""
""",
        "solution/solve.sh": """#!/bin/bash
cat > /app/fold.py <<'PY'
import sys
for word in sorted(sys.stdin.read().split()):
    print(word)
PY
""",
    },
    "stages": {
        "instruction.md": "Write an executable script /app/greet.sh that prints `hello NAME` for its first argument.\n",
        "tests/test.sh": f"""#!/bin/bash
leave() {{ rm -rf /tmp/stage; [ -s {REWARD} ] || echo 0 > {REWARD}; }}
trap leave EXIT
mkdir -p /logs/verifier /tmp/stage
echo 0 > {REWARD}
bash /tests/stage_one.sh || {{ echo "stage one failed"; exit 0; }}
bash /tests/stage_two.sh || {{ echo "stage two failed"; exit 0; }}
echo 1 > {REWARD}
""",
        "tests/stage_one.sh": "#!/bin/bash\n[ -x /app/greet.sh ] && head -n 1 /app/greet.sh | grep -q '^#!'\n",
        "tests/stage_two.sh": """#!/bin/bash
for name in ada "ben cole"; do
  [ "$(timeout 10 /app/greet.sh "$name")" = "hello $name" ] || exit 1
done
""",
        "environment/Dockerfile": dockerfile("python3"),
        "solution/solve.sh": """#!/bin/bash
printf '#!/bin/bash\\necho "hello $1"\\n' > /app/greet.sh
chmod +x /app/greet.sh
""",
    },
    "node-runner": {
        "instruction.md": "Write /app/area.mjs that exports area(width, height); negative sides throw RangeError.\n",
        "environment/Dockerfile": dockerfile("nodejs"),
        "tests/test.sh": f"""#!/bin/bash
trap 'echo 0 > {REWARD}; exit 0' ERR
mkdir -p /logs/verifier /tmp/run
cp /tests/area.test.mjs /tmp/run/
cd /tmp/run
node --test area.test.mjs > tap.txt
cat tap.txt
grep -q '^# fail 0$' tap.txt
echo 1 > {REWARD}
""",
        "tests/area.test.mjs": """import assert from 'node:assert';
import test from 'node:test';

test('area', async () => {
  const { area } = await import('/app/area.mjs');
  assert.strictEqual(area(3, 4), 12);
  assert.throws(() => area(-1, 2), RangeError);
});
""",
        "solution/solve.sh": """#!/bin/bash
cat > /app/area.mjs <<'JS'
export function area(width, height) {
  if (width < 0 || height < 0) throw new RangeError('negative side');
  return width * height;
}
JS
""",
    },
    "heredoc-verifier": {
        "instruction.md": "Write /app/menu.json: a JSON object that maps soup to 4, roast to 11 and cake to 5.\n",
        "environment/Dockerfile": dockerfile("python3"),
        "tests/test.sh": f"""#!/bin/bash
trap '[ -e {REWARD} ] || echo 0 > {REWARD}' EXIT
mkdir -p /logs/verifier
python3 - <<'PY'
import json

menu = json.load(open("/app/menu.json"))
assert menu == {{"soup": 4, "roast": 11, "cake": 5}}, menu
open("{REWARD}", "w").write("1")
PY
""",
        "solution/solve.sh": """#!/bin/bash
echo '{"soup": 4, "roast": 11, "cake": 5}' > /app/menu.json
""",
    },
    "json-reward": {
        "instruction.md": "Write the even numbers from 2 to 20 to /app/even.txt and their sum to /app/sum.txt.\n",
        "environment/Dockerfile": dockerfile("python3"),
        "tests/test.sh": """#!/bin/bash
trap 'python3 /tests/settle.py' EXIT
mkdir -p /logs/verifier
python3 /tests/score.py even > /tmp/even.score
python3 /tests/score.py sum > /tmp/sum.score
""",
        "tests/score.py": """import sys

part = sys.argv[1]
wanted = {"even": [str(n) for n in range(2, 21, 2)], "sum": ["110"]}[part]
print(1 if open(f"/app/{part}.txt").read().split() == wanted else 0)
""",
        "tests/settle.py": """import json

scores = {}
for part in ("even", "sum"):
    try:
        scores[part] = int(open(f"/tmp/{part}.score").read())
    except (OSError, ValueError):
        scores[part] = 0
with open("/logs/verifier/reward.json", "w") as stream:
    json.dump({"reward": int(all(scores.values())), **scores}, stream)
""",
        "solution/solve.sh": "#!/bin/bash\nseq 2 2 20 > /app/even.txt\necho 110 > /app/sum.txt\n",
    },
    "background-server": {
        "instruction.md": "Write /app/server.py, a server on 127.0.0.1:8123 that answers GET /ping with `pong`.\n",
        "tests/test.sh": f"""#!/bin/bash
trap '[ "$GOOD" = yes ] && echo 1 > {REWARD} || echo 0 > {REWARD}; kill $SERVER 2>/dev/null' EXIT
mkdir -p /logs/verifier
cd /app
python3 /app/server.py > /tmp/server.log 2>&1 &
SERVER=$!
sleep 2
python3 /tests/ask.py && GOOD=yes
""",
        "tests/ask.py": """import sys
import urllib.request

with urllib.request.urlopen("http://127.0.0.1:8123/ping", timeout=5) as answer:
    sys.exit(0 if answer.status == 200 and answer.read().strip() == b"pong" else 1)
""",
        "environment/Dockerfile": dockerfile("python3"),
        "solution/solve.sh": """#!/bin/bash
cat > /app/server.py <<'PY'
from http.server import BaseHTTPRequestHandler, HTTPServer


class Ping(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/ping" else 404)
        self.end_headers()
        self.wfile.write(b"pong" if self.path == "/ping" else b"")


HTTPServer(("127.0.0.1", 8123), Ping).serve_forever()
PY
""",
    },
    "tests-in-workspace": {
        "instruction.md": "Repair /app/shelf/stack.py: pop of an empty stack must raise IndexError, not return None.\n",
        "environment/stack.py": """class Stack(list):
    def pop(self):
        return super().pop() if self else None
""",
        "environment/Dockerfile": dockerfile(more="COPY stack.py /app/shelf/stack.py\n"),
        "tests/test.sh": f"""#!/bin/bash
trap '[ -f {REWARD} ] || echo 0 > {REWARD}; rm -rf /app/shelf/tests' EXIT
mkdir -p /logs/verifier /app/shelf/tests
cp /tests/test_stack.py /tests/cases.json /app/shelf/tests/
cd /app/shelf
if python3 -m pytest -q tests/test_stack.py; then echo 1 > {REWARD}; else echo 0 > {REWARD}; fi
""",
        "tests/test_stack.py": """import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
CASES = json.loads((pathlib.Path(__file__).parent / "cases.json").read_text())


@pytest.mark.parametrize("items", CASES)
def test_pop(items):
    from stack import Stack

    stack = Stack(items)
    for item in reversed(items):
        assert stack.pop() == item
    with pytest.raises(IndexError):
        stack.pop()
""",
        "tests/cases.json": "[[], [1], [1, 2, 3]]\n",
        "solution/solve.sh": (
            "#!/bin/bash\nprintf 'class Stack(list):\\n    def pop(self):\\n        return super().pop()\\n'"
            " > /app/shelf/stack.py\n"
        ),
    },
    "tests-from-image": {
        "instruction.md": "Write /app/roman.py with a function roman(n) for 1 to 20, in capital letters.\n",
        "environment/Dockerfile": dockerfile(more="ENV TEST_DIR=/opt/old-tests\n"),
        "tests/test.sh": f"""#!/bin/bash
TEST_DIR=${{TEST_DIR:-/tests}}
[ -d "$TEST_DIR" ] || TEST_DIR=/tests
trap 'echo "graded from $TEST_DIR"' EXIT
mkdir -p /logs/verifier
cd "$TEST_DIR"
python3 -m pytest -q "$TEST_DIR/test_roman.py"
RC=$?
if [ $RC -eq 0 ]; then echo 1 > {REWARD}; else echo 0 > {REWARD}; fi
exit $RC
""",
        "tests/test_roman.py": """import pathlib
import sys

sys.path.insert(0, "/app")
WANTED = dict(line.split() for line in (pathlib.Path(__file__).parent / "roman.txt").read_text().splitlines())


def test_roman():
    from roman import roman

    assert {str(n): roman(n) for n in range(1, 21)} == WANTED
""",
        "tests/roman.txt": (
            "1 I\n2 II\n3 III\n4 IV\n5 V\n6 VI\n7 VII\n8 VIII\n9 IX\n10 X\n"
            "11 XI\n12 XII\n13 XIII\n14 XIV\n15 XV\n16 XVI\n17 XVII\n18 XVIII\n19 XIX\n20 XX\n"
        ),
        "solution/solve.sh": """#!/bin/bash
cat > /app/roman.py <<'PY'
def roman(n):
    tens, ones = divmod(n, 10)
    return "X" * tens + ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"][ones]
PY
""",
    },
}


def files_of(name: str) -> dict[str, str]:
    """Every file of the task ``name``."""
    return {"task.toml": TOML, "environment/Dockerfile": dockerfile(), **TASKS[name]}


def put(root: Path, name: str) -> Path:
    """The task ``name`` as a folder below ``root``."""
    for path, text in files_of(name).items():
        place = root / name / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        place.chmod(0o755 if path.endswith(".sh") else 0o644)
    return root / name
