# SPDX-License-Identifier: Apache-2.0
"""Events of a session as lines on stderr, for who waits."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import time
from typing import Any, Callable, Iterator


_thread = threading.local()


def is_hearing() -> bool:
    """Whether this thread is telling of an event at the moment."""
    return bool(getattr(_thread, "hearing", False))


def is_watched() -> bool:
    """Whether a person reads what is printed: on a terminal, or in a notebook."""
    try:
        return sys.stderr.isatty() or "ipykernel" in sys.modules
    except (AttributeError, ValueError):
        return False


def _figures(event: dict[str, Any]) -> str:
    known = {"event", "epoch", "step", "rank", "loss", "time"}
    return "  ".join(f"{name} {value:.4g}" for name, value in event.items()
                     if name not in known and isinstance(value, (int, float)))


class Progress:
    """Called on threads of the session's, one event at a time."""

    def __init__(self, shown: bool | None,
                 on_event: Callable[[dict[str, Any]], None] | None) -> None:
        self._shown, self._on_event = shown, on_event
        self._asked = threading.RLock()
        self._callbacks: list[Callable[[dict[str, Any]], None]] = []
        self._validation = ""
        self._steps = 0
        self._unit = "epoch"  # Or "round".
        self._told = 0.0
        self._notes: set[str] = set()  # Those that were told: of a table that is brought again, say.

    @contextlib.contextmanager
    def during(self, shown: bool | None, callbacks: Any) -> Iterator[None]:
        """Shows events or not, unless `shown` is None, and calls each of `callbacks` with those of the
        ends of epochs and validations. Fits that ask for this take turns."""
        if shown is None and not callbacks:
            yield
            return
        with self._asked:
            before = self._shown, self._callbacks
            self._shown = self._shown if shown is None else shown
            self._callbacks = [callbacks] if callable(callbacks) else list(callbacks or ())
            try:
                yield
            finally:
                self._shown, self._callbacks = before

    def hear(self, event: bytes, unused: Any) -> None:
        if self._shown is False and self._on_event is None and not self._callbacks:
            return
        _thread.hearing = True
        try:
            self._hear(json.loads(event))
        finally:
            _thread.hearing = False

    def _hear(self, read: dict[str, Any]) -> None:
        if self._on_event is not None:
            self._on_event(read)
        if read.get("event") in ("epoch", "validation"):
            for each in self._callbacks:
                each(read)
        if is_watched() if self._shown is None else self._shown:
            self._tell(read)

    def _tell(self, event: dict[str, Any]) -> None:
        kind = event.get("event")
        if kind == "train_start":
            self._steps = event.get("steps", 0)
            self._unit = "round" if event.get("trees") else "epoch"
        elif kind == "validation":
            self._validation = _figures(event)
        elif kind == "epoch":
            line = f"{self._unit} {event.get('epoch')}  loss {event.get('loss', 0):.4g}  {self._validation}"
            self._line(line.rstrip(), event.get("step") == self._steps)
        elif kind in ("note", "warning"):
            if event.get("message") in self._notes:
                return
            self._notes.add(event.get("message", ""))
            self._line(f"{kind}  {event.get('message', '')}", True)
        elif kind == "waiting":
            self._line(f"waiting  {event.get('why', '')}", True)

    def _line(self, text: str, whole: bool) -> None:
        # Short epochs would flood the screen.
        now = time.monotonic()
        if not whole and now - self._told < 0.5:
            return
        self._told = now
        print(text, file=sys.stderr, flush=True)
