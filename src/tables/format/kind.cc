// SPDX-License-Identifier: Apache-2.0
#include "format/kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/fault.h"

namespace protium {
namespace {

using namespace std::string_view_literals;

constexpr size_t kHead = 4096;

// The magic numbers of formats that people mistake for text.
struct Kind {
  std::string_view begin;
  const char* name;
  const char* fix;  // With {} for the path.
};

constexpr Kind kKinds[] = {
    {"PAR1"sv, "Parquet", "read it as Parquet: parquet = \"FILE\", or name it .parquet"},
    {"\x1f\x8b"sv, "gzip", "unpack it: gunzip -k {}"},
    {"\x28\xb5\x2f\xfd"sv, "zstd", "unpack it: unzstd {}"},
    {"\xfd\x37\x7a\x58\x5a"sv, "xz", "unpack it: xz -dk {}"},
    {"BZh"sv, "bzip2", "unpack it: bunzip2 -k {}"},
    {"PK\x03\x04"sv, "a zip archive or a spreadsheet", "save the sheet as CSV, or unzip {}"},
    {"\xd0\xcf\x11\xe0"sv, "an old spreadsheet", "save the sheet as CSV"},
    {"ARROW1"sv, "an Arrow file", "name it .arrow, or say its format: format = \"arrow\""},
    {"SQLite format 3"sv, "an SQLite database", "export the table as CSV"},
    {"\xff\xfe"sv, "UTF-16", "convert it: iconv -f utf-16 -t utf-8 {0} > {0}.utf8"},
    {"\xfe\xff"sv, "UTF-16", "convert it: iconv -f utf-16 -t utf-8 {0} > {0}.utf8"}};

const Kind* DetectKind(std::string_view content) {
  const auto found = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& each) {
    return content.starts_with(each.begin);
  });
  return found == std::end(kKinds) ? nullptr : found;
}

// Latin text in UTF-16 has a NUL in every other byte: about half of all bytes, which is rare in
// binary data.
bool LooksLikeUtf16(std::string_view head) {
  const auto nuls = static_cast<size_t>(std::count(head.begin(), head.end(), '\0'));
  return head.size() >= 4 && nuls * 5 > head.size() * 2 && nuls * 5 < head.size() * 3;
}

Status Refuse(const std::string& path, const std::string& what, std::string fix) {
  return Fail({.exit = Exit::kInput,
               .what = path + " is " + what + ", not text",
               .where = path,
               .fix = std::move(fix)});
}

std::string ReadHead(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string head(kHead, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(in.gcount()));
  return head;
}

}  // namespace

Status RefuseOtherThanText(std::string_view content, const std::string& path) {
  if (const Kind* kind = DetectKind(content)) {
    return Refuse(path, kind->name, fmt::format(fmt::runtime(kind->fix), path));
  }
  const std::string_view head = content.substr(0, kHead);
  if (LooksLikeUtf16(head)) {
    // In UTF-16 the high byte of a Latin letter is NUL; it comes first in big-endian text.
    const char* const order = head.front() == '\0' ? "be" : "le";
    return Refuse(
        path, "UTF-16",
        fmt::format("convert it: iconv -f utf-16{1} -t utf-8 {0} > {0}.utf8", path, order));
  }
  if (head.find('\0') == head.npos) return Status::OK();
  return Refuse(path, "binary", "give a CSV file; for Parquet, use parquet = \"FILE\"");
}

// Text is most often CSV under the wrong name: its first line shows that.
std::string WhyNotParquet(const std::string& path) {
  const std::string head = ReadHead(path);
  if (head.empty()) return "it is empty";
  if (const Kind* kind = DetectKind(head)) {
    return kind->begin == "PAR1" ? "" : std::string("it is ") + kind->name;
  }
  if (head.find('\0') != head.npos) return "it does not begin like a Parquet file";
  const std::string line = head.substr(0, std::min<size_t>(head.find_first_of("\r\n"), 40));
  return "it is text that begins with \"" + line + "\"";
}

bool IsParquetFile(const std::string& path) { return ReadHead(path).starts_with("PAR1"); }

}  // namespace protium
