# SPDX-License-Identifier: Apache-2.0
"""Checks that every #include in src/ names the file's own room or one that the room USES.

CMake refuses an upward USES; this refuses an include that no USES announces, and a USES that no file
but tests needs. Tests may look into any room on a lower floor.
"""

import glob
import re
import sys

import rooms as announced
import source_text

_INCLUDE = re.compile(r'^#include "(\w+)/[^"]+"', re.MULTILINE)


def is_test(path):
    return re.search(r"(_test\.cc|/testing/\w+\.(cc|h))$", path) is not None


def is_allowed(path, room, used, rooms):
    if used == room or used in rooms[room].uses:
        return True
    return is_test(path) and rooms[used].floor < rooms[room].floor


def main():
    rooms = announced.read()
    needed = {room: set() for room in rooms}
    wrong = []
    for path in source_text.repository_files(["src"], [".cc", ".h"]):
        room = path.split("/")[2]
        if room not in rooms:
            wrong.append(f"{path}: no CMakeLists.txt declares the room {room}")
            continue
        for used in _INCLUDE.findall(source_text.read(path)):
            if not is_test(path):
                needed[room].add(used)
            if used not in rooms and glob.glob(f"src/*/{used}/"):
                wrong.append(f"{path}: includes {used}/, which no CMakeLists.txt declares")
            elif used in rooms and not is_allowed(path, room, used, rooms):
                wrong.append(f"{path}: includes {used}/, which {room} does not use (USES in its CMakeLists.txt)")
    for room in sorted(rooms):
        for stale in sorted(rooms[room].uses - needed[room]):
            wrong.append(f"CMakeLists.txt of {room}: USES names {stale}, which no file of {room} includes")
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


main()
