"""CuPy: accelerate(), which puts calls of the package in the place of CuPy's own functions."""
from __future__ import annotations

import importlib
from typing import Any

from . import _moving, _reductions, _sorting
from ._arrays import FLOATS, TYPES
from ._switch import Declined, Switch

cupy: Any = importlib.import_module("cupy")


def _sort(x: Any, axis: Any = -1, kind: Any = None) -> Any:
    return _sorting.sort(x, axis=axis)


def _argsort(x: Any, axis: Any = -1, kind: Any = None) -> Any:
    return _sorting.argsort(x, axis=axis)


def _cumsum(x: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    return _reductions.cumsum(x, axis=axis, dtype=dtype, out=out)


def _unique(x: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
            axis: None = None, *, equal_nan: bool = True) -> Any:
    if axis is not None or equal_nan and str(x.dtype) in FLOATS:
        raise Declined
    return _sorting.unique(x, return_index=return_index, return_inverse=return_inverse, return_counts=return_counts,
                           sync=True)


def _bincount(x: Any, weights: Any = None, minlength: int | None = None) -> Any:
    try:
        return _moving.bincount(x, weights, minlength=minlength or 0, sync=True)
    except ValueError as error:  # CuPy's own message
        raise Declined from error


_FUNCTIONS: dict[str, Any] = {"sort": _sort, "argsort": _argsort, "cumsum": _cumsum, "unique": _unique,
                              "bincount": _bincount}


def replacements() -> dict[str, Any]:
    """{name: what accelerate() puts in the place of CuPy's function}, for measurements."""
    return dict(_FUNCTIONS)


def accelerate(*names: str, least: int | dict[str, int] | None = None) -> Switch:
    """Replaces functions of CuPy by the package's, until undo() of the result is called or its `with` block ends: sort,
    argsort, cumsum, unique, bincount; without names, all. Methods of arrays cannot be replaced. A call goes to CuPy as
    before if its array is smaller than the function's rule says or has another element type, or if it has arguments
    that are not here.

    least: from which number of elements on, for all functions or by name. Without it measured rules decide, and a
    function that has none is left as it is. Floats are sorted in total order, and sums of floats grouped otherwise.
    """
    def fits(x: Any, number: int) -> bool:
        return type(x) is cupy.ndarray and str(x.dtype) in TYPES and x.dtype.kind != "c" and x.size >= number

    return Switch("cupy", {name: [(cupy, name)] for name in _FUNCTIONS}, _FUNCTIONS, names, least, fits)


__all__ = ["accelerate"]
