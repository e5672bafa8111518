# SPDX-License-Identifier: Apache-2.0
"""Checks that the paths named in the pages exist: links, and `folder/file` in backquotes."""

import os
import re
import subprocess
import sys

import source_text

_TOP = "src|include|cmake|scripts|examples|tests|bench|docs|\\.ci"
_QUOTED = re.compile(rf"`((?:{_TOP})/[\w./-]+)`")
_LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
_PROGRAM = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


# What is made by a build or a run is named in pages, too.
def is_ignored(path):
    return subprocess.run(["git", "check-ignore", "-q", path], check=False).returncode == 0


def main():
    wrong = []
    for page in source_text.repository_files(["."], [".md"]):
        text = _PROGRAM.sub(lambda found: "\n" * found.group().count("\n"), source_text.read(page))
        for number, line in enumerate(text.split("\n"), 1):
            paths = _QUOTED.findall(line)
            paths += [os.path.normpath(os.path.join(os.path.dirname(page), link)) for link in _LINK.findall(line)]
            wrong += [f"{page}:{number}: {path} does not exist" for path in paths
                      if not os.path.exists(path) and not is_ignored(path)]
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


main()
