// SPDX-License-Identifier: Apache-2.0
#include "subwords/byte_pairs.h"

#include <fmt/format.h>

#include <queue>
#include <tuple>

#include "base/fault.h"
#include "base/utf8.h"

namespace protium {
namespace {

// The character that stands for a byte in GPT-2's vocabulary: itself if it is visible in Latin-1,
// and those from U+0100 on for the others in their order.
std::array<std::string, 256> CharactersOfBytes() {
  std::array<std::string, 256> characters;
  char32_t next = 0x100;
  for (char32_t byte = 0; byte < 256; ++byte) {
    const bool visible = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte != 0xad);
    AppendUtf8(visible ? byte : next++, characters[byte]);
  }
  return characters;
}

uint64_t KeyOf(int32_t left, int32_t right) {
  return uint64_t(uint32_t(left)) << 32 | uint32_t(right);
}

Status Lacks(std::string_view piece) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("a tokenizer without the piece \"{}\"", piece),
               .why = "its merges, or its bytes, need it"});
}

// A piece of the word, linked with its neighbours; -1: none.
struct Part {
  int32_t id;
  int32_t before, after;
};

}  // namespace

Result<BytePairs> BytePairs::Make(const TokenizerSettings& settings) {
  BytePairs made;
  const auto id_of = [&](std::string_view piece) -> Result<int32_t> {
    const auto found = settings.pieces.find(piece);
    if (found == settings.pieces.end()) return Lacks(piece);
    return found->second;
  };
  const std::array<std::string, 256> characters = CharactersOfBytes();
  for (size_t byte = 0; byte < 256; ++byte) {
    PT_LET(made.bytes_[byte], id_of(characters[byte]));
  }
  for (const auto& [left, right] : settings.merges) {
    PT_LET(const int32_t a, id_of(left));
    PT_LET(const int32_t b, id_of(right));
    PT_LET(const int32_t into, id_of(left + right));
    made.merges_.try_emplace(KeyOf(a, b), Merge{int32_t(made.merges_.size()), into});
  }
  if (settings.whole_words_first) made.whole_ = settings.pieces;
  return made;
}

const BytePairs::Merge* BytePairs::MergeOf(int32_t left, int32_t right) const {
  const auto found = merges_.find(KeyOf(left, right));
  return found == merges_.end() ? nullptr : &found->second;
}

void BytePairs::Append(std::string_view word, std::vector<int32_t>& ids) const {
  if (!whole_.empty()) {
    static const std::array<std::string, 256> characters = CharactersOfBytes();
    std::string piece;
    for (const char byte : word) piece += characters[uint8_t(byte)];
    const auto found = whole_.find(piece);
    if (found != whole_.end()) return ids.push_back(found->second);
  }
  std::vector<Part> parts;
  const auto size = int32_t(word.size());
  for (int32_t i = 0; i < size; ++i) {
    parts.push_back({bytes_[uint8_t(word[size_t(i)])], i - 1, i + 1 < size ? i + 1 : -1});
  }
  // The best merge first, of equal ones the leftmost: (rank, place, left id, right id).
  using Wish = std::tuple<int32_t, int32_t, int32_t, int32_t>;
  std::priority_queue<Wish, std::vector<Wish>, std::greater<>> wishes;
  const auto wish = [&](int32_t at) {
    if (at < 0 || parts[size_t(at)].after < 0) return;
    const int32_t left = parts[size_t(at)].id;
    const int32_t right = parts[size_t(parts[size_t(at)].after)].id;
    if (const Merge* merge = MergeOf(left, right)) wishes.emplace(merge->rank, at, left, right);
  };
  for (int32_t i = 0; i < size; ++i) wish(i);
  while (!wishes.empty()) {
    const auto [rank, at, left, right] = wishes.top();
    wishes.pop();
    Part& part = parts[size_t(at)];
    // Merged since: into its left neighbour, or with another one.
    if (part.id != left || part.after < 0 || parts[size_t(part.after)].id != right) continue;
    Part& gone = parts[size_t(part.after)];
    part.id = MergeOf(left, right)->into;
    gone.id = -1;
    part.after = gone.after;
    if (part.after >= 0) parts[size_t(part.after)].before = at;
    wish(part.before);
    wish(at);
  }
  for (int32_t at = 0; at >= 0 && size > 0; at = parts[size_t(at)].after) {
    ids.push_back(parts[size_t(at)].id);
  }
}

}  // namespace protium
