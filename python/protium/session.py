# SPDX-License-Identifier: Apache-2.0
"""Sessions: where tables, SQL and models live."""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
import weakref
from ctypes import byref
from typing import TYPE_CHECKING, Any, Callable, Mapping

from . import _arrow, _library, _pandas, _polars, _pyarrow
from ._progress import Progress, is_hearing
from .errors import ProtiumError, UsageError
from .frame import Frame

if TYPE_CHECKING:
    from .model import Model

_open_sessions: "weakref.WeakSet[Session]" = weakref.WeakSet()


class Session:
    """An engine with its tables and workers. Any thread may use it; calls take turns.

    engine: "local", "local[4]" for at most four workers, "sc://host:15002" for a Spark cluster, or a
      dict with the keys that [engine] has in a job file.
    folder: keeps logs, checkpoints and models; unless set, a temporary one that is deleted at the end.
    base: where relative paths start; unless set, the working directory.
    store: whether frames that are kept (Frame.keep()), and what is learned of them, outlive the session
      (docs/kept.md).
    extensions: shared libraries with nets of your own.
    progress: whether fits print their progress on stderr; unless set, on terminals and in notebooks.
    on_event: called with each event as a dict (include/protium/events.h), on another thread; it must
      return soon and use no session.
    """

    def __init__(self, engine: str | Mapping[str, Any] = "local", *, folder: str | os.PathLike[str] = "",
                 base: str | os.PathLike[str] = "", force: bool = False, store: bool = False,
                 extensions: list[str] | None = None, program: str | os.PathLike[str] = "",
                 progress: bool | None = None,
                 on_event: Callable[[dict[str, Any]], None] | None = None) -> None:
        options = {"engine": engine, "folder": os.fspath(folder), "base": os.fspath(base),
                   "force": force, "store": store, "extensions": extensions or [], "program": os.fspath(program)}
        self._process = os.getpid()
        self._handle = _library.made("pt_session_open", json.dumps(options).encode())
        self._unnamed = 0
        self._watch = Progress(progress, on_event)
        # ctypes' functions live as long as the objects that stand for them.
        self._listener = _library.EVENT_FUNCTION(self._watch.hear)
        _library.library().pt_session_on_event(self._handle, self._listener, None)
        _open_sessions.add(self)

    def close(self) -> None:
        """Stops what is running and ends the workers. Frames and models of the session can no longer
        be used."""
        if is_hearing():
            raise UsageError("a function that receives events tried to close a session",
                             why="the session waits for it to return",
                             fix="do it once the call has returned")
        handle, self._handle = self._handle, 0
        # A child of fork() has neither the threads nor the workers of its parent.
        if handle and self._process == os.getpid():
            _library.library().pt_session_close(handle)

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def __del__(self) -> None:
        if not getattr(self, "_handle", 0) or sys.is_finalizing():
            return
        if is_hearing():
            # The garbage was collected on a thread of some session's, which must not wait for itself.
            threading.Thread(target=self.close, name="protium", daemon=True).start()
        else:
            self.close()

    def __reduce__(self) -> Any:
        raise UsageError("a session has processes of its own and cannot be pickled",
                         fix="protium.Session(...) where it is needed")

    def __repr__(self) -> str:
        return f"<protium.Session{'' if self._handle else ', closed'}>"

    @property
    def handle(self) -> int:
        """The pt_session*, for what else calls the C interface."""
        if not self._handle:
            raise UsageError("the session is closed")
        if self._process != os.getpid():
            raise UsageError("the session belongs to the process that this one was forked from",
                             fix="open one here: protium.Session()")
        return self._handle

    def cancel(self) -> None:
        """Ends the call that uses the session, with StoppedError. Any thread; does not wait."""
        _library.library().pt_session_cancel(self.handle)

    def _run(self, name: str, *arguments: Any) -> None:
        _library.interruptible(lambda: _library.call(name, *arguments), self.cancel)

    def _made(self, name: str, *arguments: Any) -> int:
        return int(_library.interruptible(lambda: _library.made(name, *arguments), self.cancel))

    # ---- Tables.

    def read(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Frame:
        """A file, a pattern such as "2013-*.csv", or a folder: CSV, Parquet, JSON lines or Arrow.

        Options are those of a table in a job file: null="NA", delimiter=";", format="csv",
        partitions=["year"], types={"zip": "string"}, ...

        Without a path, a table of a database or a lake: sqlite="notes.db", table="notes";
        postgres="postgresql://reader@host/shop", table="public.orders", password={"env": "PW"};
        mysql=..., excel="plan.xlsx", sheet="2026"; delta="lake/events", version=12.
        """
        place = None if path is None else os.fspath(path).encode()
        return Frame(self, self._made("pt_session_read", self.handle, place,
                                      json.dumps(options).encode()))

    def table(self, data: Any, name: str | None = None) -> Frame:
        """A table from a Python object, under a name for SQL if one is given.

        pandas frames, with their index if it has a name, Polars frames, pyarrow tables and readers,
        DuckDB relations and whatever else has `__arrow_c_stream__`; dicts of lists or arrays; paths
        of files; frames of this session.
        """
        frame = self._frame_of(data, name)
        if name is not None:
            _library.call("pt_session_table", self.handle, name.encode(), frame._handle)
        return frame

    def sql(self, query: str, **tables: Any) -> Frame:
        """A SELECT over the named tables, in Spark's dialect; `tables` are named first.

        session.sql("SELECT shop, sum(amount) AS total FROM sales GROUP BY shop", sales=frame)
        """
        for name, data in tables.items():
            self.table(data, name)
        return Frame(self, self._made("pt_session_sql", self.handle, query.encode()))

    def _frame_of(self, data: Any, name: str | None) -> Frame:
        if isinstance(data, Frame) and data.session is self:
            return data
        if isinstance(data, (str, os.PathLike)):
            return self.read(data)
        self._unnamed += name is None
        capsule, stream = _stream_of(data)
        address = _arrow.stream_address(capsule) if stream is None else _address(stream)
        if not _arrow.is_table(_arrow.Stream.from_address(address)):
            raise _one_column(data)
        said = (name or f"table{self._unnamed}").encode()
        return Frame(self, self._made("pt_session_bring", self.handle, said, address))

    # ---- Models.

    def load(self, folder: str | os.PathLike[str]) -> "Model":
        """A saved model, whether by this package, by `protium run` or by a C++ program."""
        from .model import Model

        return Model(self, self._made("pt_session_load", self.handle, os.fspath(folder).encode()))


def _one_column(data: Any) -> UsageError:
    return UsageError(f"a {type(data).__name__} is one column, not a table",
                      fix='session.table({"name": column})')


def _address(stream: _arrow.Stream) -> int:
    import ctypes

    return ctypes.addressof(stream)


def _stream_of(data: Any) -> tuple[Any, _arrow.Stream | None]:
    """A capsule with the rows, or a stream made of them."""
    if _pandas.is_pandas(data):
        try:
            return _stream_of_pandas(data)
        except (ProtiumError, MemoryError):
            raise
        except Exception as error:  # Of pyarrow's or pandas' own kinds.
            raise _pandas.refused(data, error) from error
    data = _polars.taken(data)
    if hasattr(data, "fetch_arrow_reader") and not hasattr(data, "__arrow_c_stream__"):
        data = data.fetch_arrow_reader()  # Of DuckDB before 1.3.
    if hasattr(data, "__arrow_c_stream__"):
        return data.__arrow_c_stream__(), None
    stream = _pyarrow.exported(data)
    if stream is not None:
        return None, stream
    from . import _given

    if isinstance(data, Mapping):
        columns = {str(name): _given.column(str(name), each) for name, each in data.items()}
    elif hasattr(data, "to_frame"):  # A Series of pandas before 3.
        raise _one_column(data)
    else:
        raise UsageError(f"a {type(data).__name__} is not a table",
                         fix="a frame of pandas, Polars, pyarrow or DuckDB, a dict of columns, or a path")
    return None, _given.stream(columns)


def _stream_of_pandas(frame: Any) -> tuple[Any, _arrow.Stream | None]:
    frame = _pandas.with_index(frame)
    try:
        parts = _pandas.in_parts(frame)
        if hasattr(parts, "__arrow_c_stream__"):
            return parts.__arrow_c_stream__(), None
        stream = _pyarrow.exported(parts)
        if stream is not None:
            return None, stream
    except ImportError:  # There is no pyarrow.
        pass
    from . import _given

    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        raise ValueError("two columns of one name")
    return None, _given.stream({str(name): _given.column(str(name), frame[name]) for name in frame.columns})


@atexit.register
def _close_all() -> None:
    for session in list(_open_sessions):
        session.close()


_default_lock = threading.Lock()
_defaults: dict[str, Session] = {}


def default_session(engine: str = "local") -> Session:
    """The default session: one for each engine, opened when first needed."""
    with _default_lock:
        session = _defaults.get(engine)
        if session is None or not session._handle or session._process != os.getpid():
            session = _defaults[engine] = Session(engine)
        return session


def read_version() -> str:
    """The version of the library."""
    return str(_library.library().pt_version().decode())
