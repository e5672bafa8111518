// SPDX-License-Identifier: Apache-2.0
// Compares every case on every engine with its answer, which is Spark's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "answer.h"
#include "base/fault.h"
#include "cases.h"
#include "engines.h"
#include "tables.h"

namespace protium {
namespace {

struct Question {
  std::string address;
  Case asked;
};

void PrintTo(const Question& question, std::ostream* out) {
  *out << question.asked.name << " at " << question.address;
}

std::vector<Question> Questions() {
  std::vector<Question> questions;
  const auto cases = ReadCases(kFolder / "cases");
  if (!cases.ok()) return questions;  // Parity.CasesAreRead fails.
  for (const std::string& address : EngineAddresses()) {
    for (const Case& each : *cases) questions.push_back({address, each});
  }
  return questions;
}

// Answers are those of Spark 4.2, unless another release has a different one.
std::filesystem::path AnswerTo(const Question& question) {
  const std::string file = question.asked.name + ".csv";
  const char* const version = std::getenv("PROTIUM_TEST_SPARK_VERSION");
  if (version != nullptr && question.address.starts_with("sc://")) {
    const auto own = kFolder / ("answers-" + std::string(version).substr(0, 3)) / file;
    if (std::filesystem::exists(own)) return own;
  }
  return kFolder / "answers" / file;
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return text;
}

void ExpectNamed(const Status& status, const std::vector<std::string>& any) {
  const Fault fault = FaultOf(status);
  const std::string text = Lower(fault.what + " " + fault.where + " " + fault.why);
  const bool named = std::any_of(any.begin(), any.end(), [&](const std::string& word) {
    return text.find(Lower(word)) != std::string::npos;
  });
  EXPECT_TRUE(named) << "names none of " << fmt::format("{}", fmt::join(any, "|")) << ":\n"
                     << Render(fault);
  EXPECT_NE(fault.exit, Exit::kBug);
}

class Parity : public testing::TestWithParam<Question> {
 protected:
  // Before the process ends, since an engine cannot outlive the state of its libraries.
  static void TearDownTestSuite() { engines_.clear(); }

  static Engine* EngineFor(const std::string& address) {
    auto found = engines_.find(address);
    if (found == engines_.end()) found = engines_.emplace(address, EngineAt(address)).first;
    return found->second.ok() ? found->second->get() : nullptr;
  }

  static Result<std::string> Ask(const Question& question, const Answer& wanted) {
    Engine* const engine = EngineFor(question.address);
    if (engine == nullptr) return EngineAt(question.address).status();
    PT_LET(const Tables tables, Tables::Read(kFolder / "tables"));
    Plan plan = question.asked.plan(tables);
    if (!wanted.decimals.empty()) {
      plan = MakePlan(Sql{ReportDecimals(wanted), {"answer"}}, {std::move(plan)});
    }
    PT_LET(const auto stream, engine->Execute(plan, {}));
    return FormatAnswer(*stream, question.asked.ordered);
  }

  static void ExpectRefused(const Question& question) {
    const auto tables = Tables::Read(kFolder / "tables");
    ASSERT_TRUE(tables.ok()) << tables.status();
    const auto explained = EngineFor(question.address)->Explain(question.asked.plan(*tables), {});
    ASSERT_FALSE(explained.ok()) << "explained as\n" << explained->sql;
    ExpectNamed(explained.status(), {question.asked.refused});
    EXPECT_EQ(FaultOf(explained.status()).exit, Exit::kUsage);
    EXPECT_FALSE(FaultOf(explained.status()).why.empty()) << Render(FaultOf(explained.status()));
  }

 private:
  static inline std::map<std::string, Result<std::unique_ptr<Engine>>> engines_;
};

TEST_P(Parity, Answer) {
  const Question& question = GetParam();
  const Case& asked = question.asked;
  if (!asked.refused.empty() && question.address.starts_with("local")) {
    return ExpectRefused(question);
  }
  const std::filesystem::path file = AnswerTo(question);
  const auto wanted = ReadAnswer(file, asked.ordered);
  ASSERT_TRUE(wanted.ok()) << wanted.status();
  if (file.parent_path() == kFolder / "answers") {
    EXPECT_EQ(wanted->text.starts_with("!fails"), !asked.fails.empty()) << wanted->text;
  }
  const auto answer = Ask(question, *wanted);
  if (!wanted->text.starts_with("!fails")) {
    ASSERT_TRUE(answer.ok()) << Render(FaultOf(answer.status()));
    EXPECT_EQ(wanted->text, *answer);
  } else {
    EXPECT_FALSE(asked.fails.empty()) << wanted->text;
    ASSERT_FALSE(answer.ok()) << "answered\n" << *answer;
    ExpectNamed(answer.status(), asked.fails);
  }
}

std::string CaseName(const testing::TestParamInfo<Question>& info) {
  std::string name = info.param.address + "_" + info.param.asked.name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Of, Parity, testing::ValuesIn(Questions()), CaseName);

std::set<std::string> NamesIn(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().stem().string());
  }
  return names;
}

TEST(ParityFiles, CasesAreRead) {
  const auto cases = ReadCases(kFolder / "cases");
  ASSERT_TRUE(cases.ok()) << cases.status();
  EXPECT_GE(cases->size(), 40u);
}

TEST(ParityFiles, EveryCaseHasAnAnswerAndEveryAnswerACase) {
  EXPECT_EQ(NamesIn(kFolder / "cases"), NamesIn(kFolder / "answers"));
}

TEST(ParityFiles, AnswersOfOneReleaseAreToCases) {
  const std::set<std::string> cases = NamesIn(kFolder / "cases");
  for (const std::string& name : NamesIn(kFolder / "answers-4.3")) {
    EXPECT_TRUE(cases.contains(name)) << name;
  }
}

TEST(ParityFiles, EveryCodedCaseIsAsked) {
  const std::set<std::string> cases = NamesIn(kFolder / "cases");
  for (const auto& [name, plan] : CodedCases()) EXPECT_TRUE(cases.contains(name)) << name;
}

TEST(ParityFiles, EveryEngineOpens) {
  for (const std::string& address : EngineAddresses()) {
    const auto engine = EngineAt(address);
    EXPECT_TRUE(engine.ok()) << engine.status();
  }
}

}  // namespace
}  // namespace protium
