// SPDX-License-Identifier: Apache-2.0
#include "serve/served_model.h"

#include <utility>

#include "base/fault.h"
#include "frame/session_state.h"
#include "model/model_state.h"
#include "model/onnx_model.h"
#include "model/rounded.h"
#include "onnx_runtime/net.h"

namespace protium {
namespace {

// Clients choose the numbers of columns.
constexpr size_t kMostExplaining = 16;

}  // namespace

Status ServedModel::Reload() {
  const std::lock_guard loading(loading_);
  // Taken before it is read, so that a model that replaces it meanwhile is seen as another one.
  const Identity identity = IdentityNow();
  Result<Served> served = load_(folder_);
  const std::lock_guard lock(mutex_);
  identity_ = identity;
  last_ = served.status();
  if (!served.ok()) {
    Fault fault = FaultOf(last_);
    if (now_ != nullptr) fault.kept = "the model that was served before still is";
    last_ = Fail(std::move(fault));
    return last_;
  }
  served->generation = now_ == nullptr ? 1 : now_->generation + 1;
  now_ = std::make_shared<const Served>(std::move(*served));
  explaining_.clear();
  return Status::OK();
}

bool ServedModel::Changed() const {
  const Identity now = IdentityNow();
  const std::lock_guard lock(mutex_);
  // A folder is replaced in one step; a missing one is being replaced by other means.
  return now != Identity{} && now != identity_;
}

std::shared_ptr<const Served> ServedModel::Now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

Result<std::shared_ptr<const Served>> ServedModel::Explaining(int32_t columns) const {
  const std::lock_guard lock(mutex_);
  if (columns == 0) return now_;
  if (const auto found = explaining_.find(columns); found != explaining_.end()) {
    return found->second;
  }
  PT_LET(Scorer scorer, now_->scorer.Explaining(columns));
  auto made = std::make_shared<const Served>(Served{std::move(scorer), now_->generation, now_->net,
                                                    now_->version, now_->drift, now_->gap_said,
                                                    now_->int8});
  if (explaining_.size() == kMostExplaining) explaining_.clear();
  explaining_[columns] = made;
  return made;
}

Status ServedModel::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

ServedModel::Identity ServedModel::IdentityNow() const {
  struct stat found {};
  const auto file = IsOnnxFile(folder_) ? folder_ : folder_ / "model.json";
  if (::stat(file.c_str(), &found) != 0) return {};
  return {found.st_dev, found.st_ino,
          int64_t(found.st_mtim.tv_sec) * 1'000'000'000 + found.st_mtim.tv_nsec};
}

Result<Served> LoadServed(const std::filesystem::path& folder, const Columns& inputs,
                          const std::optional<double>& most_int8_loss) {
  PT_LET(const auto session, OpenSession({.engine = "local[1]"}));
  PT_LET(PipelineModel model, inputs.empty() ? PipelineModel::Load(*session, folder)
                                             : LoadOnnxModel(*session, folder, inputs));
  if (most_int8_loss) {
    PT_LET(model, WithInt8(model, *most_int8_loss));
  }
  PT_LET(Scorer scorer, Scorer::Make(model));
  Served served{.scorer = std::move(scorer),
                .drift = std::make_shared<DriftWatch>(StateOf(model).profile)};
  if (StateOf(model).chain->estimator) served.net = StateOf(model).net.net.name;
  served.int8 = StateOf(model).int8;
  return served;
}

}  // namespace protium
