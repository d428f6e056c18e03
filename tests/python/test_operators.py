"""Operators of one's own: C, and functions that are traced, against the same functions on NumPy's arrays."""
import gpuprims as gp
import numpy as np
import pytest
from conftest import LONG
from hypothesis import given, settings
from hypothesis import strategies as st
from gpuprims._operators import Operator

TYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]


def test_of_c():
    x = np.array([3.0, -1, 2, -5])
    nearer = gp.operator("a * a <= b * b ? a : b", identity=1e300, commutative=True)
    assert gp.reduce(x, nearer) == -1
    assert (gp.transform(gp.operator("double t = a + 1; return t * t;"), x) == (x + 1) ** 2).all()
    assert (gp.transform(gp.operator("sqrt(fabs(a))"), x) == np.sqrt(abs(x))).all()
    assert (gp.transform(gp.operator("a > b"), x, x[::-1].copy()) == (x > x[::-1])).all()
    assert (gp.select(x, gp.operator("a * 0.25")) == x).all()  # true where it is not zero, not where it is 1


def test_of_a_function():
    x = np.arange(-5, 6, dtype=np.int32)
    farther = gp.operator(lambda a, b: gp.where(abs(a) >= abs(b), a, b), identity=0)
    assert gp.reduce(x, farther) == -5
    assert (gp.scan(x, gp.operator(lambda a, b: gp.maximum(a, b), identity=-2**31)) == x).all()
    assert (gp.select(x, gp.operator(lambda a: (a > -2) & ~(a > 2) | (a == 5))) == [-1, 0, 1, 2, 5]).all()
    assert gp.count_if(x, gp.operator(lambda a: a != 0)) == 10
    halves = gp.transform(gp.operator(lambda a: a / 2), x, dtype="float64")
    assert halves.dtype == np.float64 and (halves == x / 2).all()
    scale = np.float32(3)
    assert (gp.transform(gp.operator(lambda a: a * scale + 0.5), x.astype(np.float32)) == x * scale + 0.5).all()
    assert repr(farther) == "<gpuprims.Operator: function <lambda>>" and "a + b" in repr(gp.operator("a + b"))


@pytest.mark.parametrize("size", [7, 3000])
def test_orders(size):
    x = np.random.default_rng(size).integers(-50, 50, (3, size)).astype(np.int32)
    nearer = gp.operator(lambda a, b: abs(a) < abs(b))  # of equally near ones the first
    for axis in (0, 1):
        order = np.argsort(abs(x), axis, kind="stable")
        farthest = np.argsort(-abs(x), axis, kind="stable")
        for k in (1, x.shape[axis]):
            values, indices = gp.topk(x, k, axis=axis, largest=False, order=nearer)
            assert (indices == np.take(order, range(k), axis)).all()
            assert (values == np.take_along_axis(x, indices, axis)).all()
            assert (gp.topk(x, k, axis=axis, order=nearer)[1] == np.take(farthest, range(k), axis)).all()
    zeros = np.array([0.0, -0.0, 1])
    assert gp.topk(zeros, 3, largest=False, order="<")[1].tolist() == [0, 1, 2]
    for wrong in (">=", 3):
        with pytest.raises(TypeError, match=f"order is {wrong!r}: neither one of < nor a gpuprims.operator"):
            gp.topk(zeros, 1, order=wrong)


def test_infinite_identity():
    least = gp.operator(lambda a, b: gp.minimum(a, b), identity=float("inf"))
    assert gp.reduce(np.zeros(0), least) == np.inf and gp.reduce(np.array([3.0, 2]), least) == 2
    assert gp.reduce(np.zeros(0, np.float32), gp.operator("a > b ? a : b", identity=float("-inf"))) == -np.inf


def test_functions_of_numpy():
    x = np.array([-2.5, 0, 4])
    function = lambda a: np.where(np.abs(a) > 1, np.minimum(a, 3), np.maximum(-a, 0.5)) + np.square(a)  # noqa: E731
    assert (gp.transform(gp.operator(function), x) == function(x)).all()


