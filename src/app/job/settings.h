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

// "flights.toml:12:3" or "--set train.epochs=9".
struct Place {
  std::string key;
  std::string value;
};

struct Settings {
  std::filesystem::path file;
  Json tree = Json::object();
  std::map<std::string, Place> places;  // By dotted path: "train.epochs", "pipeline.0.inputs.2".

  // Where the value at `path` was said, or its nearest parent; empty when nobody said it.
  const Place* Find(std::string_view path) const;
};

// Reads a strict TOML file; keys keep the order of the file. Dates are refused, as no setting is
// one. A fault names file:line:column.
Result<Settings> ReadToml(const std::filesystem::path& file);

// The same from text; `file` is only for messages.
Result<Settings> ParseToml(std::string_view text, const std::filesystem::path& file);

// Splits "a.b=c" and reads c as a TOML value, or as text where it is none.
struct Assignment {
  std::string path;
  Json value;
  std::string text;  // What stood behind the "=".
};
Result<Assignment> ReadAssignment(const std::string& words);

// Puts an assignment into the tree over what stands there. Numbers in the path choose from a list.
Status Override(Settings& settings, const Assignment& assignment);

}  // namespace protium
