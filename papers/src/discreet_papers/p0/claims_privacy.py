"""P0 §5 and §7.2: what is private, and how much is really lost."""

from __future__ import annotations

from itertools import product

import numpy as np

from discreet.auditing import audit
from discreet.core.families import mechanism
from discreet.exact import compositions
from discreet_papers.p0.losses import balanced_loss, loss
from discreet_papers.parts import Claim, Finding, Verdict
from discreet_papers.settings import made, model

_SIZES = (100, 600, 1000)
_ROUNDING = 1e-9  # audits are rounded up


def _laplace(label: str) -> dict[str, float]:
    return {f"loss_k{k}": audit(made(label, (1,) * k, 6, 1)).epsilon for k in (2, 3, 4)}


def _ls_dim() -> Finding:
    found = _laplace("ls_dim")
    losses = list(found.values())
    words = (
        f"With room to spare: at ε = 1 the exact loss is {losses[0]:.3f}, {losses[1]:.3f} and "
        f"{losses[2]:.3f} for two, three and four categories (n = 6), as the noise is larger than "
        "need be."
    )
    return Finding(Verdict.of(max(losses) <= 1 + _ROUNDING), words, found)


def _ls_hist() -> Finding:
    found = _laplace("ls_hist")
    moves = {}
    for k in (2, 3, 4):
        rows = compositions.rows(5, k)
        change = np.abs(rows[:, None] - rows[None])
        near = change.sum(axis=2) == 2
        moves[f"sensitivity_k{k}"] = int(change[:, :, :-1].sum(axis=2)[near].max())
    private = max(found.values()) <= 1 + _ROUNDING
    as_said = list(moves.values()) == [1, 2, 2]
    shown = ", ".join(map(str, moves.values()))
    words = (
        f"Replacing a record changes the first k − 1 counts by at most {shown} in all for k = 2, "
        f"3, 4, and the exact loss at ε = 1 is {max(found.values()):.6f} for each (n = 6): all of "
        "ε is used."
    )
    return Finding(Verdict.of(private and as_said), words, {**found, **moves})


def _ehd() -> Finding:
    found = {f"loss_n{n}": loss("ehd", n) for n in _SIZES}
    shown = ", ".join(f"{x:.3f}" for x in found.values())
    words = (
        f"The exact loss at ε = 1, prior Beta(1, 1), n = 100, 600, 1,000 is {shown}: about half."
    )
    return Finding(Verdict.of(max(found.values()) <= 1), words, found)


def _ehdl() -> Finding:
    flat = loss("ehdl", 600)
    small = audit(made("ehdl", (0.1, 0.1), 600, 1))
    words = (
        f"At claimed ε = 1, n = 600 it loses {small.epsilon_lower:.3f} with prior Beta(0.1, 0.1). "
        f"With Beta(1, 1) it loses {flat:.3f}, but no theorem says so."
    )
    measured = {"loss_prior_1": flat, "loss_prior_0.1": small.epsilon_lower}
    return Finding(Verdict.of(small.epsilon_lower > 1), words, measured)


def _ehds() -> Finding:
    found = {f"loss_n{n}": loss("ehds", n) for n in _SIZES}
    shown = ", ".join(f"{x:.3f}" for x in found.values())
    small = {}
    for prior, gamma in product((1, 0.1), (0.1, 1, 7)):
        trial = mechanism("ehds", model((prior, prior)), 60, epsilon=1, gamma=gamma)
        small[f"loss_n60_prior_{prior}_gamma_{gamma}"] = audit(trial).epsilon
    words = (
        f"The exact loss at ε = 1, prior Beta(1, 1), n = 100, 600, 1,000 is {shown}. With γ = 0.1, "
        f"1, 7 and priors 1 and 0.1 at n = 60 it is at most {max(small.values()):.3f}."
    )
    found |= small
    return Finding(Verdict.of(max(found.values()) <= 1), words, found)


def _below() -> Finding:
    found = {f"{name}_n{n}": loss(name, n) for name in ("ehd", "ehds") for n in (10, *_SIZES)}
    unused = {name: round(100 * (1 - x)) for name, x in found.items()}
    words = (
        f"At ε = 1 EHD leaves {unused['ehd_n10']}, {unused['ehd_n100']}, {unused['ehd_n600']} and "
        f"{unused['ehd_n1000']} % of its budget unused at n = 10, 100, 600 and 1,000, EHDS "
        f"{unused['ehds_n10']}, {unused['ehds_n100']}, {unused['ehds_n600']} and "
        f"{unused['ehds_n1000']} %. It is accuracy given away: calibrated, EHDS uses all of it."
    )
    return Finding(Verdict.of(max(found.values()) < 1), words, found)


def _balanced() -> Finding:
    found: dict[str, float] = {}
    for name in ("ehd", "ehdl", "ehds"):
        found[f"{name}_balanced"] = balanced_loss(name, 1000)
        found[f"{name}_all"] = loss(name, 1000)
    share = min(found[f"{x}_balanced"] / found[f"{x}_all"] for x in ("ehd", "ehdl", "ehds"))
    words = (
        f"At n = 1,000, ε = 1 balanced counts and their neighbours differ by "
        f"{found['ehd_balanced']:.3f} (EHD), {found['ehdl_balanced']:.3f} (EHDL) and "
        f"{found['ehds_balanced']:.3f} (EHDS); over all counts the loss is {found['ehd_all']:.3f}, "
        f"{found['ehdl_all']:.3f} and {found['ehds_all']:.3f}, in another order. "
        f"The balanced ones show as little as {share:.2f} of it (we asked for 0.9)."
    )
    return Finding(Verdict.of(share > 0.9), words, {**found, "least_share": share})


CLAIMS: tuple[Claim, ...] = (
    Claim("p0-lsdim-private", "Lemma 5.1", "LSDim is ε-private.", _ls_dim),
    Claim(
        "p0-lshist-private",
        "Lemma 5.2",
        "LSHist is ε-private, because the l1 sensitivity is 1 for two categories and 2 for more.",
        _ls_hist,
    ),
    Claim("p0-ehd-private", "Lemma 5.3", "EHD is ε-private.", _ehd),
    Claim(
        "p0-ehdl-nonprivate",
        "§5.3",
        "EHDL, with the local sensitivity, is not ε-private.",
        _ehdl,
    ),
    Claim("p0-ehds-private", "Theorem 5.2", "EHDS is ε-private.", _ehds),
    Claim(
        "p0-fig6-below",
        "§7.2, Figure 6",
        "EHD and EHDS really lose less than the ε they claim.",
        _below,
    ),
    Claim(
        "p0-fig6-balanced",
        "§7.2, Figure 6",
        "The actual privacy loss of EHD, EHDL and EHDS is what Figure 6 shows, the loss of "
        "balanced data.",
        _balanced,
        implied=True,
    ),
)
