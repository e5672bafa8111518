# SPDX-License-Identifier: Apache-2.0
"""Runs: the folders that fits and jobs leave."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from . import _command, _library
from .errors import InputError, UsageError


class Run:
    """The folder of a run: what was asked for, what happened, what was measured, and the model.

    Runs of fits in a session without a folder are deleted with the session; keep() saves a copy.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        if not (self.folder / "run.json").exists():
            raise InputError(f"{self.folder} is not the folder of a run", why="it has no run.json, or is gone")

    @property
    def name(self) -> str:
        """Its name in `protium runs`."""
        return self.folder.name

    def _read(self, name: str) -> dict[str, Any]:
        file = self.folder / name
        return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}

    @property
    def result(self) -> dict[str, Any]:
        """result.json: metrics, seconds, steps, outputs."""
        return self._read("result.json")

    @property
    def settings(self) -> dict[str, Any]:
        """Every option in effect, by its path: {"train.epochs": 20, ...}."""
        return {each["key"]: each["value"] for each in self._read("job.json").get("settings", [])}

    @property
    def metrics(self) -> dict[str, Any]:
        """The metrics, by rows: {"validation": {"log_loss": 0.4, ...}, ...}."""
        return dict(self.result.get("metrics", {}))

    @property
    def events(self) -> list[dict[str, Any]]:
        """What happened, in order (include/protium/events.h)."""
        with open(self.folder / "events.jsonl", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines if line.endswith("\n")]

    def report(self) -> Path:
        """Writes the report of the run, one HTML file, and returns its path."""
        return Path(_library.text_of("pt_run_report", os.fspath(self.folder).encode()))

    def compare(self, other: "Run | str | os.PathLike[str]") -> str:
        """Compares this run with another one, as `protium runs compare` does."""
        theirs = other.folder if isinstance(other, Run) else other
        return _command.said("runs", "compare", self.folder, theirs)

    def keep(self, runs: str | os.PathLike[str] = "runs") -> "Run":
        """Copies it to a folder of runs, where `protium ui` and `protium runs` show it."""
        kept = Path(runs) / self.name
        if kept.exists():
            raise UsageError(f"{kept} already exists", fix="another folder, or that run: protium.Run(...)")
        shutil.copytree(self.folder, kept, ignore=shutil.ignore_patterns("checkpoints", "spill"))
        for name in ("logs", "checkpoints"):
            (kept / name).mkdir(exist_ok=True)
        file = kept / "result.json"
        if file.exists():
            text = file.read_text(encoding="utf-8")
            file.write_text(text.replace(json.dumps(os.fspath(self.folder))[1:-1],
                                         json.dumps(os.fspath(kept.absolute()))[1:-1]), encoding="utf-8")
        return Run(kept)

    def __repr__(self) -> str:
        return f"<protium.Run {self.folder}>"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(f"<tr><td>{escape(rows)}</td><td>{escape(name)}</td><td>{value:.6g}</td></tr>"
                       for rows, figures in self.metrics.items() if isinstance(figures, dict)
                       for name, value in figures.items() if isinstance(value, (int, float)))
        return f"<p>{escape(self.name)}</p><table>{rows}</table>"
