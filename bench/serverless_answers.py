# SPDX-License-Identifier: Apache-2.0
"""How bench/serverless.py runs commands and checks what they wrote: lines that are sorted, and rows that are equal."""

import csv
import glob
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time

PYTHON = ".deps/peers-serverless/bin/python"
RECORD_BYTES = 100
# Decimals of an average or a quotient have six places on Spark, and here, and more in DuckDB.
PLACES = 2e-6


class Ended:
    """A command that has ended well: its output, its seconds, and the most memory that it had resident."""

    def __init__(self, command, environment=None, stdin=None):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            begun = time.perf_counter()
            with subprocess.Popen(command, stdout=out, stderr=err, stdin=stdin,
                                  env=dict(os.environ, **(environment or {}))) as process:
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            self.seconds, self.peak_bytes = time.perf_counter() - begun, usage.ru_maxrss * 1024
            out.seek(0)
            err.seek(0)
            self.out = out.read().decode()
            if process.returncode != 0:
                sys.exit(f"bench: {' '.join(command)} ended with {process.returncode}:\n{err.read().decode()[-2000:]}")

    def answer(self):
        return json.loads(self.out.strip().splitlines()[-1])

    # The times that a peer has printed.
    def times(self):
        return [json.loads(line)["seconds"] for line in self.out.splitlines() if line.startswith('{"seconds"')]


# A record is decided by its number: 16 digits that look random, the number, and what fills it up.
def make_records(path, count):
    filled = "x" * (RECORD_BYTES - 1 - 16 - 12)
    with open(path + ".new", "w", encoding="ascii") as file:
        for begin in range(0, count, 10_000):
            file.writelines(f"{i * 0x9E3779B97F4A7C15 + 0x1234567 & (1 << 64) - 1:016x}{i:012}{filled}\n"
                            for i in range(begin, min(count, begin + 10_000)))
    os.rename(path + ".new", path)


def lines_of(path):
    files = sorted(glob.glob(f"{path}/part-*")) or sorted(glob.glob(f"{path}/*")) if os.path.isdir(path) else [path]
    for file in files:
        if file.endswith(".parquet"):
            yield from parquet_lines(file)
        else:
            with open(file, "rb") as lines:
                yield from (line.strip(b'"\n') for line in lines)


# Read by a process of the peers: pyarrow is not a part of Python.
def parquet_lines(file):
    script = ("import sys, pyarrow.parquet as p\n"
              "for b in p.ParquetFile(sys.argv[1]).iter_batches():\n"
              "  sys.stdout.write('\\n'.join(b.column(0).to_pylist()) + '\\n')")
    with subprocess.Popen([PYTHON, "-c", script, file], stdout=subprocess.PIPE) as process:
        yield from (line.rstrip(b"\n") for line in process.stdout)
    if process.returncode != 0:
        sys.exit(f"bench: {file} cannot be read")


class Rows:
    """How many lines there are, and the sum of their hashes, which does not depend on their order."""

    def __init__(self, lines, ordered=False):
        self.count, self.sum, before = 0, 0, b""
        for line in lines:
            if ordered and line < before:
                sys.exit(f"bench: not in order: {line[:40]} after {before[:40]}")
            before = line
            self.count += 1
            self.sum += int.from_bytes(hashlib.blake2b(line, digest_size=8).digest(), "little")

    def check(self, path, header=False):
        lines = lines_of(path)
        if header:
            next(lines)
        found = Rows(lines, ordered=True)
        if (found.count, found.sum) != (self.count, self.sum):
            sys.exit(f"bench: {path} holds {found.count} rows, or others, instead of {self.count}")


def close(a, b):
    if a == b:
        return True
    try:
        x, y = float(a), float(b)
    except ValueError:
        return False
    return abs(x - y) <= PLACES * max(1, abs(x), abs(y))


# Rows by what is equal in both: numbers by four digits, all else to the letter.
def comparable(path):
    def rough(cell):
        try:
            return f"{float(cell):.4g}"
        except ValueError:
            return cell
    with open(path, encoding="utf-8", newline="") as file:
        return sorted(list(csv.reader(file))[1:], key=lambda row: ([rough(cell) for cell in row], row))


def same_rows(ours, theirs):
    mine, other = comparable(ours), comparable(theirs)
    return len(mine) == len(other) and all(
        len(a) == len(b) and all(map(close, a, b)) for a, b in zip(mine, other))
