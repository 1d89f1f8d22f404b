#!/bin/bash
cat > /app/slug.py <<'PY'
def slug(title):
    return "-".join(title.lower().split())
PY
