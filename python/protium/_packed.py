# SPDX-License-Identifier: Apache-2.0
"""Models as one text of bytes, so that what holds them can be pickled."""

from __future__ import annotations

import io
import tempfile
import weakref
import zipfile
from pathlib import Path

from .model import Model
from .session import Session


def packed(model: Model) -> bytes:
    """The files of the model's folder."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "model"
        model.save(folder)
        written = io.BytesIO()
        with zipfile.ZipFile(written, "w", zipfile.ZIP_STORED) as archive:
            for file in sorted(folder.iterdir()):
                archive.writestr(file.name, file.read_bytes())
        return written.getvalue()


def extract(archived: bytes, folder: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(archived)) as archive:
        for name in archive.namelist():
            (folder / Path(name).name).write_bytes(archive.read(name))


def unpacked(session: Session, archived: bytes) -> Model:
    folder = Path(tempfile.mkdtemp(prefix="protium-model-"))
    extract(archived, folder)
    model = session.load(folder)
    # The weights are read from there as long as the model lives.
    weakref.finalize(model, _remove, folder)
    return model


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
