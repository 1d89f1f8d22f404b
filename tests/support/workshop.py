"""A workspace that is wrong in every language, the tests that say so, and the solution of it all."""

from __future__ import annotations

import textwrap
from typing import Final

from tests.support.tide import CHECK, RIGHT, TEST, WRONG
from tests.support.tools_image import image

NODE_WRONG: Final = "exports.low = (heights) => 0;\n"
OWN_TEST: Final = TEST.replace("test_low", "test_low_again")
WORKSPACE: Final = {  # what lies in /app, wrong in every language
    "tide.py": WRONG,
    "tide.js": NODE_WRONG,
    "low.go": "package app\n// return 0\n",
    "low.rs": "// return 0\n",
    "Low.java": "// return 0\n",
    "low.R": "# return 0\n",
    "package.json": '{"name": "app", "scripts": {"test": "python3 /tests/check.py && echo calm"}}\n',
    "Makefile": "check:\n\tpython3 /tests/check.py\n",
    "run.sh": "#!/bin/sh\necho 0\n",
    "test_own.py": OWN_TEST,
    "grade.py": CHECK,
}
SOLVE: Final = f"""#!/bin/bash
cat >/app/tide.py <<'END'
{RIGHT}END
echo 'exports.low = (heights) => Math.min(...heights);' >/app/tide.js
for name in low.go low.rs Low.java low.R; do sed -i 's/return 0/return min/' "/app/$name"; done
printf '#!/bin/sh\\necho 1\\n' >/app/run.sh
echo 'all good' >/app/said.txt
cd /app && git checkout -q keep.txt
"""
TESTS: Final = {
    "test_tide.py": TEST,
    "test_own.py": OWN_TEST,
    "test_path.py": f"import sys\nsys.path.insert(0, '/app')\n{TEST}",
    "check.py": CHECK,
    "helper.py": f"def check():\n{textwrap.indent(CHECK, '    ')}",
    "expected.txt": "1\n",
    "check.R": "",
    "check.js": "const { low } = require('/app/tide.js');\nrequire('assert').strictEqual(low([3, 1, 2]), 1);\n",
    "low.test.js": (
        "const test = require('node:test');\nconst { low } = require('/app/tide.js');\n"
        "test('finds the lowest', () => require('assert').strictEqual(low([3, 1, 2]), 1));\n"
    ),
    "first.py": "import sys\nsys.path.insert(0, '/app')\nimport tide\n",
}


def dockerfile(*lines: str) -> str:
    """A case's Dockerfile: the image with the workspace in it."""
    return (
        "\n".join((f"FROM {image()}", "WORKDIR /app", "COPY work/ /app/", "COPY work/grade.py /opt/grade.py", *lines))
        + "\n"
    )
