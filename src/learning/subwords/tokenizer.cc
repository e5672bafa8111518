// SPDX-License-Identifier: Apache-2.0
#include "subwords/tokenizer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "base/fault.h"
#include "base/utf8.h"
#include "os/file.h"
#include "subwords/byte_pairs.h"
#include "subwords/characters.h"
#include "subwords/settings.h"
#include "subwords/split.h"
#include "subwords/word_pieces.h"

namespace protium {
namespace {

constexpr int64_t kLargestFile = 64 << 20;

// Where the character before text[end] begins, and the one at text[begin] ends.
size_t BeginBefore(std::string_view text, size_t end) {
  do {
    --end;
  } while (end > 0 && IsContinuation(text[end]));
  return end;
}
size_t EndOf(std::string_view text, size_t begin) {
  return std::min(begin + CodeLength(text[begin]), text.size());
}

}  // namespace

struct SubwordTokenizer::Parts {
  TokenizerSettings settings;  // Without pieces and merges, which are in the two below.
  std::string sha256;
  Characters characters;
  std::optional<WordPieces> word_pieces;
  std::optional<BytePairs> byte_pairs;
  std::array<bool, 256> begins{};  // Whether an added token begins with a byte.

  // Appends the ids of a text without added tokens, as long as there are fewer than `most`.
  void Append(std::u32string_view text, size_t most, std::vector<int32_t>& ids) const {
    std::u32string normal = Normalized(text, characters, settings);
    const bool leads = !normal.empty() && normal.front() != U' ';
    if (settings.add_blank && leads) normal.insert(normal.begin(), U' ');
    for (const std::u32string_view word : WordsOf(normal, characters, settings.words)) {
      if (ids.size() >= most) return;
      if (byte_pairs) {
        byte_pairs->Append(AsUtf8(word), ids);
      } else {
        word_pieces->Append(AsUtf8(word), int64_t(word.size()), ids);
      }
    }
  }

  // The longest added token at the beginning of `text`.
  const AddedToken* AddedAt(std::string_view text) const {
    const AddedToken* longest = nullptr;
    if (!begins[uint8_t(text.front())]) return longest;
    for (const AddedToken& each : settings.added) {
      const bool longer = !longest || each.content.size() > longest->content.size();
      if (longer && text.starts_with(each.content)) longest = &each;
    }
    return longest;
  }
};

Result<SubwordTokenizer> SubwordTokenizer::Open(const std::filesystem::path& file,
                                                bool lower_case) {
  const Result<std::string> text = ReadFile(file, kLargestFile);
  Result<SubwordTokenizer> opened = text.ok() ? OfText(*text, lower_case) : text.status();
  if (opened.ok()) return opened;
  Fault fault = FaultOf(opened.status());
  fault.exit = Exit::kInput;
  if (fault.where.empty()) fault.where = file.string();
  return Fail(std::move(fault));
}

Result<SubwordTokenizer> SubwordTokenizer::OfText(std::string_view text, bool lower_case) {
  PT_LET(TokenizerSettings settings, ReadTokenizer(text, lower_case));
  const auto parts = std::make_shared<Parts>();
  parts->sha256 = Sha256Hex(text);
  if (settings.byte_pairs) {
    PT_LET(parts->byte_pairs, BytePairs::Make(settings));
  } else {
    parts->word_pieces.emplace(settings);
  }
  for (const AddedToken& each : settings.added) parts->begins[uint8_t(each.content.front())] = true;
  settings.pieces.clear();
  settings.merges.clear();
  parts->settings = std::move(settings);
  SubwordTokenizer made;
  made.parts_ = parts;
  return made;
}

std::vector<int32_t> SubwordTokenizer::Encode(std::string_view text, int64_t length) const {
  const TokenizerSettings& settings = parts_->settings;
  std::vector<int32_t> ids = settings.before;
  const size_t most = size_t(length) - settings.after.size();
  const auto blank = [&](size_t from, size_t to) {
    return parts_->characters.Is(ToCodePoints(text.substr(from, to - from)).front(), kBlank);
  };
  size_t begin = 0;
  const auto add = [&](size_t end) {
    if (end > begin) parts_->Append(ToCodePoints(text.substr(begin, end - begin)), most, ids);
  };
  for (size_t i = 0; i < text.size() && ids.size() < most;) {
    const AddedToken* token = parts_->AddedAt(text.substr(i));
    if (!token) {
      ++i;
      continue;
    }
    size_t end = i;
    while (token->strips_left && end > begin && blank(BeginBefore(text, end), end)) {
      end = BeginBefore(text, end);
    }
    add(end);
    ids.push_back(token->id);
    i += token->content.size();
    while (token->strips_right && i < text.size() && blank(i, EndOf(text, i))) i = EndOf(text, i);
    begin = i;
  }
  add(text.size());
  ids.resize(std::min(ids.size(), most));
  ids.insert(ids.end(), settings.after.begin(), settings.after.end());
  return ids;
}

int64_t SubwordTokenizer::SmallestLength() const {
  return int64_t(parts_->settings.before.size() + parts_->settings.after.size()) + 1;
}

int32_t SubwordTokenizer::padding() const { return parts_->settings.padding; }
const std::string& SubwordTokenizer::sha256() const { return parts_->sha256; }

}  // namespace protium
