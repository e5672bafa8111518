# SPDX-License-Identifier: Apache-2.0
"""check_single.py BUILD [ROOM...]: looks at files that a build puts together, each by itself.

A file that lacks an include, or takes a name from its neighbour, is told here. Only syntax and types
are looked at, no code is made; the build's precompiled headers have to be there. Tests are left out:
whoever writes one compiles it by itself, with the preset dev. Of all rooms if none is named.
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

_INCLUDE = re.compile(r'^#include "([^"]+\.cc)"', re.MULTILINE)
_WITH_VALUE = {"-o", "-MF", "-MT", "-c"}


# The compiler's arguments without what to compile and what to write.
def flags_of(command):
    flags, words = [], iter(shlex.split(command))
    for word in words:
        if word in _WITH_VALUE:
            next(words)
        elif word != "-MD" and os.path.basename(word) != "ccache":
            flags.append(word)
    return flags


# (file, command, folder) of the files that are compiled together with others.
def commands(build, rooms):
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    for entry in entries:
        if "/Unity/" in entry["file"] and "_test.dir/" not in entry["file"]:
            with open(entry["file"], encoding="utf-8") as file:
                paths = _INCLUDE.findall(file.read())
            for path in paths:
                if not rooms or os.path.relpath(path).split("/")[2] in rooms:
                    yield path, [*flags_of(entry["command"]), "-fsyntax-only", path], entry["directory"]


def look(job):
    path, command, folder = job
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else f"{os.path.relpath(path)}: does not compile by itself\n{done.stderr}"


def main():
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [finding for finding in pool.map(look, commands(sys.argv[1], set(sys.argv[2:]))) if finding]
    print("\n".join(findings), end="\n" if findings else "")
    sys.exit(bool(findings))


main()
