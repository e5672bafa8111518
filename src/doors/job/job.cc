// SPDX-License-Identifier: Apache-2.0
#include "job/job.h"

#include "sources/object_store.h"

namespace protium {

Json ToJson(const JobEngineOrAddress& engine) { return fields::Write<JobEngine>(engine); }

Status FromJson(const Json& json, const std::string& path, JobEngineOrAddress& engine) {
  if (!json.is_string()) return fields::ReadObject<JobEngine>(json, path, engine);
  engine.address = json.get<std::string>();
  return Status::OK();
}

FieldType DescribeType(const JobEngineOrAddress&) {
  return {.kind = FieldType::Kind::kEither,
          .words = "text or table",
          .of = {TypeOfField(std::string()), TypeOfField(JobEngine())}};
}

namespace {

int AtStore(const std::optional<std::string>& path) { return path && IsObjectPlace(*path) ? 1 : 0; }

}  // namespace

int JobTable::sources() const {
  return duckdb.has_value() + sqlite.has_value() + excel.has_value() + delta.has_value() +
         iceberg.has_value() + postgres.has_value() + mysql.has_value() + AtStore(file) +
         AtStore(csv) + AtStore(parquet);
}

int JobTable::places() const {
  const int files = file.has_value() + csv.has_value() + parquet.has_value();
  const int at_store = AtStore(file) + AtStore(csv) + AtStore(parquet);
  return files - at_store + (sources() > 0 ? sources() : static_cast<int>(table.has_value()));
}

Json ToJson(const JobTableOrPath& table) { return fields::Write<JobTable>(table); }

Status FromJson(const Json& json, const std::string& path, JobTableOrPath& table) {
  if (!json.is_string()) return fields::ReadObject<JobTable>(json, path, table);
  table.file = json.get<std::string>();
  return Status::OK();
}

FieldType DescribeType(const JobTableOrPath&) {
  return {.kind = FieldType::Kind::kEither,
          .words = "text or table",
          .of = {TypeOfField(std::string()), TypeOfField(JobTable())}};
}

Json ToJson(const JobOutputOrPath& output) { return fields::Write<JobOutput>(output); }

Status FromJson(const Json& json, const std::string& path, JobOutputOrPath& output) {
  if (!json.is_string()) return fields::ReadObject<JobOutput>(json, path, output);
  output.file = json.get<std::string>();
  return Status::OK();
}

FieldType DescribeType(const JobOutputOrPath&) {
  return {.kind = FieldType::Kind::kEither,
          .words = "text or table",
          .of = {TypeOfField(std::string()), TypeOfField(JobOutput())}};
}

// Without the shorthand, whose values have moved into the pipeline: otherwise they would be read
// back as set twice.
Json Job::ToJson() const {
  Json json = FieldsToJson(file);
  for (const char* moved : kShorthand) json.erase(moved);
  return json;
}

}  // namespace protium
