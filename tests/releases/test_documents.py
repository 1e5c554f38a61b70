"""Documents of every mechanism, edited and signed anew: refused, or read as they stand."""

from __future__ import annotations

import json
import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import discreet as dp
from discreet.core.families import options_of
from discreet.errors import DocumentError
from tests.golden.cases import CASES, NAMES, Place, at, changed, made, places, signed, without
from tests.specs import MECHANISMS, NETWORK_MECHANISMS, NORMAL_MECHANISMS, REGRESSION_MECHANISMS

AB = dp.BetaBinomial()
HERE = Path(__file__).parents[1]
SCHEMA = json.loads((HERE.parent / "docs" / "release.schema.json").read_text(encoding="utf-8"))
OLD_FILE = HERE / "golden" / "releases_0_1_0.jsonl"
OLD = {
    line["name"]: line["release"]
    for line in map(json.loads, OLD_FILE.read_text(encoding="utf-8").splitlines())
}
WRONG: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 7, 10**30, 1.0, 0.5, float("nan")),
    *("", "x", "0", "1", "-1", "1/2", "nan", "1e999999999", "\0", "declared", "sum of the counts"),
    *("substitute", "add-remove", "attribute", "lattice", "theorem", "DirichletMultinomial"),
    *([], [1], ["x"], [None], [[]], {}, {"exact": "1"}, {"law": "Beta", "parameters": []}),
)
# what a document may say freely: nothing else in it has to do with it, or only a new audit has
FREE = re.compile(
    r"software|simulated|column|where|dropped|other|receipt(\.\w+)?|n_source"
    r"|model\.(categories|prior|noise|mean|X|bounds)(\.\d+)*|model\.(y|radius|grid)"
    r"|model\.by(\.column|\.(groups|categories)\.\d+)?|model\.nodes(\.\d+\.(name|states|prior)(\.\d+)?)?"
    r"|model\.(prior_mean|prior_variance|variance)|model\.covariance(\.\d+)*"
    r"|options\.(postprocess|gamma|omega|weight|norm|t)(\.exact)?|raw\.\d+"
    r"|guarantee\.basis\.certificate\.(software|scale|bounds\.\w+|witness\.\w+(\.\d+)?)"
)
LABEL = re.compile(r"model\.(by\.)?(categories|groups)\.\d+|model\.nodes\.\d+\.states\.\d+")
MAY_BE_NONE = re.compile(r"column|where|other|receipt|model\.radius|options\.(postprocess|omega)")
# n is not in the output: of noise that does not keep it, of parameters, of a program's draws
N_IS_FREE = (
    *("gaussian clipped", "gaussian raw"),
    *("network laplace_updates", "network posterior_sample", "network posterior_sample, coarse"),
    *("network attribute", "network map"),
    *("network posterior_sample, tempered", "network posterior_sample, many states"),
    *("line sample", "line sample, coarse", "program of a number", "program of many parameters"),
)


@cache
def document(name: str) -> dict[str, Any]:
    return dict(json.loads(made(name).to_json()))


