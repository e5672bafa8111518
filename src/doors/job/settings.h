// SPDX-License-Identifier: Apache-2.0
// A tree of settings with the place where each was given.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// What is kept if a job is refused before anything runs.
inline constexpr char kNothingStarted[] = "nothing was started";

// The limit on nesting: settings are read, checked and shown by recursion.
inline constexpr int kDeepestSetting = 100;

// Where a setting was given, for messages: "flights.toml:12:3" or "--set train.epochs=9". `key` is
// the position of the key, which matters if it is unknown; `value` that of the value.
struct Place {
  std::string key;
  std::string value;
};

struct Settings {
  std::filesystem::path file;
  Json tree = Json::object();
  std::map<std::string, Place> places;  // By dotted path: "train.epochs", "pipeline.0.inputs.2".

  // Returns where the value at `path`, or the nearest one that contains it, was given; null if
  // nowhere.
  const Place* Find(std::string_view path) const;
};

// Reads a TOML file. Keys remain in the order of the file. Refuses dates and times, which no
// setting is, and nesting deeper than kDeepestSetting. Faults of Exit::kUsage name
// file:line:column.
Result<Settings> ReadToml(const std::filesystem::path& file);

// The same from text; `file` is only for messages.
Result<Settings> ParseToml(std::string_view text, const std::filesystem::path& file);

// "a.b=c" split, with c read as a TOML value; if it is none, c is text, so that --set data=other
// needs no quotes. Paths of more than kDeepestSetting names are refused.
struct Assignment {
  std::string path;
  Json value;
  std::string text;  // The characters after "=", as typed.
};
Result<Assignment> ReadAssignment(const std::string& words);

// Applies an assignment to the tree. Numbers in the path index into lists, which must be long
// enough.
Status Override(Settings& settings, const Assignment& assignment);

}  // namespace protium
