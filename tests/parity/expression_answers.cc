// SPDX-License-Identifier: Apache-2.0
#include "expression_answers.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "base/fault.h"
#include "os/file.h"

namespace protium {
namespace {

using Asked = std::vector<Expression>;

std::string QuestionText(const Asked& asked, bool total, const AskedRows& rows) {
  std::string list = total ? "1 AS id" : "id";
  for (size_t i = 0; i < asked.size(); ++i) {
    list += fmt::format(", typeof({0}) AS t{1}, CAST({0} AS STRING) AS v{1}", asked[i].text, i);
  }
  return fmt::format("SELECT {} FROM {}{}", list, rows.from, total ? "" : " ORDER BY id");
}

std::string FormatCell(const arrow::RecordBatch& batch, const std::string& name, int64_t row) {
  const auto column = batch.GetColumnByName(name);
  if (column == nullptr || column->IsNull(row)) return "null";
  const auto cell = column->GetScalar(row);
  return cell.ok() ? (*cell)->ToString() : "?";
}

// Timestamps with and without a zone are treated alike: sessions are in UTC.
std::string WithoutZones(std::string type) {
  for (size_t at = 0; (at = type.find("timestamp", at)) != std::string::npos; ++at) {
    if (type.compare(at, 13, "timestamp_ntz") != 0) type.insert(at + 9, "_ntz");
  }
  return type;
}

Status AddBatch(const arrow::RecordBatch& batch, std::vector<std::string>& answers) {
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    for (size_t i = 0; i < answers.size(); ++i) {
      if (answers[i].empty()) {
        answers[i] = WithoutZones(FormatCell(batch, fmt::format("t{}", i), row));
      }
      answers[i] += "|" + FormatCell(batch, fmt::format("v{}", i), row);
    }
  }
  return Status::OK();
}

Result<std::vector<std::string>> AskAtOnce(Engine& engine, const Tables& tables, const Asked& asked,
                                           bool total, const AskedRows& rows) {
  const Plan plan =
      MakePlan(Sql{QuestionText(asked, total, rows), {rows.table}}, {tables[rows.table]});
  PT_LET(const auto stream, engine.Execute(plan, {}));
  std::vector<std::string> answers(asked.size());
  while (true) {
    PT_LET(const auto batch, stream->Next());
    if (batch == nullptr) return answers;
    PT_TRY(AddBatch(*batch, answers));
  }
}

std::string FailureText(const Status& status) {
  const Fault fault = FaultOf(status);
  if (fault.exit != Exit::kUsage || fault.why.empty()) return "!fails " + fault.what;
  return "!refused " + fault.what;
}

void AskAll(Engine& engine, const Tables& tables, const Asked& asked, bool total,
            const AskedRows& rows, std::vector<Answered>& answers) {
  if (asked.empty()) return;
  const auto all = AskAtOnce(engine, tables, asked, total, rows);
  if (all.ok()) {
    for (size_t i = 0; i < asked.size(); ++i) answers.push_back({asked[i], (*all)[i]});
  } else if (asked.size() == 1) {
    answers.push_back({asked[0], FailureText(all.status())});
  } else {
    const auto half = asked.begin() + static_cast<std::ptrdiff_t>(asked.size() / 2);
    AskAll(engine, tables, {asked.begin(), half}, total, rows, answers);
    AskAll(engine, tables, {half, asked.end()}, total, rows, answers);
  }
}

// The parts of an answer between "|".
std::vector<std::string> SplitParts(const std::string& answer) {
  std::stringstream stream(answer);
  std::vector<std::string> parts;
  for (std::string part; std::getline(stream, part, '|');) parts.push_back(part);
  return parts;
}

bool SameDoubles(const std::string& a, const std::string& b) {
  const auto left = SplitParts(a), right = SplitParts(b);
  if (left.size() != right.size() || left.empty() || left[0] != right[0]) return false;
  if (left[0] != "double" && left[0] != "float") return false;
  for (size_t i = 1; i < left.size(); ++i) {
    if (left[i] == right[i]) continue;
    if (left[i] == "null" || right[i] == "null") return false;
    const double x = std::strtod(left[i].c_str(), nullptr);
    const double y = std::strtod(right[i].c_str(), nullptr);
    const bool same = left[0] == "float" ? static_cast<float>(x) == static_cast<float>(y) : x == y;
    if (!same) return false;
  }
  return true;
}

}  // namespace

Result<std::vector<Answered>> Ask(Engine& engine, const Tables& tables,
                                  const std::vector<Expression>& asked, const AskedRows& rows) {
  constexpr size_t kRowsAtOnce = 16;
  std::vector<Answered> answers;
  for (const bool total : {false, true}) {
    // A total next to others prevents shortcuts that engines take for one alone.
    const size_t at_once = total ? 1 : kRowsAtOnce;
    Asked some;
    for (const Expression& each : asked) {
      if (each.total != total) continue;
      some.push_back(each);
      if (some.size() < at_once) continue;
      AskAll(engine, tables, some, total, rows, answers);
      some.clear();
    }
    AskAll(engine, tables, some, total, rows, answers);
  }
  return answers;
}

Verdict Compare(const std::string& spark, const std::string& ours) {
  if (spark == ours || SameDoubles(spark, ours)) return Verdict::kAlike;
  if (spark.starts_with("!") && ours.starts_with("!")) return Verdict::kAlike;
  if (ours.starts_with("!refused")) return Verdict::kRefused;
  if (ours.starts_with("!")) return Verdict::kFails;
  return spark.starts_with("!") ? Verdict::kAnswers : Verdict::kDifferent;
}

Result<std::vector<Answered>> ReadAnswers(const std::filesystem::path& path) {
  PT_LET(const std::string text, ReadFile(path));
  std::stringstream lines(text);
  std::vector<Answered> answers;
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find('\t'), second = line.find('\t', first + 1);
    if (second == std::string::npos) return Status::Invalid(path, ": not an answer: ", line);
    answers.push_back({{line.substr(first + 1, second - first - 1), line.starts_with("total")},
                       line.substr(second + 1)});
  }
  return answers;
}

std::string WriteAnswers(const std::vector<Answered>& answers) {
  std::string text;
  for (const Answered& each : answers) {
    const std::string answer = each.answer.starts_with("!") ? "!fails" : each.answer;
    text +=
        fmt::format("{}\t{}\t{}\n", each.asked.total ? "total" : "row", each.asked.text, answer);
  }
  return text;
}

}  // namespace protium
