// SPDX-License-Identifier: Apache-2.0
// The staleness as options write it: 4, or "none".
#include "base/describe.h"
#include "protium/training.h"

namespace protium {
namespace {

constexpr const char* kUnbounded = "none";
constexpr int64_t kMostSteps = 1'000'000;

}  // namespace

Json ToJson(const Staleness& staleness) {
  return staleness.bounded() ? Json(staleness.steps) : Json(kUnbounded);
}

Status FromJson(const Json& json, const std::string& path, Staleness& staleness) {
  if (json == Json(kUnbounded)) {
    staleness.steps = -1;
    return Status::OK();
  }
  const auto refuse = [&] {
    return fields::Refuse(path, "a whole number from 0 to 1000000, or \"none\"", json);
  };
  if (!json.is_number_integer()) return refuse();
  int64_t steps = 0;
  PT_TRY(fields::ReadInteger(json, path, steps));
  if (steps < 0 || steps > kMostSteps) return refuse();
  staleness.steps = steps;
  return Status::OK();
}

FieldType DescribeType(const Staleness&) {
  return {.kind = FieldType::Kind::kEither,
          .of = {{.kind = FieldType::Kind::kWhole},
                 {.kind = FieldType::Kind::kChoice, .words = "\"none\"", .choices = {kUnbounded}}}};
}

}  // namespace protium
