"""The same three questions put to asymp and to the tools nearest to it, for the page "How it compares".

    python benchmarks/peers.py

pytest-stochastic is asked itself where it is installed (`pip install pytest-stochastic`); the DKWM test of TensorFlow
Probability is its published formula, so that TensorFlow is not needed. Everything has a fixed seed.
"""

import math
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from asymp.montecarlo import fit_exponent
from asymp.montecarlo.estimate import Estimate

FALSE_FAILURES = 1e-6


def dkwm_interval(values: np.ndarray, delta: float) -> tuple[float, float]:
    """The interval of the mean of values in [0, 1] by the band of Dvoretzky, Kiefer, Wolfowitz and Massart.

    A share of the samples as large as the band is high is moved from the top to 0, or from the bottom to 1.
    """
    n = len(values)
    moved = math.sqrt(math.log(2 / delta) / (2 * n)) * n
    ordered = np.sort(values)
    kept = np.clip(n - moved - np.arange(n), 0, 1)  # of each sample, smallest first, when the top is moved
    return float((ordered * kept).sum() / n), float(((ordered * kept[::-1]).sum() + moved) / n)


def betting_interval(values: np.ndarray, delta: float) -> tuple[float, float]:
    """asymp's interval of the mean of values in [0, 1]."""
    return Estimate(values, bounds=(0, 1)).interval(1 - delta)


def samples_until(
    interval: Callable[[np.ndarray, float], tuple[float, float]],
    draw: Callable[[int], np.ndarray],
    width: float,
) -> int:
    """Samples, to a factor of 2^(1/4), after which the interval reaches no further than `width` from the mean."""
    n = 16.0
    while True:
        values = draw(int(n))
        low, high = interval(values, FALSE_FAILURES)
        if max(values.mean() - low, high - values.mean()) <= width:
            return int(n)
        n *= 2**0.25


def samples_table() -> None:
    """Print how many samples tell a mean of values in [0, 1] to within 10 % of itself, one false failure in a million."""
    rng = np.random.default_rng(20261118)
    print("samples until a discrepancy of 10 % would be seen, false failures 1e-6")
    print(f"{'values':<34}{'TFP (DKWM)':>14}{'pytest-stochastic':>20}{'variance declared':>20}{'asymp':>10}")
    cases = {
        "0 or 1, mean 0.5": (0.5, 0.25, lambda n: (rng.random(n) < 0.5).astype(float)),
        "0 or 1, mean 0.01": (0.01, 0.0099, lambda n: (rng.random(n) < 0.01).astype(float)),
        "beta(1, 9), mean 0.1": (0.1, 0.09 / 11, lambda n: rng.beta(1, 9, n)),
        "0.1 plus or minus 0.01": (0.1, 1e-4, lambda n: 0.1 + 0.01 * rng.choice((-1.0, 1.0), n)),
    }
    for name, (mean, variance, draw) in cases.items():
        width = 0.1 * mean
        theirs = "not installed"
        if find_spec("pytest_stochastic"):
            from pytest_stochastic.selection import select_bound  # type: ignore[import-not-found,unused-ignore]

            known = {"bounds": (0, 1)}, {"bounds": (0, 1), "variance": variance}
            theirs = "".join(f"{select_bound(what, width, FALSE_FAILURES)[1]:>20,}" for what in known)
        print(
            f"{name:<34}{samples_until(dkwm_interval, draw, width):>14,}{theirs:>40}"
            f"{samples_until(betting_interval, draw, width):>10,}"
        )


def slope_coverage(studies: int = 200) -> None:
    """Print how often a 95 % interval of an exponent holds the truth: least squares on logarithms, and `fit_exponent`."""
    sizes = np.geomspace(16, 4096, 10)
    truths = {
        "x^-1/2": lambda x: x**-0.5,
        "x^-1/2 (1 + 2 (x/16)^-1/2)": lambda x: x**-0.5 * (1 + 2 * (x / 16) ** -0.5),
        "x^-1/2 + 0.01": lambda x: x**-0.5 + 0.01,
    }
    print(f"\n95 % intervals of the exponent -1/2 that hold it, {studies} studies, 10 sizes, 64 replicas, spread 20 %")
    print(f"{'truth':<34}{'least squares':>18}{'width':>9}{'asymp':>12}{'width':>9}")
    for name, truth in truths.items():
        rng = np.random.default_rng(7)
        held, widths = np.zeros((2, studies)), np.zeros((2, studies))
        for study in range(studies):
            samples = [truth(x) * rng.gamma(25, 1 / 25, 64) for x in sizes]
            for row, (low, high) in enumerate((_least_squares(sizes, samples), _ours(sizes, samples))):
                held[row, study], widths[row, study] = low <= -0.5 <= high, high - low
        print(
            f"{name:<34}{held[0].mean():>18.3f}{np.median(widths[0]):>9.3f}{held[1].mean():>12.3f}"
            f"{np.median(widths[1]):>9.3f}"
        )


def _least_squares(sizes: np.ndarray, samples: list[np.ndarray]) -> tuple[float, float]:
    """The usual regression of log means on log sizes, with its textbook interval."""
    from scipy import stats

    fit = stats.linregress(np.log(sizes), np.log([values.mean() for values in samples]))
    half = stats.t.ppf(0.975, len(sizes) - 2) * fit.stderr
    return fit.slope - half, fit.slope + half


def _ours(sizes: np.ndarray, samples: list[np.ndarray]) -> tuple[float, float]:
    return fit_exponent(sizes, samples).interval(0.95)


if __name__ == "__main__":
    samples_table()
    slope_coverage()
