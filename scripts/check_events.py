# SPDX-License-Identifier: Apache-2.0
"""Checks that src/foundation/events/EVENTS.md is what the headers of events say; --write writes it."""

import re
import sys

_PAGE = "src/foundation/events/EVENTS.md"
_HEADERS = [("include/protium/events.h", "Those that programs may watch"),
            ("src/foundation/events/events.h", "Those that only our own rooms read")]
_TYPES = {"std::string": "text", "int32_t": "whole number", "int64_t": "whole number", "double": "number",
          "bool": "true or false", "Json": "JSON", "TaskRole": "map, fit, train, score or program"}
_STRUCT = re.compile(r"((?:^//[^\n]*\n)*)^struct (\w+) \{\n(.*?)^\};", re.MULTILINE | re.DOTALL)
_MEMBER = re.compile(r"^  ((?:std::)?\w+(?:<.*>)?) (\w+)(?: = [^;]+)?;[ ]*(?://(.*))?$")


def words(comment):
    return " ".join(re.sub(r"^ *// ?", "", line) for line in comment.strip().split("\n")).strip()


def type_words(name):
    for outer, says in (("std::optional", "{}, or missing"), ("std::vector", "list of {}")):
        if name.startswith(outer + "<"):
            return says.format(type_words(name[len(outer) + 1:-1]))
    return _TYPES.get(name, name)


# {name: (type, comment)} of the members, in which a comment may go on below.
def members(body):
    found, last, above = {}, None, ""
    for line in body.split("\n"):
        member = _MEMBER.match(line)
        goes_on = re.match(r"^ +// (.*)", line)
        if member and "static" not in line:
            last = member[2]
            found[last] = (member[1], (above or member[3] or "").strip())
            above = ""
        elif goes_on and last and line.startswith("    "):
            found[last] = (found[last][0], f"{found[last][1]} {goes_on[1]}")
        elif goes_on:
            above = f"{above} {goes_on[1]}"
        else:
            last = None
    return found


def rows(body):
    of = members(body)
    for key, member in re.findall(r'visit\("(\w+)", (\w+)\)', body):
        kind, says = of[member]
        yield f"| `{key}` | {type_words(kind)} | {says} |"


def sections(text):
    for comment, name, body in _STRUCT.findall(text):
        event = re.search(r'kName = "?(\w*)', body)
        if event and not event[1]:
            continue
        key = event[1] if event else ""
        own = re.search(rf"struct {key} \{{.*?kName = \"(\w+)\"", text, re.DOTALL) if key else None
        title = f"`{own[1] if own else key}`: {name}" if event else name
        if re.fullmatch(r"[A-Z]\w+", key):
            title = f"{name}, more of {key}"
        table = list(rows(body))
        yield "\n".join([f"### {title}", "", words(comment)]
                        + (["", "| field | type | |", "|---|---|---|"] + table if table else []))


def page():
    parts = ["# Events", "Written by `scripts/check_events.py --write` from the two headers: change these."]
    for path, title in _HEADERS:
        parts.append(f"## {title}")
        with open(path, encoding="utf-8") as file:
            parts += sections(file.read())
    return "\n\n".join(parts) + "\n"


def main():
    made = page()
    if "--write" in sys.argv:
        with open(_PAGE, "w", encoding="utf-8") as file:
            file.write(made)
        return
    with open(_PAGE, encoding="utf-8") as file:
        if file.read() != made:
            sys.exit(f"{_PAGE} is not what the headers say: python3 scripts/check_events.py --write")


main()
