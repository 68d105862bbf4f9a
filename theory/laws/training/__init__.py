"""The symbols that the laws of this section share."""

from asymp.theory.param import Param, choice, integer, real

B = Param(integer(1), (256, 1024), meaning="batch size", name="B")
M = Param(integer(2), (2, 100), meaning="number of outputs", name="M")
N = Param(integer(2), (100, 1000), meaning="number of inputs", name="N")
ALPHA = Param(
    real(above=1, advice="at alpha <= 1 the infinite Zipf law has no normaliser"),
    (1.2, 3),
    meaning="exponent of the Zipf law p(x) = C x^-alpha",
    name="alpha",
)
D = Param(integer(1), (10, 1000), meaning="dimension of the embeddings", name="d")
D_PUBLISHED = Param(integer(10, 1000), (100, 100), meaning="dimension of the embeddings: 10, 100 or 1000", name="d")
ETA = Param(real(above=0), (0.1, 100), meaning="step size", name="eta")
GAMMA = Param(real(above=0), (0.01, 10), meaning="step size of SGD", name="gamma")
LR = Param(real(above=0), (0.01, 1), meaning="learning rate", name="lr")
SEEN = Param(integer(0), (0, 1e6), meaning="how often the input has been seen", name="n")
P = Param(real(0, 1), (0.01, 1), meaning="probability p(z) of the input", name="p")
INPUTS = Param(choice("gaussian", "sphere"), default="gaussian", meaning="law of the input embeddings", name="inputs")
OUTPUTS = Param(
    choice("gaussian", "sphere"), default="gaussian", meaning="law of the output embeddings", name="outputs"
)
OUTPUT_SCORED = Param(
    choice("target", "other"), default="target", meaning="the target, or any other output", name="output"
)
