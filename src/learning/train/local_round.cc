// SPDX-License-Identifier: Apache-2.0
#include "train/local_round.h"

#include <algorithm>
#include <cmath>

#include "base/call.h"
#include "base/fault.h"
#include "collective/self.h"
#include "nets/mlp_kernels.h"
#include "rows/permutation.h"
#include "train/state_tensors.h"

namespace protium {
namespace {

// Everything that a step changes, in a fixed order: weights, buffers, the optimiser's tensors.
std::vector<std::span<std::byte>> Changing(Weights& weights, Optimizer& optimizer) {
  std::vector<std::span<std::byte>> all{std::as_writable_bytes(weights.parameters()),
                                        std::as_writable_bytes(weights.buffers())};
  for (const NamedTensor& tensor : optimizer.Tensors()) {
    all.push_back(WritableBytes(tensor));
  }
  return all;
}

std::span<const float> Floats(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

std::span<float> FloatsOf(const NamedTensor& tensor) {
  const std::span<std::byte> bytes = WritableBytes(tensor);
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}
std::span<int64_t> WholesOf(const NamedTensor& tensor) {
  const std::span<std::byte> bytes = WritableBytes(tensor);
  return {reinterpret_cast<int64_t*>(bytes.data()), bytes.size() / sizeof(int64_t)};
}

}  // namespace

std::optional<OuterStep> OuterStep::Of(const TrainOptions& train, Weights& weights) {
  if (train.mode != TrainMode::kLocal) return std::nullopt;
  return std::optional<OuterStep>(std::in_place, train.local.outer, weights);
}

OuterStep::OuterStep(const OuterOptions& options, Weights& weights)
    : options_(options), weights_(weights) {
  if (options.momentum > 0) velocity_.resize(size_t(weights.size()));
}

void OuterStep::Move(std::span<const float> mean) {
  const auto momentum = float(options_.momentum), rate = float(options_.rate);
  const std::span<float> weights = weights_.parameters();
  if (velocity_.empty()) {
    for (size_t i = 0; i < weights.size(); ++i) weights[i] += rate * mean[i];
    return;
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    velocity_[i] = momentum * velocity_[i] + mean[i];
    weights[i] += rate * (mean[i] + momentum * velocity_[i]);
  }
}

std::vector<NamedTensor> OuterStep::Tensors() {
  if (velocity_.empty()) return {};
  return {{"outer_velocity", "F32", {weights_.size()}, std::as_bytes(std::span(velocity_))}};
}

Status OuterStep::Load(const Safetensors& file, const std::string& where) {
  for (const NamedTensor& to : Tensors()) {
    if (TakeTensor(file, to)) continue;
    return Fail({.exit = Exit::kInput,
                 .what = "the velocity of the outer step does not fit the net: " + where,
                 .where = where});
  }
  return Status::OK();
}

LocalRound::LocalRound(const StepSpec& spec, const ShardedRows& rows, Weights& weights,
                       Optimizer& optimizer, OuterStep& outer, Feed& feed,
                       Communicator& communicator)
    : spec_(spec),
      rows_(rows),
      weights_(weights),
      optimizer_(optimizer),
      outer_(outer),
      feed_(feed),
      communicator_(communicator),
      self_(MakeSelfCommunicator()),
      told_(size_t(StepTimes::kTold)) {}

Result<std::unique_ptr<LocalRound>> LocalRound::Make(const StepSpec& spec, const ShardedRows& rows,
                                                     Net& net, Weights& weights,
                                                     Optimizer& optimizer, OuterStep& outer,
                                                     Feed& feed, Communicator& communicator) {
  if (weights.device().staged()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "steps apart are made on the CPU only",
                 .where = "train.mode",
                 .fix = "train with mode = \"exact\", or on the CPU"});
  }
  std::unique_ptr<LocalRound> out(
      new LocalRound(spec, rows, weights, optimizer, outer, feed, communicator));
  StepSpec alone = spec;
  alone.first = {0, 1};
  alone.rank = communicator.rank();
  PT_LET(out->alone_, Stepper::Make(alone, net, weights, optimizer, *out->self_));
  int64_t state = 0;
  for (const NamedTensor& tensor : optimizer.Tensors()) {
    if (tensor.dtype == "F32") state += int64_t(FloatsOf(tensor).size());
  }
  out->leaf_ = {.gradients = weights.size() + state,
                .parameters = int64_t(weights.parts().size()),
                .buffers = int64_t(weights.buffers().size()),
                .ranks = communicator.world()};
  PT_LET(out->tree_,
         communicator.MakeTree(
             {.leaves = spec.first.back(), .count = out->leaf_.count(), .first = spec.first}));
  return out;
}

