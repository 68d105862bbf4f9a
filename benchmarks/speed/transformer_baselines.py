"""What the transformers are measured against: a plain model in torch's own modules, and generators that loop over tokens."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from asymp.models.tasks.bigrams import BigramTask
from asymp.models.tasks.facts import FactTask

__all__ = ["PlainTransformer", "bigram_token_loop", "facts_token_loop", "plain_steps", "same_weights"]


class PlainTransformer(nn.Module):
    """Pre-norm transformer as one writes it by hand: heads side by side in one matrix, scaled-dot-product attention."""

    def __init__(self, *, vocabulary: int, length: int, d: int, layers: int, heads: int) -> None:
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, d), nn.Embedding(length, d)
        self.unembed = nn.Linear(d, vocabulary, bias=False)
        self.blocks = nn.ModuleList(_Block(d, heads) for _ in range(layers))

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (batch, length, vocabulary)."""
        x = self.tokens(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.unembed(functional.layer_norm(x, (x.shape[-1],)))  # type: ignore[no-any-return]


class _Block(nn.Module):
    def __init__(self, d: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(d, d, bias=False) for _ in range(4))
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        B, T, d = x.shape
        h = functional.layer_norm(x, (d,))
        q, k, v = (
            f(h).view(B, T, self.heads, d // self.heads).transpose(1, 2) for f in (self.query, self.key, self.value)
        )
        carried = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(carried.transpose(1, 2).reshape(B, T, d))
        return x + self.down(torch.relu(self.up(functional.layer_norm(x, (d,)))))  # type: ignore[no-any-return]


def plain_steps(model: nn.Module, batches: Sequence[Tensor], *, lr: float = 1e-2) -> list[float]:
    """Steps of AdamW on the next-token loss, one a batch of sequences (batch, length + 1); the losses."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=lr, betas=(0.9, 0.95), weight_decay=0.0)
    losses = []
    for batch in batches:
        logits = model(batch[:, :-1])
        loss = functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        optimiser.step()
        losses.append(float(loss.detach()))
    return losses


def bigram_token_loop(task: BigramTask, *, batch: int, seed: int = 0) -> list[list[int]]:
    """Sequences of the bigram task with fixed triggers, a draw of numpy a token, as the field's published code does it."""
    rng = np.random.default_rng(seed)
    first, following = task.law.first.numpy(), task.law.following.numpy()
    triggers = np.argsort(-first, kind="stable")[: task.triggers].tolist()
    N = task.law.N
    sequences = []
    for _ in range(batch):
        outputs = {q: int(rng.integers(N)) for q in triggers}
        z = int(rng.choice(N, p=first))
        tokens = [z]
        for _ in range(task.length - 1):
            z = outputs[z] if z in outputs else int(rng.choice(N, p=following[z]))
            tokens.append(z)
        sequences.append(tokens)
    return sequences


def facts_token_loop(
    task: FactTask, facts: Sequence[Sequence[int]], *, batch: int, seed: int = 0
) -> tuple[list[list[int]], list[int]]:
    """Sequences of factual recall and their answers, a draw of numpy a token."""
    rng = np.random.default_rng(seed)
    sequences, answers = [], []
    for _ in range(batch):
        s, r = int(rng.integers(task.S)), int(rng.integers(task.R))
        first, second = rng.choice(task.T - 1, 2, replace=False)
        tokens = []
        for t in range(task.T - 1):
            if t == first:
                tokens.append(s)
            elif t == second:
                tokens.append(task.S + r)
            else:
                tokens.append(task.S + task.R + int(rng.integers(task.noise_tokens)))
        sequences.append([*tokens, task.vocabulary - 1])
        answers.append(facts[s][r])
    return sequences, answers


def same_weights(plain: PlainTransformer, d: int, heads: int) -> dict[str, Tensor]:
    """The plain model's weights under the names of `asymp.models.transformer`, for the test that both are one function."""
    found = {
        "tokens": plain.tokens.weight,
        "positions": plain.positions.weight,
        "unembed": plain.unembed.weight,
    }
    for n, block in enumerate(plain.blocks, 1):
        assert isinstance(block, _Block)
        for name, matrix in (("Q", block.query), ("K", block.key), ("V", block.value)):
            found[f"{name}{n}"] = matrix.weight.view(heads, d // heads, d)
        found[f"O{n}"] = block.out.weight.view(d, heads, d // heads).transpose(0, 1)
        found |= {f"up{n}": block.up.weight, f"bias{n}": block.up.bias, f"down{n}": block.down.weight}
    return {name: value.detach() for name, value in found.items()}
