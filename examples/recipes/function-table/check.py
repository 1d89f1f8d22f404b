"""Runs the hidden tests of data.json against the function in /app/solution.py; 0 only when they all passed."""

import importlib.util
import json
import sys
from pathlib import Path

DATA = json.loads((Path(__file__).parent / "data.json").read_text())


def loaded(path):
    spec = importlib.util.spec_from_file_location("solution", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["solution"] = module
    spec.loader.exec_module(module)
    return module


def main():
    candidate = getattr(loaded("/app/solution.py"), DATA["entry_point"])
    namespace = {"__name__": "hidden_tests", DATA["entry_point"]: candidate}
    exec(compile(DATA["test"], "hidden tests", "exec"), namespace)
    namespace["check"](candidate)
    print("the hidden tests passed")


main()
