// SPDX-License-Identifier: Apache-2.0
#include "kafka/schema_registry.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/fault.h"
#include "base/mentions.h"
#include "base/percent.h"
#include "http/library.h"
#include "sources/password.h"

namespace protium {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr time_t kConnectSeconds = 5, kSeconds = 10;
constexpr size_t kMostBytes = 8 << 20;
constexpr const char* kType = "application/vnd.schemaregistry.v1+json";

bool MayChange(int status) { return status == 429 || status / 100 == 5; }

}  // namespace

Result<SchemaRegistry> SchemaRegistry::Make(const AvroOptions& options, const std::string& where) {
  SchemaRegistry registry;
  const auto read = [&]() -> Status {
    PT_LET(registry.at_, ReadWebUrl(options.registry));
    PT_LET(registry.password_, ReadPassword(options.password));
    return Status::OK();
  };
  const Status made = read();
  if (!made.ok()) {
    Fault fault = FaultOf(made);
    fault.where = where;
    fault.kept = "nothing was started";
    return Fail(std::move(fault));
  }
  registry.shown_ = registry.at_.server + registry.at_.path;
  registry.place_ = DescribePlace(options.password);
  return registry;
}

Result<RegistryAnswer> SchemaRegistry::ById(int32_t id) const {
  return Ask(fmt::format("/schemas/ids/{}", id));
}

Result<RegistryAnswer> SchemaRegistry::Newest(const std::string& subject) const {
  return Ask("/subjects/" + PercentEncoded(subject, "-._~") + "/versions/latest");
}

Result<RegistryAnswer> SchemaRegistry::Ask(const std::string& path) const {
  httplib::Client client(at_.server);
  client.set_connection_timeout(kConnectSeconds);
  client.set_read_timeout(kSeconds);
  client.set_write_timeout(kSeconds);
  if (!at_.user.empty()) client.set_basic_auth(at_.user.c_str(), password_.c_str());
  const auto until = SteadyClock::now() + std::chrono::seconds(kConnectSeconds + kSeconds);
  std::string body;
  const httplib::Result answer = client.Get(
      (at_.path + path).c_str(), {{"Accept", kType}}, [&](const char* bytes, size_t count) {
        body.append(bytes, count);
        return body.size() <= kMostBytes && SteadyClock::now() < until;
      });
  if (answer) return Take(answer->status, std::move(body));
  const std::string why = httplib::to_string(answer.error());
  if (Mentions(why, {"SSL"})) {
    return Refused("the certificate of the schema registry is not trusted",
                   "install the certificate of its authority on this machine");
  }
  if (body.size() > kMostBytes) return Refused("the schema is longer than 8 MiB", "");
  return RegistryAnswer{.why = why == "Connection" ? "no connection is made" : why};
}

Result<RegistryAnswer> SchemaRegistry::Take(int status, std::string body) const {
  if (status == 404) return RegistryAnswer{.kind = RegistryAnswer::Kind::kUnknown};
  if (MayChange(status)) return RegistryAnswer{.why = fmt::format("it answers {}", status)};
  if (status == 401 || status == 403) {
    const std::string fix = at_.user.empty()
                                ? "name a user in its URL, \"https://user@host\", and say where "
                                  "the password is: password = { env = \"NAME\" }"
                                : "the password of the user is taken from " + place_;
    return Refused(fmt::format("the schema registry answers {}: it does not let us in", status),
                   fix);
  }
  const auto json = ParseJson(body);
  if (status == 200 && json.ok() && json->is_object() && json->contains("schema")) {
    return RegistryAnswer{.kind = RegistryAnswer::Kind::kFound, .body = std::move(body)};
  }
  return Refused(fmt::format("what is asked is no schema registry: it answers {}", status),
                 "name the URL beneath which /schemas/ids is");
}

Status SchemaRegistry::Refused(const std::string& what, const std::string& fix) const {
  return Fail({.exit = Exit::kRemote, .what = what, .where = shown_, .fix = fix});
}

Status SchemaRegistry::IsSilent(const std::string& why) const {
  return Fail({.exit = Exit::kRemote,
               .what = "the schema registry does not respond",
               .where = shown_,
               .why = why,
               .fix = "start it, or correct stream.source.registry"});
}

}  // namespace protium
