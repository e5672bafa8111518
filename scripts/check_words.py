# SPDX-License-Identifier: Apache-2.0
"""Checks words: no throw in src/, no names that say nothing, a licence line first, no loose ends."""

import re
import sys

import source_text

_FOLDERS = ["src", "include", "launcher", "older_glibc", "examples", "tests", "bench", "scripts", "cmake", "web", "dev", ".ci", "CMakeLists.txt"]
_ENDINGS = [".cc", ".h", ".py", ".sh", ".cmake", ".ts", ".tsx", ".js", ".mjs", ".css", "CMakeLists.txt", "dev", "run"]
_WEB = (".ts", ".tsx", ".js", ".mjs", ".css")
# In code, that is, outside comments and literals.
_CODE = [
    (re.compile(r"\bthrow\b"), "throw: errors are Status and Result here"),
    (re.compile(r"\b(class|struct|enum class|namespace)\s+\w*(Manager|Utils?|Helpers?|Common|manager|utils?|helpers?|common)\b"),
     "a name that says nothing"),
    (re.compile(r'#include "\.\./'), "an include that climbs: write \"room/file.h\""),
]
_TEXT = [
    (re.compile(r"\b(TO" r"DO|FIX" r"ME|HA" r"CK)\b"), "a loose end: open an issue instead"),
    (re.compile(r"(//|#) ?[=*#-]{6,}"), "a banner"),
    (re.compile(r"NOLINT(?!.*//)(?!\S*\s+\S)"), "NOLINT without its reason"),
]
# Whoever sends an event makes its struct. Tests may write what a file says.
_RAW_EVENT = [(re.compile(r"""\{\s*"event"\s*[,:]\s*("|\w+::kName)"""), "an event as raw JSON: make its struct (room events)")]
# What a reader would stumble over; CONTRIBUTING's glossary has the words that we use.
_STRANGE = re.compile(r"\b(in vain|turned out|fault of ours|borne|the number of those|mend|mends|mended|"
                      r"gangs? that bends?|bending gangs?|in good order|passed over|changes? places|verb is missing|has no verb|"
                      r"no run goes on|tells survived|what the columns are worth|how far off|take the # from|which SQL reads so|"
                      r"because of how cells are written|of little use to learn|one word more|on others than it has seen|"
                      r"explains a verb|behind your back|nobody arbitrates between users|is learned as (a number|one of)|by being there or not|"
                      r"of little use for learning|inputs: \d+ categor|is no (horizon|type|format|object store|database)|summed their numbers|"
                      r"does not know what to do with|engine is of another version|a few cells turn into|"
                      r"come to its end by then|was meant to have|feed its inputs, in their order|what came out|"
                      r"from the first byte to the|where the good ones are|is told on stderr|forgives outliers|as many mistakes in each class|"
                      r"on a line \(correlation|times a number, plus another|in its text in|is only there where|show tell the same|"
                      r"programs keep what they have|others have meanwhile|what recurs in dates|beforehand, init|0 fills up|"
                      r"weighs counts|one sum a row of|so intervals, instead|labels of yes or no|keeps for people|is told no|"
                      r"another number gives other|are no usual step|said its address|set anew|something else than a|one object a line|"
                      r"by samples of its|says of what a table|leaves given words out)\b",
                      re.IGNORECASE)
_FILE_NAME = re.compile(r"(manager|utils?|helpers?|common)\.\w+$")


def findings(path, text, patterns):
    for number, line in enumerate(text.split("\n"), 1):
        for pattern, why in patterns:
            if pattern.search(line):
                yield f"{path}:{number}: {why}"


def check(path):
    text = source_text.read(path)
    if _FILE_NAME.search(path):
        yield f"{path}: a file name that says nothing"
    if path.endswith(_WEB) and not re.match(r"(//|/\*) SPDX-License-Identifier: Apache-2\.0", text):
        yield f"{path}:1: the first line must be // SPDX-License-Identifier: Apache-2.0"
    if path.endswith((".cc", ".h")):
        if not text.startswith("// SPDX-License-Identifier: Apache-2.0\n"):
            yield f"{path}:1: the first line must be // SPDX-License-Identifier: Apache-2.0"
        if path.endswith(".h") and "\n#pragma once\n" not in text:
            yield f"{path}: no #pragma once"
        may_throw = not path.startswith("src/") or re.search(r"(_test|/testing/\w+)\.cc$", path)
        yield from findings(path, source_text.without_literals(text), _CODE[1:] if may_throw else _CODE)
        raw = path.startswith("src/") and not may_throw and not path.startswith("src/foundation/events/")
        yield from findings(path, text, _RAW_EVENT if raw and not re.search(r"/testing/\w+\.h$", path) else [])
    yield from findings(path, text, _TEXT)


def strange_words():
    for path in source_text.repository_files(["src", "include", "docs", "python", "web", "launcher", "older_glibc", "README.md", "CONTRIBUTING.md"],
                                             [".cc", ".h", ".md", ".py", ".ts", ".tsx"]):
        for number, line in enumerate(source_text.read(path).split("\n"), 1):
            found = _STRANGE.search(line)
            if found:
                yield f'{path}:{number}: "{found.group()}" does not read as English here: see the glossary'


def main():
    wrong = [line for path in source_text.repository_files(_FOLDERS, _ENDINGS) for line in check(path)]
    wrong += strange_words()
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


main()
