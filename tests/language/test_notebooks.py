"""Programs in a real notebook, run by a real kernel."""

from __future__ import annotations

import sys

import pytest

nbformat = pytest.importorskip("nbformat", reason="a notebook needs nbformat")
nbclient = pytest.importorskip("nbclient", reason="a notebook needs nbclient")
pytest.importorskip("ipykernel", reason="a notebook needs ipykernel")

CELLS = (
    "from discreet.language import *",
    """@private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
def cured(data, eps):
    return sample(laplace(eps, sum(data)))""",
    "cured.check().verdict",
    "cured.explain()",
    "cured.run([True, False], eps=1).guarantee.epsilon",
    """@private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
def cured(data, eps):
    return sample(laplace(2 * eps, sum(data)))""",
    "cured.check().verdict",
)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_program_in_a_notebook() -> None:
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3")
    manager = client.create_kernel_manager()
    manager.kernel_spec.argv[0] = sys.executable  # the kernel of this environment
    client.execute()
    shown = [cell.outputs[0].data if cell.outputs else {} for cell in notebook.cells]
    assert shown[2]["text/plain"] == "'PROVED'"
    assert "<table" in shown[3]["text/html"]
    assert shown[4]["text/plain"] == "Fraction(1, 1)"
    assert shown[6]["text/plain"] == "'REFUTED'"  # the cell was run again with other noise
