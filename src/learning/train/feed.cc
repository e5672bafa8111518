// SPDX-License-Identifier: Apache-2.0
#include "train/feed.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "rows/key.h"
#include "tensor/guard.h"

namespace protium {

Feed::Feed(const ShardedRows& rows, int64_t batch_size, int64_t seed, const ComputeDevice& device)
    : rows_(rows),
      batch_size_(batch_size),
      seed_(seed),
      steps_(StepsPerEpoch(rows.total_rows(), batch_size)),
      any_(device) {
  for (int32_t shard = 0; shard < rows.shards(); ++shard) {
    if (rows.owns(shard)) own_.push_back(shard);
  }
  const Step step{.blocks = std::vector(own_.size(), RowBlock(device)),
                  .batches = std::vector<BatchRows>(own_.size())};
  made_.assign(device.staged() ? 2 : 1, step);
}

Status Feed::StartEpoch(int64_t epoch, int64_t first_step) {
  epoch_ = epoch;
  step_ = first_step_ = first_step;
  visits_.clear();
  for (size_t i = 0; i < own_.size(); ++i) {
    PT_LET(auto visit, VisitShard(i));
    PT_TRY(visit->Skip(RowsBefore(i, first_step)));
    visits_.push_back(std::move(visit));
  }
  used_.assign(own_.size(), {});
  prepared_ = false;
  return Status::OK();
}

Result<std::unique_ptr<RowVisit>> Feed::VisitShard(size_t own) const {
  const int32_t shard = own_[own];
  return rows_.Visit(shard, Permutation(seed_, epoch_, shard, rows_.rows(shard)));
}

// The rows of an own shard in the steps before this one.
int64_t Feed::RowsBefore(size_t own, int64_t step) const {
  const int64_t rows = rows_.rows(own_[own]);
  return step < steps_ ? StepPositions(rows, rows_.total_rows(), batch_size_, step).begin : rows;
}

// Copies the next rows of an own shard and counts them as used.
Status Feed::Gather(size_t own, int64_t rows, Step& into) {
  const int64_t width = rows_.schema().width();
  std::byte* const memory = into.blocks[own].Reserve(rows * width);
  PT_TRY(visits_[own]->Next(rows, memory));
  for (int64_t i = 0; i < rows; ++i) {
    AddKey(HashRow(memory + i * width, width), used_[own]);
  }
  // Rows that are left out still count as used: the feed did visit them.
  into.batches[own] = into.blocks[own].Send(rows_.schema(), TooFew(rows) ? 0 : rows);
  return Status::OK();
}

Status Feed::Prepare() {
  if (prepared_ || step_ >= steps_) return Status::OK();
  Step& into = MadeFor(step_);
  for (size_t i = 0; i < own_.size(); ++i) PT_TRY(GatherStep(i, step_, into));
  prepared_ = true;
  return Status::OK();
}

Status Feed::GatherStep(size_t own, int64_t step, Step& into) {
  const Positions positions =
      StepPositions(rows_.rows(own_[own]), rows_.total_rows(), batch_size_, step);
  return Guard("feeding rows", [&] { return Gather(own, positions.end - positions.begin, into); });
}

Result<BatchRows> Feed::NextOf(size_t own, int64_t step) {
  Step& into = MadeFor(step);
  PT_TRY(GatherStep(own, step, into));
  return into.batches[own];
}

Result<BatchRows> Feed::BatchAt(int32_t shard, int64_t epoch, int64_t step) {
  const int64_t all = rows_.rows(shard), width = rows_.schema().width();
  const Positions positions = StepPositions(all, rows_.total_rows(), batch_size_, step);
  const int64_t rows = positions.end - positions.begin;
  PT_LET(const auto visit, rows_.Visit(shard, Permutation(seed_, epoch, shard, all)));
  PT_TRY(visit->Skip(positions.begin));
  PT_LET(std::byte* const memory,
         Guard("feeding rows", [&] { return any_.Reserve(rows * width); }));
  PT_TRY(visit->Next(rows, memory));
  return any_.Send(rows_.schema(), TooFew(rows) ? 0 : rows);
}

Result<std::span<const BatchRows>> Feed::Next() {
  PT_TRY(Prepare());
  prepared_ = false;
  return std::span<const BatchRows>(MadeFor(step_++).batches);
}

// Done only now, when nobody waits: a rank that takes over a shard in the middle of an epoch must
// reach its first step soon.
Status Feed::CountSkipped(size_t own) {
  constexpr int64_t kBlockRows = 4096;
  const int64_t width = rows_.schema().width();
  // Destroyed before it is created again: a visit of rows on the disk takes memory and disk space.
  visits_[own].reset();
  PT_LET(const auto visit, VisitShard(own));
  std::vector<std::byte> block(size_t(kBlockRows * width));
  for (int64_t left = RowsBefore(own, first_step_); left > 0;) {
    const int64_t rows = std::min(left, kBlockRows);
    PT_TRY(visit->Next(rows, block.data()));
    used_[own] += ComputeIdentity({block.data(), size_t(rows * width)}, width);
    left -= rows;
  }
  return Status::OK();
}

Status Feed::EndEpoch() {
  for (size_t i = 0; i < own_.size(); ++i) {
    if (first_step_ > 0) PT_TRY(CountSkipped(i));
    const ShardIdentity& all = rows_.identity()[size_t(own_[i])];
    if (used_[i] == all) continue;
    return Fail({.exit = Exit::kBug,
                 .what = fmt::format(
                     "an epoch used {} rows of shard {}, which holds {} rows with another sum",
                     used_[i].rows, own_[i], all.rows)});
  }
  return Status::OK();
}

// The smallest part has n / parts rows; with more parts than rows, the empty ones are skipped and
// the others have 1 (Stepper::RunParts()).
bool Feed::TooFew(int64_t rows) const {
  return rows > 0 && std::max<int64_t>(1, rows / parts_) < least_;
}

Result<int64_t> Feed::LeaveOutBelow(int64_t least, int64_t parts) {
  least_ = least;
  parts_ = parts;
  int64_t left_out = 0;
  if (least <= 1) return left_out;
  for (int64_t step = 0; step < steps_; ++step) {
    for (int32_t shard = 0; shard < rows_.shards(); ++shard) {
      const Positions positions =
          StepPositions(rows_.rows(shard), rows_.total_rows(), batch_size_, step);
      const int64_t n = positions.end - positions.begin;
      if (!TooFew(n)) continue;
      left_out += n;
      if (step + 1 == steps_ && steps_ > 1) continue;
      return Fail(
          {.exit = Exit::kUsage,
           .what = fmt::format("step {} of every epoch gives shard {} {} row{}{}, but batch norm "
                               "needs {}{}",
                               step + 1, shard, n, n == 1 ? "" : "s",
                               parts > 1 ? fmt::format(" in {} parts", parts) : "", least,
                               parts > 1 ? " in each" : ""),
           .where = "train.batch_size",
           .why = fmt::format("{} rows in batches of {} over {} shards", rows_.total_rows(),
                              batch_size_, rows_.shards()),
           .fix = "change train.batch_size, train.shards or train.micro_batches, or set batch_norm "
                  "= false"});
    }
  }
  return left_out;
}

}  // namespace protium
