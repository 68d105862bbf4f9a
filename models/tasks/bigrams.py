"""The bigram task: a Markov chain in which a few trigger tokens are followed by an output of the sequence's own.

Every sequence draws an output o_k for each of its K triggers q_k; z_1 ~ pi_u, z_(t+1) = o_k if z_t = q_k, else
z_(t+1) ~ pi_b(.|z_t). Where z_t is a trigger that has occurred before, what follows is determined: these are the
in-context positions. With `noise` a fixed token takes the output's place with that probability.

The next token of many chains at once: the first entry of a row of cumulative probabilities that exceeds u.
"""

import csv
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import torch
from torch import Tensor

CELLS = 512


class Following:
    """Draws from the rows of a transition matrix (N, N), by inversion.

    The cumulative probabilities of all rows stand in one ascending list, those of row z between z and z + 1: one search
    answers for every chain. On a CPU the unit interval is cut into cells first, and a table answers wherever no boundary
    lies inside u's cell; the search is left for the few others.
    """

    def __init__(self, following: Tensor) -> None:
        N = len(following)
        cumulative = following.cumsum(1)
        cumulative[:, -1] = 1.0
        device = following.device
        self.stairs = (cumulative + torch.arange(N, device=device)[:, None]).flatten()
        self.column = torch.arange(N, device=device).repeat(N)
        self.guide = None
        if device.type == "cpu":
            ends = torch.arange(CELLS + 1, dtype=torch.float64) / CELLS
            last = torch.nextafter(ends[1:], torch.zeros((), dtype=torch.float64))  # the last number below a cell's end
            low, high = (
                torch.searchsorted(cumulative, u.expand(N, -1).contiguous(), right=True) for u in (ends[:-1], last)
            )
            self.guide = torch.where(low == high, low, -1).flatten()

    def walk(self, draws: Tensor) -> "Walk":
        """Steps of many chains, with the uniform numbers (steps, chains) that they will use."""
        # Below 1 - 2^-36 the sum z + u stays below z + 1.
        return Walk(self, draws.clamp(max=1 - 2**-36))


class Walk:
    """Chains on their way: `free(t, z)` are the tokens after z at step t."""

    def __init__(self, law: Following, draws: Tensor) -> None:
        self.law = law
        self.draws = draws.unbind()
        self.cells = (draws * CELLS).long().unbind() if law.guide is not None else ()

    def free(self, t: int, z: Tensor) -> Tensor:
        """One step of every chain."""
        law, u = self.law, self.draws[t]
        if law.guide is None:
            return law.column.index_select(0, torch.searchsorted(law.stairs, u + z, right=True))
        found = law.guide.index_select(0, z * CELLS + self.cells[t])
        open_ = (found < 0).nonzero()[:, 0]
        at = u.index_select(0, open_) + z.index_select(0, open_)
        found[open_] = law.column.index_select(0, torch.searchsorted(law.stairs, at, right=True))
        return found


