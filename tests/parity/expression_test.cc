// SPDX-License-Identifier: Apache-2.0
// Random expressions: the local engine compared with Spark's recorded answers and, if
// PROTIUM_TEST_SPARK names a server, with its answers now. PROTIUM_TEST_EXPRESSIONS sets how many
// (500), PROTIUM_TEST_SEED which; PROTIUM_RECORD_EXPRESSIONS names a file for the answers.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>

#include "base/fault.h"
#include "cases.h"
#include "engines.h"
#include "expression_answers.h"
#include "nested_expressions.h"

namespace protium {
namespace {

std::string Environment(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

// Prints each difference; returns the number of each verdict.
std::map<Verdict, int> CompareAll(const std::vector<Answered>& spark,
                                  const std::vector<Answered>& ours) {
  std::map<Verdict, int> counts;
  for (size_t i = 0; i < spark.size() && i < ours.size(); ++i) {
    const Verdict verdict = Compare(spark[i].answer, ours[i].answer);
    ++counts[verdict];
    EXPECT_EQ(spark[i].asked.text, ours[i].asked.text);
    EXPECT_NE(verdict, Verdict::kDifferent) << spark[i].asked.text;
    if (verdict != Verdict::kAlike) {
      std::cout << spark[i].asked.text << "\n  Spark " << spark[i].answer << "\n  ours  "
                << ours[i].answer << "\n";
    }
  }
  std::cout << "alike " << counts[Verdict::kAlike] << ", refused " << counts[Verdict::kRefused]
            << ", fails here alone " << counts[Verdict::kFails] << ", answers here alone "
            << counts[Verdict::kAnswers] << ", different " << counts[Verdict::kDifferent] << "\n";
  return counts;
}

AskedRows Nested() { return {.table = "nested", .from = kNestedRows}; }

void CompareWithFile(const std::string& name, size_t least, int most_not_answered,
                     const AskedRows& rows = {}) {
  const auto tables = Tables::Read(kFolder / "tables");
  const auto recorded = ReadAnswers(kFolder / name);
  const auto engine = EngineAt("local");
  ASSERT_TRUE(tables.ok() && recorded.ok() && engine.ok()) << recorded.status();
  EXPECT_GE(recorded->size(), least);
  std::vector<Expression> asked;
  for (const Answered& each : *recorded) asked.push_back(each.asked);
  const auto ours = Ask(**engine, *tables, asked, rows);
  ASSERT_TRUE(ours.ok()) << ours.status();
  auto counts = CompareAll(*recorded, *ours);
  EXPECT_LE(counts[Verdict::kRefused] + counts[Verdict::kFails], most_not_answered);
  EXPECT_EQ(0, counts[Verdict::kAnswers]);
}

TEST(Expressions, AreAnsweredAsSparkAnsweredThem) { CompareWithFile("expressions.tsv", 500, 5); }

TEST(Expressions, OfEveryDayAreAnsweredAsSparkAnsweredThem) {
  CompareWithFile("everyday.tsv", 110, 0);
}

// Lists, structures, maps, JSON, guards and zones.
TEST(NestedExpressions, AreAnsweredAsSparkAnsweredThem) {
  CompareWithFile("nested.tsv", 500, 15, Nested());
}

std::vector<Expression> ReadExpressions(const std::string& file) {
  std::vector<Expression> given;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) given.push_back({line, false});
  return given;
}

template <typename Generator>
std::vector<Expression> Fresh(size_t count) {
  Generator random(std::stoull(Environment("PROTIUM_TEST_SEED", "1")));
  std::vector<Expression> asked;
  while (asked.size() < count) asked.push_back(random.Next());
  return asked;
}

// Asks both engines. What one evaluates and the other fails on is tolerated; it is rare.
void CompareWithServer(const std::string& address, const std::vector<Expression>& asked,
                       const AskedRows& rows) {
  const auto tables = Tables::Read(kFolder / "tables");
  const auto local = EngineAt("local"), server = EngineAt(address);
  ASSERT_TRUE(tables.ok() && local.ok() && server.ok()) << server.status();
  auto ours_later =
      std::async(std::launch::async, [&] { return Ask(**local, *tables, asked, rows); });
  const auto spark = Ask(**server, *tables, asked, rows);
  const auto ours = ours_later.get();
  ASSERT_TRUE(spark.ok() && ours.ok()) << spark.status() << ours.status();
  const std::string record = Environment("PROTIUM_RECORD_EXPRESSIONS", "");
  if (!record.empty()) std::ofstream(record) << WriteAnswers(*spark);
  EXPECT_LE(CompareAll(*spark, *ours)[Verdict::kAnswers] * 100, static_cast<int>(asked.size()));
}

class ExpressionsOnAServer : public testing::Test {
 protected:
  void SetUp() override {
    if (!address_.empty()) return;
    GTEST_SKIP() << "PROTIUM_TEST_SPARK names no server; recorded answers were compared instead";
  }

  const std::string address_ = Environment("PROTIUM_TEST_SPARK", "");
  const size_t count_ = std::stoull(Environment("PROTIUM_TEST_EXPRESSIONS", "500"));
};

TEST_F(ExpressionsOnAServer, AreAnsweredAsItAnswersThem) {
  const std::string given = Environment("PROTIUM_TEST_EXPRESSION_FILE", "");
  CompareWithServer(address_, given.empty() ? Fresh<Expressions>(count_) : ReadExpressions(given),
                    {});
}

TEST_F(ExpressionsOnAServer, NestedAreAnsweredAsItAnswersThem) {
  CompareWithServer(address_, Fresh<NestedExpressions>(count_), Nested());
}

}  // namespace
}  // namespace protium
