# SPDX-License-Identifier: Apache-2.0
"""Runs a Python function in several processes that know of each other (a gang)."""

from __future__ import annotations

import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path
from typing import Any, Callable, Sequence

from . import _library, _rank
from .errors import ProtiumError, UsageError, error_of

_PROGRAM = "rank.py"
_TOKEN = "SPARK_CONNECT_AUTHENTICATE_TOKEN"


class RankError(ProtiumError):
    """A function that failed on a rank. `traceback` is the one that it had there; what it raised is the
    `__cause__`, where that can be sent."""

    def __init__(self, rank: int, what: str, traceback: str, fix: str = "") -> None:
        super().__init__(f"rank {rank} failed: {what}", why=traceback, fix=fix)
        self.rank, self.traceback = rank, traceback
        self._given = (rank, what, traceback, fix)

    def __reduce__(self) -> Any:
        return type(self), self._given


def run(function: Callable[..., Any], args: Sequence[Any] = (), *, workers: int = 1, engine: str = "local",
        python: str | os.PathLike[str] | None = None, files: str | os.PathLike[str] | None = None,
        cores_per_worker: int = 1, gpus_per_worker: int = 0, restarts: int = 0,
        logs: str = "all", env: dict[str, str] | None = None) -> list[Any]:
    """Calls the function in this many processes, and returns the results by rank.

    They run on this machine or, with engine="sc://host:15002", on the executors of a Spark cluster.
    Each finds RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT in its environment, as with
    torchrun, so that torch.distributed.init_process_group("gloo") works. What they print is shown on
    stderr with [rank] before each line; logs="rank0" or "none" shows less. When one fails, the others
    are ended, and RankError has its traceback; with `restarts`, all start again. Ctrl-C ends them
    all.

    python: what runs them; unless set this Python, on Spark the "python3" of the executors. It must be
      of the same version (3.11 and 3.11), and have the packages that the function imports.
    files: a folder of which each rank has a copy as its working directory, where it also looks for
      modules; unless set the current one, on Spark an empty one.
    env: environment variables for the ranks alone.
    """
    cluster = engine.startswith("sc://")
    address, secrets = _without_token(engine)
    # Executors read and write there as well: it lies where `protium gang` has its own files.
    with tempfile.TemporaryDirectory(prefix="protium-gang-", dir=os.getcwd() if cluster else None) as scratch:
        folder = Path(scratch)
        _send(function, args, folder, cluster)
        words = [str(_library.command()), "gang", "--json", "--engine", address, "--workers", str(workers),
                 "--cores", str(cores_per_worker), "--gpus", str(gpus_per_worker), "--restarts",
                 str(restarts), "--logs", logs]
        words += ["--files", os.fspath(files)] if files is not None else []
        # Arguments could be read by everybody on the machine: they have the names alone.
        words += [word for name in env or {} for word in ("--env", name)]
        words += ["--", *_python(python, cluster), str(folder / _PROGRAM), scratch]
        failure = _wait(words, {**os.environ, **secrets, **(env or {})})
        return _answers(folder, workers, failure)


def _without_token(engine: str) -> tuple[str, dict[str, str]]:
    """The address as an argument may have it, and variables with the rest."""
    found = re.search(r";token=([^;]*)", engine)
    if not found:
        return engine, {}
    return engine.replace(found[0], "", 1), {_TOKEN: urllib.parse.unquote(found[1])}


def _python(python: str | os.PathLike[str] | None, cluster: bool) -> list[str]:
    if not cluster:
        return [os.fspath(python or sys.executable)]
    name = os.fspath(python or "python3")
    # A path is one of the executors'. As the program itself it would be looked for here, too.
    return ["env", name] if "/" in name else [name]


def _send(function: Callable[..., Any], args: Sequence[Any], folder: Path, cluster: bool) -> None:
    """Puts into the folder all that ranks need of this process."""
    pickler = _rank.pickler()
    remedy = "pip install cloudpickle, or move it into a module"
    if pickler is pickle and getattr(function, "__module__", None) == "__main__":
        raise UsageError(f"{function!r} cannot be sent to other processes",
                         why="without cloudpickle they look for it in a module", fix=remedy)
    try:
        call = pickler.dumps((function, tuple(args)))
    except Exception as error:
        raise UsageError(f"{function!r} cannot be sent to other processes", why=str(error),
                         fix=remedy) from None
    about = {"python": _rank.version(), "path": None if cluster else [str(path) for path in sys.path]}
    (folder / _rank.CALL).write_bytes(json.dumps(about).encode() + b"\n" + call)
    shutil.copy(_rank.__file__, folder / _PROGRAM)
    if not cluster:
        return
    # What is pickled refers to the pickler, and the function's module may well import this package.
    for source in [__file__] + ([pickler.__file__] if pickler is not pickle else []):
        package = Path(source).parent
        shutil.copytree(package, folder / package.name, ignore=shutil.ignore_patterns("__pycache__", "_native"))


def _wait(words: list[str], env: dict[str, str]) -> ProtiumError | None:
    """Runs the command; why it failed."""
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=env)
    try:
        told, _ = process.communicate()
    except BaseException:
        # A terminal has told it of Ctrl-C already, a notebook has not.
        process.terminate()
        process.communicate()
        raise
    if process.returncode == 0:
        return None
    try:
        return error_of(process.returncode)(**json.loads(told)["error"])
    except (ValueError, KeyError):
        return ProtiumError(f"the gang ended with exit code {process.returncode}")


def _answers(folder: Path, workers: int, failure: ProtiumError | None) -> list[Any]:
    values = []
    for rank in range(workers):
        file = folder / _rank.ANSWER.format(rank)
        if not file.exists():
            continue
        answer = pickle.loads(file.read_bytes())
        if "value" not in answer:
            raise RankError(rank, answer["what"], answer["traceback"],
                            answer["fix"]) from _cause(answer["exception"])
        values.append((rank, answer["value"]))
    if failure is not None:
        raise failure
    if len(values) != workers:
        missing = min(set(range(workers)) - {rank for rank, _ in values})
        raise ProtiumError(f"rank {missing} ended without an error, but left no result in {folder}",
                           why="the function ended its process, or the rank's host does not share this folder")
    return [_value(rank, value) for rank, value in values]


def _value(rank: int, value: bytes) -> Any:
    try:
        return pickle.loads(value)
    except Exception as error:
        raise UsageError(f"what rank {rank} returned cannot be read here", why=f"{type(error).__name__}: {error}",
                         fix="return what both sides know, such as numbers, texts, lists and arrays") from error


def _cause(exception: bytes | None) -> BaseException | None:
    try:
        return pickle.loads(exception) if exception is not None else None
    except Exception:  # Of a class that only the rank knows; its traceback is there in any case.
        return None
