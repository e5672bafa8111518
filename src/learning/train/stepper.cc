// SPDX-License-Identifier: Apache-2.0
#include "train/stepper.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "base/call.h"
#include "base/fault.h"
#include "collective/combine.h"
#include "nets/mlp_kernels.h"
#include "os/processor.h"
#include "tensor/guard.h"
#include "tensor/philox.h"
#include "train/shared_optimizer.h"

namespace protium {

Status CheckFloatingPoint() {
  const std::string changed = ChangedFloatingPoint();
  if (changed.empty()) return Status::OK();
  return Fail({.exit = Exit::kEnvironment,
               .what = fmt::format("this thread's floating-point mode was changed: {}", changed),
               .why = "a library built with -ffast-math does that when it is loaded"});
}

StepResult ResultOf(const StepTail& tail) {
  const bool skipped = tail.weight == 0;
  return {.loss = skipped ? 0 : double(tail.loss) / double(tail.weight),
          .weight = tail.weight,
          .rows = int64_t(tail.rows),
          .stop = tail.stop > 0,
          .save = tail.save > 0,
          .saved = tail.saved > 0,
          .change = tail.change > 0,
          .skipped = skipped};
}

// Gradients lie in the communicator's own memory (Subtree::sum), so a backward writes where the
// all-reduce reads, and nothing is copied.
Result<std::unique_ptr<Stepper>> Stepper::Make(const StepSpec& spec, Net& net, Weights& weights,
                                               Optimizer& optimizer, Communicator& communicator) {
  if (spec.train.gradients != Precision::kFloat32 && weights.device().staged()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "gradients are rounded to bfloat16 on the CPU only",
                 .where = "train.gradients",
                 .fix = "set it to \"float32\", or train on the CPU"});
  }
  std::unique_ptr<Stepper> out(new Stepper(spec, net, weights, optimizer, communicator));
  const GradientLayout& layout = optimizer.layout();
  out->leaf_ = {.gradients = layout.size,
                .parameters = int64_t(weights.parts().size()),
                .buffers = out->buffers_.count(),
                .ranks = int64_t(spec.first.size()) - 1};
  if (net.members() > 1) out->spec_.loss = LossOfMembers(spec.loss, net.members());
  out->first_shard_ = spec.first[size_t(communicator.rank())];
  PT_LET(out->tree_, communicator.MakeTree({.leaves = spec.first.back(),
                                            .count = out->leaf_.count(),
                                            .first = spec.first,
                                            .rounded = out->rounds() ? layout.size : 0}));
  if (!layout.tables.empty()) {
    RowTreeSpec rows{.leaves = spec.first.back(),
                     .first = spec.first,
                     .widths = layout.widths,
                     .rounded = out->rounds()};
    // Every rank computes the norm, which is that of all rows.
    const bool clips = spec.train.clip_norm > 0;
    if (spec.served != nullptr && !clips) rows.owners = spec.served->Owners();
    out->rows_.emplace(rows, communicator);
  }
  PT_TRY(Guard("laying out gradients", [&] {
    for (size_t i = 0; i < out->tree_->own().size(); ++i) {
      const std::span<float> sum = out->tree_->own()[i].sum;
      std::ranges::fill(sum, 0.0f);
      std::span<SparseRows> rows;
      if (out->rows_) rows = out->rows_->own()[i].tables;
      out->own_.push_back(out->MakePartial(sum, rows));
      out->held_.emplace_back(weights.device(), sum);
    }
  }));
  return out;
}

Stepper::Partial Stepper::MakePartial(std::span<float> sum, std::span<SparseRows> rows) const {
  Partial partial{.sum = sum};
  float* base = sum.data();
  if (weights_.device().staged()) {
    partial.there = weights_.device().DeviceFloats(leaf_.gradients);
    base = partial.there.get();
  }
  const GradientLayout& layout = optimizer_.layout();
  partial.gradients = layout.Views(weights_, base);
  partial.tables.resize(partial.gradients.size());
  for (size_t t = 0; t < rows.size(); ++t) partial.tables[layout.tables[t]] = &rows[t];
  return partial;
}

// `to` += `from`, element by element; on a staged device the two parts of a leaf separately.
void Stepper::AddPartial(const Partial& from, Partial& to) const {
  const size_t begin = from.there ? size_t(leaf_.gradients) : 0;
  if (from.there) weights_.device().Add(from.there.get(), to.there.get(), leaf_.gradients);
  AddTo(to.sum.subspan(begin), from.sum.subspan(begin));
  for (const size_t i : optimizer_.layout().tables) to.tables[i]->Add(*from.tables[i]);
}

