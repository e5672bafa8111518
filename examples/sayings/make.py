#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make.py FORTUNES FOLDER: writes sayings.csv in FOLDER, the table of sayings.toml: of eight topics at most 250 sayings
of 21 to 399 characters. FORTUNES is the folder usr/share/games/fortunes of Debian's package fortunes.
"""

import csv
import os
import sys

TOPICS = ("computers", "food", "law", "love", "medicine", "politics", "science", "sports")


def sayings(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        for saying in file.read().split("\n%\n"):
            if 20 < len(saying.strip()) < 400:
                yield saying.strip()


def main():
    fortunes, folder = sys.argv[1:]
    with open(os.path.join(folder, "sayings.csv"), "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["saying", "topic"])
        for topic in TOPICS:
            rows.writerows([saying, topic] for saying in list(sayings(os.path.join(fortunes, topic)))[:250])


if __name__ == "__main__":
    main()
