// SPDX-License-Identifier: Apache-2.0
#include "job/job.h"

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
