#!/bin/bash
set -euo pipefail
cd /srv/relay
python3 - <<'PY'
import collections, json, re
found = collections.Counter(re.findall(r"\[(\w+)\]", open("relay.log").read()))
json.dump(found, open("levels.json", "w"))
PY
