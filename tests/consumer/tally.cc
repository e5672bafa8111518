// SPDX-License-Identifier: Apache-2.0
// A program with its own task: two ranks count the rows of a table and exchange the counts.
#include <arrow/api.h>
#include <protium/protium.h>

#include <atomic>
#include <cstdio>

namespace pt = protium;

std::atomic<int> gangs = 0;  // Events arrive on any thread.

pt::SchemaPtr Output() {
  return arrow::schema({arrow::field("rank", arrow::int64()), arrow::field("all", arrow::int64())});
}

pt::Status Tally(pt::TaskContext& context) {
  int64_t rows = 0, all = 0;
  while (true) {
    PT_LET(const auto batch, context.input().Next());
    if (!batch) break;
    rows += batch->num_rows();
  }
  PT_LET(const auto told, context.AllGather(std::to_string(rows)));
  for (const std::string& each : told) all += std::stoll(each);
  arrow::Int64Builder rank, sum;
  PT_TRY(rank.Append(context.rank()));
  PT_TRY(sum.Append(all));
  PT_LET(auto rank_column, rank.Finish());
  PT_LET(auto sum_column, sum.Finish());
  return context.Emit(*arrow::RecordBatch::Make(Output(), 1, {rank_column, sum_column}));
}

pt::Status Run(pt::Session& session) {
  const std::string data = session.Setting("data", "data");
  session.Table("airports", session.Read().Csv(data + "/airports.csv"));
  const std::string notes = session.Setting("notes");
  if (!notes.empty()) {
    session.Table("notes", session.Read().From(
                               {.kind = pt::SourceKind::kSqlite, .file = notes, .table = "notes"}));
  }
  const pt::DataFrame north = session.Sql("SELECT faa, lat FROM airports WHERE lat > 0");
  PT_LET(const int64_t expected, north.Count());
  PT_LET(const auto stream,
         north.Map({.task = "tally", .output = Output(), .gang = pt::GangSpec{.workers = 2}})
             .Stream());
  int64_t ranks = 0;
  while (true) {
    PT_LET(const auto batch, stream->Next());
    if (!batch) break;
    const auto& all = static_cast<const arrow::Int64Array&>(*batch->column(1));
    for (int64_t i = 0; i < all.length(); ++i, ++ranks) {
      if (all.Value(i) != expected) return pt::Fail({.what = "a rank counted other rows"});
    }
  }
  std::printf("%d gang of %lld ranks counted %lld rows\n", gangs.load(), (long long)(ranks),
              (long long)(expected));
  return ranks == 2 ? pt::Status::OK() : pt::Fail({.what = "not every rank answered"});
}

int main(int argc, char** argv) {
  const auto watch = [](const pt::Event& event) {
    gangs += std::holds_alternative<pt::GangPlaced>(event);
  };
  return pt::Main(argc, argv, {.run = Run, .tasks = {{"tally", Tally}}, .watch = watch});
}