void Stepper::Round(Partial& partial) const {
  if (!rounds()) return;
  RoundToBfloat16(partial.sum.data(), leaf_.gradients);
  for (const size_t i : optimizer_.layout().tables) partial.tables[i]->Round();
}

Stepper::Partial& Stepper::SpareAt(size_t depth) {
  const std::vector<int64_t>& widths = optimizer_.layout().widths;
  while (spares_.size() <= depth) {
    Spare& spare = *spares_.emplace_back(std::make_unique<Spare>());
    spare.sum.resize(size_t(leaf_.count()));
    spare.rows = std::vector<SparseRows>(widths.begin(), widths.end());
    spare.partial = MakePartial(spare.sum, spare.rows);
  }
  return spares_[depth]->partial;
}

// Leaves [begin, end): their sum overwrites `partial`, or is added to it with one addition. This is
// the recursion of docs/rows.md; the left half is computed in place. A right half of several leaves
// needs its own memory, one spare per depth, since its sum must be complete before it is added. So
// does a right leaf of several micro-batches, or one that is rounded first; the net's own backward
// adds a plain one.
Status Stepper::AddUp(const StepInput& input, int32_t begin, int32_t end, Partial& partial,
                      bool add, size_t depth) {
  const bool whole = !add || (spec_.train.micro_batches == 1 && !rounds());
  if (end - begin == 1 && whole) {
    PT_TRY(Leaf(input, begin, partial, add));
    Round(partial);
    return Status::OK();
  }
  if (add) {
    PT_LET(Partial * spare, Guard("making room for a sum", [&] { return &SpareAt(depth); }));
    PT_TRY(AddUp(input, begin, end, *spare, false, depth + 1));
    return Guard("adding up shards", [&] {
      AddPartial(*spare, partial);
      Round(partial);
    });
  }
  const int32_t middle = begin + (end - begin) / 2;
  PT_TRY(AddUp(input, begin, middle, partial, false, depth));
  return AddUp(input, middle, end, partial, true, depth);
}

Status Stepper::Leaf(const StepInput& input, int32_t shard, Partial& partial, bool add) {
  if (!add) {
    // The net overwrites its gradients itself; the tail is only ever added to.
    std::fill(partial.sum.begin() + leaf_.gradients, partial.sum.end(), 0.0f);
  }
  const BatchRows& rows = input.shards[size_t(shard - first_shard_)];
  if (rows.size() > 0 && spec_.train.micro_batches > 1) {
    return RunParts(rows, input, shard, partial);
  }
  if (rows.size() > 0) {
    return RunNet(rows, input, shard, DrawKeyOf(input, shard), partial, add);
  }
  return Guard("adding an empty shard", [&] { AddZeros(partial, add); });
}

// A leaf of zeros is added like any other, since -0.0 + 0.0 is 0.0: skipping it would give other
// bits if another rank owned the shards. Rows hold no -0.0.
void Stepper::AddZeros(Partial& partial, bool add) const {
  for (float& value : partial.sum) value = add ? value + 0.0f : 0.0f;
  for (const size_t i : optimizer_.layout().tables) {
    if (!add) partial.tables[i]->Clear();
  }
  if (!partial.there) return;
  const ComputeDevice& device = weights_.device();
  if (add) {
    device.Add(device.DeviceFloats(leaf_.gradients).get(), partial.there.get(), leaf_.gradients);
  } else {
    device.Zero(partial.there.get(), leaf_.gradients);
  }
}

// A function of seed, step and shard, never a stream: a resumed run draws the same numbers,
// whichever rank owns the shard.
uint64_t Stepper::DrawKeyOf(const StepInput& input, int32_t shard) const {
  return DrawKey(DrawTag::kDropout, {uint64_t(spec_.train.seed), uint64_t(input.step),
                                     uint64_t(shard + input.shards_before)});
}

// Parts differ by at most one row; with fewer rows than parts, some are empty. Each draws from its
// own key, or all would drop the same hidden values.
Status Stepper::RunParts(const BatchRows& rows, const StepInput& input, int32_t shard,
                         Partial& partial) {
  const int64_t parts = spec_.train.micro_batches;
  bool add = false;
  for (int64_t p = 0; p < parts; ++p) {
    const int64_t begin = rows.size() * p / parts, end = rows.size() * (p + 1) / parts;
    if (begin == end) continue;
    const uint64_t key = DrawKey(DrawTag::kDropout, {DrawKeyOf(input, shard), uint64_t(p)});
    PT_TRY(RunNet(rows.Slice(begin, end), input, shard, key, partial, add));
    add = true;
  }
  return Status::OK();
}

