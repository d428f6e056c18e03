#!/usr/bin/env python3
"""group_by.py: revenue by shop and day of a table, and the best days: keys of two columns, several results in one pass.

    python3 examples/python/group_by.py [TABLE.parquet] [cuda]

The table has the columns shop, day and amount, numbers all. Without one it is made up; with one, PyArrow reads it, and
its columns go to the library without a copy. Beside it pandas, if it is there, otherwise NumPy.
"""
import sys

import gpuprims as gp
import numpy as np
from _beside import arrays, beside, host


def read(path):
    """The columns of a Parquet file as NumPy's arrays."""
    from pyarrow import parquet

    table = parquet.read_table(path, columns=["shop", "day", "amount"]).combine_chunks()
    return [column.chunk(0).to_numpy() for column in table.columns]


def made_up():
    rng = np.random.default_rng(4)
    n = 300_000
    return rng.integers(0, 40, n), rng.integers(0, 365, n), np.round(rng.gamma(2, 10, n), 2)


def by_shop_and_day(shop, day, amount):
    """{result: its array}, a row for each pair of shop and day."""
    days = int(gp.max(day)) + 1
    keys, (total, largest, count) = gp.group_by(shop * days + day, amount, ("sum", "max", "count"), sync=True)
    return {"shop": keys // days, "day": keys % days, "total": total, "largest": largest, "count": count}


def peer(shop, day, amount):
    """(The other library, sums in the order of shops and days by it)."""
    try:
        import pandas
    except ImportError:
        keys = shop * (day.max() + 1) + day
        return "NumPy", lambda: np.bincount(np.unique(keys, return_inverse=True)[1], amount)
    table = pandas.DataFrame({"shop": shop, "day": day, "amount": amount})
    return "pandas", lambda: table.groupby(["shop", "day"]).agg(["sum", "max", "count"])["amount"]["sum"].to_numpy()


def main():
    _, here = arrays()
    path = next((word for word in sys.argv[1:] if word.endswith(".parquet")), None)
    shop, day, amount = read(path) if path else made_up()
    columns = [here(column) for column in (shop, day, amount)]
    rows, sums = beside(lambda: by_shop_and_day(*columns), *peer(shop, day, amount))
    best, place = (host(one) for one in gp.topk(rows["total"], 3))
    rows = {name: host(column) for name, column in rows.items()}
    for total, at in zip(best, place, strict=True):
        print(f"shop {rows['shop'][at]:2}, day {rows['day'][at]:3}: {total:9.2f} in {rows['count'][at]} sales, "
              f"{rows['largest'][at]:.2f} the largest")
    assert np.allclose(rows["total"], sums) and rows["count"].sum() == len(amount)


if __name__ == "__main__":
    main()
