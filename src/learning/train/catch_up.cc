// SPDX-License-Identifier: Apache-2.0
#include "train/catch_up.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/fault.h"
#include "protium/fields.h"

namespace protium {
namespace {

// How far a rank is, as it reports to the others.
struct Standpoint {
  bool newcomer = false;
  bool over = false;
  int64_t step = 0;
  int64_t epoch = 0;  // Distinguishes a step before validation from the same one after it.
  std::string hash;   // Of the weights.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("newcomer", newcomer);
    visit("over", over);
    visit("step", step);
    visit("epoch", epoch);
    visit("hash", hash);
  }
  auto reached() const { return std::tuple(!newcomer, step, epoch); }
};

Standpoint PlaceOf(const Standing& standing) {
  Standpoint place{.newcomer = standing.newcomer, .over = standing.over};
  if (standing.newcomer) return place;
  place.step = standing.state.step;
  place.epoch = standing.state.epoch;
  if (standing.over) return place;
  const Learner& learner = standing.learner;
  place.hash = learner.served == nullptr ? learner.weights.Hash()
                                         : learner.served->OthersHash(learner.optimizer);
  return place;
}

Result<std::vector<Standpoint>> SharePlaces(const Standing& standing, Communicator& ranks) {
  PT_LET(const auto all, ranks.AllGather(Dump(FieldsToJson(PlaceOf(standing)))));
  std::vector<Standpoint> places(all.size());
  for (size_t r = 0; r < all.size(); ++r) {
    PT_LET(const Json json, ParseJson(all[r]));
    PT_TRY(FieldsFromJson(json, "", places[r]));
  }
  return places;
}

Status RefuseOtherBits(const std::vector<Standpoint>& places, size_t furthest) {
  for (size_t r = 0; r < places.size(); ++r) {
    const bool there = places[r].reached() == places[furthest].reached();
    if (there && places[r].hash != places[furthest].hash) {
      return WeightsDiffer(furthest, r, places[r].step);
    }
  }
  return Status::OK();
}

void KeepHashes(const CheckpointState& own, CheckpointState& state) {
  state.weights_xxh3 = own.weights_xxh3;
  state.optimizer_xxh3 = own.optimizer_xxh3;
  if (state.best.step == own.best.step) state.best.xxh3 = own.best.xxh3;
}

// Everything that is not a tensor.
Status TakeState(Standing& standing, int32_t root, Communicator& ranks) {
  std::string own;
  if (ranks.rank() == root) {
    own = Dump({{"state", FieldsToJson(standing.state)}, {"saved_step", standing.saved_step}});
  }
  PT_LET(const auto all, ranks.AllGather(own));
  if (ranks.rank() == root) return Status::OK();
  PT_LET(const Json json, ParseJson(all[size_t(root)]));
  CheckpointState state;
  PT_TRY(FieldsFromJson(json.value("state", Json::object()), "", state));
  // Where servers hold rows, only rank 0 knows the hashes of what it has written.
  if (standing.learner.served != nullptr && ranks.rank() == 0) KeepHashes(standing.state, state);
  standing.state = std::move(state);
  standing.saved_step = json.value("saved_step", int64_t{0});
  return Status::OK();
}

}  // namespace

Status CatchUp(Standing& standing, Communicator& ranks) {
  PT_LET(const std::vector<Standpoint> places, SharePlaces(standing, ranks));
  const auto first = std::ranges::max_element(
      places, [](const Standpoint& a, const Standpoint& b) { return a.reached() < b.reached(); });
  if (first->newcomer) {
    return Fail({.exit = Exit::kRemote, .what = "no rank is left that has the weights"});
  }
  const auto root = int32_t(first - places.begin());
  if (!first->over) PT_TRY(RefuseOtherBits(places, size_t(root)));
  const bool alike = std::ranges::all_of(
      places, [&](const Standpoint& each) { return each.reached() == first->reached(); });
  ServedTables* const served = standing.learner.served;
  const OfRows of_rows = standing.learner.of_rows();
  // Nobody has made the step after this one.
  if (served != nullptr) served->TakeBack(first->step, of_rows);
  if (alike) return served == nullptr ? Status::OK() : served->Settle();
  // From here on a rank behind has neither its own state nor all of the other's.
  standing.newcomer = places[size_t(ranks.rank())].reached() < first->reached();
  PT_TRY(served == nullptr ? BroadcastTensors(standing.learner, root, ranks)
                           : served->ShareOthers(of_rows, root));
  PT_TRY(TakeState(standing, root, ranks));
  standing.newcomer = false;
  return Status::OK();
}

}  // namespace protium
