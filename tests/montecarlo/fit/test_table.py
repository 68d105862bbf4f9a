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


@pytest.mark.parametrize("how", ["t.csv", "t.jsonl", "t.parquet", "mapping", "frame", "arrow"])
def test_every_way_in_gives_the_same_table(tmp_path, how):
    arrow = pytest.importorskip("pyarrow").table if how == "arrow" else dict
    data = {"mapping": COLUMNS, "frame": Frame(), "arrow": arrow(COLUMNS)}.get(how) or written(tmp_path, how)
    table = read_table(data)
    assert table.variables == ("params", "tokens") and table.quantity == "loss"
    np.testing.assert_array_equal(table.x, np.stack([COLUMNS["params"], COLUMNS["tokens"]], axis=1))
    assert any("taken for the sizes" in note for note in table.notes)


def test_tokens_come_from_flop():
    table = read_table({"Model Size": [1e6, 2e6], "Training FLOP": [6e15, 36e15], "loss": [3, 2]})
    assert table.variables == ("Model Size", "tokens")
    np.testing.assert_allclose(table.x[:, 1], [1e9, 3e9])


@pytest.mark.parametrize(
    ("columns", "x", "variables"),
    [
        ({"N": [1e6, 2e6], "C": [6e15, 36e15]}, None, ("N", "tokens")),
        ({"N": [1e6, 2e6], "C": [6e15, 36e15]}, "N,C", ("N", "tokens")),
        ({"N": [1e6, 2e6], "compute": [6e15, 36e15]}, "compute,N", ("N", "tokens")),
        ({"D": [1e9, 3e9], "train_flops": [6e15, 36e15]}, ["D", "train_flops"], ("params", "D")),
        ({"D": [1e9, 3e9], "C": [6e15, 36e15]}, ("C", "D"), ("params", "D")),
    ],
)
def test_flop_stands_for_the_size_that_is_missing_wherever_it_is_named(columns, x, variables):
    table = read_table({**columns, "loss": [3, 2]}, x=x)
    assert table.variables == variables
    np.testing.assert_allclose(table.x, [[1e6, 1e9], [2e6, 3e9]])


def test_a_letter_that_need_not_be_flop_is_a_size_like_others():
    assert read_table({"width": [1, 2], "C": [3, 5], "loss": [3, 2]}, x="width,C").variables == ("width", "C")


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
        ({"params": [1e9, 2e9], "compute": [1, 2], "loss": [3, 2]}, {}, "is compute counted in FLOP?"),
        ({"params": [], "loss": []}, {}, "the table has no rows"),
        ({"params": [1, 2], "loss": [1j, 2]}, {}, "row 1 has loss = 1j"),
        (COLUMNS, {"x": 5}, "there is no column '5'"),
        (COLUMNS, {"y": 5}, "there is no column '5'"),
        (COLUMNS, {"run": ["id"]}, "there is no column"),
        (COLUMNS, {"error": 0}, "there is no column '0'"),
        (COLUMNS, {"where": 5}, "where must be"),
        (COLUMNS, {"trials": [1, 2]}, "there is no column"),
        (COLUMNS, {"trials": True}, "there is no column 'True'"),
        ({"params": [1, 2], "loss": [0.5, 0.2]}, {"trials": "0"}, "trials at least 1"),
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


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("t.csv", "1e6,3\n1e7,2\n", "the first line of t.csv must name the columns"),
        ("t.jsonl", "[" * 100_000, "line 1 of t.jsonl is no JSON object"),
        ("t.jsonl", '{"params": ' + "1" * 5000 + "}", "line 1 of t.jsonl is no JSON object"),
    ],
)
def test_a_file_that_holds_no_table_is_refused(tmp_path, name, text, says):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=says):
        read_table(tmp_path / name)


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
