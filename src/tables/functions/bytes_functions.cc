// SPDX-License-Identifier: Apache-2.0
// Functions of binary values, which count bytes where those of text count characters; and whether
// bytes are text. They follow Spark's ByteArray and UTF8String.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "functions/row_function.h"
#include "functions/themes.h"
#include "java/code_points.h"

namespace protium {
namespace {

std::optional<int32_t> Length(Chunk&, Bytes bytes) {
  return static_cast<int32_t>(bytes.data.size());
}

// substring(): positions count from 1, 0 is treated as 1, negative ones count from the end.
std::optional<Bytes> Slice(Chunk&, Bytes bytes, int32_t position, int32_t length) {
  const auto size = static_cast<int64_t>(bytes.data.size());
  const int64_t begin = position > 0 ? position - 1 : position < 0 ? size + position : 0;
  const int64_t end = std::min(begin + std::max(length, 0), size);
  const int64_t first = std::clamp(begin, int64_t{0}, size);
  if (end <= first) return Bytes{};
  return Bytes{bytes.data.substr(static_cast<size_t>(first), static_cast<size_t>(end - first))};
}

std::string Padding(std::string_view pad, size_t size) {
  std::string padding;
  while (!pad.empty() && padding.size() < size) {
    padding += pad.substr(0, size - padding.size());
  }
  return padding;
}

std::optional<Blob> Pad(Bytes bytes, int32_t length, Bytes pad, bool left) {
  const auto size = static_cast<size_t>(std::max(length, 0));
  if (bytes.data.size() >= size) return Blob{std::string(bytes.data.substr(0, size))};
  const std::string padding = Padding(pad.data, size - bytes.data.size());
  return Blob{left ? padding + std::string(bytes.data) : std::string(bytes.data) + padding};
}
std::optional<Blob> PadLeft(Chunk&, Bytes bytes, int32_t length, Bytes pad) {
  return Pad(bytes, length, pad, /*left=*/true);
}
std::optional<Blob> PadRight(Chunk&, Bytes bytes, int32_t length, Bytes pad) {
  return Pad(bytes, length, pad, /*left=*/false);
}

std::optional<Blob> Reverse(Chunk&, Bytes bytes) {
  return Blob{{bytes.data.rbegin(), bytes.data.rend()}};
}

std::optional<bool> StartsWith(Chunk&, Bytes bytes, Bytes start) {
  return bytes.data.starts_with(start.data);
}
std::optional<bool> EndsWith(Chunk&, Bytes bytes, Bytes end) {
  return bytes.data.ends_with(end.data);
}
std::optional<bool> Contains(Chunk&, Bytes bytes, Bytes part) {
  return bytes.data.find(part.data) != std::string_view::npos;
}

// Spark stores bytes that are not UTF-8 in its texts; here that is impossible.
std::optional<Text> AsText(Chunk& chunk, Bytes bytes) {
  if (IsUtf8(bytes.data)) return bytes.data;
  chunk.error = "binary that is not UTF-8 cannot be made a text; use hex() or base64()";
  return std::nullopt;
}

std::optional<bool> IsValid(Chunk&, Bytes bytes) { return IsUtf8(bytes.data); }
std::optional<Text> TryValidate(Chunk&, Bytes bytes) {
  return IsUtf8(bytes.data) ? std::optional(bytes.data) : std::nullopt;
}
std::optional<Text> Validate(Chunk& chunk, Bytes bytes) {
  if (IsUtf8(bytes.data)) return bytes.data;
  chunk.error = "the bytes are not UTF-8; use try_validate_utf8() or make_valid_utf8()";
  return std::nullopt;
}

// The number of bytes from `at` on that make one code point. If they make none, `good` is false and
// the result is the number of bytes that could begin one, at least one.
size_t SequenceLength(std::string_view bytes, size_t at, bool& good) {
  const size_t wanted = std::min(CodeLength(bytes[at]), bytes.size() - at);
  good = IsUtf8(bytes.substr(at, wanted)) && wanted == CodeLength(bytes[at]);
  if (good) return wanted;
  // A beginning is well formed if some continuation makes it so.
  size_t length = 1;
  for (; length < wanted; ++length) {
    bool begins = false;
    for (const char* const rest :
         {"\x80\x80\x80", "\x90\x80\x80", "\xA0\x80\x80", "\xBF\xBF\xBF"}) {
      const size_t missing = CodeLength(bytes[at]) - length - 1;
      std::string whole(bytes.substr(at, length + 1));
      whole += std::string_view(rest).substr(0, missing);
      begins = begins || IsUtf8(whole);
    }
    if (!begins) break;
  }
  return length;
}

// Puts U+FFFD for every longest part that does not begin a character.
std::optional<std::string> MakeValid(Chunk&, Bytes bytes) {
  std::string text;
  for (size_t at = 0; at < bytes.data.size();) {
    bool good = false;
    const size_t length = SequenceLength(bytes.data, at, good);
    if (good) {
      text += bytes.data.substr(at, length);
    } else {
      AppendUtf8(0xfffd, text);
    }
    at += length;
  }
  return text;
}

constexpr RowFunction kFunctions[] = {
    AsRowFunction<&AsText>("pt_text_of_bytes").FailsFor({0}),
    AsRowFunction<&Contains>("pt_bytes_contains"),
    AsRowFunction<&EndsWith>("pt_bytes_end"),
    AsRowFunction<&IsValid>("pt_is_utf8"),
    AsRowFunction<&Length>("pt_bytes_length"),
    AsRowFunction<&MakeValid>("pt_make_utf8"),
    AsRowFunction<&PadLeft>("pt_bytes_lpad"),
    AsRowFunction<&PadRight>("pt_bytes_rpad"),
    AsRowFunction<&Reverse>("pt_bytes_reverse"),
    AsRowFunction<&Slice>("pt_bytes_slice"),
    AsRowFunction<&StartsWith>("pt_bytes_start"),
    AsRowFunction<&TryValidate>("pt_try_utf8"),
    AsRowFunction<&Validate>("pt_utf8").FailsFor({0}),
};

}  // namespace

std::span<const RowFunction> BytesFunctions() { return kFunctions; }

}  // namespace protium
