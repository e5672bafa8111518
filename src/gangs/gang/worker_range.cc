// SPDX-License-Identifier: Apache-2.0
// The range of workers as options write it: 4, or {"min": 2, "max": 4}.
#include "base/describe.h"
#include "gang/task.h"

namespace protium {
namespace {

struct Ends {
  int32_t min = 1;
  int32_t max = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("min", min, {.help = "fewer do not train", .at_least = 1});
    visit("max", max, {.help = "more are not started", .at_least = 1});
  }
};

}  // namespace

Json ToJson(const WorkerRange& workers) {
  if (workers.min == workers.max) return workers.max;
  return FieldsToJson(Ends{workers.min, workers.max});
}

Status FromJson(const Json& json, const std::string& path, WorkerRange& workers) {
  if (!json.is_object()) {
    int32_t number = 1;
    if (!json.is_number_integer()) {
      return fields::Refuse(path, "a whole number or { min = ..., max = ... }", json);
    }
    PT_TRY(fields::ReadInteger(json, path, number));
    if (number < 1) return fields::Refuse(path, "at least 1", json);
    workers = number;
    return Status::OK();
  }
  Ends ends;
  for (const char* key : {"min", "max"}) {
    if (json.contains(key)) continue;
    return fields::Refuse(path, "a whole number or { min = ..., max = ... }", json);
  }
  PT_TRY(FieldsFromJson(json, path, ends));
  if (ends.min > ends.max) return fields::Refuse(path + ".max", "at least min", json);
  workers = {ends.min, ends.max};
  return Status::OK();
}

FieldType DescribeType(const WorkerRange&) {
  return {.kind = FieldType::Kind::kEither,
          .of = {{.kind = FieldType::Kind::kWhole},
                 {.kind = FieldType::Kind::kTable, .fields = Describe<Ends>()}}};
}

}  // namespace protium
