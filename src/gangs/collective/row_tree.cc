// SPDX-License-Identifier: Apache-2.0
// A message holds, for each subtree of its rank and each table, the number of rows, their ascending
// ids and their values, padded to 8 bytes: the bytes of the rows alone. That to all has the tables
// whose rows have no owner; where some have, the lengths of the rank's pieces come before it. A
// piece has the tables whose rows have owners.
#include "collective/row_tree.h"

#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "base/copy.h"
#include "base/fault.h"
#include "collective/combine.h"

namespace protium {
namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
constexpr int64_t kMostPieceBytes = int64_t{1} << 40;

size_t Padded(int64_t bytes) { return size_t((bytes + 7) / 8 * 8); }

void Append(const void* data, size_t bytes, std::string& to) {
  to.append(static_cast<const char*>(data), bytes);
}

// The rows at these positions, by ascending id.
void AppendRows(const SparseRows& rows, std::span<const int32_t> order, bool rounded,
                std::string& to) {
  const auto count = int64_t(order.size());
  std::vector<Bfloat16> narrow(rounded ? size_t(rows.width()) : 0);
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

Status Broken(int32_t rank) {
  return Fail({.exit = Exit::kRemote,
               .what = "the rows of rank " + std::to_string(rank) + " do not fit their tables"});
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
      owners_(spec.owners),
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
  if (!owners_.Any()) return;
  pieces_.resize(size_t(communicator.world()));
  orders_.resize(pieces_.size());
  read_.resize(pieces_.size());
}

Result<std::span<const SummedRows>> RowTree::Reduce() {
  half_ ^= 1;
  Pack();
  PutPieces();
  PT_LET(const std::vector<std::string> all, communicator_.AllGather(message_));
  // Each rank sees the same messages, so all refuse a broken one alike.
  if (!pieces_.empty()) {
    PT_TRY(ReadLengths(all));
    PT_TRY(MakeRoom());
  }
  for (int32_t r = 0; r < communicator_.world(); ++r) {
    const size_t skip = lengths_.empty() ? 0 : lengths_[size_t(r)].size() * sizeof(int64_t);
    PT_TRY(Unpack(r, std::string_view(all[size_t(r)]).substr(skip), false));
  }
  if (!pieces_.empty()) PT_TRY(FailTogether(UnpackPieces(), communicator_));
  for (size_t t = 0; t < widths_.size(); ++t) SumTable(t);
  return std::span<const SummedRows>(sums_);
}

void RowTree::Pack() {
  message_.assign(pieces_.size() * sizeof(int64_t), '\0');
  for (std::string& each : pieces_) each.clear();
  for (const RowSubtree& subtree : own_) {
    for (size_t t = 0; t < widths_.size(); ++t) {
      const SparseRows& rows = subtree.tables[t];
      if (owners_.Have(t)) {
        PackOwned(rows, t);
      } else {
        AppendRows(rows, rows.Ascending(), rounded_, message_);
      }
    }
  }
  for (size_t r = 0; r < pieces_.size(); ++r) {
    const auto length = int64_t(pieces_[r].size());
    std::memcpy(message_.data() + r * sizeof(length), &length, sizeof(length));
  }
}

void RowTree::PackOwned(const SparseRows& rows, size_t table) {
  for (auto& each : orders_) each.clear();
  for (const int32_t at : rows.Ascending()) {
    orders_[size_t(owners_.of(table, rows.ids()[size_t(at)]))].push_back(at);
  }
  for (size_t r = 0; r < pieces_.size(); ++r) AppendRows(rows, orders_[r], rounded_, pieces_[r]);
}

// If the window has no room for them, all ranks learn it from their lengths (MakeRoom()).
void RowTree::PutPieces() {
  const int32_t rank = communicator_.rank();
  size_t bytes = 0;
  for (const std::string& each : pieces_) bytes += each.size();
  if (bytes == 0 || int64_t(bytes) > half_bytes(rank)) return;
  std::byte* to = window_->own().data() + half_ * half_bytes(rank);
  for (const std::string& each : pieces_) {
    CopyBytes(to, each.data(), int64_t(each.size()));
    to += each.size();
  }
}

Status RowTree::ReadLengths(const std::vector<std::string>& all) {
  lengths_.assign(all.size(), std::vector<int64_t>(all.size()));
  for (size_t r = 0; r < all.size(); ++r) {
    const size_t bytes = all.size() * sizeof(int64_t);
    if (all[r].size() < bytes) return Broken(int32_t(r));
    std::memcpy(lengths_[r].data(), all[r].data(), bytes);
    for (const int64_t each : lengths_[r]) {
      if (each < 0 || each > kMostPieceBytes) return Broken(int32_t(r));
    }
  }
  return Status::OK();
}

int64_t RowTree::PiecesOf(int32_t rank) const {
  const std::vector<int64_t>& lengths = lengths_[size_t(rank)];
  return std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
}

// Collective. Where the pieces of a rank have no room, all ranks make windows that have.
Status RowTree::MakeRoom() {
  constexpr int64_t kLeastBytes = 64 << 10;
  const auto lacks = [this](int32_t rank) { return PiecesOf(rank) > half_bytes(rank); };
  bool fits = true;
  for (int32_t r = 0; r < communicator_.world(); ++r) fits = fits && !lacks(r);
  if (fits) return Status::OK();
  const int32_t rank = communicator_.rank();
  const int64_t half = std::max({kLeastBytes, half_bytes(rank), PiecesOf(rank)});
  window_.reset();
  PT_LET(window_, communicator_.MakeWindow(2 * int64_t(std::bit_ceil(uint64_t(half)))));
  PutPieces();
  return communicator_.Barrier("the rows of this step");
}

// What this rank owns of the rows of another.
Result<std::string_view> RowTree::PieceFrom(int32_t rank) {
  const std::vector<int64_t>& lengths = lengths_[size_t(rank)];
  const auto own = size_t(communicator_.rank());
  const int64_t before =
      std::accumulate(lengths.begin(), lengths.begin() + int64_t(own), int64_t{0});
  const int64_t offset = half_ * half_bytes(rank) + before;
  if (lengths[own] == 0) return std::string_view();
  const std::byte* const there = window_->Direct(rank);
  if (there != nullptr) {
    return std::string_view(reinterpret_cast<const char*>(there + offset), size_t(lengths[own]));
  }
  std::string& here = read_[size_t(rank)];
  here.resize(size_t(lengths[own]));
  PT_TRY(window_->Read(rank, offset, std::as_writable_bytes(std::span(here))));
  return std::string_view(here);
}

Status RowTree::UnpackPieces() {
  for (int32_t r = 0; r < communicator_.world(); ++r) {
    PT_LET(const std::string_view piece, PieceFrom(r));
    PT_TRY(Unpack(r, piece, true));
  }
  return Status::OK();
}

// The tables whose rows have owners, or the others.
Status RowTree::Unpack(int32_t rank, std::string_view message, bool owned) {
  size_t at = 0;
  for (size_t s = first_[size_t(rank)]; s < first_[size_t(rank) + 1]; ++s) {
    for (size_t t = 0; t < widths_.size(); ++t) {
      if (owners_.Have(t) != owned) continue;
      int64_t count = 0;
      if (message.size() - at < sizeof(count)) return Broken(rank);
      std::memcpy(&count, message.data() + at, sizeof(count));
      at += sizeof(count);
      const size_t row_bytes = size_t(int64_t(sizeof(int64_t)) + widths_[t] * ElementBytes());
      if (count < 0 || size_t(count) > (message.size() - at) / row_bytes) return Broken(rank);
      const auto* const ids = reinterpret_cast<const int64_t*>(message.data() + at);
      at += size_t(count) * sizeof(int64_t);
      sources_[t][s] = {{ids, size_t(count)},
                        ValuesOf(t, s, message.data() + at, count * widths_[t])};
      at += Padded(count * widths_[t] * ElementBytes());
      if (at > message.size()) return Broken(rank);
    }
  }
  return at == message.size() ? Status::OK() : Broken(rank);
}

const float* RowTree::ValuesOf(size_t table, size_t subtree, const char* values, int64_t count) {
  if (!rounded_) return reinterpret_cast<const float*>(values);
  std::vector<float>& widened = widened_[table][subtree];
  widened.resize(size_t(count));
  WidenAll(reinterpret_cast<const Bfloat16*>(values), count, widened.data());
  return widened.data();
}

// Merges the ascending ids of all subtrees.
void RowTree::SumTable(size_t table) {
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
