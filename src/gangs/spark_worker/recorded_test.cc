// SPDX-License-Identifier: Apache-2.0
// What Spark's releases sent and accepted, byte by byte. The commands in the recordings are those
// of another worker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <thread>

#include "base/json.h"
#include "os/file.h"
#include "os/socket.h"
#include "spark_worker/barrier.h"
#include "spark_worker/marks.h"
#include "spark_worker/testing/test_executor.h"
#include "spark_worker/wire_input.h"

namespace protium {
namespace {

using testing::HasSubstr;

struct Recording {
  std::string name;  // Without endings.
  Family family;
  size_t header_end = 0;  // In `in`.
  std::string in, out;    // From the task on, without the handshake before it.
};

Recording Load(const std::filesystem::path& facts) {
  const auto json = ParseJson(ReadFile(facts).ValueOrDie()).ValueOrDie();
  const std::string stem = (facts.parent_path() / facts.stem()).string();
  const auto skip_in = json["handshake_in"].get<size_t>();
  const auto skip_out = json["handshake_out"].get<size_t>();
  return {.name = facts.parent_path().filename().string() + "/" + facts.stem().string(),
          .family = static_cast<Family>(json["family"].get<std::string>()[0] - 'A'),
          .header_end = json["header_end"].get<size_t>() - skip_in,
          .in = ReadFile(stem + ".in.bin").ValueOrDie().substr(skip_in),
          .out = ReadFile(stem + ".out.bin").ValueOrDie().substr(skip_out)};
}

std::vector<Recording> Recordings() {
  std::vector<Recording> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(PROTIUM_SPARK_FIXTURES)) {
    if (entry.path().extension() == ".json") all.push_back(Load(entry.path()));
  }
  return all;
}

// A connection on which `bytes` have arrived and no more will.
std::unique_ptr<ExecutorWire> MakeWire(const std::string& bytes) {
  auto [near, far] = SocketPair().ValueOrDie();
  auto sending = ExecutorWire::Make(std::move(far)).ValueOrDie();
  EXPECT_TRUE(sending->Write(bytes.data(), static_cast<int64_t>(bytes.size())).ok());
  EXPECT_TRUE(sending->Flush().ok());
  return ExecutorWire::Make(std::move(near)).ValueOrDie();
}

TEST(Recorded, HeadersAreReadToTheirLastByte) {
  const auto all = Recordings();
  EXPECT_GE(all.size(), 40u);
  for (const Recording& each : all) {
    SCOPED_TRACE(each.name);
    MemorySource source(each.in);
    const auto init = ReadHeader(source);
    ASSERT_TRUE(init.ok()) << init.status();
    EXPECT_EQ(init->family, each.family);
    EXPECT_EQ(each.in.size() - source.left().size(), each.header_end);
    EXPECT_EQ(init->barrier, each.name.find("barrier") != std::string::npos);
    EXPECT_EQ(init->resources.contains("gpu"), each.name.find("gpu") != std::string::npos);
    EXPECT_EQ(init->barrier && each.name.find("uds") != std::string::npos,
              !init->barrier_address.path.empty());
    EXPECT_EQ(init->settings.at("spark.sql.session.timeZone").empty(), false);
  }
}

TEST(Recorded, RowsAreReadToTheirLastByte) {
  for (const Recording& each : Recordings()) {
    SCOPED_TRACE(each.name);
    const auto wire = MakeWire(each.in.substr(each.header_end));
    const auto input = WireInput::Open(*wire);
    ASSERT_TRUE(input.ok()) << input.status();
    const auto rows = Collect(**input);
    ASSERT_TRUE(rows.ok()) << rows.status();
    if (each.name.find("identity-3rows") != std::string::npos) {
      ASSERT_EQ(rows->size(), 1u);
      EXPECT_EQ((*rows)[0]->num_rows(), 3);
      EXPECT_EQ((*input)->schema()->field(3)->type()->id(), arrow::Type::TIMESTAMP);
      EXPECT_EQ((*rows)[0]->column(1)->null_count(), 1);
    }
    EXPECT_EQ(wire->ReadInt().ValueOrDie(), kEndOfTask);
    EXPECT_FALSE(wire->Begin().ValueOrDie());
  }
}

TEST(Recorded, AnswersAreWhatASparkOfThatReleaseTakes) {
  for (const Recording& each : Recordings()) {
    SCOPED_TRACE(each.name);
    const auto wire = MakeWire(each.out);
    const auto answer = ReadAnswer(*wire, each.family);
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->times.size(), each.family < Family::kC ? 5u : 6u);
    EXPECT_THAT(answer->last, testing::AnyOf(kEndOfTask, kEndOfData));
    EXPECT_FALSE(wire->Begin().ValueOrDie());
  }
}

TEST(Recorded, BarrierAnswersAreUnderstood) {
  int seen = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(PROTIUM_SPARK_FIXTURES)) {
    const std::string name = entry.path().string();
    const bool gathered = name.ends_with(".barrier0.in.bin");
    if (!gathered && !name.ends_with(".barrier1.in.bin")) continue;
    SCOPED_TRACE(name);
    ++seen;
    std::string bytes = ReadFile(entry.path()).ValueOrDie();
    const std::string greeting("\0\0\0\2ok", 6);
    if (name.find("uds-") == std::string::npos) {
      ASSERT_TRUE(bytes.starts_with(greeting));
      bytes = bytes.substr(greeting.size());
    }
    const auto texts = ReadBarrierAnswer(bytes);
    ASSERT_TRUE(texts.ok()) << texts.status();
    if (gathered) {
      EXPECT_EQ(texts->size(), 2u);
    } else {
      EXPECT_EQ(*texts, std::vector<std::string>{"success"});
    }
  }
  EXPECT_GE(seen, 20);
}

TEST(Recorded, AWorkerOfOursRefusesTheirCommandsInGoodOrder) {
  for (const Recording& each : Recordings()) {
    if (each.name.find("/identity-3rows.p0") == std::string::npos) continue;
    SCOPED_TRACE(each.name);
    const auto worker = TestWorker::Start();
    const Answer answer = worker->Exchange(each.in, each.family);
    EXPECT_THAT(answer.error, HasSubstr("not a command of protium"));
    EXPECT_EQ(worker->End().code, 1);
  }
}

// Bytes as an attacker or another release might send them: the result is always an error or a
// reply, soon, and within the memory that the bytes themselves justify.
TEST(Recorded, DamagedBytesEndInErrors) {
  const auto all = Recordings();
  std::mt19937_64 random(20261121);
  const auto until = Clock::now() + std::chrono::seconds(8);
  int refused = 0;
  int tried = 0;
  for (; tried < 4000 && Clock::now() < until; ++tried) {
    const Recording& each = all[random() % all.size()];
    std::string bytes = each.in;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < changes; ++i) {
      const bool early = random() % 2 == 0;
      const size_t at = random() % (early ? std::min<size_t>(bytes.size(), 200) : bytes.size());
      bytes[at] = random() % 3 == 0 ? '\xff' : static_cast<char>(random());
    }
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    MemorySource source(bytes);
    const auto init = ReadHeader(source);
    if (!init.ok()) {
      ++refused;
      continue;
    }
    const auto wire = MakeWire(std::string(source.left()));
    wire->WaitUntil(Clock::now() + std::chrono::seconds(5));
    const auto input = WireInput::Open(*wire);
    if (!input.ok() || !Collect(**input).ok()) ++refused;
  }
  EXPECT_GE(tried, 500);
  EXPECT_GE(refused, tried / 20);
}

}  // namespace
}  // namespace protium
