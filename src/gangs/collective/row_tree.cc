// SPDX-License-Identifier: Apache-2.0
// A rank's message holds, for each of its subtrees and each table, the number of rows, their
// ascending ids and their values, padded to 8 bytes. Every rank merges all messages: one all-gather
// per step, whose bytes are those of the rows alone.
#include "collective/row_tree.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/fault.h"
#include "collective/combine.h"

namespace protium {
namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

size_t Padded(int64_t bytes) { return size_t((bytes + 7) / 8 * 8); }

void Append(const void* data, size_t bytes, std::string& to) {
  to.append(static_cast<const char*>(data), bytes);
}

void AppendRows(const SparseRows& rows, bool rounded, std::string& to) {
  const int64_t count = rows.count();
  std::vector<Bfloat16> narrow(rounded ? size_t(rows.width()) : 0);
  const std::vector<int32_t> order = rows.Ascending();
  Append(&count, sizeof(count), to);
  for (const int32_t at : order) Append(&rows.ids()[size_t(at)], sizeof(int64_t), to);
  for (const int32_t at : order) {
    if (!rounded) {
      Append(rows.row(at), size_t(rows.width()) * sizeof(float), to);
      continue;
    }
    NarrowAll(rows.row(at), rows.width(), narrow.data());
    Append(narrow.data(), narrow.size() * sizeof(Bfloat16), to);
  }
  to.resize((to.size() + 7) / 8 * 8);
}

// All ranks' subtrees, left to right.
std::vector<Subtree> AllSubtrees(const RowTreeSpec& spec) {
  std::vector<Subtree> all;
  for (size_t r = 0; r + 1 < spec.first.size(); ++r) {
    const auto own = Subtrees(spec.leaves, spec.first[r], spec.first[r + 1]);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

}  // namespace

RowTree::RowTree(const RowTreeSpec& spec, Communicator& communicator)
    : communicator_(communicator),
      widths_(spec.widths),
      rounded_(spec.rounded),
      first_{0},
      sources_(spec.widths.size()),
      widened_(spec.widths.size()),
      sums_(spec.widths.size()),
      tree_(AllSubtrees(spec), spec.leaves) {
  for (int32_t r = 0; r < communicator.world(); ++r) {
    const auto subtrees = Subtrees(spec.leaves, spec.first[size_t(r)], spec.first[size_t(r) + 1]);
    first_.push_back(first_.back() + subtrees.size());
    for (const Subtree& each : subtrees) {
      if (r != communicator.rank()) continue;
      own_.push_back({each.begin, each.end, {widths_.begin(), widths_.end()}});
    }
  }
  for (auto& each : sources_) each.resize(first_.back());
  for (auto& each : widened_) each.resize(rounded_ ? first_.back() : 0);
  if (!widths_.empty()) zeros_.resize(size_t(*std::ranges::max_element(widths_)), 0.0f);
}

Result<std::span<const SummedRows>> RowTree::Reduce(const Wants& wants) {
  PT_LET(const std::vector<std::string> all, communicator_.AllGather(Pack()));
  for (size_t r = 0; r < all.size(); ++r) {
    // Each rank sees the same messages, so all refuse a broken one alike.
    PT_TRY(Unpack(int32_t(r), all[r]));
  }
  for (size_t t = 0; t < widths_.size(); ++t) SumTable(t, wants);
  return std::span<const SummedRows>(sums_);
}

std::string RowTree::Pack() const {
  size_t bytes = 0;
  for (const RowSubtree& subtree : own_) {
    for (const SparseRows& rows : subtree.tables) {
      bytes += 16 + size_t(rows.count()) * size_t(8 + rows.width() * ElementBytes());
    }
  }
  std::string message;
  message.reserve(bytes);
  for (const RowSubtree& subtree : own_) {
    for (const SparseRows& rows : subtree.tables) AppendRows(rows, rounded_, message);
  }
  return message;
}

Status RowTree::Unpack(int32_t rank, std::string_view message) {
  const auto broken = [rank] {
    return Fail({.exit = Exit::kRemote,
                 .what = "the rows of rank " + std::to_string(rank) + " do not fit their tables"});
  };
  size_t at = 0;
  for (size_t s = first_[size_t(rank)]; s < first_[size_t(rank) + 1]; ++s) {
    for (size_t t = 0; t < widths_.size(); ++t) {
      int64_t count = 0;
      if (message.size() - at < sizeof(count)) return broken();
      std::memcpy(&count, message.data() + at, sizeof(count));
      at += sizeof(count);
      const size_t row_bytes = size_t(int64_t(sizeof(int64_t)) + widths_[t] * ElementBytes());
      if (count < 0 || size_t(count) > (message.size() - at) / row_bytes) return broken();
      const auto* const ids = reinterpret_cast<const int64_t*>(message.data() + at);
      at += size_t(count) * sizeof(int64_t);
      sources_[t][s] = {{ids, size_t(count)},
                        ValuesOf(t, s, message.data() + at, count * widths_[t])};
      at += Padded(count * widths_[t] * ElementBytes());
      if (at > message.size()) return broken();
    }
  }
  return at == message.size() ? Status::OK() : broken();
}

const float* RowTree::ValuesOf(size_t table, size_t subtree, const char* values, int64_t count) {
  if (!rounded_) return reinterpret_cast<const float*>(values);
  std::vector<float>& widened = widened_[table][subtree];
  widened.resize(size_t(count));
  WidenAll(reinterpret_cast<const Bfloat16*>(values), count, widened.data());
  return widened.data();
}

// Merges the ascending ids of all subtrees.
void RowTree::SumTable(size_t table, const Wants& wants) {
  std::vector<Source>& sources = sources_[table];
  const int64_t width = widths_[table];
  SummedRows& sums = sums_[table];
  size_t most = 0;
  for (const Source& each : sources) most += each.ids.size();
  sums.ids.clear();
  sums.values.resize(most * size_t(width));
  while (true) {
    int64_t id = kNone;
    for (const Source& each : sources) {
      if (!each.ids.empty()) id = std::min(id, each.ids.front());
    }
    if (id == kNone) break;
    const int64_t found = TakeRow(id, sources, width);
    if (wants && !wants(table, id)) continue;
    SumTaken(found, width, sums.values.data() + int64_t(sums.ids.size()) * width);
    sums.ids.push_back(id);
  }
  sums.values.resize(sums.ids.size() * size_t(width));
}

// Takes the row of this id from the sources; returns how many have it.
int64_t RowTree::TakeRow(int64_t id, std::vector<Source>& sources, int64_t width) {
  int64_t found = 0;
  inputs_.assign(sources.size(), zeros_.data());
  for (size_t s = 0; s < sources.size(); ++s) {
    Source& source = sources[s];
    if (source.ids.empty() || source.ids.front() != id) continue;
    only_ = inputs_[s] = source.values;
    ++found;
    source.ids = source.ids.subspan(1);
    source.values += width;
  }
  return found;
}

// Most rows are those of one shard; nothing that is added to them changes a bit.
void RowTree::SumTaken(int64_t found, int64_t width, float* out) {
  if (found == 1) {
    std::memcpy(out, only_, size_t(width) * sizeof(float));
  } else {
    tree_.Sum(inputs_, width, out, rounded_ ? width : 0);
  }
}

}  // namespace protium
