// SPDX-License-Identifier: Apache-2.0
#include "kafka/message_schemas.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "os/file.h"
#include "os/new_file.h"
#include "records/dead_letter.h"

namespace protium {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = RegistryAnswer::Kind;

namespace {

constexpr int64_t kMostSchemaBytes = 16 << 20;
constexpr milliseconds kNap{250};
// Of a registry that does not respond, and of a schema that it does not have.
constexpr seconds kAskAgain{1}, kAbsent{10};
constexpr size_t kMostAbsent = 100'000;

Result<AvroSchemaPtr> SchemaOf(std::string_view text) {
  PT_LET(AvroSchema schema, AvroSchema::Parse(text));
  return std::make_shared<const AvroSchema>(std::move(schema));
}

}  // namespace

Result<AvroSchemaPtr> SchemaOfRegistry(const std::string& body) {
  PT_LET(const Json json, ParseJson(body));
  const std::string& type = TextAt(json, "schemaType");
  if (!type.empty() && type != "AVRO") {
    return RefuseEvent(fmt::format("the schema is one of {}, not of Avro", type));
  }
  if (json.contains("references") && !json["references"].empty()) {
    return RefuseEvent("the schema refers to other schemas, which are not read");
  }
  return SchemaOf(TextAt(json, "schema"));
}

MessageSchemas::MessageSchemas(AvroOptions options, const KafkaConnection& kafka)
    : options_(std::move(options)), kafka_(kafka) {}

Result<MessageSchemas> MessageSchemas::Open(const AvroOptions& options,
                                            const KafkaConnection& kafka) {
  MessageSchemas schemas(options, kafka);
  if (!options.registry.empty()) {
    PT_LET(schemas.registry_, SchemaRegistry::Make(options, kafka.where + ".registry"));
    PT_TRY(MakeFolder(options.folder));
  }
  PT_TRY(schemas.OpenReader());
  return schemas;
}

Status MessageSchemas::OpenReader() {
  if (!options_.schema.empty()) {
    PT_LET(reader_, SchemaOf(options_.schema));
    return Status::OK();
  }
  const fs::path file = options_.folder / "newest.json";
  if (!IsRegularFile(file)) PT_TRY(ReadNewest(file));
  PT_LET(const std::string body, ReadFile(file, kMostSchemaBytes));
  // Empty: the topic had none.
  if (!body.empty()) {
    PT_LET(reader_, SchemaOfRegistry(body));
  }
  return Status::OK();
}

// By the name that the registry's own clients give to the schemas of a topic.
Status MessageSchemas::ReadNewest(const fs::path& file) {
  const std::string subject = kafka_.topic + "-value";
  PT_LET(const RegistryAnswer answer, AskPatiently([&] { return registry_->Newest(subject); }));
  if (answer.kind == Kind::kSilent) return registry_->IsSilent(answer.why);
  if (answer.kind == Kind::kUnknown && kafka_.note) {
    kafka_.note(
        fmt::format("{} has no schemas of {}: fields have no defaults", registry_->url(), subject));
  }
  return WriteNewFile(file, answer.body).status();
}

template <class Asking>
Result<RegistryAnswer> MessageSchemas::AskPatiently(const Asking& asking) const {
  const auto until = Clock::now() + kafka_.patience;
  while (true) {
    PT_LET(RegistryAnswer answer, asking());
    if (answer.kind != Kind::kSilent || Clock::now() >= until) return answer;
    if (kafka_.stop.stop_requested()) return Status::Cancelled("stopped");
    std::this_thread::sleep_for(kNap);
  }
}

fs::path MessageSchemas::FileOf(int32_t id) const {
  return options_.folder / fmt::format("{}.json", id);
}

bool MessageSchemas::IsKnown(int32_t id) const {
  return kept_.contains(id) || IsRegularFile(FileOf(id));
}

Result<bool> MessageSchemas::Wait(const std::string& why) {
  const auto now = Clock::now();
  if (!silent_since_) {
    silent_since_ = now;
    if (kafka_.note) {
      kafka_.note(fmt::format("the schema registry at {} does not respond ({}): waits",
                              registry_->url(), why));
    }
  }
  ask_again_ = now + kAskAgain;
  if (!options_.waits && now - *silent_since_ > kafka_.patience) return registry_->IsSilent(why);
  return false;
}

Result<bool> MessageSchemas::Learn(int32_t id) {
  if (IsKnown(id)) {
    kept_.insert(id);
    return true;
  }
  const auto absent = absent_.find(id);
  if (absent != absent_.end() && Clock::now() < absent->second) {
    unknown_.insert(id);
    return true;
  }
  if (silent_since_ && Clock::now() < ask_again_) return false;
  PT_LET(const RegistryAnswer answer, registry_->ById(id));
  if (answer.kind == Kind::kSilent) return Wait(answer.why);
  if (silent_since_ && kafka_.note) kafka_.note("the schema registry responds again");
  silent_since_.reset();
  if (answer.kind == Kind::kUnknown) {
    if (absent_.size() >= kMostAbsent) absent_.clear();
    absent_[id] = Clock::now() + kAbsent;
    unknown_.insert(id);
    return true;
  }
  PT_TRY(WriteNewFile(FileOf(id), answer.body).status());
  unknown_.erase(id);
  kept_.insert(id);
  return true;
}

std::vector<int32_t> MessageSchemas::TakeUnknown() {
  const std::set<int32_t> taken = std::exchange(unknown_, {});
  return {taken.begin(), taken.end()};
}

Result<AvroSchemaPtr> MessageSchemas::Find(int32_t id) {
  if (!IsKnown(id)) {
    PT_LET(const RegistryAnswer answer, AskPatiently([&] { return registry_->ById(id); }));
    if (answer.kind == Kind::kSilent) return registry_->IsSilent(answer.why);
    if (answer.kind == Kind::kUnknown) {
      return Fail({.exit = Exit::kRemote,
                   .what = fmt::format("schema {}, which a batch was made with, is gone", id),
                   .where = FileOf(id).string(),
                   .why = "neither this file nor the registry has it",
                   .fix = "put the file back"});
    }
    PT_TRY(WriteNewFile(FileOf(id), answer.body).status());
  }
  kept_.insert(id);
  PT_LET(const std::string body, ReadFile(FileOf(id), kMostSchemaBytes));
  return SchemaOfRegistry(body);
}

}  // namespace protium
