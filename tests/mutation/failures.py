"""What the name Failure means in a formula: the probability that x is not recalled, by loops, for two outputs on the sphere."""

from functools import lru_cache
from math import factorial, prod

import mpmath
from second_routes.recall import pair_miss
from second_routes.tools import zipf

# What Failure is a function of, in each law's formula.
FAILURES = {
    "exact-recall-error": ("M", "d", "rho", "P", "T"),
    "threshold-scheme": ("M", "d", "rho", "P", "T"),
    "power-scheme": ("M", "d", "rho", "T"),
    "fill-scheme": ("M", "d", "T"),
    "exact-recall-error:item": ("q", "S", "M", "d"),
    "error-map": ("M", "d", "T", "rho"),
}

# the same weights come back for many inputs, samples and mutants
missed = lru_cache(maxsize=4096)(lambda own, rest, d, digits: pair_miss(own, rest, d))


def failure(law, full):
    """The function of that name, for a law that has it; `full` are all of the point's values."""
    if law.id not in FAILURES:
        return {}

    def of(x, *arguments):
        given = dict(zip(FAILURES[law.id], arguments, strict=True))
        if given["M"] != 2:
            raise ValueError("only two outputs are done here")
        if "q" in given:  # one item of the weight q, the first
            if x != 1:
                raise ValueError("only the item itself is done here")
            return _alone([given["q"] ** 2], 1, given["d"], given["S"] - given["q"] ** 2)
        p = zipf(mpmath.mpf(full["alpha"].numerator) / full["alpha"].denominator, full["N"])
        T, rho = given["T"], given.get("rho", 0)
        if mpmath.inf == T:
            last = given.get("P", mpmath.inf)
            return _alone([v ** (2 * rho) if k <= last else 0 for k, v in enumerate(p, 1)], x, given["d"])
        # the counts n of T samples are multinomial; what was seen has the weight (n/T)^rho
        return mpmath.fsum(
            _chance(counts, p) * _alone([(mpmath.mpf(n) / T) ** (2 * rho) if n else 0 for n in counts], x, given["d"])
            for counts in _counts(T, len(p))
        )

    return {"Failure": of}


def _alone(squares, x, d, more=0):
    """The miss of input x among these squared weights, the chi variable integrated."""
    own, rest = mpmath.mpf(squares[int(x) - 1]), [w for k, w in enumerate(squares, 1) if k != x]
    return missed(own, mpmath.fsum(sorted([*rest, more])), mpmath.mpf(d), mpmath.mp.dps)


def _counts(total, places):
    """All ways in which so many samples fall on so many inputs."""
    if total != int(total) or total < 0:
        raise ValueError("samples are counted")
    if places == 1:
        return [(int(total),)]
    return [(n, *others) for n in range(int(total) + 1) for others in _counts(total - n, places - 1)]


def _chance(counts, p):
    ways = factorial(sum(counts)) // prod(factorial(n) for n in counts)
    return ways * mpmath.fprod(v**n for v, n in zip(p, counts, strict=True))
