// SPDX-License-Identifier: Apache-2.0
#include "model/stage_files.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace protium {
namespace {

// The kinds with a file, and its option. The dates of "holidays" are read when it is placed, so a
// model has no file of them.
struct FileOption {
  const char* kind;
  const char* option;
};
constexpr FileOption kFiles[] = {{"net_features", "model"}, {"holidays", "file"}};

// Replaces each path that is set by change(path).
template <class Change>
std::vector<StageOptions> WithPaths(std::vector<StageOptions> stages, const Change& change) {
  for (StageOptions& each : stages) {
    const auto file = std::ranges::find(
        kFiles, each.kind, [](const FileOption& of) { return std::string_view(of.kind); });
    if (file == std::end(kFiles)) continue;
    Json options = each.options.ToJson();
    const Json path = options.value(file->option, Json());
    // Options of another type are refused where they are read.
    if (!path.is_string() || path.get<std::string>().empty()) continue;
    options[file->option] = change(path.get<std::string>());
    each.options = std::move(options);
  }
  return stages;
}

}  // namespace

std::vector<StageOptions> WithFilesBelow(std::vector<StageOptions> stages,
                                         const std::filesystem::path& base) {
  return WithPaths(std::move(stages), [&](const std::string& path) {
    return std::filesystem::absolute(base / path).lexically_normal().string();
  });
}

std::vector<StageOptions> WithFilesKept(std::vector<StageOptions> stages,
                                        std::map<std::string, std::filesystem::path>& others) {
  return WithPaths(std::move(stages), [&](const std::string& path) {
    for (const auto& [name, file] : others) {
      if (file == path) return name;
    }
    const std::string name = "net_" + std::to_string(others.size()) + ".onnx";
    others[name] = path;
    return name;
  });
}

std::vector<StageOptions> WithFilesFound(
    std::vector<StageOptions> stages, const std::map<std::string, std::filesystem::path>& others) {
  return WithPaths(std::move(stages), [&](const std::string& path) {
    const auto found = others.find(path);
    return found == others.end() ? path : std::filesystem::absolute(found->second).string();
  });
}

}  // namespace protium
