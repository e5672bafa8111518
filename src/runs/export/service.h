// SPDX-License-Identifier: Apache-2.0
// A service over HTTP, as exporters use it. One thread.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace protium {

struct ServiceAnswer {
  int status = 0;
  Json body;  // Null if the response is not JSON.
};

class Service {
 public:
  // `uri` as "http://host:port/path"; `headers` go with every request. A uri of another kind is a
  // fault of Exit::kUsage.
  static Result<std::unique_ptr<Service>> Make(const std::string& uri,
                                               std::map<std::string, std::string> headers);
  virtual ~Service() = default;

  // `path` begins with "/", is appended to the uri's own path and is encoded (UrlPath()). Returns
  // whatever the service responds; a fault of Exit::kRemote if there is no response.
  virtual Result<ServiceAnswer> Get(const std::string& path) = 0;
  virtual Result<ServiceAnswer> Post(const std::string& path, const std::string& json) = 0;
  // Sends the bytes of a file.
  virtual Result<ServiceAnswer> Put(const std::string& path, const std::filesystem::path& file) = 0;
  // Makes the fault for a response that is a refusal.
  virtual Status Refused(const std::string& doing, const ServiceAnswer& answer) const = 0;
};

// Percent-encodes all but RFC 3986's unreserved characters (letters, digits, "-._~") and "/".
std::string UrlPath(const std::string& path);

}  // namespace protium
