// SPDX-License-Identifier: Apache-2.0
#include "app/job/job.h"

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

Json Job::ToJson() const {
  Json json = FieldsToJson(file);
  for (const char* moved : kShorthand) json.erase(moved);
  return json;
}

}  // namespace protium
