import calendar
import os
import subprocess

import pytest

FIRST, LAST = int(os.environ["FIRST_YEAR"]), int(os.environ["LAST_YEAR"])


@pytest.mark.parametrize("years", [(FIRST, LAST), (2024, 2024), (1900, 1900), (2000, 2003)])
def test_counts(years):
    first, last = years
    out = subprocess.check_output(["/app/leap", str(first), str(last)], text=True, timeout=10)
    assert int(out) == calendar.leapdays(first, last + 1)
