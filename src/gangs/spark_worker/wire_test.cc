// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/fault.h"
#include "os/socket.h"

namespace protium {
namespace {

using namespace std::chrono_literals;

class WireTest : public testing::Test {
 protected:
  WireTest() {
    auto [near, far] = SocketPair().ValueOrDie();
    near_ = ExecutorWire::Make(std::move(near)).ValueOrDie();
    far_ = ExecutorWire::Make(std::move(far)).ValueOrDie();
  }
  std::unique_ptr<ExecutorWire> near_, far_;
};

TEST_F(WireTest, NumbersAndTextsAreBigEndian) {
  ASSERT_TRUE(near_->WriteInt(-2).ok());
  ASSERT_TRUE(near_->WriteLong(0x0102030405060708).ok());
  ASSERT_TRUE(near_->WriteText("ab").ok());
  ASSERT_TRUE(near_->Flush().ok());
  std::string bytes(18, '\0');
  ASSERT_TRUE(far_->Read(bytes.data(), 18).ok());
  EXPECT_EQ(bytes, std::string("\xff\xff\xff\xfe\1\2\3\4\5\6\7\x8\0\0\0\2ab", 18));
}

TEST_F(WireTest, LongAndShortReadsFollowEachOther) {
  std::string sent(3'000'000, '\0');
  for (size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 7);
  const std::jthread sending([&] {
    EXPECT_TRUE(near_->Write(sent.data(), static_cast<int64_t>(sent.size())).ok());
    EXPECT_TRUE(near_->WriteInt(77).ok());
    EXPECT_TRUE(near_->Flush().ok());
  });
  std::string read(sent.size(), '\0');
  int64_t at = 0;
  for (const int64_t part : {5, 70'000, 1, 65'536, 2'000'000, 864'458}) {
    ASSERT_TRUE(far_->Read(read.data() + at, part).ok());
    at += part;
  }
  ASSERT_EQ(at, static_cast<int64_t>(sent.size()));
  EXPECT_EQ(read, sent);
  EXPECT_EQ(far_->ReadInt().ValueOrDie(), 77);
}

TEST_F(WireTest, AReadThatComesTooLateFails) {
  ASSERT_TRUE(near_->Write("abc", 3).ok());
  ASSERT_TRUE(near_->Flush().ok());
  far_->WaitUntil(Clock::now() + 20ms);
  EXPECT_EQ(FaultOf(far_->ReadInt().status()).exit, Exit::kStalled);
  EXPECT_FALSE(far_->closed());
}

TEST_F(WireTest, AnEndInTheMiddleIsTold) {
  ASSERT_TRUE(near_->Write("abc", 3).ok());
  ASSERT_TRUE(near_->Flush().ok());
  near_.reset();
  EXPECT_TRUE(far_->Begin().ValueOrDie());
  EXPECT_EQ(FaultOf(far_->ReadInt().status()).exit, Exit::kRemote);
  EXPECT_TRUE(far_->closed());
  EXPECT_FALSE(far_->Begin().ValueOrDie());
}

TEST_F(WireTest, AnInterruptEndsReadsUntilResumed) {
  {
    const std::jthread stopping([&] { far_->Interrupt(); });
    EXPECT_EQ(FaultOf(far_->ReadInt().status()).exit, Exit::kStopped);
  }
  EXPECT_EQ(FaultOf(far_->ReadInt().status()).exit, Exit::kStopped);
  far_->Resume();
  ASSERT_TRUE(near_->WriteInt(5).ok());
  ASSERT_TRUE(near_->Flush().ok());
  EXPECT_EQ(far_->ReadInt().ValueOrDie(), 5);
}

TEST_F(WireTest, AnInterruptedWriterStillSaysItsLastWord) {
  near_->Interrupt();
  std::string sent(2'000'000, 'x');
  const std::jthread reading([&] {
    std::string read(sent.size(), '\0');
    EXPECT_TRUE(far_->Read(read.data(), static_cast<int64_t>(read.size())).ok());
  });
  EXPECT_TRUE(near_->Write(sent.data(), static_cast<int64_t>(sent.size())).ok());
  EXPECT_TRUE(near_->Flush().ok());
}

TEST_F(WireTest, PartsOfEverySizeArriveInOrderFromWhereverTheyLie) {
  std::string all;
  std::vector<std::string> parts;
  for (const size_t size : {0, 1, 4095, 4096, 300'000, 3, 700'000, 5000, 2}) {
    parts.emplace_back(size, static_cast<char>('a' + parts.size()));
    all += parts.back();
  }
  const std::jthread writing([&] {
    for (const std::string& part : parts) {
      EXPECT_TRUE(near_->WriteInPlace(part.data(), static_cast<int64_t>(part.size())).ok());
    }
    EXPECT_TRUE(near_->Flush().ok());
  });
  std::string read(all.size(), '\0');
  ASSERT_TRUE(far_->Read(read.data(), static_cast<int64_t>(read.size())).ok());
  EXPECT_TRUE(read == all);
}

TEST_F(WireTest, WritingToWhoIsGoneIsNoSignal) {
  far_.reset();
  ASSERT_TRUE(near_->WriteInt(1).ok());
  EXPECT_EQ(FaultOf(near_->Flush()).exit, Exit::kRemote);
  EXPECT_TRUE(near_->closed());
}

}  // namespace
}  // namespace protium
