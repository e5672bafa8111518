// SPDX-License-Identifier: Apache-2.0
// Events of a stream: lines that are JSON objects, and lines of cells.
#include <arrow/api.h>
#include <arrow/util/utf8.h>

#include <optional>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "records/record_rows.h"

namespace protium {
namespace {

SchemaPtr Columns() {
  return EventColumns(
      *arrow::schema({arrow::field("x", arrow::float64()), arrow::field("n", arrow::int32()),
                      arrow::field("t", arrow::utf8()), arrow::field("b", arrow::boolean()),
                      arrow::field("day", arrow::date32()),
                      arrow::field("at", arrow::timestamp(arrow::TimeUnit::MICRO)),
                      arrow::field("l", arrow::list(arrow::int64())),
                      arrow::field("s", arrow::list(arrow::utf8()))}));
}

// The cells of a line, in order; those that it lacks, and empty ones, are NULL.
std::vector<std::optional<std::string_view>> CellsOf(std::string_view line, size_t count) {
  std::vector<std::optional<std::string_view>> cells(count);
  for (size_t i = 0; i < count && !line.empty(); ++i) {
    const size_t end = std::min(line.find(','), line.size());
    if (end > 0) cells[i] = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return cells;
}

void Check(const Status& added, int64_t before, const RecordRows& rows) {
  PT_CHECK(rows.rows() == before + (added.ok() ? 1 : 0));
  if (!added.ok()) PT_CHECK(FaultOf(added).exit == Exit::kInput);
}

}  // namespace
}  // namespace protium

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace protium;
  static const SchemaPtr columns = Columns();
  std::string_view text(reinterpret_cast<const char*>(data), size);
  arrow::util::InitializeUTF8();
  if (!arrow::util::ValidateUTF8(text)) return 0;
  RecordRows rows = RecordRows::Make(columns).ValueOrDie();
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    int64_t before = rows.rows();
    Check(rows.AddObject(line).status(), before, rows);
    before = rows.rows();
    Check(rows.AddCells(CellsOf(line, size_t(columns->num_fields()))), before, rows);
  }
  PT_CHECK(rows.Finish().ValueOrDie()->ValidateFull().ok());
  return 0;
}
