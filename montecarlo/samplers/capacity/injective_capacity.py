"""Recall of memories in which every input has an output of its own.

`injective-recall` builds the matrix and asks about a random sample of items; `injective-all` asks about every item;
`injective-item` draws what one item sees of a sum of outer products, in O(N) for any d. That last route is exact for
gaussian outputs and uses rotation invariance only. Let c_x = e_x . e_z, so that W e_z = U^T c and the scores are
U U^T c. With g = U^T c/|c|, a gaussian vector of R^d, the scores are c |g|^2 + |c| (I - P) U g, P the projector on c, and
(I - P) U is independent of g: given g, (I - P) U g is |g|/sqrt(d) (I - P) xi, xi of N standard normals. Every draw is used
twice, with xi and with -xi.
"""

import math
from typing import Annotated

import torch

from asymp.models.linear import Hebbian, LeastSquares, LinearMemory
from asymp.montecarlo.arguments import Embedding, TwoOrMore, Whole, batched, one_of
from asymp.montecarlo.checks import check_memory
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.embeddings import chi_square, component, length
from asymp.montecarlo.samplers.recalled_items import share_of_sample

MemoryKind = Annotated[str, one_of("hebbian", "least-squares")]
Counted = Annotated[str, one_of("right", "lost")]
CHUNK = 2**20
"""Numbers drawn at once on the d-free route: 8 MB."""


def injective_memory(
    draw: Draw, *, d: int, N: int, inputs: str, outputs: str, memory: str
) -> tuple[LinearMemory, torch.Tensor]:
    """A memory of N pairs of random embeddings, and its inputs."""
    check_memory("the embeddings", 2.0 * draw.replicas * N * d, draw.device)
    keys = draw.embeddings(inputs, (N, d))
    values = draw.embeddings(outputs, (N, d))
    made = Hebbian() if memory == "hebbian" else LeastSquares()
    return made.store(keys, values, torch.arange(N, device=draw.device)), keys


@batched(lambda: 1)  # at the larger sizes the embeddings of one replica fill the cache already
def sample_injective_recall(
    draw: Draw,
    *,
    d: Whole,
    N: Whole,
    inputs: Embedding = "sphere",
    outputs: Embedding = "sphere",
    memory: MemoryKind = "hebbian",
    items: Whole = 256,
    count: Counted = "right",
) -> torch.Tensor:
    """The share of `items` random items (all, if there are no more) that are right, or lost; one memory a replica."""
    made, keys = injective_memory(draw, d=d, N=N, inputs=inputs, outputs=outputs, memory=memory)
    right = share_of_sample(draw, made, keys, items)
    return right if count == "right" else 1 - right


@batched(lambda d, N: CHUNK // (N * max(N, d)))
def sample_injective_all(
    draw: Draw, *, d: Whole, N: Whole, inputs: Embedding = "sphere", outputs: Embedding = "sphere",
    memory: MemoryKind = "hebbian",
) -> torch.Tensor:  # fmt: skip
    """1 if all N items are recalled, else 0."""
    made, keys = injective_memory(draw, d=d, N=N, inputs=inputs, outputs=outputs, memory=memory)
    return (made.recall(keys) == torch.arange(N, device=draw.device)).all(1).to(torch.float64)


@batched(lambda N: CHUNK // N)
def sample_injective_item(
    draw: Draw, *, d: Whole, N: TwoOrMore, inputs: Embedding = "gaussian", count: Counted = "right"
) -> torch.Tensor:
    """The share right (or lost) of two items, one of each of two antithetic sums of outer products; gaussian outputs."""
    check_memory("the scores of one item", 4.0 * N, draw.device)
    own = length(draw, inputs, (1,), d).square_()
    # the item asked about is the last; numbers do not matter among exchangeable pairs
    c = component(draw, inputs, (N - 1,), d).mul_(own.sqrt())
    square = (c * c).sum(1, keepdim=True) + own * own
    g = (chi_square(draw, (1,), d) / d).sqrt_()
    xi = draw.normal((N - 1,))
    last = draw.normal((1,))
    along = ((c * xi).sum(1, keepdim=True) + own * last) / square
    scale = (square / d).sqrt_()
    noise = xi.addcmul_(c, -along).mul_(scale)
    own_noise = (last - own * along) * scale
    own, c = own * g, c.mul_(g)
    # -xi has the law of xi, and the largest of N normals is almost independent of the smallest
    right = (own + own_noise > (c + noise).amax(1, keepdim=True)).to(torch.float64)
    right += own - own_noise > (c - noise).amax(1, keepdim=True)
    shares = right.mul_(0.5).squeeze(1)
    return shares if count == "right" else 1 - shares


def size_of_load(load: float) -> int:
    """The whole N >= 2 with N log N nearest to the load, by Newton's method."""
    x = math.log(max(load, 2.0))
    for _ in range(60):
        x -= (x * math.exp(x) - load) / ((1 + x) * math.exp(x))
    return max(2, round(math.exp(x)))


injective_recall_experiment = experiment("injective-recall", sample_injective_recall, block=4, bounds=(0.0, 1.0))
injective_all_experiment = experiment("injective-all", sample_injective_all, block=16, bounds=(0.0, 1.0))
injective_item_experiment = experiment("injective-item", sample_injective_item, block=64, bounds=(0.0, 1.0))
