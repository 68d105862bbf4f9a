"""Recall of memories in which every input has an output of its own.

`injective-recall` builds the matrix and asks about a random sample of items; `injective-all` asks about every item;
`injective-item` draws what one item sees of a sum of outer products, in O(N) for any d. That last route is exact for
gaussian outputs and uses rotation invariance only. Let c_x = e_x . e_z, so that W e_z = U^T c and the scores are
U U^T c. With g = U^T c/|c|, a gaussian vector of R^d, the scores are c |g|^2 + |c| (I - P) U g, P the projector on c, and
(I - P) U is independent of g: given g, (I - P) U g is |g|/sqrt(d) (I - P) xi, xi of N standard normals. Every draw is used
twice, with xi and with -xi.
"""

import math

import torch

from asymp.models.linear import Hebbian, LeastSquares, LinearMemory
from asymp.models.memory import sampled_items, share_recalled
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_memory, check_whole
from asymp.montecarlo.scores.embeddings import EMBEDDINGS, chi_square, component, draw_embeddings, length, normals

__all__ = [
    "injective_all_experiment",
    "injective_item_experiment",
    "injective_recall_experiment",
    "sample_injective_all",
    "sample_injective_item",
    "sample_injective_recall",
    "size_of_load",
]

MEMORIES = ("hebbian", "least-squares")
COUNT = ("right", "lost")
CHUNK = 2**20
"""Numbers drawn at once on the d-free route: 8 MB."""


def injective_memory(
    *,
    d: int,
    N: int,
    inputs: str,
    outputs: str,
    memory: str,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> tuple[LinearMemory, torch.Tensor]:
    """A memory of N pairs of random embeddings, and its inputs."""
    check_choice("inputs", inputs, EMBEDDINGS)
    check_choice("outputs", outputs, EMBEDDINGS)
    check_choice("memory", memory, MEMORIES)
    check_memory("the embeddings", 2.0 * replicas * N * d, device)
    keys = draw_embeddings(inputs, (replicas, N, d), generator=generator, device=device)
    values = draw_embeddings(outputs, (replicas, N, d), generator=generator, device=device)
    made = Hebbian() if memory == "hebbian" else LeastSquares()
    return made.store(keys, values, torch.arange(N, device=device)), keys


def sample_injective_recall(
    *,
    d: int,
    N: int,
    inputs: str = "sphere",
    outputs: str = "sphere",
    memory: str = "hebbian",
    items: int = 256,
    count: str = "right",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The share of `items` random items (all, if there are no more) that are right, or lost; one memory a replica."""
    d, N, items = check_whole("d", d), check_whole("N", N), check_whole("items", items)
    check_choice("count", count, COUNT)
    shares = []
    for _ in range(replicas):  # one at a time: at the larger sizes the embeddings of one replica fill the cache already
        made, keys = injective_memory(
            d=d, N=N, inputs=inputs, outputs=outputs, memory=memory, replicas=1, generator=generator, device=device
        )
        asked = sampled_items(N, items, replicas=1, generator=generator, device=device)
        shares.append(share_recalled(made, keys.gather(1, asked.unsqueeze(2).expand(-1, -1, d)), asked))
    right = torch.cat(shares)
    return right if count == "right" else 1 - right


def sample_injective_all(
    *,
    d: int,
    N: int,
    inputs: str = "sphere",
    outputs: str = "sphere",
    memory: str = "hebbian",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """1 if all N items are recalled, else 0."""
    d, N = check_whole("d", d), check_whole("N", N)
    together = max(1, CHUNK // (N * max(N, d)))
    answers = torch.arange(N, device=device)
    found = []
    for start in range(0, replicas, together):
        made, keys = injective_memory(
            d=d,
            N=N,
            inputs=inputs,
            outputs=outputs,
            memory=memory,
            replicas=min(together, replicas - start),
            generator=generator,
            device=device,
        )
        found.append((made.recall(keys) == answers).all(1))
    return torch.cat(found).to(torch.float64)


def sample_injective_item(
    *,
    d: int,
    N: int,
    inputs: str = "gaussian",
    count: str = "right",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The share right (or lost) of two items, one of each of two antithetic sums of outer products; gaussian outputs."""
    d, N = check_whole("d", d), check_whole("N", N, low=2)
    check_choice("inputs", inputs, EMBEDDINGS)
    check_choice("count", count, COUNT)
    check_memory("the scores of one item", 4.0 * N, device)
    rows = max(1, CHUNK // N)
    found = []
    for start in range(0, replicas, rows):
        n = min(rows, replicas - start)
        own = length(inputs, (n, 1), d, generator=generator, device=device).square_()
        # the item asked about is the last; numbers do not matter among exchangeable pairs
        c = component(inputs, (n, N - 1), d, generator=generator, device=device).mul_(own.sqrt())
        square = (c * c).sum(1, keepdim=True) + own * own
        g = (chi_square((n, 1), d, generator=generator, device=device) / d).sqrt_()
        xi = normals((n, N - 1), generator=generator, device=device)
        last = normals((n, 1), generator=generator, device=device)
        along = ((c * xi).sum(1, keepdim=True) + own * last) / square
        scale = (square / d).sqrt_()
        noise = xi.addcmul_(c, -along).mul_(scale)
        own_noise = (last - own * along) * scale
        own, c = own * g, c.mul_(g)
        # -xi has the law of xi, and the largest of N normals is almost independent of the smallest
        right = (own + own_noise > (c + noise).amax(1, keepdim=True)).to(torch.float64)
        right += own - own_noise > (c - noise).amax(1, keepdim=True)
        found.append(right.mul_(0.5))
    shares = torch.cat(found).squeeze(1)
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
