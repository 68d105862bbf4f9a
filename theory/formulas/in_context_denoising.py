"""in-context-denoising: softmax attention over the context as the best denoiser."""

from asymp.theory.domain import real
from asymp.theory.law import law
from asymp.theory.statement import Source

__all__ = ["LAWS"]

LAWS = (
    law(
        "in-context-denoising",
        "1/sigma**2",
        relation="=",
        domain={"sigma": real(above=0)},
        typical={"sigma": (0.3, 4)},
        meanings={"sigma": "standard deviation of the noise in each coordinate"},
        quantity="beta",
        title="Inverse temperature at which softmax attention denoises best",
        source=Source("asymp", "posterior mean"),
        conventions="A point of the context, each equally likely and all of the same norm, is seen under noise N(0, sigma^2 I): "
        "the posterior mean is sum_t softmax(beta x_t . y)_t x_t, one retrieval step of a dense memory over the context.",
        notes=(
            "Exact when the clean point is one of the context's own. Context points of different norms add "
            "-|x_t|^2/(2 sigma^2) to the scores.",
        ),
    ),
    law(
        "in-context-denoising:excess",
        "1",
        relation="~",
        domain={"sigma": real(above=0)},
        typical={"sigma": (0.3, 4)},
        meanings={"sigma": "standard deviation of the noise in each coordinate"},
        quantity="error/best error",
        title="Mean squared error of trained attention over that of the posterior mean",
        source=Source("bietti2025", "slide on in-context denoising (Smart, Bietti, Sengupta)"),
        conventions="One layer of softmax attention with full key-query and output-value matrices, trained from small random "
        "weights on the task of `in-context-denoising`.",
        notes=("The posterior mean is the best of all denoisers: training finds it.",),
    ),
    law(
        "in-context-denoising:linear",
        "sigma_0**2/(sigma_0**2 + sigma**2)",
        relation="=",
        domain={"sigma": real(above=0), "sigma_0": real(above=0)},
        typical={"sigma": (0.3, 4), "sigma_0": (0.3, 4)},
        meanings={
            "sigma": "standard deviation of the noise in each coordinate",
            "sigma_0": "standard deviation of the clean points in each direction of their subspace",
        },
        quantity="gain",
        title="Gain of the best denoiser for points of a subspace",
        source=Source("asymp", "posterior mean"),
        conventions="Clean points N(0, sigma_0^2 I) in a subspace, noise N(0, sigma^2 I): the posterior mean is the gain times the "
        "projection on the subspace.",
    ),
)
