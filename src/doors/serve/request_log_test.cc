// SPDX-License-Identifier: Apache-2.0
#include "serve/request_log.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "serve/testing/test_model.h"

namespace protium {
namespace {

using namespace std::chrono_literals;

class RequestLogTest : public WithServedModel {
 protected:
  std::filesystem::path kept() const { return folder_ / "kept"; }

  // A request of one row, and its prediction.
  void Ask(RequestLog& log, const std::shared_ptr<arrow::Array>& x) {
    const auto rows =
        arrow::RecordBatch::Make(arrow::schema({arrow::field("x", x->type())}), x->length(), {x});
    const auto model = model_.Now();
    const auto scored = model->scorer.Score(*rows);
    ASSERT_TRUE(scored.ok()) << scored.status();
    log.Add(*model, *rows, **scored);
  }

  // All rows of the files, as text.
  Json Read() {
    const auto session = OpenSession({.engine = "local[1]",
                                      .folder = folder_ / "reading",
                                      .base = folder_,
                                      .program = OwnLibraryFolder().parent_path() / "bin/protium"});
    Json rows = Json::array();
    const auto stream = (*session)->Read().Parquet("kept/*.parquet").Stream();
    EXPECT_TRUE(stream.ok()) << stream.status();
    while (auto batch = *(*stream)->Next()) {
      for (int64_t i = 0; i < batch->num_rows(); ++i) {
        Json row = Json::object();
        for (int c = 0; c < batch->num_columns(); ++c) {
          row[batch->schema()->field(c)->name()] = (*batch->column(c)->GetScalar(i))->ToString();
        }
        rows.push_back(row);
      }
    }
    return rows;
  }

  size_t Files() const {
    size_t files = 0;
    for (const auto& each : std::filesystem::directory_iterator(kept())) {
      files += each.path().extension() == ".parquet";
    }
    return files;
  }
};

TEST_F(RequestLogTest, KeepsRowsWithTheirPredictions) {
  {
    const auto log = *RequestLog::Make({.folder = kept(), .every = 1h}, nullptr);
    Ask(*log, *arrow::MakeArrayFromScalar(arrow::DoubleScalar(2.5), 2));
    Ask(*log, *arrow::MakeArrayOfNull(arrow::float64(), 1));
    // Another type, which the model casts.
    Ask(*log, *arrow::MakeArrayFromScalar(arrow::Int32Scalar(3), 1));
  }
  EXPECT_EQ(Files(), 1u);
  const Json rows = Read();
  ASSERT_EQ(rows.size(), 4u) << rows;
  EXPECT_EQ(rows[0]["x"], "2.5");
  EXPECT_EQ(rows[0]["x__fill"], "2.5");
  EXPECT_EQ(rows[2]["x"], "null");
  EXPECT_EQ(rows[2]["x__fill"], "7");
  EXPECT_EQ(rows[3]["x"], "3");
  EXPECT_EQ(rows[3]["generation"], "1");
  EXPECT_TRUE(rows[3]["requested_at"].get<std::string>().starts_with("20"));
}

TEST_F(RequestLogTest, WritesAFileWhenItHasItsRows) {
  const auto log = *RequestLog::Make({.folder = kept(), .rows = 10, .every = 1h}, nullptr);
  for (int i = 0; i < 5; ++i) {
    Ask(*log, *arrow::MakeArrayFromScalar(arrow::DoubleScalar(i), 2));
  }
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (log->kept() < 10) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::yield();
  }
  EXPECT_EQ(Files(), 1u);
}

TEST_F(RequestLogTest, KeepsAShareOfTheRequests) {
  {
    const auto log = *RequestLog::Make({.folder = kept(), .share = 0.25, .every = 1h}, nullptr);
    for (int i = 0; i < 400; ++i) Ask(*log, *arrow::MakeArrayFromScalar(arrow::DoubleScalar(i), 1));
  }
  EXPECT_NEAR(double(Read().size()), 100, 35);
}

TEST_F(RequestLogTest, DropsAndCountsWhatCannotBeWritten) {
  std::vector<std::string> notes;
  const auto log = *RequestLog::Make({.folder = kept(), .rows = 1, .every = 1h},
                                     [&](const std::string& note) { notes.push_back(note); });
  std::filesystem::remove_all(kept());
  std::ofstream(kept().string()) << "a file";
  Ask(*log, *arrow::MakeArrayFromScalar(arrow::DoubleScalar(1), 1));
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (log->dropped() < 1) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::yield();
  }
  EXPECT_EQ(log->kept(), 0);
  const auto refused = RequestLog::Make({.folder = kept() / "below"}, nullptr);
  EXPECT_TRUE(FaultOf(refused.status()).what.starts_with("requests cannot be kept in"));
}

}  // namespace
}  // namespace protium
