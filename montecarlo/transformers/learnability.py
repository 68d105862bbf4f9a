"""Two gradient steps of a one-layer model on sequences with one planted token: what attention has learnt.

X_t = e_(z_t), plus e_trig at the planted position t*; y = f(z_(t*)), f a permutation. Step 1 on the values at uniform
attention, step 2 on the attention vector w. The signal is w.e_trig, the noise the spread of w.e_v over tokens v.
"""

from typing import Any

import torch

from asymp.models.tasks.planted import PlantedTask
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_whole
from asymp.montecarlo.scores.embeddings import draw_embeddings

__all__ = ["learned_attention_experiment", "sample_learned_attention"]

OF = ("signal", "noise", "ratio")


def _attention_vector(
    *, d: int, N: int, T: int, n: int, balanced: bool, **how: Any
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """w after the second step, the tokens' embeddings and the trigger's, for one draw of everything."""
    E, U = (draw_embeddings("gaussian", (N, d), **how) for _ in range(2))
    trigger = draw_embeddings("gaussian", (d,), **how)
    # f is the identity: tokens and outputs have independent embeddings anyway.
    task = PlantedTask(N, T, balanced)
    drawn = task.draw(batch=n, **how)
    X = task.embedded(E, trigger)[drawn.marked(N)]
    mean = X.mean(1)
    centred = U[drawn.labels] - U.mean(0)
    W = centred.T @ mean / n
    pulled = centred @ W
    scores = torch.einsum("nd,ntd->nt", pulled, X)
    w = (torch.einsum("nt,ntd->d", scores, X) / T - torch.einsum("n,nd->d", scores.mean(1), mean)) / n
    return w, E, trigger


def sample_learned_attention(
    *,
    d: int,
    N: int,
    T: int,
    n: int,
    of: str = "signal",
    balanced: bool = False,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """w.e_trig ('signal'), the spread of w.e_v over the tokens less its overlap with e_trig ('noise'), or their ratio."""
    d, N, T, n = (check_whole(name, value) for name, value in (("d", d), ("N", N), ("T", T), ("n", n)))
    check_choice("of", of, OF)
    values = []
    for _ in range(replicas):
        w, E, trigger = _attention_vector(d=d, N=N, T=T, n=n, balanced=balanced, generator=generator, device=device)
        signal, tokens = w @ trigger, E @ w
        if of == "noise":
            tokens = tokens - (E @ trigger) * signal / trigger.square().sum()
        spread = tokens.std()
        values.append({"signal": signal, "noise": spread, "ratio": (spread / signal).square()}[of])
    return torch.stack(values)


learned_attention_experiment = experiment("learned-attention", sample_learned_attention, block=8)
