# SPDX-License-Identifier: Apache-2.0
"""A Python function as a gang: the same one in several processes that are told of each other."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any, Callable, Sequence

from . import _library
from .errors import ProtiumError, UsageError

_CALL, _ANSWER = "call.pickle", "answer-{}.pickle"


class RankError(ProtiumError):
    """A function that failed on a rank. `traceback` is the one that it had there."""

    def __init__(self, rank: int, what: str, traceback: str) -> None:
        super().__init__(f"rank {rank} failed: {what}", why=traceback)
        self.rank, self.traceback = rank, traceback

    def __reduce__(self) -> Any:
        return type(self), (self.rank, self.what, self.traceback)


def _pickler() -> Any:
    """cloudpickle where it is installed: it takes functions of notebooks, too."""
    try:
        import cloudpickle

        return cloudpickle
    except ImportError:
        return pickle


def run(function: Callable[..., Any], args: Sequence[Any] = (), *, workers: int = 1,
        cores_per_worker: int = 1, gpus_per_worker: int = 0, restarts: int = 0,
        logs: str = "all", env: dict[str, str] | None = None) -> list[Any]:
    """Calls the function in so many processes of this machine, and gives what each returned, by rank.

    Each finds RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT in its environment, as with
    torchrun, so that torch.distributed.init_process_group("gloo") works. What they print is shown on
    stderr with [rank] before each line; logs="rank0" or "none" shows less. When one fails the others
    are ended, and RankError has its traceback; with `restarts` all start again. Ctrl-C ends them all.
    """
    with tempfile.TemporaryDirectory(prefix="protium-gang-") as scratch:
        folder = Path(scratch)
        try:
            call = _pickler().dumps((function, tuple(args)))
        except Exception as error:
            raise UsageError(f"{function!r} cannot be sent to other processes", why=str(error),
                             fix="pip install cloudpickle, or move it into a module") from None
        # Where modules are found comes first: reading the call imports the function's.
        (folder / _CALL).write_bytes(pickle.dumps((list(sys.path), call)))
        words = [str(_library.command()), "gang", "--workers", str(workers), "--cores",
                 str(cores_per_worker), "--gpus", str(gpus_per_worker), "--restarts", str(restarts),
                 "--logs", logs]
        code = _wait(words + ["--", sys.executable, "-m", "protium.gang", scratch], env or {})
        return _answers(folder, workers, code)


def _wait(words: list[str], env: dict[str, str]) -> int:
    # The ranks import this package as this process has it. They inherit what is set here; arguments
    # could be read by everybody on the machine.
    paths = [str(Path(__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path), **env}
    process = subprocess.Popen(words, stdout=2, stdin=subprocess.DEVNULL, env=environment)
    try:
        return process.wait()
    except BaseException:
        # A terminal has told it of Ctrl-C already, a notebook has not.
        process.terminate()
        process.wait()
        raise


def _answers(folder: Path, workers: int, code: int) -> list[Any]:
    answers: list[Any] = []
    for rank in range(workers):
        file = folder / _ANSWER.format(rank)
        if not file.exists():
            continue
        value, failure = pickle.loads(file.read_bytes())
        if failure is not None:
            raise RankError(rank, *failure)
        answers.append(value)
    if code != 0 or len(answers) != workers:
        raise ProtiumError(f"the gang ended with exit code {code}",
                           why="what it printed on stderr says which rank failed, and how")
    return answers


def _answer(folder: Path) -> int:
    """What each rank does: calls the function and leaves what it gave."""
    file = folder / _ANSWER.format(int(os.environ["RANK"]))
    file.unlink(missing_ok=True)  # Of an attempt before.
    code = 0
    try:
        sys.path[:], call = pickle.loads((folder / _CALL).read_bytes())
        function, args = pickle.loads(call)
        answer = _pickler().dumps((function(*args), None))
    except Exception as error:
        traceback.print_exc()
        what = f"{type(error).__name__}: {error}"
        answer, code = pickle.dumps((None, (what, traceback.format_exc()))), 1
    partial = file.with_suffix(".partial")
    partial.write_bytes(answer)
    partial.rename(file)
    return code


if __name__ == "__main__":
    # The function may import this module: it must find the same classes as the caller has.
    from protium import gang

    sys.exit(gang._answer(Path(sys.argv[1])))
