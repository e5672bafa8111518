// SPDX-License-Identifier: Apache-2.0
// The body of a request for predictions: rows, or columns, in JSON.
#include "inference/json_rows.h"

#include <arrow/api.h>

#include "base/fault.h"
#include "base/json.h"
#include "protium/stream.h"

namespace protium {
namespace {

constexpr int64_t kMostRows = 1000;

SchemaPtr Columns() {
  return arrow::schema({arrow::field("x", arrow::float64()), arrow::field("n", arrow::int32()),
                        arrow::field("t", arrow::utf8()), arrow::field("b", arrow::boolean()),
                        arrow::field("day", arrow::date32()),
                        arrow::field("at", arrow::timestamp(arrow::TimeUnit::MICRO)),
                        arrow::field("price", arrow::decimal128(12, 2)),
                        arrow::field("l", arrow::list(arrow::list(arrow::int64())))});
}

void Check(const Result<JsonRows>& rows) {
  if (rows.ok()) {
    PT_CHECK(rows->batch->ValidateFull().ok());
  } else {
    PT_CHECK(FaultOf(rows.status()).exit == Exit::kInput);
  }
}

// Whatever is read as rows is also JSON to another reader, except for numbers beyond all doubles
// under keys that nobody reads.
bool IsJson(std::string_view text) {
  const auto parsed = ParseJson(text);
  return parsed.ok() || FaultOf(parsed.status()).what.find("number overflow") != std::string::npos;
}

}  // namespace
}  // namespace protium

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace protium;
  static const SchemaPtr columns = Columns();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto rows = ReadJsonRows(text, *columns, kMostRows);
  Check(rows);
  if (rows.ok()) PT_CHECK(rows->batch->num_rows() <= kMostRows && IsJson(text));
  const auto bare = ReadBareJsonRows(text, *columns);
  Check(bare);
  if (bare.ok()) PT_CHECK(IsJson(text));
  return 0;
}