Status Stepper::RunNet(const BatchRows& rows, const StepInput& input, int32_t shard, uint64_t key,
                       Partial& partial, bool add) {
  buffers_.Keep();
  const ComputeDevice& device = weights_.device();
  const int64_t output_rows = rows.size() * net_.members();
  const auto run = [&]() -> Status {
    const std::span<float> gradient = device.Reserve(output_rows * spec_.outputs, output_gradient_);
    std::optional<StepTimes::Running> counts(std::in_place, times_, StepPart::kForward);
    weights_.UploadBuffers();
    const FloatValues outputs = net_.Forward(rows, &key);
    weights_.DownloadBuffers();
    const LossSums sums = spec_.loss(device.Fetch(outputs, outputs_here_), rows, gradient);
    counts.emplace(times_, StepPart::kBackward);
    StepTail tail = leaf_.ReadTail(partial.sum);
    const bool lost = !std::isfinite(sums.loss);
    if (lost && (lost_.empty() || lost_.back() != shard)) lost_.push_back(shard);
    tail.weight += float(sums.weight);
    tail.loss += float(sums.loss);
    tail.rows += float(rows.size());
    leaf_.WriteTail(tail, partial.sum);
    net_.Backward(device.Send(gradient, {output_rows, spec_.outputs}, output_gradient_there_),
                  {partial.gradients, add, leaf_.Defined(partial.sum), partial.tables});
    return Status::OK();
  };
  // Guard() puts this before the message of the net's exception.
  const std::string where = fmt::format("step {} of epoch {}, shard {} on rank {}", input.step + 1,
                                        input.epoch + 1, shard + input.shards_before, rank());
  PT_TRY(Guard(where, run));
  buffers_.Add(rows.size(), leaf_.BufferSums(partial.sum).data());
  return Status::OK();
}

Status Stepper::AddUpOwn(const StepInput& input) {
  lost_.clear();
  if (spec_.served != nullptr) {
    const auto counts = times_.Count(StepPart::kRows);
    PT_TRY(spec_.served->Pull(input.shards));
  }
  const std::span<const Subtree> own = tree_->own();
  if (!own.empty()) PT_TRY(Guard("sending weights", [&] { weights_.Upload(); }));
  for (size_t i = 0; i < own.size(); ++i) {
    PT_TRY(AddUp(input, own[i].begin, own[i].end, own_[i], false, 0));
  }
  if (input.meanwhile) {
    const auto counts = times_.Count(StepPart::kRows);
    PT_TRY(input.meanwhile());
  }
  const auto counts = times_.Count(StepPart::kBackward);
  return Guard("fetching gradients", [&] { BringBack(); });
}

// Copies gradients that were added on a device to where the all-reduce reads them.
void Stepper::BringBack() {
  for (Partial& partial : own_) {
    if (!partial.there) continue;
    weights_.device().CopyBack(partial.there.get(), partial.sum.data(), leaf_.gradients);
  }
}

// One leaf per rank carries its flags, so that all stop or save after the same step, and its times.
void Stepper::ReportOthers(const StepInput& input) {
  const std::span<float> leaf = own_[0].sum;
  leaf_.AddFlags(input.asks, leaf);
  times_.Write(leaf_.TimesOf(communicator_.rank(), leaf));
}

Result<StepResult> Stepper::Run(const StepInput& input) {
  PT_TRY(CheckFloatingPoint());
  // The others wait for this rank in the all-reduce, and would do so until the deadline.
  PT_TRY(FailTogether(AddUpOwn(input), communicator_));
  if (!own_.empty()) ReportOthers(input);
  std::optional<StepTimes::Running> counts(std::in_place, times_, StepPart::kReduce);
  const auto before = Clock::now();
  PT_LET(const std::span<const float> reduced, tree_->Reduce());
  std::span<const SummedRows> tables;
  if (rows_) {
    PT_LET(tables, ReduceRows());
  }
  const std::chrono::duration<double> waited = Clock::now() - before;
  counts.emplace(times_, StepPart::kOptimizer);
  PT_LET(StepResult result, Apply(reduced, tables, input));
  result.wait_seconds = waited.count();
  result.times = leaf_.Times(reduced);
  return result;
}

Result<std::span<const SummedRows>> Stepper::ReduceRows() {
  if (spec_.served != nullptr) spec_.served->Number(rows_->own());
  return rows_->Reduce();
}

