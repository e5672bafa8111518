// SPDX-License-Identifier: Apache-2.0
#include "engine/kind.h"

#include <algorithm>
#include <utility>

#include "engine/spark_settings.h"
#include "protium/fields.h"

namespace protium {
namespace {

template <class Settings>
Result<Json> ReadSettings(const Json& given, const std::string& path) {
  Settings settings;
  PT_TRY(FieldsFromJson(given, path, settings));
  return FieldsToJson(settings);
}

template <class Settings>
FieldType TypeOfSettings() {
  return TypeOfField(Settings());
}

}  // namespace

std::span<const EngineKind> EngineKinds() {
  static const std::vector<EngineKind> kinds = {
      {.name = "local",
       .scheme = "local",
       .example = "\"local\", \"local[4]\" for at most 4 workers",
       .runs_here = true},
      {.name = "spark",
       .scheme = "sc://",
       .example = "sc://host:15002",
       .shown_parameters = {"use_ssl", "user_id", "user_agent", "session_id"},
       .runs_here = false,
       .settings = ReadSettings<SparkSettings>,
       .settings_type = TypeOfSettings<SparkSettings>,
       .settings_help = "settings of the engine on Spark"},
  };
  return kinds;
}

const EngineKind& KindOf(std::string_view address) {
  for (const EngineKind& kind : EngineKinds()) {
    if (address.starts_with(kind.scheme)) return kind;
  }
  return EngineKinds().front();
}

std::vector<EngineSettings> DefaultEngineSettings() {
  std::vector<EngineSettings> all;
  for (const EngineKind& kind : EngineKinds()) {
    if (kind.settings == nullptr) continue;
    all.push_back({&kind, kind.settings(Json::object(), "").ValueOrDie()});
  }
  return all;
}

Json SettingsFor(std::string_view address, const std::vector<EngineSettings>& all) {
  for (const EngineSettings& each : all) {
    if (each.kind == &KindOf(address)) return each.values;
  }
  return Json::object();
}

Json ToJson(const EngineSettings& settings) { return settings.values; }

Status FromJson(const Json& json, const std::string& path, EngineSettings& settings) {
  PT_LET(settings.values, settings.kind->settings(json, path));
  return Status::OK();
}

FieldType DescribeType(const EngineSettings& settings) { return settings.kind->settings_type(); }

}  // namespace protium
