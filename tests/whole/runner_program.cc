// SPDX-License-Identifier: Apache-2.0
// The program of runner_test.cc: functions that run as gangs.
#include <protium/protium.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>

namespace pt = protium;

namespace {

pt::Result<int64_t> CountInput(pt::TaskContext& context) {
  int64_t rows = 0;
  while (true) {
    PT_LET(const auto batch, context.input().Next());
    if (!batch) return rows;
    rows += batch->num_rows();
  }
}

// What each rank knows, reported by rank 0.
pt::Result<pt::Json> Tell(pt::RunnerRank& rank) {
  PT_LET(const int64_t rows, CountInput(rank.context));
  std::printf("a line\n");
  const pt::Json own = {{"rank", rank.context.rank()},
                        {"world", rank.context.world()},
                        {"local_rank", rank.local_rank},
                        {"local_world", rank.local_world},
                        {"rows", rows},
                        {"args", rank.args}};
  PT_LET(const auto all, rank.context.AllGather(own.dump()));
  pt::Json told = pt::Json::array();
  for (const std::string& each : all) told.push_back(pt::Json::parse(each));
  return told;
}

// Dies once; the second attempt finds what the first one saved.
pt::Result<pt::Json> GoOn(pt::RunnerRank& rank) {
  const auto saved = rank.folder / "saved";
  PT_TRY(rank.context.Barrier("start"));
  if (!std::filesystem::exists(saved)) {
    if (rank.context.rank() != 1) return rank.context.Barrier("never");
    std::ofstream(saved) << 42;
    ::raise(SIGKILL);
  }
  int value = 0;
  std::ifstream(saved) >> value;
  return pt::Json(value);
}

pt::Result<pt::Json> Refuse(pt::RunnerRank& rank) {
  if (rank.context.rank() == 1) return pt::Fail({.what = "rank one does not want to"});
  PT_TRY(rank.context.Barrier("never"));
  return pt::Json();
}

// Rank 1 computes for ever, and stays alive.
pt::Result<pt::Json> Hang(pt::RunnerRank& rank) {
  if (rank.context.rank() == 1) {
    rank.context.SetPhase("thought");
    while (true) ::pause();
  }
  PT_TRY(rank.context.Barrier("never"));
  return pt::Json();
}

// As in docs/programs.md.
pt::Result<pt::Json> Mean(pt::RunnerRank& rank) {
  PT_LET(pt::Ranks ranks, pt::Ranks::Of(rank.context));
  std::vector<double> values = {double(rank.context.rank())};
  PT_TRY(ranks.AllReduce(pt::Values(values), pt::Op::kMean));
  return pt::Json(values[0]);
}

pt::SchemaPtr RankColumns() { return arrow::schema({arrow::field("rank", arrow::int64())}); }

pt::Status EmitRank(pt::TaskContext& context) {
  PT_LET(auto column, arrow::MakeArrayFromScalar(arrow::Int64Scalar(context.rank()), 1));
  return context.Emit(*arrow::RecordBatch::Make(RankColumns(), 1, {column}));
}

pt::Status Run(pt::Session& session) {
  const std::string what = session.Setting("what", "tell");
  const int workers = std::stoi(session.Setting("workers", "3"));
  pt::RunnerOptions options{.workers = workers, .max_restarts = what == "go on" ? 1 : 0};
  if (what == "hang") options.deadline = 3;
  const std::string logs = session.Setting("logs", "all");
  options.logs = logs == "all"    ? pt::RunnerLogs::kAll
                 : logs == "none" ? pt::RunnerLogs::kQuiet
                                  : pt::RunnerLogs::kRank0;
  const std::string input = session.Setting("input");
  if (!input.empty()) options.input = session.Read().Csv(input);
  const pt::Runner runner(session, options);
  if (what == "rows") {
    PT_LET(const auto rows, runner.Rows("rank", RankColumns()));
    std::printf("%zu batches\n", rows.size());
    return pt::Status::OK();
  }
  PT_LET(const pt::Json answer, runner.Run(what, {{"word", "hello"}}));
  std::printf("%s\n", answer.dump().c_str());
  return pt::Status::OK();
}

}  // namespace

int main(int argc, char** argv) {
  return pt::Main(argc, argv,
                  {.run = Run,
                   .tasks = {{"tell", pt::RunnerTask(Tell)},
                             {"go on", pt::RunnerTask(GoOn)},
                             {"hang", pt::RunnerTask(Hang)},
                             {"refuse", pt::RunnerTask(Refuse)},
                             {"mean", pt::RunnerTask(Mean)},
                             {"rank", EmitRank}}});
}
