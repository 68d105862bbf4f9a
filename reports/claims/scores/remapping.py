"""remapping: a random matrix keeps the length of an embedding and sends it in a nearly orthogonal direction."""

from collections.abc import Callable

from asymp.montecarlo.samplers.scores.remapping import remapping_law_experiment, remapping_moment_experiment
from asymp.reports.claim import Claim
from asymp.reports.claims.scores import BOTH, order_in_words
from asymp.reports.grid import Grid, Setting, settings
from asymp.reports.kinds import Constant, Identity, Rate
from asymp.theory import laws

OVERLAP = {"of": "overlap", "order": 1, "probes": 128, "embeddings": BOTH}


def rate_replicas(least: int) -> Callable[[Setting], int]:
    """More matrices where they are small: there the embeddings of one replica are far from independent."""
    return lambda setting: max(least, 64 * least // setting["d"])


def quick_replicas(setting: Setting) -> int:
    """Replicas of a quick check: the overlap fluctuates more than the length."""
    return 16384 if setting["of"] == "overlap" else 8192


def moment_replicas(setting: Setting) -> int:
    """Replicas of a standard check: the overlap fluctuates more than the length, and few dimensions more than many."""
    if setting["d"] < 16 or (setting["order"] == 4 and setting["of"] == "overlap"):
        return 65536
    return 8192 if setting["of"] == "norm" else 32768 if setting["d"] == 16 else 16384


CLAIM = Claim(
    id="remapping",
    title="A random matrix applied to a random embedding",
    source="bietti2025, bietti2024",
    order=7,
    parts=(
        Rate(
            "source",
            "The mean of |u^T W u| decays with the exponent -1/2 in d.",
            law=laws["remapping:source"],
            experiment=remapping_moment_experiment,
            grid=Grid(
                settings(**OVERLAP, d=(2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256)),
                settings(**OVERLAP, d=(2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)),
                replicas=(rate_replicas(128), rate_replicas(256)),
            ),
            variable="d",
        ),
        Identity(
            "sharp",
            "Even moments of u^T W u and of |W u| equal the Wick contraction at finite d.",
            law=laws["remapping"],
            experiment=remapping_moment_experiment,
            # Fourth powers of the overlap have the heaviest tails, the heavier the smaller d: they are left to the standard
            # check.
            grid=Grid(
                [
                    *settings(d=16, of="overlap", order=2, embeddings=BOTH, probes=16),
                    *settings(d=16, of="norm", order=(2, 4), embeddings=BOTH, probes=16),
                ],
                [
                    *settings(d=(4, 16, 64), of=("overlap", "norm"), order=2, embeddings=BOTH, probes=16),
                    *settings(d=(4, 16, 64), of="norm", order=4, embeddings=BOTH, probes=16),
                    *settings(d=16, of="overlap", order=4, embeddings=BOTH, probes=64),
                ],
                replicas=(quick_replicas, moment_replicas),
            ),
            to_law=order_in_words,
        ),
        Constant(
            "source-length",
            "The mean of |W u| is 1 within 10 % from d = 16 on.",
            law=laws["remapping:source-norm"],
            experiment=remapping_moment_experiment,
            grid=Grid(
                settings(of="norm", order=1, probes=64, embeddings=BOTH, d=(16, 64)),
                settings(of="norm", order=1, probes=64, embeddings=BOTH, d=(16, 64, 256)),
                replicas=(128, 512),
            ),
            x_axis="d",
        ),
        Identity(
            "given-u",
            "Given u, u^T W u is normal with variance |u|^4/d and |W u|^2 is |u|^2 times chi-square over d.",
            law=laws["remapping:given-u"],
            experiment=remapping_law_experiment,
            grid=Grid(
                [
                    {"d": 8, "r": r, "t": t, "of": of}
                    for of, r, t in (
                        ("overlap", 1.0, 0.2),
                        ("overlap", 1.5, -0.1),
                        ("norm", 1.0, 0.9),
                        ("norm", 0.5, 0.3),
                    )
                ],
                [
                    {"d": d, "r": r, "t": t * (r**2 / d**0.5 if of == "overlap" else r**2), "of": of}
                    for d in (1, 4, 16)
                    for r in (0.5, 1.0, 2.0)
                    for of, t in (("overlap", -0.5), ("overlap", 1.0), ("norm", 0.8), ("norm", 1.2))
                ],
                replicas=(65536, 131072),
            ),
        ),
    ),
)
