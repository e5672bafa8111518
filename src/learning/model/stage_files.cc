// SPDX-License-Identifier: Apache-2.0
#include "model/stage_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace protium {
namespace {

// The kinds with a file, its option, and its name in a model: not one with .json, as those that are
// the model's own. The days of "holidays" are read when it is placed, so a model has no file of
// them.
struct FileKind {
  std::string_view kind;
  const char* option;
  const char* name;
};
constexpr FileKind kKinds[] = {{"net_features", "model", "net_{}.onnx"},
                               {"subword_tokenizer", "file", "tokenizer_{}"},
                               {"holidays", "file", "days_{}"}};

// Replaces each path that is set by change(path, kind).
template <class Change>
std::vector<StageOptions> WithPaths(std::vector<StageOptions> stages, const Change& change) {
  for (StageOptions& each : stages) {
    const auto* kind = std::ranges::find(kKinds, std::string_view(each.kind), &FileKind::kind);
    if (kind == std::end(kKinds)) continue;
    Json options = each.options.ToJson();
    const Json path = options.value(kind->option, Json());
    // Options of another type are refused where they are read.
    if (!path.is_string() || path.get<std::string>().empty()) continue;
    options[kind->option] = change(path.get<std::string>(), *kind);
    each.options = std::move(options);
  }
  return stages;
}

}  // namespace

std::vector<StageOptions> WithFilesBelow(std::vector<StageOptions> stages,
                                         const std::filesystem::path& base) {
  return WithPaths(std::move(stages), [&](const std::string& path, const FileKind&) {
    return std::filesystem::absolute(base / path).lexically_normal().string();
  });
}

std::vector<StageOptions> WithFilesKept(std::vector<StageOptions> stages,
                                        std::map<std::string, std::filesystem::path>& others) {
  return WithPaths(std::move(stages), [&](const std::string& path, const FileKind& kind) {
    for (const auto& [name, file] : others) {
      if (file == path) return name;
    }
    const std::string name = fmt::format(fmt::runtime(kind.name), others.size());
    others[name] = path;
    return name;
  });
}

std::vector<StageOptions> WithFilesFound(
    std::vector<StageOptions> stages, const std::map<std::string, std::filesystem::path>& others) {
  return WithPaths(std::move(stages), [&](const std::string& path, const FileKind&) {
    const auto found = others.find(path);
    return found == others.end() ? path : std::filesystem::absolute(found->second).string();
  });
}

}  // namespace protium
