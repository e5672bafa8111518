# SPDX-License-Identifier: Apache-2.0
"""libprotium_c.so, opened when it is first needed: its functions, and its errors as exceptions."""

from __future__ import annotations

import ctypes
import os
import threading
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_int64, c_void_p
from pathlib import Path
from typing import Any, Callable

from .errors import EnvironmentFault, error_of

ABI_VERSION = 7
EVENT_FUNCTION = ctypes.CFUNCTYPE(None, c_char_p, c_void_p)

# Every function that can fail gives an error or NULL; what comes behind are its arguments.
_CAN_FAIL = {
    "pt_session_open": [c_char_p, POINTER(c_void_p)],
    "pt_session_read": [c_void_p, c_char_p, c_char_p, POINTER(c_void_p)],
    "pt_session_bring": [c_void_p, c_char_p, c_void_p, POINTER(c_void_p)],
    "pt_session_table": [c_void_p, c_char_p, c_void_p],
    "pt_session_sql": [c_void_p, c_char_p, POINTER(c_void_p)],
    "pt_session_load": [c_void_p, c_char_p, POINTER(c_void_p)],
    "pt_frame_schema": [c_void_p, c_void_p],
    "pt_frame_stream": [c_void_p, c_void_p],
    "pt_frame_failure": [c_void_p],
    "pt_frame_count": [c_void_p, POINTER(c_int64)],
    "pt_frame_select": [c_void_p, c_char_p, POINTER(c_void_p)],
    "pt_frame_limit": [c_void_p, c_int64, POINTER(c_void_p)],
    "pt_frame_keep": [c_void_p, POINTER(c_void_p)],
    "pt_frame_keep_as": [c_void_p, c_char_p, POINTER(c_void_p)],
    "pt_frame_split": [c_void_p, c_char_p, POINTER(c_void_p), POINTER(c_void_p)],
    "pt_frame_write": [c_void_p, c_char_p, c_char_p],
    "pt_frame_plan": [c_void_p, POINTER(c_void_p)],
    "pt_frame_leaks": [c_void_p, c_char_p, POINTER(c_void_p)],
    "pt_frame_split_leaks": [c_void_p, c_void_p, c_char_p, POINTER(c_void_p)],
    "pt_frame_text_times": [c_void_p, POINTER(c_void_p)],
    "pt_frame_check": [c_void_p, c_char_p, POINTER(c_void_p)],
    "pt_frame_fit": [c_void_p, c_char_p, POINTER(c_void_p)],
    "pt_model_transform": [c_void_p, c_void_p, c_char_p, POINTER(c_void_p)],
    "pt_model_evaluate": [c_void_p, c_void_p, POINTER(c_void_p)],
    "pt_model_doubts": [c_void_p, c_void_p, c_char_p, POINTER(c_void_p)],
    "pt_run_report": [c_char_p, POINTER(c_void_p)],
    "pt_model_describe": [c_void_p, POINTER(c_void_p)],
    "pt_model_save": [c_void_p, c_char_p],
    "pt_scorer_open": [c_void_p, POINTER(c_void_p)],
    "pt_scorer_describe": [c_void_p, POINTER(c_void_p)],
    "pt_scorer_score": [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p],
    "pt_scorer_forecast": [c_void_p, c_char_p, c_void_p, c_void_p, c_void_p, c_void_p],
    "pt_scorer_score_json": [c_void_p, c_char_p, POINTER(c_void_p)],
    "pt_search_open": [c_char_p, POINTER(c_void_p)],
    "pt_search_ask": [c_void_p, POINTER(c_void_p)],
    "pt_search_report": [c_void_p, c_int64, c_int64, c_double],
    "pt_search_should_prune": [c_void_p, c_int64, POINTER(c_int32)],
    "pt_search_tell": [c_void_p, c_int64, c_double, c_char_p],
    "pt_search_tell_all": [c_void_p, c_int64, c_char_p],
    "pt_search_table": [c_void_p, POINTER(c_void_p)],
}
_OTHERS = {
    "pt_string_free": (None, [c_void_p]),
    "pt_error_exit": (c_int32, [c_void_p]),
    "pt_error_free": (None, [c_void_p]),
    "pt_session_close": (None, [c_void_p]),
    "pt_session_cancel": (None, [c_void_p]),
    "pt_session_on_event": (None, [c_void_p, EVENT_FUNCTION, c_void_p]),
    "pt_frame_free": (None, [c_void_p]),
    "pt_model_free": (None, [c_void_p]),
    "pt_scorer_free": (None, [c_void_p]),
    "pt_search_free": (None, [c_void_p]),
    "pt_abi_version": (c_int32, []),
    "pt_version": (c_char_p, []),
}
_PARTS = ("what", "where", "why", "fix", "kept")

