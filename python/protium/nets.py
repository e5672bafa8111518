# SPDX-License-Identifier: Apache-2.0
"""Your own PyTorch nets in an estimator, as the net "torchscript"."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import Any, Sequence

from .errors import UsageError

_folders: list[str] = []


def from_torch(module: Any, example: Sequence[Any] | None = None,
               inputs: Sequence[str] = ("numeric",)) -> dict[str, Any]:
    """A net made from a torch.nn.Module, whose current parameters training starts from.

    `inputs` names the fields that its forward() takes: "numeric" (float32), "categories" (int64), or
    columns of lists; it returns [rows, outputs]. With `example`, tensors for these, the module is
    traced, else it is scripted. What cannot be either is refused with the operator's name.
    """
    import torch

    try:
        made = torch.jit.script(module) if example is None else torch.jit.trace(module, tuple(example))
    except Exception as error:
        told = [line.strip() for line in str(error).splitlines() if line.strip()] or [repr(error)]
        raise UsageError(f"{type(module).__name__} cannot be {'scripted' if example is None else 'traced'}",
                         why=told[0], fix="example=(tensor,) traces it" if example is None else "") from error
    if example is not None:
        _same(torch, module, made, tuple(example))
    folder = tempfile.mkdtemp(prefix="protium-net-")
    _folders.append(folder)
    file = Path(folder) / "net.pt"
    made.save(str(file))
    return {"name": "torchscript", "file": str(file), "inputs": list(inputs)}


def _same(torch: Any, module: Any, made: Any, example: tuple[Any, ...]) -> None:
    with torch.no_grad():
        if torch.allclose(module(*example), made(*example), equal_nan=True):
            return
    raise UsageError(f"{type(module).__name__} gives a different result when it is traced",
                     why="its path depends on the values, or it draws random numbers",
                     fix="leave out example, which scripts it")


@atexit.register
def _tidy() -> None:
    for folder in _folders:
        shutil.rmtree(folder, ignore_errors=True)
