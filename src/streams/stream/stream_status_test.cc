// SPDX-License-Identifier: Apache-2.0
#include "stream/stream_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/temporary_folder.h"

namespace protium {

using testing::HasSubstr;
using testing::Not;

TEST(StreamStatus, IsThereForPeopleProgramsAndPrometheus) {
  const TemporaryFolder scratch = *TemporaryFolder::Make();
  const std::filesystem::path folder = scratch.path() / "a \"b\"";
  std::filesystem::create_directory(folder);
  EXPECT_FALSE(ReadStreamStatus(folder).ok());
  StreamStatus status(folder, folder.filename().string());
  EXPECT_TRUE(status.due());
  const auto began = std::chrono::steady_clock::now() - std::chrono::milliseconds(80);
  for (int64_t i = 0; i < 3; ++i) status.Wrote(1000, {}, began);
  status.Show("failed", {.batches = 3, .rows = 3000, .dead = 1}, {.waiting = 2, .unit = "files"},
              "the disk is full");
  EXPECT_FALSE(status.due());
  const Json read = *ReadStreamStatus(folder);
  EXPECT_EQ(read["rows"], 3000);
  EXPECT_GE(read["latency_ms"]["p50"], 80);
  const std::string text = StreamStatusText(read);
  EXPECT_THAT(text, HasSubstr("3,000 in 3 batches, 1 dead letter\n"));
  EXPECT_THAT(text, HasSubstr("the disk is full"));
  const std::string metrics = StreamMetrics("a \"b\"", read);
  EXPECT_THAT(metrics, HasSubstr("# TYPE protium_stream_rows_total counter\n"
                                 "protium_stream_rows_total{stream=\"a \\\"b\\\"\"} 3000\n"));
  EXPECT_THAT(metrics, HasSubstr("protium_stream_running{stream=\"a \\\"b\\\"\"} 0\n"));
}

TEST(StreamStatus, SaysWhatAnEngineDoesAndWhatNobodyCounted) {
  const TemporaryFolder folder = *TemporaryFolder::Make();
  StreamStatus status(folder.path(), "live");
  status.Engine({{"address", "sc://host"}, {"doing", "Waiting for data"}, {"counted", 2}});
  status.Show("running", {.batches = 5, .rows = 300}, {.unit = "files"});
  const Json read = *ReadStreamStatus(folder.path());
  EXPECT_THAT(StreamMetrics("live", read), HasSubstr("protium_stream_batch_p50_seconds{"));
  EXPECT_THAT(StreamMetrics("live", read), Not(HasSubstr("waiting")));
  const std::string text = StreamStatusText(read);
  EXPECT_THAT(text, HasSubstr("rows      300 in 2 batches; those of 3 more were not counted\n"));
  EXPECT_THAT(text, HasSubstr("engine    sc://host: Waiting for data\n"));
  EXPECT_THAT(text, HasSubstr("of a batch\n"));
}

TEST(StreamStatus, SaysThatAProcessIsGone) {
  const TemporaryFolder folder = *TemporaryFolder::Make();
  StreamStatus(folder.path(), "live").Show("running", {}, {});
  EXPECT_EQ((*ReadStreamStatus(folder.path()))["state"], "cut off");
}

}  // namespace protium
