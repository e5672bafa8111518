// SPDX-License-Identifier: Apache-2.0
// The schemas that the messages of a stream are written with.
//
// 1. A schema of the registry is on the disk, in the stream's folder, before a batch begins that
//    needs it; numbers that the registry does not know stand in the batch's stretch. So a batch
//    that is made again has the same bytes, whatever the registry knows by then, or if it is gone.
// 2. Schemas under a number never change.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "avro/schema.h"
#include "kafka/schema_registry.h"

namespace protium {

using AvroSchemaPtr = std::shared_ptr<const AvroSchema>;

// One thread.
class MessageSchemas {
 public:
  // Reads the schema of the job or else, with a registry, the newest of the topic, which is kept:
  // that is asked for once, and waited for as long as `kafka.patience`.
  static Result<MessageSchemas> Open(const AvroOptions& options, const KafkaConnection& kafka);

  // Whether messages begin with the number of their schema.
  bool framed() const { return registry_.has_value(); }
  // Defaults and aliases are taken from it; null: none is known.
  const AvroSchemaPtr& reader() const { return reader_; }

  // Makes sure that it is known what schema `id` is, or that there is none. False: the registry
  // does not respond now. Then, if the options say that it is not waited for, a fault after
  // `kafka.patience`.
  Result<bool> Learn(int32_t id);
  // Those of Learn() that there are not, since the last call.
  std::vector<int32_t> TakeUnknown();
  // The schema `id`, for batches that begin: from the disk or, if it is gone there, the registry.
  Result<AvroSchemaPtr> Find(int32_t id);

 private:
  using Clock = std::chrono::steady_clock;
  MessageSchemas(AvroOptions options, const KafkaConnection& kafka);
  Status OpenReader();
  Status ReadNewest(const std::filesystem::path& file);
  template <class Asking>
  Result<RegistryAnswer> AskPatiently(const Asking& asking) const;
  std::filesystem::path FileOf(int32_t id) const;
  bool IsKnown(int32_t id) const;
  Result<bool> Wait(const std::string& why);

  AvroOptions options_;
  KafkaConnection kafka_;
  std::optional<SchemaRegistry> registry_;
  AvroSchemaPtr reader_;
  std::set<int32_t> kept_;                       // On the disk.
  std::map<int32_t, Clock::time_point> absent_;  // That there were not, until when.
  std::set<int32_t> unknown_;
  std::optional<Clock::time_point> silent_since_;
  Clock::time_point ask_again_;
};

// Reads what a registry says of a schema. Refuses (kInput) schemas of other kinds.
Result<AvroSchemaPtr> SchemaOfRegistry(const std::string& body);

}  // namespace protium
