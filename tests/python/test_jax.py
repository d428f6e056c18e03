"""Arrays of JAX on the host. `make test` skips it where JAX is not installed."""
import gpuprims as gp
import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="no JAX: pip install jax")


def test_arrays_of_jax():
    x = np.random.default_rng(1).integers(0, 9, (5, 7)).astype(np.float32)
    for made, expected in ((gp.sort(jax.numpy.asarray(x), axis=0), np.sort(x, 0)),
                           (gp.cumsum(jax.numpy.asarray(x), axis=1), x.cumsum(1)),
                           (gp.sum(jax.numpy.asarray(x)), x.sum()),
                           (gp.take(jax.numpy.asarray(x), jax.numpy.asarray([-1, 3])), x.take([-1, 3])),
                           (gp.topk(jax.numpy.asarray(x), 2)[0], -np.sort(-x)[:, :2])):
        assert isinstance(made, jax.Array) and (np.asarray(made) == expected).all()
    half = jax.numpy.asarray([3, 1, 2], jax.numpy.bfloat16)
    assert gp.sort(half).dtype == half.dtype and gp.sum(half) == 6
