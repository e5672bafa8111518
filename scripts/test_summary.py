# SPDX-License-Identifier: Apache-2.0
"""test_summary.py FOLDER: what ctest and the test programs wrote, as counts and one closing line.

A program on GoogleTest counts each of its tests; any other entry of ctest counts as one. A program
that died before it wrote its results counts as one failure.
"""

import os
import re
import sys
import xml.etree.ElementTree as ElementTree

_PLACE = re.compile(r"^\S+\.(cc|h):\d+$")


# The cases of one GoogleTest program as (name, outcome, text), or None if it left no results.
def read_program(path):
    try:
        cases = ElementTree.parse(path).iter("testcase")
    except (OSError, ElementTree.ParseError):
        return None
    read = []
    for case in cases:
        name = f"{case.get('classname')}.{case.get('name')}"
        failure, skipped = case.find("failure"), case.find("skipped")
        if failure is not None:
            read.append((name, "failed", failure.get("message") or ""))
        elif skipped is not None or case.get("status") == "notrun":
            read.append((name, "skipped", reason_of(skipped)))
        else:
            read.append((name, "passed", ""))
    return read


# The text after GoogleTest's own "file:line" line.
def reason_of(skipped):
    lines = (skipped.get("message") or "").splitlines() if skipped is not None else []
    said = [line for line in lines if line.strip() and not _PLACE.match(line)]
    return " ".join(said) or "disabled in the source"


def read_entry(folder, entry):
    cases = read_program(os.path.join(folder, entry.get("name") + ".xml"))
    passed = entry.get("status") == "run" and entry.find("failure") is None
    if cases is None:
        skipped = entry.find("skipped")
        outcome = "passed" if passed else "skipped" if skipped is not None else "failed"
        text = (skipped.get("message") or "") if skipped is not None else "see test.log"
        return [(entry.get("name"), outcome, "" if passed else text)]
    if not passed and not any(outcome == "failed" for _, outcome, _ in cases):
        cases.append((entry.get("name"), "failed", "the program itself failed; see test.log"))
    return cases


def count(cases, wanted):
    return sum(outcome == wanted for _, outcome, _ in cases)


def main():
    folder = sys.argv[1]
    try:
        entries = ElementTree.parse(os.path.join(folder, "ctest.xml")).iter("testcase")
    except (OSError, ElementTree.ParseError):
        sys.exit("no results: ctest did not finish; see test.log")
    every = []
    for entry in sorted(entries, key=lambda entry: entry.get("name")):
        cases = read_entry(folder, entry)
        every += cases
        print(f"{entry.get('name'):28} {count(cases, 'passed'):5} passed {count(cases, 'failed'):3} failed "
              f"{count(cases, 'skipped'):3} skipped {float(entry.get('time') or 0):7.1f} s")
    # Failures last, where whoever sees only the end of a log finds them.
    for wanted in ("skipped", "failed"):
        for name, outcome, text in every:
            if outcome == wanted:
                print(f"{outcome}: {name}: {text.strip()}")
    print(", ".join(f"{count(every, outcome)} {outcome}" for outcome in ("passed", "failed", "skipped")))
    sys.exit(0 if every and not count(every, "failed") else 1)


main()
