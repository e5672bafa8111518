// SPDX-License-Identifier: Apache-2.0
// The body of a request in the Open Inference Protocol: two bytes tell how long its JSON text is,
// and tensors in bytes follow it.
#include <arrow/api.h>

#include "base/fault.h"
#include "protium/stream.h"
#include "serve/infer_output.h"
#include "serve/infer_request.h"
#include "serve/infer_tensor.h"

namespace protium {
namespace {

constexpr int64_t kMostRows = 1000;

SchemaPtr Columns() {
  return arrow::schema(
      {arrow::field("x", arrow::float64()), arrow::field("n", arrow::int32()),
       arrow::field("t", arrow::utf8()), arrow::field("b", arrow::boolean()),
       arrow::field("day", arrow::date32()), arrow::field("price", arrow::decimal128(12, 2)),
       arrow::field("picture", arrow::binary()), arrow::field("l", arrow::list(arrow::float32()))});
}

void CheckInput(const Status& status) { PT_CHECK(FaultOf(status).exit == Exit::kInput); }

// What was read can be written, whatever it is.
void CheckWritten(const arrow::RecordBatch& rows) {
  for (int i = 0; i < rows.num_columns(); ++i) {
    const arrow::Field& field = *rows.schema()->field(i);
    PT_CHECK(DatatypeOf(field).ok());
    PT_CHECK(ShapeOf(field, *rows.column(i)).ok());
    if (const auto raw = RawValues(field, *rows.column(i)); !raw.ok()) CheckInput(raw.status());
    if (const auto json = JsonValues(field, *rows.column(i)); !json.ok()) CheckInput(json.status());
  }
}

}  // namespace
}  // namespace protium

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace protium;
  if (size < 2) return 0;
  static const SchemaPtr columns = Columns();
  const std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto read =
      ReadInferRequest(body, size_t(data[0]) + 256 * size_t(data[1]), *columns, kMostRows);
  if (!read.ok()) {
    CheckInput(read.status());
    return 0;
  }
  PT_CHECK(read->rows->ValidateFull().ok() && read->rows->num_rows() <= kMostRows);
  CheckWritten(*read->rows);
  return 0;
}
