// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/barrier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/fault.h"
#include "spark_worker/testing/test_barrier.h"

namespace protium {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

std::string Int(int32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(number >> shift));
  return bytes;
}

std::string Text(const std::string& text) { return Int(int32_t(text.size())) + text; }

class Barrier : public testing::TestWithParam<TestBarrier::Kind> {};
INSTANTIATE_TEST_SUITE_P(All, Barrier,
                         testing::Values(TestBarrier::Kind::kTcp, TestBarrier::Kind::kUnix));

TEST_P(Barrier, GathersTheTextsOfAllTasks) {
  const TestBarrier server(GetParam(), 3);
  std::vector<Result<std::vector<std::string>>> all(3, Status::Invalid("not called"));
  std::vector<Status> waits(3);
  {
    std::vector<std::jthread> tasks;
    for (size_t i = 0; i < 3; ++i) {
      tasks.emplace_back([&, i] {
        const BarrierClient client(server.address());
        all[i] = client.AllGather("task " + std::to_string(i), Clock::now() + 20s);
        waits[i] = client.Barrier(Clock::now() + 20s);
      });
    }
  }
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(all[i].ok()) << all[i].status();
    EXPECT_THAT(*all[i], ElementsAre("task 0", "task 1", "task 2"));
    EXPECT_TRUE(waits[i].ok()) << waits[i];
  }
}

TEST_P(Barrier, TellsWhySparkRefuses) {
  TestBarrier server(GetParam(), 1);
  server.AnswerWith(Text("Different barrier sync types found"));
  const Fault fault = FaultOf(BarrierClient(server.address()).Barrier(Clock::now() + 20s));
  EXPECT_EQ(fault.exit, Exit::kRemote);
  EXPECT_THAT(fault.why, HasSubstr("Different barrier sync types"));
}

TEST_P(Barrier, DoesNotWaitForTheOthersForEver) {
  const TestBarrier server(GetParam(), 2);
  const Fault fault = FaultOf(BarrierClient(server.address()).Barrier(Clock::now() + 50ms));
  EXPECT_EQ(fault.exit, Exit::kStalled);
  EXPECT_THAT(fault.what, HasSubstr("the stage's other tasks"));
}

TEST_P(Barrier, DoesNotWaitForTheOthersOnceItIsToStop) {
  const TestBarrier server(GetParam(), 2);
  std::stop_source stop;
  const std::jthread stopping([&] { stop.request_stop(); });
  const BarrierClient client(server.address(), stop.get_token());
  EXPECT_EQ(FaultOf(client.Barrier(Clock::now() + 60s)).exit, Exit::kStopped);
}

TEST(Barrier, OfAnotherSecretIsRefused) {
  const TestBarrier server(TestBarrier::Kind::kTcp, 1);
  BarrierAddress address = server.address();
  address.secret = "another";
  const Status status = BarrierClient(address).Barrier(Clock::now() + 20s);
  EXPECT_THAT(status.message(), HasSubstr("refused"));
  EXPECT_THAT(FaultOf(status).why, testing::Not(HasSubstr("another")));
}

TEST(BarrierAnswer, IsTextsOnlyWhenTheyFillItExactly) {
  EXPECT_THAT(*ReadBarrierAnswer(Int(2) + Text("a") + Text("")), ElementsAre("a", ""));
  for (const std::string& bytes :
       {std::string(), Int(2) + Text("a"), Int(1) + Text("a") + "b", Int(-1), Int(1 << 30), Int(0),
        std::string("\0", 1), Int(1) + Int(-5)}) {
    EXPECT_FALSE(ReadBarrierAnswer(bytes).ok());
  }
}

}  // namespace
}  // namespace protium
