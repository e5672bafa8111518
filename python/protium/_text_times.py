# SPDX-License-Identifier: Apache-2.0
"""Columns of text that hold dates and times, which estimators learn as seconds."""

from __future__ import annotations

import json

from . import _library
from .frame import Frame


def text_times(frame: Frame, names: list[str]) -> dict[str, str]:
    """Of these columns of text those whose values are dates or times of one pattern, each with the SQL
    that reads it as seconds since 1970; a value that is something else is NULL there."""
    if not names:
        return {}
    texts = frame.select(*names)
    found = json.loads(_library.interruptible(
        lambda: _library.text_of("pt_frame_text_times", texts._own()), frame.session.cancel))
    return {name: f"CAST(unix_micros(CAST({read} AS TIMESTAMP)) AS DOUBLE) / 1000000" for name, read in found.items()}
