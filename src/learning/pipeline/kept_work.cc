// SPDX-License-Identifier: Apache-2.0
#include "pipeline/kept_work.h"

#include <utility>
#include <variant>

#include "base/fault.h"
#include "protium/events.h"

namespace protium {
KeptWork::KeptWork(SessionState& session, std::string kind, const Plan& rows, Json decides)
    : session_(session), store_(session.engine().Kept()) {
  if (store_ == nullptr) return;
  RowsName named = session.engine().NameRows(rows, session.call());
  if (named.causes.is_null()) return;
  request_ = {.kind = std::move(kind),
              .causes = {{"rows", std::move(named.causes)}, {"decides", std::move(decides)}},
              .run = session.folder().filename().string(),
              .inputs = std::move(named.inputs)};
  name_ = CauseName(request_.kind, request_.causes);
}

std::optional<StoredObject> KeptWork::Find() {
  if (name_.empty() || session_.options().fresh) return {};
  const auto find = [&]() -> Result<std::optional<StoredObject>> {
    if (store_->Has(name_)) {
      PT_LET(const bool whole, store_->Verify(name_));
      if (!whole) {
        session_.call().Send(
            Note{"what was kept as " + name_.substr(0, 12) + " was damaged and is dropped"});
      }
    }
    return store_->Find(name_);
  };
  auto found = find();
  if (found.ok()) return std::move(*found);
  Say(found.status());
  return {};
}

void KeptWork::Begin() {
  // Without a run nothing is made.
  if (name_.empty() || session_.folder().empty()) return;
  if (session_.options().fresh) (void)store_->Remove(name_);
  Call call = session_.call();
  call.deadline = Clock::now();
  auto begun = store_->FindOrBegin(request_, call);
  if (!begun.ok()) {
    if (FaultOf(begun.status()).exit != Exit::kStalled) Say(begun.status());
    return;
  }
  if (auto* const draft = std::get_if<Draft>(&*begun)) draft_.emplace(std::move(*draft));
}

void KeptWork::Add(const std::string& part, std::string_view bytes) {
  if (!draft_) return;
  const Status added = draft_->WritePart(part, bytes);
  if (added.ok()) return;
  Say(added);
  draft_.reset();
}

void KeptWork::Take(const std::string& part, const std::filesystem::path& file) {
  if (!draft_) return;
  const Status taken = draft_->TakePart(part, file);
  if (taken.ok()) return;
  Say(taken);
  draft_.reset();
}

void KeptWork::Keep(Clock::time_point since) {
  if (!draft_) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - since).count();
  const Status kept = draft_->Commit({.seconds = seconds}).status();
  if (!kept.ok()) Say(kept);
  draft_.reset();
}

Json KeptWork::Describe(const std::string& as) const {
  if (name_.empty()) return nullptr;
  Json about = {{"name", as}, {"cause", name_}, {"causes", request_.causes}};
  const bool fresh = session_.options().fresh;
  auto object = fresh ? std::nullopt : store_->Peek(name_);
  if (!object && !fresh) {
    object = store_->PeekShared(name_);
    about["shared"] = object.has_value();
  }
  if (!object) return about;
  about["from"] = object->run;
  about["made"] = object->made;
  return about;
}

void KeptWork::Drop(const Status& why) {
  session_.call().Send(Note{"what was kept as " + name_.substr(0, 12) +
                            " was damaged and is dropped: " + FaultOf(why).what});
  (void)store_->Remove(name_);
}

void KeptWork::Say(const Status& status) {
  session_.call().Send(Note{"nothing more is kept: " + FaultOf(status).what});
}

}  // namespace protium
