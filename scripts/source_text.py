# SPDX-License-Identifier: Apache-2.0
"""What the checks share: the repository's files, and C++ text without comments and literals."""

import re
import subprocess

_LITERALS = re.compile(
    r'R"(?P<d>[^()\s\\]{0,16})\(.*?\)(?P=d)"'  # raw string
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'"
    r"|//[^\n]*"
    r"|/\*.*?\*/",
    re.DOTALL,
)


# Files git tracks or would track, below folders and with endings.
def repository_files(folders, endings):
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "--", *folders],
        check=True, capture_output=True, text=True).stdout.split("\n")
    return sorted(path for path in listed if path.endswith(tuple(endings)))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# Same lines, but comments are gone and literals are empty.
def without_literals(text):
    return _LITERALS.sub(lambda found: '""' + "\n" * found.group().count("\n"), text)
