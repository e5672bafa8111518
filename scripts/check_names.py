# SPDX-License-Identifier: Apache-2.0
"""Checks that no two files of src/ define a type of the same full name, and no two of a room the same
name in their unnamed namespaces.

The linker would take one type for both, and nobody would be told. Files of a room are compiled as
one, unless SKIP_UNITY_BUILD_INCLUSION is set for them: there one unnamed namespace serves all.
"""

import collections
import re
import sys

import source_text

_OPEN = re.compile(r"(?:inline )?namespace(?:\s+([\w:]+))?\s*\{")
_TYPE = re.compile(r"(?:class|struct|union)\s+(\w+)\s*(?:final\s*)?(?::(?!:)|\{|$)")
_NAME = re.compile(r"(?:(?:class|struct|enum class|enum)\s+(\w+)"
                   r"|(?:constexpr|const|inline|static)\b[^=({]*?\b(\w+)\s*(?:\[[^\]]*\]\s*)*[={]"
                   r"|[\w:<>,&*\s]+?[\s&*](\w+)(\([^{;]*\))\s*\{)")
_SINGLE = re.compile(r"set_source_files_properties\(([^)]*?)PROPERTIES[^)]*SKIP_UNITY_BUILD_INCLUSION")


# Full names of the types that a file defines outside of unnamed namespaces and other types.
def types_of(text):
    spaces, names = [], set()
    plain = source_text.without_literals(text).splitlines()
    for line, whole in zip(plain, text.splitlines()):
        opened = _OPEN.match(line)
        if opened:
            spaces.append(opened.group(1) or "")
        elif whole.startswith("}  // namespace") and spaces:
            spaces.pop()
        found = _TYPE.match(line)
        if found and "" not in spaces:
            names.add("::".join([*spaces, found.group(1)]))
    return names


# (name, definition) in a file's unnamed namespaces, functions with their parameters. Definitions are
# left out where a second one is wrong even if it is the same.
def unnamed_of(text):
    names = set()
    for part in re.findall(r"^namespace \{$(.*?)^\}  // namespace$", text, re.DOTALL | re.MULTILINE):
        part = source_text.without_literals(part)
        for start in re.finditer(r"^(?=\w)", part, re.MULTILINE):
            found = _NAME.match(part, start.start())
            if found:
                name = found.group(1) or found.group(2) or found.group(3)
                names.add((name + re.sub(r"\s+", " ", found.group(4) or ""), None))
        names.update(re.findall(r"^using (\w+) = (.*)", part, re.MULTILINE))
    return names


# The room's part of src/ whose files may be compiled as one with a file, or none.
def room_of(path, single):
    if not path.endswith(".cc") or re.search(r"(_test|/test_\w+|/testing/\w+)\.cc$", path) or path in single:
        return None
    return path.split("/")[2]


def single_files():
    single = set()
    for path in source_text.repository_files(["src"], ["CMakeLists.txt"]):
        for words in _SINGLE.findall(source_text.read(path)):
            single.update(f"{path.rsplit('/', 1)[0]}/{word}" for word in words.split())
    return single


def main():
    single = single_files()
    places, definitions = collections.defaultdict(list), collections.defaultdict(set)
    for path in source_text.repository_files(["src"], [".h", ".cc"]):
        text = source_text.read(path)
        for name in types_of(text):
            places[name].append(path)
        room = room_of(path, single)
        for name, definition in unnamed_of(text) if room else []:
            places[f"{name} of {room}'s unnamed namespaces"].append(path)
            definitions[f"{name} of {room}'s unnamed namespaces"].add(definition or path)
    findings = [f"{name} is defined in {' and '.join(paths)}"
                for name, paths in sorted(places.items())
                if len(paths) > 1 and len(definitions.get(name, paths)) > 1]
    print("\n".join(findings), end="\n" if findings else "")
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
