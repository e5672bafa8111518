# SPDX-License-Identifier: Apache-2.0
"""Pieces of texts beside those of Hugging Face's tokenizers, with files that these write."""

import glob
import os
import random
import tempfile
import unittest

import protium as pt

try:
    import pandas
    import tokenizers
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, processors, trainers
    from tokenizers.implementations import BertWordPieceTokenizer
except ImportError as missing:
    raise unittest.SkipTest(f"no {missing.name}: pip install pandas tokenizers==0.23.3") from missing

LINES = 10_000
# Alphabets, with controls, signs, accents to combine and characters for private use; ASCII more often.
RANGES = [*[(0x20, 0x7F)] * 6, (0x01, 0x9F), (0xA0, 0x24F), (0x300, 0x36F), (0x370, 0x4FF), (0x590, 0x6FF), (0x900, 0xDFF),
          (0x1E00, 0x1FFF), (0x2000, 0x2BFF), (0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xA000, 0xABFF), (0xAC00, 0xD7A3),
          (0xE000, 0xE0FF), (0xF900, 0xFFFF), (0x10000, 0x1FFFF), (0x20000, 0x2FFFF)]
SPECIAL = ["[MASK]", "[CLS]", "[mask]", "<mask>", "</s>", "<s>", "don't", "we'll", "I'VE"]
BLANKS = ["", "\n", "  ", "\t", "\u3000", "\xa0"]


def words():
    root = os.path.join(os.path.dirname(__file__), "..", "..")
    found = []
    for path in sorted([*glob.glob(os.path.join(root, "docs", "*.md")), os.path.join(root, "README.md")]):
        with open(path, encoding="utf-8") as file:
            found += file.read().split()
    return found


def lines_of(known, draw):
    def part():
        kind = draw.random()
        if kind < 0.5:
            return draw.choice(known)
        if kind < 0.6:
            return draw.choice(SPECIAL)
        if kind < 0.7:
            return draw.choice(BLANKS)
        return "".join(chr(draw.randint(*draw.choice(RANGES))) for _ in range(draw.randint(1, 8)))

    lines = ["", " ", "x" * 101 + " " + "y" * 100, "\n\n\n", "a  b   c    "]
    while len(lines) < LINES:
        lines.append(draw.choice([" ", "  ", ""]).join(part() for _ in range(draw.randint(0, 30))))
    return lines


class Tokenizers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        draw = random.Random(7)
        known = words()
        cls.lines = lines_of(known, draw)
        cls.training = [" ".join(draw.choices(known, k=20)) for _ in range(3000)] + cls.lines[:2000]
        cls.folder = tempfile.TemporaryDirectory(prefix="protium-test-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.session = pt.Session()
        cls.addClassCleanup(cls.session.close)

    def at(self, name):
        return os.path.join(self.folder.name, name)

    def compare(self, theirs, file, length, **options):
        theirs.no_padding()
        theirs.enable_truncation(length)
        frame = self.session.table(pandas.DataFrame({"at": range(LINES), "text": self.lines}))
        stage = pt.stages.SubwordTokenizer(id="p", inputs=["text"], file=file, length=length, **options)
        made = pt.Pipeline([stage]).fit(frame).transform(frame).to_pandas().sort_values("at")
        for line, ids, mask in zip(self.lines, made["p__ids"], made["p__mask"]):
            self.assertEqual([each for each, own in zip(ids, mask) if own], theirs.encode(line).ids, repr(line))

    def test_word_pieces_of_a_vocabulary(self):
        maker = BertWordPieceTokenizer(lowercase=True)
        maker.train_from_iterator(self.training, vocab_size=3000, show_progress=False)
        maker.save_model(self.folder.name)
        for lower in (True, False):
            theirs = BertWordPieceTokenizer(self.at("vocab.txt"), lowercase=lower)
            self.compare(theirs, self.at("vocab.txt"), 64, lower_case=lower)
            theirs.save(self.at("bert.json"))
            self.compare(Tokenizer.from_file(self.at("bert.json")), self.at("bert.json"), 8)

    def test_byte_pairs(self):
        for leading in (True, False):
            maker = Tokenizer(models.BPE())
            maker.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=leading)
            special = ["<s>", "<pad>", "</s>", "<unk>", AddedToken("<mask>", lstrip=True, normalized=False)]
            maker.train_from_iterator(self.training, trainers.BpeTrainer(
                vocab_size=4000, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), special_tokens=special, show_progress=False))
            maker.post_processor = (processors.RobertaProcessing(("</s>", 2), ("<s>", 0)) if leading else
                                    processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]))
            maker.save(self.at("pairs.json"))
            self.compare(Tokenizer.from_file(self.at("pairs.json")), self.at("pairs.json"), 128)

    def test_the_version_is_the_one_that_was_asked(self):
        self.assertEqual(tokenizers.__version__, "0.23.3")


if __name__ == "__main__":
    unittest.main()