@dataclass(frozen=True, eq=False)
class BigramLaw:
    """The chain without triggers: first tokens pi_u (N,), transitions pi_b (N, N); `symbols` names the tokens.

    `first`: the probabilities of a first token, (N,). `following`: those of the next token, a row for each token, (N,
    N).
    """

    first: Tensor
    following: Tensor
    symbols: tuple[str, ...] = ()
    _placed: dict[torch.device, tuple[Tensor, Following]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        N = len(self.first)
        if self.first.dim() != 1 or tuple(self.following.shape) != (N, N):
            raise ValueError(
                f"first must be a vector and following a square matrix of its length; got {tuple(self.first.shape)} "
                f"and {tuple(self.following.shape)}"
            )
        for name, law in (("first", self.first), ("following", self.following)):
            if bool((law < 0).any()) or not torch.allclose(law.sum(-1), torch.ones_like(law.sum(-1))):
                raise ValueError(f"{name} must be probabilities that sum to one")

    @property
    def N(self) -> int:
        """The size of the vocabulary."""
        return len(self.first)

    def placed(self, device: torch.device) -> tuple[Tensor, Following]:
        """pi_u, and what draws from pi_b, on `device`; made once for each device."""
        if device not in self._placed:
            self._placed[device] = self.first.to(device), Following(self.following.to(device))
        return self._placed[device]


def uniform_bigrams(N: int) -> BigramLaw:
    """All tokens alike, after every token.

    `N`: the size of the vocabulary.
    """
    if isinstance(N, bool) or not isinstance(N, int) or N < 2:
        raise ValueError(f"N must be a whole number >= 2; got {N!r}")
    return BigramLaw(torch.full((N,), 1 / N, dtype=torch.float64), torch.full((N, N), 1 / N, dtype=torch.float64), ())


def _from_counts(counts: Tensor, symbols: tuple[str, ...]) -> BigramLaw:
    occurrences = counts.sum(1)
    # A token that is never followed by anything (the last of a text) goes on like the text as a whole.
    following = torch.where(occurrences[:, None] > 0, counts, counts.sum(0, keepdim=True))
    return BigramLaw(occurrences / occurrences.sum(), following / following.sum(1, keepdim=True), symbols)


def shakespeare_bigrams() -> BigramLaw:
    """Unigram and bigram frequencies of the 65 characters of a 1.1 MB Shakespeare text."""
    text = files("asymp.models.tasks").joinpath("shakespeare_char_bigrams.csv").read_text()
    rows = [tuple(int(v) for v in row) for row in list(csv.reader(text.splitlines()))[1:]]
    points = sorted({point for row in rows for point in row[:2]})
    place = {point: i for i, point in enumerate(points)}
    counts = torch.zeros(len(points), len(points), dtype=torch.float64)
    for before, after, count in rows:
        counts[place[before], place[after]] = count
    return _from_counts(counts, tuple(chr(point) for point in points))


def text_bigrams(text: str | Path) -> BigramLaw:
    """The character bigrams of a text of one's own; `text` is the file's path."""
    try:
        read = Path(text).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"text must be a text file in UTF-8; {Path(text).name!r} cannot be read ({error})") from None
    symbols = tuple(sorted(set(read)))
    if len(symbols) < 2:
        raise ValueError(f"text must be a file with at least two different characters; got {len(symbols)}")
    place = {symbol: i for i, symbol in enumerate(symbols)}
    codes = torch.tensor([place[symbol] for symbol in read])
    N = len(symbols)
    counts = torch.bincount(codes[:-1] * N + codes[1:], minlength=N * N).view(N, N).double()
    return _from_counts(counts, symbols)


@dataclass(frozen=True, eq=False)
class BigramBatch:
    """Sequences (replicas, batch, length), and where the next token is determined by the context."""

    tokens: Tensor
    in_context: Tensor
    triggers: Tensor
    outputs: Tensor


