// SPDX-License-Identifier: Apache-2.0
// Each field of an options aggregate (protium/fields.h) becomes a property; choices from the
// catalogue become references to definitions, one for each of its tables.
#include "reference/schema.h"

#include <optional>
#include <utility>

#include "job/job.h"
#include "protium/stage_options.h"

namespace protium {

namespace {

using Kind = FieldType::Kind;

// Returns a reference to a table of the catalogue: "nets".
Json Reference(const std::string& table) { return {{"$ref", "#/definitions/" + table}}; }

// "minimum" and "maximum" include their limits, the exclusive forms do not.
void AddRange(const Field& field, Json& schema) {
  const std::pair<const char*, std::optional<double>> limits[] = {{"minimum", field.at_least},
                                                                  {"exclusiveMinimum", field.above},
                                                                  {"exclusiveMaximum", field.below},
                                                                  {"maximum", field.at_most}};
  for (const auto& [key, limit] : limits) {
    if (limit) schema[key] = fields::Short(*limit);
  }
}

Json TableSchema(const std::vector<DescribedField>& fields);

// Returns the schema of a type. The range of a field applies to each number of a list, as when the
// job is read.
Json TypeSchema(const FieldType& type, const Field& field) {
  Json schema = Json::object();
  switch (type.kind) {
    case Kind::kAny:
      break;
    case Kind::kFlag:
      schema["type"] = "boolean";
      break;
    case Kind::kWhole:
    case Kind::kNumber:
      schema["type"] = type.kind == Kind::kWhole ? "integer" : "number";
      AddRange(field, schema);
      break;
    case Kind::kText:
      schema["type"] = "string";
      // A key that must not be empty.
      if (*field.filled != 0) schema["minLength"] = 1;
      break;
    case Kind::kChoice:
      schema["enum"] = type.choices;
      break;
    case Kind::kList:
      schema["type"] = "array";
      schema["items"] =
          *field.rows_of != 0 ? Reference(field.rows_of) : TypeSchema(type.of.front(), field);
      break;
    case Kind::kEntries:
      schema["type"] = "object";
      schema["additionalProperties"] = TypeSchema(type.of.front(), field);
      break;
    case Kind::kTable:
      return TableSchema(type.fields);
    case Kind::kEither:
      for (const FieldType& each : type.of) schema["anyOf"].push_back(TypeSchema(each, field));
      break;
  }
  return schema;
}

Json FieldSchema(const DescribedField& described) {
  const Field& field = described.field;
  const bool chosen = *field.rows_of != 0 && described.type.kind != Kind::kList;
  Json schema = Json::object();
  if (*field.help != 0) schema["description"] = field.help;
  schema.update(chosen ? Reference(field.rows_of) : TypeSchema(described.type, field));
  return schema;
}

// Returns the schema of a table. A key is required if it must not be empty but is by default.
// Unknown keys are refused, as by the reader of job files.
Json TableSchema(const std::vector<DescribedField>& fields) {
  Json schema = {{"type", "object"}, {"properties", Json::object()}};
  Json required = Json::array();
  for (const DescribedField& each : fields) {
    schema["properties"][each.name] = FieldSchema(each);
    if (*each.field.filled != 0 && each.value == "") required.push_back(each.name);
  }
  if (!required.empty()) schema["required"] = required;
  schema["additionalProperties"] = false;
  return schema;
}

// Returns the schema of a table that names its row under `key`. The row called `open` may omit the
// key: options without a name apply to it.
Json RowSchema(const CatalogueRow& row, const char* key, const std::string& open) {
  Json schema = TableSchema(row.options);
  // The name comes before the options.
  Json properties = {{key, {{"const", row.name}}}};
  properties.update(schema["properties"]);
  schema["properties"] = properties;
  if (row.name != open) schema["required"].push_back(key);
  return {{"description", row.help}, {"allOf", {schema}}};
}

template <class Row>
Json StagesSchema(const std::vector<Row>& rows) {
  Json either = Json::array();
  for (const Row& row : rows) either.push_back(RowSchema(row, "kind", ""));
  return {{"anyOf", either}};
}

// Accepts a name, a table with a name and options, or only options for the default choice.
template <class Row>
Json ChoiceSchema(const std::vector<Row>& rows, const Choice& usual) {
  Json either = {{{"enum", ListNames(rows)}}};
  for (const Row& row : rows) either.push_back(RowSchema(row, "name", usual.name));
  return {{"anyOf", either}};
}

// A metric with a number is written with digits where its row has a k.
Json MetricsSchema(const std::vector<MetricRow>& rows) {
  Json names = Json::array(), either = Json::array();
  for (const MetricRow& row : rows) {
    if (RowOfMetric(row.name).ok()) {
      names.push_back(row.name);
      continue;
    }
    const std::string stem = row.name.substr(0, row.name.size() - 1);
    either.push_back({{"description", row.help},
                      {"type", "string"},
                      {"pattern", "^" + stem + "[1-9][0-9]{0,8}$"}});
  }
  either.insert(either.begin(), Json{{"enum", names}});
  return {{"anyOf", either}};
}

template <class Options>
Json OptionsSchema(const Json& described) {
  Json schema = {{"description", described["description"]}};
  schema.update(TableSchema(Describe(Options())));
  return schema;
}

}  // namespace

// JobFile stores pipeline and shorthand as plain JSON, since their shape depends on the catalogue;
// here they get the schemas of the rows and options that they stand for.
Json JobSchema(const Catalogue& catalogue) {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "a job file"}};
  schema.update(TableSchema(Describe(JobFile())));
  Json& properties = schema["properties"];
  properties["pipeline"]["type"] = "array";
  properties["pipeline"]["items"] = Reference("stages");
  properties["train"] = OptionsSchema<TrainOptions>(properties["train"]);
  properties["trees"] = OptionsSchema<TreeOptions>(properties["trees"]);
  properties["gang"] = OptionsSchema<GangSpec>(properties["gang"]);
  properties["net"].update(Reference("nets"));
  properties["loss"].update(Reference("losses"));
  schema["required"] = {"tables", "etl"};
  const TorchEstimatorOptions usual;
  schema["definitions"] = {
      {"stages", StagesSchema(catalogue.stages)},
      {"nets", ChoiceSchema(catalogue.nets, usual.net)},
      {"losses", ChoiceSchema(catalogue.losses, usual.loss)},
      {"metrics", MetricsSchema(catalogue.metrics)},
      {"optimizers", ChoiceSchema(catalogue.optimizers, usual.train.optimizer)},
      {"schedules", ChoiceSchema(catalogue.schedules, usual.train.schedule)}};
  return schema;
}

}  // namespace protium
