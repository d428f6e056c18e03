"""Replacing functions of another library while a switch is on."""
from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._rules import RULES

if TYPE_CHECKING:
    from types import TracebackType

_lock = threading.RLock()
_on: dict[str, Switch] = {}


class Declined(Exception):
    """What the other library's own function does."""


class Switch:
    """Functions of a library that are replaced until undo() is called, or the with block ends. calls: how often each
    of them has run here instead."""

    def __init__(self, library: str, places: dict[str, list[tuple[Any, str]]], functions: dict[str, Callable[..., Any]],
                 names: tuple[str, ...], least: int | dict[str, int] | None,
                 fits: Callable[[Any, int], bool]) -> None:
        for name in names:
            if name not in functions:
                raise ValueError(f"names: {name!r} is none of {', '.join(functions)}")
        given = least if isinstance(least, dict) else dict.fromkeys(functions, least)
        for name, number in given.items():
            if name not in functions:
                raise ValueError(f"least: {name!r} is none of {', '.join(functions)}")
            if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 0):
                raise ValueError(f"least: {number!r} is no number of elements")
        known = {**RULES[library], **{name: number for name, number in given.items() if number is not None}}
        self.library, self.undone = library, False
        self.least = {name: known[name] for name in names or functions if name in known}
        self.calls = dict.fromkeys(self.least, 0)
        self._before: list[tuple[Any, str, Any, bool]] = []
        with _lock:
            if library in _on:
                raise RuntimeError(f"{library} is accelerated already: call undo() of {_on[library]!r} first")
            _on[library] = self
            for name in self.least:
                for owner, member in places[name]:
                    original = getattr(owner, member)
                    self._before.append((owner, member, original, member in vars(owner)))
                    setattr(owner, member, self._replacement(name, original, functions[name], fits))

    def _replacement(self, name: str, original: Any, function: Callable[..., Any],
                     fits: Callable[[Any, int], bool]) -> Any:
        least = self.least[name]

        @functools.wraps(original)
        def call(x: Any, *arguments: Any, **options: Any) -> Any:
            if fits(x, least):
                try:
                    made = function(x, *arguments, **options)
                except (Declined, TypeError, ValueError, IndexError):  # the library's own errors
                    return original(x, *arguments, **options)
                self.calls[name] += 1
                return made
            return original(x, *arguments, **options)

        return call

    def undo(self) -> None:
        """Puts the library's own functions back. A second call does nothing."""
        with _lock:
            if self.undone:
                return
            for owner, member, original, own in self._before:
                if own:
                    setattr(owner, member, original)
                else:
                    delattr(owner, member)
            self.undone = True
            del _on[self.library]

    def __enter__(self) -> Switch:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.undo()

    def __repr__(self) -> str:
        what = ", ".join(f"{name} from {number} elements" for name, number in self.least.items()) or "nothing"
        return f"<gpuprims.{self.library}.accelerate: {what}{', undone' if self.undone else ''}>"
