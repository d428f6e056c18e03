#!/usr/bin/env python3
"""group_by.py: revenue by shop and day of a table, and the best days: keys of two columns, several results in one pass.

    python3 examples/python/group_by.py [TABLE.parquet]

The table has the columns shop, day and amount, numbers all. Without one it is made up; with one, PyArrow reads it, and
its columns go to the library without a copy.
"""
import sys

import gpuprims as gp
import numpy as np


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
    keys, (total, largest, count) = gp.group_by(shop * days + day, amount, ("sum", "max", "count"))
    return {"shop": keys // days, "day": keys % days, "total": total, "largest": largest, "count": count}


def main():
    shop, day, amount = read(sys.argv[1]) if len(sys.argv) > 1 else made_up()
    rows = by_shop_and_day(shop, day, amount)
    best, place = gp.topk(rows["total"], 3)
    for total, at in zip(best, place, strict=True):
        print(f"shop {rows['shop'][at]:2}, day {rows['day'][at]:3}: {total:9.2f} in {rows['count'][at]} sales, "
              f"{rows['largest'][at]:.2f} the largest")
    # NumPy: one of the groups, and all of them together.
    here = (shop == rows["shop"][place[0]]) & (day == rows["day"][place[0]])
    assert np.isclose(amount[here].sum(), best[0]) and here.sum() == rows["count"][place[0]]
    assert np.isclose(rows["total"].sum(), amount.sum()) and rows["count"].sum() == len(amount)


if __name__ == "__main__":
    main()
