# SPDX-License-Identifier: Apache-2.0
"""Checks that no two files of src/ define a type of the same full name.

The linker would take one of them for both, and nobody would be told.
"""

import collections
import re
import sys

import source_text

_OPEN = re.compile(r"(?:inline )?namespace(?:\s+([\w:]+))?\s*\{")
_TYPE = re.compile(r"(?:class|struct|union)\s+(\w+)\s*(?:final\s*)?(?::(?!:)|\{|$)")


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


def main():
    places = collections.defaultdict(list)
    for path in source_text.repository_files(["src"], [".h", ".cc"]):
        for name in types_of(source_text.read(path)):
            places[name].append(path)
    findings = [f"{name} is defined in {' and '.join(paths)}"
                for name, paths in sorted(places.items()) if len(paths) > 1]
    print("\n".join(findings), end="\n" if findings else "")
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
