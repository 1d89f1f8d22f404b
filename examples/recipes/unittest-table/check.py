"""Runs the class TestCases of data.json against /app/solution.py; 0 only when it holds tests and all of them passed."""

import importlib.util
import json
import sys
import unittest
from pathlib import Path

DATA = json.loads((Path(__file__).parent / "data.json").read_text())


def loaded(path):
    spec = importlib.util.spec_from_file_location("solution", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["solution"] = module
    spec.loader.exec_module(module)
    return module


def main():
    namespace = dict(vars(loaded("/app/solution.py")), __name__="hidden_tests")
    if not callable(namespace.get(DATA["entry_point"])):
        sys.exit(f"there is no function {DATA['entry_point']}")
    exec(compile(DATA["test"], "hidden tests", "exec"), namespace)
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(namespace["TestCases"])
    result = unittest.TextTestRunner(stream=sys.stdout).run(suite)
    if not (result.wasSuccessful() and result.testsRun > len(result.skipped)):
        sys.exit(1)


main()
