// SPDX-License-Identifier: Apache-2.0
// The one file that sees the TOML library.
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
// Some do not hold for texts that the library then refuses: "[ =".
#define TOML_ASSERT(condition) static_assert(true)
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/job/advice.h"
#include "app/job/settings.h"
#include "app/job/toml_depth.h"
#include "base/depth.h"
#include "base/fault.h"
#include "run/folder.h"

namespace protium {

namespace {

std::string PlaceText(const std::filesystem::path& file, const toml::source_position& at) {
  return fmt::format("{}:{}:{}", file.string(), at.line, at.column);
}

Status TooDeep(std::string where) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("the job file nests deeper than {} levels", kDeepestSetting),
               .where = std::move(where),
               .fix = "no setting is so deep: look for dots or brackets that are too many"});
}

// The library builds and frees tables by recursion: what is too deep must not come to it.
Status CheckDepth(std::string_view text, const std::filesystem::path& file) {
  const std::optional<size_t> at = FindTooDeep(text, kDeepestSetting);
  if (!at) return Status::OK();
  const std::string_view before = text.substr(0, *at);
  const size_t line = before.rfind('\n');
  return TooDeep(fmt::format("{}:{}:{}", file.string(), std::ranges::count(before, '\n') + 1,
                             before.size() - (line == before.npos ? 0 : line + 1) + 1));
}

// Converts a parsed TOML tree to JSON and notes where each key and value stands.
class Reader {
 public:
  explicit Reader(Settings& settings) : settings_(settings) {}

  Result<Json> Value(const toml::node& node, const std::string& path) {
    const Deeper deeper(depth_);
    if (depth_ > kDeepestSetting) return TooDeep(PlaceText(settings_.file, node.source().begin));
    if (const auto* table = node.as_table()) return Table(*table, path);
    if (const auto* list = node.as_array()) return List(*list, path);
    if (const auto* text = node.as_string()) return Json(text->get());
    if (const auto* whole = node.as_integer()) return Json(whole->get());
    if (const auto* number = node.as_floating_point()) return Json(number->get());
    if (const auto* flag = node.as_boolean()) return Json(flag->get());
    return Fail({.exit = Exit::kUsage,
                 .what = path + " is a date or time, but no setting takes one",
                 .where = PlaceText(settings_.file, node.source().begin),
                 .fix = "put it in quotes"});
  }

  Result<Json> Table(const toml::table& table, const std::string& path) {
    // toml++ keeps tables sorted by key; the order as written is restored from source positions.
    std::vector<std::pair<const toml::key*, const toml::node*>> entries;
    for (const auto& [key, node] : table) entries.emplace_back(&key, &node);
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      const auto &left = a.first->source().begin, &right = b.first->source().begin;
      return std::pair(left.line, left.column) < std::pair(right.line, right.column);
    });
    std::vector<std::pair<std::string, Json>> members;
    for (const auto& [key, node] : entries) {
      const std::string below = (path.empty() ? "" : path + ".") + std::string(key->str());
      Say(below, key->source().begin, node->source().begin);
      PT_LET(Json value, Value(*node, below));
      members.emplace_back(key->str(), std::move(value));
    }
    return ObjectOf(std::move(members));
  }

  Result<Json> List(const toml::array& list, const std::string& path) {
    Json array = Json::array();
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string below = fmt::format("{}.{}", path, i);
      Say(below, list[i].source().begin, list[i].source().begin);
      PT_LET(Json value, Value(list[i], below));
      array.push_back(std::move(value));
    }
    return array;
  }

 private:
  void Say(const std::string& path, const toml::source_position& key,
           const toml::source_position& value) {
    settings_.places[path] = {PlaceText(settings_.file, key), PlaceText(settings_.file, value)};
  }

  Settings& settings_;
  int depth_ = 0;
};

}  // namespace

Result<Settings> ParseToml(std::string_view text, const std::filesystem::path& file) {
  PT_TRY(CheckDepth(text, file));
  const toml::parse_result parsed = toml::parse(text, file.string());
  if (!parsed) {
    const std::string why(parsed.error().description());
    // "Error while parsing boolean: expected ...": what was expected says it.
    const size_t colon = why.starts_with("Error while") ? why.find(": ") : why.npos;
    return Fail({.exit = Exit::kUsage,
                 .what = "the job file is not TOML",
                 .where = PlaceText(file, parsed.error().source().begin),
                 .why = colon == why.npos ? why : why.substr(colon + 2),
                 .fix = AdviceOnToml(why)});
  }
  Settings settings{.file = file};
  Reader reader(settings);
  PT_LET(settings.tree, reader.Table(parsed.table(), ""));
  return settings;
}

Result<Settings> ReadToml(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored)) {
    PT_LET(const std::string text, ReadTextFile(file));
    return ParseToml(text, file);
  }
  const bool folder = std::filesystem::is_directory(file, ignored);
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("job file \"{}\" {}", file.string(),
                                   folder ? "is a folder" : "does not exist"),
               .kept = kNothingStarted});
}

}  // namespace protium
