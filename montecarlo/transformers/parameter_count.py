"""How many parameters a model of a given shape has, counted on the model itself."""

import torch

from asymp.models.transformer import Shape, Transformer
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_whole

__all__ = ["parameter_count_experiment", "sample_parameter_count"]

FROZEN = ("tokens", "unembed", "positions", "bias")


def sample_parameter_count(
    *, H: int, d_h: int, d: int, m: int, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """Trained parameters of one attention layer with H heads of size d_h and an MLP of width m; no biases, no embeddings."""
    H, d_h, d = (check_whole(name, value) for name, value in (("H", H), ("d_h", d_h), ("d", d)))
    shape = Shape(
        vocabulary=4, length=4, d=d, layers=1, heads=H, head_dim=d_h, mlp=check_whole("m", m, low=0), residual=False,
        positions=False, queries="last",
    )  # fmt: skip
    model = Transformer(shape, generator=generator, device=device)
    count = sum(p.numel() for name, p in model.named_parameters() if not name.startswith(FROZEN))
    return torch.full((replicas,), float(count), dtype=torch.float64, device=device)


parameter_count_experiment = experiment("parameter-count", sample_parameter_count, block=2)
