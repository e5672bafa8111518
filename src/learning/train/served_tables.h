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
//    Where steps are made apart (server_round.h), servers are asked for rows instead.
// 4. Every rank has the same values of everything that is no table of ids.
// 5. Where a process may take the rank of one that has died (gang/membership.h), servers share
//    their rows with all of the gang's processes. In a step servers hold their rows as they were
//    (row_journal.h) and move them; then all ranks end the step (StepMade()), and only then move
//    everything else. So a step that some rank alive has made was made by all servers, and one that
//    none has made is taken back: servers put their rows back, and it is made again.
// 6. Rows that do not fit into memory lie on the disk, in files that are mapped like memory, and so
//    does the whole net that rank 0 makes of all rows for a checkpoint.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"
#include "collective/row_tree.h"
#include "gang/membership.h"
#include "protium/choice.h"
#include "rows/rows.h"
#include "tensor/batch.h"
#include "tensor/id_places.h"
#include "tensor/net.h"
#include "tensor/weights.h"
#include "train/average.h"
#include "train/optimizer.h"
#include "train/row_journal.h"
#include "train/row_planes.h"
#include "train/served_layout.h"

namespace protium {

struct ServedSpec {
  int32_t servers = 1;
  std::shared_ptr<const IdTables> all;  // The ids of all training rows.
  // Makes the net with rows for these ids.
  std::function<Result<std::unique_ptr<Net>>(std::shared_ptr<const IdTables> ids)> make;
  Choice optimizer;
  int64_t batch_size = 1;
  double average = 0;  // TrainOptions::average.
  // For the rows of all servers with their states and averages. Those that take more lie in files
  // in `disk`, all of them.
  int64_t memory_bytes = std::numeric_limits<int64_t>::max();
  std::filesystem::path disk;
};

// What a row has besides its weights.
struct OfRows {
  Optimizer& optimizer;
  WeightAverage* average = nullptr;  // nullptr: weights are not averaged.
};

// A net with the rows of all ids, as checkpoints and models have it.
struct WholeNet {
  std::unique_ptr<Net> net;
  std::unique_ptr<Weights> weights;
  std::optional<Optimizer> optimizer;
  std::optional<WeightAverage> average;
  OfRows of_rows() { return {*optimizer, average ? &*average : nullptr}; }
};

// One rank's view. Calls come from the thread of the communicator, which must live as long as it is
// used.
class ServedTables {
 public:
  // Rows of a forward that predicts, for which a worker has room.
  static constexpr int64_t kPredictRows = 4096;

  // Collective. `rows` are those of the own shards.
  static Result<std::unique_ptr<ServedTables>> Make(const ServedSpec& spec, const ShardedRows& rows,
                                                    Communicator& communicator);

  // The same in parts, none of which is collective. What Share() returns goes to all processes of
  // the gang, and Open() takes what all ranks have shared, by rank. `taken`: the rank is that of a
  // process that has ended, whose rows go on.
  static Result<std::unique_ptr<ServedTables>> Begin(const ServedSpec& spec,
                                                     const ShardedRows& rows,
                                                     Communicator& communicator);
  Result<SharedPart> Share() const;
  Status Open(std::vector<SharedPart> parts, bool taken);
  // From now on this rank has its place in the next generation: the same rank.
  void EnterNext(Communicator& communicator) { communicator_ = &communicator; }
  // What the optimiser of this rank is made with.
  OptimizerPart optimizer_part() const;

  int32_t servers() const { return places_.servers(); }
  bool serves() const { return rank_ >= workers_; }
  // Of the rows of all servers, with their states and averages.
  int64_t bytes() const { return bytes_; }
  // The folder of the files that they lie in; empty: they are in memory.
  const std::filesystem::path& disk() const { return disk_; }
  // This rank's; Pull() changes what a worker's computes with.
  Net& net() { return *net_; }
  Weights& weights() { return *weights_; }

  // Copies the rows of all ids in these batches from the servers to the net of a worker. An id
  // that no training row has gets none. The ids of each column must fit the room: those of the own
  // shards' rows of a step, or of kPredictRows rows.
  Status Pull(std::span<const BatchRows> batches);
  // The first half of it: the net of a worker has these ids from now on, whose rows it lacks.
  Status Expect(std::span<const BatchRows> batches);

