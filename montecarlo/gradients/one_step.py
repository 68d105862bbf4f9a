"""One gradient step from W = 0 on a population: the scores it leaves, by automatic differentiation.

The population loss is written out, sum over inputs of p(z) times the cross-entropy, differentiated once, and the step
is taken; nothing is known here of what the gradient should be.
"""

from typing import Any

import torch

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_number, check_whole
from asymp.montecarlo.scores.embeddings import EMBEDDINGS, draw_embeddings

__all__ = [
    "one_step_accuracy_experiment",
    "one_step_score_experiment",
    "one_step_spread_experiment",
    "one_step_weight_experiment",
    "sample_one_step_accuracy",
    "sample_one_step_score",
    "sample_one_step_spread",
    "sample_one_step_weight",
]

OUTPUT = ("target", "other")


def _step(U: torch.Tensor, x: torch.Tensor, targets: torch.Tensor, p: torch.Tensor, eta: float) -> torch.Tensor:
    """W after one step of size eta on the loss sum_z p(z) CE(U W x_z, f(z)), replica by replica."""
    replicas, _, d = U.shape
    W = torch.zeros(replicas, d, d, dtype=torch.float64, device=U.device, requires_grad=True)
    scores = torch.einsum("rmd,rde,rze->rzm", U, W, x)
    chosen = targets.expand(replicas, -1)[:, :, None]
    loss = -(p * scores.log_softmax(2).gather(2, chosen)[:, :, 0]).sum()
    (gradient,) = torch.autograd.grad(loss, W)
    return -eta * gradient


def _population(
    *, d: int, N: int, M: int, T: int, inputs: str, outputs: str, replicas: int, **how: Any
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Outputs, all inputs that occur (each token with each of T noise vectors, or bare where T = 0), targets, tokens."""
    U = draw_embeddings(outputs, (replicas, M, d), **how)
    E = draw_embeddings(inputs, (replicas, N, d), **how)
    tokens = torch.arange(N, device=how["device"])
    if not T:
        return U, E, tokens % M, E
    noise = draw_embeddings(inputs, (replicas, T, d), **how)
    x = (E[:, :, None] + noise[:, None]).flatten(1, 2)
    return U, x, tokens.repeat_interleave(T) % M, x[:, ::T]


def _scores(
    *, d: int, N: int, M: int, eta: float, T: int, inputs: str, outputs: str, replicas: int, **how: Any
) -> torch.Tensor:
    """Scores (replica, token, output) after the step; with noise, of the token with the first noise vector."""
    U, x, targets, probes = _population(d=d, N=N, M=M, T=T, inputs=inputs, outputs=outputs, replicas=replicas, **how)
    p = torch.full((x.shape[1],), 1 / x.shape[1], dtype=torch.float64, device=how["device"])
    W = _step(U, x, targets, p, eta)
    return torch.einsum("rmd,rde,rze->rzm", U, W, probes)


def _checked(d: int, N: int, M: int | None, T: int, eta: float, inputs: str, outputs: str) -> dict[str, Any]:
    d, N = check_whole("d", d), check_whole("N", N)
    M = N if M is None else check_whole("M", M)
    if not 2 <= M <= N:
        raise ValueError(f"M must be from 2 to N={N}; got {M}")
    check_number("eta", eta)
    check_choice("inputs", inputs, EMBEDDINGS)
    check_choice("outputs", outputs, EMBEDDINGS)
    return {"d": d, "N": N, "M": M, "T": int(T), "eta": float(eta), "inputs": inputs, "outputs": outputs}


def sample_one_step_score(
    *,
    d: int,
    N: int,
    M: int | None = None,
    eta: float = 1.0,
    T: int = 0,
    output: str = "target",
    inputs: str = "gaussian",
    outputs: str = "gaussian",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The score of the target, or of the next output, averaged over the inputs. M is N unless given, f(z) = z mod M."""
    check_choice("output", output, OUTPUT)
    given = _checked(d, N, M, T, eta, inputs, outputs)
    scores = _scores(**given, replicas=replicas, generator=generator, device=device)
    chosen = (torch.arange(given["N"], device=device) + (output == "other")) % given["M"]
    return scores.gather(2, chosen.expand(replicas, -1)[:, :, None])[:, :, 0].mean(1)


def sample_one_step_spread(
    *,
    d: int,
    N: int,
    M: int | None = None,
    eta: float = 1.0,
    T: int = 0,
    output: str = "target",
    inputs: str = "gaussian",
    outputs: str = "gaussian",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """Half the squared difference of a score between two independent draws, averaged over the inputs.

    Its mean is the variance of a score, with no mean to be known. Every input plays the same part only where the classes
    are equal: M must divide N.
    """
    check_choice("output", output, OUTPUT)
    given = _checked(d, N, M, T, eta, inputs, outputs)
    if given["N"] % given["M"]:
        raise ValueError(f"M must divide N, so that all classes are equal; got M={given['M']}, N={given['N']}")
    scores = _scores(**given, replicas=2 * replicas, generator=generator, device=device)
    chosen = (torch.arange(given["N"], device=device) + (output == "other")) % given["M"]
    found = scores.gather(2, chosen.expand(2 * replicas, -1)[:, :, None])[:, :, 0]
    return torch.square(found[:replicas] - found[replicas:]).mean(1) / 2


def sample_one_step_accuracy(
    *,
    d: int,
    N: int,
    M: int | None = None,
    T: int = 0,
    inputs: str = "sphere",
    outputs: str = "sphere",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The share of the inputs whose target has the largest score after the step (any step size: scores only scale)."""
    given = _checked(d, N, M, T, 1.0, inputs, outputs)
    scores = _scores(**given, replicas=replicas, generator=generator, device=device)
    right = torch.eq(scores.argmax(2), torch.arange(given["N"], device=device) % given["M"])
    return right.double().mean(1)


def sample_one_step_weight(
    *,
    N: int,
    M: int,
    x: int,
    alpha: float,
    eta: float = 1.0,
    output: str = "target",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The coefficient of u_k e_x^T in W after a population step, p(x) ~ x^-alpha; orthonormal embeddings read it off."""
    N, M, x = (check_whole(name, value) for name, value in (("N", N), ("M", M), ("x", x)))
    check_choice("output", output, OUTPUT)
    if not (x <= N and M >= 2):
        raise ValueError(f"x must be at most N={N} and M at least 2; got x={x}, M={M}")
    d = max(N, M)
    how: dict[str, Any] = {"generator": generator, "device": device}
    bases = [
        torch.linalg.qr(draw_embeddings("gaussian", (replicas, d, d), **how))[0][:, :count].contiguous()
        for count in (N, M)
    ]
    p = torch.arange(1, N + 1, dtype=torch.float64, device=device) ** -float(alpha)
    p = p / p.sum()
    targets = torch.arange(1, N + 1, device=device) % M
    W = _step(bases[1], bases[0], targets, p, float(eta))
    k = (x + (output == "other")) % M
    return torch.einsum("rd,rde,re->r", bases[1][:, k], W, bases[0][:, x - 1])


one_step_score_experiment = experiment("one-step-score", sample_one_step_score, block=64)
one_step_spread_experiment = experiment("one-step-spread", sample_one_step_spread, block=64)
one_step_accuracy_experiment = experiment("one-step-accuracy", sample_one_step_accuracy, block=16, bounds=(0.0, 1.0))
one_step_weight_experiment = experiment("one-step-weight", sample_one_step_weight, block=4)
