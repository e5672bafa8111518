// SPDX-License-Identifier: Apache-2.0
#include "subwords/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "base/json.h"
#include "base/utf8.h"
#include "os/file.h"

// The ids are those that Hugging Face's tokenizers 0.23.3 gives.

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Ids = std::vector<int32_t>;

const char* const kPieces[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the",  "plane",
                               "##s",   "is",    "late",  "un",    "##lo",   "##ad", "##ed",
                               "!",     "$",     "5",     "##0",   "caf",    "##e",  "中",
                               "文",    "Paris", "Caf",   "##é"};

std::string Vocabulary() {
  std::string text;
  for (const char* piece : kPieces) text += std::string(piece) + "\n";
  return text;
}

// BERT's, cut at blanks only, of words with at most six characters.
Json WordPieceJson() {
  Json pieces = Json::object();
  for (const char* piece : kPieces) pieces[piece] = pieces.size();
  return {{"added_tokens", Json::array()},
          {"normalizer", nullptr},
          {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
          {"post_processor",
           {{"type", "BertProcessing"}, {"sep", {"[SEP]", 3}}, {"cls", {"[CLS]", 2}}}},
          {"model",
           {{"type", "WordPiece"},
            {"unk_token", "[UNK]"},
            {"continuing_subword_prefix", "##"},
            {"max_input_chars_per_word", 6},
            {"vocab", pieces}}}};
}

// RoBERTa's with few merges. Its pieces begin with all bytes, in the order of their characters.
Json BytePairJson() {
  Json pieces = Json::object();
  for (const char* special : {"<s>", "<pad>", "</s>", "<mask>"}) pieces[special] = pieces.size();
  for (char32_t code = 0x21; code < 0x144; ++code) {
    if ((code > 0x7e && code < 0xa1) || code == 0xad) continue;
    std::string piece;
    AppendUtf8(code, piece);
    pieces[piece] = pieces.size();
  }
  Json merges = Json::array();
  for (const auto& [a, b] : std::vector<std::pair<std::string, std::string>>{{"t", "h"},
                                                                             {"th", "e"},
                                                                             {"Ġ", "the"},
                                                                             {"l", "a"},
                                                                             {"t", "e"},
                                                                             {"la", "te"},
                                                                             {"1", "2"},
                                                                             {"Ġ", "12"}}) {
    merges.push_back(a + " " + b);
    pieces[a + b] = pieces.size();
  }
  const Json mask = {{"id", 3}, {"content", "<mask>"}, {"lstrip", true}, {"normalized", false}};
  return {{"added_tokens", {mask}},
          {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", true}}},
          {"post_processor",
           {{"type", "RobertaProcessing"}, {"sep", {"</s>", 2}}, {"cls", {"<s>", 0}}}},
          {"model", {{"type", "BPE"}, {"vocab", pieces}, {"merges", merges}}}};
}

Ids Encoded(const std::string& file, std::string_view text, int64_t length = 12,
            bool lower_case = true) {
  const auto tokenizer = SubwordTokenizer::OfText(file, lower_case);
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  return tokenizer.ok() ? tokenizer->Encode(text, length) : Ids();
}

std::string Refused(const Json& json) {
  const auto tokenizer = SubwordTokenizer::OfText(Dump(json), true);
  EXPECT_FALSE(tokenizer.ok());
  return tokenizer.ok() ? "" : Render(FaultOf(tokenizer.status()));
}

TEST(SubwordTokenizer, CutsTextsOfAVocabularyToWordPieces) {
  const std::string file = Vocabulary();
  EXPECT_THAT(Encoded(file, "The planes is late!"), ElementsAre(2, 5, 6, 7, 8, 9, 14, 3));
  EXPECT_THAT(Encoded(file, "UNLOADED café $50"),
              ElementsAre(2, 10, 11, 12, 13, 18, 19, 15, 16, 17, 3));
  EXPECT_THAT(Encoded(file, "中文"), ElementsAre(2, 20, 21, 3));
  EXPECT_THAT(Encoded(file, "unloadedx the"), ElementsAre(2, 1, 5, 3));
  EXPECT_THAT(Encoded(file, "\u200bthe\u00a0the\tthe"), ElementsAre(2, 5, 5, 5, 3));
  EXPECT_THAT(Encoded(file, ""), ElementsAre(2, 3));
}

TEST(SubwordTokenizer, KeepsCapitalsAndAccentsIfToldSo) {
  const std::string file = Vocabulary();
  EXPECT_THAT(Encoded(file, "Paris CAFÉ", 12, false), ElementsAre(2, 22, 1, 3));
  EXPECT_THAT(Encoded(file, "UNLOADED café $50", 12, false),
              ElementsAre(2, 1, 18, 24, 15, 16, 17, 3));
}

TEST(SubwordTokenizer, TakesSpecialTokensInATextForThemselves) {
  const std::string file = Vocabulary();
  EXPECT_THAT(Encoded(file, "[MASK] the[SEP]"), ElementsAre(2, 4, 5, 3, 3));
  EXPECT_THAT(Encoded(file, "[mask]"), ElementsAre(2, 1, 1, 1, 3));
}

TEST(SubwordTokenizer, LeavesOutWhatDoesNotFit) {
  const std::string file = Vocabulary();
  EXPECT_THAT(Encoded(file, "UNLOADED café", 5), ElementsAre(2, 10, 11, 12, 3));
  EXPECT_THAT(Encoded(file, "[MASK] the[SEP]", 5), ElementsAre(2, 4, 5, 3, 3));
  EXPECT_THAT(Encoded(file, "the the the", 3), ElementsAre(2, 5, 3));
}

TEST(SubwordTokenizer, KeepsToWhatItsFileSays) {
  const std::string file = Dump(WordPieceJson());
  EXPECT_THAT(Encoded(file, "the planes  the!"), ElementsAre(2, 5, 6, 7, 1, 3));
  EXPECT_THAT(Encoded(file, "unload unloaded"), ElementsAre(2, 10, 11, 12, 1, 3));
}

TEST(SubwordTokenizer, JoinsBytePairs) {
  const std::string file = Dump(BytePairJson());
  EXPECT_THAT(Encoded(file, "the the"), ElementsAre(0, 262, 262, 2));
  EXPECT_THAT(Encoded(file, "the late"), ElementsAre(0, 262, 224, 265, 2));
  EXPECT_THAT(Encoded(file, "it's 123 é"),
              ElementsAre(0, 224, 76, 87, 10, 86, 267, 22, 224, 131, 106, 2));
  EXPECT_THAT(Encoded(file, "x  <mask> the"), ElementsAre(0, 224, 91, 3, 262, 2));
  EXPECT_THAT(Encoded(file, "a\n\n b"), ElementsAre(0, 224, 68, 202, 202, 224, 69, 2));
  EXPECT_THAT(Encoded(file, ""), ElementsAre(0, 2));
}

TEST(SubwordTokenizer, TakesTimeLinearInLongTexts) {
  const std::string words = Dump(BytePairJson());
  EXPECT_EQ(Encoded(words, std::string(1 << 20, 'e'), 1 << 21).size(), (size_t{1} << 20) + 3);
  EXPECT_EQ(Encoded(Vocabulary(), std::string(1 << 20, 'e'), 100), (Ids{2, 1, 3}));
}

TEST(SubwordTokenizer, RefusesByNameWhatIsNotBuilt) {
  Json json = WordPieceJson();
  json["model"]["type"] = "Unigram";
  EXPECT_THAT(Refused(json), HasSubstr("a tokenizer whose model is \"Unigram\""));
  json = WordPieceJson();
  json["normalizer"] = {{"type", "NFKC"}};
  EXPECT_THAT(Refused(json), HasSubstr("normalizer is \"NFKC\""));
  json = WordPieceJson();
  json["pre_tokenizer"] = {{"type", "Metaspace"}};
  EXPECT_THAT(Refused(json), HasSubstr("pre_tokenizer is \"Metaspace\""));
  json = BytePairJson();
  json["model"]["end_of_word_suffix"] = "</w>";
  EXPECT_THAT(Refused(json), HasSubstr("end_of_word_suffix is \"</w>\""));
  json = BytePairJson();
  json["added_tokens"][0]["single_word"] = true;
  EXPECT_THAT(Refused(json), HasSubstr("<mask>, single_word"));
  json = BytePairJson();
  json["post_processor"]["type"] = "Sequence";
  EXPECT_THAT(Refused(json), HasSubstr("post_processor is \"Sequence\""));
}

TEST(SubwordTokenizer, RefusesDamagedFiles) {
  Json json = WordPieceJson();
  json["model"]["vocab"]["the"] = -1;
  EXPECT_THAT(Refused(json), HasSubstr("\"-1\" is not an id"));
  json = WordPieceJson();
  json["model"]["unk_token"] = "[unknown]";
  EXPECT_THAT(Refused(json), HasSubstr("\"[unknown]\", which stands for unknown words"));
  json = BytePairJson();
  json["model"]["vocab"].erase("Ġ");
  EXPECT_THAT(Refused(json), HasSubstr("without the piece \"Ġ\""));
  json = BytePairJson();
  json["model"]["merges"].push_back("the late");
  EXPECT_THAT(Refused(json), HasSubstr("without the piece \"thelate\""));
  const auto none = SubwordTokenizer::OfText("a\nb\n", true);
  EXPECT_THAT(none.status().ToString(), HasSubstr("neither a tokenizer.json nor a vocab.txt"));
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  const auto huge = folder.path() / "tokenizer.json";
  ASSERT_TRUE(WriteFile(huge, "{").ok());
  std::filesystem::resize_file(huge, 100'000'000);  // Without blocks on the disk.
  EXPECT_THAT(Render(FaultOf(SubwordTokenizer::Open(huge, true).status())),
              HasSubstr("has 100000000 bytes; the limit is 67108864"));
  const auto missing = SubwordTokenizer::Open("/nowhere/vocab.txt", true);
  EXPECT_THAT(Render(FaultOf(missing.status())), HasSubstr("/nowhere/vocab.txt"));
}

}  // namespace
}  // namespace protium
