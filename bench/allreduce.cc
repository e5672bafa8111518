// SPDX-License-Identifier: Apache-2.0
// Sums float32 vectors of processes on one host: directly, and in the tree over four shards.
// bench_allreduce: two over shared memory. bench_allreduce tcp RANKS: over TCP.
#include <algorithm>
#include <string>

#include "bench/ranks.h"
#include "protium/ranks.h"

namespace protium {
namespace {

struct Size {
  const char* name;
  int64_t count;
  int repetitions;
};
constexpr Size kSizes[] = {{"4 KiB", 1024, 5000},
                           {"256 KiB", 65'536, 1000},
                           {"16 MiB", 4 << 20, 20},
                           {"100 MB", 25'000'000, 5}};
constexpr int kWarmUp = 3;

Status CheckSum(std::span<const float> sum, float scale) {
  for (size_t i = 0; i < sum.size(); ++i) {
    if (sum[i] != scale * float(i % 7)) return Status::Invalid("wrong sum at element ", i);
  }
  return Status::OK();
}

// The sum over ranks that each contribute their own number, counted from one.
float SumOfScales(int32_t world) { return float(world * (world + 1) / 2); }

void Fill(std::span<float> values, float scale) {
  for (size_t i = 0; i < values.size(); ++i) values[i] = scale * float(i % 7);
}

// Returns the seconds of one all-reduce; then checks a sum in the same memory.
Result<double> TimeAllReduce(Communicator& communicator, const Size& size) {
  std::vector<float> values(size_t(size.count), 0.0f);
  for (int i = 0; i < kWarmUp; ++i) {
    PT_TRY(communicator.AllReduce(AsBuffer(values), Op::kSum));
  }
  PT_TRY(communicator.Barrier("timing"));
  const Stopwatch watch;
  for (int i = 0; i < size.repetitions; ++i) {
    PT_TRY(communicator.AllReduce(AsBuffer(values), Op::kSum));
  }
  const double seconds = watch.seconds() / size.repetitions;
  Fill(values, float(communicator.rank() + 1));
  PT_TRY(communicator.AllReduce(AsBuffer(values), Op::kSum));
  PT_TRY(CheckSum(values, SumOfScales(communicator.world())));
  return seconds;
}

// The same in the tree that training uses, over four leaves.
Result<double> TimeTree(Communicator& communicator, const Size& size) {
  TreeSpec spec{.leaves = 4, .count = size.count};
  for (int32_t r = 0; r <= communicator.world(); ++r) {
    spec.first.push_back(4 * r / communicator.world());
  }
  PT_LET(const auto tree, communicator.MakeTree(spec));
  for (const Subtree& subtree : tree->own()) Fill(subtree.sum, float(communicator.rank() + 1));
  for (int i = 0; i < kWarmUp; ++i) PT_TRY(tree->Reduce().status());
  PT_TRY(communicator.Barrier("timing"));
  const Stopwatch watch;
  for (int i = 0; i < size.repetitions; ++i) PT_TRY(tree->Reduce().status());
  const double seconds = watch.seconds() / size.repetitions;
  for (const Subtree& subtree : tree->own()) Fill(subtree.sum, float(communicator.rank() + 1));
  PT_LET(const auto sum, tree->Reduce());
  PT_TRY(CheckSum(sum, SumOfScales(communicator.world())));
  return seconds;
}

// Returns the seconds to all-reduce 200 tensors of 256 floats: together, or one after another.
Result<double> TimeGroup(Communicator& communicator, bool together) {
  constexpr int kTensors = 200, kRepetitions = 500;
  Ranks ranks(communicator);
  std::vector<std::vector<float>> tensors(kTensors, std::vector<float>(256));
  std::vector<Tensor> group;
  for (auto& each : tensors) group.push_back(Values(each));
  const auto reduce = [&]() -> Status {
    if (together) return ranks.AllReduce(group, Op::kSum);
    for (const Tensor& each : group) PT_TRY(ranks.AllReduce(each, Op::kSum));
    return Status::OK();
  };
  for (int i = 0; i < kWarmUp; ++i) PT_TRY(reduce());
  PT_TRY(communicator.Barrier("timing"));
  const Stopwatch watch;
  for (int i = 0; i < kRepetitions; ++i) PT_TRY(reduce());
  const double seconds = watch.seconds() / kRepetitions;
  for (auto& each : tensors) Fill(each, float(communicator.rank() + 1));
  PT_TRY(reduce());
  for (const auto& each : tensors) PT_TRY(CheckSum(each, SumOfScales(communicator.world())));
  return seconds;
}

Status RunGroups(Communicator& communicator, const std::string& how) {
  PT_LET(const double one, TimeAllReduce(communicator, {"200 KiB", 200 * 256, 1000}));
  PT_LET(const double together, TimeGroup(communicator, true));
  PT_LET(const double alone, TimeGroup(communicator, false));
  if (communicator.rank() != 0) return Status::OK();
  PrintFigure("all-reduce 200 KiB" + how, one * 1e6, "us");
  PrintFigure("all-reduce 200 of 1 KiB together" + how, together * 1e6, "us");
  PrintFigure("all-reduce 200 of 1 KiB in turn" + how, alone * 1e6, "us");
  return Status::OK();
}

// Newly started processes may share a core for a while.
Status SettleDown(Communicator& communicator) {
  const Stopwatch watch;
  double agreed = 0;
  while (agreed < 0.5) {
    agreed = watch.seconds();
    PT_TRY(communicator.AllReduce({&agreed, 1, Element::kFloat64}, Op::kMin));
  }
  return Status::OK();
}

Status Run(Communicator& communicator, const std::string& how) {
  PT_TRY(SettleDown(communicator));
  PT_TRY(RunGroups(communicator, how));
  for (const Size& size : kSizes) {
    PT_LET(const double plain, TimeAllReduce(communicator, size));
    PT_LET(const double tree, TimeTree(communicator, size));
    if (communicator.rank() != 0) continue;
    PrintFigure(std::string("all-reduce ") + size.name + how, plain * 1e6, "us");
    PrintFigure(std::string("tree over 4 shards ") + size.name + how, tree * 1e6, "us");
  }
  return Status::OK();
}

Status RunOverTcp(int32_t world) {
  const std::string how = ", " + std::to_string(world) + " over TCP";
  return RunTcpProcessRanks(world,
                            [&](Communicator& communicator) { return Run(communicator, how); });
}

}  // namespace
}  // namespace protium

int main(int argc, char** argv) {
  using namespace protium;
  if (argc == 3 && std::string_view(argv[1]) == "tcp") {
    return ExitCode(RunOverTcp(std::max(2, std::atoi(argv[2]))));
  }
  return ExitCode(
      RunProcessRanks(2, [](Communicator& communicator) { return Run(communicator, ""); }));
}
