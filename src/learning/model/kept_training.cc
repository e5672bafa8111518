// SPDX-License-Identifier: Apache-2.0
#include "model/kept_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/fault.h"
#include "base/nearest.h"
#include "format/safetensors.h"
#include "model/copy_file.h"
#include "os/file.h"
#include "os/publish.h"
#include "protium/fields.h"
#include "store/local_store.h"
#include "train/checkpoint.h"

// An object has the files of a checkpoint as its parts and, if other weights were better, those.
// Parts are links to the run's files, and the next run's files are links to the parts: neither ever
// changes, and nothing is copied.

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr const char* kContinuesFile = "continues.json";
constexpr const char* kCheckpoints = "checkpoints";
constexpr const char* kState = "state.json";
constexpr const char* kWeights = "weights.safetensors";
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kBest = "best.safetensors";
constexpr int kTries = 10;  // To read a ref and then its object.

// What the manifest of such an object says.
struct TrainingFacts {
  std::string name;
  int64_t step = 0;
  int64_t made = 0;
  int64_t best_step = 0;  // Of the part kBest; 0: there is none.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
    visit("step", step);
    visit("made", made);
    visit("best_step", best_step);
  }
};

struct Kept {
  Ref ref;
  StoredObject object;
  TrainingFacts facts;
};

Result<std::unique_ptr<LocalStore>> OpenStore(const fs::path& folder) {
  if (!folder.empty()) return LocalStore::Open({.folder = folder});
  return Fail({.exit = Exit::kUsage,
               .what = "no training is kept: there is no store",
               .where = "train.continues",
               .why =
                   "PROTIUM_STORE is \"off\", or neither XDG_CACHE_HOME nor HOME is set, or this "
                   "is a session of Python or C",
               .fix = "unset PROTIUM_STORE, and use protium run"});
}

Status Lost(const std::string& name, const std::string& run) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("the training kept as {} is damaged or gone", name),
               .where = "train.continues",
               .why = run.empty() ? "" : "it belonged to " + run,
               .fix = fmt::format("protium cache rm {}; the next run begins anew", name)});
}

// Another run may keep its own, and drop the one before, between two calls.
Result<std::optional<Kept>> FindKept(LocalStore& store, const std::string& name) {
  for (int tries = 0; tries < kTries; ++tries) {
    PT_LET(std::optional<Ref> ref, store.refs().Get(kTrainingRef + name));
    if (!ref) return std::optional<Kept>();
    // Whole: nobody can make it again.
    PT_TRY(store.Verify(ref->object).status());
    PT_LET(std::optional<StoredObject> object, store.Find(ref->object));
    if (!object) continue;
    TrainingFacts facts;
    PT_TRY(FieldsFromJson(object->manifest().facts, "facts", facts));
    return std::optional<Kept>({std::move(*ref), std::move(*object), std::move(facts)});
  }
  return Lost(name, "");
}

Status LinkOrCopy(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_hard_link(from, to, error);
  return error ? CopyFile(from, to).status() : Status::OK();
}

Status TakeInto(const Kept& kept, const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  PT_TRY(MakeFolder(folder / "best"));
  const TrainingFacts& facts = kept.facts;
  PT_TRY(WriteFolder(folder / CheckpointFolder::StepFolder(facts.step), [&](const fs::path& draft) {
    for (const char* part : {kState, kWeights, kOptimizer}) {
      PT_TRY(LinkOrCopy(kept.object.Path(part), draft / part));
    }
    return Status::OK();
  }));
  if (facts.best_step == 0) return Status::OK();
  return LinkOrCopy(kept.object.Path(kBest), folder / CheckpointFolder::BestFile(facts.best_step));
}

