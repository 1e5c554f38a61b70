"""mbi's max-entropy fitter in a process and an environment of its own: JSON lines in and out.

It has every package but discreet: `python benchmarks/mbi_worker.py`.
"""

from __future__ import annotations

import json
import sys
import time
import warnings


def main() -> None:
    """Fit every problem that is read, by the defaults of mbi: 1,000 steps of mirror descent."""
    import jax
    import numpy as np

    jax.config.update("jax_enable_x64", True)
    warnings.simplefilter("ignore")
    import mbi

    print(json.dumps({"version": "2"}), flush=True)
    for line in sys.stdin:
        task = json.loads(line)
        start = time.perf_counter()
        domain = mbi.Domain(tuple(task["states"]), tuple(task["states"].values()))
        measured = [
            mbi.LinearMeasurement(np.array(table, dtype=float), tuple(names), deviation)
            for table, names, deviation in zip(
                task["tables"], task["scopes"], task["deviations"], strict=True
            )
        ]
        model = mbi.estimation.MirrorDescent().estimate(domain, measured, known_total=task["n"])
        tables = [
            np.asarray(model.project(tuple(names)).datavector()).tolist()
            for names in task["scopes"]
        ]
        seconds = time.perf_counter() - start
        print(json.dumps({"tables": tables, "seconds": seconds}), flush=True)


if __name__ == "__main__":
    main()