@dataclass(frozen=True, eq=False)
class BigramTask:
    """K triggers, the most frequent tokens ('fixed') or drawn from pi_u for every sequence ('random').

    `law`: the chain. `length`: tokens in a sequence. `triggers`: how many there are. `choice`: 'fixed' or 'random'.
    `noise`: the probability that a trigger is followed by `noise_token` instead of its output. `output_law`: the
    probabilities of a trigger's output, a row for each trigger token; uniform if None.
    """

    law: BigramLaw
    length: int
    triggers: int
    choice: str = "fixed"
    noise: float = 0.0
    noise_token: int = 0
    output_law: Tensor | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.triggers < self.law.N:
            raise ValueError(f"triggers must be from 1 to N - 1 = {self.law.N - 1}; got {self.triggers!r}")
        if self.choice not in ("fixed", "random"):
            raise ValueError(f"choice must be 'fixed' or 'random'; got {self.choice!r}")
        if not 0 <= self.noise <= 1 or not 0 <= self.noise_token < self.law.N:
            raise ValueError(f"noise must lie in [0, 1] and noise_token in 0..{self.law.N - 1}")
        law = self.output_law
        if law is not None:
            if tuple(law.shape) != (self.law.N, self.law.N) or bool((law < 0).any()):
                raise ValueError(
                    f"output_law must be probabilities, a row for every token ({self.law.N} x {self.law.N})"
                )
            if not torch.allclose(law.sum(1), torch.ones_like(law.sum(1))):
                raise ValueError("output_law must have rows that sum to one")
        if self.length < 2:
            raise ValueError(f"length must be at least 2; got {self.length!r}")

    @property
    def most_frequent(self) -> Tensor:
        """The K most frequent tokens, the triggers if they are fixed; of equally frequent ones the first."""
        return self.law.first.argsort(descending=True, stable=True)[: self.triggers]

    def draw(self, *, replicas: int, batch: int, generator: torch.Generator, device: torch.device) -> BigramBatch:
        """Fresh sequences, `batch` of them in each of the `replicas`.

        `generator`, `device`: the source of random numbers, and where they are drawn.
        """
        (first, following), N = self.law.placed(device), self.law.N
        rows = (replicas, batch)
        chosen = self._triggers(first, rows, generator, device)
        outputs = self._outputs(chosen, generator, device)
        # The output that follows each token in each sequence, or -1: what a trigger looks up.
        table = torch.full((*rows, N), -1, dtype=torch.long, device=device).scatter_(2, chosen, outputs)
        z = _inverse(first.cumsum(0).expand(*rows, N), _uniform(rows, generator, device)).flatten()
        own_table, own_row = table.flatten(), torch.arange(len(z), device=device) * N
        draws = _uniform((self.length - 1, 2 if self.noise else 1, len(z)), generator, device)
        walk = following.walk(draws[:, -1])
        noisy = (draws[:, 0] < self.noise).unbind() if self.noise else ()
        tokens = [z]
        for t in range(self.length - 1):
            own = own_table.index_select(0, own_row + z)
            if noisy:
                own = torch.where((own >= 0) & noisy[t], self.noise_token, own)
            z = torch.where(own >= 0, own, walk.free(t, z))
            tokens.append(z)
        found = torch.stack(tokens, 1).view(*rows, -1)
        return BigramBatch(found, self._in_context(found, table), chosen, outputs)

    def _triggers(
        self, first: Tensor, rows: tuple[int, int], generator: torch.Generator, device: torch.device
    ) -> Tensor:
        if self.choice == "fixed":
            return self.most_frequent.to(device).expand(*rows, -1)
        # The K largest of log p + Gumbel noise are K distinct draws, one after the other, in proportion to p.
        noise = -torch.log(-torch.log(_uniform((*rows, len(first)), generator, device).clamp(1e-300, 1 - 1e-16)))
        return (first.log() + noise).topk(self.triggers).indices

    def _outputs(self, chosen: Tensor, generator: torch.Generator, device: torch.device) -> Tensor:
        u = _uniform(tuple(chosen.shape), generator, device)
        if self.output_law is None:
            return (u * self.law.N).long().clamp(max=self.law.N - 1)
        cumulative = self.output_law.to(device).cumsum(1)
        cumulative[:, -1] = 1.0
        return _inverse(cumulative[chosen], u)

    def _in_context(self, tokens: Tensor, table: Tensor) -> Tensor:
        """Positions whose token is a trigger that has occurred before (and something follows)."""
        trigger = table.gather(2, tokens) >= 0
        places = torch.arange(self.length, device=tokens.device).expand(tokens.shape)
        first = torch.full_like(table, self.length).scatter_reduce_(2, tokens, places, "amin")
        found = trigger & (places > first.gather(2, tokens))
        found[..., -1] = False
        return found


def _uniform(shape: tuple[int, ...], generator: torch.Generator, device: torch.device) -> Tensor:
    return torch.rand(shape, generator=generator, device=device, dtype=torch.float64)


def _inverse(cumulative: Tensor, u: Tensor) -> Tensor:
    """The first entry whose cumulative probability exceeds u."""
    return (cumulative <= u[..., None]).sum(-1).clamp(max=cumulative.shape[-1] - 1)
