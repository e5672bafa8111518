// SPDX-License-Identifier: Apache-2.0
#include "ludwig/draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "base/fault.h"
#include "base/json.h"

namespace protium::ludwig {
namespace {

Yaml* SectionOf(Yaml* feature, const char* section) {
  return feature == nullptr ? nullptr : feature->Take(section);
}

// Returns the value from the feature's own section, else from the common one.
template <class Value>
Value Found(const Feature& feature, const char* section, const char* key,
            Value (Yaml::*take)(std::string_view)) {
  for (Yaml* const from : {feature.own, feature.common}) {
    Yaml* const found = SectionOf(from, section);
    if (found == nullptr) continue;
    if (auto value = (found->*take)(key)) return value;
  }
  return std::nullopt;
}

}  // namespace

// TOML's basic strings can be written as JSON strings.
std::string Quoted(const std::string& text) { return Dump(Json(text)); }

std::string Name(const std::string& column) {
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  const bool plain = !column.empty() && std::ranges::all_of(column, is_letter) &&
                     std::isdigit(static_cast<unsigned char>(column.front())) == 0;
  if (plain) return column;
  std::string quoted = "`";
  for (const char c : column) quoted += c == '`' ? "``" : std::string(1, c);
  return quoted + "`";
}

std::string List(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& each : texts) quoted.push_back(Quoted(each));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

std::string Number(double number) {
  return number == double(int64_t(number)) ? fmt::format("{}", int64_t(number))
                                           : fmt::format("{}", number);
}

std::optional<std::string> Feature::Text(const char* section, const char* key) const {
  return Found(*this, section, key, &Yaml::TakeText);
}
std::optional<std::string> Feature::Word(const char* section, const char* key) const {
  return Found(*this, section, key, &Yaml::TakeWord);
}
std::optional<double> Feature::Number(const char* section, const char* key) const {
  return Found(*this, section, key, &Yaml::TakeNumber);
}
std::optional<bool> Feature::Truth(const char* section, const char* key) const {
  return Found(*this, section, key, &Yaml::TakeTruth);
}

Result<std::vector<Feature>> FeaturesOf(Yaml& root, const char* list) {
  std::vector<Feature> features;
  Yaml* const given = root.Take(list);
  if (given == nullptr || given->items().empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("the configuration has no {}", list),
                 .why = "a job learns a column from others"});
  }
  Yaml* const defaults = root.Take("defaults");
  for (Yaml& each : given->items()) {
    Feature feature{.own = &each};
    const auto name = each.TakeText("name");
    feature.column = each.TakeText("column").value_or(name.value_or(""));
    feature.type = each.TakeText("type").value_or("");
    if (feature.column.empty() || feature.type.empty()) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("a feature of {} has no name or no type", list),
                   .where = fmt::format("line {}", each.line())});
    }
    if (feature.type == "numerical") feature.type = "number";  // Before version 0.5.
    if (defaults != nullptr) feature.common = defaults->Take(feature.type);
    features.push_back(std::move(feature));
  }
  return features;
}

}  // namespace protium::ludwig
