// SPDX-License-Identifier: Apache-2.0
#include "inference/gap_watch.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/fault.h"
#include "inference/behind_history.h"
#include "os/library.h"
#include "os/temporary_folder.h"
#include "protium/pipeline.h"
#include "protium/scorer.h"
#include "protium/session.h"

namespace protium {
namespace {

using testing::HasSubstr;

// Days of January 2024 of one shop, sold 1, 2, 3, ...
class Gap : public testing::Test {
 protected:
  Scorer Model() {
    std::ofstream file(folder_.path() / "seen.csv");
    file << "day,shop,sold\n";
    for (int day = 1; day <= 31; ++day)
      file << "2024-01-" << day / 10 << day % 10 << ",a," << day << "\n";
    file.close();
    session_ = OpenSession({.engine = "local[1]",
                            .folder = folder_.path() / "run",
                            .base = folder_.path(),
                            .program = OwnLibraryFolder().parent_path() / "bin/protium"})
                   .ValueOrDie();
    const Json lag = {{"inputs", {"sold"}}, {"by", {"shop"}}, {"time", "day"}, {"lags", {1, 2}}};
    const auto model =
        Pipeline({{.kind = "lag", .options = lag}}).Fit(session_->Read().Csv("seen.csv"));
    EXPECT_TRUE(model.ok()) << Render(FaultOf(model.status()));
    return Scorer::Make(*model).ValueOrDie();
  }

  static std::shared_ptr<arrow::RecordBatch> Request(const std::vector<int32_t>& days,
                                                     const char* shop = "a") {
    arrow::Date32Builder times;
    arrow::StringBuilder shops;
    for (const int32_t day : days) {
      EXPECT_TRUE(times.Append(day).ok());
      EXPECT_TRUE(shops.Append(shop).ok());
    }
    return arrow::RecordBatch::Make(
        arrow::schema({arrow::field("day", arrow::date32()), arrow::field("shop", arrow::utf8())}),
        int64_t(days.size()), {*times.Finish(), *shops.Finish()});
  }

  static constexpr int32_t kFirstOfFebruary = 19754;
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::unique_ptr<Session> session_;
};

TEST_F(Gap, IsSeenBehindKeptRowsOfTheSameSeries) {
  const Scorer model = Model();
  const auto look = [&](const std::vector<int32_t>& days, const char* shop = "a") {
    EXPECT_TRUE(model.Score(*Request(days, shop)).ok());
    return model.gap();
  };
  EXPECT_FALSE(look({kFirstOfFebruary + 1, kFirstOfFebruary}));
  EXPECT_FALSE(look({kFirstOfFebruary + 9}, "b"));
  const auto said = look({kFirstOfFebruary + 6, kFirstOfFebruary + 5});
  ASSERT_TRUE(said);
  EXPECT_THAT(*said, HasSubstr("the model keeps rows up to 2024-01-31"));
  EXPECT_THAT(*said, HasSubstr("a request begins on 2024-02-06"));
  EXPECT_EQ(look({kFirstOfFebruary + 20}), said);
}

TEST_F(Gap, IsClosedByNewerRows) {
  const Scorer model = Model();
  ASSERT_TRUE(model.Score(*Request({kFirstOfFebruary + 5})).ok());
  ASSERT_TRUE(model.gap());
  const Scorer newer = model.WithNewerRows(*Request({kFirstOfFebruary + 4})).ValueOrDie();
  ASSERT_TRUE(newer.Score(*Request({kFirstOfFebruary + 5})).ok());
  EXPECT_FALSE(newer.gap());
}

}  // namespace
}  // namespace protium
