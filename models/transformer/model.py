"""The transformer: embeddings, attention layers, optional MLPs and layer norms, a residual stream.

Parameters carry the replicas first, so that several seeds are trained as one batched model, and have plain names:
`tokens`, `positions`, `unembed`; for layer l `KQ<l>` and `OV<l>` (merged), or `Q<l>`, `K<l>`, `O<l>`, `V<l>` (factored),
`w<l>` in the place of `KQ<l>` where a vector asks, `up<l>`, `bias<l>`, `down<l>` of its MLP. All are nn.Parameters;
`train_only` says which ones learn.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from asymp.models.transformer.attention import attend, attention_pattern, attention_scores


@dataclass(frozen=True)
class Shape:
    """The sizes and options of a transformer.

    `vocabulary`: number of tokens. `length`: of the longest sequence. `d`: width. `layers`, `heads`: how many of each.
    `head_dim`: the size of a head; None merges its key-query and output-value matrices into d x d ones. `mlp`: the width of
    each layer's ReLU MLP; 0 is none. `norm`: whether layers are normalised. `residual`: whether a layer adds to its input.
    `positions`: whether positions have embeddings. `causal`: whether a token sees only those before it. `attention`:
    'softmax', or 'linear', which leaves out the softmax. `queries`: 'all'; 'last' computes the last position only; 'vector'
    asks once, with a vector w that belongs to the head in the place of a token's: its scores are w.x, not divided by sqrt d.
    `outputs`: number of classes, if not the vocabulary.
    """

    vocabulary: int
    length: int
    d: int
    layers: int = 2
    heads: int = 1
    head_dim: int | None = None
    mlp: int = 0
    norm: bool = False
    residual: bool = True
    positions: bool = True
    causal: bool = True
    attention: str = "softmax"
    queries: str = "all"
    outputs: int | None = None

    def __post_init__(self) -> None:
        whole = {"vocabulary": 2, "length": 1, "d": 1, "layers": 1, "heads": 1, "mlp": 0}
        for name, low in whole.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise ValueError(f"{name} must be a whole number >= {low}; got {value!r}")
        for name, choices in (("attention", ("softmax", "linear")), ("queries", ("all", "last", "vector"))):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}; got {getattr(self, name)!r}")
        if self.queries != "all" and (self.layers > 1 or self.residual):
            raise ValueError(f"queries must be 'all' with several layers or a residual stream; got {self.queries!r}")
        if self.queries == "vector" and (self.head_dim is not None or self.causal):
            raise ValueError("queries 'vector' takes merged heads (head_dim None) and causal False: it has no position")

    @property
    def answers(self) -> int:
        """The number of outputs: the vocabulary unless given."""
        return self.vocabulary if self.outputs is None else self.outputs


@dataclass(frozen=True)
class Reading:
    """Everything that a forward pass computes: logits, each layer's attention pattern, the stream after each layer."""

    logits: Tensor
    attention: tuple[Tensor, ...]
    streams: tuple[Tensor, ...]


