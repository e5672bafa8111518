// SPDX-License-Identifier: Apache-2.0
#include "format/file_form.h"

#include <filesystem>

#include "base/ascii.h"
#include "base/fault.h"

namespace protium {
namespace {

using namespace std::string_view_literals;

struct Ending {
  std::string_view text;
  FileForm form;
};

constexpr Ending kEndings[] = {{".csv", {Format::kCsv}},
                               {".tsv", {Format::kCsv}},
                               {".csv.gz", {Format::kCsv, Packing::kGzip}},
                               {".tsv.gz", {Format::kCsv, Packing::kGzip}},
                               {".csv.zst", {Format::kCsv, Packing::kZstd}},
                               {".tsv.zst", {Format::kCsv, Packing::kZstd}},
                               {".parquet", {Format::kParquet}},
                               {".jsonl", {Format::kJsonLines}},
                               {".ndjson", {Format::kJsonLines}},
                               {".jsonl.gz", {Format::kJsonLines, Packing::kGzip}},
                               {".ndjson.gz", {Format::kJsonLines, Packing::kGzip}},
                               {".jsonl.zst", {Format::kJsonLines, Packing::kZstd}},
                               {".ndjson.zst", {Format::kJsonLines, Packing::kZstd}},
                               {".arrow", {Format::kArrow}},
                               {".feather", {Format::kArrow}},
                               {".ipc", {Format::kArrow}}};

const Ending* EndingOf(const std::string& path) {
  const std::string name = Lower(std::filesystem::path(path).filename().string());
  for (const Ending& each : kEndings) {
    // A file called only ".csv" has no ending.
    if (name.size() > each.text.size() && name.ends_with(each.text)) return &each;
  }
  return nullptr;
}

}  // namespace

std::optional<FileForm> FormOfName(const std::string& path) {
  const Ending* const ending = EndingOf(path);
  return ending == nullptr ? std::nullopt : std::optional(ending->form);
}

Result<FileForm> FormNamed(const std::string& path) {
  if (const Ending* const ending = EndingOf(path)) return ending->form;
  return Fail(
      {.exit = Exit::kUsage,
       .what = "the name \"" + path + "\" does not say which format it has",
       .fix = "end it in .parquet, .csv, .jsonl or .arrow; .csv.gz and .jsonl.gz are packed"});
}

std::string TableNameOf(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  const Ending* const ending = EndingOf(path);
  return ending == nullptr ? std::filesystem::path(path).stem().string()
                           : name.substr(0, name.size() - ending->text.size());
}

std::vector<std::string> PatternsOf(Format format) {
  std::vector<std::string> patterns;
  for (const Ending& each : kEndings) {
    if (each.form.format == format) patterns.push_back("*" + std::string(each.text));
  }
  return patterns;
}

Packing PackingOf(std::string_view content) {
  if (content.starts_with("\x1f\x8b"sv)) return Packing::kGzip;
  return content.starts_with("\x28\xb5\x2f\xfd"sv) ? Packing::kZstd : Packing::kNone;
}

}  // namespace protium
