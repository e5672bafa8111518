// SPDX-License-Identifier: Apache-2.0
// A tree of settings and, for each, where it was said.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// What is kept when a job is refused before anything runs.
inline constexpr char kNothingStarted[] = "nothing was started";

// Settings nest no deeper: what reads, checks and shows them goes down by recursion.
inline constexpr int kDeepestSetting = 100;

// Where a setting comes from, for messages: "flights.toml:12:3" or "--set train.epochs=9". `key` is
// the place of the key, which matters when it is unknown; `value` that of the value.
struct Place {
  std::string key;
  std::string value;
};

struct Settings {
  std::filesystem::path file;
  Json tree = Json::object();
  std::map<std::string, Place> places;  // By dotted path: "train.epochs", "pipeline.0.inputs.2".

  // Where the value at `path`, or the nearest one that contains it, was given; null if nowhere.
  const Place* Find(std::string_view path) const;
};

// Reads a TOML file. Keys keep the order of the file. Dates and times are refused, since no setting
// is one, and so is what nests deeper than kDeepestSetting. Faults of Exit::kUsage name
// file:line:column.
Result<Settings> ReadToml(const std::filesystem::path& file);

// The same from text; `file` is only for messages.
Result<Settings> ParseToml(std::string_view text, const std::filesystem::path& file);

// Splits "a.b=c" and reads c as a TOML value; what is not one is taken as text, so that
// --set data=other needs no quotes. A path of more than kDeepestSetting names is refused.
struct Assignment {
  std::string path;
  Json value;
  std::string text;  // The characters after "=", as typed.
};
Result<Assignment> ReadAssignment(const std::string& words);

// Lays an assignment over the tree. Numbers in the path index into lists, which must be long
// enough.
Status Override(Settings& settings, const Assignment& assignment);

}  // namespace protium
