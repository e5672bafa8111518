// SPDX-License-Identifier: Apache-2.0
// The sum over shards of communicator.h, for tables of which a shard touches a few rows: ranks
// exchange these rows alone. Written over what every backend has, so all give the same bits.
#pragma once

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

struct RowTreeSpec {
  int32_t leaves = 1;
  std::vector<int32_t> first;   // As in TreeSpec.
  std::vector<int64_t> widths;  // Floats of a row, by table.
  bool rounded = false;         // All elements, as TreeSpec::rounded.
};

// A maximal complete subtree that one rank owns, as Subtree, with the sums of its rows by table.
struct RowSubtree {
  int32_t begin = 0;
  int32_t end = 0;
  std::vector<SparseRows> tables;
};

// Calls come from the thread of the communicator, which must outlive it.
class RowTree {
 public:
  // `spec` is the same on all ranks, and one that Communicator::MakeTree() accepted.
  RowTree(const RowTreeSpec& spec, Communicator& communicator);

  // This rank's subtrees, left to right, to be filled before Reduce(), which does not clear them.
  std::span<RowSubtree> own() { return own_; }
  // Whether a rank wants the sum of this row.
  using Wants = std::function<bool(size_t table, int64_t id)>;
  // Collective. By table, the sum of every row that any shard touched and this rank wants; without
  // `wants`, of all. Its bits are those of a SumTree over whole tables in which all other rows are
  // +0.0. The rows of a rank may take 1 GiB. Valid until the next call.
  Result<std::span<const SummedRows>> Reduce(const Wants& wants = {});

 private:
  // Rows of one table in one subtree, by ascending id: as they were sent.
  struct Source {
    std::span<const int64_t> ids;
    const float* values = nullptr;  // Of the first of them.
  };
  std::string Pack() const;
  Status Unpack(int32_t rank, std::string_view message);
  const float* ValuesOf(size_t table, size_t subtree, const char* values, int64_t count);
  int64_t ElementBytes() const { return rounded_ ? 2 : 4; }
  void SumTable(size_t table, const Wants& wants);
  int64_t TakeRow(int64_t id, std::vector<Source>& sources, int64_t width);
  void SumTaken(int64_t found, int64_t width, float* out);

  Communicator& communicator_;
  std::vector<int64_t> widths_;
  bool rounded_;
  std::vector<RowSubtree> own_;
  std::vector<size_t> first_;                 // Subtree of every rank among all, with the end.
  std::vector<std::vector<Source>> sources_;  // By table, by subtree of all ranks.
  std::vector<std::vector<std::vector<float>>> widened_;  // Of rounded sources, likewise.
  std::vector<SummedRows> sums_;
  std::vector<float> zeros_;          // A row that is absent.
  std::vector<const float*> inputs_;  // Of the row that was taken, by subtree.
  const float* only_ = nullptr;       // The last of these that is here.
  TreeSum tree_;
};

}  // namespace protium
