// SPDX-License-Identifier: Apache-2.0
// Tables of ids whose rows servers hold: the last ranks of a gang, which own no shards. All other
// ranks are workers. docs/together.md, "Servers", says what this promises.
//
// 1. A server's net has the rows of its own ids, in a window (collective/communicator.h) from which
//    workers copy those that they need. A worker's net has room for the rows of one step.
// 2. In a step workers pull the rows of their batches, compute, and push the sums of their own
//    subtrees by the positions of the ids among all (collective/row_tree.h). Servers complete the
//    sums of their rows in the halving of docs/rows.md and make the optimiser's step: the bits are
//    those of tables that every rank holds.
// 3. All ranks end a step together (StepMade()), so nobody pulls rows while servers write them.
// 4. Every rank has the same values of everything that is no table of ids.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"
#include "collective/row_tree.h"
#include "protium/choice.h"
#include "rows/rows.h"
#include "tensor/batch.h"
#include "tensor/id_places.h"
#include "tensor/net.h"
#include "tensor/weights.h"
#include "train/optimizer.h"

namespace protium {

struct ServedSpec {
  int32_t servers = 1;
  std::shared_ptr<const IdTables> all;  // The ids of all training rows.
  // Makes the net with rows for these ids.
  std::function<Result<std::unique_ptr<Net>>(std::shared_ptr<const IdTables> ids)> make;
  Choice optimizer;
  int64_t batch_size = 1;
};

// A net with the rows of all ids, as checkpoints and models have it.
struct WholeNet {
  std::unique_ptr<Net> net;
  std::unique_ptr<Weights> weights;
  std::optional<Optimizer> optimizer;
};

// One rank's view. Calls come from the thread of the communicator, which must outlive it.
class ServedTables {
 public:
  // Rows of a forward that predicts, for which a worker has room.
  static constexpr int64_t kPredictRows = 4096;

  // Collective. `rows` are those of the own shards.
  static Result<std::unique_ptr<ServedTables>> Make(const ServedSpec& spec, const ShardedRows& rows,
                                                    Communicator& communicator);

  int32_t servers() const { return places_.servers(); }
  // This rank's; Pull() changes what a worker's computes with.
  Net& net() { return *net_; }
  Weights& weights() { return *weights_; }

  // Copies the rows of all ids in these batches from the servers to the net of a worker. An id
  // that no training row has gets none. The ids of each column must fit the room: those of the own
  // shards' rows of a step, or of kPredictRows rows.
  Status Pull(std::span<const BatchRows> batches);

  // Before RowTree::Reduce(): numbers the rows of the last Pull() by their positions.
  void Number(std::span<RowSubtree> own) const;
  // Whether this rank moves the row; false on workers.
  bool Moves(size_t table, int64_t position) const;
  // Of these sums, those that this rank moves, by the numbers of its own rows. Valid until the next
  // call.
  std::span<const SummedRows> Own(std::span<const SummedRows> sums);
  // Collective. Ends a step; returns whether all ranks have made it.
  Result<bool> StepMade(bool here);

  // Collective. Gives every rank rank 0's values of what is no table of ids.
  Status ShareOthers(Optimizer& optimizer);
  // Equal on two ranks, for all practical purposes, exactly when these values are.
  std::string OthersHash(Optimizer& optimizer);
  // A whole net with the values that it begins with.
  Result<WholeNet> NewWhole() const;
  // Collective. Returns all of the gang's values, on rank 0; others get nothing.
  Result<WholeNet> Gather(Optimizer& optimizer);
  // Collective. Gives all ranks the values of rank 0's `whole`, which others leave out.
  Status Spread(WholeNet* whole, Optimizer& optimizer);

 private:
  struct Table {
    size_t parameter = 0;
    int64_t column = -1;  // Of ids; -1: every rank has all rows.
    int64_t width = 0;
    std::vector<int64_t> offsets = {};  // By server: of its rows in its window, in floats.
  };
  ServedTables(const ServedSpec& spec, Communicator& communicator)
      : spec_(spec), communicator_(communicator), places_(spec.all, spec.servers) {}
  Status MakeNet(const ShardedRows& rows);
  int64_t WindowBytes() const;
  Status MakeWeights();
  Status ShareOffsets();
  Status Note(const BatchRows& rows, size_t column);
  Status PullTable(const Table& table);
  Status Copy(const Table& table, int64_t position, float* to) const;
  int32_t workers() const { return communicator_.world() - spec_.servers; }
  bool serves() const { return communicator_.rank() >= workers(); }
  int32_t own() const { return communicator_.rank() - workers(); }  // Of a server.
  bool leads() const { return communicator_.rank() == 0; }
  void CopyOthers(Optimizer& from, Weights& from_weights, Optimizer& to, Weights& to_weights) const;
  std::vector<int64_t> PositionsOf(int32_t server, const Table& table, int64_t begin,
                                   int64_t end) const;
  template <class Visit>
  Status ForRounds(Optimizer& optimizer, Visit visit) const;

  const ServedSpec spec_;
  Communicator& communicator_;
  IdPlaces places_;
  // The ids that the own net has rows for: a server's own, or those of the last Pull().
  std::shared_ptr<IdTables> here_;
  std::vector<std::vector<int64_t>> positions_;  // Of a worker's, by column, among all ids.
  std::shared_ptr<Window> window_;
  std::unique_ptr<Net> net_;
  std::unique_ptr<Weights> weights_;
  std::vector<Table> tables_;   // As GradientLayout::tables.
  std::vector<size_t> served_;  // The parameters that are tables of ids.
  std::vector<SummedRows> own_sums_;
};

}  // namespace protium
