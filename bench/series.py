# SPDX-License-Identifier: Apache-2.0
"""What `protium init` makes of series without an edit, beside the seasonal baseline: `bench/series.py [PROTIUM]`.

Daily ridership of a city, made like one: 20 years with weekly and yearly seasons, growth, holidays and a break; and the
example `stores`, some 40 shops over 942 days, whose customers and opening hours are known ahead or not. Prints the errors on the test rows, and fails unless the models are better.
"""

import datetime
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

_PROTIUM = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release/bin/protium").absolute()
_FIRST, _END = datetime.date(2005, 1, 1), datetime.date(2025, 1, 1)
_WEEK = (1.0, 1.04, 1.05, 1.04, 1.02, 0.62, 0.48)
_BREAK = datetime.date(2020, 3, 16)
_HOLIDAYS = {(1, 1), (7, 4), (11, 11), (12, 25)}


def riders(day, drift, draw):
    days = (day - _FIRST).days
    year = 1 + 0.09 * math.sin(2 * math.pi * (day.timetuple().tm_yday - 110) / 365.25)
    since = (day - _BREAK).days
    left = 1 if since < 0 else 0.35 + 0.5 * (1 - math.exp(-since / 420))
    rest = 0.55 if (day.month, day.day) in _HOLIDAYS else 1
    usual = 250_000 * _WEEK[day.weekday()] * year * (1 + 0.012 * days / 365.25) * left * rest
    return round(usual * math.exp(drift + draw.gauss(0, 0.03)))


def write_ridership(file):
    draw = random.Random(5)
    drift, day, lines = 0.0, _FIRST, ["day,riders"]
    while day < _END:
        drift = 0.97 * drift + draw.gauss(0, 0.006)
        lines.append(f"{day},{riders(day, drift, draw)}")
        day += datetime.timedelta(1)
    file.write_text("\n".join(lines) + "\n")


def protium(folder, *arguments):
    off = {"PROTIUM_STORE": "off", "PROTIUM_POOL": "off"}
    return subprocess.run([_PROTIUM, *arguments], cwd=folder, env=os.environ | off, check=True, text=True,
                          capture_output=True).stdout


def measure(folder, table, label, *more):
    protium(folder, "init", table, "--label", label, "--output", "job.toml", "--force", *more)
    line = protium(folder, "run", "job.toml", "--runs-dir", "runs", "--json", "--quiet").strip().splitlines()[-1]
    metrics = json.loads(line)["metrics"]
    return metrics["test"], metrics["baseline"]


def main():
    worse = False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_ridership(folder / "ridership.csv")
        protium(folder, "example", "stores", "data", "--rows", "40000")
        planned = [word for column in ("open", "promo", "weekday", "public_holiday", "school_holiday")
                   for word in ("--keep", column)]
        for table, label, more in (("ridership.csv", "riders", ()), ("data/sales.csv", "sales", ()),
                                   ("data/sales.csv", "sales", ("--horizon", "14d", *planned))):
            model, baseline = measure(folder, table, label, *more)
            for metric in ("rmse", "mae"):
                print(f"{' '.join((table, *more[:2]))}  {metric}  model {model[metric]:.6g}  baseline {baseline[metric]:.6g}")
            worse = worse or model["rmse"] >= baseline["rmse"]
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
