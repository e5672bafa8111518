// SPDX-License-Identifier: Apache-2.0
#include "stream/kept_events.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "format/parquet_rows.h"
#include "os/file.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// Rows with the ids `from` up to and without `to`.
std::shared_ptr<arrow::RecordBatch> Ids(int64_t from, int64_t to) {
  arrow::Int64Builder ids;
  for (int64_t id = from; id < to; ++id) EXPECT_TRUE(ids.Append(id).ok());
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("id", arrow::int64())}), to - from,
                                  {*ids.Finish()});
}

std::vector<int64_t> IdsIn(const fs::path& file) {
  const ParquetRows rows = *ReadParquetRows({file.string()}, {});
  std::vector<int64_t> ids;
  while (const auto batch = *rows.rows->Next()) {
    const auto& column = static_cast<const arrow::Int64Array&>(*batch->column(0));
    for (int64_t i = 0; i < column.length(); ++i) ids.push_back(column.Value(i));
  }
  return ids;
}

class KeptEventsTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(kept_.Keep(0, *Ids(0, 4)).ok());
    ASSERT_TRUE(kept_.Keep(1, *Ids(4, 4)).ok());
    ASSERT_TRUE(kept_.Keep(2, *Ids(4, 9)).ok());
    ASSERT_TRUE(kept_.Keep(3, *Ids(9, 12)).ok());
  }
  fs::path at(const char* name) const { return folder_.path() / name; }
  size_t Files() const {
    return size_t(std::distance(fs::directory_iterator(at("rows")), fs::directory_iterator()));
  }
  Result<CutEvents> Cut(int64_t batches, int64_t most, double held_out) const {
    return kept_.Cut(batches, most, held_out, at("train.parquet"), at("tail.parquet"));
  }

  TemporaryFolder folder_ = *TemporaryFolder::Make();
  KeptEvents kept_{folder_.path() / "rows"};
};

TEST_F(KeptEventsTest, AreCutIntoOlderOnesAndTheNewest) {
  const auto cut = Cut(4, 6, 0.34);
  ASSERT_TRUE(cut.ok()) << cut.status().ToString();
  EXPECT_EQ(cut->rows, 4);
  EXPECT_EQ(cut->held_out, 2);
  EXPECT_EQ(IdsIn(at("train.parquet")), (std::vector<int64_t>{6, 7, 8, 9}));
  EXPECT_EQ(IdsIn(at("tail.parquet")), (std::vector<int64_t>{10, 11}));
}

TEST_F(KeptEventsTest, OfABatchThatIsMadeAgainAreThereOnce) {
  ASSERT_TRUE(kept_.Keep(2, *Ids(4, 9)).ok());
  ASSERT_TRUE(Cut(3, 100, 0.01).ok());
  EXPECT_EQ(IdsIn(at("train.parquet")).size(), 8U);
  EXPECT_EQ(IdsIn(at("tail.parquet")), std::vector<int64_t>{8});
}

TEST_F(KeptEventsTest, ThatAreTooFewAreRefused) {
  const auto none = Cut(0, 10, 0.5);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(FaultOf(none.status()).what, "there are too few events to train on");
}

TEST_F(KeptEventsTest, GoOnceNoTrainingNeedsThem) {
  kept_.Remove(4, 6);
  EXPECT_EQ(Files(), 2U);
  ASSERT_TRUE(Cut(4, 6, 0.5).ok());
  EXPECT_EQ(IdsIn(at("train.parquet")), (std::vector<int64_t>{6, 7, 8}));
}

}  // namespace
}  // namespace protium
