"""The arguments of samplers, checked by what their annotations say, before any work.

    @batched(lambda d, vectors: 2**18 // (vectors * d))
    def sample(draw: Draw, *, d: Whole, vectors: TwoOrMore = 32, embeddings: Embedding = "gaussian") -> torch.Tensor:
        return draw.embeddings(embeddings, (vectors, d)).norm(dim=2).mean(1)

`d=0` is then refused with the sentence of `check_whole`, and the replicas are drawn in groups whose arrays fit the cache.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from inspect import signature
from typing import Annotated, Concatenate, ParamSpec, TypeVar, get_args, get_type_hints

import torch

from asymp.montecarlo.checks import check_choice, check_number, check_whole
from asymp.montecarlo.draws import Draw

EMBEDDINGS = ("gaussian", "sphere")

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Domain:
    """What an argument may be: a function of its name and value that returns the value, or raises ValueError."""

    check: Callable[[str, object], object]


def one_of(*words: str) -> Domain:
    """The domain of an argument that is one of a few words: `of: Annotated[str, one_of("share", "all")]`."""
    return Domain(partial(check_choice, choices=words))


Whole = Annotated[int, Domain(check_whole)]
WholeOrZero = Annotated[int, Domain(partial(check_whole, low=0))]
TwoOrMore = Annotated[int, Domain(partial(check_whole, low=2))]
Number = Annotated[float, Domain(check_number)]
"""A finite number >= 0."""
Positive = Annotated[float, Domain(partial(check_number, strict=True))]
Embedding = Annotated[str, one_of(*EMBEDDINGS)]
"""The law of random vectors: 'gaussian' N(0, I/d), or 'sphere', uniform on the unit sphere."""


def checked(sample: Callable[Concatenate[Draw, P], R]) -> Callable[Concatenate[Draw, P], R]:
    """The sampler with its arguments checked: whole numbers come as int, other numbers as float."""
    checks: dict[str, Callable[[str, object], object]] = {}

    @wraps(sample)
    def sample_checked(draw: Draw, /, *args: P.args, **given: P.kwargs) -> R:
        if not checks:  # at the first call: importing a sampler evaluates no annotation
            checks.update(_checks(sample))
        for name, value in given.items():
            if name in checks:
                given[name] = checks[name](name, value)
        return sample(draw, *args, **given)

    return sample_checked


def batched(
    at_once: Callable[..., int],
) -> Callable[[Callable[Concatenate[Draw, P], torch.Tensor]], Callable[Concatenate[Draw, P], torch.Tensor]]:
    """Check the sampler's arguments, and draw its replicas in consecutive groups of at most `at_once` (at least one).

    Args:
        at_once: A function of some of the sampler's arguments, by their names; the size of a group depends on nothing
            else, so the numbers that are drawn do not either.
    """
    asked = tuple(signature(at_once).parameters)

    def decorate(
        sample: Callable[Concatenate[Draw, P], torch.Tensor],
    ) -> Callable[Concatenate[Draw, P], torch.Tensor]:
        defaults = {name: parameter.default for name, parameter in signature(sample).parameters.items()}

        @wraps(sample)
        def sample_batched(draw: Draw, /, *args: P.args, **given: P.kwargs) -> torch.Tensor:
            size = max(1, at_once(**{name: given.get(name, defaults.get(name)) for name in asked}))
            return torch.cat([sample(part, *args, **given) for part in draw.batches(size)])

        return checked(sample_batched)

    return decorate


def _checks(sample: Callable[..., object]) -> dict[str, Callable[[str, object], object]]:
    """The checks of the arguments whose annotation has a `Domain`; None passes where the annotation allows it."""
    found = {}
    for name, hint in get_type_hints(sample, include_extras=True).items():
        for part in (hint, *get_args(hint)):
            for domain in getattr(part, "__metadata__", ()):
                if isinstance(domain, Domain):
                    found[name] = domain.check if part is hint else partial(_check_unless_none, domain.check)
    return found


def _check_unless_none(check: Callable[[str, object], object], name: str, value: object) -> object:
    return None if value is None else check(name, value)
