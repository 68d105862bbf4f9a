"""Tables: every way in gives the same, columns are guessed and said, bad input is one sentence."""

import json

import numpy as np
import pytest

from asymp.montecarlo.fit.table import read_table

COLUMNS = {"params": [1e6, 1e7, 1e8], "tokens": [1e9, 3e9, 2e10], "loss": [4.0, 3.5, 3.1], "seed": [0, 1, 2]}


class Frame:
    """What a data frame is to us: columns and a way to take one."""

    columns = tuple(COLUMNS)

    def __getitem__(self, name):
        return np.array(COLUMNS[name])


def written(tmp_path, name):
    path = tmp_path / name
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
    if name.endswith("jsonl"):
        path.write_text("\n".join(map(json.dumps, rows)))
    elif name.endswith("parquet"):
        pa = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pa.table(COLUMNS), path)
    else:
        path.write_text("\n".join([",".join(COLUMNS), *(",".join(map(str, row.values())) for row in rows)]))
    return path


@pytest.mark.parametrize("how", ["t.csv", "t.jsonl", "t.parquet", "mapping", "frame"])
def test_every_way_in_gives_the_same_table(tmp_path, how):
    data = {"mapping": COLUMNS, "frame": Frame()}.get(how) or written(tmp_path, how)
    table = read_table(data)
    assert table.variables == ("params", "tokens") and table.quantity == "loss"
    np.testing.assert_array_equal(table.x, np.stack([COLUMNS["params"], COLUMNS["tokens"]], axis=1))
    assert any("taken for the sizes" in note for note in table.notes)


def test_tokens_come_from_flop():
    table = read_table({"Model Size": [1e6, 2e6], "Training FLOP": [6e15, 36e15], "loss": [3, 2]})
    assert table.variables == ("Model Size", "tokens")
    np.testing.assert_allclose(table.x[:, 1], [1e9, 3e9])


@pytest.mark.parametrize(
    ("columns", "options", "says"),
    [
        ({"a": [1, 2], "loss": [1, 2]}, {}, "plainly a size"),
        ({"params": [1, 2]}, {}, "no column is called loss"),
        (COLUMNS, {"y": "los"}, "did you mean 'loss'"),
        ({"params": [1, "many"], "loss": [1, 2]}, {}, "row 2 has params = 'many'"),
        ({"params": [1, 2], "loss": [1, float("nan")]}, {}, "row 2 has loss = nan"),
        ({"params": [0, 2], "loss": [1, 2]}, {}, "must be above 0"),
        ({"params": [1, 2], "loss": [1, -2]}, {}, "must be above 0"),
        ({"params": [5, 5], "loss": [1, 2]}, {"x": "params"}, "all rows have params = 5"),
        ({"params": [5, 5], "loss": [1, 2]}, {}, "all rows have params = 5"),
        ({"params": [5, 6], "loss": [2, 2]}, {}, "a fit needs losses that vary"),
        ({"params": [1, 2], "loss": [1, 2, 3]}, {}, "the same length"),
        (COLUMNS, {"where": "loss smaller 3"}, "where must be"),
        (COLUMNS, {"where": "loss<1"}, "no row has"),
        (COLUMNS, {"x": "params,tokens,seed"}, "one column of sizes or two"),
        (COLUMNS, {"trials": 100}, "a share below 1"),
        (COLUMNS, {"trials": "1e3"}, "a share below 1"),
        (COLUMNS, {"trials": "many"}, "there is no column 'many'"),
        (COLUMNS, {"x": "loss"}, "cannot be both a size and the loss"),
        (COLUMNS, {"error": "loss"}, "cannot be both the loss and its error"),
        (COLUMNS, {"x": "params", "error": "params"}, "cannot be both a size and its error"),
        ({"params": ["9" * 500, 2], "loss": [1, 2]}, {}, "every row needs a finite number"),
        ("nowhere.csv", {}, "there is no file"),
        (3, {}, "data must be a file"),
    ],
)
def test_bad_input_is_one_sentence(columns, options, says):
    with pytest.raises(ValueError, match=".") as error:
        read_table(columns, **options)
    assert says in str(error.value) and "\n" not in str(error.value)


def test_a_ragged_file_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("params,loss\n1,2\n3\n")
    with pytest.raises(ValueError, match="line 3"):
        read_table(path)


def test_a_cell_that_is_too_long_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("params,loss\n" + "1" * 200_000 + ",2\n")
    with pytest.raises(ValueError, match="t.csv is no CSV file"):
        read_table(path)


def test_a_row_that_is_there_twice_is_refused_in_a_file_and_counted_once_in_arrays(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("params,loss\n1,2\n3,1\n1,2\n")
    with pytest.raises(ValueError, match="rows 1 and 3 are the same in every column"):
        read_table(path)
    table = read_table({"params": [1, 3, 1], "loss": [2, 1, 2]})
    assert len(table) == 2 and "1 rows that are the same" in " ".join(table.notes)
