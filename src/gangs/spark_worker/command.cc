// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/command.h"

#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "base/json.h"
#include "column/ipc.h"
#include "protium/fields.h"

namespace protium {
namespace {

void AppendPart(std::string_view part, std::string& bytes) {
  const auto size = uint64_t(part.size());
  for (int shift = 0; shift < 64; shift += 8) bytes.push_back(char(size >> shift));
  bytes.append(part);
}

Result<std::string_view> TakePart(std::string_view& bytes) {
  if (bytes.size() < 8) return Status::Invalid("a command is cut short");
  uint64_t size = 0;
  for (int i = 7; i >= 0; --i) size = size << 8 | uint8_t(bytes[size_t(i)]);
  bytes.remove_prefix(8);
  // Compared with what is left, not added to a position: no length that was read can overflow.
  if (size > bytes.size()) return Status::Invalid("a command is cut short");
  const std::string_view part = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return part;
}

std::string_view ViewText(const arrow::Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), size_t(buffer.size())};
}

Status AppendSchema(const SchemaPtr& schema, std::string& bytes) {
  PT_LET(const auto buffer, SchemaToIpc(*schema));
  AppendPart(ViewText(*buffer), bytes);
  return Status::OK();
}

Result<SchemaPtr> TakeSchema(std::string_view& bytes) {
  PT_LET(const std::string_view part, TakePart(bytes));
  // A copy that the buffer owns: `part` points into the caller's bytes.
  return SchemaFromIpc(arrow::Buffer::FromString(std::string(part)));
}

// What is sent as JSON: everything but bytes. If `lease` is false, the four fields after it do not
// count; nor do the three after `files`. An empty place: no transit.
struct Head {
  int64_t version = kCommandVersion;
  std::string task, config;
  TaskRole role = TaskRole::kMap;
  bool torch = false;
  std::vector<std::string> groups;
  bool gang = false;
  int32_t world = 1;
  int32_t attempt = 0;
  double deadline = 60;
  bool plaintext = false;
  std::string events, log;
  std::string place, root;
  bool lease = false;
  int32_t seat = 0;
  bool bends = false;
  double patience = 60;
  bool rebalances = false;
  bool files = false;
  std::vector<std::string> paths;
  int64_t rows = 0;
  Json steps = Json::array();
  template <class Visit>
  void Fields(Visit& visit) {
    visit("version", version);
    visit("task", task);
    visit("role", role);
    visit("torch", torch);
    visit("config", config);
    visit("groups", groups);
    visit("gang", gang);
    visit("world", world);
    visit("attempt", attempt);
    visit("deadline", deadline);
    visit("plaintext", plaintext);
    visit("events", events);
    visit("log", log);
    visit("place", place);
    visit("root", root);
    visit("lease", lease);
    visit("seat", seat);
    visit("bends", bends);
    visit("patience", patience);
    visit("rebalances", rebalances);
    visit("files", files);
    visit("paths", paths);
    visit("rows", rows);
    visit("steps", steps);
  }
};

Head MakeHead(const SparkCommand& command) {
  Head head{.task = command.task,
            .config = command.config,
            .role = command.role,
            .torch = command.torch,
            .groups = command.groups,
            .gang = command.gang,
            .world = command.world,
            .attempt = command.attempt,
            .deadline = command.deadline,
            .plaintext = command.plaintext,
            .events = command.events,
            .log = command.log,
            .lease = command.lease.has_value(),
            .files = command.rows.has_value()};
  if (command.transit) {
    head.place = command.transit->place;
    head.root = command.transit->root;
  }
  if (command.lease) {
    head.seat = command.lease->seat;
    head.bends = command.lease->bends;
    head.patience = command.lease->patience;
    head.rebalances = command.lease->rebalances;
  }
  if (command.rows) {
    head.paths = command.rows->paths;
    head.rows = command.rows->rows;
    head.steps = command.rows->steps;
  }
  return head;
}

Status CheckVersion(const Json& json) {
  const auto found = json.is_object() ? json.find("version") : json.end();
  // Checked before the fields: those of another version would be refused for their names.
  const Json version = found == json.end() ? Json() : *found;
  if (version == kCommandVersion) return Status::OK();
  return Fail({.exit = Exit::kEnvironment,
               .what = "a driver of command version " + Dump(version) +
                       " met a worker of command version " + std::to_string(kCommandVersion),
               .fix = "use the same build of protium on driver and executors"});
}

}  // namespace

Result<std::string> EncodeCommand(const SparkCommand& command) {
  std::string bytes(kCommandMagic);
  AppendPart(Dump(FieldsToJson(MakeHead(command))), bytes);
  AppendPart(command.key, bytes);
  PT_TRY(AppendSchema(command.output, bytes));
  if (command.rows) PT_TRY(AppendSchema(command.rows->schema, bytes));
  return bytes;
}

Result<SparkCommand> DecodeCommand(std::string_view bytes) {
  if (!bytes.starts_with(kCommandMagic)) return Status::Invalid("not a command of protium");
  bytes.remove_prefix(kCommandMagic.size());
  PT_LET(const std::string_view text, TakePart(bytes));
  PT_LET(const Json json, ParseJson(text));
  PT_TRY(CheckVersion(json));
  Head head;
  PT_TRY(FieldsFromJson(json, "command", head));
  SparkCommand command{.task = head.task,
                       .role = head.role,
                       .torch = head.torch,
                       .config = head.config,
                       .groups = head.groups,
                       .gang = head.gang,
                       .world = head.world,
                       .attempt = head.attempt,
                       .deadline = head.deadline,
                       .plaintext = head.plaintext,
                       .events = head.events,
                       .log = head.log};
  if (!head.place.empty()) command.transit = RunInTransit{head.place, head.root};
  if (head.lease) command.lease = LeaseTerms{head.seat, head.bends, head.patience, head.rebalances};
  // In the order in which EncodeCommand() wrote them: parts have no names.
  PT_LET(command.key, TakePart(bytes));
  PT_LET(command.output, TakeSchema(bytes));
  if (head.files) {
    PT_LET(SchemaPtr schema, TakeSchema(bytes));
    command.rows =
        RowFiles{std::move(schema), std::move(head.paths), head.rows, std::move(head.steps)};
  }
  if (!bytes.empty())
    return Status::Invalid("a command with ", bytes.size(), " extra bytes at its end");
  return command;
}

std::string LogFile(const std::string& folder, int32_t rank) {
  return folder.empty() ? "" : fmt::format("{}/rank-{:03}.log", folder, rank);
}

}  // namespace protium
