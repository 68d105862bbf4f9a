"""Laws of arrays meet the draws: the experiment returns what it drew and measured, theory evaluates its formula on that.

The sampler returns tensors by name, the replicas first: `measured`, and one for every parameter of the law. What becomes
of the two is a number for each replica: their ratio, or the largest difference of an entry.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from inspect import Signature, signature
from typing import TYPE_CHECKING, final

import numpy as np
import sympy

from asymp.montecarlo.experiment import Experiment, Sampler
from asymp.theory import Law, laws

if TYPE_CHECKING:
    from asymp.montecarlo.draws import Draw

MEASURED = "measured"


@dataclass(frozen=True)
class Comparison(ABC):
    """A sampler that draws and measures by another one, and has a law evaluated on the draws."""

    sample: Sampler
    law: Law

    @property
    def __signature__(self) -> Signature:
        return signature(self.sample)

    @abstractmethod
    def __call__(self, draw: "Draw", **params: object) -> np.ndarray:
        """A number for each replica."""

    def both(self, draw: "Draw", params: Mapping[str, object]) -> tuple[np.ndarray, np.ndarray]:
        """What was measured, and what the law says of the draws."""
        arrays = self.sample(draw, **params)
        if not isinstance(arrays, Mapping):
            raise ValueError(
                f"the sampler must return tensors by name, one of them {MEASURED!r}; got {type(arrays).__name__}"
            )
        drawn = {name: values.detach().cpu().numpy() for name, values in arrays.items()}
        measured = drawn[MEASURED]
        given = {name: _as_named(drawn[name], len(param.indices)) for name, param in self.law.params.items()}
        return measured, np.broadcast_to(self.law(**given), measured.shape)

    def depends_on(self) -> tuple[tuple[object, ...], str]:
        """What determines the values: the code of the sampler and of the routines that evaluate the law, and the formula.

        As text: `srepr` spells a symbol's assumptions as the first equal symbol of the process had them.
        """
        found = {type(f).__name__: getattr(type(f), "floats", None) for f in self.law.expr.atoms(sympy.Function)}
        routines = [self.law.numeric, *(routine for _, routine in sorted(found.items()))]
        return (self.sample, *filter(None, routines)), f"{self.law.id}: {self.law.expr}"

    def __reduce__(self) -> tuple[object, ...]:
        """A law of the ledger travels to other processes by its name."""
        if self.law.id in laws and laws[self.law.id] is self.law:
            return _with_law_of, (type(self), self.sample, self.law.id)
        return type(self), (self.sample, self.law)


@final
class Difference(Comparison):
    """The largest difference of an entry in each replica, as a share of the largest entry."""

    def __call__(self, draw: "Draw", **params: object) -> np.ndarray:
        measured, predicted = self.both(draw, params)
        entries = tuple(range(1, measured.ndim))
        largest = np.maximum(np.abs(measured).max(entries), np.abs(predicted).max(entries))
        difference = np.abs(measured - predicted).max(entries)
        shares: np.ndarray = np.divide(difference, largest, out=np.zeros_like(difference), where=largest > 0)
        return shares


@final
class Ratio(Comparison):
    """What was measured over the mean of that and of what the law says, a number from 0 to 2 in each replica.

    It is 1 where they are equal, as two zeros are, and so it is known to have bounds where a plain ratio has none.
    """

    def __call__(self, draw: "Draw", **params: object) -> np.ndarray:
        measured, predicted = self.both(draw, params)
        said = np.maximum(predicted, 0)
        shares: np.ndarray = np.divide(2 * measured, measured + said, out=np.ones_like(said), where=measured + said > 0)
        return shares


def on_draws(experiment: Experiment, law: Law, compare: type[Comparison]) -> Experiment:
    """The experiment whose values say how what it measures compares with the law on its draws."""
    sample = experiment.sample
    drawn = sample.sample if isinstance(sample, Comparison) else sample
    bounds = (0.0, 2.0)
    """Of either comparison: a share of the larger of two, or of their mean."""
    return replace(experiment, sample=compare(drawn, law), bounds=bounds)


def _with_law_of(compare: type[Comparison], sample: Sampler, id: str) -> Comparison:
    return compare(sample, laws[id])


def _as_named(array: np.ndarray, indices: int) -> np.ndarray:
    """Without the axes of length one that the law has no index for, as of a matrix that is used once."""
    extra = [axis for axis in range(1, array.ndim) if array.shape[axis] == 1][: max(0, array.ndim - 1 - indices)]
    return np.squeeze(array, tuple(extra))
