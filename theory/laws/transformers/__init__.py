"""The symbols that the laws of this section share."""

from asymp.theory.param import Param, integer

D = Param(integer(2), (4, 16), meaning="number of answers of each relation", name="D")
H = Param(integer(1), (2, 64), meaning="number of heads", name="H")
N = Param(integer(2), (16, 4096), meaning="number of tokens", name="N")
VOCABULARY = Param(integer(2), (16, 65), meaning="size of the vocabulary", name="N")
R = Param(integer(1), (4, 64), meaning="number of relations", name="R")
S = Param(integer(1), (8, 512), meaning="number of subjects", name="S")
LENGTH = Param(integer(2), (16, 256), meaning="length of a sequence", name="T")
DIM = Param(integer(1), (16, 512), meaning="dimension of the embeddings", name="d")
WIDTH = Param(integer(1), (64, 256), meaning="dimension of the residual stream", name="d")
D_H = Param(integer(1), (2, 32), meaning="dimension of a head", name="d_h")
