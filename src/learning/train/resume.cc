// SPDX-License-Identifier: Apache-2.0
#include "train/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/fault.h"
#include "events/events.h"
#include "protium/fields.h"
#include "recipe/changes.h"
#include "tensor/guard.h"
#include "train/shared_optimizer.h"
#include "train/state_tensors.h"

// Only rank 0 reads files: ranks on other hosts may not see the folder, and one that read an older
// checkpoint than the others would continue from there. The others receive it, in this order:
// status and state as one message, so that all fail or begin alike; then parameters, buffers and
// the tensors of Learner::State(). The loaded weights are the average, if there is one, so it is
// exchanged last.

namespace protium {
namespace {

// What rank 0 sends: {"status": ...} and, if a checkpoint exists, {"state": ...}.
struct Found {
  Status status;
  std::optional<CheckpointState> state;
};

std::string GoingBack(const Fault& damage, const std::string& where) {
  const std::string why = damage.why.empty() ? "" : " (" + damage.why + ")";
  return fmt::format("{}{}; training continues from {}", damage.what, why, where);
}

// The values on the validation rows, if the checkpoint is that of an epoch's end; else null.
Json ValuesAt(const CheckpointState& state) {
  if (state.epoch_step != 0 || state.history.empty()) return {};
  const Json& last = state.history.back();
  return last.value("step", int64_t{-1}) == state.step ? last.value("validation", Json()) : Json();
}

// The best weights that `state` names are lost: the best of the remaining checkpoints, up to this
// one, replace them.
Status ChooseAgain(const ResumeWish& wish, const CheckpointFolder& folder, CheckpointState& state) {
  state.best = {};
  for (CheckpointState& each : folder.ListIntact()) {
    const Json values = ValuesAt(each);
    if (each.step > state.step || !values.is_object() || !wish.choose) continue;
    each.best = state.best;
    wish.choose(values, each);
    if (each.best.step == each.step) each.best.xxh3 = each.weights_xxh3;
    state.best = each.best;
  }
  return state.best.epoch > 0 ? folder.KeepAsBest(state.best.step) : Status::OK();
}

std::string BestLost(const Fault& damage, const BestSoFar& lost, const CheckpointState& now) {
  const std::string instead =
      now.best.epoch > 0
          ? fmt::format("those of epoch {} are the best of what is left", now.best.epoch)
          : fmt::format("the best are taken of the epochs from {} on", now.epoch + 1);
  return fmt::format(
      "the weights of epoch {}, the best so far, are lost: {}{}; {}, so the model may have other "
      "weights than that of a run left alone",
      lost.epoch, damage.what, damage.why.empty() ? "" : " (" + damage.why + ")", instead);
}

Status NoneIntact(const Status& damaged) {
  Fault fault = FaultOf(damaged);
  if (fault.fix.empty()) {
    fault.fix = "put back the folder of checkpoints from a copy, or start a new run";
  }
  return Fail(std::move(fault));
}

Result<std::optional<Checkpoint>> Load(const ResumeWish& wish, const Learner& learner,
                                       const Json& identity,
                                       std::optional<CheckpointFolder>& folder,
                                       const std::function<void(const Json&)>& report) {
  PT_LET(folder, CheckpointFolder::Open(wish.folder));
  std::vector<Status> damaged;
  PT_LET(std::optional<Checkpoint> checkpoint, folder->Newest(damaged));
  if (!checkpoint && damaged.empty()) return std::optional<Checkpoint>();
  if (!wish.wanted) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the folder holds checkpoints of another run: " + wish.folder.string(),
                 .where = wish.folder.string(),
                 .fix = "resume that run, or train in a new folder"});
  }
  // Checkpoints exist, but none is intact: starting from the beginning would silently discard them.
  if (!checkpoint) return NoneIntact(damaged[0]);
  const std::string where = checkpoint->path.string();
  for (const Status& status : damaged) {
    if (report) report(EventToJson(Warning{GoingBack(FaultOf(status), where)}));
  }
  const CheckpointState& then = checkpoint->state;
  Json now = identity;
  PutChangesFelt(wish.changes, then.epoch, then.epoch_step > 0, now["options"]);
  PT_TRY(Resumable(then.identity, now, where));
  PT_TRY(learner.weights.Load(checkpoint->weights, where));
  PT_TRY(learner.optimizer.Load(checkpoint->optimizer, where));
  if (learner.average != nullptr) PT_TRY(learner.average->Load(checkpoint->optimizer, where));
  if (learner.outer != nullptr) PT_TRY(learner.outer->Load(checkpoint->optimizer, where));
  if (!checkpoint->best.ok()) {
    const BestSoFar lost = checkpoint->state.best;
    PT_TRY(ChooseAgain(wish, *folder, checkpoint->state));
    const std::string said = BestLost(FaultOf(checkpoint->best), lost, checkpoint->state);
    if (report) report(EventToJson(Warning{said}));
  }
  return checkpoint;
}

