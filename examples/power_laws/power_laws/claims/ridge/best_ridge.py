"""best-ridge: the ridge v P, run by run."""

from asymp.reports.declaring import Claim, Draw, Grid, Order, settings
from power_laws.samplers.ridge.isotropic import best_ridges

CLAIM = Claim(
    id="best-ridge",
    title="The best ridge on isotropic data",
    source="hastie2019, as recalled",
    simulation="Isotropic data are drawn and fitted with two ridges; a run is the quotient of the two excess risks.",
    parts=(
        Order(
            "source",
            "A ridge eight times larger or smaller than v P does worse.",
            above=1.0,
            quantity="risk over that of the best ridge",
            about=("n", "P", "v"),
            stated_in="hastie2019, as recalled",
            conventions="Isotropic features, a target of P weights of variance 1/P each, noise of variance v.",
            experiment=best_ridges,
            grid=Grid(settings(n=128, P=64, v=0.5, factor=(0.125, 8.0))),
            draw=Draw("a factor near 1 decides nothing run by run", {"factor": None}),
        ),
    ),
)
