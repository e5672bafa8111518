// SPDX-License-Identifier: Apache-2.0
// A real object store for tests: moto, which speaks S3's protocol, behind a proxy that is busy now
// and then, or away. On free ports of the loopback address; both end with the test.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "whole/command.h"

namespace protium::whole {

class ObjectServer {
 public:
  // Null, with the reason in `why`, where there is no moto or no libarrow_s3. Makes the bucket
  // "lake". Every `busy_every`-th request is refused; 0: none.
  static std::unique_ptr<ObjectServer> Start(int busy_every, std::string& why);

  // For commands: the endpoint, keys (the secret one is kCanary), and a cache folder.
  std::map<std::string, std::string> Environment(const std::filesystem::path& cache) const;
  // Replaces an object, "bucket/name".
  void Put(const std::string& object, const std::string& text) const;
  // From now on every request is refused, or no more.
  void SetAway(bool away) const;

 private:
  ObjectServer() = default;
  Scratch scratch_;
  int port_ = 0;
  std::unique_ptr<Running> moto_;
  std::unique_ptr<Running> proxy_;
};

}  // namespace protium::whole
