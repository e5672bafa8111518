# SPDX-License-Identifier: Apache-2.0
"""draw_house.py [--check]: writes docs/house.svg, the picture in README, from what the rooms announce.

A wing and a room each have a README that begins with "# name: what it holds"; wings are drawn in the
order of README's reading, rooms by their floor. With --check nothing is written: exit code 1 and a
finding if the picture is not that of the tree.
"""

import html
import re
import sys

import rooms as announced
import source_text

_PICTURE = "docs/house.svg"
# From what people touch down to what everything stands on.
_WINGS = ["doors", "streams", "learning", "tables", "gangs", "runs", "foundation"]
_WIDTH, _COLUMNS, _GAP, _HEAD, _BOX = 1180, 4, 10, 34, 46
_HEADING = re.compile(r"^# ([\w-]+): (.+)$", re.MULTILINE)
_STYLE = """text{font-family:system-ui,sans-serif;fill:#1b1f24}
.wing{fill:#f2f5f9;stroke:#c9d3df}.room{fill:#fff;stroke:#9fb0c3}.torch{fill:#fff5ea;stroke:#d9a56a}
.title{font-size:17px;font-weight:600}.holds{font-size:13px;fill:#4a5563}
.name{font-size:14px;font-weight:600}.small{font-size:11px;fill:#4a5563}"""


# What a README says its folder holds.
def holds(path):
    found = _HEADING.match(source_text.read(path))
    if not found:
        sys.exit(f'{path}:1: must begin with "# name: what it holds"')
    return found.group(2)


def text(x, y, kind, words):
    return f'<text x="{x}" y="{y}" class="{kind}">{html.escape(words)}</text>'


# What the rooms of a wing use of other wings.
def used_wings(wing, rooms):
    used = {rooms[name].wing for room in rooms.values() if room.wing == wing for name in room.uses}
    return [name for name in _WINGS if name in used - {wing}]


def draw_room(x, y, width, name, room):
    kind = "torch" if room.torch else "room"
    return [f'<rect x="{x}" y="{y}" width="{width}" height="{_BOX}" rx="5" class="{kind}"/>',
            text(x + 10, y + 19, "name", name),
            text(x + 10, y + 36, "small", holds(f"src/{room.wing}/{name}/README.md"))]


# The lines of a wing's picture that begins at y, and where it ends.
def draw_wing(wing, rooms, y):
    mine = sorted((name for name in rooms if rooms[name].wing == wing), key=lambda name: (-rooms[name].floor, name))
    rows = -(-len(mine) // _COLUMNS)
    height = _HEAD + rows * (_BOX + _GAP) + _GAP // 2
    used = used_wings(wing, rooms)
    lines = [f'<rect x="0.5" y="{y + 0.5}" width="{_WIDTH - 1}" height="{height}" rx="8" class="wing"/>',
             text(14, y + 23, "title", wing),
             text(130, y + 23, "holds", holds(f"src/{wing}/README.md") + (f"; uses {', '.join(used)}" if used else ""))]
    width = (_WIDTH - (_COLUMNS + 1) * _GAP) // _COLUMNS
    for index, name in enumerate(mine):
        x = _GAP + index % _COLUMNS * (width + _GAP)
        lines += draw_room(x, y + _HEAD + index // _COLUMNS * (_BOX + _GAP), width, name, rooms[name])
    return lines, y + height + _GAP


def picture():
    rooms = announced.read()
    lines, y = [], 0
    for wing in _WINGS:
        drawn, y = draw_wing(wing, rooms, y)
        lines += drawn
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y}" role="img">',
            "<title>The house: seven wings of src/, their rooms, and what each holds</title>",
            f"<style>{_STYLE}</style>"]
    return "\n".join([*head, *lines, "</svg>"]) + "\n"


def main():
    drawn = picture()
    if "--check" not in sys.argv[1:]:
        with open(_PICTURE, "w", encoding="utf-8") as file:
            file.write(drawn)
    elif drawn != source_text.read(_PICTURE):
        print(f"{_PICTURE}: not that of the rooms: python3 scripts/draw_house.py")
        sys.exit(1)


main()
