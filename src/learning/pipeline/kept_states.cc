// SPDX-License-Identifier: Apache-2.0
#include "pipeline/kept_states.h"

#include <arrow/io/api.h>
#include <arrow/ipc/api.h>

#include <optional>
#include <utility>

#include "base/fault.h"
#include "os/file.h"
#include "pipeline/fit_task.h"
#include "pipeline/kept_work.h"

namespace protium {
namespace {

constexpr const char* kKind = "states";
constexpr const char* kPart = "states.arrow";
// States of millions of texts are as quickly found again as read.
constexpr int64_t kMostBytes = 64 << 20;

Result<std::shared_ptr<arrow::Buffer>> WriteStates(const std::vector<State>& states) {
  PT_LET(const auto stream, arrow::io::BufferOutputStream::Create());
  PT_LET(const auto writer, arrow::ipc::MakeStreamWriter(stream, StateSchema()));
  PT_TRY(EmitStates(states, [&](const arrow::RecordBatch& batch) -> Status {
    return writer->WriteRecordBatch(batch);
  }));
  PT_TRY(writer->Close());
  return stream->Finish();
}

Result<std::vector<State>> ReadStates(const StoredObject& object, const std::vector<Need>& needs) {
  PT_LET(const std::string bytes, ReadFile(object.Path(kPart)));
  const auto stream = std::make_shared<arrow::io::BufferReader>(
      arrow::Buffer::Wrap(reinterpret_cast<const uint8_t*>(bytes.data()), int64_t(bytes.size())));
  PT_LET(const auto reader, arrow::ipc::RecordBatchStreamReader::Open(stream));
  std::vector<State> states;
  for (const Need& need : needs) states.push_back(MakeState(need.kind));
  while (true) {
    PT_LET(const auto batch, reader->Next());
    if (batch == nullptr) return states;
    PT_TRY(batch->ValidateFull());
    PT_TRY(MergeStates(*batch, states));
  }
}

Json NeedsToJson(const std::vector<Need>& needs) {
  Json list = Json::array();
  for (const Need& need : needs) list.push_back(FieldsToJson(need));
  return list;
}

}  // namespace

KeptStates LookForStates(SessionState& session, const Plan& rows, const std::vector<Need>& needs) {
  KeptWork kept(session, kKind, rows, {{"needs", NeedsToJson(needs)}});
  KeptStates found{.about = kept.Describe("fit")};
  if (const auto object = kept.Find()) {
    auto states = ReadStates(*object, needs);
    if (states.ok()) found.states = std::move(*states);
  }
  return found;
}

Result<FoundStates> FindStates(SessionState& session, const Plan& rows,
                               const std::vector<Need>& needs) {
  if (needs.empty()) return FoundStates();
  KeptWork kept(session, kKind, rows, {{"needs", NeedsToJson(needs)}});
  if (const auto object = kept.Find()) {
    auto states = ReadStates(*object, needs);
    if (states.ok()) return FoundStates{std::move(*states), object->manifest().run};
    kept.Drop(states.status());
  }
  kept.Begin();
  const auto since = Clock::now();
  PT_LET(std::vector<State> states, Fit(session.engine(), rows, needs, session.call()));
  if (!kept.making()) return FoundStates{std::move(states), ""};
  const auto bytes = WriteStates(states);
  if (!bytes.ok()) {
    kept.Say(bytes.status());
  } else if ((*bytes)->size() <= kMostBytes) {
    kept.Add(kPart, {reinterpret_cast<const char*>((*bytes)->data()), size_t((*bytes)->size())});
    kept.Keep(since);
  }
  return FoundStates{std::move(states), ""};
}

}  // namespace protium