Result<Found> Share(const Result<std::optional<Checkpoint>>& loaded, Communicator& communicator) {
  std::string message;
  if (communicator.rank() == 0) {
    Json json = {{"status", StatusToJson(loaded.status())}};
    if (loaded.ok() && *loaded) json["state"] = FieldsToJson((*loaded)->state);
    message = Dump(json);
  }
  PT_LET(const auto all, communicator.AllGather(message));
  PT_LET(const Json json, ParseJson(all[0]));
  Found out{.status = StatusFromJson(json["status"])};
  if (!json.contains("state")) return out;
  out.state.emplace();
  PT_TRY(FieldsFromJson(json["state"], "", *out.state));
  return out;
}

}  // namespace

Json IdentityToJson(const std::vector<ShardIdentity>& identity) {
  Json out = Json::array();
  for (const ShardIdentity& shard : identity) {
    out.push_back({shard.rows, KeySumText(shard)});
  }
  return out;
}

Learner Learner::Of(WholeNet& whole) {
  return {*whole.weights, *whole.optimizer, whole.of_rows().average};
}

Status Learner::ExchangeAverage() const {
  if (average == nullptr) return Status::OK();
  average->Exchange();
  return served == nullptr ? Status::OK() : served->Settle();
}

std::vector<NamedTensor> Learner::State(std::vector<NamedTensor> of_optimizer) const {
  std::vector<NamedTensor> tensors = std::move(of_optimizer);
  if (tensors.empty()) tensors = optimizer.Tensors();
  if (average != nullptr) tensors.push_back(average->Trained());
  if (outer != nullptr) std::ranges::move(outer->Tensors(), std::back_inserter(tensors));
  return tensors;
}

Status BroadcastTensors(const Learner& learner, int32_t root, Communicator& communicator) {
  PT_TRY(communicator.Broadcast(std::as_writable_bytes(learner.weights.parameters()), root));
  PT_TRY(communicator.Broadcast(std::as_writable_bytes(learner.weights.buffers()), root));
  for (const NamedTensor& tensor : learner.State()) {
    PT_TRY(communicator.Broadcast(WritableBytes(tensor), root));
  }
  return Status::OK();
}

Status LoadWeights(const std::filesystem::path& file, const Learner& learner,
                   Communicator& communicator) {
  std::optional<WholeNet> whole;
  const auto load = [&]() -> Status {
    PT_LET(const Safetensors read, Safetensors::Read(file));
    if (learner.served == nullptr) return learner.weights.Load(read, file.string());
    PT_LET(whole, learner.served->NewWhole());
    return whole->weights->Load(read, file.string());
  };
  if (communicator.rank() == 0) PT_TRY(FailTogether(load(), communicator));
  if (learner.served != nullptr) {
    return learner.served->Spread(whole ? &*whole : nullptr, learner.of_rows());
  }
  PT_TRY(communicator.Broadcast(std::as_writable_bytes(learner.weights.parameters()), 0));
  PT_TRY(communicator.Broadcast(std::as_writable_bytes(learner.weights.buffers()), 0));
  return Guard("sending weights", [&] { learner.weights.Upload(); });
}

Result<bool> ResumeFrom(const ResumeWish& wish, Communicator& communicator, const Learner& learner,
                        CheckpointState& state, std::optional<CheckpointFolder>& folder,
                        const std::function<void(const Json&)>& report) {
  Result<std::optional<Checkpoint>> loaded = std::optional<Checkpoint>();
  std::optional<WholeNet> whole;  // On rank 0, where servers hold rows.
  const auto load = [&]() -> Result<std::optional<Checkpoint>> {
    if (learner.served == nullptr || !wish.wanted) {
      return Load(wish, learner, state.identity, folder, report);
    }
    PT_LET(whole, learner.served->NewWhole());
    return Load(wish, Learner::Of(*whole), state.identity, folder, report);
  };
  if (communicator.rank() == 0) loaded = load();
  PT_LET(Found found, Share(loaded, communicator));
  PT_TRY(found.status);
  if (!found.state) return false;
  if (learner.served != nullptr) {
    PT_TRY(learner.served->Spread(whole ? &*whole : nullptr, learner.of_rows()));
  } else {
    PT_TRY(BroadcastTensors(learner, 0, communicator));
  }
  if (learner.optimizer.shared()) {
    PT_TRY(
        ScatterState(learner.optimizer, *loaded ? &(*loaded)->optimizer : nullptr, communicator));
  }
  PT_TRY(learner.ExchangeAverage());
  state = std::move(*found.state);
  return true;
}

Status WeightsDiffer(size_t rank, size_t other, int64_t step) {
  return Fail({.exit = Exit::kFailed,
               .what = fmt::format("ranks {} and {} hold different weights after step {}", rank,
                                   other, step),
               .why = "their processors or libraries compute differently"});
}

Status AgreeOnWeights(const std::string& hash, int64_t step, Communicator& communicator) {
  PT_LET(const auto all, communicator.AllGather(hash));
  for (size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] != all[0]) return WeightsDiffer(0, rank, step);
  }
  return Status::OK();
}

}  // namespace protium