_opening = threading.Lock()
_opened: ctypes.CDLL | None = None


def home() -> Path:
    """The folder with bin/protium and lib/libprotium_c.so.

    It is the one that PROTIUM_HOME names, else that of this package, else the build of the tree
    that this file lies in.
    """
    given = os.environ.get("PROTIUM_HOME")
    if given:
        return Path(given)
    package = Path(__file__).resolve().parent
    places = [package / "_native", package.parents[1] / "build" / "release"]
    return next((place for place in places if _file(place).exists()), places[0])


def command() -> Path:
    """The program `protium`, which workers are, too."""
    return home() / "bin" / "protium"


def _file(place: Path) -> Path:
    return place / "lib" / "libprotium_c.so"


def library() -> ctypes.CDLL:
    """The library, with the types of its functions set. Any thread."""
    global _opened
    with _opening:
        if _opened is None:
            _opened = _open(_file(home()))
    return _opened


def _open(file: Path) -> ctypes.CDLL:
    # RTLD_LOCAL, ctypes' default: the Arrow inside does not meet that of pyarrow.
    try:
        opened = ctypes.CDLL(str(file))
    except OSError as error:
        raise EnvironmentFault(f"{file} cannot be loaded", why=str(error),
                               fix="PROTIUM_HOME=FOLDER, with FOLDER/lib and FOLDER/bin") from None
    opened.pt_abi_version.restype = c_int32
    if opened.pt_abi_version() < ABI_VERSION:
        raise EnvironmentFault(f"{file} is older than this package", fix="install both anew")
    for name, arguments in _CAN_FAIL.items():
        function = getattr(opened, name)
        function.restype, function.argtypes = c_void_p, arguments
    for name, (result, arguments) in _OTHERS.items():
        function = getattr(opened, name)
        function.restype, function.argtypes = result, arguments
    for part in _PARTS:
        function = getattr(opened, f"pt_error_{part}")
        function.restype, function.argtypes = c_char_p, [c_void_p]
    return opened


def check(error: int | None) -> None:
    """Raises what a function has returned, unless it is NULL."""
    if not error:
        return
    own = library()
    parts = {part: getattr(own, f"pt_error_{part}")(error).decode() for part in _PARTS}
    exit = own.pt_error_exit(error)
    own.pt_error_free(error)
    raise error_of(exit)(**parts, exit=exit)


def call(name: str, *arguments: Any) -> None:
    """Calls a function that can fail."""
    check(getattr(library(), name)(*arguments))


def made(name: str, *arguments: Any) -> int:
    """Calls a function that can fail, and gives the handle that it sets through its last pointer."""
    handle = c_void_p()
    call(name, *arguments, byref(handle))
    return int(handle.value or 0)


def text_of(name: str, *arguments: Any) -> str:
    """The same for a text, which is copied and freed."""
    address = made(name, *arguments)
    try:
        return ctypes.string_at(address).decode()
    finally:
        library().pt_string_free(address)


def interruptible(act: Callable[[], Any], cancel: Callable[[], None]) -> Any:
    """Runs `act`, and if Ctrl-C comes meanwhile calls `cancel` until it has ended.

    The main thread alone gets signals, and none while it is inside of a function of C: so it waits
    here, and `act` runs beside it.
    """
    if threading.current_thread() is not threading.main_thread():
        return act()
    results: list[Any] = []
    done = threading.Event()

    def run() -> None:
        try:
            results.append((act(), None))
        except BaseException as error:  # Whatever it is, it is raised where it was asked for.
            results.append((None, error))
        finally:
            done.set()

    threading.Thread(target=run, name="protium", daemon=True).start()
    try:
        done.wait()
    except BaseException:
        # Again and again: the first request may have come before the call had begun.
        while not done.wait(0.05):
            cancel()
        raise
    value, error = results[0]
    if error is not None:
        raise error
    return value
