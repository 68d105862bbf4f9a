"""hallucination-phase: a memory of facts first predicts what the relation alone allows, then the fact."""

from functools import partial

from asymp.montecarlo.samplers.transformers import hallucination_phase as sampled
from asymp.reports.declaring import Cell, Claim, Constant, Draw, Entrywise, Grid, Order, few_draws, laws, settings

MANY = Grid(settings(S=16, R=4, D=8))
# S < R sqrt((D - 1)/(R - 1)) = 7.2
FEW = Grid(settings(S=4, R=16, D=4))


def balanced(cell: Cell) -> Cell:
    """As many subjects with each answer, and more subjects than relations."""
    D = cell["D"]
    return {**cell, "S": D * max(1, -(-max(cell["S"], 4 * cell["R"]) // D))}


FLOW = "answers are balanced; 'many subjects' are four times the relations and more, and the flow takes long in many dimensions"


def drawn(examples: int) -> Draw:
    """Sizes with many subjects."""
    ranges = {"S": (8, 24), "R": (2, 4), "D": (2, 8)}
    return few_draws(examples, 2, trained=True, fit=balanced, ranges=ranges, reason=FLOW)


FEW_SUBJECTS = few_draws(1, 2, trained=True, ranges={"S": None, "R": (12, 16), "D": None}, reason=FLOW)


constant = partial(Constant, experiment=sampled.plateau_loss_experiment, margin=0.05)

CLAIM = Claim(
    id="hallucination-phase",
    title="A phase that predicts from the relation alone",
    source="bietti2025, bietti2024",
    order=9,
    parts=(
        constant(
            "source",
            "An intermediate phase predicts p(a|r): its loss is log D.",
            law=laws["hallucination-phase:source"],
            grid=MANY,
            draw=drawn(2),
        ),
        Order(
            "source-converges",
            "The flow goes on to zero loss: within 4000 units of time it falls below a hundredth of its start, with many "
            "subjects and with few.",
            below=0.01,
            experiment=sampled.final_loss_experiment,
            grid=Grid([*MANY.settings, *FEW.settings]),
            quantity="L(end)/L(0)",
            about=("S", "R", "D"),
            stated_in="bietti2025, theorem on the training dynamics of factual recall (informal)",
            conventions="Without noise tokens; nothing is random, so that all runs are one.",
            draw=few_draws(
                1, 2, trained=True, fit=balanced, ranges={"S": (8, 24), "R": (2, 4), "D": (2, 8)}, reason=FLOW
            ),
        ),
        Constant(
            "sharp",
            "The relation and the subject are learnt at the predicted times.",
            law=laws["hallucination-phase"],
            experiment=sampled.learning_time_experiment,
            grid=Grid(settings(S=16, R=4, D=8, init=1e-5, token=("relation", "subject"))),
            margin=0.02,
            draw=drawn(2),
        ),
        Entrywise(
            "conserved",
            "For every token |V(., z)|^2 - w(z)^2 stays what it was at the start, all along the flow.",
            law=laws["hallucination-phase:conserved"],
            experiment=sampled.conserved_drift_experiment,
            grid=MANY,
            # The Runge-Kutta method keeps it to 1e-14 of the end, of which the start, (R D - 1) init^2, is 2e-10.
            draw=drawn(1),
        ),
        constant(
            "source-few",
            "With few subjects and many relations, too, the loss of the intermediate phase is log D.",
            law=laws["hallucination-phase:source"],
            grid=FEW,
            erratum=laws["hallucination-phase:source"].errata[0],
            draw=FEW_SUBJECTS,
        ),
        constant(
            "few-subjects",
            "With few subjects and many relations the phase predicts p(a|s): its loss is log R.",
            law=laws["hallucination-phase:plateau"],
            grid=FEW,
            draw=FEW_SUBJECTS,
        ),
    ),
)
