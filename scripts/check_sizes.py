# SPDX-License-Identifier: Apache-2.0
"""Checks sizes: files of at most 500 lines, C++ functions of at most 60, comments of at most 100 columns."""

import re
import sys

import source_text

FILE_LINES, FUNCTION_LINES, COLUMNS = 500, 60, 100
_FOLDERS = ["src", "include", "launcher", "older_glibc", "examples", "tests", "bench", "scripts", "cmake", "web"]
_SCOPE = re.compile(r"(^|\s)(namespace|class|struct|union|enum)\b")


# Yields (first line, last line) of every function: an outermost brace whose heading has a
# parameter list, where only namespaces and types are open around it.
def functions(text):
    text = re.sub(r"^[ \t]*#(\\\n|[^\n])*", lambda found: "\n" * found.group().count("\n"), text,
                  flags=re.MULTILINE)
    open_braces, heading, line, first = [], "", 1, 1
    for letter in text:
        if letter == "{":
            kind = kind_of(heading) if all(kind == "scope" for kind, _ in open_braces) else "inner"
            open_braces.append((kind, first))
        elif letter == "}" and open_braces:
            kind, start = open_braces.pop()
            if kind == "function":
                yield start, line
        if letter in "{};":
            heading = ""
        elif heading or not letter.isspace():
            if not heading:
                first = line
            heading += letter
        line += letter == "\n"


def kind_of(heading):
    if _SCOPE.search(heading) and "(" not in heading:
        return "scope"
    if heading.strip() in ('extern ""', ""):
        return "scope"
    return "function" if "(" in heading else "inner"


# clang-format leaves comments as they were written.
def wide_comments(text):
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("//") and len(line) > COLUMNS:
            yield number


def main():
    wrong = []
    for path in source_text.repository_files(_FOLDERS, [".cc", ".h", ".py", ".sh", ".cmake", ".ts", ".tsx", ".css", ".mjs"]):
        text = source_text.read(path)
        if text.count("\n") > FILE_LINES:
            wrong.append(f"{path}: {text.count(chr(10))} lines, at most {FILE_LINES}")
        if path.endswith((".cc", ".h")):
            wrong += [f"{path}:{number}: a comment of more than {COLUMNS} columns" for number in wide_comments(text)]
            for first, last in functions(source_text.without_literals(text)):
                if last - first + 1 > FUNCTION_LINES:
                    wrong.append(f"{path}:{first}: a function of {last - first + 1} lines, at most {FUNCTION_LINES}")
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


main()
