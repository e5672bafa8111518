// SPDX-License-Identifier: Apache-2.0
#include "model/train_on.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "model/train.h"
#include "protium/events.h"

namespace protium {
namespace {

TrainingPlace PlaceOf(const SessionState& session) {
  const SessionOptions& options = session.options();
  return {options.store, options.folder, options.resume, options.fresh};
}

// The run has its model, whatever becomes of the store.
void Keep(SessionState& session, ContinuedTraining& continued) {
  const Result<std::string> kept = KeepTraining(PlaceOf(session), continued, session.call());
  Json record = {{"name", continued.name}, {"after", continued.made}, {"from", continued.run}};
  record["version"] = kept.ok() && kept->empty() ? Json(continued.version) : Json();
  session.record().Set("continues", record);
  if (kept.ok() && kept->empty()) {
    session.call().Send(
        Note{fmt::format("kept as {}, version {}", continued.name, continued.version)});
    return;
  }
  const Fault fault = kept.ok() ? Fault() : FaultOf(kept.status());
  session.call().Send(Warning{fmt::format(
      "this training is not kept as {}: {}; its model stays in {}; run the job again to train on "
      "from what is kept",
      continued.name, kept.ok() ? *kept + " has kept its own since this run began" : fault.what,
      (session.folder() / "model").string())});
}

}  // namespace

Result<std::optional<ContinuedTraining>> TakeContinued(SessionState& session, const Chain& chain) {
  if (!chain.estimator) return std::optional<ContinuedTraining>();
  const AnyOptions& own = chain.options.back().options;
  const std::string name = chain.estimator->kind->Continues(own);
  if (name.empty()) return std::optional<ContinuedTraining>();
  PT_LET(ContinuedTraining continued, ContinueTraining(PlaceOf(session), name));
  const bool rounds = chain.estimator->kind->DescribeTraining(own).contains("rounds");
  session.call().Send(
      Note{continued.run.empty()
               ? fmt::format("{} begins anew{}", name,
                             session.options().fresh ? "" : ": nothing is kept under this name yet")
               : fmt::format("continues {} after {} {}{}, kept by {}", name, continued.made,
                             rounds ? "round" : "epoch", PluralOf(continued.made), continued.run)});
  return std::optional(std::move(continued));
}

Result<TrainResult> TrainOn(SessionState& session, const Chain& chain, const TrainRows& rows,
                            TrainConfig config, ContinuedTraining& continued) {
  chain.estimator->kind->ContinueAfter(continued.made, config);
  config.resume = config.resume || continued.made > 0;
  Result<TrainResult> trained = Train(session, chain, rows, config);
  if (!trained.ok()) return WithKeptName(continued, config.folder, trained.status());
  Keep(session, continued);
  return trained;
}

}  // namespace protium
