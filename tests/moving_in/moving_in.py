# SPDX-License-Identifier: Apache-2.0
"""moving_in.py PROTIUM REPOSITORY: runs what docs/moving-in.md shows.

Blocks whose first line is their name, such as "# delays.toml", become files of a scratch folder. Jobs
are run by the command, programs by this Python where it has what they import; each of them must tell the
mean absolute error that it comes to, and none may be far from the others: it is the same job.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

PROTIUM, REPOSITORY = sys.argv[1:3]
# What a program needs beside what moving_in.sh asks for.
SPARK = "delays_distributor.py"
# Minutes. The mean of all flights is 18 off, and all that is run here comes to 10 or 11.
MOST = 13


def named_blocks(page):
    """{file name: text} of the blocks that name themselves."""
    with open(page, encoding="utf-8") as file:
        blocks = re.findall(r"^```[a-z]+\n(# (\S+\.\w+)\n.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    return {name: text for text, name in blocks}


def told_by(command, folder):
    # Threads of theirs that wait for each other on few cores take many times as long.
    paths = {"OMP_NUM_THREADS": "1", "PROTIUM_HOME": os.path.dirname(os.path.dirname(PROTIUM)),
             "PYTHONPATH": os.path.join(REPOSITORY, "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120,
                          env={**os.environ, **paths})
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ends with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def job_error(name, folder):
    told_by([PROTIUM, "run", name, "--quiet", "--set", 'train.metrics=["mae"]', "--runs-dir", "runs"], folder)
    shown = told_by([PROTIUM, "runs", "show", "last", "--json", "--runs-dir", "runs"], folder)
    return float(re.search(r'"test":\{[^}]*"mae":([0-9.]+)', shown).group(1))


def program_error(name, folder):
    return float(re.search(r"^mae ([0-9.]+)", told_by([sys.executable, name], folder), re.MULTILINE).group(1))


def can_run(name):
    if name != SPARK:
        return True
    found = importlib.util.find_spec("pyspark") is not None and shutil.which("java") is not None
    if not found:
        print(f"{name:24} left out: it needs pyspark and java")
    return found


def main():
    blocks = named_blocks(os.path.join(REPOSITORY, "docs", "moving-in.md"))
    errors = {}
    with tempfile.TemporaryDirectory() as folder:
        told_by([PROTIUM, "example", "flights", "data", "--rows", "6000"], folder)
        for name, text in blocks.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        imported = told_by([PROTIUM, "config", "import", "ludwig.yaml", "--table", "data/flights.csv"], folder)
        assert imported.startswith("ludwig.toml is written"), imported
        for name in ["delays.toml", "ludwig.toml", *sorted(blocks)]:
            error_of = {"toml": job_error, "py": program_error}.get(name.rpartition(".")[2])
            if error_of is None or name in errors or not can_run(name):
                continue
            start = time.monotonic()
            errors[name] = error_of(name, folder)
            print(f"{name:24} mae {errors[name]:.2f}  {time.monotonic() - start:.1f} s", flush=True)
    far = [name for name, error in errors.items() if error > MOST]
    if far or len(errors) < 5:
        sys.exit(f"far off: {far}" if far else f"only {len(errors)} were run")


main()
