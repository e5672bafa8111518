// SPDX-License-Identifier: Apache-2.0
// Checkpoints of one training, in a folder of its own. Written by rank 0 alone.
//
//   step-000000120/weights.safetensors    parameters and buffers, as a model has them
//   step-000000120/optimizer.safetensors  the optimiser's state; where weights are averaged, also
//                                         those in training ("trained"): the file above has the
//                                         average then
//   step-000000120/state.json             {"format": 5, "sha256", "state"}: everything else, as
//                                         CheckpointState; the hash is of "state" as JSON without
//                                         spaces
//   best/step-000000100.safetensors       the best weights so far, as validation chose them
//   attempt                               the number of the attempt that may write
//
// 1. A checkpoint's folder appears by one rename, with all its files flushed: it is complete or
//    does not exist.
// 2. Whoever opens the folder takes the next attempt number; older attempts can write no more. So a
//    rank of a gang that was given up but still runs somewhere cannot overwrite what its successor
//    saves.
// 3. Every file is covered by a hash in state.json, and state.json by a hash of its own: damage is
//    found when it is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "format/safetensors.h"
#include "train/plateau.h"

namespace protium {

// The weights with the best value of the chosen metric so far.
struct BestSoFar {
  int64_t epoch = 0;  // From 1; 0: none yet.
  int64_t step = 0;
  double value = 0;
  Json metrics = Json::object();
  std::string file;  // Below the folder.
  std::string xxh3;  // Of the file's tensors.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("epoch", epoch);
    visit("step", step);
    visit("value", value);
    visit("metrics", metrics);
    visit("file", file);
    visit("xxh3", xxh3);
  }
};

// Where training stands: what a rank needs, besides rows and tensors, to continue to the same bits.
struct CheckpointState {
  int64_t epoch = 0;       // Epochs finished.
  int64_t epoch_step = 0;  // Steps finished of the epoch after those.
  int64_t step = 0;        // Steps finished in all.
  int64_t skipped = 0;     // Of these, steps of total weight 0.
  double epoch_loss = 0;   // Sums over the steps of the epoch begun.
  double epoch_weight = 0;
  double seconds = 0;  // Spent training so far, in all attempts.
  // Of the tensors in the two files (WeightsXxh3()), to detect damage. A cryptographic hash would
  // take longer than everything else in writing a checkpoint; the weights of a model get one when
  // they are handed out.
  std::string weights_xxh3;
  std::string optimizer_xxh3;
  Json identity = Json::object();  // What a resuming run must agree with; see Resumable().
  BestSoFar best;
  Plateau plateau;   // Of reduce_on_plateau.
  Plateau stopping;  // Of early stopping.
  Json history = Json::array();
  template <class Visit>
  void Fields(Visit& visit) {
    visit("epoch", epoch);
    visit("epoch_step", epoch_step);
    visit("step", step);
    visit("skipped", skipped);
    visit("epoch_loss", epoch_loss);
    visit("epoch_weight", epoch_weight);
    visit("seconds", seconds);
    visit("weights_xxh3", weights_xxh3);
    visit("optimizer_xxh3", optimizer_xxh3);
    visit("identity", identity);
    visit("best", best);
    visit("plateau", plateau);
    visit("stopping", stopping);
    visit("history", history);
  }
};

// A checkpoint as read back, its hashes checked.
struct Checkpoint {
  std::filesystem::path path;
  CheckpointState state;
  Safetensors weights;
  Safetensors optimizer;
  Status best = {};  // Why the best weights named by the state are lost; OK: they are intact.
};

class CheckpointFolder {
 public:
  // Creates the folder if necessary, removes what a killed writer left incomplete, and takes the
  // next attempt number.
  static Result<CheckpointFolder> Open(std::filesystem::path folder);

  // Returns the newest checkpoint that is intact together with the best weights that it names:
  // whoever continues from it reaches the weights of an uninterrupted run. Without one, returns the
  // newest that is intact except for its best weights, or nullopt. `damaged` gets one error for
  // each newer one that is not intact.
  Result<std::optional<Checkpoint>> Newest(std::vector<Status>& damaged) const;
  // Returns the states of the checkpoints whose weights are intact, oldest first.
  std::vector<CheckpointState> ListIntact() const;
  // Makes the weights of the checkpoint of this step available as best weights, BestFile(), by a
  // link or a copy, replacing damaged ones.
  Status KeepAsBest(int64_t step) const;

  // Writes a checkpoint and stores its hashes in `state`. `state.best.file` gets the checkpoint's
  // own weights if the best step is this one, else `best`, unless they are already there (`best` is
  // empty then). Afterwards removes all but the `keep` newest checkpoints and the files of best
  // weights that none of these names. Refused when another attempt has opened the folder since. On
  // failure, earlier checkpoints are untouched and the fault names the newest of them.
  Result<std::filesystem::path> Write(CheckpointState& state, std::span<const NamedTensor> weights,
                                      std::span<const NamedTensor> optimizer, int32_t keep,
                                      std::span<const NamedTensor> best = {});
  static std::string BestFile(int64_t step);
  // The name of the folder of a step's checkpoint.
  static std::string StepFolder(int64_t step);

  const std::filesystem::path& path() const { return path_; }

 private:
  CheckpointFolder(std::filesystem::path path, int64_t attempt)
      : path_(std::move(path)), attempt_(attempt) {}
  Status CheckAttempt() const;
  Status CheckBest(const BestSoFar& best) const;
  Status Link(const std::filesystem::path& from, const std::filesystem::path& best,
              std::span<const NamedTensor> weights) const;
  Status WriteBest(const CheckpointState& state, const std::filesystem::path& draft,
                   std::span<const NamedTensor> weights, std::span<const NamedTensor> best) const;
  Status Prune(int64_t step, int32_t keep) const;

  std::filesystem::path path_;
  int64_t attempt_;
};

// Refuses to continue when `now` differs from what the checkpoint at `where` was made with, naming
// the first key that differs and both values; other rows are reported as changed input, with both
// counts. Both are objects with the keys shards, options, fingerprint, stages_sha256, rows,
// validation_rows.
Status Resumable(const Json& then, const Json& now, const std::string& where);

}  // namespace protium
