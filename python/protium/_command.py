# SPDX-License-Identifier: Apache-2.0
"""What the command `protium` does better than a function of the library: run and read."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from . import _library
from .errors import ProtiumError, error_of


def said(*words: str | os.PathLike[str]) -> str:
    """What `protium WORDS` prints; what it refuses is raised."""
    told = subprocess.run([str(_library.command()), *map(os.fspath, words)], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL)
    if told.returncode == 0:
        return told.stdout
    raise _error_of(told.stdout, told.stderr, told.returncode)


def said_json(*words: str | os.PathLike[str]) -> Any:
    """The same with --json, read."""
    return json.loads(said(*words, "--json"))


def _error_of(out: str, err: str, exit: int) -> ProtiumError:
    try:
        return error_of(exit)(**json.loads(out)["error"])
    except (ValueError, KeyError, TypeError):
        pass
    parts: dict[str, str] = {}
    name = ""
    for line in err.splitlines():
        head, colon, rest = line.strip().partition(": ")
        if colon and head in ("error", "where", "why", "fix", "kept"):
            name = "what" if head == "error" else head
            parts[name] = rest
        elif name:
            parts[name] += "\n" + line
    return error_of(exit)(**{"what": f"protium ended with exit code {exit}", **parts}, exit=exit)
