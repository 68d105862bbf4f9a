"""gradient-as-memory: the gradient of the cross-entropy is a sum of outer products of embeddings."""

from asymp.theory.law import law
from asymp.theory.param import Param, real
from asymp.theory.sources import Source

SOURCE = law(
    "gradient-as-memory:source",
    "Sum(p[z]*(p_hat[z, k] - t[z, k])*u[k, i]*e[z, j], (z, 1, N), (k, 1, M))",
    relation="=",
    params=(
        Param(real(0, 1), meaning="probability p(z) of the input", name="p", indices="z"),
        Param(real(0, 1), meaning="softmax p^(k|z) of the scores", name="p_hat", indices="zk"),
        Param(
            real(0, 1),
            meaning="probability p(k|z) of the output k given z (1 or 0 where the target is a function of z)",
            name="t",
            indices="zk",
        ),
        Param(real(), meaning="embedding of the output k", name="u", indices="ki"),
        Param(real(), meaning="embedding of the input z", name="e", indices="zj"),
    ),
    quantity="G_ij",
    indices="ij",
    title="The gradient in W as a sum of outer products, as the source states it",
    source=Source("bietti2025", "lemma 'gradients as memories' (Bietti et al. 2023)"),
    conventions="G is the gradient in W of L(W) = E over (z, y) of the cross-entropy of y and softmax(u_k.W e_z). A step of "
    "size eta adds -eta p(z) (p^(k|z) - p(k|z)) to the weight of u_k e_z^T.",
)

LAWS = (
    SOURCE.but(
        "gradient-as-memory",
        "Sum(p[z]*(exp(Sum(u[k, a]*W[a, b]*e[z, b], (a, 1, d), (b, 1, d))) / Sum(exp(Sum(u[l, a]*W[a, b]*e[z, b], (a, "
        "1, d), (b, 1, d))), (l, 1, M)) - t[z, k])*u[k, i]*e[z, j], (z, 1, N), (k, 1, M))",
        params=(
            *(param for name, param in SOURCE.params.items() if name != "p_hat"),
            Param(real(), meaning="the matrix of the memory", name="W", indices="ab"),
        ),
        title="The gradient in W with the predictions written out",
        source=Source("asymp", "gradient of the cross-entropy"),
    ),
    SOURCE,
)
