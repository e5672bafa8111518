// SPDX-License-Identifier: Apache-2.0
// The kinds of engines, a row each: how their addresses look, where they live, what a job may set
// for them and what they can do. Whoever acts differently on another engine asks its row.
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
  // Of its library, libprotium_<name>.so, and of its settings, [engine.<name>] of a job file.
  const char* name;
  std::string_view scheme;   // What its addresses begin with.
  std::string_view example;  // As messages name its addresses.
  // Of an address's parameters ("host/;use_ssl=true;token=x") those that may be shown.
  std::vector<std::string_view> shown_parameters;
  // Its workers run on this machine: they see its files, and what is installed here is what they
  // have.
  bool runs_here;
  // Reads settings of its own over their defaults and gives all of them; null: it has none.
  Result<Json> (*settings)(const Json& given, const std::string& path);
  FieldType (*settings_type)();
  const char* settings_help;
};

std::span<const EngineKind> EngineKinds();
// The kind of an address; of one that no engine knows, the embedded engine's, which refuses it.
const EngineKind& KindOf(std::string_view address);

// What a job sets for one kind of engine, complete and checked.
struct EngineSettings {
  const EngineKind* kind;
  Json values;
};
// The defaults of every kind that has settings.
std::vector<EngineSettings> DefaultEngineSettings();
// Those of the engine at `address`.
Json SettingsFor(std::string_view address, const std::vector<EngineSettings>& all);

Json ToJson(const EngineSettings& settings);
Status FromJson(const Json& json, const std::string& path, EngineSettings& settings);
FieldType DescribeType(const EngineSettings& settings);

}  // namespace protium
