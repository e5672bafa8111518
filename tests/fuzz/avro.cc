// SPDX-License-Identifier: Apache-2.0
// A schema and a record written by it: two bytes with the length of the first, then both. The
// record is in memory that ends exactly after it.
#include <arrow/record_batch.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "records/avro_rows.h"

namespace protium {
namespace {

// What is refused is a fault of the input, never a bug of ours.
bool IsSound(const Status& status) {
  if (!status.ok()) PT_CHECK(FaultOf(status).exit == Exit::kInput);
  return status.ok();
}

void ReadRecord(const std::shared_ptr<const AvroSchema>& schema, std::string_view record) {
  AvroScanner scanner(record);
  if (scanner.Skip(*schema, 0)) PT_CHECK(scanner.at() <= record.size());
  const auto columns = AvroColumns(*schema);
  if (!IsSound(columns.status())) return;
  const auto reading = ReadingOf(schema, schema, **columns, {});
  if (!IsSound(reading.status())) return;
  auto rows = AvroRows::Make(*columns);
  PT_CHECK(rows.ok());
  const bool added = IsSound(rows->Add(*reading, record));
  const auto batch = rows->Finish();
  PT_CHECK(batch.ok() && (*batch)->ValidateFull().ok());
  PT_CHECK((*batch)->num_rows() == (added ? 1 : 0));
  // What becomes a row is also passed over whole.
  AvroScanner again(record);
  if (added) PT_CHECK(again.Skip(*schema, 0) && again.AtEnd());
}

}  // namespace
}  // namespace protium

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace protium;
  if (size < 2) return 0;
  const std::string_view all(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t length = std::min<size_t>(data[0] | data[1] << 8, all.size());
  auto schema = AvroSchema::Parse(all.substr(0, length));
  if (!IsSound(schema.status())) return 0;
  const std::vector<char> record(all.begin() + std::ptrdiff_t(length), all.end());
  ReadRecord(std::make_shared<const AvroSchema>(*std::move(schema)),
             std::string_view(record.data(), record.size()));
  return 0;
}
