# SPDX-License-Identifier: Apache-2.0
"""The flights job on Spark as its tables grow: ours beside PySpark doing the same ETL and one write.

Both sides ask one server, in turn; both must see as many flights.
"""

import on_spark
import scale

MADE_ROWS = (500_000, 5_000_000)
HEAD = (f"{'rows':>12} {'ETL s':>7} {'PySpark':>8} {'infer':>6} {'ratio':>6} {'to step 1':>9} {'train':>7} {'score':>7} "
        f"{'job s':>8}\n{'':>12} {'':>7} {'':>8} {'':>6} {'':>6} {'<=25':>9} {'':>7} {'':>7} {'<=100':>8}")


class Bench(scale.Bench):
    def __init__(self, server, binaries, python, job):
        super().__init__(binaries, python, job, None)
        self.server = server

    # Rounds of both sides in turn.
    def measure(self, rows, rounds):
        folder = self.tables(rows)
        settings = dict(scale.MADE_SETTINGS, **{"engine.address": self.server.address})
        sides = ([], [])
        for _ in range(rounds):
            sides[0].append(self.ours(folder, settings))
            if self.python:
                sides[1].append(scale.answers([self.python, "bench/peers/spark_etl.py", self.job, folder,
                                               self.server.address]))
                check(sides[0][-1], sides[1][-1])
        return sides


def check(mine, peer):
    seen = scale.rows_of(mine)
    if seen != peer["rows"]:
        raise SystemExit(f"bench: unlike rows: ours {seen}, PySpark's {peer['rows']}")


# Opening the tables and the session, fitting, and the gang's start: all before the first step but
# the ETL.
def to_first_step(said):
    return said["seconds"]["first_step"] - said["seconds"]["etl"]


def print_line(name, mine, peer):
    part = lambda which: scale.median(mine, lambda said: said["seconds"][which])
    etl, plain = part("etl"), scale.median(peer, lambda said: said["seconds"])
    print(f"{name:>12} {etl:7.1f} {plain:8.1f} {scale.median(peer, lambda said: said['infer']):6.1f} {etl / plain:6.2f} "
          f"{scale.median(mine, to_first_step):9.1f} {part('train'):7.1f} {part('score'):7.1f} {part('total'):8.1f}",
          flush=True)


def run(binaries, python, job, rows, rounds):
    print(HEAD, flush=True)
    with on_spark.Server() as server:
        bench = Bench(server, binaries, python, job)
        bench.measure(100_000, 1)  # Whoever comes first waits for what the server has to compile.
        for each in rows or MADE_ROWS:
            print_line(f"{each:,}", *bench.measure(each, rounds or 1))
