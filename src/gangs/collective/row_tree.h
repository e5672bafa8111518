// SPDX-License-Identifier: Apache-2.0
// The sum over shards of communicator.h, for tables of which a shard touches a few rows: ranks
// exchange these rows alone. Written over what every backend has, so all give the same bits.
//
// 1. Rows that everybody gets travel in one all-gather.
// 2. A row with an owner reaches nobody else: its rank puts it into its window, of which the owner
//    reads its piece. The all-gather says how long the pieces are, and that they are there.
// 3. A window has two halves, used in turn. Whoever writes one again has passed the all-gather of
//    the step between, which all owners have reached by then: they have read the half.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"
#include "collective/sparse_rows.h"
#include "collective/tree_sum.h"

namespace protium {

// Of tables whose rows have an owner: a rank that gets and adds up the row, alone.
struct RowOwners {
  std::vector<char> tables;  // By table, whether its rows have; empty: none.
  std::function<int32_t(size_t table, int64_t id)> of;
  bool Have(size_t table) const { return table < tables.size() && tables[table] != 0; }
  bool Any() const { return std::ranges::find(tables, char{1}) != tables.end(); }
};

struct RowTreeSpec {
  int32_t leaves = 1;
  std::vector<int32_t> first;   // As in TreeSpec.
  std::vector<int64_t> widths;  // Floats of a row, by table.
  bool rounded = false;         // All elements, as TreeSpec::rounded.
  RowOwners owners = {};
};

// A maximal complete subtree that one rank owns, as Subtree, with the sums of its rows by table.
struct RowSubtree {
  int32_t begin = 0;
  int32_t end = 0;
  std::vector<SparseRows> tables;
};

// Calls come from the thread of the communicator, which must outlive it. Where rows have owners, it
// must live until all ranks have returned from Reduce().
class RowTree {
 public:
  // `spec` is the same on all ranks, and one that Communicator::MakeTree() accepted.
  RowTree(const RowTreeSpec& spec, Communicator& communicator);

  // This rank's subtrees, left to right, to be filled before Reduce(), which does not clear them.
  std::span<RowSubtree> own() { return own_; }
  // Collective. By table, the sum of every row that any shard touched; where rows have owners, of
  // those that this rank owns. Its bits are those of a SumTree over whole tables in which all other
  // rows are +0.0. The rows of a rank that have no owner may take 1 GiB. Valid until the next call.
  Result<std::span<const SummedRows>> Reduce();

 private:
  // Rows of one table in one subtree, by ascending id: as they were sent.
  struct Source {
    std::span<const int64_t> ids;
    const float* values = nullptr;  // Of the first of them.
  };
  void Pack();
  void PackOwned(const SparseRows& rows, size_t table);
  void PutPieces();
  Status ReadLengths(const std::vector<std::string>& all);
  Status MakeRoom();
  Result<std::string_view> PieceFrom(int32_t rank);
  Status UnpackPieces();
  Status Unpack(int32_t rank, std::string_view message, bool owned);
  const float* ValuesOf(size_t table, size_t subtree, const char* values, int64_t count);
  int64_t ElementBytes() const { return rounded_ ? 2 : 4; }
  int64_t PiecesOf(int32_t rank) const;
  int64_t half_bytes(int32_t rank) const { return window_ ? window_->size(rank) / 2 : 0; }
  void SumTable(size_t table);
  int64_t TakeRow(int64_t id, std::vector<Source>& sources, int64_t width);
  void SumTaken(int64_t found, int64_t width, float* out);

  Communicator& communicator_;
  std::vector<int64_t> widths_;
  bool rounded_;
  RowOwners owners_;
  std::vector<RowSubtree> own_;
  std::string message_;              // To all.
  std::vector<std::string> pieces_;  // By rank, the rows that it owns; none without owners.
  std::vector<std::vector<int32_t>> orders_;  // Rows of one table on their way to a piece, by rank.
  std::vector<std::vector<int64_t>> lengths_;  // Of the pieces of each rank, by receiver.
  std::unique_ptr<Window> window_;             // As large as any step has needed yet.
  int64_t half_ = 0;                           // The one of this step.
  std::vector<std::string> read_;              // Pieces from windows that are not on this host.
  std::vector<size_t> first_;                  // Subtree of every rank among all, with the end.
  std::vector<std::vector<Source>> sources_;   // By table, by subtree of all ranks.
  std::vector<std::vector<std::vector<float>>> widened_;  // Of rounded sources, likewise.
  std::vector<SummedRows> sums_;
  std::vector<float> zeros_;          // A row that is absent.
  std::vector<const float*> inputs_;  // Of the row that was taken, by subtree.
  const float* only_ = nullptr;       // The last of these that is here.
  TreeSum tree_;
};

}  // namespace protium
