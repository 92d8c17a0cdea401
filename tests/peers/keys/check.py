#!/usr/bin/env python3
"""Recounts the figures of `betwixt keys growth` from what `--dump FILE` wrote, and nothing else.

    check.py DUMP [FIGURES]     FIGURES is what --json printed, `-` for standard input; they must agree

A line of the dump is site, insert, key and round (or `-`), in the order of the keys.
"""

import json
import math
import sys
from collections import defaultdict

SYMBOLS = [byte for byte in range(0x21, 0x7F) if byte not in b'"\\']
KEY_BYTES_MAX = 128


def read(path):
    rows = []
    with open(path, "rb") as dump:
        for line in dump:
            site, number, key, batch = line.rstrip(b"\n").split(b" ")
            rows.append((int(site), int(number), key, batch))
    return rows


def faults(rows):
    for (_, number, key, _), (_, before, last, _) in zip(rows[1:], rows):
        if (key, number) <= (last, before):
            yield f"insert {number} is out of order behind {before}"
    for _, number, key, _ in rows:
        if not key or any(byte not in SYMBOLS for byte in key) or key[-1] == SYMBOLS[0]:
            yield f"insert {number} made {key!r}, which is no key"
    if sorted(number for _, number, _, _ in rows) != list(range(1, len(rows) + 1)):
        yield "inserts are missing, or there twice"


def interleaved(rows):
    """Runs of a round with another run's key between their first and their last."""
    batches = defaultdict(list)
    for site, _, key, batch in rows:
        if batch != b"-":
            batches[batch].append((key, site))
    broken = 0
    for keys in batches.values():
        keys.sort()
        places = defaultdict(list)
        for place, (_, site) in enumerate(keys):
            places[site].append(place)
        broken += sum(run[-1] - run[0] + 1 != len(run) for run in places.values())
    return broken


def figures(rows):
    lengths = sorted(len(key) for _, _, key, _ in rows)
    full = [number for _, number, key, _ in rows if len(key) > KEY_BYTES_MAX]
    return {
        "count": len(rows),
        "mean": sum(lengths) / len(rows),
        "p99": lengths[math.ceil(len(lengths) * 99 / 100) - 1],
        "longest": lengths[-1],
        "full_at": min(full, default=None),
        "duplicates": len(rows) - len({key for _, _, key, _ in rows}),
        "interleaved": interleaved(rows),
    }


def main():
    rows = read(sys.argv[1])
    wrong = list(faults(rows))
    counted = figures(rows)
    if len(sys.argv) > 2:
        with sys.stdin if sys.argv[2] == "-" else open(sys.argv[2], encoding="utf-8") as said:
            said = json.load(said)
        for name, value in counted.items():
            same = math.isclose(value, said[name]) if name == "mean" else value == said[name]
            if not same:
                wrong.append(f"{name} is {value}, not {said[name]}")
    print(json.dumps(counted))
    for fault in wrong[:20]:
        print(fault, file=sys.stderr)
    sys.exit(bool(wrong))


main()
