// SPDX-License-Identifier: Apache-2.0
#include "trees/rank_sums.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/fault.h"

namespace protium {
namespace {

// What a split is besides the bins that go left.
struct SplitMessage {
  double gain = -1;  // -1: there is none.
  int32_t column = 0;
  int32_t bin = 0;
  int64_t missing_left = 0;
  int64_t bins = 0;  // How many bytes of SplitRule::left follow.
  Cell left, right;
  ValueBounds left_bounds, right_bounds;
};
static_assert(std::is_trivially_copyable_v<SplitMessage>);

void Append(const std::optional<NodeSplit>& split, std::string& out) {
  SplitMessage message;
  if (split) {
    message = {split->gain,
               split->rule.column,
               split->rule.bin,
               split->rule.missing_left,
               int64_t(split->rule.left.size()),
               split->left,
               split->right,
               split->left_bounds,
               split->right_bounds};
  }
  out.append(reinterpret_cast<const char*>(&message), sizeof(message));
  if (split) out.append(split->rule.left.begin(), split->rule.left.end());
}

Result<std::optional<NodeSplit>> Take(std::string_view& text) {
  SplitMessage message;
  const auto bad = [] { return Fail({.exit = Exit::kBug, .what = "a rank sent no split"}); };
  if (text.size() < sizeof(message)) return bad();
  std::memcpy(&message, text.data(), sizeof(message));
  text.remove_prefix(sizeof(message));
  if (message.gain < 0) return std::optional<NodeSplit>();
  if (message.bins < 0 || uint64_t(message.bins) > text.size()) return bad();
  NodeSplit split{.gain = message.gain,
                  .left = message.left,
                  .right = message.right,
                  .left_bounds = message.left_bounds,
                  .right_bounds = message.right_bounds};
  const auto bins = text.substr(0, size_t(message.bins));
  split.rule = {message.column, message.bin, message.missing_left != 0, {bins.begin(), bins.end()}};
  text.remove_prefix(bins.size());
  return std::optional<NodeSplit>(std::move(split));
}

bool Beats(const NodeSplit& split, const std::optional<NodeSplit>& best) {
  if (!best) return true;
  if (split.gain != best->gain) return split.gain > best->gain;
  return split.rule.column < best->rule.column;
}

}  // namespace

RankSums::RankSums(const HistogramLayout& layout, Communicator& communicator)
    : layout_(layout), communicator_(communicator) {
  const int64_t cells = layout.cells() - 1, world = communicator.world();
  // The columns that begin in the rank's part of the cells.
  const auto first = [&](int64_t rank) {
    int32_t column = 0;
    while (column < layout.columns() && layout.first(column) < cells * rank / world) ++column;
    return column;
  };
  begin_ = first(communicator.rank());
  end_ = communicator.rank() + 1 == world ? layout.columns() : first(communicator.rank() + 1);
}

Result<std::unique_ptr<RankSums>> RankSums::Make(const HistogramLayout& layout,
                                                 Communicator& communicator) {
  std::unique_ptr<RankSums> out(new RankSums(layout, communicator));
  if (communicator.world() == 1) return out;
  for (auto& window : out->windows_) {
    PT_LET(window, communicator.MakeWindow(layout.cells() * int64_t(sizeof(Cell))));
  }
  return out;
}

std::span<Cell> RankSums::Local(std::span<Cell> out) {
  if (communicator_.world() == 1) return out;
  turn_ = 1 - turn_;
  return {reinterpret_cast<Cell*>(windows_[turn_]->own().data()), size_t(layout_.cells())};
}

Status RankSums::Sum(std::span<Cell> out) {
  if (communicator_.world() == 1) return Status::OK();
  PT_TRY(communicator_.Barrier("sums of a node"));
  const int64_t first = layout_.first(begin_), count = layout_.first(end_) - first;
  std::fill_n(out.begin() + first, count, Cell());
  out.back() = {};
  std::vector<Cell> read;
  for (int32_t rank = 0; rank < communicator_.world(); ++rank) {
    Window& window = *windows_[turn_];
    // The part and the total, in place or copied.
    const auto take = [&](int64_t from, int64_t many) -> Result<const Cell*> {
      constexpr auto kCell = int64_t(sizeof(Cell));
      if (const std::byte* const direct = window.Direct(rank)) {
        return reinterpret_cast<const Cell*>(direct) + from;
      }
      read.resize(size_t(many));
      PT_TRY(window.Read(rank, from * kCell, std::as_writable_bytes(std::span(read))));
      return read.data();
    };
    PT_LET(const Cell* const part, take(first, count));
    for (int64_t i = 0; i < count; ++i) out[size_t(first + i)] += part[i];
    PT_LET(const Cell* const total, take(layout_.cells() - 1, 1));
    out.back() += *total;
  }
  return Status::OK();
}

std::vector<int32_t> RankSums::Own(std::span<const int32_t> columns) const {
  const auto first = std::ranges::lower_bound(columns, begin_);
  const auto last = std::ranges::lower_bound(columns, end_);
  return {first, last};
}

void RankSums::Subtract(std::span<const Cell> less, std::span<Cell> more) const {
  const auto subtract = [&](int64_t i) {
    more[size_t(i)].gradient -= less[size_t(i)].gradient;
    more[size_t(i)].hessian -= less[size_t(i)].hessian;
  };
  for (int64_t i = layout_.first(begin_); i < layout_.first(end_); ++i) subtract(i);
  subtract(layout_.cells() - 1);
}

Status RankSums::TakeBest(std::span<std::optional<NodeSplit>> splits) {
  if (communicator_.world() == 1) return Status::OK();
  std::string own;
  for (const auto& split : splits) Append(split, own);
  PT_LET(const auto all, communicator_.AllGather(own));
  for (auto& split : splits) split.reset();
  for (const std::string& each : all) {
    std::string_view text = each;
    for (auto& split : splits) {
      PT_LET(std::optional<NodeSplit> found, Take(text));
      if (found && Beats(*found, split)) split = std::move(found);
    }
  }
  return Status::OK();
}

}  // namespace protium
