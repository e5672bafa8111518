# SPDX-License-Identifier: Apache-2.0
"""moving_in.py PROTIUM REPOSITORY: runs what docs/moving-in.md shows.

Blocks whose first line is their name, such as "# delays.toml", become files of a scratch folder. Jobs
are run by the command, programs by the Python that has what they import: this one, or one beside it in
.deps (bench/peers/guides.sh). Each must tell the mean absolute error that it comes to, and none may be
far from the others: it is the same job.
"""

import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROTIUM, REPOSITORY = sys.argv[1:3]
# What is run by another Python or may be missing: (its folder in .deps, what it needs, what brings that).
NEEDS = {
    "delays_distributor.py": ("peers", ["pyspark", "java"], "bench/peers/setup.sh"),
    "delays_lightning.py": ("peers", ["lightning"], "bench/peers/setup.sh"),
    "delays_horovod.py": ("peers-petastorm", ["petastorm", "horovod", "pyspark", "java"],
                          "bench/peers/guides.sh petastorm and bench/peers/horovod.sh"),
    "delays_petastorm.py": ("peers-petastorm", ["petastorm", "pyspark", "java"], "bench/peers/guides.sh petastorm"),
    "delays_ray.py": ("peers-ray", ["ray"], "bench/peers/guides.sh ray"),
    "ludwig.yaml": ("peers-ludwig", ["ludwig"], "bench/peers/guides.sh ludwig"),
}
# Minutes. The mean of all flights is 18 off, and all that is run here comes to 10 or 11.
MOST = 13
# Seconds: Ray and Spark start a handful of processes each, slowly where others keep the cores busy.
LONGEST, LONGEST_OF_CLUSTERS = 120, 600


def named_blocks(page):
    """{file name: text} of the blocks that name themselves."""
    with open(page, encoding="utf-8") as file:
        blocks = re.findall(r"^```[a-z]+\n(# (\S+\.\w+)\n.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    return {name: text for text, name in blocks}


def environment(folder, python):
    """What others leave in a home and in /tmp goes with the scratch folder."""
    # Threads of theirs that wait for each other on few cores take many times as long.
    return {**os.environ, "OMP_NUM_THREADS": "1", "PROTIUM_HOME": os.path.dirname(os.path.dirname(PROTIUM)),
            "PYTHONPATH": os.path.join(REPOSITORY, "python"), "HOME": folder, "TMPDIR": folder,
            "SPARK_LOCAL_DIRS": folder, "PYSPARK_PYTHON": python, "RAY_USAGE_STATS_ENABLED": "0",
            # The packages were installed without byte code: it is made once for all programs.
            "PYTHONPYCACHEPREFIX": os.path.join(folder, "bytecode"), "PYTHONDONTWRITEBYTECODE": ""}


def end(process):
    handle = os.pidfd_open(process)
    try:
        signal.pidfd_send_signal(handle, signal.SIGKILL)
        select.select([handle], [], [], 30)
    finally:
        os.close(handle)


def end_what_is_left(folder):
    """Ends the processes that a program left running, and says if it ended any: their home is the scratch folder."""
    ended = False
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/environ", "rb") as file:
                if f"HOME={folder}".encode() not in file.read().split(b"\0"):
                    continue
            end(int(entry))
            ended = True
        except OSError:  # it has ended by itself, or is another user's
            continue
    return ended


def told_by(command, folder, limit=LONGEST, python=sys.executable):
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=limit,
                              stdin=subprocess.DEVNULL, env=environment(folder, python))
    except subprocess.TimeoutExpired as late:
        said = ((late.stdout or b"") + (late.stderr or b"")).decode(errors="replace")
        sys.exit(f"{' '.join(command)} takes more than {limit} s:\n{said}")
    finally:
        while end_what_is_left(folder):
            pass
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ends with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def job_error(name, folder, _):
    told_by([PROTIUM, "run", name, "--quiet", "--set", 'train.metrics=["mae"]', "--runs-dir", "runs"], folder)
    shown = told_by([PROTIUM, "runs", "show", "last", "--json", "--runs-dir", "runs"], folder)
    return float(re.search(r'"test":\{[^}]*"mae":([0-9.]+)', shown).group(1))


def program_error(name, folder, python):
    limit = LONGEST if python == sys.executable else LONGEST_OF_CLUSTERS
    return float(re.search(r"^mae ([0-9.]+)", told_by([python, name], folder, limit, python), re.MULTILINE).group(1))


def ludwig_error(name, folder, python):
    told_by([python, "-m", "ludwig.cli", "train", "--config", name, "--dataset", "data/flights.csv",
             "--output_directory", "ludwig"], folder, LONGEST_OF_CLUSTERS, python)
    with open(os.path.join(folder, "ludwig", "experiment_run", "training_statistics.json"), encoding="utf-8") as file:
        return json.load(file)["test"]["arr_delay"]["mean_absolute_error"][-1]


def has(python, module):
    if module == "java":
        return shutil.which(module) is not None
    find = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)"
    return os.access(python, os.X_OK) and subprocess.run([python, "-c", find, module], check=False).returncode == 0


def python_of(name):
    """The Python that runs the file, or None and a line that says why."""
    place, modules, bringer = NEEDS.get(name, ("peers", [], ""))
    beside = os.path.join(os.path.dirname(sys.prefix), place, "bin", "python")
    python = sys.executable if place == "peers" else beside
    missing = [module for module in modules if not has(python, module)]
    if missing:
        print(f"{name:24} left out: no {', '.join(missing)} in .deps/{place} ({bringer})", flush=True)
    return python if not missing else None


def write_files(folder, blocks):
    told_by([PROTIUM, "example", "flights", "data", "--rows", "6000"], folder)
    for name, text in blocks.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    imported = told_by([PROTIUM, "config", "import", "ludwig.yaml", "--table", "data/flights.csv"], folder)
    assert imported.startswith("ludwig.toml is written"), imported


def main():
    blocks = named_blocks(os.path.join(REPOSITORY, "docs", "moving-in.md"))
    errors = {}
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder, blocks)
        for name in sorted({"ludwig.toml", *blocks}):
            error_of = {"toml": job_error, "py": program_error, "yaml": ludwig_error}[name.rpartition(".")[2]]
            python = python_of(name)
            if python is None:
                continue
            start = time.monotonic()
            errors[name] = error_of(name, folder, python)
            print(f"{name:24} mae {errors[name]:.2f}  {time.monotonic() - start:.1f} s", flush=True)
    far = [name for name, error in errors.items() if error > MOST]
    if far or len(errors) < 5:
        sys.exit(f"far off: {far}" if far else f"only {len(errors)} were run")


main()
