// SPDX-License-Identifier: Apache-2.0
// Trainings that go on from run to run (train.continues), by name: the newest checkpoint of one is
// an object of the store (store/local_store.h), and a ref, "training/NAME", stands for it. A run
// copies it into its folder, so that from there on it resumes as ever, and keeps its own in turn if
// no other run has done so since.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/call.h"
#include "base/status.h"

namespace protium {

// The kind of its objects, and what the names of its refs begin with.
inline constexpr const char* kTrainingKind = "training";
inline constexpr const char* kTrainingRef = "training/";

// What a run continues; in the run as continues.json.
struct ContinuedTraining {
  std::string name;
  int64_t version = 0;  // Of the ref that this run's own follows; 0: nothing was kept.
  int64_t made = 0;     // Epochs or rounds that were made before this run.
  std::string run;      // Who made them; empty: nobody.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
    visit("version", version);
    visit("made", made);
    visit("run", run);
  }
};

// Where they are kept, and who asks.
struct TrainingPlace {
  std::filesystem::path store;  // Empty: there is none, a fault of kUsage.
  std::filesystem::path run;
  bool resumed = false;  // The run may have taken one already, and goes on with that.
  bool fresh = false;    // Takes none.
};

// Puts the newest checkpoint kept under this name into the run, whose folder of checkpoints has
// nothing else then. Fails with kInput if it is damaged or gone.
Result<ContinuedTraining> ContinueTraining(const TrainingPlace& place, const std::string& name);

// Keeps the run's newest checkpoint under the name, flushed to the disk, unless another run has
// kept its own since: returns the run that has, else "". `continued` follows.
Result<std::string> KeepTraining(const TrainingPlace& place, ContinuedTraining& continued,
                                 const Call& call);

// Makes the fault that the kept checkpoint is refused one that says what to do about it.
Status WithKeptName(const ContinuedTraining& continued, const std::filesystem::path& checkpoints,
                    const Status& status);

// Copies the weights of the newest training kept under this name, the best ones if validation rows
// chose them, to the file `to`. Returns the hash of the tensors.
Result<std::string> CopyKeptWeights(const std::filesystem::path& store, const std::string& name,
                                    const std::filesystem::path& to);
// The hash alone.
Result<std::string> HashKeptWeights(const std::filesystem::path& store, const std::string& name);

}  // namespace protium
