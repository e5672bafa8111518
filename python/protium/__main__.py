# SPDX-License-Identifier: Apache-2.0
"""`python -m protium ...` is the command `protium`."""

from __future__ import annotations

import os
import sys

from . import _library


def main() -> None:
    """Becomes the command."""
    program = str(_library.command())
    try:
        os.execv(program, ["protium", *sys.argv[1:]])
    except OSError as error:
        print(f"error: {program} cannot be started\n  why: {error.strerror}", file=sys.stderr)
        sys.exit(4)


if __name__ == "__main__":
    main()
