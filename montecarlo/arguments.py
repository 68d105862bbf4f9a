"""The arguments of samplers, checked by what their annotations say, before any work.

    @batched(lambda d, vectors: 2**18 // (vectors * d))
    def sample(draw: Draw, *, d: Whole, vectors: TwoOrMore = 32, embeddings: Embedding = "gaussian") -> torch.Tensor:
        return draw.embeddings(embeddings, (vectors, d)).norm(dim=2).mean(1)

`d=0` is then refused with the sentence of `check_whole`, and the replicas are drawn in groups whose arrays fit the cache.
Parameters that several functions take are the fields of a dataclass (`takes`): name, default and meaning stand there alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial, wraps
from inspect import Parameter, cleandoc, signature
from typing import Annotated, Any, TypeVar, cast, get_args, get_type_hints

import numpy as np

from asymp.montecarlo.checks import check_choice, check_number, check_whole, seed_of
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.lazy import torch

EMBEDDINGS = ("gaussian", "sphere")
ARGS = "\n\nArgs:\n"

F = TypeVar("F", bound=Callable[..., Any])


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


def checked(sample: F) -> F:
    """The sampler with its arguments checked: whole numbers come as int, other numbers as float."""
    checks: dict[str, Callable[[str, object], object]] = {}

    @wraps(sample)
    def sample_checked(draw: Draw, /, **given: Any) -> Any:
        if not checks:  # at the first call: importing a sampler evaluates no annotation
            checks.update(_checks(sample))
        for name, value in given.items():
            if name in checks:
                given[name] = checks[name](name, value)
        return sample(draw, **given)

    return cast(F, sample_checked)


def batched(at_once: Callable[..., int]) -> Callable[[F], F]:
    """Check the sampler's arguments, and draw its replicas in consecutive groups of at most `at_once` (at least one).

    Args:
        at_once: A function of some of the sampler's arguments, by their names; the size of a group depends on nothing
            else, so the numbers that are drawn do not either.
    """
    asked = tuple(signature(at_once).parameters)

    def decorate(sample: F) -> F:
        defaults = {name: parameter.default for name, parameter in signature(sample).parameters.items()}

        @wraps(sample)
        def sample_batched(draw: Draw, /, **given: Any) -> torch.Tensor:
            size = max(1, at_once(**{name: given.get(name, defaults.get(name)) for name in asked}))
            return torch.cat([sample(part, **given) for part in draw.batches(size)])

        return checked(cast(F, sample_batched))

    return decorate


@dataclass(frozen=True, kw_only=True)
class Run:
    """How an estimate is made.

    Args:
        replicas: How many independent values the estimate is made of.
        rel_error: If given, stop as soon as the estimate is known to this relative error, at the latest after `replicas`.
        seed: A whole number; the same seed gives the same numbers.
        rng: In the place of a seed, one, or a `numpy.random.Generator`, which gives other numbers every time.
        device: "auto" (a GPU if there is one), "cpu" or "cuda".
    """

    replicas: int = 1000
    rel_error: float | None = None
    seed: int = 0
    rng: int | np.random.Generator | None = None
    device: str = "auto"

    def __post_init__(self) -> None:
        check_whole("replicas", self.replicas)
        if self.rel_error is not None:
            check_number("rel_error", self.rel_error, strict=True)
        object.__setattr__(self, "seed", seed_of(self.seed, self.rng))
        object.__setattr__(self, "rng", None)  # it has been drawn from

    @classmethod
    def split(cls, settings: Mapping[str, Any]) -> tuple[Run, dict[str, Any]]:
        """The run, and the settings that are none of its own."""
        own = {name: value for name, value in settings.items() if name in cls.__annotations__}
        return cls(**own), {name: value for name, value in settings.items() if name not in own}


def takes(*configs: Callable[..., Any], without: tuple[str, ...] = ()) -> Callable[[F], F]:
    """Show the parameters of others as those of a function that hands `**settings` on to them.

    Others are dataclasses, or functions; a `draw`, and what is named in `without`, is left out. Signature and docstring then
    have what the others say of their parameters, and `checked` checks them.
    """

    def decorate(function: F) -> F:
        own = {p.name: p for p in signature(function).parameters.values() if p.kind is not Parameter.VAR_KEYWORD}
        shown = dict(own)
        for config in configs:
            shown |= {n: p for n, p in signature(config).parameters.items() if n not in (*own, *without, "draw")}
        function.__signature__ = signature(function).replace(  # type: ignore[attr-defined]
            parameters=[p if p.name in own else p.replace(kind=Parameter.KEYWORD_ONLY) for p in shown.values()]
        )
        function.configs = configs  # type: ignore[attr-defined]
        meanings = {name: words for config in configs for name, words in _meanings(config.__doc__).items()}
        told = [words for name, words in {**meanings, **_meanings(function.__doc__)}.items() if name in shown]
        if told and function.__doc__:
            function.__doc__ = cleandoc(function.__doc__).partition(ARGS)[0] + ARGS + "\n".join(told)
        return function

    return decorate


def _meanings(doc: str | None) -> dict[str, str]:
    """What the section `Args:` of a docstring says of each parameter."""
    entries = re.split(r"\n(?=    \w+: )", cleandoc(doc or "").partition(ARGS)[2])
    return {entry.split(":")[0].strip(): entry.strip("\n") for entry in entries if entry}


def with_defaults(config: type, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all parameters of a dataclass, given some of them."""
    known = signature(config).parameters.values()
    return {p.name: p.default for p in known if p.default is not p.empty} | dict(settings)


def _checks(sample: Callable[..., object]) -> dict[str, Callable[[str, object], object]]:
    """The checks of the arguments whose annotation has a `Domain`; None passes where the annotation allows it."""
    found = {}
    hints = [get_type_hints(one, include_extras=True) for one in (*getattr(sample, "configs", ()), sample)]
    for name, hint in (pair for one in hints for pair in one.items()):
        for part in (hint, *get_args(hint)):
            for domain in getattr(part, "__metadata__", ()):
                if isinstance(domain, Domain):
                    found[name] = domain.check if part is hint else partial(_check_unless_none, domain.check)
    return found


def _check_unless_none(check: Callable[[str, object], object], name: str, value: object) -> object:
    return None if value is None else check(name, value)
