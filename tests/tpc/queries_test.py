# SPDX-License-Identifier: Apache-2.0
"""Every query of TPC-DS and TPC-H, as its text stands, at scale 0.01: answered as Spark answered it.

queries_test.py TABLES [--record ADDRESS]

answers.tsv holds of each query how many rows Spark gave and a hash of them; --record asks the Spark at
ADDRESS and writes it anew. Doubles count to nine digits, all else to the letter. TABLES is what
make_tables.py made; PROTIUM_HOME names the build.
"""
import csv
import hashlib
import os
import pathlib
import re
import sys
import tempfile

import protium

HERE = pathlib.Path(__file__).parent
ANSWERS = HERE / "answers.tsv"


def cell(text, kind):
    if text == "" or kind not in ("float32", "float64"):
        return text
    return f"{float(text):.9g}"


def rows_of(frame, writer, folder):
    """The rows in a form that compares, sorted: queries leave the order among equals open."""
    path = os.path.join(folder, "rows.csv")
    kinds = list(frame.schema.values())
    writer.table(frame).write(path)  # A server would write a folder.
    with open(path, encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        next(lines)
        rows = sorted("|".join(cell(text, kind) for text, kind in zip(line, kinds)) for line in lines)
    os.remove(path)
    return rows


def digest(rows):
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:16]


def queries(tables, session):
    """Each query as (name, frame)."""
    for kind in ("tpcds", "tpch"):
        folder = tables / kind
        frames = {path.stem: session.read(str(path)) for path in sorted(folder.glob("*.parquet"))}
        for path in sorted(folder.glob("*.sql")):
            text = path.read_text(encoding="utf-8")
            used = {name: frame for name, frame in frames.items() if re.search(rf"\b{name}\b", text, re.I)}
            yield f"{kind}{path.stem}", text, used


def answers(tables, address):
    with (protium.Session(address) as session, protium.Session("local") as writer,
          tempfile.TemporaryDirectory() as folder):
        for name, text, used in queries(tables, session):
            try:
                rows = rows_of(session.sql(text, **used), writer, folder)
                yield name, len(rows), digest(rows)
            except protium.ProtiumError as error:
                yield name, -1, " ".join(str(error).split())


def main():
    tables = pathlib.Path(sys.argv[1])
    if not (tables / "made").exists():
        print(f"skipped: {tables} is not there; ./dev test makes it")
        return 77
    if sys.argv[2:3] == ["--record"]:
        given = answers(tables, sys.argv[3])
        ANSWERS.write_text("".join(f"{name}\t{rows}\t{what}\n" for name, rows, what in given), encoding="utf-8")
        return 0
    spark = [line.split("\t") for line in ANSWERS.read_text(encoding="utf-8").splitlines()]
    wanted = {name: (int(rows), what) for name, rows, what in spark}
    ours = {name: (rows, what) for name, rows, what in answers(tables, "local")}
    wrong = [name for name in sorted(wanted.keys() | ours.keys()) if wanted.get(name) != ours.get(name)]
    for name in wrong:
        print(f"{name}: Spark gave {wanted.get(name)}, this engine {ours.get(name)}")
    print(f"{len(ours) - len(wrong)} of {len(wanted)} queries as Spark answers them")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