class Transformer(nn.Module):
    """Transformers of one shape with random weights, several of them at once.

    `shape`: sizes and options. `replicas`: how many models are held side by side. `spread`: the standard deviation of the
    entries of token and position embeddings; the unembedding and all matrices are drawn with 1/sqrt of their number of
    columns. `zero`: names of parameters that start at 0. `generator`, `device`, `dtype`: as in torch.
    """

    def __init__(
        self,
        shape: Shape,
        *,
        replicas: int = 1,
        spread: float = 1.0,
        zero: Iterable[str] = (),
        generator: torch.Generator,
        device: torch.device,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        self.shape = shape
        self.replicas = replicas
        sizes = parameter_sizes(shape)
        unknown = sorted(set(zero) - set(sizes))
        if unknown:
            raise ValueError(f"zero must name parameters of this model ({', '.join(sizes)}); got {', '.join(unknown)}")
        for name, size in sizes.items():
            scale = spread if name in ("tokens", "positions") else 1 / math.sqrt(size[-1])
            value = torch.zeros(replicas, *size, dtype=dtype, device=device)
            if name not in zero and not name.startswith("bias"):
                value.normal_(std=scale, generator=generator)
            self.register_parameter(name, nn.Parameter(value))

    def __getitem__(self, name: str) -> nn.Parameter:
        if name not in parameter_sizes(self.shape):
            raise ValueError(f"there is no parameter {name!r}; known: {', '.join(parameter_sizes(self.shape))}")
        found = getattr(self, name)
        assert isinstance(found, nn.Parameter)
        return found

    def train_only(self, names: Sequence[str]) -> list[nn.Parameter]:
        """Freeze everything but the parameters with these `names`, and return these."""
        chosen = [self[name] for name in names]
        for parameter in self.parameters():
            parameter.requires_grad_(False)
        for parameter in chosen:
            parameter.requires_grad_(True)
        return chosen

    @torch.no_grad()
    def set(self, name: str, value: Tensor) -> None:
        """Put `value` in the place of the parameter that is called `name`."""
        parameter = self[name]
        if tuple(value.shape) not in {tuple(parameter.shape), tuple(parameter.shape[1:])}:
            raise ValueError(f"{name} must have the shape {tuple(parameter.shape)}; got {tuple(value.shape)}")
        if not bool(torch.isfinite(value).all()):
            raise ValueError(f"{name} must be finite")
        parameter.copy_(value.expand_as(parameter))

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (replicas, batch, length, outputs) for tokens (replicas, batch, length)."""
        x = self._embedded(tokens)
        for layer in range(1, self.shape.layers + 1):
            tabled = layer == 1 and self.shape.head_dim is None and self.shape.queries == "all" and not self.shape.norm
            written = self._attended_by_tables(tokens, x) if tabled else self._attended(layer, self._normed(x))
            x = self._mlp(layer, self._joined(x, written))
        return self._logits(x)

    def read(self, tokens: Tensor) -> Reading:
        """The logits for `tokens` as in `forward`, with the attention patterns and streams on the way to them."""
        x = self._embedded(tokens)
        patterns, streams = [], [x]
        for layer in range(1, self.shape.layers + 1):
            h = self._normed(x)
            queries, keys, width = self._keys(layer, h)
            scores = attention_scores(queries, keys, width)
            pattern = attention_pattern(scores, kind=self.shape.attention, causal=self.shape.causal)
            patterns.append(pattern)
            x = self._mlp(layer, self._joined(x, self._written(layer, pattern @ self._values(layer, h))))
            streams.append(x)
        return Reading(self._logits(x), tuple(patterns), tuple(streams))

    def _embedded(self, tokens: Tensor) -> Tensor:
        if tokens.dim() != 3 or tokens.shape[0] != self.replicas or tokens.shape[2] > self.shape.length:
            raise ValueError(
                f"tokens must have the shape ({self.replicas}, batch, at most {self.shape.length}); got {tuple(tokens.shape)}"
            )
        return self._looked_up(tokens, None)

    def _looked_up(self, tokens: Tensor, matrix: Tensor | None) -> Tensor:
        """What each token and its position come to: their embeddings, times each replica's matrix (in, out) if there is one.

        The products are taken once a token and once a position, and not at every place of every sequence.
        """

        def times(x: Tensor) -> Tensor:
            return x if matrix is None else x @ matrix

        # One table of all replicas' tokens: an embedding's gradient is faster than that of an index.
        first = self.shape.vocabulary * torch.arange(self.replicas, device=tokens.device)[:, None, None]
        x = functional.embedding(tokens + first, times(self["tokens"]).flatten(0, 1))
        return x + times(self["positions"][:, : tokens.shape[2]])[:, None] if self.shape.positions else x

    def _normed(self, x: Tensor) -> Tensor:
        return functional.layer_norm(x, (x.shape[-1],)) if self.shape.norm else x

    def _keys(self, layer: int, h: Tensor) -> tuple[Tensor, Tensor, int]:
        """Queries and keys (replicas, batch, heads, length, width), and the width that scales their products."""
        if self.shape.head_dim is None:
            keys = h[:, :, None].expand(-1, -1, self.shape.heads, -1, -1)
            if self.shape.queries == "vector":
                return self[f"w{layer}"][:, None, :, None].expand(-1, h.shape[1], -1, -1, -1), keys, 1
            # Score of query x_q and key x_k: x_q . KQ x_k.
            return self._split(self._asked(h), self[f"KQ{layer}"].mT), keys, self.shape.d
        return self._split(self._asked(h), self[f"Q{layer}"]), self._split(h, self[f"K{layer}"]), self.shape.head_dim

    def _asked(self, h: Tensor) -> Tensor:
        return h[:, :, -1:] if self.shape.queries == "last" else h

    def _values(self, layer: int, h: Tensor) -> Tensor:
        if self.shape.head_dim is None:
            return h[:, :, None].expand(-1, -1, self.shape.heads, -1, -1)
        return self._split(h, self[f"V{layer}"])

    def _split(self, h: Tensor, matrices: Tensor) -> Tensor:
        """All heads' matrices (replicas, heads, head, d) by one product: (replicas, batch, heads, length, head)."""
        flat = _times(h, matrices.flatten(1, 2))
        return torch.unflatten(flat, -1, (self.shape.heads, -1)).transpose(2, 3)

    def _written(self, layer: int, carried: Tensor) -> Tensor:
        """What the heads write: (replicas, batch, length, d)."""
        matrices = self[f"OV{layer}" if self.shape.head_dim is None else f"O{layer}"]
        # The sum over heads is part of the product.
        return _times(carried.transpose(2, 3).flatten(3), matrices.transpose(1, 2).flatten(2))

    def _attended(self, layer: int, h: Tensor) -> Tensor:
        queries, keys, width = self._keys(layer, h)
        carried = attend(
            queries,
            keys,
            self._values(layer, h),
            width=width,
            kind=self.shape.attention,
            causal=self.shape.causal,
        )
        return self._written(layer, carried)

    def _attended_by_tables(self, tokens: Tensor, x: Tensor) -> Tensor:
        """What the first layer's merged heads write: its queries and values depend on token and position alone.

        `read` computes the same place by place.
        """
        heads = self.shape.heads
        asked, values = (
            torch.unflatten(self._looked_up(tokens, matrices), -1, (heads, -1)).transpose(2, 3)
            for matrices in (self["KQ1"].transpose(1, 2).flatten(2), self["OV1"].flatten(1, 2).mT)
        )
        keys = x[:, :, None].expand(-1, -1, heads, -1, -1)
        kind, causal = self.shape.attention, self.shape.causal
        return attend(asked, keys, values, width=self.shape.d, kind=kind, causal=causal).sum(2)

    def _joined(self, x: Tensor, written: Tensor) -> Tensor:
        return x + written if self.shape.residual else written

    def _mlp(self, layer: int, x: Tensor) -> Tensor:
        if not self.shape.mlp:
            return x
        flat = torch.baddbmm(self[f"bias{layer}"][:, None], self._normed(x).flatten(1, 2), self[f"up{layer}"].mT)
        return x + torch.unflatten(torch.relu(flat) @ self[f"down{layer}"].mT, 1, x.shape[1:3])

    def _logits(self, x: Tensor) -> Tensor:
        return _times(self._normed(x), self["unembed"])


def _times(x: Tensor, matrix: Tensor) -> Tensor:
    """x (replicas, batch, length, in) times the transpose of each replica's matrix (replicas, out, in): one product a replica."""
    return torch.unflatten(x.flatten(1, 2) @ matrix.mT, 1, x.shape[1:3])


def parameter_sizes(shape: Shape) -> dict[str, tuple[int, ...]]:
    """The parameters of a shape by name, without the replicas."""
    d, H, head = shape.d, shape.heads, shape.head_dim
    sizes: dict[str, tuple[int, ...]] = {"tokens": (shape.vocabulary, d), "unembed": (shape.answers, d)}
    if shape.positions:
        sizes["positions"] = (shape.length, d)
    for layer in range(1, shape.layers + 1):
        if head is None:
            asks = {f"w{layer}": (H, d)} if shape.queries == "vector" else {f"KQ{layer}": (H, d, d)}
            sizes |= asks | {f"OV{layer}": (H, d, d)}
        else:
            sizes |= {f"{name}{layer}": (H, head, d) for name in "QKV"} | {f"O{layer}": (H, d, head)}
        if shape.mlp:
            sizes |= {f"up{layer}": (shape.mlp, d), f"bias{layer}": (shape.mlp,), f"down{layer}": (d, shape.mlp)}
    return sizes
