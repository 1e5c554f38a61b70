"""Random calls of the command line: valid ones, invalid ones and everything between."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import duckdb

from tests.cli.cases import done, write_csv

Make = Callable[[random.Random], str]

ODD = (
    *("", " ", "\0", "a\0b", "\n", "\t", "\x1b[31m", "\ud800", "💥", "e\u0301", "\u202egnp.", "ﷺ"),
    *("x" * 5000, "a," * 3000, "[bold]", "[/]", "$x^{$", "%s", "{}", "{0!r}", "\\", "'", '"'),
    *("'; drop table records; --", "--", "-", "-1", "--help", "None", "null", "true", "日本"),
)
BAD_NUMBERS = (
    *("0", "-1", "nan", "inf", "-inf", "1e400", "1e-400", "1e6", "1e7", "9" * 500, "1/0", "0x10"),
    *("１", "1_0", " 1", "1,5", "+1", "1e", "e1", ".", "1e-12", "0.000000000001"),
)
NUMBERS = ("1", "0.5", "0.01", "2", "1e-9", "1/3", "0.1", "1.5", "3") * 4 + BAD_NUMBERS
WHOLE = ("0", "1", "2", "7", "11", "12", "-1", "1.5", "9" * 19, "9" * 40, "x", "")
CATEGORIES = (
    *("a,b", "b,a", "a,b,c", "cured,improved,unchanged", "cured,other", "1,2", "true,false"),
    *(
        "a",
        "a,a",
        ",",
        '"a, b",c',
        '"a',
        "A,b",
        "a ,b",
        "a,b,",
        "a,\nb",
        ",".join(map(str, range(60))),
    ),
)
COLUMNS = ("x", "outcome", "therapy", "patient", "age", "X", "nothing", 'the "column"')
DATA = (
    *("good.csv", "small.csv", "good.parquet", "good.duckdb", "good.jsonl", "*.parquet"),
    *("missing.csv", "folder", "folder.csv", "latin.csv", "ragged.csv", "empty.csv", "floats.csv"),
    *("broken.parquet", "broken.duckdb", "broken.jsonl", "head.csv", "loop.csv", "budget.db"),
    *("/dev/null", "/proc/self/mem", "no/such/*.csv", "**/*.csv", "[", "good.csv.gz"),
)
LEDGERS = (
    *("budget.db",) * 6,
    *("missing.db", "folder", "noise.db", "cut.db", "blank.db", "foreign.db", "loop.csv"),
    *(
        "good.csv",
        "postgresql://",
        "postgresql://u:p@[::1",
        "mysql://x/y",
        "sqlite://",
        "/dev/null",
    ),
)
OUT = ("out.json", "out.png", "out.svg", "folder", "no/out.json", "kept.csv", "/dev/full", "out")
STRUCTURES = ("net.bif",) * 6 + ("missing.bif", "folder", "good.csv", "empty.csv", "/dev/null")
INTERVALS = ("0:10", "-1:1", "0:1e9", "1:0", "0:0", "0:inf", "nan:1", "a:b", "1", "1:2:3", "")
BOUNDS = (
    *("age=0:100", "x=0:5", "patient=-1:1", "outcome=0:1"),
    *("age", "=0:1", "age=", "age=1:0", "x=0:0", "age=1e-300:1e300", "intercept=0:1", "a=b=0:1"),
)
PRIORS = ("1", "100", "0:1", "age=1", "age=0:3", "intercept=1", "x=1", "1:2:3", "0", "-1", ":")
WHERE = (
    *("age >= 30", "x = 'a'", "outcome <> 'cured' or age < 3", "not (x is null)", "age in (1, 2)"),
    *("age >=", "(" * 3000 + "age", "x = 'a", "1 = 1", "x like 'a%'", "(select 1)", "age > 1e999"),
    *(
        "x between 'a'",
        "not " * 2000 + "x = 'a'",
        "nothing = 1",
        "age = age",
        "x = 1; drop table t",
    ),
)


def choice(values: tuple[str, ...], odd: float = 0.06) -> Make:
    return lambda rng: rng.choice(ODD) if rng.random() < odd else rng.choice(values)


def file(values: tuple[str, ...]) -> Make:
    """Names of files are not made up: some would be written."""
    return choice(values, odd=0)


number, whole, names = choice(NUMBERS), choice(WHOLE), choice(CATEGORIES)
word = choice(("a", "b", "trial", "d-1", "d-2", "record", "patient", "cured", "other", "x"), 0.2)
mechanisms = choice(
    ("lattice",) * 6
    + ("ls_dim", "ls_hist", "ehd", "ehds", "ehdl", "smooth_hellinger", "optimal")
    + ("randomized_response",),
    0.01,
)
adjacency = choice(("substitute", "add-remove"), 0.02)
MODEL: dict[str, Make | None] = {"--prior": number}
MECHANISM: dict[str, Make | None] = {
    "--mechanism": mechanisms,
    "--gamma": number,
    "--delta": number,
    "--calibrate": None,
    "--postprocess": choice(("project", "clip", "remap")),
    "--distance": choice(("hellinger", "total_variation")),
}
NUMERIC: dict[str, Make | None] = {
    "--adjacency": adjacency,
    "--delta": number,
    "--n": whole,
    "--where": choice(WHERE),
    "--unknown": choice(("error", "drop", "middle")),
    "--expected-error": None,
    "--out": file(OUT),
    "--force": None,
}
OUTPUT: dict[str, Make | None] = {"--json": None, "--quiet": None}
SAVED = ("out.json", "out", "good.csv", "missing", "folder", "/dev/null", "latin.csv", "budget.db")
COMMANDS: dict[str, tuple[float, dict[str, Make | None], dict[str, Make | None]]] = {
    "release": (
        0.95,
        {"": file(DATA), "--column": choice(COLUMNS), "--categories": names, "--epsilon": number},
        MODEL
        | MECHANISM
        | {
            "--adjacency": adjacency,
            "--n": whole,
            "--where": choice(WHERE),
            "--unknown": choice(("error", "other", "drop")),
            "--other": word,
            "--unit": choice(COLUMNS),
            "--max-per-unit": whole,
            "--by": choice(COLUMNS),
            "--groups": names,
            "--table": word,
            "--request-id": word,
            "--part": word,
            "--out": file(OUT),
            "--force": None,
        },
    ),
    "network": (
        0.95,
        {"": file(DATA), "--structure": file(STRUCTURES), "--epsilon": number},
        {
            "--mechanism": choice(
                ("lattice", "gaussian", "laplace_updates", "fourier", "map", "ehds")
            ),
            "--delta": number,
            "--shares": choice(("optimal", "sizes", "all")),
            "--prior": number,
            "--adjacency": adjacency,
            "--n": whole,
            "--where": choice(WHERE),
            "--unknown": choice(("error", "drop")),
            "--t": number,
            "--samples": whole,
            "--omega": number,
            "--points": whole,
            "--out": file(OUT),
            "--force": None,
            "--bif": file(OUT),
        },
    ),
    "regress": (
        0.95,
        {
            "": file(DATA),
            "--y": choice(COLUMNS),
            "--bounds": choice(BOUNDS),
            "--bounds ": choice(BOUNDS),
            "--epsilon": number,
        },
        NUMERIC
        | {
            "--mechanism": choice(("statistics", "sample"), 0.01),
            "--x": choice(COLUMNS),
            "--prior": choice(PRIORS),
            "--prior ": choice(PRIORS),
            "--noise-variance": choice((*PRIORS, "2:1", "0.5")),
            "--radius": number,
            "--no-intercept": None,
            "--samples": whole,
            "--norm": number,
        },
    ),
    "mean": (
        0.97,
        {
            "": file(DATA),
            "--column": choice(COLUMNS),
            "--bounds": choice(INTERVALS),
            "--epsilon": number,
        },
        NUMERIC
        | {
            "--prior-mean": number,
            "--prior-variance": number,
            "--variance": number,
            "--mechanism": choice(("laplace", "gaussian", "input", "hellinger"), 0.01),
            "--points": whole,
        },
    ),
    "plan": (
        0.95,
        {"--categories": names, "--n": whole, "--epsilon": choice(("1", "2", "1.5", *BAD_NUMBERS))},
        MODEL
        | MECHANISM
        | {
            "--error": choice(("0.3", "1", "nan")),
            "--at": number,
            "--worst-case": None,
            "--adjacency": adjacency,
        },
    ),
    "compare": (
        0.9,
        {
            "--categories": names,
            "--epsilon": number,
            "--counts": choice(("1,2", "3,4", "1,x", "0,0")),
        },
        MODEL | {"": file(DATA), "--column": choice(COLUMNS)},
    ),
    "audit": (
        0.95,
        {"--categories": names, "--n": whole, "--epsilon": number, "--mechanism": mechanisms},
        MODEL
        | MECHANISM
        | {
            "--adjacency": adjacency,
            "--total": whole,
            "--out": file(OUT),
            "--force": None,
            "--verify": file(("good.csv", "missing", "out.json", "folder")),
        },
    ),
    "show": (0.95, {"": file(SAVED)}, {"--node": word}),
    "demo": (0.5, {"--epsilon": number}, {"--seed": whole}),
    "ledger init": (
        0.9,
        {"": file(LEDGERS), "--budget": number},
        {"--delta": number, "--unit": word},
    ),
    "ledger create": (
        0.95,
        {"": word, " ": file(LEDGERS)},
        {"--budget": number, "--delta": number, "--adjacency": adjacency, "--parts": names},
    ),
    "ledger raise": (
        0.95,
        {"": word, " ": file(LEDGERS), "--budget": number},
        {"--delta": number, "--reason": word},
    ),
    "ledger show": (0.95, {"": file(LEDGERS)}, {"--dataset": word}),
    "ledger history": (0.95, {"": file(LEDGERS)}, {"--dataset": word}),
    "ledger released": (
        0.95,
        {"": file(LEDGERS), " ": choice((*WHOLE, "3", "4", "5", "6"))},
        {"--out": file(OUT), "--force": None},
    ),
    "ledger verify": (
        0.95,
        {"": file(LEDGERS)},
        {"--release": file(("out.json", "good.csv", "missing", "folder", "out"))},
    ),
    "ledger backup": (0.95, {"": file(("copy.db", "folder", "good.csv")), " ": file(LEDGERS)}, {}),
    "ledger migrate": (0.95, {"": file(LEDGERS)}, {}),
    "": (0.5, {"": word}, {"--version": None, "--help": None, " ": word}),
}
NET = """variable x { type discrete [ 2 ] { a, b }; }
variable therapy { type discrete [ 2 ] { a, b }; }
probability ( x ) { table 0.5, 0.5; }
probability ( therapy | x ) { (a) 0.5, 0.5; (b) 0.5, 0.5; }
"""
VALID = {
    "release": (
        ("good.csv", "--column", "outcome", "--categories", "cured,improved,unchanged"),
        ("small.csv", "--column", "x", "--categories", "a,b"),
        ("small.csv", "--column", "x", "--categories", "a,b", "--by", "therapy", "--groups", "b,a"),
    ),
    "network": (("small.csv", "--structure", "net.bif"),),
    "regress": (
        ("ages.csv", "--y", "y", "--bounds", "age=0:100", "--bounds", "y=0:10"),
        ("--y", "y", "--bounds", "x=0:1", "--bounds", "y=0:1", "--expected-error", "--n", "9"),
    ),
    "mean": (
        (
            *("good.csv", "--column", "age", "--bounds", "0:100", "--prior-mean", "40"),
            *("--prior-variance", "100", "--variance", "300"),
        ),
        ("good.csv", "--column", "age", "--bounds", "0:100"),
    ),
    "plan": (("--categories", "a,b", "--n", "7"),),
    "audit": (("--categories", "a,b", "--n", "7"), ("--categories", "a,b,c", "--n", "3")),
}
PAID = ("release", "regress", "mean")  # sometimes by a ledger
VALUED = ("--epsilon", "--mechanism")  # random even where all else is valid
WEIGHTS = {
    "release": 60,
    "network": 12,
    "regress": 8,
    "mean": 8,
    "plan": 2,
    "compare": 0.3,
    "audit": 3,
    "demo": 0.3,
    "": 2,
}


def arguments(rng: random.Random) -> list[str]:
    """One random call; paid for by the good ledger more often than not."""
    command = rng.choices(list(COMMANDS), [WEIGHTS.get(name, 4) for name in COMMANDS])[0]
    share, needed, possible = COMMANDS[command]
    valid = rng.choice(VALID[command]) if command in VALID and rng.random() < 0.6 else ()
    chosen = {name: make for name, make in needed.items() if rng.random() < share}
    chosen = {name: make for name, make in chosen.items() if not valid or name in VALUED}
    more = rng.choice((0, 0, 0, 1, 1, 2, 3, 5))
    extra = possible | OUTPUT
    chosen |= {name: extra[name] for name in rng.sample(list(extra), min(more, len(extra)))}
    found = [*command.split(), *valid]
    for name, make in chosen.items():
        found += [name.strip()] if name.strip() else []
        found += [] if make is None else [make(rng)]
    if command in PAID:
        if rng.random() < 0.6:
            found += ["--ledger", file(LEDGERS)(rng), "--dataset", word(rng)]
        if rng.random() < 0.004:
            found += ["--plot", rng.choice(("out.png", "out.svg", "no/x.png", "x.jpg", "folder"))]
    if rng.random() < 0.02:
        rng.shuffle(found)
    return found


def prepare(folder: Path) -> None:
    """Good and broken files of every kind, in the folder that the calls run in."""
    (folder / "net.bif").write_text(NET, encoding="utf-8")
    good = str(write_csv(folder / "good.csv"))
    (folder / "ages.csv").write_text("age,y\n" + "31,2.5\n47,6\n20,1\n" * 40)
    (folder / "small.csv").write_text("x,age,therapy,patient\n" + "a,1,a,p\nb,2,b,q\na,3,a,q\n" * 2)
    for target in ("good.parquet (format parquet)", "good.jsonl (format json)"):
        name, form = target.split(" ", 1)
        duckdb.sql(f"copy (from read_csv('{good}')) to '{folder / name}' {form}")
    duckdb.sql(f"copy (from '{good}') to '{folder}/good.csv.gz' (format csv, compression gzip)")
    with duckdb.connect(str(folder / "good.duckdb")) as connection:
        connection.execute(f"create table a as from read_csv('{good}')")
    (folder / "folder").mkdir()
    (folder / "folder.csv").mkdir()
    (folder / "latin.csv").write_bytes("x\nmäßig\na\n".encode("latin-1"))
    (folder / "ragged.csv").write_text("x,y\na,1\nb,2,3,4\na\n")
    (folder / "empty.csv").write_text("")
    (folder / "kept.csv").write_text("x\na\n")
    (folder / "head.csv").write_text("x,outcome,age\n")
    (folder / "floats.csv").write_text("x,outcome\n0.5,1.25\n")
    for suffix in ("parquet", "duckdb", "jsonl"):
        (folder / f"broken.{suffix}").write_bytes(b'PAR1{"x": "a"}\n{"x": ' + bytes(300))
    (folder / "loop.csv").symlink_to("loop.csv")
    budget = folder / "budget.db"
    done("ledger", "init", budget, "--budget", "1e9", "--delta", "0.9")
    (folder / "noise.db").write_bytes(random.Random(1).randbytes(20_000))
    (folder / "blank.db").write_bytes(b"")
    content = budget.read_bytes()
    (folder / "cut.db").write_bytes(content[: len(content) * 2 // 3])
    foreign = sqlite3.connect(folder / "foreign.db")
    foreign.execute("create table t (x)")
    foreign.close()
