#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""character_tables.py: writes src/learning/subwords/character_tables.cc, what Hugging Face's tokenizers take each
character for. Needs their wheel, `tokenizers` 0.23.3, which is asked about every character.
"""

import os

from tokenizers import Regex, normalizers, pre_tokenizers

PATH = os.path.join(os.path.dirname(__file__), "..", "src/learning/subwords/character_tables.cc")
ALL = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
HANGUL = range(0xAC00, 0xD7A4)  # Decomposed by a formula.
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def bert(step):
    off = {"clean_text": False, "handle_chinese_chars": False, "strip_accents": False, "lowercase": False}
    return normalizers.BertNormalizer(**{**off, step: True}).normalize_str


# How many pieces a text has whose middle is the character.
def pieces(split, around):
    return lambda code: len(split.pre_tokenize_str(around + chr(code) + around))


# [first, last] of neighbours that `chosen` holds for, one after the other.
def ranges(chosen):
    found = []
    for code in filter(chosen, ALL):
        if found and found[-1] == code - 1:
            found[-1] = code
        else:
            found += [code, code]
    return found


# [first, last, step, the lower case of the first]: runs of characters that are as far from their lower cases.
def lower_runs():
    lower = bert("lowercase")
    runs = []
    for code in ALL:
        to = lower(chr(code))
        if to == chr(code) or len(to) != 1:  # Only U+0130 has two.
            continue
        if runs:
            first, last, step, target = runs[-1]
            same_way = ord(to) - target == code - first
            if same_way and (code - last == step or (first == last and code - last <= 2)):
                runs[-1] = [first, code, code - last, target]
                continue
        runs.append([code, code, 1, ord(to)])
    return [each for run in runs for each in run]


def decomposed():
    strip = bert("strip_accents")
    for code in ALL:
        to = strip(chr(code))
        if code not in HANGUL and to not in (chr(code), ""):
            yield from [len(to), code, *map(ord, to)]


def base_36(number):
    digits, left = "", abs(number)
    while left or not digits:
        digits, left = DIGITS[left % 36] + digits, left // 36
    return "-" + digits if number < 0 else digits


# As string literals of at most 90 characters a line.
def literal(numbers):
    lines, last = [""], 0
    for number in numbers:
        word = base_36(number - last) + " "
        last = number
        if len(lines[-1]) + len(word) > 90:
            lines.append("")
        lines[-1] += word
    lines[-1] = lines[-1].rstrip()
    return "\n".join(f'    "{line}"' for line in lines)


def main():
    split, clean, strip = pre_tokenizers.BertPreTokenizer(), bert("clean_text"), bert("strip_accents")
    parts = pieces(split, "a")
    matched = {name: pieces(pre_tokenizers.Split(Regex(rf"\p{{{name}}}"), "isolated"), "\x01") for name in "LN"}
    apart = bert("handle_chinese_chars")
    tables = {
        "Blank": ranges(lambda code: parts(code) == 2),
        "Control": ranges(lambda code: clean("a" + chr(code) + "b") == "ab"),
        "Punctuation": ranges(lambda code: parts(code) == 3),
        "Mark": ranges(lambda code: strip(chr(code)) == ""),
        "Letter": ranges(lambda code: matched["L"](code) == 3),
        "Number": ranges(lambda code: matched["N"](code) == 3),
        "Ideograph": ranges(lambda code: apart(chr(code)) != chr(code)),
        "Lower": lower_runs(),
        "Decomposed": decomposed(),
    }
    with open(PATH, "w", encoding="utf-8") as file:
        file.write("// SPDX-License-Identifier: Apache-2.0\n// Written by scripts/character_tables.py.\n"
                   '#include "subwords/character_tables.h"\n\nnamespace protium {\n\n')
        for name, numbers in tables.items():
            file.write(f"const std::string_view k{name}Table =\n{literal(numbers)};\n\n")
        file.write("}  // namespace protium\n")


if __name__ == "__main__":
    main()
