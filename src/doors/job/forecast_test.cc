// SPDX-License-Identifier: Apache-2.0
#include "job/forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/file.h"
#include "run/folder.h"

namespace protium {
namespace {

using testing::HasSubstr;
using testing::Not;

class Forecasts : public testing::Test {
 protected:
  static Json Settings(int epochs, int batch) {
    return Json::array({{{"key", "train.epochs"}, {"value", epochs}},
                        {{"key", "train.batch_size"}, {"value", batch}}});
  }
  // Makes a finished run of 2 of 10 epochs over a table of 100 bytes, with this added to its
  // result.
  void MakeRun(const Json& seconds = {{"total", 10}, {"etl", 2}, {"train", 5}},
               const Json& search = Json()) const {
    const auto run = RunFolder::Create(runs(), "shop", {"protium"}).ValueOrDie();
    const std::string table = (runs() / "t.csv").string();
    Write(table, std::string(100, '\n'));
    const Json inputs = Json::array({{{"path", table}, {"bytes", 100}}});
    Write(run->path() / "inputs.json", Dump(inputs));
    Write(run->path() / "job.json", Dump({{"settings", Settings(10, 64)}}));
    Json result = {{"seconds", seconds},
                   {"history", Json::array({{{"seconds", 1.25}}, {{"seconds", 2.5}}})},
                   {"workers", 2},
                   {"memory", {{"driver_bytes", 3e8}, {"worker_bytes", 4e8}}}};
    if (!search.is_null()) result["search"] = search;
    Write(run->path() / "result.json", Dump(result));
    ASSERT_TRUE(run->Finish(RunState::kDone).ok());
  }
  static void Write(const std::filesystem::path& file, const std::string& text) {
    ASSERT_TRUE(WriteFile(file, text).ok());
  }
  std::filesystem::path runs() const { return folder_.path(); }
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(Forecasts, AreAsTheLatestRunWas) {
  MakeRun();
  const Json forecast = Forecast(runs(), "shop", Settings(10, 64), Json::object());
  EXPECT_EQ(forecast["seconds"]["total"], 10.0);
  const std::string text = ForecastText(forecast, 200);
  EXPECT_THAT(text, HasSubstr("time    about 10 s: etl 2.0 s, train 5.0 s, by the run shop-"));
  EXPECT_THAT(text,
              HasSubstr("memory  about 286 MiB in this process, 381 MiB in each of 2 workers"));
  EXPECT_THAT(text, Not(HasSubstr("then with another")));
}

TEST_F(Forecasts, GrowWithEpochsAndTables) {
  MakeRun();
  Write(runs() / "t.csv", std::string(200, '\n'));
  const Json forecast = Forecast(runs(), "shop", Settings(20, 32), Json::object());
  EXPECT_EQ(forecast["seconds"]["etl"], 4.0);
  EXPECT_EQ(forecast["seconds"]["train"], 52.5);  // 2.5 s of startup, then 1.25 s per epoch.
  EXPECT_EQ(forecast["seconds"]["total"], 59.5);  // Plus 3 s.
  const std::string text = ForecastText(forecast, 200);
  EXPECT_THAT(text, HasSubstr("at most 60 s"));
  EXPECT_THAT(text, HasSubstr("its tables are 2 times as large now; then with another "
                              "train.batch_size"));
}

TEST_F(Forecasts, GrowWithTheFitsOfASearch) {
  MakeRun({{"total", 30}, {"etl", 2}, {"search", 20}, {"train", 5}}, {{"fits", 12}});
  const auto seconds = [&](const Json& plan) {
    return Forecast(runs(), "shop", Settings(10, 64), plan)["seconds"];
  };
  const Json more = seconds({{"search", {{"fits", 48}, {"parallel", 2}}}});
  EXPECT_EQ(more["search"], 80.0);
  EXPECT_EQ(seconds({{"search", {{"fits", 48}, {"seconds", 50}}}})["search"], 50.0);
  EXPECT_EQ(more["total"], 90.0);
  const Json none = seconds(Json::object());
  EXPECT_FALSE(none.contains("search"));
  EXPECT_EQ(none["total"], 10.0);
}

TEST_F(Forecasts, OfASearchFollowFromARunWithoutOne) {
  MakeRun();
  const Json plan = {{"search", {{"fits", 12}, {"parallel", 2}}}};
  const Json forecast = Forecast(runs(), "shop", Settings(10, 64), plan);
  EXPECT_EQ(forecast["seconds"]["search"], 30.0);  // 12 of 5 s, two at a time.
  EXPECT_EQ(forecast["seconds"]["total"], 40.0);
  EXPECT_THAT(ForecastText(forecast, 200), HasSubstr("about 40 s: etl 2.0 s, search 30 s"));
}

TEST_F(Forecasts, WithoutARunKnowSizesAlone) {
  const Json plan = {{"training", {{"workers", 1}, {"row_bytes", 60}}},
                     {"tables", Json::array({{{"table", "a"}, {"rows", 1000}}})}};
  const Json forecast = Forecast(runs(), "shop", Settings(10, 64), plan);
  EXPECT_EQ(forecast["memory"]["rows_bytes"], 100'000);
  const std::string text = ForecastText(forecast, 200);
  EXPECT_THAT(text, HasSubstr("time    unknown until this job has run once"));
  EXPECT_THAT(text,
              HasSubstr("97.7 KiB for the rows of all workers, if the SQL returns 1,000 rows"));
  EXPECT_TRUE(Forecast(runs(), "shop", Settings(10, 64), Json::object()).empty());
}

}  // namespace
}  // namespace protium
