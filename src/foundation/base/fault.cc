// SPDX-License-Identifier: Apache-2.0
#include "base/fault.h"

#include <memory>
#include <utility>

#include "base/utf8.h"

namespace protium {

namespace {

constexpr const char* kReport =
    "this is a bug in protium: please report it, with this message and the command that was run";

class FaultDetail : public arrow::StatusDetail {
 public:
  explicit FaultDetail(Fault fault) : fault_(std::move(fault)) {}
  const char* type_id() const override { return kTypeId; }
  std::string ToString() const override { return fault_.where; }
  const Fault& fault() const { return fault_; }

  static constexpr const char* kTypeId = "protium::Fault";

 private:
  Fault fault_;
};

arrow::StatusCode ToStatusCode(Exit exit) {
  switch (exit) {
    case Exit::kUsage:
      return arrow::StatusCode::Invalid;
    case Exit::kInput:
      return arrow::StatusCode::IOError;
    case Exit::kNoRoom:
      return arrow::StatusCode::OutOfMemory;
    case Exit::kStopped:
      return arrow::StatusCode::Cancelled;
    default:
      return arrow::StatusCode::UnknownError;
  }
}

// Errors that users cause are Faults: a plain status with one of these codes means that one room
// misuses another.
bool IsMisuse(const Status& status) {
  return status.IsInvalid() || status.IsKeyError() || status.IsTypeError() || status.IsIndexError();
}

Exit ChooseExit(const Status& status) {
  if (IsMisuse(status)) return Exit::kBug;
  if (status.IsIOError()) return Exit::kInput;
  if (status.IsOutOfMemory() || status.IsCapacityError()) return Exit::kNoRoom;
  if (status.IsCancelled()) return Exit::kStopped;
  return Exit::kFailed;
}

void AddLine(std::string& block, std::string_view label, std::string_view text) {
  if (text.empty()) return;
  block.append("  ").append(label).append(": ");
  for (const char c : text) {
    block.push_back(c);
    if (c == '\n') block.append("         ");
  }
  block.push_back('\n');
}

// In bytes.
constexpr size_t kMostText = 1500, kKeptAhead = 900, kKeptBehind = 400;

// A message may quote cells and names of any length; the words around them stay.
void Bound(std::string& text) {
  if (text.size() <= kMostText) return;
  const std::string head(CutText(text, kKeptAhead));
  size_t tail = text.size() - kKeptBehind;
  while (tail < text.size() && IsContinuation(text[tail])) ++tail;
  text = head + " ... (" + std::to_string(tail - head.size()) + " more bytes) ... " +
         text.substr(tail);
}

}  // namespace

Status Fail(Fault fault) {
  if (fault.exit == Exit::kBug && fault.fix.empty()) fault.fix = kReport;
  for (std::string* text : {&fault.what, &fault.where, &fault.why, &fault.fix, &fault.kept}) {
    Bound(*text);
  }
  const arrow::StatusCode code = ToStatusCode(fault.exit);
  std::string what = fault.what;
  return Status(code, std::move(what), std::make_shared<FaultDetail>(std::move(fault)));
}

Fault FaultOf(const Status& status) {
  const auto& detail = status.detail();
  if (detail && std::string_view(detail->type_id()) == FaultDetail::kTypeId) {
    return static_cast<const FaultDetail&>(*detail).fault();
  }
  const Exit exit = ChooseExit(status);
  return {.exit = exit, .what = status.message(), .fix = exit == Exit::kBug ? kReport : ""};
}

Status Annotate(const Status& status, std::string_view doing) {
  if (status.ok()) return status;
  Fault fault = FaultOf(status);
  fault.what = std::string(doing) + ": " + fault.what;
  return Fail(std::move(fault));
}

std::string Render(const Fault& fault) {
  std::string block = "error: " + fault.what + "\n";
  AddLine(block, "where", fault.where);
  AddLine(block, "why", fault.why);
  AddLine(block, "fix", fault.fix);
  AddLine(block, "kept", fault.kept);
  return block;
}

Json StatusToJson(const Status& status) {
  Json json = Json::object();
  if (status.ok()) return json;
  const Fault fault = FaultOf(status);
  json["exit"] = static_cast<int>(fault.exit);
  json["what"] = fault.what;
  for (const auto& [key, text] : {std::pair{"where", &fault.where}, std::pair{"why", &fault.why},
                                  std::pair{"fix", &fault.fix}, std::pair{"kept", &fault.kept}}) {
    if (!text->empty()) json[key] = *text;
  }
  return json;
}

Status StatusFromJson(const Json& json) {
  if (!json.is_object() || json.empty()) return Status::OK();
  const auto exit = json.find("exit");
  const bool known = exit != json.end() && exit->is_number_integer();
  return Fail({.exit = known ? static_cast<Exit>(exit->get<int>()) : Exit::kFailed,
               .what = TextAt(json, "what"),
               .where = TextAt(json, "where"),
               .why = TextAt(json, "why"),
               .fix = TextAt(json, "fix"),
               .kept = TextAt(json, "kept")});
}

}  // namespace protium
