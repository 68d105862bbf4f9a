"""Training that is interrupted and gone on with gives the same bits; checkpoints execute nothing; progress says what it must."""

import io
import pickle
import zipfile

import numpy as np
import pytest
import torch

from asymp.montecarlo.samplers.transformers.runs import train_facts, train_induction
from asymp.montecarlo.samplers.transformers.session import Progress, print_progress
from asymp.reports.cli.options import parse_settings

FACTS = {"S": 4, "R": 3, "D": 2, "T": 5, "d": 6, "H": 2, "d_h": 3, "m": 5, "batch": 16, "replicas": 2, "every": 5}
BIGRAMS = {"N": 6, "T": 8, "K": 2, "d": 8, "batch": 8, "replicas": 2, "every": 4}


class Stopped(Exception):
    """In the place of Ctrl-C."""


def stop_at(step):
    def progress(progress):
        if progress.step == step:
            raise Stopped

    return progress


def bits(result):
    numbers = [result.steps, result.losses, result.accuracies]
    return [x.tobytes() for x in numbers] + [p.detach().numpy().tobytes() for p in result.model.parameters()]


@pytest.mark.parametrize(
    ("train", "given"),
    [
        (train_facts, FACTS),
        (train_induction, BIGRAMS),
        (train_induction, {**BIGRAMS, "model": "full", "layers": 1}),
        (train_induction, {**BIGRAMS, "optimiser": "sgd", "lr": 0.1}),
    ],
)
def test_an_interrupted_run_goes_on_with_the_same_bits(tmp_path, train, given):
    whole = train(**given, steps=20, progress=None)
    assert whole.resumed == 0
    path = tmp_path / "run.npz"
    with pytest.raises(Stopped):
        # After the report, and the checkpoint, of its third multiple.
        train(**given, steps=20, checkpoint=path, progress=stop_at(3 * given["every"]))
    # Whatever happened to the global generator in between does not matter.
    torch.manual_seed(99)
    rest = train(**given, steps=20, checkpoint=path, progress=None)
    assert rest.resumed == 3 * given["every"]
    assert bits(rest) == bits(whole)
    # A finished run is read, not trained: and it can be made longer.
    again = train(**given, steps=20, checkpoint=path, progress=None)
    assert bits(again) == bits(whole)
    longer = train(**given, steps=23, checkpoint=path, progress=None)
    assert bits(longer) == bits(train(**given, steps=23, progress=None))
    assert not list(tmp_path.glob("*.part"))


def test_the_first_loss_and_accuracy_by_hand():
    # Losses are means since the last report: with a report every step the first is the loss of the untrained model on the
    # first batch; at most log of the number of answers plus what random logits of order one add.
    found = train_facts(**{**FACTS, "every": 1}, steps=2, progress=None)
    assert found.steps.tolist() == [0, 1, 2]
    assert np.isnan(found.losses[0]).all() and np.isfinite(found.losses[1:]).all()
    assert np.abs(found.losses[1] - np.log(6)).max() < 1
    assert ((found.accuracies >= 0) & (found.accuracies <= 1)).all()
    assert found.to_json()["losses"][0] == [None, None]
    assert "2 models trained as one" in str(found)


def test_learning_is_seen():
    found = train_facts(**{**FACTS, "m": 32, "d": 16, "H": 4, "batch": 64, "every": 100}, steps=300, progress=None)
    assert (found.accuracy > 0.95).all()
    assert (found.losses[-1] < found.losses[1]).all()


def test_progress_is_told_with_loss_accuracy_and_time_left(capsys):
    seen = []
    train_facts(**FACTS, steps=10, progress=seen.append)
    assert [p.step for p in seen] == [0, 5, 10]
    assert seen[1].left > 0 and seen[-1].left == 0
    print_progress(Progress(50, 200, 1.25, 0.5, 10.0, 30.0))
    assert capsys.readouterr().err == "step 50 of 200: loss 1.25, accuracy 50.0 %, 10 s, about 30 s left\n"
    print_progress(Progress(0, 0, float("nan"), 0.5, 0.0, 0.0))
    assert capsys.readouterr().err == "step 0 of 0: accuracy 50.0 %, 0 s\n"


