"""Factual recall: a subject and a relation somewhere among noise tokens, and the answer asked for at the end.

S subjects, R relations, D answers for each relation in disjoint sets, S + R noise tokens unless given, and one last token.
a(s, r) is uniform over the D answers of r and fixed. A sequence of T tokens ends with the last token, has s and r at two
distinct uniform places, and noise elsewhere. Tokens are numbered: subjects, relations, noise, the last token.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class FactBatch:
    """Sequences (replicas, batch, T), and subject, relation and answer of each (replicas, batch)."""

    tokens: Tensor
    subjects: Tensor
    relations: Tensor
    answers: Tensor


@dataclass(frozen=True)
class FactTask:
    """The sizes of the task; `noise` None is S + R noise tokens.

    `S`: subjects. `R`: relations. `D`: answers of each relation. `T`: tokens in a prompt. `noise`: noise tokens in the
    vocabulary.
    """

    S: int
    R: int
    D: int
    T: int
    noise: int | None = None

    def __post_init__(self) -> None:
        for name, low in (("S", 1), ("R", 1), ("D", 1), ("T", 3)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise ValueError(f"{name} must be a whole number >= {low}; got {value!r}")
        least = 0 if self.T == 3 else 1
        if self.noise is not None and (
            isinstance(self.noise, bool) or not isinstance(self.noise, int) or self.noise < least
        ):
            raise ValueError(f"noise must be None or a whole number >= {least} at T={self.T}; got {self.noise!r}")

    @property
    def noise_tokens(self) -> int:
        """The number of noise tokens."""
        return self.S + self.R if self.noise is None else self.noise

    @property
    def vocabulary(self) -> int:
        """The number of tokens: subjects, relations, noise and the last one."""
        return self.S + self.R + self.noise_tokens + 1

    @property
    def outputs(self) -> int:
        """The number of answers."""
        return self.R * self.D

    def facts(self, *, replicas: int, generator: torch.Generator, device: torch.device) -> Tensor:
        """The answers a(s, r), shape (replicas, S, R): uniform over r D .. r D + D - 1.

        `generator`, `device`: the source of random numbers, and where they are drawn.
        """
        chosen = torch.randint(self.D, (replicas, self.S, self.R), generator=generator, device=device)
        return chosen + self.D * torch.arange(self.R, device=device)

    def draw(self, facts: Tensor, *, batch: int, generator: torch.Generator, device: torch.device) -> FactBatch:
        """Fresh sequences, `batch` of them in each replica, about facts that are drawn uniformly.

        `facts`: the answers, as the method `facts` draws them. `generator`, `device`: the source of random numbers, and
        where they are drawn.
        """
        rows = (len(facts), batch)

        def uniform(count: int, *shape: int) -> Tensor:
            return torch.randint(count, (*rows, *shape), generator=generator, device=device)

        s, r = uniform(self.S), uniform(self.R)
        tokens = self.S + self.R + uniform(max(1, self.noise_tokens), self.T)
        first = uniform(self.T - 1)
        # One of the T - 2 other places before the last: a step of 1 .. T - 2 around the circle of T - 1.
        second = (first + 1 + uniform(self.T - 2)) % (self.T - 1)
        tokens.scatter_(2, first[..., None], s[..., None])
        tokens.scatter_(2, second[..., None], self.S + r[..., None])
        tokens[..., -1] = self.vocabulary - 1
        answers = facts.flatten(1).gather(1, s * self.R + r)
        return FactBatch(tokens, s, r, answers)


def token_counts(tokens: Tensor, vocabulary: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """How often each token occurs in each sequence: (replicas, batch, vocabulary).

    `tokens`: the sequences, (replicas, batch, T). `vocabulary`: how many tokens there are. `dtype`: of the counts.
    """
    counts = torch.zeros((*tokens.shape[:2], vocabulary), dtype=dtype, device=tokens.device)
    return counts.scatter_add_(2, tokens, torch.ones((), dtype=dtype, device=tokens.device).expand(tokens.shape))
