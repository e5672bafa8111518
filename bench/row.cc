// SPDX-License-Identifier: Apache-2.0
// bench_row MODEL ROW: scores one row, given as JSON, in this process; prints the median of many
// times, as an Arrow batch of one row and as JSON, and how the time of the batch divides.
#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "base/fault.h"
#include "base/json.h"
#include "frame/session_state.h"
#include "inference/json_rows.h"
#include "protium/scorer.h"

namespace protium {
namespace {

constexpr int kTimes = 5000;

// Returns the median microseconds of a call.
double Median(const std::function<void()>& call) {
  std::vector<double> micros;
  for (int i = 0; i < kTimes; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    call();
    micros.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begun)
            .count());
  }
  std::nth_element(micros.begin(), micros.begin() + kTimes / 2, micros.end());
  return micros[kTimes / 2];
}

void Print(const std::string& figure, double micros) {
  fmt::print("{}\n",
             Dump(Json{{"figure", figure}, {"value", micros}, {"unit", "us"}, {"times", kTimes}}));
}

Status Measure(const std::string& folder, const std::string& row) {
  PT_LET(const auto session, OpenSession({.engine = "local[1]"}));
  PT_LET(const PipelineModel model, PipelineModel::Load(*session, folder));
  PT_LET(const Scorer scorer, Scorer::Make(model));
  PT_LET(const JsonRows read, ReadBareJsonRows(row, *scorer.input()));
  const auto& batch = read.batch;
  PT_TRY(scorer.Score(*batch));
  Print("one row, Arrow", Median([&] { (void)scorer.Score(*batch); }));
  Print("one row, JSON", Median([&] { (void)scorer.ScoreJson(row); }));
  Print("one row, JSON read alone", Median([&] { (void)ReadBareJsonRows(row, *scorer.input()); }));
  return Status::OK();
}

}  // namespace
}  // namespace protium

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "bench_row MODEL ROW\n");
    return 2;
  }
  const protium::Status measured = protium::Measure(argv[1], argv[2]);
  if (measured.ok()) return 0;
  fmt::print(stderr, "{}", protium::Render(protium::FaultOf(measured)));
  return 1;
}
