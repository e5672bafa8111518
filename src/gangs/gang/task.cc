// SPDX-License-Identifier: Apache-2.0
#include "gang/task.h"

#include <arrow/array/builder_binary.h>
#include <arrow/record_batch.h>

#include "events/events.h"
#include "protium/ranks.h"

namespace protium {

const Columns& TaskContext::groups() const {
  static const Columns none;
  return none;
}

Status TaskContext::Barrier(std::string_view name) {
  PT_LET(Communicator * ranks, communicator());
  return ranks->Barrier(name);
}

Result<std::vector<std::string>> TaskContext::AllGather(std::string_view message) {
  PT_LET(Communicator * ranks, communicator());
  return ranks->AllGather(message);
}

void TaskContext::Report(std::string_view name, const Json& value) {
  Send(EventToJson(Reported{std::string(name), Dump(value)}));
}

void TaskContext::Report(const Json& event) {
  Json value = event;
  if (value.is_object()) value.erase("event");
  Report(TextAt(event, "event"), value);
}

void TaskContext::Report(const Event& event) {
  Send(std::visit([](const auto& each) { return EventToJson(each); }, event));
}

Result<Communicator*> CommunicatorOf(TaskContext& context) { return context.communicator(); }

GangMembership* MembershipOf(TaskContext& context) { return context.membership(); }

Status EmitJson(TaskContext& context, const Json& value) {
  arrow::StringBuilder builder;
  PT_TRY(builder.Append(Dump(value)));
  PT_LET(const auto column, builder.Finish());
  return context.Emit(*arrow::RecordBatch::Make(context.output_schema(), 1, {column}));
}

Result<Ranks> Ranks::Of(TaskContext& context) {
  PT_LET(Communicator* const communicator, CommunicatorOf(context));
  return Ranks(*communicator);
}

}  // namespace protium
