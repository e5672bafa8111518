// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/task_init.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/fault.h"
#include "spark_worker/testing/test_executor.h"
#include "spark_worker/testing/test_tasks.h"

namespace protium {
namespace {

using testing::HasSubstr;

TaskInit BarrierTask(Family family) {
  return {.family = family,
          .partition = 1,
          .version = FormatVersion(family),
          .barrier = true,
          .barrier_address = {.port = 4711, .secret = "s3cret"},
          .stage = 5,
          .attempt = 2,
          .task_attempt_id = int64_t{1} << 40,
          .cpus = 4,
          .resources = {{"gpu", {.name = "gpu", .addresses = {"0", "3"}}}},
          .properties = {{"addresses", "a:1,b:2"}, {"spark.x", "ü"}},
          .files_folder = "/files",
          .includes = {"a.zip"},
          .settings = {{"spark.sql.session.timeZone", "UTC"}},
          .command = "bytes"};
}

class Header : public testing::TestWithParam<Family> {};
INSTANTIATE_TEST_SUITE_P(All, Header,
                         testing::Values(Family::kA, Family::kB, Family::kC, Family::kD),
                         [](const auto& info) {
                           return std::string(1, char('A' + int(info.param)));
                         });

TEST_P(Header, IsReadAsItWasWritten) {
  const TaskInit task = BarrierTask(GetParam());
  const std::string bytes = RawHeaderBytes(task) + "rows";
  MemorySource source(bytes);
  const auto read = ReadHeader(source);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(source.left(), "rows");
  EXPECT_EQ(read->family, task.family);
  EXPECT_EQ(read->partition, 1);
  EXPECT_TRUE(read->barrier);
  EXPECT_EQ(read->barrier_address.port, 4711);
  EXPECT_EQ(read->barrier_address.secret, "s3cret");
  EXPECT_EQ(read->stage, 5);
  EXPECT_EQ(read->attempt, 2);
  EXPECT_EQ(read->task_attempt_id, int64_t{1} << 40);
  EXPECT_EQ(read->cpus, 4);
  EXPECT_EQ(read->resources.at("gpu").addresses, task.resources.at("gpu").addresses);
  EXPECT_EQ(read->properties, task.properties);
  EXPECT_EQ(read->files_folder, "/files");
  EXPECT_EQ(read->includes, task.includes);
  EXPECT_EQ(read->settings, task.settings);
  EXPECT_EQ(read->command, "bytes");
}

TEST_P(Header, OfAUnixSocketHasAPath) {
  if (GetParam() == Family::kA) return;  // Spark 4.0 has no Unix sockets.
  TaskInit task = BarrierTask(GetParam());
  task.barrier_address = {.path = "/tmp/a.sock"};
  const std::string bytes = RawHeaderBytes(task);
  MemorySource source(bytes);
  const auto read = ReadHeader(source);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->barrier_address.path, "/tmp/a.sock");
}

TEST_P(Header, CutAnywhereIsRefused) {
  const std::string bytes = RawHeaderBytes(BarrierTask(GetParam()));
  for (size_t end = 0; end < bytes.size(); ++end) {
    MemorySource source(std::string_view(bytes).substr(0, end));
    EXPECT_FALSE(ReadHeader(source).ok()) << end;
  }
}

// Some bytes, then endless zeros.
class LongSource : public ByteSource {
 public:
  explicit LongSource(std::string_view bytes) : bytes_(bytes) {}
  Status Read(void* into, int64_t bytes) override {
    const std::string_view part = bytes_.substr(0, static_cast<size_t>(bytes));
    char* const to = static_cast<char*>(into);
    std::fill(std::copy(part.begin(), part.end(), to), to + bytes, '\0');
    bytes_.remove_prefix(part.size());
    taken_ += bytes;
    return Status::OK();
  }
  int64_t taken() const { return taken_; }