  // A table of the net, as GradientLayout::tables.
  struct Table {
    size_t parameter = 0;
    int64_t column = -1;  // Of ids; -1: every rank has all rows.
    int64_t width = 0;
    std::vector<int64_t> offsets = {};  // By server: of its rows in its window, in floats.
  };
  const std::vector<Table>& tables() const { return tables_; }
  int32_t workers() const { return workers_; }
  int32_t own() const { return rank_ - workers_; }  // Of a server, its number.
  // On a worker: the positions, among all ids of a column, of the ids that its net has rows for, by
  // row. On a server: how many rows there are of the column.
  std::span<const int64_t> positions(size_t column) const { return positions_[column]; }
  int64_t rows(size_t column) const { return here_->columns[column].count(); }
  // How many rows a worker's net has room for.
  int64_t room(size_t column) const { return here_->rows(column); }
  const IdPlaces& places() const { return places_; }
  // The weights of what is no table of ids, borrowed, in the same order on every rank.
  std::vector<std::span<float>> OtherWeights();

  // Before RowTree::Reduce(): numbers the rows of the last Pull() by their positions.
  void Number(std::span<RowSubtree> own) const;
  // The servers of the rows, by their positions.
  RowOwners Owners() const;
  // Collective. Makes step `step`, counted from 0, of which `gradient` has the sums; returns false
  // if a gradient was not finite, on all ranks alike.
  Result<bool> Step(int64_t step, Gradient gradient, std::span<const float> defined,
                    Optimizer& optimizer);
  // On a server: if its rows have begun this step, puts them back.
  void TakeBack(int64_t step, const OfRows& of_rows);

  // Collective. All ranks have done with the rows as they were: after they were exchanged with
  // their averages.
  Status Settle();
  // Collective. Gives every rank those values of a rank that are no table of ids.
  Status ShareOthers(const OfRows& of_rows, int32_t root = 0);
  // Equal on two ranks, for all practical purposes, exactly when these values are.
  std::string OthersHash(Optimizer& optimizer);
  // A whole net with the values that it begins with.
  Result<WholeNet> NewWhole() const;
  // Collective. Returns all of the gang's values, on rank 0; others get nothing.
  Result<WholeNet> Gather(const OfRows& of_rows);
  // Collective. Gives all ranks the values of rank 0's `whole`, which others leave out.
  Status Spread(WholeNet* whole, const OfRows& of_rows);

 private:
  ServedTables(const ServedSpec& spec, Communicator& communicator)
      : spec_(spec),
        communicator_(&communicator),
        rank_(communicator.rank()),
        workers_(communicator.world() - spec.servers),
        places_(spec.all, spec.servers) {}
  Status MakeNet(const ShardedRows& rows);
  Status ChoosePlace();
  Result<std::unique_ptr<Window>> MakeWindow();
  Status MakeWeights();
  Status ShareOffsets();
  void TakeOffsets(std::string_view text);
  void ListTables();
  Status Note(const BatchRows& rows, size_t column);
  Status PullTable(const Table& table);
  Status Copy(const Table& table, int64_t position, float* to) const;
  // Whether this rank moves the row; false on workers.
  bool Moves(size_t table, int64_t position) const;
  // Of these sums, those that this rank moves, by the numbers of its own rows. Valid until the next
  // call.
  std::span<const SummedRows> Own(std::span<const SummedRows> sums);
  Result<bool> StepMade(bool here);
  void Hold(int64_t step, std::span<const SummedRows> own, const OfRows& of_rows);
  std::vector<std::vector<RowPlane>> ServedPlanes(const OfRows& of_rows) const;
  bool leads() const { return rank_ == 0; }
  std::vector<RowPlane> PlanesOf(size_t table, const OfRows& of_rows) const;
  std::vector<std::span<std::byte>> OthersOf(const OfRows& of_rows, Weights& weights) const;
  void CopyOthers(const OfRows& from, Weights& from_weights, const OfRows& to,
                  Weights& to_weights) const;
  std::vector<int64_t> PositionsOf(int32_t server, const Table& table, int64_t begin,
                                   int64_t end) const;
  template <class Visit>
  Status ForRounds(const OfRows& of_rows, Visit visit) const;

  const ServedSpec spec_;
  Communicator* communicator_;
  const int32_t rank_;
  const int32_t workers_;
  IdPlaces places_;
  // The ids that the own net has rows for: a server's own, or those of the last Pull().
  std::shared_ptr<IdTables> here_;
  std::vector<std::vector<int64_t>> positions_;  // Of a worker's, by column, among all ids.
  int64_t bytes_ = 0;
  std::filesystem::path disk_;
  std::shared_ptr<Window> window_;
  bool shared_ = false;  // The windows are files that all processes of the gang have.
  bool taken_ = false;
  ServedLayout layout_;  // Of a server's.
  RowJournal journal_;   // On a server.
  std::unique_ptr<Net> net_;
  std::unique_ptr<Weights> weights_;
  std::vector<Table> tables_;          // As GradientLayout::tables.
  std::vector<size_t> served_;         // The parameters that are tables of ids,
  std::vector<size_t> served_tables_;  // and their numbers among `tables_`.
  std::vector<SummedRows> own_sums_;
};

}  // namespace protium
