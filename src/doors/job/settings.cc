// SPDX-License-Identifier: Apache-2.0
#include "job/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/fault.h"
#include "base/text.h"

namespace protium {

namespace {

std::vector<std::string> Steps(std::string_view path) {
  std::vector<std::string> steps;
  while (true) {
    const size_t dot = path.find('.');
    steps.emplace_back(path.substr(0, dot));
    if (dot == path.npos) return steps;
    path.remove_prefix(dot + 1);
  }
}

// Returns the child `step` of `node`, created if missing; null if there can be none.
Json* Child(Json& node, const std::string& step) {
  if (node.is_null()) node = Json::object();
  // optimizer = "adam" is short for { name = "adam" }.
  if (node.is_string()) node = Json{{"name", node}};
  if (node.is_object()) return &node[step];
  const auto index = AllAsNumber<size_t>(step);
  return node.is_array() && index && *index < node.size() ? &node[*index] : nullptr;
}

}  // namespace

const Place* Settings::Find(std::string_view path) const {
  while (!path.empty()) {
    const auto found = places.find(std::string(path));
    if (found != places.end()) return &found->second;
    const size_t dot = path.rfind('.');
    path = dot == path.npos ? std::string_view() : path.substr(0, dot);
  }
  return nullptr;
}

// The value is parsed as "x = <text>". A line break could smuggle in further keys, so a value with
// one is always text, and so is one that gives more than one key.
Result<Assignment> ReadAssignment(const std::string& words) {
  const size_t equals = words.find('=');
  Assignment read;
  read.path = words.substr(0, equals);
  if (equals == words.npos || equals == 0 || read.path.front() == '.' || read.path.back() == '.' ||
      read.path.find("..") != words.npos) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("--set needs key=value, got \"{}\"", words),
                 .fix = "for example --set train.epochs=5"});
  }
  if (std::ranges::count(read.path, '.') >= kDeepestSetting) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("--set names a setting deeper than {} levels: {}",
                                     kDeepestSetting, read.path),
                 .fix = "no setting is that deep: check for extra dots"});
  }
  read.text = words.substr(equals + 1);
  const bool one_line = read.text.find('\n') == read.text.npos;
  Result<Settings> parsed = one_line ? ParseToml("x = " + read.text, "--set") : Status::Invalid("");
  const bool is_value = parsed.ok() && parsed->tree.size() == 1;
  read.value = is_value ? parsed->tree["x"] : Json(read.text);
  return read;
}

Status Override(Settings& settings, const Assignment& assignment) {
  Json* node = &settings.tree;
  for (const std::string& step : Steps(assignment.path)) {
    node = Child(*node, step);
    if (node != nullptr) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("there is no \"{}\" in {}", step, assignment.path),
                 .where = fmt::format("--set {}={}", assignment.path, assignment.text)});
  }
  *node = assignment.value;
  const std::string said = fmt::format("--set {}={}", assignment.path, assignment.text);
  // Places below the path belong to a value that is gone; tables above it that only this --set has
  // created are attributed to it.
  std::erase_if(settings.places,
                [&](const auto& each) { return each.first.starts_with(assignment.path + "."); });
  std::string path = assignment.path;
  settings.places[path] = {said, said};
  for (size_t dot = path.rfind('.'); dot != path.npos; dot = path.rfind('.')) {
    path.resize(dot);
    settings.places.try_emplace(path, Place{said, said});
  }
  return Status::OK();
}

}  // namespace protium
