// SPDX-License-Identifier: Apache-2.0
#include "learn/stages.h"

#include <arrow/type.h>

#include <utility>

#include "learn/stage.h"

namespace protium {
namespace {

template <class T>
constexpr std::string_view kKind = "";
template <>
constexpr std::string_view kKind<StringIndexerOptions> = "string_indexer";
template <>
constexpr std::string_view kKind<ImputerOptions> = "imputer";
template <>
constexpr std::string_view kKind<StandardScalerOptions> = "standard_scaler";
template <>
constexpr std::string_view kKind<TorchEstimatorOptions> = "torch_estimator";

template <size_t... I>
std::vector<StageOptions> OneOfEach(std::index_sequence<I...>) {
  return {std::variant_alternative_t<I, StageOptions>()...};
}

std::vector<StageOptions> OneOfEach() {
  return OneOfEach(std::make_index_sequence<std::variant_size_v<StageOptions>>());
}

Result<StageOptions> Default(std::string_view kind, const std::string& path) {
  for (StageOptions& each : OneOfEach()) {
    if (KindOf(each) == kind) return std::move(each);
  }
  return Fail({.exit = Exit::kUsage,
               .what = "unknown kind of stage \"" + std::string(kind) + "\"",
               .where = path,
               .fix = Suggest(kind, StageKinds())});
}

Result<StageOptions> StageFromJson(const Json& json, const std::string& path) {
  if (!json.is_object()) return fields::Refuse(path, "a table with a kind and its options", json);
  const auto kind = json.find("kind");
  if (kind == json.end() || !kind->is_string()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "a stage without kind",
                 .where = path,
                 .fix = "set kind to one of: " + Dump(Json(StageKinds()))});
  }
  PT_LET(StageOptions stage, Default(kind->get<std::string>(), path + ".kind"));
  Json options = json;
  options.erase("kind");
  const auto read = [&](auto& each) { return FieldsFromJson(options, path, each); };
  PT_TRY(std::visit(read, stage));
  return stage;
}

}  // namespace

std::string_view KindOf(const StageOptions& options) {
  return std::visit([](const auto& each) { return kKind<std::decay_t<decltype(each)>>; }, options);
}

std::vector<std::string> StageKinds() {
  std::vector<std::string> kinds;
  for (const StageOptions& each : OneOfEach()) kinds.emplace_back(KindOf(each));
  return kinds;
}

Result<std::vector<StageOptions>> StagesFromJson(const Json& json, const std::string& path) {
  if (!json.is_array()) return fields::Refuse(path, "a list of stages", json);
  std::vector<StageOptions> stages;
  for (size_t i = 0; i < json.size(); ++i) {
    PT_LET(StageOptions stage, StageFromJson(json[i], path + "." + std::to_string(i)));
    stages.push_back(std::move(stage));
  }
  return stages;
}

Json StagesToJson(const std::vector<StageOptions>& stages) {
  Json list = Json::array();
  for (const StageOptions& stage : stages) {
    Json json = {{"kind", KindOf(stage)}};
    json.update(std::visit([](const auto& each) { return FieldsToJson(each); }, stage));
    list.push_back(std::move(json));
  }
  return list;
}

Result<Json> StageDefaults(std::string_view kind) {
  PT_LET(const StageOptions stage, Default(kind, "kind"));
  return StagesToJson({stage})[0];
}

Plan WithColumns(Plan rows, const Columns& columns, std::vector<NamedExpr> added) {
  Project project;
  for (const std::string& column : columns) project.columns.push_back({column, Col(column)});
  for (NamedExpr& each : added) project.columns.push_back(std::move(each));
  return MakePlan(std::move(project), {std::move(rows)});
}

Status CheckNumeric(const arrow::DataType& type) {
  const auto id = type.id();
  if (arrow::is_numeric(id) || arrow::is_decimal(id) || id == arrow::Type::BOOL) {
    return Status::OK();
  }
  return Status::TypeError("numbers");
}

Status Stage::CheckType(const arrow::DataType& type) const { return CheckNumeric(type); }

std::shared_ptr<arrow::DataType> Stage::output_type() const { return arrow::float64(); }

}  // namespace protium
