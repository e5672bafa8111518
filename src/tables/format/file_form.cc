// SPDX-License-Identifier: Apache-2.0
#include "format/file_form.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "format/formats.h"

namespace protium {
namespace {

using namespace std::string_view_literals;

struct PackedAs {
  Packing packing;
  std::string_view ending;
  std::string_view begins;  // The first bytes of such compressed data.
};
constexpr PackedAs kPackings[] = {{Packing::kNone, "", ""},
                                  {Packing::kGzip, ".gz", "\x1f\x8b"sv},
                                  {Packing::kZstd, ".zst", "\x28\xb5\x2f\xfd"sv}};

// Returns all endings of a format with the form that each names.
std::vector<std::pair<std::string, FileForm>> EndingsOf(const FormatKind& kind) {
  std::vector<std::pair<std::string, FileForm>> endings;
  for (const PackedAs& packed : kPackings) {
    if (packed.packing != Packing::kNone && !kind.packs) continue;
    for (const std::string_view ending : kind.endings) {
      endings.push_back(
          {std::string(ending) + std::string(packed.ending), {kind.format, packed.packing}});
    }
  }
  return endings;
}

std::optional<std::pair<std::string, FileForm>> EndingOf(const std::string& path) {
  const std::string name = Lower(std::filesystem::path(path).filename().string());
  for (const FormatKind& kind : AllFormats()) {
    for (const auto& ending : EndingsOf(kind)) {
      // A file called only ".csv" has no ending.
      if (name.size() > ending.first.size() && name.ends_with(ending.first)) return ending;
    }
  }
  return std::nullopt;
}

// Returns ".parquet, .csv, .jsonl or .arrow; .csv.gz and .jsonl.gz are compressed".
std::string UsualEndings() {
  std::vector<std::string_view> usual;
  std::vector<std::string> packed;
  for (const FormatKind& kind : AllFormats()) {
    usual.push_back(kind.endings.front());
    if (kind.packs) packed.push_back(std::string(usual.back()) + ".gz");
  }
  const std::string_view last = usual.back();
  usual.pop_back();
  return fmt::format("{} or {}; {} are compressed", fmt::join(usual, ", "), last,
                     fmt::join(packed, " and "));
}

}  // namespace

std::optional<FileForm> FormOfName(const std::string& path) {
  const auto ending = EndingOf(path);
  return ending ? std::optional(ending->second) : std::nullopt;
}

Result<FileForm> FormNamed(const std::string& path) {
  if (const auto ending = EndingOf(path)) return ending->second;
  return Fail({.exit = Exit::kUsage,
               .what = "the name \"" + path + "\" does not say which format it has",
               .fix = "end it in " + UsualEndings()});
}

std::string TableNameOf(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  const auto ending = EndingOf(path);
  return ending ? name.substr(0, name.size() - ending->first.size())
                : std::filesystem::path(path).stem().string();
}

std::vector<std::string> PatternsOf(Format format) {
  std::vector<std::string> patterns;
  for (const auto& [ending, form] : EndingsOf(KindOf(format))) patterns.push_back("*" + ending);
  return patterns;
}

Packing PackingOf(std::string_view content) {
  for (const PackedAs& each : kPackings) {
    if (!each.begins.empty() && content.starts_with(each.begins)) return each.packing;
  }
  return Packing::kNone;
}

}  // namespace protium
