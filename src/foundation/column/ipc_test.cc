// SPDX-License-Identifier: Apache-2.0
#include "column/ipc.h"

#include <arrow/api.h>
#include <arrow/ipc/api.h>
#include <arrow/util/compression.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

std::shared_ptr<arrow::RecordBatch> Batch() {
  arrow::Int64Builder numbers;
  arrow::StringBuilder words;
  EXPECT_TRUE(numbers.AppendValues({1, 2, 3}).ok() && words.AppendValues({"a", "", "c"}).ok());
  return arrow::RecordBatch::Make(
      arrow::schema({arrow::field("n", arrow::int64()), arrow::field("w", arrow::utf8())}), 3,
      {numbers.Finish().ValueOrDie(), words.Finish().ValueOrDie()});
}

Result<std::shared_ptr<arrow::Buffer>> Message(const arrow::RecordBatch& batch) {
  auto options = arrow::ipc::IpcWriteOptions::Defaults();
  options.allow_64bit = true;  // Rows beyond 2^31.
  return arrow::ipc::SerializeRecordBatch(batch, options);
}

TEST(Ipc, BringsSchemaAndBatchBack) {
  const auto batch = Batch();
  const auto schema = SchemaFromIpc(SchemaToIpc(*batch->schema()).ValueOrDie()).ValueOrDie();
  EXPECT_TRUE(schema->Equals(*batch->schema()));
  const auto back = BatchFromIpc(Message(*batch).ValueOrDie(), schema).ValueOrDie();
  EXPECT_TRUE(back->Equals(*batch));
}

TEST(Ipc, RefusesACutMessage) {
  const auto batch = Batch();
  const auto whole = Message(*batch).ValueOrDie();
  for (const int64_t length : {int64_t{0}, int64_t{7}, whole->size() / 2, whole->size() - 8}) {
    EXPECT_FALSE(BatchFromIpc(arrow::SliceBuffer(whole, 0, length), batch->schema()).ok());
  }
}

// The uncompressed size that a compressed buffer claims is not trusted: ours are not compressed.
TEST(Ipc, RefusesPackedRows) {
  auto options = arrow::ipc::IpcWriteOptions::Defaults();
  options.codec = arrow::util::Codec::Create(arrow::Compression::ZSTD).ValueOrDie();
  const auto zeros = arrow::MakeArrayFromScalar(arrow::Int64Scalar(0), 1000).ValueOrDie();
  const auto batch =
      arrow::RecordBatch::Make(arrow::schema({arrow::field("n", arrow::int64())}), 1000, {zeros});
  const auto packed = arrow::ipc::SerializeRecordBatch(*batch, options).ValueOrDie();
  EXPECT_FALSE(BatchFromIpc(packed, batch->schema()).ok());
}

// A message of a few bytes claims more rows than fit into memory.
TEST(Ipc, RefusesRowsThatNoByteStandsBehind) {
  const int64_t rows = int64_t{1} << 40;
  const auto bomb = arrow::RecordBatch::Make(arrow::schema({arrow::field("x", arrow::null())}),
                                             rows, {std::make_shared<arrow::NullArray>(rows)});
  const auto message = Message(*bomb).ValueOrDie();
  EXPECT_LT(message->size(), 500);
  const auto read = BatchFromIpc(message, bomb->schema());
  EXPECT_EQ(FaultOf(read.status()).exit, Exit::kInput);
  EXPECT_NE(read.status().message().find("cells without content"), std::string::npos);
}

}  // namespace
}  // namespace protium