def test_files_are_said_on_the_command_line():
    found = parse_settings(["checkpoint=run.npz", "text=../texts/my-own.v2.txt", "d=8"])
    assert found == {"checkpoint": "run.npz", "text": "../texts/my-own.v2.txt", "d": 8}
    for bad in ("alpha=2.x", "alpha=1.5.2", "alpha=a b.txt", "alpha=.npz"):
        with pytest.raises(ValueError, match="alpha must be a number"):
            parse_settings([bad])


class Bomb:
    def __reduce__(self):
        return (exec, ("raise SystemExit('executed')",))


def test_a_checkpoint_is_never_executed(tmp_path):
    path = tmp_path / "evil.npz"
    array = io.BytesIO()
    np.lib.format.write_array(array, np.array([Bomb()], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("settings.npy", array.getvalue())
    with pytest.raises(ValueError, match="cannot be read"):
        train_facts(**FACTS, steps=5, checkpoint=path, progress=None)
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ValueError, match="cannot be read"):
        train_facts(**FACTS, steps=5, checkpoint=path, progress=None)
    path.write_bytes(b"")
    with pytest.raises(ValueError, match="cannot be read"):
        train_facts(**FACTS, steps=5, checkpoint=path, progress=None)


def test_a_checkpoint_of_another_run_or_a_damaged_one_is_refused(tmp_path):
    path = tmp_path / "run.npz"
    train_facts(**FACTS, steps=10, checkpoint=path, progress=None)
    with pytest.raises(ValueError, match="another run"):
        train_facts(**{**FACTS, "lr": 0.5}, steps=10, checkpoint=path, progress=None)
    with pytest.raises(ValueError, match="another run"):
        train_facts(**FACTS, steps=10, seed=3, checkpoint=path, progress=None)
    with pytest.raises(ValueError, match="steps must be at least 10"):
        train_facts(**FACTS, steps=5, checkpoint=path, progress=None)
    with np.load(path) as kept:
        arrays = {name: kept[name] for name in kept.files}
    np.savez(path, **{name: value for name, value in arrays.items() if name != "model Q1"})
    with pytest.raises(ValueError, match="damaged"):
        train_facts(**FACTS, steps=10, checkpoint=path, progress=None)
    np.savez(path, **{**arrays, "model Q1": arrays["model Q1"][:1]})
    with pytest.raises(ValueError, match="damaged"):
        train_facts(**FACTS, steps=10, checkpoint=path, progress=None)


def test_a_text_of_ones_own(tmp_path):
    text = tmp_path / "mine.txt"
    text.write_text("to be or not to be, that is the question. " * 20, encoding="utf-8")
    found = train_induction(text=str(text), T=12, K=2, d=8, batch=8, steps=2, progress=None)
    assert found.model.shape.vocabulary == len(set(text.read_text(encoding="utf-8")))
    # Another text under the same name is another run.
    path = tmp_path / "run.npz"
    train_induction(text=str(text), T=12, K=2, d=8, batch=8, steps=2, every=2, checkpoint=path, progress=None)
    text.write_text("ab, be or not to be, that is the question. " * 20, encoding="utf-8")
    with pytest.raises(ValueError, match="another run"):
        train_induction(text=str(text), T=12, K=2, d=8, batch=8, steps=2, every=2, checkpoint=path, progress=None)


@pytest.mark.parametrize("content", [b"", b"aaaa", b"\xff\xfe\x00", None])
def test_a_bad_text_is_told_in_one_sentence(tmp_path, content):
    text = tmp_path / "bad.txt"
    if content is not None:
        text.write_bytes(content)
    with pytest.raises(ValueError, match="^text must be a (text )?file") as told:
        train_induction(text=str(text), steps=1, progress=None)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"replicas": 1000}, "replicas must be at most 64"), ({"replicas": 0}, "replicas must be"),
        ({"steps": -1}, "steps must be"),
        ({"every": 0}, "every must be"), ({"checkpoint": "run.pt"}, "ends in .npz"), ({"seed": 0.5}, "seed must be"),
        ({"precision": "half"}, "precision must be"), ({"precision": "mixed", "device": "cpu"}, "for a GPU"),
        ({"compiled": True, "device": "cpu"}, "for a GPU"), ({"device": "tpu"}, "device must be"), ({"batch": 0}, "batch must be"),
    ],
)  # fmt: skip
def test_bad_input_is_told(options, words):
    with pytest.raises(ValueError, match=words):
        train_facts(**{**FACTS, "steps": 1, **options}, progress=None)