void LocalRound::Keep() {
  kept_.clear();
  for (const auto& bytes : Changing(weights_, optimizer_)) {
    kept_.emplace_back(bytes.begin(), bytes.end());
  }
}

void LocalRound::Restore() {
  const auto now = Changing(weights_, optimizer_);
  for (size_t i = 0; i < now.size(); ++i) std::ranges::copy(kept_[i], now[i].begin());
}

int64_t LocalRound::RowsOf(const RoundInput& input, int32_t shard) const {
  const auto at = [&](int64_t step) {
    return StepPositions(rows_.rows(shard), rows_.total_rows(), spec_.train.batch_size, step);
  };
  return at(input.epoch_step + input.steps - 1).end - at(input.epoch_step).begin;
}

// The same on all ranks: it follows from the numbers of rows alone.
double LocalRound::ShareOf(const RoundInput& input, int32_t shard) const {
  int64_t all = 0;
  for (int32_t each = 0; each < rows_.shards(); ++each) all += RowsOf(input, each);
  return double(RowsOf(input, shard)) / double(all);
}

// As Stepper::AddUp(), with complete leaves.
Status LocalRound::AddUp(const RoundInput& input, int32_t begin, int32_t end, std::span<float> sum,
                         bool add, size_t depth) {
  if (add) {
    if (spares_.size() <= depth) spares_.resize(depth + 1);
    spares_[depth].resize(sum.size());
    // Its memory stays where it is when the recursion adds spares.
    const std::span<float> spare = spares_[depth];
    PT_TRY(AddUp(input, begin, end, spare, false, depth + 1));
    AddTo(sum, spare);
    return Status::OK();
  }
  if (end - begin == 1) return RunShard(input, begin, sum);
  const int32_t middle = begin + (end - begin) / 2;
  PT_TRY(AddUp(input, begin, middle, sum, false, depth));
  return AddUp(input, middle, end, sum, true, depth);
}

// A shard without rows in this round has a share of 0.
Status LocalRound::RunShard(const RoundInput& input, int32_t shard, std::span<float> leaf) {
  std::ranges::fill(leaf, 0.0f);
  Restore();
  const int32_t first = spec_.first[size_t(communicator_.rank())];
  StepTail tail{};
  double loss = 0, weight = 0, rows = 0;
  for (int64_t i = 0; i < input.steps; ++i) {
    std::optional<StepTimes::Running> counts(std::in_place, times(), StepPart::kRows);
    PT_LET(const BatchRows batch, feed_.NextOf(size_t(shard - first), input.epoch_step + i));
    counts.reset();
    PT_LET(const StepResult result, alone_->Run({.step = input.step + i,
                                                 .epoch = input.epoch,
                                                 .shards = {&batch, 1},
                                                 .shards_before = shard,
                                                 .rate = input.rate(input.step + i)}));
    loss += result.loss * result.weight;
    weight += result.weight;
    rows += double(result.rows);
    AddTo(told_, result.times);
  }
  tail.loss = float(loss);
  tail.weight = float(weight);
  tail.rows = float(rows);
  leaf_.WriteTail(tail, leaf);
  WriteMoves(float(ShareOf(input, shard)), leaf);
  return Status::OK();
}

