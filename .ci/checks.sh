#!/usr/bin/env bash
# What .ci/run checks, in the folder of the project.
set -euo pipefail
export DISCREET_REQUIRE=java,engines,postgres,peers,chromium,papers
tools=(pytest pytest-xdist hypothesis)
fresh="$(mktemp -d)"
trap 'rm -rf "$fresh"' EXIT

add() { "$1" -m pip install --quiet --disable-pip-version-check "${@:2}"; }

# README and guide: every block works, or names a package that is missing before anything is read;
# what $2 lists is not missing
guide() { DISCREET_REQUIRE="$2" "$1" -m pytest -q -n 2 tests/test_guide.py "${@:3}"; }

make demo
add .venv/bin/python "${tools[@]}"
guide .venv/bin/python matplotlib -k "README and not papers"

make lint
add .venv/bin/python -e ".[engines,peers]" pytest-cov

# wheel and sdist are built, the wheel is installed and imported on its own
rm -rf dist
.venv/bin/python -m build --outdir dist .
.venv/bin/python -m build --outdir dist papers
wheel="$(echo dist/discreet-*.whl)"
python3 -m venv "$fresh/alone"
add "$fresh/alone/bin/python" "$wheel"
(cd "$fresh" && alone/bin/python -c "
import discreet as dp
release = dp.release((50, 30, 10), dp.DirichletMultinomial(('a', 'b', 'c')), epsilon=1.0)
print('wheel works:', release)
" && alone/bin/discreet --version)
add "$fresh/alone/bin/python" "${tools[@]}"
guide "$fresh/alone/bin/python" ""

# all extras and pandas, but neither pyarrow nor polars
python3 -m venv "$fresh/pandas"
add "$fresh/pandas/bin/python" "$wheel[all]" pandas "${tools[@]}"
"$fresh/pandas/bin/python" -c "
from importlib.util import find_spec
assert not find_spec('pyarrow') and not find_spec('polars')
"
guide "$fresh/pandas/bin/python" matplotlib,pandas,sklearn,z3,sqlalchemy,psycopg,postgres

# the papers, a package of their own, from its wheel
add "$fresh/pandas/bin/python" dist/discreet_papers-*.whl
"$fresh/pandas/bin/discreet" reproduce p0-figure-1 --quick --out "$fresh/reproduced"

COVER="--cov=discreet --cov-report=term:skip-covered" make test
make slow

# dp-accounting forces an old attrs, so its tests have an environment of their own
python3 -m venv "$fresh/accounting"
add "$fresh/accounting/bin/python" -e ".[accounting,plot]" "${tools[@]}"
DISCREET_REQUIRE=accounting "$fresh/accounting/bin/python" -m pytest -q \
    tests/ledger/test_accounting.py tests/test_guide.py -k accounting