REFUSED = [
    (lambda a: a if a > 0 else -a, "use gpuprims.where"), (lambda a: max(a, 0), "use gpuprims.where"),
    (lambda a: a and 1, "use gpuprims.where"), (lambda a: a // 2, "// and % differ"),
    (lambda a: a % 2, "// and % differ"),
    (lambda a: a ** 0.5, "only integers from 1 to 16"), (lambda a: 2 ** a, "only .* have a meaning"),
    (lambda a: np.sin(a), "numpy.sin has no meaning"), (lambda a: np.sum(a), "numpy.sum has no meaning|no meaning"),
    (lambda a: int(a), "only .* have a meaning"), (lambda a: a[0], "only .* have a meaning"),
    (lambda a: "text", "a value of str"), (lambda a: None, "a value of NoneType"),
    (lambda a: a + "1", "a value of str"),
    (lambda a: a + 2**70, "more than 64 bits"), (lambda a: a + float("nan"), "no number that C can write"),
    (lambda a: (a + 0.5) & 1, "& is for integers"), (lambda a: ~(a * 0.5), "~ is for integers"),
    (lambda a: 1 / 0, "division by zero"), (lambda a: [x for x in a], "only .* have a meaning"),
    (lambda a: f"{a:d}", "format"), (lambda a: a << 1, "only .* have a meaning"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refused(number):
    function, message = REFUSED[number]
    with pytest.raises(gp.errors.OperatorError, match=message) as caught:
        gp.transform(gp.operator(function), np.arange(3, dtype=np.int32))
    assert isinstance(caught.value, TypeError) and "cannot become an operator" in str(caught.value)


def test_wrong_operators(monkeypatch):
    x = np.arange(3.0)
    for source in (None, "", 3, lambda: 1, lambda a, b, c: a, lambda *a: 1, lambda *, a: a, print):
        with pytest.raises(TypeError, match="^source"):
            gp.operator(source)
    with pytest.raises(gp.errors.OperatorError, match="has 1 parameters, and the call has 2 operands"):
        gp.transform(gp.operator(lambda a: a), x, x)
    with pytest.raises(gp.errors.OperatorError, match="(?s)^mine does not compile:.*\nmine:1:"):
        gp.transform(gp.operator("no such thing", name="mine"), x)
    with pytest.raises(gp.errors.OperatorError, match="take no float16"):
        gp.transform(gp.operator("a + 1"), x.astype(np.float16))
    with pytest.raises(gp.GpuprimsError, match="identity"):
        gp.reduce(x, gp.operator("a + b"))
    with pytest.raises(TypeError, match="are for operators"):
        gp.where(x > 0, x, x)
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(gp.errors.UnsupportedError, match="there is no C compiler"):
        gp.transform(gp.operator("a + 12345"), x)


def test_a_shared_expression_is_computed_once():
    def powers(a):
        for _ in range(40):
            a = a * a + a
        return a

    body = Operator(powers).body("int64", 1)
    assert len(body) < 5000
    x = np.arange(5)
    assert (gp.transform(gp.operator(powers), x) == powers(x)).all()


def test_an_operator_is_defined_once():
    calls = []

    def twice(a):
        calls.append(1)
        return a * 2

    op, x = gp.operator(twice), np.arange(5)
    for _ in range(3):
        assert (gp.transform(op, x) == x * 2).all()
    assert len(calls) == 1
    gp.transform(op, x.astype(np.float32))
    assert len(calls) == 2


# ---- random expressions


def expression(draw, depth, integers):
    """A function of one operand, of what Python, NumPy and C agree on."""
    inner = ["+", "-", "*", "neg", "abs", "min", "max", "where"]
    kind = draw(st.sampled_from(inner if depth else ["a", "constant"]))
    if kind == "a":
        return lambda a: a
    if kind == "constant":
        value = draw(st.integers(0, 9))
        return lambda a: a * 0 + (value if integers else value * 0.25)
    f, g = (expression(draw, depth - 1, integers) for _ in range(2))
    return {"+": lambda a: f(a) + g(a), "-": lambda a: f(a) - g(a), "*": lambda a: f(a) * g(a), "neg": lambda a: -f(a),
            "abs": lambda a: abs(f(a)), "min": lambda a: np.minimum(f(a), g(a)),
            "max": lambda a: np.maximum(f(a), g(a)),
            "where": lambda a: np.where(f(a) < g(a), f(a), g(a) + 1)}[kind]


@pytest.mark.turn
@settings(max_examples=300 if LONG else 6)
@given(data=st.data())
def test_random_expressions(data):
    name = data.draw(st.sampled_from(["int64", "float64", "float32"]))  # NumPy's other integers are not promoted as C's
    function = expression(data.draw, data.draw(st.integers(0, 3)), name == "int64")
    x = np.arange(-6, 7).astype(name)
    with np.errstate(over="ignore"):
        expected = function(x)
    made = gp.transform(gp.operator(function), x)
    assert made.dtype == x.dtype and (made == expected.astype(name)).all()


@pytest.mark.turn
@pytest.mark.parametrize("name", TYPES)
def test_types(name):
    x = np.arange(1, 9).astype(name)
    assert (gp.transform(gp.operator(lambda a, b: a * 2 + b), x, x) == x * 3).all()
    total = gp.operator(lambda a, b: a + b, identity=0)
    assert gp.reduce(x, total) == x.sum(dtype=x.dtype) and (gp.scan(x, total) == x.cumsum(dtype=x.dtype)).all()
