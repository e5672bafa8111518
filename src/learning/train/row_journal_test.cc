// SPDX-License-Identifier: Apache-2.0
#include "train/row_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <random>
#include <vector>

namespace protium {
namespace {

// Two tables, the first with a state of its own for each row, in memory that outlives a process.
class JournaledRows : public testing::Test {
 protected:
  static constexpr int64_t kRows = 40;
  static constexpr size_t kFloats = kRows * (3 + 1 + 2);

  JournaledRows() {
    void* const made =
        ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    floats_ = static_cast<float*>(made);
    for (size_t i = 0; i < kFloats; ++i) floats_[i] = float(i);
  }
  ~JournaledRows() override { ::munmap(floats_, kBytes); }

  std::vector<std::vector<RowPlane>> planes() const {
    return {{{floats_, 3}, {floats_ + kRows * 3, 1}}, {{floats_ + kRows * 4, 2}}};
  }
  RowJournal journal() const {
    const std::vector<RowJournal::Room> room = {{kRows, 16}, {kRows, 8}};
    auto* const at = reinterpret_cast<std::byte*>(floats_) + kFloats * sizeof(float);
    return RowJournal({at, size_t(RowJournal::BytesFor(room))});
  }
  std::vector<float> Now() const { return {floats_, floats_ + kFloats}; }

  // A step of a server: holds its rows, and changes them one after another; `fuel` counts down
  // what it does, and the process dies when none is left.
  void Step(int64_t step, const std::vector<std::vector<int64_t>>& rows, int fuel) const {
    const auto burn = [&] {
      if (fuel-- == 0) ::raise(SIGKILL);
    };
    const auto all = planes();
    std::vector<RowJournal::Rows> held;
    for (size_t t = 0; t < all.size(); ++t) held.push_back({all[t], rows[t]});
    burn();
    journal().Hold(step, held);
    for (size_t t = 0; t < all.size(); ++t) {
      for (const int64_t row : rows[t]) {
        for (const RowPlane& plane : all[t]) {
          burn();
          for (int64_t i = 0; i < plane.width; ++i) plane.rows[row * plane.width + i] += 0.5f;
        }
      }
    }
    burn();
  }
  // The same in a process that dies after `fuel` changes.
  void StepAndDie(int64_t step, const std::vector<std::vector<int64_t>>& rows, int fuel) const {
    const pid_t server = ::fork();
    if (server == 0) {
      Step(step, rows, fuel);
      ::raise(SIGKILL);
    }
    ASSERT_EQ(::waitpid(server, nullptr, 0), server);
  }

  float* floats_ = nullptr;

 private:
  static constexpr size_t kBytes = 1 << 16;
};

const std::vector<std::vector<int64_t>> kSome = {{0, 7, 39}, {3, 4}};

TEST_F(JournaledRows, AreAsTheyWereWhereverItsServerDies) {
  const std::vector<float> before = Now();
  int changed = 0;
  for (int fuel = 0; fuel < 12; ++fuel) {
    StepAndDie(5, kSome, fuel);
    changed += Now() != before ? 1 : 0;
    journal().PutBack(5, planes());
    EXPECT_EQ(Now(), before) << fuel;
  }
  EXPECT_GE(changed, 8);
}

TEST_F(JournaledRows, ArePutBackAgainByWhoComesAfterOneThatDiedAtThat) {
  const std::vector<float> before = Now();
  StepAndDie(5, kSome, 6);
  // Half of it.
  floats_[0] = before[0];
  journal().PutBack(5, planes());
  journal().PutBack(5, planes());
  EXPECT_EQ(Now(), before);
}

TEST_F(JournaledRows, StayMovedWhereTheStepWasMade) {
  Step(5, kSome, -1);
  const std::vector<float> moved = Now();
  journal().PutBack(6, planes());
  journal().PutBack(4, planes());
  EXPECT_EQ(Now(), moved);
}

TEST_F(JournaledRows, StayWhereAServerDiesBeforeItHoldsTheNextOnes) {
  Step(5, kSome, -1);
  const std::vector<float> moved = Now();
  StepAndDie(6, {{1}, {}}, 0);
  journal().PutBack(6, planes());
  EXPECT_EQ(Now(), moved);
}

TEST_F(JournaledRows, OfAFirstStepAreHeldToo) {
  const std::vector<float> before = Now();
  journal().PutBack(0, planes());
  EXPECT_EQ(Now(), before);
  Step(0, kSome, -1);
  EXPECT_NE(Now(), before);
  journal().PutBack(0, planes());
  EXPECT_EQ(Now(), before);
}

// Steps of any rows with deaths anywhere end as those of a server that is left alone.
TEST_F(JournaledRows, EndAsThoseOfAServerThatIsLeftAlone) {
  std::mt19937 random(3);
  std::vector<float> expected = Now();
  for (int64_t step = 0; step < 60; ++step) {
    std::vector<std::vector<int64_t>> rows(2);
    for (int64_t r = 0; r < kRows; ++r) {
      for (auto& each : rows) {
        if (random() % 4 == 0) each.push_back(r);
      }
    }
    if (step % 2 == 0) {
      StepAndDie(step, rows, int(random() % 30));
      journal().PutBack(step, planes());
      ASSERT_EQ(Now(), expected) << step;
    }
    Step(step, rows, -1);
    expected = Now();
  }
}

TEST_F(JournaledRows, OfEveryIdFit) {
  std::vector<int64_t> all(kRows);
  for (int64_t r = 0; r < kRows; ++r) all[size_t(r)] = r;
  const std::vector<float> before = Now();
  Step(1, {all, all}, -1);
  journal().PutBack(1, planes());
  EXPECT_EQ(Now(), before);
}

}  // namespace
}  // namespace protium