Result<std::optional<ContinuedTraining>> ReadTaken(const fs::path& run, const std::string& name) {
  const fs::path file = run / kContinuesFile;
  if (!IsRegularFile(file)) return std::optional<ContinuedTraining>();
  PT_LET(const std::string text, ReadFile(file));
  PT_LET(const Json json, ParseJson(text));
  ContinuedTraining taken;
  PT_TRY(FieldsFromJson(json, file.string(), taken));
  if (taken.name == name) return std::optional(std::move(taken));
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("this run continues {}, not {}", taken.name, name),
               .where = "train.continues"});
}

Status WriteTaken(const fs::path& run, ContinuedTraining& continued) {
  return WriteFile(run / kContinuesFile, Pretty(FieldsToJson(continued)));
}

// Adds a finished file, as a link if it is on the same disk.
Status AddFile(Draft& draft, const std::string& name, const fs::path& file) {
  if (draft.TakePart(name, file).ok()) return Status::OK();
  std::error_code error;
  const auto bytes = int64_t(fs::file_size(file, error));
  if (error) return SystemFault("read " + file.string(), error.value());
  PT_LET(const UniqueFd part, draft.AddPart(name, bytes));
  fs::copy_file(file, fmt::format("/proc/self/fd/{}", part.get()),
                fs::copy_options::overwrite_existing, error);
  return error ? SystemFault("copy " + file.string(), error.value()) : Status::OK();
}

struct Finished {
  Checkpoint checkpoint;
  std::string state;  // The text of its state.json.
};

Result<Finished> FindFinished(const fs::path& checkpoints) {
  PT_LET(const CheckpointFolder folder, CheckpointFolder::Open(checkpoints));
  std::vector<Status> damaged;
  PT_LET(std::optional<Checkpoint> newest, folder.Newest(damaged));
  if (!damaged.empty()) return damaged.front();
  if (newest) {
    PT_LET(std::string state, ReadFile(newest->path / kState));
    return Finished{std::move(*newest), std::move(state)};
  }
  return Fail({.what = "the run has left no checkpoint", .where = checkpoints.string()});
}

Result<StoredObject> StoreState(LocalStore& store, const TrainingPlace& place,
                                const ContinuedTraining& continued, const Finished& finished,
                                const Call& call) {
  const CheckpointState& state = finished.checkpoint.state;
  TrainingFacts facts{.name = continued.name, .step = state.step, .made = state.epoch};
  const bool other_best = state.best.epoch > 0 && state.best.step != state.step;
  if (other_best) facts.best_step = state.best.step;
  PT_LET(FoundOrDraft begun,
         store.FindOrBegin(
             {.kind = kTrainingKind,
              .causes = {{"name", continued.name}, {"state_sha256", Sha256Hex(finished.state)}},
              .run = place.run.filename().string()},
             call));
  if (auto* const found = std::get_if<StoredObject>(&begun)) return std::move(*found);
  Draft& draft = std::get<Draft>(begun);
  for (const char* part : {kState, kWeights, kOptimizer}) {
    PT_TRY(AddFile(draft, part, finished.checkpoint.path / part));
  }
  if (other_best) {
    const fs::path checkpoints = finished.checkpoint.path.parent_path();
    PT_TRY(AddFile(draft, kBest, checkpoints / CheckpointFolder::BestFile(state.best.step)));
  }
  return draft.Commit({.content = state.weights_xxh3,
                       .seconds = state.seconds,
                       .facts = FieldsToJson(facts),
                       .synced = true,
                       .own = true});
}

Result<Kept> FindWeights(LocalStore& store, const std::string& name) {
  PT_LET(std::optional<Kept> kept, FindKept(store, name));
  if (kept) return std::move(*kept);
  std::vector<std::string> names;
  for (const Ref& ref : store.refs().List()) {
    if (ref.name.starts_with(kTrainingRef)) {
      names.push_back(ref.name.substr(std::string_view(kTrainingRef).size()));
    }
  }
  return Fail({.exit = Exit::kInput,
               .what = "no training is kept as \"" + name + "\"",
               .where = "train.from",
               .fix = names.empty() ? "a run with train.continues = \"" + name + "\" keeps one"
                                    : Suggest(name, names)});
}

