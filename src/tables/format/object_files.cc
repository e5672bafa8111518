// SPDX-License-Identifier: Apache-2.0
#include "format/object_files.h"

#include <algorithm>
#include <string_view>

#include "base/status.h"

namespace protium {
namespace {

struct FilesOfKind {
  Format format;
  SourceKind kind;
};
constexpr FilesOfKind kFiles[] = {{Format::kParquet, SourceKind::kParquet},
                                  {Format::kCsv, SourceKind::kCsv},
                                  {Format::kJsonLines, SourceKind::kJsonLines}};

constexpr std::string_view kWildcards = "*?[";

}  // namespace

std::optional<SourceKind> KindOfFiles(Format format) {
  const auto* const found = std::ranges::find(kFiles, format, &FilesOfKind::format);
  return found == std::end(kFiles) ? std::nullopt : std::optional(found->kind);
}

Format FormatOfFiles(SourceKind kind) {
  const auto* const found = std::ranges::find(kFiles, kind, &FilesOfKind::kind);
  PT_CHECK(found != std::end(kFiles));
  return found->format;
}

// A store does not tell a folder from an object: a name without a dot is one, and without Parquet's
// own ending.
bool IsObjectFolder(const Source& source) {
  const std::string& place = source.file;
  if (place.find_first_of(kWildcards) != place.npos) return false;
  if (source.kind == SourceKind::kParquet) return !place.ends_with(".parquet");
  return place.ends_with('/') || place.find('.', place.rfind('/')) == place.npos;
}

std::string ObjectPattern(const Source& source) {
  if (!IsObjectFolder(source)) return source.file;
  const std::string folder = source.file + (source.file.ends_with('/') ? "" : "/");
  if (source.kind == SourceKind::kParquet) return folder + "*.parquet";
  return folder + (source.partitions.empty() ? "*" : "**");
}

std::string ObjectRoot(const Source& source) {
  const std::string pattern = ObjectPattern(source);
  const std::string_view plain =
      std::string_view(pattern).substr(0, pattern.find_first_of(kWildcards));
  return std::string(plain.substr(0, plain.rfind('/')));
}

std::string PathAtStore(const std::string& place) { return place.substr(place.find("://") + 2); }

}  // namespace protium
