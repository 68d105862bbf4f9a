"""Three gradient steps of a two-layer transformer, as the theorem takes them and at finite width.

At infinite width embeddings are disjoint one-hot blocks. Layer 1 scores positions only and carries tokens; layer 2 compares
the last token with what layer 1 carried, and reads tokens. Gradients of the cross-entropy at the last position come from
automatic differentiation on sampled sequences, whose mean is the population gradient.

At finite width a step is one of the gradient in the d x d matrix; what the matrix then says between two embeddings is (Gram
matrix of the embeddings that ask) (gradient in the scores) (Gram matrix of those that answer), so that the cost does not
depend on d, and infinite width is a Gram matrix of 1. `free` lifts simplifications: 'scores' lets layer 1 score tokens as
well as positions, 'keys' lets the keys of layer 2 be the whole residual stream and not only the tokens that layer 1 carried,
'everything' lifts all of them, those of queries and values too.
"""

import math

import torch
from torch import Tensor
from torch.nn import functional

from asymp.montecarlo.checks import check_choice, check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment

MATRICES = ("OV2", "KQ2", "KQ1")
SMALL = 1e-4


def _sequences(draw: Draw, N: int, T: int, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Sequences (count, T) and their second outputs y: q y somewhere, q last, all other tokens uniform except q."""
    q = draw.integers(N, (count,))
    y = draw.integers(N, (count,))
    at = draw.integers(T - 1, (count,), low=1)
    z = (q[:, None] + draw.integers(N, (count, T), low=1)) % N
    rows = torch.arange(count, device=draw.device)
    z[rows, at - 1], z[rows, at], z[:, T - 1] = q, y, q
    return z, y


def _logits(z: torch.Tensor, N: int, KQ1: torch.Tensor, KQ2: torch.Tensor, OV2: torch.Tensor) -> torch.Tensor:
    """The logits at the last position.

    A one-hot vector times a matrix is one of its rows: entries are looked up, and no (sequences, T, N) tensor is made.
    """
    T = z.shape[1]
    later = torch.triu(torch.ones(T, T, dtype=torch.bool, device=z.device), 1)
    first = KQ1.masked_fill(later, -math.inf).softmax(1)
    # What the last token asks of the token at s, averaged over the s that position t carried.
    second = (KQ2[z[:, -1:], z] @ first.T).softmax(1)
    read = second.new_zeros(len(z), N).scatter_add(1, z, second)
    return read @ OV2.T


def sample_step_entry(
    draw: Draw, *, N: int, T: int, matrix: str, entry: str = "diagonal", t: int = 2, sequences: int = 4096
) -> torch.Tensor:
    """Minus the gradient in one matrix after those before it were stepped: its mean diagonal or off-diagonal entry.

    For KQ1 the entry from position t to the one before. Steps before are taken to first order: the identity times 1e-4,
    divided out again.
    """
    N, T = check_whole("N", N, low=2), check_whole("T", T, low=3)
    check_choice("matrix", matrix, MATRICES)
    check_choice("entry", entry, ("diagonal", "off"))
    eye, zero = (
        make(N, dtype=torch.float64, device=draw.device) for make in (torch.eye, lambda n, **k: torch.zeros(n, n, **k))
    )
    order = MATRICES.index(matrix)
    values = []
    for one in draw.each():
        z, y = _sequences(one, N, T, sequences)
        given = {
            "OV2": (SMALL * eye if order > 0 else zero).clone(),
            "KQ2": (SMALL * eye if order > 1 else zero).clone(),
            "KQ1": torch.zeros(T, T, dtype=torch.float64, device=one.device),
        }
        stepped = given[matrix].requires_grad_()
        loss = torch.nn.functional.cross_entropy(_logits(z, N, **given), y)
        (gradient,) = torch.autograd.grad(loss, stepped)
        gradient = -gradient / SMALL**order
        if matrix == "KQ1":
            values.append(gradient[t - 1, t - 2])
        elif entry == "diagonal":
            values.append(gradient.diagonal().mean())
        else:
            values.append((gradient.sum() - gradient.diagonal().sum()) / (N * (N - 1)))
    return torch.stack(values).detach()


def sample_three_step_accuracy(draw: Draw, *, N: int, T: int, sequences: int = 1024) -> torch.Tensor:
    """Accuracy of the ideal end state: position t attends to t - 1, the last token to itself one place on; ties shared."""
    N, T = check_whole("N", N, low=2), check_whole("T", T, low=4)
    large = 60.0
    previous = torch.diag(torch.full((T - 1,), large, dtype=torch.float64, device=draw.device), -1)
    # Position 1 has nothing before it and attends to itself.
    eye = large * torch.eye(N, dtype=torch.float64, device=draw.device)
    values = []
    for one in draw.each():
        z, y = _sequences(one, N, T, sequences)
        logits = _logits(z, N, previous, eye, eye)
        best = logits >= logits.amax(1, keepdim=True) - 1e-6
        share = best.gather(1, y[:, None])[:, 0].double() / best.sum(1)
        values.append(share.mean())
    return torch.stack(values)


FREE = ("nothing", "scores", "keys", "everything")
CHUNK = 4096
# Steps that others are taken after are small (first order); at the end they are amplified until attention is hard.
LARGE = 1e3


class _Model:
    """Which embeddings each matrix sees, and their inner products: random in d dimensions, or orthonormal (d None).

    The residual stream before layer 2 holds tokens, positions, and both as layer 1 carried them, in this order.
    """

    def __init__(self, draw: Draw, N: int, T: int, d: int | None, free: str) -> None:
        self.N, self.T, self.free, self.device = N, T, free, draw.device
        tokens, places, carried = slice(0, N), slice(N, N + T), slice(N + T, 2 * N + T)
        everything = slice(0, 2 * (N + T))
        self.first = slice(0, N + T) if free in ("scores", "everything") else places
        self.keys = everything if free in ("keys", "everything") else carried
        self.asks = self.values = everything if free == "everything" else tokens
        size = 2 * (N + T)
        if d is None:
            stream = outputs = None
        else:
            stream, outputs = (draw.gaussian((n, d)) for n in (size, N))
        # Inner products of what asks and of what answers, for each matrix.
        self.grams = {
            name: tuple(self._gram(rows, which) for rows, which in sides)
            for name, sides in {
                "OV2": ((outputs, slice(0, N)), (stream, self.values)),
                "KQ2": ((stream, self.asks), (stream, self.keys)),
                "KQ1": ((stream, self.first), (stream, self.first)),
            }.items()
        }

    def _gram(self, rows: Tensor | None, which: slice) -> Tensor:
        if rows is None:
            return torch.eye(which.stop - which.start, dtype=torch.float64, device=self.device)
        return rows[which] @ rows[which].T

    def zeros(self) -> dict[str, Tensor]:
        """The three matrices' scores at the start."""
        return {
            name: torch.zeros(len(a), len(b), dtype=torch.float64, device=self.device)
            for name, (a, b) in self.grams.items()
        }

    def logits(self, z: Tensor, KQ1: Tensor, KQ2: Tensor, OV2: Tensor) -> Tensor:
        """The logits at the last position, from the scores of the three matrices between embeddings."""
        if self.free == "nothing":
            return _logits(z, self.N, KQ1, KQ2, OV2)
        places = torch.eye(self.T, dtype=torch.float64, device=self.device).expand(len(z), -1, -1)
        x = torch.cat([functional.one_hot(z, self.N).double(), places], 2)
        later = torch.triu(torch.ones(self.T, self.T, dtype=torch.bool, device=self.device), 1)
        at = x[..., self.first]
        stream = torch.cat([x, (at @ KQ1 @ at.mT).masked_fill(later, -math.inf).softmax(-1) @ x], 2)
        asked = stream[:, -1:, self.asks] @ KQ2
        seen = (asked @ stream[..., self.keys].mT).softmax(-1) @ stream[..., self.values]
        return (seen @ OV2.T)[:, 0]


def _stepped(model: _Model, matrices: dict[str, Tensor], name: str, batches: list[tuple[Tensor, Tensor]]) -> Tensor:
    """What one step from 0 on the named matrix makes of its scores, the largest of them 1."""
    stepped = matrices[name].clone().requires_grad_()
    total = torch.zeros_like(stepped)
    for z, y in batches:
        loss = functional.cross_entropy(model.logits(z, **{**matrices, name: stepped}), y)
        total -= torch.autograd.grad(loss, stepped)[0]
    asks, answers = model.grams[name]
    found = asks @ total @ answers
    return found / found.abs().max()


def _three_steps(draw: Draw, model: _Model, sequences: int) -> dict[str, Tensor]:
    """The scores of the three matrices after one step on each, the steps before it taken to first order."""
    batches = [_sequences(draw, model.N, model.T, min(CHUNK, sequences)) for _ in range(-(-sequences // CHUNK))]
    matrices, found = model.zeros(), {}
    for name in matrices:
        found[name] = _stepped(model, matrices, name, batches)
        matrices[name] = SMALL * found[name]
    return found


def sample_recovered(draw: Draw, *, N: int, T: int, sequences: int = 2**14) -> Tensor:
    """The smallest of the three matrices' recalls: the share of rows whose largest entry is the memory that is wanted.

    W_OV^2 and W_KQ^2 should send a token to itself, W_KQ^1 a position from the third on to the one before.
    """
    N, T, sequences = check_whole("N", N, low=2), check_whole("T", T, low=4), check_whole("sequences", sequences)
    tokens, places = (torch.arange(n, device=draw.device) for n in (N, T))
    later = places[:, None] < places
    recalls = []
    for one in draw.each():
        found = _three_steps(one, _Model(one, N, T, None, "nothing"), sequences)
        previous = found["KQ1"].masked_fill(later, -math.inf).argmax(1)
        right = [found[name].argmax(1) == tokens for name in ("OV2", "KQ2")] + [previous[2:] == places[1:-1]]
        recalls.append(torch.stack([share.double().mean() for share in right]).amin())
    return torch.stack(recalls)


def _accuracy(draw: Draw, N: int, T: int, d: int | None, sequences: int, free: str) -> Tensor:
    model = _Model(draw, N, T, d, free)
    found = _three_steps(draw, model, sequences)
    z, y = _sequences(draw, N, T, 1024)
    logits = model.logits(z, **{name: LARGE * value for name, value in found.items()})
    best = logits >= logits.amax(1, keepdim=True) - 1e-6 * LARGE
    return (best.gather(1, y[:, None])[:, 0].double() / best.sum(1)).mean()


def sample_stepped_accuracy(
    draw: Draw, *, N: int, T: int, d: int | None = None, sequences: int = 16384, free: str = "nothing"
) -> Tensor:
    """Accuracy on 1024 fresh sequences after the three steps, their gradients taken on `sequences`; d None is infinite."""
    N, T = check_whole("N", N, low=2), check_whole("T", T, low=4)
    d = None if d is None else check_whole("d", d)
    check_choice("free", free, FREE)
    sequences = check_whole("sequences", sequences)
    return torch.stack([_accuracy(one, N, T, d, sequences, free) for one in draw.each()])


def sample_simplified_gain(draw: Draw, *, N: int, T: int, free: str, sequences: int) -> Tensor:
    """Accuracy with the simplifications less that without, at infinite width."""
    simple, other = (
        sample_stepped_accuracy(draw, N=N, T=T, free=which, sequences=sequences) for which in ("nothing", free)
    )
    return simple - other


def sample_width_gain(draw: Draw, *, N: int, T: int, d: int, less: int, sequences: int) -> Tensor:
    """Accuracy with random embeddings in d dimensions less that in `less`, with the simplifications."""
    wide, narrow = (sample_stepped_accuracy(draw, N=N, T=T, d=width, sequences=sequences) for width in (d, less))
    return wide - narrow


def _entry_bounds(
    *, N: int, T: int, matrix: str, entry: str = "diagonal", t: int = 2, **_: object
) -> tuple[float, float] | None:
    """What one sequence can add, so that its mean over sequences lies there too; steps taken before are below 1e-3.

    A row of OV2 is (1[y] - 1/N) times what is read, a share of the sequence, and all entries add up to 0. A score of layer 2
    moves the read shares by a covariance of two numbers with range 1, 1/4 at most, and one of layer 1 a single of T by 1/t.
    """
    slack = 1 + 1e-3
    if matrix == "OV2":
        low, high = -1 / N**2, 1 / N
        return (low, high) if entry == "diagonal" else (-high / (N - 1), -low / (N - 1))
    if matrix == "KQ2":
        return (-slack / (4 * N), slack / (4 * N)) if entry == "diagonal" else None
    return -slack / (t * T), slack / (t * T)


step_entry_experiment = experiment("three-steps-entry", sample_step_entry, version=2, block=4, bounds=_entry_bounds)
three_step_accuracy_experiment = experiment(
    "three-steps-accuracy", sample_three_step_accuracy, version=2, block=16, bounds=(0.0, 1.0)
)
simplified_gain_experiment = experiment("three-steps-simplified", sample_simplified_gain, version=2, block=4)
width_gain_experiment = experiment("three-steps-width", sample_width_gain, version=2, block=4)
recovered_experiment = experiment("three-steps-recovered", sample_recovered, block=2, bounds=(0.0, 1.0))
