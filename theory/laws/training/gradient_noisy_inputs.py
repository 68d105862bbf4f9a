"""gradient-noisy-inputs: with inputs that are vectors the gradient compares class means with predicted class means."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Source

SOURCE = Source("bietti2025", "lemma 'gradients with noisy inputs' (Bietti et al. 2023)")
MU = Param(real(), (0, 1), meaning="a coordinate of mu_k = E[x | y = k] (any number where p(k) = 0)", name="mu")
P_OUTPUT = Param(real(0, 1), (0, 1), meaning="probability p(k) of the output k", name="p")


declare = partial(
    law,
    conventions="L(W) = E over (x, y) of the cross-entropy of y and softmax(u_k.W x), x a vector; grad L = sum over k "
    "of u_k v_k^T, and v is a coordinate of v_k.",
    quantity="v",
    relation="=",
)
LAWS = (
    declare(
        "gradient-noisy-inputs",
        "a - p*mu",
        params=(Param(real(), (0, 1), meaning="the same coordinate of E[p^(k|x) x]", name="a"), P_OUTPUT, MU),
        title="Row of the gradient of an output, also for outputs that never occur",
        source=Source("asymp", "gradient of the cross-entropy"),
    ),
    law(
        "gradient-noisy-inputs:source",
        "Sum(p[k]*u[k, i]*(Sum(p_hat[s, k]*x[s, j]/(n*p[k]), (s, 1, n)) - Sum(y[s, k]*x[s, j]/(n*p[k]), (s, 1, n))),"
        " (k, 1, M))",
        relation="=",
        params=(
            Param(real(above=0, high=1), meaning="share p(k) of the samples whose output is k", name="p", indices="k"),
            Param(real(), meaning="embedding of the output k", name="u", indices="ki"),
            Param(real(0, 1), meaning="softmax p^(k|x) of the scores at the sample s", name="p_hat", indices="sk"),
            Param(real(0, 1), meaning="1 where k is the output of the sample s, else 0", name="y", indices="sk"),
            Param(real(), meaning="input of the sample s", name="x", indices="sj"),
            Param(integer(1), (4, 64), meaning="number of samples", name="n"),
        ),
        quantity="G_ij",
        indices="ij",
        title="The gradient in W by class means and predicted class means, as the source states it",
        source=SOURCE,
        conventions="G is the gradient in W of the mean over samples (x, y) of the cross-entropy of y and softmax(u_k.W x): the "
        "sum over k of p(k) u_k (mu^_k - mu_k)^T with mu^_k = E[p^(k|x) x]/p(k) and mu_k = E[x | y = k].",
    ),
    declare(
        "gradient-noisy-inputs:row",
        "p*(mu_hat - mu)",
        params=(
            P_OUTPUT.but(
                domain=real(
                    above=0, high=1, advice="mu_k and mu^_k do not exist at p(k) = 0; use gradient-noisy-inputs"
                )
            ).over(0.01, 1),
            Param(real(), (0, 1), meaning="the same coordinate of mu^_k = E[p^(k|x) x]/p(k)", name="mu_hat"),
            MU,
        ),
        title="Row of the gradient of an output, as the source states it",
        source=SOURCE,
    ),
)
