"""Programs that hostile reviewers had proved although they are not private."""

# ruff: noqa: E501 - programs as they are written

from __future__ import annotations

import linecache
from typing import Any

from discreet.language import PrivateProgram

BOOLS = 'data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos}'
ADDED = BOOLS.replace("substitute", "add-remove")
LEAK = "sample(laplace(1000000 * eps, {}))"
NOISY = "noisy = sample_each(lambda y: exp_mech(eps, lambda r: r == y, (True, False)), data)"
LEARN = "lambda b, d: observe(lambda r: ran(Bernoulli(r)) == d, b)"


def written(declared: str, arguments: str, body: str) -> PrivateProgram:
    """A program as a notebook cell has it."""
    lines = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    text = f"from discreet.language import *\n\n@private({declared})\ndef program({arguments}):\n{lines}"
    name = f"<attack {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"__name__": "attack"}
    exec(compile(text, name, "exec"), names)
    found = names["program"]
    assert isinstance(found, PrivateProgram)
    return found


def with_params(more: str, base: str = BOOLS) -> str:
    return base.replace('{"eps": Pos}', '{"eps": Pos, ' + more + "}")


CASES: dict[str, tuple[str, str, str]] = {
    "a prior from data through ran": (
        BOOLS,
        "data, eps",
        f"a, b = params(infer(ran(Beta(1 + sum(data), 1))))\nreturn {LEAK.format('a')}",
    ),
    "an observed prior from data": (
        BOOLS.replace('"eps"', '"2*eps"', 1),
        "data, eps",
        f"p = observe(lambda r: ran(Bernoulli(r)) == True, ran(Beta(1 + sum(data), 1)))\n"
        f"a, b = params(infer(p))\nreturn {LEAK.format('a')}",
    ),
    "the start of a fold": (
        BOOLS,
        "data, eps",
        "y = fold(lambda s, r: s, sum(data), data)\n"
        "return sample(laplace(1000000 * eps, y, grid=1))",
    ),
    "a function of a public list that draws": (
        BOOLS.replace('budget="eps"', 'budget="2*eps"'),
        "data, eps",
        f"s = sum(data)\n{NOISY}\nreturn map(lambda y: {LEAK.format('s')}, noisy)",
    ),
    "a private start over a public list": (
        BOOLS.replace('budget="eps"', 'budget="2*eps"'),
        "data, eps",
        f"{NOISY}\nreturn fold(lambda s, r: s, sum(data), noisy)",
    ),
    "a private value observed by a public belief": (
        BOOLS,
        "data, eps",
        "post = infer(Beta(1, 1))\nflag = sum(data) > 1\n"
        "return observe(lambda r: ran(Bernoulli(r)) == flag, post)",
    ),
    "an empty cell": (
        BOOLS,
        "data, eps",
        f"return parallel(lambda c: {LEAK.format('sum(data)')}, data, (lambda r: False,))",
    ),
    "a range of parts": (
        BOOLS,
        "data, eps",
        f"x = 0\nfor i in range(1 / 2, 1):\n    x = {LEAK.format('sum(data)')}\nreturn x",
    ),
    "a symbolic range of parts": (
        with_params('"a": Between(0, 1)', BOOLS.replace('budget="eps"', 'budget="(1-a)*eps"')),
        "data, eps, a",
        "x = 0\nfor i in range(a, 1):\n    x = sample(laplace(eps, sum(data)))\nreturn x",
    ),
    "what is known of candidates is no label": (
        with_params('"c": Candidates(Beta)'),
        "data, eps, c",
        f'if c == "Beta":\n    x = 1\nelse:\n    x = {LEAK.format("sum(data)")}\nreturn x',
    ),
    "what is known of a vector is no number": (
        with_params('"v": Vector(AtLeast(5))'),
        "data, eps, v",
        f"if v == 5:\n    x = 1\nelse:\n    x = {LEAK.format('sum(data)')}\nreturn x",
    ),
    "a law is no label": (
        BOOLS,
        "data, eps",
        f'if infer(Beta(1, 1)) == "Beta":\n    x = 1\nelse:\n    x = {LEAK.format("sum(data)")}\nreturn x',
    ),
    "labels have no order": (
        BOOLS.replace("Bool", "Enum(0, 1, 2)"),
        "data, eps",
        "s = sum(map(lambda r: 1000 if r > 2 else 0, data))\nreturn sample(laplace(eps, s, grid=1))",
    ),
    "cells by an order of labels": (
        ADDED.replace("Bool", "Enum(0, 1, 2)"),
        "data, eps",
        "return parallel(lambda c: sample(laplace(eps, len(c))), data, (lambda r: r < 1, lambda r: r > 1))",
    ),
    "names of parameters like the checker's own": (
        with_params('"k": Nat, "i_1": Real'),
        "data, eps, k, i_1",
        "x = 0\nfor i in range(k):\n"
        "    x = sample(laplace(1000000 * eps, (i - i_1) * sum(data), grid=1))\nreturn x",
    ),
    "a parameter like the distance of a fold": (
        with_params('"D_0": Real', BOOLS.replace('budget="eps"', 'budget="eps*(1+D_0)"')),
        "data, eps, D_0",
        "x = fold(lambda s, r: s + r, 0, data)\nreturn sample(laplace(eps, x))",
    ),
    "an aggregate observed as a record": (
        BOOLS.replace("Bool", 'Enum("a", "b")'),
        "data, eps",
        'flag = count(lambda r: r == "a", data) >= 1\n'
        "a, b = params(infer(observe(lambda r: ran(Bernoulli(r)) == flag, Beta(1, 1))))\n"
        f"return {LEAK.format('a')}",
    ),
    "one normal value observed as n": (
        BOOLS.replace("Bool", "Real").replace('budget="eps"', 'budget="eps/10"') + ", n=9",
        "data, eps",
        "x = clip(sum(map(lambda r: clip(r, 0, 1), data)), 0, 1)\n"
        "m = mean(infer(observe(lambda r: ran(Normal(r, 1)) == x, Normal(0, 1))))\n"
        "return sample(laplace(eps, m, grid=1/10))",
    ),
    "one over a private sum under clip": (
        BOOLS,
        "data, eps",
        "return sample(laplace(eps, clip(1 / sum(data), 0, 1), grid=1))",
    ),
    "a logarithm under clip": (
        BOOLS,
        "data, eps",
        "return sample(laplace(eps, clip(log(sum(data)), 0, 1), grid=1))",
    ),
    "a power under clip": (
        BOOLS,
        "data, eps",
        "return sample(laplace(eps, clip(2 ** (100 * sum(data)), 0, 1), grid=1))",
    ),
    "one over a record under clip": (
        BOOLS.replace("Bool", "Real"),
        "data, eps",
        "s = sum(map(lambda r: clip(1 / r, 0, 1), data))\nreturn sample(laplace(eps, s, grid=1))",
    ),
    "a comparison that no run decides": (
        BOOLS,
        "data, eps",
        "post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))\n"
        "x = clip(hellinger(post, Beta(2, 1)) > 0, 0, 1)\nreturn sample(laplace(eps, x, grid=1))",
    ),
    "records that contradict a finite belief": (
        BOOLS,
        "data, eps",
        f"post = infer(fold({LEARN}, Finite((0, 1), (1, 1)), data))\n"
        "return sample(laplace(eps, hellinger(post, Finite((0, 1), (1, 1))), grid=1))",
    ),
    "draws in a comprehension": (
        BOOLS,
        "data, eps",
        "return [sample(laplace(eps, sum(data))) for i in range(100)]",
    ),
    "draws in a comprehension of unknown length": (
        with_params('"k": Nat'),
        "data, eps, k",
        "return [sample(laplace(eps, sum(data))) for i in range(k)]",
    ),
    "a loop that pays back": (
        with_params('"k": Nat'),
        "data, eps, k",
        "x = 0\nfor i in range(1 - k):\n    x = sample(laplace(eps, sum(data)))\n"
        "for i in range(k):\n    x = sample(laplace(eps, sum(data)))\nreturn x",
    ),
    "a function in a tuple": (
        BOOLS,
        "data, eps",
        "s = sum(data)\nfs = (lambda y: s, 0)\ndef f(y):\n    g = fs[0]\n"
        "    return laplace(eps, g(y))\nreturn sample_each(f, data)",
    ),
    "a function that a cell returns": (
        BOOLS.replace("Bool", 'Enum("a", "b")').replace('budget="eps"', 'budget="3*eps"'),
        "data, eps",
        'def f(c):\n    a = count(lambda r: r == "a", c)\n    return lambda z: a\n'
        'g = parallel(f, data, (lambda r: r == "a", lambda r: r == "b"))\nh = g[0]\n'
        "return sample(laplace(eps, h(0)))",
    ),
    "a score that draws": (
        with_params('"c": Candidates(Beta)'),
        "data, eps, c",
        "return sample(exp_mech(eps, lambda r: sample(laplace(eps, sum(data))), c))",
    ),
    "a fold that draws": (
        BOOLS,
        "data, eps",
        "def step(b, d):\n    x = sample(laplace(1000000 * eps, d, grid=1))\n"
        "    return observe(lambda r: ran(Bernoulli(r)) == d, b)\n"
        "post = infer(fold(step, Finite((1 / 4, 3 / 4), (1, 1)), data))\nreturn 1",
    ),
    "a fold that learns from another belief": (
        BOOLS.replace('"eps"', '"eps/5"', 1) + ", n=3",
        "data, eps",
        "post = infer(fold(lambda b, d: observe(lambda r: ran(Bernoulli(r)) == d, ran(Beta(1, 1))), "
        "ran(Beta(100, 100)), data))\nreturn sample(laplace(eps, hellinger(post, Beta(1, 1)), grid=1/100))",
    ),
    "a fold that learns from the opposite": (
        ADDED,
        "data, eps",
        "post = infer(fold(lambda b, d: observe(lambda r: ran(Bernoulli(r)) == (not d), b), "
        "ran(Beta(1, 1)), data))\na, b = params(post)\nx = sample(laplace(eps, a))\n"
        "return x, sample(laplace(eps, count(lambda r: not r, data)))",
    ),
    "a finite belief folded again": (
        BOOLS.replace('budget="eps"', 'budget="sqrt(2/5)*eps"'),
        "data, eps",
        "p = Finite((1 / 10, 9 / 10), (1, 1))\n"
        f"b1 = fold({LEARN}, p, data)\nb2 = fold({LEARN}, b1, data)\n"
        "post = infer(b2)\nreturn sample(laplace(eps, hellinger(post, p), grid=1/1000))",
    ),
    "a finite step that returns its own belief": (
        BOOLS,
        "data, eps",
        "post = infer(fold(lambda b, d: Finite((1, 2), (1 if d else 1000, 1)), "
        "Finite((1, 2), (1, 1)), data))\n"
        "return sample(laplace(1000 * eps, hellinger(post, Finite((1, 2), (1, 1))), grid=1/8))",
    ),
    "chances beyond 1": (
        BOOLS + ", n=2",
        "data, eps",
        f"post = infer(fold({LEARN}, Finite((2, -1), (1, 1)), data))\n"
        "return sample(laplace(1000 * eps, hellinger(post, Finite((2, -1), (1, 1))), grid=1/8))",
    ),
    "a negative weight": (
        BOOLS,
        "data, eps",
        f"post = infer(fold({LEARN}, Finite((1 / 4, 3 / 4), (1, -1)), data))\n"
        "return sample(laplace(eps, hellinger(post, Finite((1, 2), (1, 1))), grid=1))",
    ),
    "a negative variance": (
        BOOLS.replace("Bool", "Real") + ", n=1",
        "data, eps",
        "c = map(lambda x: clip(x, 0, 1), data)\n"
        "post = infer(fold(lambda b, d: observe(lambda r: ran(Normal(r, -2)) == d, b), "
        "ran(Normal(0, 1)), c))\nx = sample(laplace(eps, mean(post), grid=1))\n"
        "return x, sample(laplace(10 * eps, mean(post), grid=1))",
    ),
    "categories that are not known": (
        BOOLS.replace('budget="eps"', 'budget="2*eps"'),
        "data, eps",
        "x = sample(laplace(eps, sum(data))) > 0\nflags = map(lambda r: r == x, data)\n"
        "post = infer(observe_all(Categorical, flags, prior=Dirichlet((1, 1))))\n"
        "return sample(laplace(eps, params(post)))",
    ),
    "1 and True": (
        BOOLS.replace("Bool", "Enum(1, 2, 3)"),
        "data, eps",
        'm = map(lambda r: r if r == 1 else (True if r == 2 else "z"), data)\n'
        "post = infer(observe_all(Categorical, m, prior=Dirichlet((1, 1))))\n"
        "p = params(post)\nreturn sample(laplace(eps, p[1]))",
    ),
    "a private place": (
        with_params('"v": Vector(Real)'),
        "data, eps, v",
        f"return {LEAK.format('v[sum(data)]')}",
    ),
    "a private posterior after a public observation": (
        BOOLS,
        "data, eps",
        "q = observe(lambda r: ran(Bernoulli(r)) == True, observe_all(Bernoulli, data, prior=Beta(1, 1)))\n"
        f"a, b = params(infer(q))\nreturn {LEAK.format('a')}",
    ),
    "a finite posterior after a public observation": (
        BOOLS,
        "data, eps",
        f"b0 = fold({LEARN}, Finite((1 / 10, 9 / 10), (1, 1)), data)\n"
        "q = observe(lambda r: ran(Bernoulli(r)) == True, b0)\nw = params(infer(q))\n"
        "return sample(laplace(1000000 * eps, w[1], grid=1 / 1000))",
    ),
    "a private likelihood": (
        BOOLS,
        "data, eps",
        "s = clip(sum(data), 0, 9) / 10\n"
        "q = observe(lambda r: ran(Bernoulli(r * s)) == True, Finite((1 / 10, 9 / 10), (1, 1)))\n"
        "w = params(infer(q))\nreturn sample(laplace(1000000 * eps, w[1], grid=1 / 1000))",
    ),
    "a loop that may not run": (
        with_params('"k": Nat'),
        "data, eps, k",
        f"x = sum(data)\nfor i in range(k - 1):\n    x = 0\nreturn {LEAK.format('x')}",
    ),
    "a loop over records beyond three": (
        BOOLS,
        "data, eps",
        f"x = sum(data)\nfor i in range(len(data) - 3):\n    x = 0\nreturn {LEAK.format('x')}",
    ),
    "the variable of a loop that may not run": (
        with_params('"k": Nat'),
        "data, eps, k",
        f"i = sum(data)\nfor i in range(k - 1):\n    y = 1\nreturn {LEAK.format('i')}",
    ),
    "observations that are thrown away": (
        BOOLS.replace('budget="eps"', 'budget="eps/1000"'),
        "data, eps",
        "def step(b, d):\n    x = observe(lambda r: ran(Bernoulli(r)) == d, b)\n"
        "    y = observe(lambda r: ran(Bernoulli(1 - r)) == d, b)\n    return x\n"
        "post = infer(fold(step, Finite((1 / 10, 9 / 10), (1, 1)), data))\n"
        "h = total_variation(post, Finite((1 / 10, 9 / 10), (1, 0)))\n"
        "return sample(laplace(1000000 * eps, h, grid=1 / 1000))",
    ),
    "normal noise and a branch": (
        'data=List[Bool], adjacent="substitute", budget=("2", "0.000208"), params={}',
        "data",
        "s = sum(data)\nx = sample(gauss(3, s, grid=1 / 20))\nif x >= 9.6:\n"
        "    y = sample(laplace(1, s))\nelse:\n    y = sample(gauss(1.97, s, grid=1 / 20))\nreturn x, y",
    ),
    "a value that is not used but may not exist": (
        BOOLS,
        "data, eps",
        "y = 1 / sum(data)\nreturn sample(laplace(eps, sum(data)))",
    ),
    "a comparison that is not used": (
        BOOLS,
        "data, eps",
        "post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))\n"
        "y = hellinger(post, Beta(4, 1)) > 0\nreturn sample(laplace(eps, sum(data)))",
    ),
    "a comparison of a comparison": (
        BOOLS,
        "data, eps",
        "x = (1 / sum(data) > 0) == True\nreturn sample(laplace(eps, x))",
    ),
    "categories inside a tuple": (
        BOOLS.replace("List[Bool]", "List[Tuple[Enum, Bool]]")
        .replace('budget="eps"', 'budget="2*eps"')
        .replace('{"eps": Pos}', '{"eps": Pos, "alpha": Vector(Pos)}'),
        "data, eps, alpha",
        "m = map(lambda r: r[0], data)\n"
        "post = infer(observe_all(Categorical, m, prior=Dirichlet(alpha)))\n"
        "return sample(laplace(eps, params(post)))",
    ),
    "constants that differ beyond six digits": (
        BOOLS.replace(
            'budget="eps", params={"eps": Pos}',
            'budget="hellinger_step(0.33333349999999, 1)*eps", '
            'params={"eps": Pos, "c": Candidates(Beta)}',
        ),
        "data, eps, c",
        "post = infer(observe_all(Bernoulli, data, prior=Beta(0.33333250000001, 1)))\n"
        "return sample(exp_mech(eps, lambda r: -hellinger(post, r), c))",
    ),
    "a distance to a number": (
        BOOLS.replace('budget="eps"', 'budget="2*eps"'),
        "data, eps",
        "post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))\n"
        "return sample(laplace(eps, hellinger(post, 3), grid=1))",
    ),
    "a number for a flag": (
        BOOLS.replace("List[Bool]", "List[Tuple[Bool, Real]]"),
        "data, eps",
        "c = sample(exp_mech(eps, lambda r: 0, (True, 1000, 1001, 1002)))\n"
        "return sample(laplace(eps, sum(map(lambda r: r[0] and c, data)), grid=1))",
    ),
    "a number for a flag by a loop": (
        with_params('"k": Nat', BOOLS.replace("List[Bool]", "List[Tuple[Bool, Real]]")),
        "data, eps, k",
        "c = 1000\nfor i in range(k - 1):\n    c = True\n"
        "return sample(laplace(eps, sum(map(lambda r: r[0] and c, data)), grid=1))",
    ),
    "a flag that becomes a number": (
        with_params('"k": Nat', BOOLS.replace('budget="eps"', 'budget="k*eps"')),
        "data, eps, k",
        "c = True\nfor i in range(k):\n"
        "    z = sample_each(lambda y: exp_mech(eps, lambda r: r == 1 and y and c, (1, 2)), data)\n"
        "    c = 1000\nreturn 1",
    ),
    "rounds that go different ways": (
        with_params('"k": Nat', BOOLS.replace('budget="eps"', 'budget="k*eps"')),
        "data, eps, k",
        "x = sum(data)\ny = 0\nfor i in range(k):\n    if i < k - 1:\n"
        "        y = sample(laplace(eps, sum(data)))\n        x = 0\n    else:\n"
        "        x = sum(data)\nz = sample(laplace(k * eps, clip(x, 0, 1), grid=1))\nreturn (y, z)",
    ),
    "labels in another order": (
        ADDED.replace("Bool", "Enum(1, 0, 2)"),
        "data, eps",
        "p = params(infer(fold(lambda b, d: observe(lambda r: ran(Categorical(r)) == d, b), "
        "Dirichlet((1, 1, 1)), data)))\nx = sample(laplace(eps, p[0]))\n"
        "return (x, sample(laplace(eps, count(lambda r: r == 0, data))))",
    ),
    "balls that a loop forgets": (
        with_params('"k": Nat', BOOLS.replace('budget="eps"', 'budget="27/13*eps"')),
        "data, eps, k",
        "p = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))\nx = 0 * sum(data)\n"
        "for i in range(k):\n    x = 1000000 * (hellinger(p, Beta(2, 1)) - 1 / 10)\n"
        "return sample(laplace(eps, 4 / 3 * clip(x, 14 / 3, 971 / 156) - 1213 / 234, grid=27 / 13))",
    ),
    "balls that a sum forgets": (
        BOOLS.replace("List[Bool]", "List[Tuple[Bool, Real]]").replace(
            'budget="eps"', 'budget="27/13*eps"'
        ),
        "data, eps",
        "p = infer(observe_all(Bernoulli, map(lambda r: r[0], data), prior=Beta(1, 1)))\n"
        "s = sum(map(lambda r: r[1], data))\nx = clip(s + hellinger(p, Beta(1, 1)), 14 / 3, 971 / 156)\n"
        "return sample(laplace(eps, 4 / 3 * x - 1213 / 234, grid=27 / 13))",
    ),
    "an undecided comparison that a test drops": (
        BOOLS,
        "data, eps",
        "p = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))\nf = lambda a: 1\n"
        "return 5 if f(hellinger(p, Beta(2, 1)) < hellinger(p, Beta(1, 2))) == 1 else 3",
    ),
    "an undecided comparison in a tuple": (
        BOOLS,
        "data, eps",
        "p = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))\nx = 0\n"
        "if (hellinger(p, Beta(2, 1)) == 0, 3)[1] > 2:\n    x = 1\nreturn x",
    ),
    "records that a loop carries": (
        with_params('"k": Nat'),
        "data, eps, k",
        "d = data\nfor i in range(k):\n    d = data\n"
        "return sample(laplace(eps, clip(d, 0, 1), grid=1))",
    ),
    "half a place": (
        BOOLS,
        "data, eps",
        "p = (sum(data), 3)\nreturn sample(laplace(eps, p[1 / 2]))",
    ),
    "a family that is a variable after a loop": (
        with_params('"k": Nat').replace('"eps"', '"eps/101"', 1) + ", n=100",
        "data, eps, k",
        "q = Normal(0, 1)\nfor i in range(k - 1):\n    Normal = Bernoulli\n"
        "post = infer(observe_all(Normal, data, prior=q, variance=1))\n"
        "return sample(laplace(eps, mean(post), grid=1/101))",
    ),
    "a ball that is clipped to a point": (
        BOOLS.replace('"eps"', '"eps/1000"', 1),
        "data, eps",
        "post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))\n"
        "d = total_variation(post, Beta(1, 2))\n"
        "return sample(laplace(1000000*eps, clip(d, 1/2, 1/2), grid=1))",
    ),
    "a root of a root": (
        'data=List[Bool], adjacent="add-remove", budget="x*(x-4)**2*sqrt(sqrt(x))", params={"x": Pos}',
        "data, x",
        "return sample(laplace(x/10, sum(data)))",
    ),
    "a root of a product": (
        'data=List[Bool], adjacent="add-remove", budget="sqrt(pi*x)*x*(x-4)**2", params={"x": Pos}',
        "data, x",
        "return sample(laplace(x/10, sum(data)))",
    ),
    "a vector of unknown length at a known n": (
        'data=List[Enum], adjacent="substitute", budget="0.37*eps", n=8, '
        'params={"eps": Pos, "alpha": Vector(AtLeast(1)), "candidates": Candidates(Dirichlet)}',
        "data, eps, alpha, candidates",
        "post = infer(observe_all(Categorical, data, prior=Dirichlet(alpha)))\n"
        "return sample(exp_mech(eps, lambda r: -hellinger(post, r), candidates))",
    ),
    "a number that becomes a list in a loop": (
        with_params('"k": Nat').replace('"eps"', '"2*eps"', 1),
        "data, eps, k",
        "d = sum(data)\nfor i in range(k - 1):\n    d = data\n"
        "return sample(laplace(eps, clip(d, 0, 1), grid=1))",
    ),
    "not, of a flag that never changes": (  # of an eighth review
        BOOLS.replace('"eps"', '"eps/1000000"', 1),
        "data, eps",
        "return sample_each(lambda y: laplace(eps, y[1] * (not y[0]), grid=1), map(lambda r: (False, r), data))",
    ),
    "a factor of not": (
        BOOLS,
        "data, eps",
        "return sample_each(lambda y: laplace(eps, y[1] * (1000 * (not y[0]) - 999), grid=1), map(lambda r: (True, r), data))",
    ),
    "a factor of not in a fold": (
        BOOLS,
        "data, eps",
        "x = fold(lambda s, y: s + y[1] * (1000 * (not y[0]) - 999), 0, map(lambda r: (True, r), data))\nreturn sample(laplace(eps, x, grid=1))",
    ),
}
