// SPDX-License-Identifier: Apache-2.0
// The cost of rows through a user's function (EachBatch): 8 float64 columns of a kept table go to
// worker processes and come back unchanged, alternating with copies of as many bytes by one core.
#include <protium/protium.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "bench/ranks.h"

namespace pt = protium;

namespace {

constexpr int kColumns = 8;
constexpr int64_t kRows = 4'000'000;
constexpr int64_t kBatchRows = 1 << 16;
constexpr int kRounds = 5;
constexpr double kGiga = 1e9;
constexpr double kBytes = double(kRows * kColumns * int64_t{sizeof(double)});

pt::Result<pt::RowBatch> Same(const pt::RowBatch& rows) { return rows; }

// Numbers that no encoding compresses.
std::string TableText() {
  std::string columns;
  for (int c = 0; c < kColumns; ++c) {
    columns += (c == 0 ? "" : ", ") + std::string("sin(CAST(a.id AS DOUBLE) * 2003 + b.id + ") +
               std::to_string(c) + ") AS c" + std::to_string(c);
  }
  return "SELECT " + columns + " FROM a CROSS JOIN b";
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Returns the seconds to copy that many bytes from memory to memory.
double CopySeconds(const std::vector<double>& from, std::vector<double>& to) {
  const pt::Stopwatch watch;
  const int64_t times = kRows * kColumns / int64_t(from.size());
  for (int64_t i = 0; i < times; ++i) {
    std::memcpy(to.data(), from.data(), from.size() * sizeof(double));
    asm volatile("" : : "g"(to.data()) : "memory");
  }
  return watch.seconds();
}

pt::Status Run(pt::Session& session) {
  session.Table("a", session.Sql("SELECT explode(sequence(1, 2000)) AS id"));
  session.Table("b", session.Sql("SELECT explode(sequence(1, 2000)) AS id"));
  const pt::DataFrame table = session.Sql(TableText()).Materialize("rows");
  PT_LET(const int64_t rows, table.Count());
  PT_LET(const pt::SchemaPtr schema, table.Schema());
  const pt::DataFrame mapped = table.Map({.task = "same", .output = schema, .workers = 2});
  // Larger than the caches.
  std::vector<double> from(int64_t{1} << 23, 1.5), to(from.size());
  std::vector<double> mapping, copying;
  for (int round = 0; round <= kRounds; ++round) {
    const pt::Stopwatch watch;
    PT_LET(const int64_t there, mapped.Run());
    // The first round starts the workers.
    if (round > 0) mapping.push_back(watch.seconds());
    copying.push_back(CopySeconds(from, to));
    if (there != rows || rows != kRows) return pt::Status::Invalid("rows were lost");
  }
  const double map = kBytes / Median(mapping), copy = kBytes / Median(copying);
  pt::PrintFigure("8 x float64 through EachBatch", map / kGiga, "GB/s");
  pt::PrintFigure("copied by one core", copy / kGiga, "GB/s");
  pt::PrintFigure("EachBatch / copied", map / copy, "");
  return pt::Status::OK();
}

}  // namespace

int main(int argc, char** argv) {
  return pt::Main(argc, argv, {.run = Run, .tasks = {{"same", pt::EachBatch(Same)}}});
}
