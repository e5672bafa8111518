// SPDX-License-Identifier: Apache-2.0
#include "stream/engine_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/fault.h"
#include "os/file.h"
#include "os/temporary_folder.h"
#include "stream/engine_stream.h"

namespace protium {
namespace {

using testing::Contains;
using testing::HasSubstr;

JobFile StreamOnSpark() {
  JobFile job;
  job.name = "live";
  job.engine.address = "sc://host";
  job.stream.emplace();
  job.stream->source.folder = "in";
  job.stream->source.pattern = "*.csv";
  job.stream->sink.folder = "out";
  job.stream->model = "tag:live";
  return job;
}

struct Case {
  const char* where;
  std::function<void(JobFile&)> change;
};

TEST(EngineLimits, RefuseByNameWhatOnlyStreamsHereDo) {
  EXPECT_TRUE(CheckEngineStream(StreamOnSpark()).ok());
  const std::vector<Case> cases = {
      {"stream.sink.delivery", [](JobFile& job) { job.stream->sink.kafka = "broker:9092"; }},
      {"stream.sink", [](JobFile& job) { job.stream->sink.sqlite = "shop.db"; }},
      {"stream.source", [](JobFile& job) { job.stream->source.pattern = "*.arrow"; }},
      {"stream.source", [](JobFile& job) { job.stream->source.pattern = "*.csv.zst"; }},
      {"stream.sink.format", [](JobFile& job) { job.stream->sink.format = "arrow"; }},
      {"stream.source.after", [](JobFile& job) { job.stream->source.after = ReadFiles::kDelete; }},
      {"stream.source", [](JobFile& job) { job.stream->source.csv.trim = true; }},
      {"stream.source.header", [](JobFile& job) { job.stream->source.csv.header = false; }},
      {"stream.shadow", [](JobFile& job) { job.stream->shadow = "tag:next"; }},
      {"stream.window", [](JobFile& job) { job.stream->window.emplace(); }},
      {"stream.join", [](JobFile& job) { job.stream->join.emplace(); }},
      {"stream.train", [](JobFile& job) { job.stream->train.emplace(); }},
      {"stream.rate", [](JobFile& job) { job.stream->rate = 10; }},
      {"stream.new_columns", [](JobFile& job) { job.stream->new_columns = NewColumns::kDead; }},
      {"stream.batch.rows", [](JobFile& job) { job.stream->batch.rows = 10; }},
      {"stream.source.pattern", [](JobFile& job) { job.stream->source.pattern = "*"; }},
      {"stream.source.pattern", [](JobFile& job) { job.stream->source.pattern = "{a,b}.csv"; }},
      {"tables.shops", [](JobFile& job) {
         JobTableOrPath table;
         table.sqlite = "shops.db";
         job.tables.all.emplace_back("shops", table);
       }}};
  for (const Case& each : cases) {
    JobFile job = StreamOnSpark();
    each.change(job);
    const Status refused = CheckEngineStream(job);
    ASSERT_FALSE(refused.ok()) << each.where;
    EXPECT_EQ(FaultOf(refused).where, each.where);
    EXPECT_EQ(FaultOf(refused).exit, Exit::kUsage);
    EXPECT_THAT(FaultOf(refused).what, HasSubstr("on Spark"));
  }
}

TEST(EngineLimits, AreOthersForTopics) {
  JobFile job = StreamOnSpark();
  job.stream->source = {.kafka = "broker:9092", .topic = "in"};
  job.stream->sink = {.kafka = "broker:9092", .topic = "out", .delivery = Delivery::kAtLeastOnce};
  job.stream->batch.rows = 10;
  EXPECT_TRUE(CheckEngineStream(job).ok()) << CheckEngineStream(job).ToString();
  EXPECT_THAT(EnginePromises(job), Contains(HasSubstr("at least once in the topic out")));
  EXPECT_THAT(EnginePromises(job), Contains("batches are 10 messages at most"));
  const std::vector<Case> cases = {
      {"stream.source.format", [](JobFile& job) { job.stream->source.format = "csv"; }},
      {"stream.source.format", [](JobFile& job) { job.stream->source.format = "avro"; }},
      {"stream.source.divided", [](JobFile& job) { job.stream->source.divided = true; }},
      {"stream.source.settings",
       [](JobFile& job) {
         job.stream->source.settings = {{"security.protocol", "ssl"}};
       }},
      {"stream.sink.format", [](JobFile& job) { job.stream->sink.format = "csv"; }}};
  for (const Case& each : cases) {
    JobFile other = job;
    each.change(other);
    EXPECT_EQ(FaultOf(CheckEngineStream(other)).where, each.where);
  }
}

TEST(EngineLimits, AreThoseOfEnginesOfOtherMachines) {
  JobFile job = StreamOnSpark();
  EXPECT_TRUE(EngineRunsStream(job));
  job.engine.address = "local[2]";
  EXPECT_FALSE(EngineRunsStream(job));
}

TEST(EngineLimits, AStreamStaysOnTheEngineThatBeganIt) {
  const TemporaryFolder folder = *TemporaryFolder::Make();
  const JobFile there = StreamOnSpark();
  JobFile here = there;
  here.engine.address = "local";
  EXPECT_TRUE(CheckSameEngine(there, folder.path()).ok());
  EXPECT_TRUE(CheckSameEngine(here, folder.path()).ok());
  ASSERT_TRUE(MakeFolder(folder.path() / kCheckpointFolder).ok());
  EXPECT_TRUE(CheckSameEngine(there, folder.path()).ok());
  EXPECT_THAT(FaultOf(CheckSameEngine(here, folder.path())).what, HasSubstr("begun on Spark"));
  ASSERT_TRUE(WriteFile(folder.path() / "log.jsonl", "").ok());
  EXPECT_THAT(FaultOf(CheckSameEngine(there, folder.path())).what,
              HasSubstr("begun without Spark"));
}

}  // namespace
}  // namespace protium
