// SPDX-License-Identifier: Apache-2.0
#include "run/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/fault.h"
#include "os/file.h"
#include "run/folder.h"

namespace protium {

RunLabels ReadLabels(const std::filesystem::path& folder) {
  const Result<std::string> text = ReadTextFile(folder / kLabelsFile);
  const Result<Json> json = text.ok() ? ParseJson(*text) : text.status();
  RunLabels labels;
  if (!json.ok() || !FieldsFromJson(*json, "", labels).ok()) return {};
  return labels;
}

std::string LabelsText(const RunLabels& labels) { return Pretty(FieldsToJson(labels)) + "\n"; }

Status WriteLabels(const std::filesystem::path& folder, const RunLabels& labels) {
  return WriteFile(folder / kLabelsFile, LabelsText(labels));
}

Status CheckNote(const std::string& note) {
  constexpr size_t kLongest = 1000;
  if (note.size() <= kLongest) return Status::OK();
  return Fail(
      {.exit = Exit::kUsage,
       .what = fmt::format("the note has {} bytes; at most {} are kept", note.size(), kLongest),
       .fix = "make it shorter",
       .kept = "the note from before"});
}

Status CheckTag(const std::string& tag) {
  constexpr size_t kLongest = 64;
  const auto fits = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  };
  const bool good = !tag.empty() && tag.size() <= kLongest && std::ranges::all_of(tag, fits) &&
                    tag != "last" && tag.front() != '-' && tag.front() != '.';
  if (good) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "\"" + tag + "\" cannot be a tag",
               .fix = "use letters, digits, \"_\", \"-\" and \".\", such as  best-so-far"});
}

}  // namespace protium
