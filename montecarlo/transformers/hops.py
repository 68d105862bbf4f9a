"""K hops by associative lookups, one a layer: the schedule is searched, and run by hard attention on one-hot tokens.

In a layer every position of the table may look itself up once more (f^p becomes f^(2p)), and the query may look its own
token up in the table as it stood before the layer. The fewest layers are found by trying every schedule; the schedule is
then carried out by softmax attention with one-hot keys on a random permutation and compared with K applications of it.
"""

import torch

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_whole

__all__ = ["fewest_layers_experiment", "sample_fewest_layers"]

SHARP = 60.0


def _schedule(K: int) -> list[tuple[bool, bool]]:
    """A shortest list of (query looks up, table doubles), by breadth-first search over (hops made, power of the table)."""
    reached: dict[tuple[int, int], list[tuple[bool, bool]]] = {(0, 1): []}
    while True:
        following: dict[tuple[int, int], list[tuple[bool, bool]]] = {}
        for (hops, power), path in reached.items():
            if hops == K:
                return path
            for asks in (False, True):
                for doubles in (False, True):
                    state = (hops + power * asks, power * (2 if doubles else 1))
                    if state[0] <= K and state[1] <= 2 * K:
                        following.setdefault(state, [*path, (asks, doubles)])
        reached = following


def _lookup(asked: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """Softmax attention: queries and keys are one-hot tokens, values the table's rows."""
    N = table.shape[-1]
    keys = torch.eye(N, dtype=torch.float64, device=table.device)
    return (SHARP * asked @ keys.T).softmax(-1) @ table


def sample_fewest_layers(
    *, K: int, N: int = 16, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """The number of layers after which attention gives f^K(x) for every x, by a shortest schedule; -1 if it does not."""
    K, N = check_whole("K", K), check_whole("N", N, low=2)
    schedule = _schedule(K)
    found = []
    for _ in range(replicas):
        f = torch.randperm(N, generator=generator, device=device)
        table = torch.nn.functional.one_hot(f, N).double()
        query = torch.eye(N, dtype=torch.float64, device=device)
        for asks, doubles in schedule:
            before = table
            if doubles:
                table = _lookup(table, before)
            if asks:
                query = _lookup(query, before)
        answer = torch.arange(N, device=device)
        for _ in range(K):
            answer = f[answer]
        found.append(len(schedule) if bool((query.argmax(1) == answer).all()) else -1)
    return torch.tensor(found, dtype=torch.float64, device=device)


fewest_layers_experiment = experiment("fewest-layers", sample_fewest_layers, block=4)
