"""What is read off the scores: error, loss and margins, ties included.

Scores are kept with outputs first, shape (M + 1, replicas, N): output y at input x stands at [y, :, x], except that
the target's place holds -inf and its score stands apart at [M]. The largest rival is then one maximum, and the
log-sum-exp of the whole is that of the scores.
"""

import torch


def split_scores(scores: torch.Tensor, f: torch.Tensor) -> torch.Tensor:
    """From (replicas, M, N) to the form above."""
    scores = scores.transpose(0, 1)
    place = f.expand(1, *scores.shape[1:])
    return torch.cat([scores.scatter(0, place, -torch.inf), scores.gather(0, place)])


def join_scores(split: torch.Tensor, f: torch.Tensor) -> torch.Tensor:
    """Back to (replicas, M, N)."""
    joined = split[:-1].scatter(0, f.expand(1, *split.shape[1:]), split[-1:])
    return joined.transpose(0, 1).contiguous()


def score_margins(split: torch.Tensor) -> torch.Tensor:
    """Target's score less its largest rival's: (replicas, N)."""
    return split[-1] - split[:-1].amax(0)


def _errors(split: torch.Tensor, margins: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
    """The sum of p over wrong inputs; k equal scores at the top err with 1 - 1/k, the mean over random choices."""
    equal = 1 + (split[:-1] == split[-1]).sum(0)
    return torch.where(margins < 0, 1.0, 1 - 1 / equal.to(torch.float64)) @ p


def _losses(split: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
    """The cross-entropy under p."""
    return (split.logsumexp(0) - split[-1]) @ p


class Recorder:
    """Keeps what is measured at the recorded steps, as tensors on the run's device, replicas first."""

    def __init__(self, measure: tuple[str, ...], record: list[int], p: torch.Tensor, f: torch.Tensor) -> None:
        self.measure = measure
        self.places = set(record)
        self.p = p
        self.f = f
        self.kept: dict[str, list[torch.Tensor]] = {name: [] for name in measure}

    def wants(self, step: int) -> bool:
        """Whether this step is recorded."""
        return step in self.places

    def take(self, split: torch.Tensor, q: torch.Tensor | None = None) -> None:
        """Measure the split scores (and keep the effective q, if there is one)."""
        margins = score_margins(split)
        for name, kept in self.kept.items():
            if name == "error":
                kept.append(_errors(split, margins, self.p))
            elif name == "loss":
                kept.append(_losses(split, self.p))
            elif name == "margins":
                kept.append(margins)
            elif name == "scores":
                kept.append(join_scores(split, self.f).transpose(1, 2).contiguous())
            elif q is not None:
                kept.append(q.clone())

    def put_errors(self, errors: torch.Tensor) -> None:
        """Errors that were counted elsewhere, where nothing else is measured."""
        self.kept["error"].append(errors)

    def values(self) -> dict[str, torch.Tensor]:
        """Each quantity with replicas first, steps second."""
        found = {name: torch.stack(kept, 1) for name, kept in self.kept.items() if kept}
        if "error" in found:
            found["error"].clamp_(0.0, 1.0)  # sums of p can exceed 1 by rounding
        return found
