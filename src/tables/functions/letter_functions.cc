// SPDX-License-Identifier: Apache-2.0
// Upper and lower case, and the order of characters, as defined by Unicode. Spark uses ICU, and so
// do we; ASCII text takes a shorter way to the same result. DuckDB's own upper() maps one code
// point at a time and leaves ß as it is, where Unicode's full mapping gives SS.
#include <unicode/ucasemap.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "functions/row_function.h"
#include "functions/themes.h"
#include "java/code_points.h"

namespace protium {
namespace {

bool IsAscii(Text text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

// A case mapping for the rows of a chunk: the map and its buffer are made once. Views of the buffer
// are valid until the next row.
class Letters : public Chunk {
 public:
  template <class Map>
  Text Mapped(Text text, Map map) {
    // Enough for most texts, whose length changes little or not at all.
    buffer_.resize(text.size() + text.size() / 2 + 8);
    int32_t length = Into(text, map);
    // ICU reports how much it needs; ß and others become longer.
    if (length > static_cast<int32_t>(buffer_.size())) {
      buffer_.resize(static_cast<size_t>(length));
      length = Into(text, map);
    }
    return Text(buffer_).substr(0, static_cast<size_t>(length));
  }

  template <class Map>
  Text MappedAscii(Text text, Map map) {
    buffer_.resize(text.size());
    std::transform(text.begin(), text.end(), buffer_.begin(), map);
    return buffer_;
  }

 private:
  struct Close {
    void operator()(UCaseMap* map) const { ucasemap_close(map); }
  };

  template <class Map>
  int32_t Into(Text text, Map map) {
    UErrorCode problem = U_ZERO_ERROR;
    if (map_ == nullptr) {
      map_.reset(
          // The root locale: the same on every machine.
          ucasemap_open("", U_TITLECASE_WHOLE_STRING | U_TITLECASE_NO_BREAK_ADJUSTMENT, &problem));
    }
    const int32_t length = map(map_.get(), buffer_.data(), static_cast<int32_t>(buffer_.size()),
                               text.data(), static_cast<int32_t>(text.size()), &problem);
    if (U_FAILURE(problem) && problem != U_BUFFER_OVERFLOW_ERROR) error = u_errorName(problem);
    return length;
  }

  std::unique_ptr<UCaseMap, Close> map_;
  std::string buffer_;
};

std::optional<Text> Upper(Letters& letters, Text text) {
  if (IsAscii(text)) return letters.MappedAscii(text, ToUpper);
  return letters.Mapped(text, ucasemap_utf8ToUpper);
}

std::optional<Text> Lower(Letters& letters, Text text) {
  if (IsAscii(text)) return letters.MappedAscii(text, ToLower);
  return letters.Mapped(text, ucasemap_utf8ToLower);
}

// Only a space separates words.
std::optional<std::string> InitCap(Letters& letters, Text text) {
  std::string words;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    words += letters.Mapped(text.substr(at, end - at), ucasemap_utf8ToTitle);
    if (end < text.size()) words += ' ';
    at = end + 1;
  }
  return words;
}

std::optional<std::string> Reverse(Chunk&, Text text) {
  std::string reversed;
  reversed.reserve(text.size());
  for (size_t end = text.size(); end > 0;) {
    size_t start = end - 1;
    while (start > 0 && IsContinuation(text[start])) --start;
    reversed += text.substr(start, end - start);
    end = start;
  }
  return reversed;
}

// The character of an 8-bit code. Only the last 8 bits of a larger code count; a negative one gives
// no character.
std::optional<std::string> Character(Chunk&, int64_t code) {
  return code < 0 ? "" : ToUtf8(static_cast<char32_t>(code & 0xff));
}

constexpr RowFunction kFunctions[] = {
    AsRowFunction<&Character>("pt_chr"), AsRowFunction<&InitCap>("pt_initcap"),
    AsRowFunction<&Lower>("pt_lower"),   AsRowFunction<&Reverse>("pt_reverse"),
    AsRowFunction<&Upper>("pt_upper"),
};

}  // namespace

std::span<const RowFunction> LetterFunctions() { return kFunctions; }

}  // namespace protium
