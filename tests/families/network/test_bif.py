"""BIF files: what is accepted, and what is said of broken ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.families.network import bif
from discreet.families.network.model import BayesNet

GOOD = """
// a comment
network "my net" { property author x; }
variable A { type discrete [ 2 ] { yes, "not yes" }; property position = (1, 2); }
variable B {
  type discrete [ 3 ] { 0, 1, 2 };
}
probability ( A ) { table 0.25, 0.75; }
probability ( B | A ) { /* two
lines */
  (yes) 0.1, 0.2, 0.7;
  default 0.3, 0.3, 0.4;
}
"""


def load(text: str, tmp_path: Path) -> BayesNet:
    path = tmp_path / "net.bif"
    path.write_text(text, encoding="utf-8")
    return BayesNet.from_bif(path)


def test_what_is_accepted(tmp_path: Path) -> None:
    net = load(GOOD, tmp_path)
    assert net.states == {"A": ("yes", "not yes"), "B": ("0", "1", "2")}
    assert net.conditional("B").tolist() == [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]
    # a table of a node with parents: the node varies slowest
    text = GOOD[: GOOD.index("probability ( B")]
    text += "probability ( B | A ) { table 0.1, 0.3, 0.2, 0.3, 0.7, 0.4; }"
    assert load(text, tmp_path).conditional("B").tolist() == [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("[ 3 ]", "[ 4 ]", "line 6: 'B' has 3 states, declared are '4'"),
        ("(yes) 0.1", "(no) 0.1", "line 11: 'no' is no state of 'A'"),
        ("0.2, 0.7;", "0.2;", "line 11: expected 3 numbers, got 2"),
        (
            "0.2, 0.7;",
            "0.2, 0.9;",
            "line 11: row (yes) of the table of 'B' does not sum to 1 but to 1.2",
        ),
        ("(yes) 0.1, 0.2", "(yes) -0.1, 0.4", "line 11: row (yes) of the table of 'B' has a neg"),
        ("default 0.3", "default 0.5", "line 12: the default row of the table of 'B' does not sum"),
        ("default 0.3", "(yes) 0.3", "line 12: row (yes) of the table of 'B' is given twice"),
        ("(yes) 0.1, 0.2, 0.7", "default 0.1, 0.2, 0.7", "line 12: the table of 'B' has two def"),
        ("{ table", "{ table 0.5, 0.5; table", "line 8: the table of 'A' is given twice"),
        ("table 0.25, 0.75", "table 0.25, 0.7", "line 8: the table of 'A' does not sum to 1"),
        ("{ table 0.25, 0.75; }", "{ }", "line 8: the table of 'A' has no row"),
        ("0.2, 0.7;", "0.2, nan;", "line 11: expected numbers"),
        ("{ 0, 1, 2 }", "{ 0, 1, 0 }", "line 6: 'B' has state '0' twice"),
        ("0.2, 0.7;", "0.2, x;", "line 11: expected numbers"),
        ("  default 0.3, 0.3, 0.4;\n", "", "line 12: the table of 'B' has no row (not yes)"),
        ("( B | A )", "( B | C )", "line 9: 'C' is no declared variable"),
        ("probability ( A ) { table 0.25, 0.75; }", "", "line 13: variable 'A' has no probability"),
        ("discrete [ 3 ]", "continuous", "line 6: expected discrete, got 'continuous'"),
        ("variable B", "variable A", "line 5: variable 'A' is declared twice"),
        ("{ table 0.25", "{ 0.25", "line 8: expected a row of the table of 'A', got '0.25'"),
        ("(yes)", "(yes, yes)", "line 11: expected states of 1 parents, got 2"),
        ("network", "graph", "line 3: expected network, variable or probability"),
        ("0.3, 0.3, 0.4;\n}", "0.3, 0.3, 0.4;\n", "the file ends too early"),
    ],
)
def test_broken_files(old: str, new: str, sentence: str, tmp_path: Path) -> None:
    assert old in GOOD
    with pytest.raises(dp.InputError) as caught:
        load(GOOD.replace(old, new), tmp_path)
    assert sentence in str(caught.value)
    assert caught.value.argument == "path"


def test_a_default_comes_before_or_after_the_rows(tmp_path: Path) -> None:
    row, default = "  (yes) 0.1, 0.2, 0.7;\n", "  default 0.3, 0.3, 0.4;\n"
    turned = load(GOOD.replace(row + default, default + row), tmp_path)
    assert turned.conditional("B").tolist() == load(GOOD, tmp_path).conditional("B").tolist()


def test_the_row_of_a_whole_table_is_named(tmp_path: Path) -> None:
    text = GOOD[: GOOD.index("probability ( B")]
    text += "probability ( B | A ) { table 0.1, 0.3, 0.2, 0.3, 0.7, 0.5; }"
    with pytest.raises(
        dp.InputError, match=r"line 9: row \(not yes\) of the table of 'B' does not"
    ):
        load(text, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "network,Grippe\n1,2",
        "variable,Grippe\n1,2",
        "variable Grippe\n",
        "variable Grippe { Grippe",
        "variable Grippe { }",
        "variable x { type Grippe",
        "variable x { type discrete [ Grippe ] { Grippe }; }",
        "variable x { type discrete [ 2 ] { Grippe, Grippe }; }",
        "variable x { type discrete [ 2 ] { 1 Grippe }; }",
        "variable x { type discrete [ 1 ] { 1 } Grippe }",
        "probability ( Grippe )",
        "network { } Grippe",
    ],
)
def test_a_file_without_a_variable_is_not_quoted(text: str, tmp_path: Path) -> None:
    with pytest.raises(dp.InputError, match=r"line \d") as caught:
        load(text, tmp_path)
    assert "Grippe" not in str(caught.value)


def test_a_byte_order_mark_is_no_word(tmp_path: Path) -> None:
    assert load("\ufeff" + GOOD.lstrip(), tmp_path).nodes == ("A", "B")


@pytest.mark.parametrize("path", [None, 3, "", b"net.bif", "\0"])
def test_what_is_no_path(path: Any) -> None:
    with pytest.raises(dp.InputError) as caught:
        BayesNet.from_bif(path)
    assert str(caught.value) == f"path must be the name of a file, got {path!r}"
    assert caught.value.argument == "path"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for text, sentence in (("", "there is no variable"), ("\n\nnetwork", "ends too early")):
        with pytest.raises(dp.InputError, match=sentence):
            load(text, tmp_path)
    with pytest.raises(dp.InputError, match="cannot be read: No such file"):
        BayesNet.from_bif(tmp_path / "no.bif")
    (tmp_path / "net.bif").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(dp.InputError, match=r"net\.bif' cannot be read: it is not a text"):
        BayesNet.from_bif(tmp_path / "net.bif")
    cycle = GOOD.replace("probability ( A ) { table 0.25, 0.75; }", "").replace(
        "( B | A )", "( B )"
    )
    cycle = cycle[: cycle.index("probability")]
    cycle += "probability ( A | B ) { default 0.5, 0.5; }\n"
    cycle += "probability ( B | A ) { default 0.2, 0.3, 0.5; }"
    with pytest.raises(dp.InputError, match="cycle: A ← B ← A"):
        load(cycle, tmp_path)


names = st.text(
    st.characters(
        codec="utf-8",
        exclude_characters='"\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029',
        exclude_categories=["Cc", "Cs"],
    ),
    min_size=1,
    max_size=8,
)


@given(st.lists(names, min_size=2, max_size=5, unique=True), st.data())
def test_there_and_back(labels: list[str], data: st.DataObject) -> None:
    node = data.draw(names)
    weights = np.array(
        data.draw(st.lists(st.integers(1, 99), min_size=len(labels), max_size=len(labels)))
    )
    table = weights / weights.sum()
    text = bif.write({node: ()}, {node: labels}, {node: table})
    parents, states, tables = bif.parse(text)
    assert (parents, states) == ({node: ()}, {node: tuple(labels)})
    assert tables[node].ravel() == pytest.approx(table, abs=1e-15)