def text(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def test_every_mechanism_is_there() -> None:
    named = {(type(case[1]), case[3]) for case in CASES.values()}
    assert {name for kind, name in named if kind is dp.BayesNet} == set(NETWORK_MECHANISMS)
    assert {name for kind, name in named if kind is dp.NormalMean} == set(NORMAL_MECHANISMS)
    assert {name for kind, name in named if kind is dp.LinearRegression} == set(
        REGRESSION_MECHANISMS
    )
    assert {name for _, name in named} >= set(MECHANISMS)
    assert set(OLD) < set(NAMES)


@pytest.mark.parametrize("name", OLD)
def test_what_was_written_is_read(name: str) -> None:
    """By this version and by 0.1.0; a ledger keeps the keys of a document sorted."""
    for stored in (document(name), OLD[name]):
        jsonschema.validate(stored, SCHEMA)
        written = json.dumps(stored, indent=2, ensure_ascii=False)
        assert dp.Release.from_json(stored).to_json() == written
        assert dp.Release.from_json(text(stored)).to_json() == written


def edits(old: Any, rng: random.Random | None) -> list[Any]:
    """Other values for a part of a document."""
    found = [value for value in WRONG if text(value) != text(old)]
    if rng is not None:
        found = rng.sample(found, 6)
    if isinstance(old, list) and old:
        found += [old[:-1], [*old, old[-1]], [old], old[::-1]]
    elif isinstance(old, dict):
        found += [old | {"more": 1}, [old]]
    elif isinstance(old, int) and not isinstance(old, bool):
        found += [old + 1, float(old), str(old)]
    elif isinstance(old, str):
        found += [f"{old} ", [old]]
    return [value for value in found if text(value) != text(old)]


def check_edit(name: str, place: Place, value: Any, edited: dict[str, Any]) -> None:
    """Refused with an error of our own, or a release that says what the document says."""
    old, shown = at(document(name), place), ".".join(map(str, place))
    try:
        release = dp.Release.from_json(edited)
    except DocumentError:
        return
    assert text(json.loads(release.to_json())) == text(edited), (shown, value)
    free = FREE.fullmatch(shown) or (shown == "n" and name in N_IS_FREE)
    free = free or (shown == "raw" and set(release.value) == {0})  # whatever lies below 0
    free = free or shown.endswith("version")  # whose options say all, they mean the same
    assert free or (name, shown) == ("ehdl", "epsilon"), (shown, value)
    if LABEL.fullmatch(shown):
        assert isinstance(value, (str, int)), (shown, value)
    elif value is None or old is None:
        assert MAY_BE_NONE.fullmatch(shown) or shown == "options.weight", (shown, value)
    else:
        assert type(value) is type(old), (shown, value)


@pytest.mark.parametrize(
    ("name", "all_values"),
    [
        *((name, False) for name in OLD),
        *(pytest.param(name, True, marks=pytest.mark.slow) for name in NAMES),
    ],
)
def test_an_edited_part_is_refused_or_read_as_it_stands(name: str, all_values: bool) -> None:
    rng = None if all_values else random.Random(name)
    whole = document(name)
    for place in places(whole):
        if place[-1] == "sha256":
            continue
        for value in edits(at(whole, place), rng):
            try:
                edited = signed(changed(whole, place, value))
            except ValueError:  # what has no digest
                continue
            check_edit(name, place, value, edited)
        if place != ("model", "by") and isinstance(place[-1], str):  # cells are labels, too
            cut = signed(without(whole, place))
            with pytest.raises(DocumentError):
                dp.Release.from_json(cut)


@pytest.mark.parametrize("name", NAMES)
def test_the_length_of_the_output_and_the_guarantee_are_not_free(name: str) -> None:
    whole = document(name)
    promised = whole["guarantee"]
    for change in (
        *({"raw": raw} for raw in (whole["raw"][:-1], [*whole["raw"], 0], [], [0] * 50)),
        *({"value": value} for value in ([], None, [7], [{"exact": "7"}], {"exact": "70"})),
        *(
            {"guarantee": promised | edit}
            for edit in (
                {"epsilon": "1/1000"},
                {"delta": "1/1000"},
                {"unit": "somebody"},
                {"max_per_unit": 4},
                {"basis": {"kind": "theorem", "statement": "trust me", "reference": "me"}},
            )
        ),
        {"options": whole["options"] | {"unit": "patient", "max_per_unit": 3}},
        {"options": whole["options"] | {"more": 1}},
        {"n": -1},
        {"n": True},
    ):
        with pytest.raises(DocumentError):
            dp.Release.from_json(signed(whole | change))
    if name not in (*N_IS_FREE, "nobody") and whole["n"] is not None:
        for n in (0, whole["n"] + 1, whole["n"] - 1):
            with pytest.raises(DocumentError):
                dp.Release.from_json(signed(whole | {"n": n}))


RECEIPT = {"dataset": "d", "number": 3, "hash": "0" * 64}
DISAGREEING: list[tuple[str, dict[str, Any], str]] = [
    ("lattice", {"raw": [5, 2, 1]}, "raw must be an output that the mechanism can give"),
    ("lattice clipped", {"raw": [5, 2, -1]}, "raw must be an output"),
    ("lattice remapped", {"raw": [5, 3]}, "raw must be an output"),
    ("optimal geometric", {"raw": [5, 3]}, "raw must be an output"),
    ("ehd", {"raw": [5, 3, -1], "value": [5, 3, -1]}, "raw must be an output"),
    ("optimal", {"raw": [7, 1, -1], "value": [7, 1, -1]}, "raw must be an output"),
    ("nobody", {"raw": [1, -1, 0]}, "raw must be an output"),
    ("lattice", {"raw": [2**63 - 1, 2**63 - 1, 9]}, "raw must be an output"),
    ("ehdl", {"simulated": False, "receipt": RECEIPT}, "no ledger pays for what is simulated"),
    ("lattice", {"receipt": RECEIPT}, "no ledger pays for what is simulated"),
    ("dropped", {"other": "y"}, "left out or counted, not both"),
    ("other", {"dropped": True, "other": None}, "its n cannot be public"),
    ("other", {"where": "age > 3"}, "its n cannot be public"),
    ("network lattice", {"column": "a"}, "the names of several columns"),
    ("line add-remove", {"column": "x"}, "the names of several columns"),
    ("mean laplace", {"dropped": True}, "its n cannot be public"),
    ("program of a number", {"column": "x"}, "a program declares which records it reads"),
    ("program of a normal", {"where": "x > 1"}, "a program declares which records it reads"),
    ("program of a normal", {"dropped": True}, "a program declares which records it reads"),
    ("program of a number", {"n_source": "declared"}, "a program declares which records"),
    ("program of a posterior", {"n_source": "sum of the counts"}, "a program declares which"),
    ("program of a posterior", {"n": 4}, "the number of records that the program declares"),
    ("units", {"n": 5, "n_source": "declared"}, "n must be None under add-remove"),
    ("units", {"n_source": "declared"}, "n_source must be one of None"),
    ("lattice", {"n_source": None}, "n_source must be one of"),
]


@pytest.mark.parametrize(("name", "change", "sentence"), DISAGREEING)
def test_parts_that_disagree_are_refused(
    name: str, change: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    edited = signed(document(name) | change)
    with pytest.raises(DocumentError, match=sentence):
        dp.Release.from_json(edited)
    (tmp_path / "release.json").write_text(json.dumps(edited))
    with pytest.raises(DocumentError, match=f"release.json': the release .*{sentence}"):
        dp.Release.load(tmp_path / "release.json")


@pytest.mark.parametrize("n", [0, 4])
@pytest.mark.parametrize("name", MECHANISMS)
def test_of_no_record_there_is_no_noise(name: str, n: int) -> None:
    options: dict[str, Any] = {"delta": 1e-5} if "delta" in options_of(name, AB) else {}
    mechanism = dp.mechanism(name, AB, n, epsilon=1, **options)
    raw = (n, 0) if name not in ("ls_dim", "ls_hist") else (n,)
    assert len(mechanism.postprocess(raw)) == 2
    kept = len(raw) == 2 and name != "gaussian"  # the total
    for wrong in ((n + 1, 0), (n + 1, -2)) if len(raw) == 2 else ((n + 1,),):
        if n == 0 or kept:
            with pytest.raises(dp.InputError, match="raw must be an output"):
                mechanism.postprocess(wrong)


ODD: tuple[Any, ...] = (None, 5, ["c"], {})
TOTALS: tuple[Any, ...] = (0, 7, True, "x", [], 1.5)
WITNESSES: tuple[Any, ...] = (None, False, [], "", {}, [[7, 0, 0]])
CERTIFICATES: list[tuple[Place, Any]] = [
    *((("total",), total) for total in TOTALS),
    *((("witness",), witness) for witness in WITNESSES),
    *((("witness", "counts"), counts) for counts in ([7], [7, 0, 0, 0], ["7", 0, 0], [7.0, 0, 0])),
    *((("witness", "neighbour"), counts) for counts in ([8, 0, 0], [7, 1, -1], [True, 6, 0])),
    *((("witness", "output"), counts) for counts in ([], [7], [8, 0, 0], [9, -1, -1], [None] * 3)),
    *((("scale",), scale) for scale in (None, "0", "-1", 1, "x")),
    *((("bounds", "upper"), bound) for bound in ("2", "0", 1, None)),
    *((("bounds", "lower"), bound) for bound in ("2", "-1", 0, None)),
    *((("software",), software) for software in ("", None, 5, "a\nb")),
    *((("n",), n) for n in (0, 8, None)),
]


@pytest.mark.parametrize(("place", "value"), CERTIFICATES, ids=str)
def test_what_no_audit_finds_is_no_certificate(place: Place, value: Any) -> None:
    whole = document("ehd calibrated")
    inside: Place = ("guarantee", "basis", "certificate", *place)
    assert text(at(whole, inside)) != text(value)
    edited = signed(changed(whole, inside, value))
    with pytest.raises(DocumentError, match="certificate"):
        dp.Release.from_json(edited)
    with pytest.raises(DocumentError, match="certificate"):
        dp.verify(edited["guarantee"]["basis"]["certificate"])


def test_groups_are_labels_of_a_named_column() -> None:
    whole = document("groups")
    for place, value in (
        *((("model", "by", "column"), column) for column in ODD),
        (("model", "by", "groups"), [["1"], 2, 3]),
        (("model", "by", "groups"), "123"),
        (("model", "by", "categories"), ["y", "y"]),
    ):
        with pytest.raises(DocumentError):
            dp.Release.from_json(signed(changed(whole, place, value)))


def test_documents_without_end() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(DocumentError, match="malformed"):
        dp.Release.from_json(document("lattice") | {"options": deep})
