// SPDX-License-Identifier: Apache-2.0
#include "transit/here.h"

#include <functional>
#include <set>

namespace protium {
namespace {

void EachText(Json& json, const std::function<void(std::string& text)>& visit) {
  if (json.is_string()) return visit(json.get_ref<std::string&>());
  if (!json.is_structured()) return;
  for (Json& each : json) EachText(each, visit);
}

}  // namespace

bool Moved::IsBelow(const std::string& path) const {
  return path.starts_with(from_) && (path.size() == from_.size() || path[from_.size()] == '/');
}

std::string Moved::Path(const std::string& path) const {
  return IsBelow(path) ? to_ + path.substr(from_.size()) : path;
}

Json Moved::Paths(Json json) const {
  EachText(json, [this](std::string& text) { text = Path(text); });
  return json;
}

std::string Moved::Within(std::string text) const {
  for (size_t at = 0; (at = text.find(from_, at)) != text.npos; at += to_.size()) {
    text.replace(at, from_.size(), to_);
  }
  return text;
}

std::vector<std::string> Moved::Below(const Json& json) const {
  std::set<std::string> found;
  Json copy = json;
  EachText(copy, [&](const std::string& text) {
    if (IsBelow(text) && text.size() > from_.size()) found.insert(text.substr(from_.size() + 1));
  });
  return {found.begin(), found.end()};
}

}  // namespace protium
