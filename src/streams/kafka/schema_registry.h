// SPDX-License-Identifier: Apache-2.0
// A server that keeps the schemas of messages under numbers, asked as Confluent's schema registry
// is: GET /schemas/ids/7, GET /subjects/visits-value/versions/latest.
#pragma once

#include <cstdint>
#include <string>

#include "kafka/open.h"
#include "sources/web_url.h"

namespace protium {

struct RegistryAnswer {
  enum class Kind { kFound, kUnknown, kSilent };
  Kind kind = Kind::kSilent;
  // Of a schema that was found: {"schema": "...", "schemaType": "AVRO", ...}, as it came.
  std::string body = {};
  std::string why = {};  // Of silence, which may end: "it answers 503".
};

// One thread.
class SchemaRegistry {
 public:
  // Does not wait for the server. Refuses (kUsage) a URL that is none, and a password that cannot
  // be read.
  static Result<SchemaRegistry> Make(const AvroOptions& options, const std::string& where);

  // Asks once, for 15 s at most. Faults (kRemote): what waiting does not help, such as a password
  // that is refused.
  Result<RegistryAnswer> ById(int32_t id) const;
  Result<RegistryAnswer> Newest(const std::string& subject) const;

  // The fault of a registry that was waited for.
  Status IsSilent(const std::string& why) const;
  const std::string& url() const { return shown_; }  // Without its user.

 private:
  SchemaRegistry() = default;
  Result<RegistryAnswer> Ask(const std::string& path) const;
  Result<RegistryAnswer> Take(int status, std::string body) const;
  Status Refused(const std::string& what, const std::string& fix) const;

  WebUrl at_;
  std::string shown_;
  std::string password_;
  std::string place_;  // Of the password, for messages.
};

}  // namespace protium
