// SPDX-License-Identifier: Apache-2.0
#include "subwords/settings.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/fault.h"
#include "base/json.h"
#include "base/text.h"

namespace protium {
namespace {

Status Damaged(std::string what) {
  return Fail({.exit = Exit::kInput, .what = "a tokenizer that cannot be read: " + what});
}

Status NotBuilt(std::string_view part, const std::string& kind) {
  return Fail(
      {.exit = Exit::kInput,
       .what = fmt::format("a tokenizer whose {} is \"{}\", which is not built", part, kind),
       .fix = "use a tokenizer of word pieces (BERT, MiniLM, BGE) or of byte pairs (GPT-2, "
              "RoBERTa)"});
}

const Json& At(const Json& json, std::string_view key) {
  static const Json kNone;
  if (!json.is_object()) return kNone;
  const auto found = json.find(key);
  return found == json.end() ? kNone : *found;
}

bool FlagAt(const Json& json, std::string_view key, bool otherwise = false) {
  const Json& flag = At(json, key);
  return flag.is_boolean() ? flag.get<bool>() : otherwise;
}

Result<int32_t> IdOf(const Json& json) {
  if (json.is_number_integer() && json >= 0 && json <= std::numeric_limits<int32_t>::max()) {
    return json.get<int32_t>();
  }
  return Damaged(fmt::format("\"{}\" is not an id", Dump(json)));
}

Status ReadNormalizer(const Json& json, TokenizerSettings& settings) {
  if (json.is_null()) return Status::OK();
  const std::string& type = TextAt(json, "type");
  if (type != "BertNormalizer") return NotBuilt("normalizer", type);
  settings.clean = FlagAt(json, "clean_text", true);
  settings.ideographs_apart = FlagAt(json, "handle_chinese_chars", true);
  settings.lower_case = FlagAt(json, "lowercase", true);
  // Unless it says otherwise, accents go with the capitals.
  settings.strip_marks = FlagAt(json, "strip_accents", settings.lower_case);
  return Status::OK();
}

Status ReadWords(const Json& json, TokenizerSettings& settings) {
  using Words = TokenizerSettings::Words;
  if (json.is_null()) return Status::OK();
  const std::string& type = TextAt(json, "type");
  if (type == "BertPreTokenizer") {
    settings.words = Words::kBlanksAndPunctuation;
  } else if (type == "WhitespaceSplit") {
    settings.words = Words::kBlanks;
  } else if (type == "ByteLevel" && FlagAt(json, "use_regex", true)) {
    settings.words = Words::kBytes;
    settings.add_blank = FlagAt(json, "add_prefix_space", true);
  } else {
    return NotBuilt("pre_tokenizer", type);
  }
  return Status::OK();
}

Status ReadPieces(const Json& vocabulary, TokenizerSettings& settings) {
  if (!vocabulary.is_object() || vocabulary.empty()) return Damaged("it has no \"vocab\"");
  settings.pieces.reserve(vocabulary.size());
  for (const auto& [piece, id] : vocabulary.items()) {
    PT_LET(const int32_t number, IdOf(id));
    settings.pieces.emplace(piece, number);
  }
  return Status::OK();
}

// A merge is "a b", or ["a", "b"].
Status ReadMerges(const Json& merges, TokenizerSettings& settings) {
  if (!merges.is_array()) return Damaged("it has no \"merges\"");
  for (const Json& each : merges) {
    if (each.is_array() && each.size() == 2 && each[0].is_string() && each[1].is_string()) {
      settings.merges.emplace_back(each[0].get<std::string>(), each[1].get<std::string>());
      continue;
    }
    const std::string text = each.is_string() ? each.get<std::string>() : "";
    const size_t blank = text.find(' ');
    if (blank == std::string::npos) return Damaged(fmt::format("{} is not a merge", Dump(each)));
    settings.merges.emplace_back(text.substr(0, blank), text.substr(blank + 1));
  }
  return Status::OK();
}

Status ReadBytePairs(const Json& model, TokenizerSettings& settings) {
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (!TextAt(model, key).empty())
      return NotBuilt(std::string("model.") + key, TextAt(model, key));
  }
  if (FlagAt(model, "byte_fallback")) return NotBuilt("model.byte_fallback", "true");
  if (NumberAt(model, "dropout") > 0) return NotBuilt("model.dropout", Dump(model["dropout"]));
  if (settings.words != TokenizerSettings::Words::kBytes) {
    return NotBuilt("model", "BPE without bytes");
  }
  settings.byte_pairs = true;
  settings.whole_words_first = FlagAt(model, "ignore_merges");
  return ReadMerges(At(model, "merges"), settings);
}

Status ReadModel(const Json& model, TokenizerSettings& settings) {
  // Files of older versions do not name it.
  const bool merges = At(model, "merges").is_array();
  const std::string type = model.is_object() && model.contains("type") ? TextAt(model, "type")
                           : merges                                    ? "BPE"
                                                                       : "WordPiece";
  if (type != "WordPiece" && type != "BPE") return NotBuilt("model", type);
  PT_TRY(ReadPieces(At(model, "vocab"), settings));
  settings.unknown = TextAt(model, "unk_token");
  if (type == "BPE") return ReadBytePairs(model, settings);
  if (!settings.pieces.contains(settings.unknown)) {
    return Damaged(fmt::format("\"{}\", which stands for unknown words, is not among its pieces",
                               settings.unknown));
  }
  settings.continues = TextAt(model, "continuing_subword_prefix");
  settings.longest_word = WholeAt(model, "max_input_chars_per_word", settings.longest_word);
  return Status::OK();
}

Status ReadAdded(const Json& tokens, bool normalizes, TokenizerSettings& settings) {
  if (tokens.is_null()) return Status::OK();
  if (!tokens.is_array()) return Damaged("\"added_tokens\" is not a list");
  for (const Json& each : tokens) {
    AddedToken token{.content = TextAt(each, "content"),
                     .strips_left = FlagAt(each, "lstrip"),
                     .strips_right = FlagAt(each, "rstrip")};
    PT_LET(token.id, IdOf(At(each, "id")));
    if (token.content.empty()) return Damaged("an added token without a text");
    if (FlagAt(each, "single_word"))
      return NotBuilt("added token", token.content + ", single_word");
    if (normalizes && FlagAt(each, "normalized")) {
      return NotBuilt("added token", token.content + ", normalized");
    }
    settings.added.push_back(std::move(token));
  }
  return Status::OK();
}

// The ids of a template's special tokens before and after the text.
Status ReadTemplate(const Json& json, TokenizerSettings& settings) {
  const Json& single = At(json, "single");
  if (!single.is_array()) return Damaged("a template without \"single\"");
  int texts = 0;
  for (const Json& each : single) {
    if (each.is_object() && each.contains("Sequence")) {
      ++texts;
      continue;
    }
    const Json& token = At(At(json, "special_tokens"), TextAt(At(each, "SpecialToken"), "id"));
    const Json& ids = At(token, "ids");
    if (!ids.is_array() || ids.empty()) return Damaged("a template with an unknown token");
    for (const Json& id : ids) {
      PT_LET(const int32_t number, IdOf(id));
      (texts == 0 ? settings.before : settings.after).push_back(number);
    }
  }
  return texts == 1 ? Status::OK() : Damaged("a template of several texts");
}

Status ReadAround(const Json& json, TokenizerSettings& settings) {
  if (json.is_null()) return Status::OK();
  const std::string& type = TextAt(json, "type");
  if (type == "ByteLevel") return Status::OK();  // Moves offsets only.
  if (type == "TemplateProcessing") return ReadTemplate(json, settings);
  if (type != "BertProcessing" && type != "RobertaProcessing")
    return NotBuilt("post_processor", type);
  const auto id = [&](const char* key) -> Result<int32_t> {
    const Json& pair = At(json, key);
    if (!pair.is_array() || pair.size() != 2) return Damaged(fmt::format("no \"{}\"", key));
    return IdOf(pair[1]);
  };
  PT_LET(settings.before.emplace_back(), id("cls"));
  PT_LET(settings.after.emplace_back(), id("sep"));
  return Status::OK();
}

Status ReadPadding(const Json& json, TokenizerSettings& settings) {
  if (json.is_object()) {
    if (TextAt(json, "direction") == "Left") return NotBuilt("padding.direction", "Left");
    PT_LET(settings.padding, IdOf(At(json, "pad_id")));
    return Status::OK();
  }
  for (const char* name : {"[PAD]", "<pad>"}) {
    const auto found = settings.pieces.find(std::string_view(name));
    if (found != settings.pieces.end()) settings.padding = found->second;
  }
  return Status::OK();
}

Result<TokenizerSettings> ReadJson(std::string_view text) {
  PT_LET(const Json json, ParseJson(text));
  TokenizerSettings settings;
  PT_TRY(ReadNormalizer(At(json, "normalizer"), settings));
  PT_TRY(ReadWords(At(json, "pre_tokenizer"), settings));
  PT_TRY(ReadModel(At(json, "model"), settings));
  PT_TRY(ReadAdded(At(json, "added_tokens"), !At(json, "normalizer").is_null(), settings));
  PT_TRY(ReadAround(At(json, "post_processor"), settings));
  PT_TRY(ReadPadding(At(json, "padding"), settings));
  return settings;
}

// The pieces that BERT's tokenizer has in each file.
Result<TokenizerSettings> ReadVocabulary(std::string_view text, bool lower_case) {
  TokenizerSettings settings{.clean = true,
                             .ideographs_apart = true,
                             .strip_marks = lower_case,
                             .lower_case = lower_case,
                             .words = TokenizerSettings::Words::kBlanksAndPunctuation,
                             .unknown = "[UNK]"};
  int32_t line = 0;
  for (size_t begin = 0; begin < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view piece = Trimmed(text.substr(begin, end - begin), "\r");
    settings.pieces.emplace(piece, line);
    begin = end + 1;
  }
  for (const char* name : {"[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"}) {
    const auto found = settings.pieces.find(std::string_view(name));
    if (found == settings.pieces.end()) {
      return Damaged(
          fmt::format("it is neither a tokenizer.json nor a vocab.txt with \"{}\"", name));
    }
    settings.added.push_back({.content = name, .id = found->second});
  }
  settings.before = {settings.pieces.find("[CLS]")->second};
  settings.after = {settings.pieces.find("[SEP]")->second};
  PT_TRY(ReadPadding(Json(), settings));
  return settings;
}

}  // namespace

Result<TokenizerSettings> ReadTokenizer(std::string_view text, bool lower_case) {
  return Trimmed(text).starts_with('{') ? ReadJson(text) : ReadVocabulary(text, lower_case);
}

}  // namespace protium
