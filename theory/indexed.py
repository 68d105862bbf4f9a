"""Formulas of vectors and matrices: SymPy expressions with indices, evaluated on arrays in float64.

A law such as G_ij = sum over z, k of c_zk u_ki e_zj is written with `sympy.IndexedBase` and `sympy.Sum`. Its symbols stand
for arrays whose last axes are the indices, in the order in which the formula writes them; whatever axes come before
belong to independent draws (replicas) and are carried along. A sum runs over the whole axis of its index, so that the
limits of a `Sum` only name it. Products inside a sum are contracted by einsum: no array with all indices is formed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np
import sympy

from asymp.theory.evaluation import numpy_function


@dataclass(frozen=True)
class _Axes:
    """An array whose last axes are named by indices; the axes before them belong to the replicas."""

    array: np.ndarray
    names: tuple[str, ...]

    def aligned(self, names: tuple[str, ...]) -> np.ndarray:
        """The array with these indices as its last axes, of length one where it does not have them."""
        order = [self.names.index(name) for name in names if name in self.names]
        before = self.array.ndim - len(self.names)
        moved = self.array.transpose([*range(before), *(before + i for i in order)])
        shape = [moved.shape[before + order.index(self.names.index(n))] if n in self.names else 1 for n in names]
        return moved.reshape((*moved.shape[:before], *shape))


def evaluate(expr: sympy.Expr, arrays: Mapping[str, np.ndarray], *, indices: tuple[str, ...] = ()) -> np.ndarray:
    """The formula on these arrays.

    Args:
        expr: an expression in indexed symbols, plain symbols and sums over indices.
        arrays: the value of every symbol by name; an indexed symbol's last axes are its indices.
        indices: the free indices of the formula, in the order wanted for the last axes of the result.
    """
    numbers = {name: np.asarray(value, dtype=np.float64) for name, value in arrays.items()}
    found = _value(expr, numbers, _lengths(expr, numbers))
    extra = set(found.names) - set(indices)
    if extra:
        raise ValueError(f"the formula has the free indices {', '.join(sorted(extra))}, which the result does not name")
    return found.aligned(indices)


def _lengths(expr: sympy.Expr, arrays: Mapping[str, np.ndarray]) -> dict[str, int]:
    """How far every index runs, from the arrays; the same index must be as long everywhere."""
    lengths: dict[str, int] = {}
    for entry in expr.atoms(sympy.Indexed):
        name = str(entry.base)
        if name not in arrays:
            raise ValueError(f"the formula needs {name}, which was not given")
        shape = arrays[name].shape
        if len(shape) < len(entry.indices):
            raise ValueError(f"{name} has {len(entry.indices)} indices; the array given has {len(shape)} axes")
        for index, length in zip(entry.indices, shape[len(shape) - len(entry.indices) :], strict=True):
            if lengths.setdefault(str(index), length) != length:
                raise ValueError(
                    f"the index {index} is of length {lengths[str(index)]} and, in {name}, of length {length}"
                )
    return lengths


def _value(expr: sympy.Expr, arrays: Mapping[str, np.ndarray], lengths: Mapping[str, int]) -> _Axes:
    if expr.is_number:
        return _Axes(np.asarray(float(expr)), ())
    if isinstance(expr, sympy.Indexed):
        return _Axes(arrays[str(expr.base)], tuple(map(str, expr.indices)))
    if isinstance(expr, sympy.Symbol):
        if expr.name not in arrays:
            raise ValueError(f"the formula needs {expr.name}, which was not given")
        return _Axes(arrays[expr.name], ())
    if isinstance(expr, sympy.Sum):
        over = tuple(str(limits[0]) for limits in expr.limits)
        body = expr.function
        factors = body.args if isinstance(body, sympy.Mul) else (body,)
        return _contracted([_value(factor, arrays, lengths) for factor in factors], over, lengths)
    parts = [_value(part, arrays, lengths) for part in expr.args]
    if isinstance(expr, sympy.Mul):
        return _contracted(parts, (), lengths)
    names = tuple(dict.fromkeys(name for part in parts for name in part.names))
    aligned = [part.aligned(names) for part in parts]
    if isinstance(expr, sympy.Add):
        return _Axes(reduce(np.add, aligned), names)
    if isinstance(expr, sympy.Pow):
        return _Axes(np.power(*aligned), names)
    dummies = sympy.symbols(f"a0:{len(parts)}")
    return _Axes(numpy_function(dummies, expr.func(*dummies))(*aligned), names)


def _contracted(parts: list[_Axes], over: tuple[str, ...], lengths: Mapping[str, int]) -> _Axes:
    """The product of the parts, summed over some indices; a sum over an index that none of them has is a multiple."""
    present = tuple(dict.fromkeys(name for part in parts for name in part.names))
    left = tuple(name for name in present if name not in over)
    letters = {name: chr(ord("a") + i) for i, name in enumerate(present)}
    subscripts = ",".join("..." + "".join(letters[n] for n in part.names) for part in parts)
    product = np.einsum(
        f"{subscripts}->...{''.join(letters[n] for n in left)}", *(part.array for part in parts), optimize=True
    )
    repeated = np.prod([lengths[name] for name in over if name not in present], initial=1.0)
    return _Axes(product * repeated, left)
