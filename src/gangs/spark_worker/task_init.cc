// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/task_init.h"

#include <charconv>
#include <optional>

#include "base/fault.h"
#include "base/json.h"
#include "protium/fields.h"
#include "spark_worker/header_reader.h"

namespace protium {

namespace {

// PythonEvalType.SQL_MAP_ARROW_ITER_UDF.
constexpr int32_t kMapArrow = 207;

Status Refuse(std::string what, std::string why = "") {
  return Fail({.exit = Exit::kEnvironment, .what = std::move(what), .why = std::move(why)});
}

bool IsEarly(Family family) { return family == Family::kA || family == Family::kB; }

// The "4.2" in "protium 0.1.0;spark=4.2.1".
std::optional<int> ParseMinor(const std::string& version) {
  constexpr std::string_view tag = ";spark=4.";
  const size_t at = version.find(tag);
  if (at == std::string::npos) return std::nullopt;
  const char* begin = version.data() + at + tag.size();
  int minor = 0;
  const auto [end, error] = std::from_chars(begin, version.data() + version.size(), minor);
  const bool whole = end == version.data() + version.size() || *end == '.' || *end == '-';
  return error == std::errc() && whole ? std::optional(minor) : std::nullopt;
}

// An address is -1 and a path, or a port and a secret.
Result<BarrierAddress> ReadAddress(HeaderReader& reader) {
  BarrierAddress address;
  PT_LET(address.port, reader.Int("barrier port"));
  if (address.port == -1) {
    PT_LET(address.path, reader.Text("barrier path"));
  } else {
    PT_LET(address.secret, reader.Text("barrier secret"));
  }
  return address;
}

Status ReadBarrier(HeaderReader& reader, TaskInit& init) {
  PT_LET(init.barrier, reader.Bool("barrier flag"));
  if (init.family == Family::kA) {
    PT_LET(init.barrier_address.port, reader.Int("barrier port"));
    PT_LET(init.barrier_address.secret, reader.Text("barrier secret"));
  } else if (init.barrier) {
    PT_LET(init.barrier_address, ReadAddress(reader));
  }
  return Status::OK();
}

Status ReadResources(HeaderReader& reader, TaskInit& init) {
  PT_LET(const int32_t count, reader.Count("resources"));
  for (int32_t i = 0; i < count; ++i) {
    PT_LET(const std::string key, reader.Text("resources"));
    Resource& resource = init.resources[key];
    PT_LET(resource.name, reader.Text("resources"));
    PT_LET(const int32_t addresses, reader.Count("resource addresses"));
    for (int32_t j = 0; j < addresses; ++j) {
      PT_LET(auto address, reader.Text("resource addresses"));
      resource.addresses.push_back(std::move(address));
    }
  }
  return Status::OK();
}

// A and B: returns the partition in the task's own facts.
Result<int32_t> ReadFactFields(HeaderReader& reader, TaskInit& init) {
  PT_TRY(ReadBarrier(reader, init));
  PT_LET(init.stage, reader.Int("stage"));
  PT_LET(const int32_t partition, reader.Int("partition"));
  PT_LET(init.attempt, reader.Int("attempt"));
  PT_LET(init.task_attempt_id, reader.Long("task id"));
  PT_LET(init.cpus, reader.Int("cpus"));
  PT_TRY(ReadResources(reader, init));
  PT_LET(init.properties, reader.Pairs("properties"));
  return partition;
}

template <class Number>
Status Whole(const Json& facts, const char* key, Number& number) {
  const auto found = facts.find(key);
  if (found == facts.end()) return Status::OK();
  return fields::ReadInteger(*found, key, number);
}

std::string TextOrEmpty(const Json& json) {
  return json.is_string() ? json.get<std::string>() : "";
}

Json FindPart(const Json& facts, const char* key) {
  const auto found = facts.find(key);
  return found == facts.end() ? Json() : *found;
}

Status ReadAddress(const Json& facts, TaskInit& init) {
  // Spark sends meaningless values here.
  if (!init.barrier) return Status::OK();
  const Json connection = FindPart(facts, "connInfo");
  if (connection.is_string()) {
    init.barrier_address.path = connection.get<std::string>();
    return Status::OK();
  }
  init.barrier_address.secret = TextOrEmpty(FindPart(facts, "secret"));
  return Whole(facts, "connInfo", init.barrier_address.port);
}

void ReadResources(const Json& resources, TaskInit& init) {
  if (!resources.is_object()) return;
  for (const auto& [key, value] : resources.items()) {
    if (!value.is_object()) continue;
    Resource& resource = init.resources[key];
    resource.name = TextOrEmpty(FindPart(value, "name"));
    for (const Json& each : FindPart(value, "addresses"))
      resource.addresses.push_back(TextOrEmpty(each));
  }
}

// C and D: the same facts as a JSON object. Skips unknown keys and leaves missing ones at their
// defaults, since every release adds some.
Result<int32_t> ReadFactObject(HeaderReader& reader, TaskInit& init) {
  PT_LET(const std::string text, reader.Text("facts"));
  auto facts = ParseJson(text);
  if (!facts.ok() || !facts->is_object()) {
    return Refuse("the facts of a Spark task are not a JSON object",
                  facts.ok() ? "" : facts.status().message());
  }
  const Json barrier = FindPart(*facts, "isBarrier");
  init.barrier = barrier.is_boolean() && barrier.get<bool>();
  PT_TRY(ReadAddress(*facts, init));
  int32_t partition = init.partition;
  PT_TRY(Whole(*facts, "stageId", init.stage));
  PT_TRY(Whole(*facts, "partitionId", partition));
  PT_TRY(Whole(*facts, "attemptNumber", init.attempt));
  PT_TRY(Whole(*facts, "taskAttemptId", init.task_attempt_id));
  PT_TRY(Whole(*facts, "cpus", init.cpus));
  ReadResources(FindPart(*facts, "resources"), init);
  const Json properties = FindPart(*facts, "localProperties");
  if (properties.is_object()) {
    for (const auto& [key, value] : properties.items()) init.properties[key] = TextOrEmpty(value);
  }
  return partition;
}

Status ReadFacts(HeaderReader& reader, TaskInit& init) {
  PT_LET(const int32_t partition,
         IsEarly(init.family) ? ReadFactFields(reader, init) : ReadFactObject(reader, init));
  // The header has the partition twice; if the numbers differ, it has another form than assumed.
  if (partition != init.partition || partition < 0) {
    return Refuse("the header of a Spark task names two partitions: " +
                  std::to_string(init.partition) + " and " + std::to_string(partition));
  }
  if (init.cpus < 1) return Refuse("a Spark task has " + std::to_string(init.cpus) + " cpus");
  return Status::OK();
}

Status ReadFiles(HeaderReader& reader, TaskInit& init) {
  PT_LET(init.files_folder, reader.Text("files folder"));
  PT_LET(const int32_t count, reader.Count("includes"));
  for (int32_t i = 0; i < count; ++i) {
    PT_LET(auto include, reader.Text("includes"));
    init.includes.push_back(std::move(include));
  }
  return Status::OK();
}

// The executor may send removals of broadcasts that the worker's earlier tasks had, as negative
// ids; our tasks never have any added.
Status ReadBroadcasts(HeaderReader& reader) {
  PT_LET(const bool served, reader.Bool("broadcast flag"));
  PT_LET(const int32_t count, reader.Count("broadcasts"));
  if (served) PT_TRY(ReadAddress(reader));
  for (int32_t i = 0; i < count; ++i) {
    PT_LET(const int64_t id, reader.Long("broadcasts"));
    if (id >= 0) {
      return Refuse("a Spark task comes with broadcast variable " + std::to_string(id) +
                    ", which tasks of protium cannot read");
    }
  }
  return Status::OK();
}

Status ReadSettings(HeaderReader& reader, TaskInit& init) {
  PT_LET(init.settings, reader.Pairs("settings"));
  if (IsEarly(init.family)) return Status::OK();
  PT_LET(auto more, reader.Pairs("settings"));
  init.settings.merge(more);
  return Status::OK();
}

Status Expect(HeaderReader& reader, int32_t wanted, const char* what) {
  PT_LET(const int32_t got, reader.Int(what));
  if (got == wanted) return Status::OK();
  return Refuse("the header of a Spark task has " + std::to_string(got) + " as its " + what +
                " instead of " + std::to_string(wanted));
}

Status ReadArguments(HeaderReader& reader, bool named) {
  PT_LET(const int32_t count, reader.Count("arguments"));
  for (int32_t i = 0; i < count; ++i) {
    PT_TRY(reader.Int("arguments"));
    if (!named) continue;
    PT_LET(const bool has_name, reader.Bool("arguments"));
    if (has_name) PT_TRY(reader.Text("arguments"));
  }
  return Status::OK();
}

Status ReadFunction(HeaderReader& reader, TaskInit& init) {
  const bool early = IsEarly(init.family);
  PT_TRY(Expect(reader, kMapArrow, "kind of function"));
  PT_TRY(ReadSettings(reader, init));
  PT_LET(const bool profiled, early ? reader.Bool("profiler flag") : Result<bool>(false));
  if (profiled) PT_TRY(reader.Text("profiler"));
  PT_TRY(Expect(reader, 1, "number of functions"));
  PT_TRY(ReadArguments(reader, !early));
  PT_TRY(Expect(reader, 1, "number of commands"));
  PT_LET(init.command, reader.Text("command"));
  if (!early || profiled) PT_TRY(reader.Long("result id"));
  return Status::OK();
}

// Only D has a frame, and D always has one.
Status CheckFrame(const TaskInit& init, bool framed) {
  if (framed == (init.family == Family::kD)) return Status::OK();
  return Refuse("a Spark task " + std::string(framed ? "with" : "without") +
                " a frame around its header says that it is of \"" + init.version + "\"");
}

}  // namespace

Result<Family> FindFamily(const std::string& version) {
  const std::optional<int> minor = ParseMinor(version);
  if (minor && *minor >= 0 && *minor <= 3) return static_cast<Family>(*minor);
  return Fail({.exit = Exit::kEnvironment,
               .what = "the driver and Spark are \"" + version.substr(0, 200) +
                       "\", but this worker supports Spark 4.0 to 4.3",
               .fix = "use a build of protium that supports this release of Spark"});
}

Result<TaskInit> ReadTaskInit(int32_t first, ByteSource& source) {
  HeaderReader reader(source, kMaxHeaderBytes);
  TaskInit init;
  init.partition = first;
  const bool framed = first < -1;
  if (framed) {
    PT_LET(const int32_t bytes, reader.Int("frame"));
    PT_TRY(reader.Limit(bytes));
    PT_LET(init.partition, reader.Int("partition"));
  }
  PT_LET(init.version, reader.Text("version"));
  PT_LET(init.family, FindFamily(init.version));
  PT_TRY(CheckFrame(init, framed));
  PT_TRY(ReadFacts(reader, init));
  PT_TRY(ReadFiles(reader, init));
  PT_TRY(ReadBroadcasts(reader));
  PT_TRY(ReadFunction(reader, init));
  if (framed && reader.left() > 0) {
    return Refuse("the frame around the header of a Spark task is " +
                  std::to_string(reader.left()) + " bytes longer than the header");
  }
  return init;
}

}  // namespace protium
