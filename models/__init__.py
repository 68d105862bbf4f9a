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

from typing import TYPE_CHECKING

from asymp.lazy import lazy_names

if TYPE_CHECKING:
    from asymp.models.hermite_mlp import HermiteMLP as HermiteMLP
    from asymp.models.hermite_mlp import TwoInputMLP as TwoInputMLP
    from asymp.models.linear import Fitted as Fitted
    from asymp.models.linear import Given as Given
    from asymp.models.linear import Hebbian as Hebbian
    from asymp.models.linear import Identity as Identity
    from asymp.models.linear import LeastSquares as LeastSquares
    from asymp.models.linear import LinearMemory as LinearMemory
    from asymp.models.lookup import LookupMLP as LookupMLP
    from asymp.models.low_rank import Factored as Factored
    from asymp.models.low_rank import LowRank as LowRank
    from asymp.models.memory import Memory as Memory
    from asymp.models.memory import sampled_items as sampled_items
    from asymp.models.memory import share_recalled as share_recalled
    from asymp.models.patterns import Attention as Attention
    from asymp.models.patterns import Dense as Dense
    from asymp.models.patterns import Hopfield as Hopfield
    from asymp.models.patterns import PatternMemory as PatternMemory
    from asymp.models.relu_mlp import ReluMLP as ReluMLP
    from asymp.models.tasks.bigrams import BigramLaw as BigramLaw
    from asymp.models.tasks.bigrams import BigramTask as BigramTask
    from asymp.models.tasks.bigrams import shakespeare_bigrams as shakespeare_bigrams
    from asymp.models.tasks.bigrams import text_bigrams as text_bigrams
    from asymp.models.tasks.bigrams import uniform_bigrams as uniform_bigrams
    from asymp.models.tasks.facts import FactTask as FactTask
    from asymp.models.tasks.planted import PlantedTask as PlantedTask
    from asymp.models.transformer import Shape as Shape
    from asymp.models.transformer import Transformer as Transformer
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
