// SPDX-License-Identifier: Apache-2.0
#include "stages/window_stage.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "plan/time_cut.h"

namespace protium {
namespace {

// A double is split into its whole part and two pieces of its fraction, in units of 2^-26 and
// 2^-52: sums of whole numbers are the same in any order, so engines may add as they like.
std::string SumOf(const std::string& column, const std::string& value, const std::string& over,
                  WindowCalls& calls) {
  const std::string too_large = ErrorInSql(fmt::format(
      "column \"{}\" has a number of 10^15 or more, which a window does not add up", column));
  const std::string whole = fmt::format(
      "CASE WHEN abs({0}) >= 1e15D THEN {1} ELSE CAST(floor({0}) AS BIGINT) END", value, too_large);
  const std::string fraction = fmt::format("({0} - floor({0}))", value);
  const std::string coarse = fmt::format("floor({} * 67108864D)", fraction);
  const std::string fine =
      fmt::format("floor(({0} * 67108864D - {1}) * 67108864D)", fraction, coarse);
  const auto sum = [&](const std::string& piece) {
    return calls.Add(fmt::format("sum({}) {}", piece, over));
  };
  return fmt::format(
      "(CAST({} AS DOUBLE) + (CAST({} AS DOUBLE) + CAST({} AS DOUBLE) / 67108864D) / 67108864D)",
      sum(whole), sum(fmt::format("CAST({} AS BIGINT)", coarse)),
      sum(fmt::format("CAST({} AS BIGINT)", fine)));
}

// Of the differences from the first value, which keep the digits that squares would lose.
std::string DeviationOf(const std::string& value, const std::string& over, WindowCalls& calls) {
  const std::string list = calls.Add(fmt::format("collect_list({}) {}", value, over));
  const auto sum = [&](const char* term) {
    return fmt::format(
        "aggregate({0}, 0D, (a, v) -> a + {1})", list,
        fmt::format(fmt::runtime(term), fmt::format("(v - element_at({}, 1))", list)));
  };
  return fmt::format(
      "CASE WHEN size({0}) >= 2 THEN sqrt(greatest(0D, {1} - {2} * {2} / size({0})) / (size({0}) - "
      "1)) END",
      list, sum("{0} * {0}"), sum("{0}"));
}

std::string NameOf(WindowNumber number) {
  for (const auto& [each, name] : Names(number).all) {
    if (each == number) return std::string(name);
  }
  return {};
}

// SQL of the number of `value`, a column of doubles, over the window `over`.
std::string NumberOver(WindowNumber number, const std::string& column, const std::string& value,
                       const std::string& over, int64_t least, WindowCalls& calls) {
  const std::string x = fmt::format("CASE WHEN isnan({0}) THEN NULL ELSE {0} END", value);
  const std::string count = calls.Add(fmt::format("count({}) {}", x, over));
  std::string result;
  switch (number) {
    case WindowNumber::kCount:
      return fmt::format("CAST({} AS DOUBLE)", count);
    case WindowNumber::kSum:
      result = SumOf(column, "(" + x + ")", over, calls);
      break;
    case WindowNumber::kMean:
      result = fmt::format("{} / {}", SumOf(column, "(" + x + ")", over, calls), count);
      break;
    case WindowNumber::kMin:
    case WindowNumber::kMax:
      result = calls.Add(fmt::format("{}({}) {}", NameOf(number), x, over));
      break;
    case WindowNumber::kStd:
      result = DeviationOf(x, over, calls);
      break;
  }
  return fmt::format("CASE WHEN {} >= {} THEN {} END", count, least, result);
}

}  // namespace

Status CheckNumbers(const std::vector<WindowNumber>& of, const std::string& path) {
  const bool once = std::set<WindowNumber>(of.begin(), of.end()).size() == of.size();
  if (once && !of.empty()) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = of.empty() ? "no number is named" : "a number is named twice",
               .where = path + ".of",
               .fix = "of = [\"mean\"]"});
}

WindowStage::WindowStage(const HistoryOptions& options, std::vector<WindowNumber> of, int64_t least,
                         StageNames names)
    : HistoryStage(options, std::move(names)), of_(std::move(of)), least_(least) {
  std::vector<std::string> endings;
  for (const WindowNumber each : of_) endings.push_back(NameOf(each));
  NameOutputs(endings);
}

std::string WindowStage::SqlOf(size_t i, WindowCalls& calls) const {
  const size_t input = InputOf(i);
  return NumberOver(of_[EndingOf(i)], inputs()[input], ValueName(input), Over(Frame()), least_,
                    calls);
}

}  // namespace protium
