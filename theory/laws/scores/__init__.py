"""The symbols and conventions that the laws of this section share."""

from asymp.theory.param import Param, choice, integer, real

D = Param(integer(1), (4, 256), meaning="dimension of the embeddings", name="d")
INPUTS = Param(choice("gaussian", "sphere"), default="gaussian", meaning="law of the input embeddings", name="inputs")
ORDER = Param(choice("2", "4", "6"), default="2", meaning="the power", name="order")
OUTPUT = Param(
    choice("target", "other"),
    default="target",
    meaning="'target' for y = f(z), 'other' for any other output",
    name="output",
)
OUTPUTS = INPUTS.but(meaning="law of the output embeddings", name="outputs")
Q = Param(real(), (0.1, 1), meaning="weight q(z) of the input z that is recalled", name="q")
T = Param(real(0), (0.5, 1.5), meaning="threshold", name="t")

SCORE = (
    "g(z, y) = u_y . W e_z with W = sum over x of q(x) u_f(x) e_x^T; gaussian is N(0, I/d), sphere is uniform on the "
    "unit sphere; "
)