void LocalRound::WriteMoves(float share, std::span<float> leaf) {
  const std::span<const float> weights = weights_.parameters(), buffers = weights_.buffers();
  const std::span<const float> began = Floats(kept_[0]), buffers_began = Floats(kept_[1]);
  for (size_t i = 0; i < weights.size(); ++i) leaf[i] = share * (weights[i] - began[i]);
  const std::span<float> moved = leaf_.BufferSums(leaf);
  for (size_t i = 0; i < buffers.size(); ++i) moved[i] = share * (buffers[i] - buffers_began[i]);
  size_t at = weights.size();
  const std::span<float> steps = leaf_.Defined(leaf);
  for (const NamedTensor& tensor : optimizer_.Tensors()) {
    if (tensor.dtype == "F32") {
      for (const float value : FloatsOf(tensor)) leaf[at++] = share * value;
      continue;
    }
    const std::span<int64_t> made = WholesOf(tensor);
    for (size_t i = 0; i < made.size(); ++i) steps[i] = share * float(made[i]);
  }
}

Status LocalRound::AddUpOwn(const RoundInput& input) {
  std::ranges::fill(told_, 0.0f);
  for (const Subtree& own : tree_->own()) {
    PT_TRY(AddUp(input, own.begin, own.end, own.sum, false, 0));
  }
  return Status::OK();
}

void LocalRound::ReportOthers(const RoundInput& input) {
  if (tree_->own().empty()) return;
  const std::span<float> leaf = tree_->own()[0].sum;
  if (input.asks) leaf_.AddFlags(input.asks(), leaf);
  AddTo(leaf_.TimesOf(communicator_.rank(), leaf), told_);
}

Result<StepResult> LocalRound::Run(const RoundInput& input) {
  Keep();
  const Status own = FailTogether(AddUpOwn(input), communicator_);
  // A step counts for all or for none: whoever fails now has begun no round.
  Restore();
  PT_TRY(own);
  ReportOthers(input);
  std::optional<StepTimes::Running> counts(std::in_place, times(), StepPart::kReduce);
  const auto before = Clock::now();
  PT_LET(const std::span<const float> reduced, tree_->Reduce());
  const std::chrono::duration<double> waited = Clock::now() - before;
  counts.emplace(times(), StepPart::kOptimizer);
  StepResult result = Apply(reduced);
  result.wait_seconds = waited.count();
  result.times = leaf_.Times(reduced);
  feed_.Pass(input.steps);
  return result;
}

StepResult LocalRound::Apply(std::span<const float> reduced) {
  outer_.Move(reduced.first(size_t(weights_.size())));
  ApplyState(reduced);
  ApplyBuffers(leaf_.BufferSums(reduced));
  return ResultOf(leaf_.ReadTail(reduced));
}

void LocalRound::ApplyState(std::span<const float> reduced) {
  if (spec_.train.local.state == LocalState::kReset) return optimizer_.Reset();
  size_t at = size_t(weights_.size());
  const std::span<const float> steps = leaf_.Defined(reduced);
  for (const NamedTensor& tensor : optimizer_.Tensors()) {
    if (tensor.dtype == "F32") {
      for (float& value : FloatsOf(tensor)) value = reduced[at++];
      continue;
    }
    const std::span<int64_t> made = WholesOf(tensor);
    for (size_t i = 0; i < made.size(); ++i) made[i] = int64_t(std::lround(steps[i]));
  }
}

// Shards whose numbers of batches differ leave the nearest whole number to their mean.
void LocalRound::ApplyBuffers(std::span<const float> sums) {
  for (const BufferPart& buffer : weights_.buffer_parts()) {
    for (int64_t i = buffer.offset; i < buffer.offset + buffer.count; ++i) {
      float& value = weights_.buffers()[size_t(i)];
      value += buffer.whole ? std::round(sums[size_t(i)]) : sums[size_t(i)];
    }
  }
}

}  // namespace protium
