"""What is simulated: memories with one shape (store, score, recall), transformers, and the data they see.

>>> import torch
>>> from asymp.models import Hebbian, share_recalled
>>> inputs = outputs = torch.eye(4, dtype=torch.float64)[None]  # one replica, four orthonormal items
>>> memory = Hebbian().store(inputs, outputs, torch.tensor([2, 0, 3, 1]))
>>> memory.recall(inputs).tolist()
[[2, 0, 3, 1]]

Memories are torch modules, batched over replicas, in the dtype and on the device of what they store. The loops that train
them are in `asymp.montecarlo`.
"""

from asymp.models.attention import Attention
from asymp.models.dense import Dense
from asymp.models.hermite_mlp import HermiteMLP
from asymp.models.hopfield import Hopfield
from asymp.models.linear import Fitted, Given, Hebbian, Identity, LeastSquares, LinearMemory
from asymp.models.lookup_mlp import LookupMLP
from asymp.models.low_rank import Factored, LowRank
from asymp.models.memory import Memory, sampled_items, share_recalled
from asymp.models.patterns import PatternMemory
from asymp.models.relu_mlp import ReluMLP
from asymp.models.tasks.bigrams import BigramLaw, BigramTask, shakespeare_bigrams, text_bigrams, uniform_bigrams
from asymp.models.tasks.facts import FactTask
from asymp.models.tasks.planted import PlantedTask
from asymp.models.transformer import Shape, Transformer
from asymp.models.two_input import TwoInputMLP

__all__ = [
    "Attention",
    "BigramLaw",
    "BigramTask",
    "Dense",
    "FactTask",
    "Factored",
    "Fitted",
    "Given",
    "Hebbian",
    "HermiteMLP",
    "Hopfield",
    "Identity",
    "LeastSquares",
    "LinearMemory",
    "LookupMLP",
    "LowRank",
    "Memory",
    "PatternMemory",
    "PlantedTask",
    "ReluMLP",
    "Shape",
    "Transformer",
    "TwoInputMLP",
    "sampled_items",
    "shakespeare_bigrams",
    "share_recalled",
    "text_bigrams",
    "uniform_bigrams",
]