 private:
  std::string_view bytes_;
  int64_t taken_ = 0;
};

void PutInt(std::string& bytes, size_t at, int64_t number) {
  for (int i = 0; i < 4; ++i) bytes[at + size_t(i)] = static_cast<char>(number >> (24 - 8 * i));
}

// The bytes before a command of such a size that the header, without its frame, takes `bytes`.
std::string MakeHeader(Family family, int64_t bytes) {
  TaskInit task = BarrierTask(family);
  std::string header = RawHeaderBytes(task);
  const bool framed = family == Family::kD;
  const int64_t rest = static_cast<int64_t>(header.size() - task.command.size()) - (framed ? 8 : 4);
  header.resize(header.rfind(task.command));
  PutInt(header, header.size() - 4, bytes - rest);
  if (framed) PutInt(header, 4, bytes);
  return header;
}

TEST_P(Header, Of64MebibytesPassesAndNotOneMore) {
  const std::string largest = MakeHeader(GetParam(), kMaxHeaderBytes).substr(4);
  LongSource source(largest);
  const int32_t first = GetParam() == Family::kD ? -8 : 1;
  const auto read = ReadTaskInit(first, source);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(source.taken(), kMaxHeaderBytes + (GetParam() == Family::kD ? 4 : 0));
  const std::string larger = MakeHeader(GetParam(), kMaxHeaderBytes + 1).substr(4);
  LongSource too_much(larger);
  const Status status = ReadTaskInit(first, too_much).status();
  EXPECT_THAT(status.message(), HasSubstr("is malformed")) << status;
  EXPECT_LT(too_much.taken(), kMaxHeaderBytes);
}

TEST_P(Header, WithBroadcastsIsRefused) {
  TaskInit task = BarrierTask(GetParam());
  task.includes.clear();
  std::string bytes = RawHeaderBytes(task);
  // After the folder: no includes, no server of broadcasts, and then their number.
  const size_t at = bytes.find("/files") + 6 + 4 + 1;
  bytes.replace(at, 4, std::string("\0\0\0\1", 4));
  bytes.insert(at + 4, std::string("\0\0\0\0\0\0\0\7", 8));
  if (GetParam() == Family::kD) {
    PutInt(bytes, 4, static_cast<int64_t>(bytes.size()) - 8);
  }
  MemorySource source(bytes);
  EXPECT_THAT(ReadHeader(source).status().message(), HasSubstr("broadcast variable 7"));
}

TEST_P(Header, OfTwoPartitionsIsRefused) {
  TaskInit task = BarrierTask(GetParam());
  std::string bytes = RawHeaderBytes(task);
  bytes[GetParam() == Family::kD ? 11 : 3] = 9;
  MemorySource source(bytes);
  EXPECT_THAT(ReadHeader(source).status().message(), HasSubstr("two partitions: 9 and 1"));
}

TEST(FindFamily, NamesBothVersionsWhenItIsUnknown) {
  for (const char* version : {"protium 0.1.0;spark=4.4.0", "protium 0.1.0;spark=5.0.0", "3.11",
                              "protium 0.1.0;spark=4.-1", "protium 0.1.0;spark=4.2x", ""}) {
    const Fault fault = FaultOf(FindFamily(version).status());
    EXPECT_EQ(fault.exit, Exit::kEnvironment);
    EXPECT_THAT(fault.what, HasSubstr(std::string("\"") + version + "\"")) << version;
    EXPECT_THAT(fault.what, HasSubstr("Spark 4.0 to 4.3")) << version;
  }
  EXPECT_EQ(FindFamily("protium 0.1.0;spark=4.3.0-SNAPSHOT").ValueOrDie(), Family::kD);
}

TEST(Header, OfAnotherFamilyThanItsFrameSaysIsRefused) {
  TaskInit task = BarrierTask(Family::kD);
  task.version = FormatVersion(Family::kC);
  const std::string framed = RawHeaderBytes(task);
  MemorySource source(framed);
  EXPECT_THAT(ReadHeader(source).status().message(), HasSubstr("with a frame"));
  const std::string bare = framed.substr(8);
  std::string other = bare;
  other.replace(other.find("spark=4.2"), 9, "spark=4.3");
  MemorySource without(other);
  EXPECT_THAT(ReadHeader(without).status().message(), HasSubstr("without a frame"));
}

}  // namespace
}  // namespace protium
