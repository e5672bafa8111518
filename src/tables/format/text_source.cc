// SPDX-License-Identifier: Apache-2.0
#include "format/text_source.h"

#include <arrow/buffer.h>
#include <arrow/io/compressed.h>
#include <arrow/io/file.h>
#include <arrow/util/compression.h>
#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "base/utf8.h"
#include "format/file.h"
#include "format/file_form.h"
#include "format/kind.h"

namespace protium {
namespace {

using namespace std::string_view_literals;

constexpr int64_t kPieceBytes = 1 << 20;

// The characters of bytes 0x80 to 0x9f; 0 for those that windows-1252 does not have. Every other
// byte is the character with its own number, as in latin-1.
constexpr char16_t kWindows1252[32] = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

// Returns the length of `bytes` without an incomplete character at the end.
size_t WholeCharacters(std::string_view bytes) {
  // Goes back to the byte that begins the last character, which has at most 4.
  for (size_t back = 1; back <= std::min<size_t>(bytes.size(), 4); ++back) {
    const char byte = bytes[bytes.size() - back];
    if (IsContinuation(byte)) continue;
    return CodeLength(byte) > back ? bytes.size() - back : bytes.size();
  }
  return bytes.size();
}

Status Damaged(const std::string& path, const Status& status) {
  return Fail({.exit = Exit::kInput,
               .what = "the file cannot be unpacked",
               .where = path,
               .why = status.message(),
               .fix = "it may be cut off or damaged: get it again"});
}

}  // namespace

TextSource::~TextSource() = default;

Result<std::unique_ptr<TextSource>> TextSource::Open(const std::string& path, Encoding encoding) {
  PT_LET(const FileFacts facts, ReadFileFacts(path));
  std::unique_ptr<TextSource> source(new TextSource(path));
  source->all_bytes_ = facts.bytes;
  PT_TRY(source->Start(encoding));
  return source;
}

Status TextSource::Start(Encoding encoding) {
  const auto opened = arrow::io::ReadableFile::Open(path_);
  if (!opened.ok()) {
    return Fail({.exit = Exit::kInput,
                 .what = "cannot open the file",
                 .where = path_,
                 .why = opened.status().message()});
  }
  file_ = *opened;
  PT_LET(const auto head, file_->ReadAt(0, 4));
  PT_TRY(file_->Seek(0));
  const Packing packing = PackingOf(std::string_view(*head));
  if (packing == Packing::kNone) {
    unpacked_ = file_;
  } else {
    const auto kind =
        packing == Packing::kGzip ? arrow::Compression::GZIP : arrow::Compression::ZSTD;
    PT_LET(const std::shared_ptr<arrow::util::Codec> codec, arrow::util::Codec::Create(kind));
    PT_LET(unpacked_, arrow::io::CompressedInputStream::Make(codec.get(), file_));
  }
  // The first piece shows marks, and whether this is text at all.
  PT_TRY(ReadPiece().status());
  encoding_ = encoding;
  big_endian_ = bytes_.starts_with("\xfe\xff"sv);
  if (big_endian_ || bytes_.starts_with("\xff\xfe"sv)) {
    encoding_ = Encoding::kUtf16;
    bytes_.erase(0, 2);
    return Status::OK();
  }
  if (encoding_ == Encoding::kUtf16) {
    return Fail({.exit = Exit::kInput,
                 .what = "the file does not begin with a byte order mark of UTF-16",
                 .where = path_,
                 .fix = "leave out the encoding, or say which other one it is"});
  }
  if (encoding_ == Encoding::kUtf8 && bytes_.starts_with("\xef\xbb\xbf"sv)) bytes_.erase(0, 3);
  return RefuseOtherThanText(bytes_, path_);
}

int64_t TextSource::read_bytes() const { return file_->Tell().ValueOr(0); }

Result<bool> TextSource::ReadPiece() {
  const auto piece = unpacked_->Read(kPieceBytes);
  if (!piece.ok()) return Damaged(path_, piece.status());
  bytes_.append(std::string_view(**piece));
  ended_ = (*piece)->size() == 0;
  return !ended_;
}

// The first piece was read when the source was opened.
Result<bool> TextSource::Append(std::string& text) {
  std::string piece;
  // A piece may hold no whole character; one without bytes is the end.
  while (piece.empty() && !ended_) {
    if (std::exchange(begun_, true)) PT_TRY(ReadPiece().status());
    PT_TRY(Decode(ended_, piece));
  }
  lines_ += std::count(piece.begin(), piece.end(), '\n');
  text += piece;
  return !piece.empty();
}

Status TextSource::NotText(const std::string& name, const std::string& text) const {
  const auto inside = std::count(text.begin(), text.end(), '\n');
  return Fail({.exit = Exit::kInput,
               .what = "the text is not " + name,
               .where = fmt::format("{}:{}", path_, lines_ + inside + 1),
               .fix = "say how its characters are written: encoding = \"windows-1252\", "
                      "\"latin-1\" or \"utf-16\""});
}

Status TextSource::Decode(bool last, std::string& text) {
  if (encoding_ == Encoding::kUtf8) return DecodeUtf8(last, text);
  if (encoding_ == Encoding::kUtf16) return DecodeUtf16(last, text);
  for (const char each : bytes_) {
    const auto byte = static_cast<uint8_t>(each);
    const bool special = encoding_ == Encoding::kWindows1252 && byte >= 0x80 && byte < 0xa0;
    const uint32_t character = special ? kWindows1252[byte - 0x80] : byte;
    if (special && character == 0) return NotText("windows-1252", text);
    AppendUtf8(character, text);
  }
  bytes_.clear();
  return Status::OK();
}

Status TextSource::DecodeUtf8(bool last, std::string& text) {
  const size_t whole = last ? bytes_.size() : WholeCharacters(bytes_);
  std::string_view left = std::string_view(bytes_).substr(0, whole);
  arrow::util::InitializeUTF8();
  if (!arrow::util::ValidateUTF8(left)) {
    // Adds a line end for each complete line, so that NotText() names the line of the error.
    std::string good;
    while (!left.empty()) {
      const std::string_view line = left.substr(0, left.find('\n'));
      if (!arrow::util::ValidateUTF8(line)) break;
      left.remove_prefix(std::min(line.size() + 1, left.size()));
      good += '\n';
    }
    return NotText("UTF-8", good);
  }
  text.append(left);
  bytes_.erase(0, whole);
  return Status::OK();
}

// Two bytes per unit; a character beyond 0xffff is a pair of units, high before low.
Status TextSource::DecodeUtf16(bool last, std::string& text) {
  const auto unit = [&](size_t at) {
    const auto first = static_cast<uint8_t>(bytes_[at]),
               second = static_cast<uint8_t>(bytes_[at + 1]);
    return static_cast<uint32_t>(big_endian_ ? first << 8 | second : second << 8 | first);
  };
  size_t at = 0;
  while (at + 2 <= bytes_.size()) {
    uint32_t character = unit(at);
    const bool pair = character >= 0xd800 && character < 0xdc00;
    if (pair && at + 4 > bytes_.size()) break;
    if (pair) {
      const uint32_t low = unit(at + 2);
      if (low < 0xdc00 || low > 0xdfff) return NotText("UTF-16", text);
      character = 0x10000 + ((character - 0xd800) << 10) + (low - 0xdc00);
    } else if (character >= 0xdc00 && character < 0xe000) {
      return NotText("UTF-16", text);
    }
    AppendUtf8(character, text);
    at += pair ? 4 : 2;
  }
  bytes_.erase(0, at);
  return last && !bytes_.empty() ? NotText("UTF-16", text) : Status::OK();
}

}  // namespace protium
