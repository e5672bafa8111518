# SPDX-License-Identifier: Apache-2.0
"""The rooms of src/ as their CMakeLists.txt announce them."""

import dataclasses
import re

import source_text

_ROOM = re.compile(r"protium_room\(\s*(\w+)([^)]*)\)")
_KEYWORDS = {"FLOOR", "TORCH", "USES", "SOURCES", "LINKS", "DRIVER", "DRIVER_LINKS", "DRIVER_OF", "TESTS", "LABELS"}


@dataclasses.dataclass
class Room:
    wing: str
    floor: int
    uses: set[str]
    torch: bool


# {name: Room}
def read():
    rooms = {}
    for path in source_text.repository_files(["src"], ["CMakeLists.txt"]):
        for name, words in _ROOM.findall(source_text.read(path)):
            lists, current = {}, None
            for word in re.sub(r"#[^\n]*", "", words).split():
                if word in _KEYWORDS:
                    current = lists.setdefault(word, [])
                elif current is not None:
                    current.append(word)
            rooms[name] = Room(path.split("/")[1], int(lists["FLOOR"][0]), set(lists.get("USES", [])), "TORCH" in lists)
    return rooms
