# SPDX-License-Identifier: Apache-2.0
"""Checks that what pages and comments name exists.

Pages: links, and `folder/file` in backquotes; in a room's README also `file.h`, which is one of the room.
Comments: files with their folder ("rows/rows.h", "docs/rows.md", "src/tables/sql"), and headers by themselves.
"""

import functools
import os
import re
import subprocess
import sys

import source_text

_TOP = "src|include|cmake|scripts|examples|tests|bench|docs|\\.ci"
_QUOTED = re.compile(rf"`((?:{_TOP})/[\w./-]+)`")
_OF_ROOM = re.compile(r"`([\w/]+\.(?:h|cc))`")
_LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
_PROGRAM = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"(?<![:\w\"])//[^\n]*|(?:^|(?<=\s))#[ !][^\n]*")
_NAMED = re.compile(rf"(?<![\w/.<*-])((?:src|docs|scripts)/[\w./-]*\w|(?:\w+/)*\w+\.(?:h|cc|md|py))(?![\w/*(-])")
# Names of others: of standard libraries, tools and files that a run makes.
_OTHERS = re.compile(r"^(arrow|ATen|torch|std|boost|openssl|linux|sys|google|spark|duckdb|nlohmann)/|^docs/reference"
    r"|^Lib/|^(sysexits|jpeglib)\.h$|^(daemon|worker)\.py$")


# What is made by a build or a run is named in pages, too.
def is_ignored(path):
    return subprocess.run(["git", "check-ignore", "-q", path], check=False).returncode == 0


@functools.cache
def all_files():
    return source_text.repository_files(["."], [""])


# Every path by which a file may be named: its own, and that without the first folders.
@functools.cache
def names():
    known = set()
    for path in all_files():
        steps = path.split("/")
        known.update("/".join(steps[first:last]) for first in range(len(steps))
                     for last in range(first + 1, len(steps) + 1))
    return known


def in_page(page):
    text = _PROGRAM.sub(lambda found: "\n" * found.group().count("\n"), source_text.read(page))
    room = os.path.dirname(page)
    is_room = re.fullmatch(r"src/\w+/\w+", room) is not None
    for number, line in enumerate(text.split("\n"), 1):
        paths = _QUOTED.findall(line)
        paths += [os.path.normpath(os.path.join(room, link)) for link in _LINK.findall(line)]
        for path in paths:
            if not os.path.exists(path) and not is_ignored(path):
                yield number, path
        for path in _OF_ROOM.findall(line) if is_room else []:
            if not os.path.exists(f"{room}/{path}") and path not in names():
                yield number, path


def in_comments(path):
    for number, line in enumerate(source_text.read(path).split("\n"), 1):
        for comment in _COMMENT.findall(line):
            for named in _NAMED.findall(comment):
                if named.rstrip("/") not in names() and not _OTHERS.search(named) and not is_ignored(named):
                    yield number, named


def main():
    wrong = []
    for page in source_text.repository_files(["."], [".md"]):
        wrong += [f"{page}:{number}: {path} does not exist" for number, path in in_page(page)]
    for source in source_text.repository_files(["src", "include", "tests", "bench", "examples", "launcher", "older_glibc", "cmake"],
                                               [".h", ".cc", ".c", ".txt", ".cmake"]):
        wrong += [f"{source}:{number}: {path} does not exist" for number, path in in_comments(source)]
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


main()