// Returns whether the step was made, on all ranks alike.
Result<bool> Stepper::Move(int64_t step, const Gradient& gradient, std::span<const float> defined) {
  if (spec_.move) return spec_.move(gradient, defined);
  if (optimizer_.shared()) {
    return StepShared(optimizer_, weights_, gradient, defined, communicator_);
  }
  if (spec_.served != nullptr) return spec_.served->Step(step, gradient, defined, optimizer_);
  return optimizer_.Step(gradient, defined);
}

Result<float> Stepper::ClipFactor(const GradientSum& sum, float weight, const StepInput& input) {
  const double longest = spec_.train.clip_norm;
  if (longest <= 0) return 1;
  const double norm = optimizer_.Norm(sum) / double(weight);
  if (!std::isfinite(norm)) return NotFinite("the gradient", input);
  // As torch.nn.utils.clip_grad_norm_, which also adds 1e-6.
  return norm > longest ? float(longest / (norm + 1e-6)) : 1;
}

Result<StepResult> Stepper::Apply(std::span<const float> reduced,
                                  std::span<const SummedRows> tables, const StepInput& input) {
  const GradientSum sum{leaf_.Gradients(reduced), tables};
  const StepTail tail = leaf_.ReadTail(reduced);
  const StepResult out = ResultOf(tail);
  if (!std::isfinite(tail.loss) || !std::isfinite(tail.weight)) {
    return NotFinite("the loss", input);
  }
  if (out.skipped) PT_TRY(TakeBuffers(reduced, tail));
  if (out.skipped) return out;
  PT_LET(const float factor, ClipFactor(sum, tail.weight, input));
  Gradient gradient{.sum = sum, .divisor = tail.weight, .factor = factor, .rate = input.rate};
  if (spec_.train.clip_value > 0) gradient.limit = float(spec_.train.clip_value);
  PT_LET(const bool made, Move(input.step, gradient, leaf_.Defined(reduced)));
  if (!made) return NotFinite("the gradient", input);
  // Not before: where rows lie on servers a step may have to be made again.
  PT_TRY(TakeBuffers(reduced, tail));
  return out;
}

// Buffers count rows, not weights: batch norm also saw rows of weight 0.
Status Stepper::TakeBuffers(std::span<const float> reduced, const StepTail& tail) {
  return tail.rows > 0 ? buffers_.Apply(leaf_.BufferSums(reduced), tail.rows) : Status::OK();
}

// Whether a subtree's part of the sums is.
bool Stepper::IsFinite(size_t own) const {
  const auto finite = [](const float* values, int64_t count) {
    return std::all_of(values, values + count, [](float value) { return std::isfinite(value); });
  };
  if (!finite(own_[own].sum.data(), int64_t(own_[own].sum.size()))) return false;
  return std::ranges::all_of(optimizer_.layout().tables, [&](size_t i) {
    const SparseRows& rows = *own_[own].tables[i];
    return rows.count() == 0 || finite(rows.row(0), rows.count() * rows.width());
  });
}

// "shard 3 on rank 1": own shards whose part of the sums is not finite; empty when all are finite.
// A loss identifies the shard, a gradient only the subtree in which it was added.
std::string Stepper::OwnShardsNotFinite(const StepInput& input) const {
  std::vector<int32_t> shards = lost_;
  for (size_t i = 0; i < own_.size() && lost_.empty(); ++i) {
    if (IsFinite(i)) continue;
    const Subtree& subtree = tree_->own()[i];
    for (int32_t s = subtree.begin; s < subtree.end; ++s) shards.push_back(s);
  }
  if (shards.empty()) return {};
  for (int32_t& shard : shards) shard += input.shards_before;
  return fmt::format("shard{} {} on rank {}", shards.size() == 1 ? "" : "s",
                     fmt::join(shards, ", "), rank());
}

// Collective: all ranks saw the same sums, and now report whose rows caused it. If none did, each
// part is finite and only their sum is not.
Status Stepper::NotFinite(const char* what, const StepInput& input) {
  PT_LET(const auto all, communicator_.AllGather(OwnShardsNotFinite(input)));
  std::vector<std::string> where{
      fmt::format("step {} of epoch {}", input.step + 1, input.epoch + 1)};
  for (const std::string& each : all) {
    if (!each.empty()) where.push_back(each);
  }
  return NotFiniteAt(input.step,
                     fmt::format("{} is not finite at {}", what, fmt::join(where, ", ")));
}

Status NotFiniteAt(int64_t step, std::string what) {
  return Fail({.exit = Exit::kFailed,
               .what = std::move(what),
               .where = fmt::format("step {}", step + 1),
               .why = "a loss or gradient became NaN or infinite",
               .fix = "lower train.optimizer.learning_rate, or set train.clip_norm"});
}

}  // namespace protium
