# SPDX-License-Identifier: Apache-2.0
"""Errors with the parts that the command prints: what, where, why, fix, kept."""

from __future__ import annotations


class ProtiumError(Exception):
    """An error with its parts. Those that do not apply are empty strings."""

    exit: int = 1

    def __init__(self, what: str, where: str = "", why: str = "", fix: str = "", kept: str = "",
                 exit: int | None = None) -> None:
        super().__init__(what, where, why, fix, kept, exit)
        self.what, self.where, self.why, self.fix, self.kept = what, where, why, fix, kept
        if exit is not None:
            self.exit = exit

    def __str__(self) -> str:
        parts = [("where", self.where), ("why", self.why), ("fix", self.fix), ("kept", self.kept)]
        return "\n".join([self.what, *(f"  {name}: {text}" for name, text in parts if text)])


class UsageError(ProtiumError, ValueError):
    """The request is wrong; nothing was started."""

    exit = 2


class InputError(ProtiumError, ValueError):
    """An input is missing, unreadable or of the wrong shape."""

    exit = 3


class EnvironmentFault(ProtiumError):
    """A port, device, library or permission."""

    exit = 4


class RemoteError(ProtiumError):
    """A remote system is unreachable or refused."""

    exit = 5


class NoRoomError(ProtiumError):
    """Memory or disk is full."""

    exit = 6


class StalledError(ProtiumError, TimeoutError):
    """A deadline passed."""

    exit = 7


class BugError(ProtiumError):
    """A mistake of Protium's own; please report it."""

    exit = 70


class StoppedError(ProtiumError):
    """Stopped on purpose."""

    exit = 75


class LeakWarning(UserWarning):
    """A column that gives the target away by itself (a target leak), or rows of eval_set that training has seen."""


_BY_EXIT = {kind.exit: kind for kind in (UsageError, InputError, EnvironmentFault, RemoteError,
                                         NoRoomError, StalledError, BugError, StoppedError)}


def error_of(exit: int) -> type[ProtiumError]:
    """The class of errors with this exit code."""
    return _BY_EXIT.get(exit, ProtiumError)