fs::path WeightsOf(const Kept& kept) {
  return kept.object.Path(kept.facts.best_step > 0 ? kBest : kWeights);
}

}  // namespace

Result<ContinuedTraining> ContinueTraining(const TrainingPlace& place, const std::string& name) {
  if (place.resumed) {
    PT_LET(std::optional<ContinuedTraining> taken, ReadTaken(place.run, name));
    if (taken) return std::move(*taken);
  }
  PT_LET(const std::unique_ptr<LocalStore> store, OpenStore(place.store));
  PT_LET(const std::optional<Kept> kept, FindKept(*store, name));
  ContinuedTraining continued{.name = name};
  if (kept) continued.version = kept->ref.version;
  if (kept && !place.fresh) {
    continued.made = kept->facts.made;
    continued.run = kept->object.manifest().run;
    PT_TRY(TakeInto(*kept, place.run / kCheckpoints));
  }
  // From here on a resumed run goes on with its own checkpoints.
  PT_TRY(WriteTaken(place.run, continued));
  return continued;
}

Result<std::string> KeepTraining(const TrainingPlace& place, ContinuedTraining& continued,
                                 const Call& call) {
  PT_LET(const std::unique_ptr<LocalStore> store, OpenStore(place.store));
  PT_LET(const Finished finished, FindFinished(place.run / kCheckpoints));
  PT_LET(const StoredObject object, StoreState(*store, place, continued, finished, call));
  const std::string name = kTrainingRef + continued.name;
  const std::string& cause = object.manifest().cause;
  PT_LET(const std::optional<Ref> before, store->refs().Get(name));
  // This very state may have been kept before the run was interrupted.
  if (!before || before->object != cause) {
    PT_LET(const bool set, store->refs().CompareAndSet(name, continued.version, cause));
    if (!set) {
      PT_LET(const std::optional<Ref> now, store->refs().Get(name));
      const auto theirs = now ? store->Peek(now->object) : std::nullopt;
      return theirs ? theirs->run : "another run";
    }
    // Nothing names it any more; if a run is reading it, it gives way later.
    if (before) (void)store->Remove(before->object);
  }
  PT_LET(const std::optional<Ref> now, store->refs().Get(name));
  if (now) continued.version = now->version;
  PT_TRY(WriteTaken(place.run, continued));
  return std::string();
}

Status WithKeptName(const ContinuedTraining& continued, const fs::path& checkpoints,
                    const Status& status) {
  Fault fault = FaultOf(status);
  if (continued.run.empty() || fault.exit != Exit::kInput ||
      !fault.where.starts_with(checkpoints.string())) {
    return status;
  }
  fault.where = "train.continues";
  fault.why += fault.why.empty() ? "" : "; ";
  fault.why += fmt::format("{} was kept by {}", continued.name, continued.run);
  fault.fix = fmt::format(
      "train with the same rows and options, or begin with its weights alone: leave continues out "
      "and set train.from = \"{}{}\"",
      kKeptModel, continued.name);
  return Fail(std::move(fault));
}

Result<std::string> CopyKeptWeights(const fs::path& store, const std::string& name,
                                    const fs::path& to) {
  PT_LET(const std::unique_ptr<LocalStore> open, OpenStore(store));
  PT_LET(const Kept kept, FindWeights(*open, name));
  PT_TRY(CopyFile(WeightsOf(kept), to).status());
  return WeightsSha256(to);
}

Result<std::string> HashKeptWeights(const fs::path& store, const std::string& name) {
  PT_LET(const std::unique_ptr<LocalStore> open, OpenStore(store));
  PT_LET(const Kept kept, FindWeights(*open, name));
  return WeightsSha256(WeightsOf(kept));
}

}  // namespace protium
