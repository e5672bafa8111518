// SPDX-License-Identifier: Apache-2.0
// The kinds of engines, one row each: their addresses, where they run, what a job may set for them
// and what they can do. Code that depends on the kind of engine reads its row.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/describe.h"
#include "base/json.h"
#include "base/status.h"

namespace protium {

struct EngineKind {
  // The name in its library, libprotium_<name>.so, and in its settings, [engine.<name>] of a job
  // file.
  const char* name;
  std::string_view scheme;   // What its addresses begin with.
  std::string_view example;  // How messages write its addresses.
  // The parameters of an address ("host/;use_ssl=true;token=x") that may be shown.
  std::vector<std::string_view> shown_parameters;
  // Its workers run on this machine: they see its files and have what is installed here.
  bool runs_here;
  // Reads the kind's own settings over their defaults and returns all of them; null: it has none.
  Result<Json> (*settings)(const Json& given, const std::string& path);
  FieldType (*settings_type)();
  const char* settings_help;
};

std::span<const EngineKind> EngineKinds();
// Returns the kind of an address; for one that no engine knows, the embedded engine's, which
// refuses it.
const EngineKind& KindOf(std::string_view address);

// What a job sets for one kind of engine, complete and checked.
struct EngineSettings {
  const EngineKind* kind;
  Json values;
};
// Returns the defaults of every kind that has settings.
std::vector<EngineSettings> DefaultEngineSettings();
// Returns the settings of the engine at `address`.
Json SettingsFor(std::string_view address, const std::vector<EngineSettings>& all);

Json ToJson(const EngineSettings& settings);
Status FromJson(const Json& json, const std::string& path, EngineSettings& settings);
FieldType DescribeType(const EngineSettings& settings);

}  // namespace protium
