// SPDX-License-Identifier: Apache-2.0
// Object stores of other clouds than Amazon's for tests, on free ports of the loopback address:
// fake-gcs-server, which speaks Google's protocol, and azurite, which speaks that of Azure's blobs.
// Both have a bucket "lake", and end with their object.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "whole/object_server.h"

namespace protium::whole {

class CloudStore {
 public:
  // Null, with the reason in `why`, where the server is not set up or does not start. Google's
  // never refuses a request: fake-gcs-server forgets what was being written.
  static std::unique_ptr<CloudStore> StartGoogle(std::string& why);
  static std::unique_ptr<CloudStore> StartAzure(std::string& why);

  // What the provider's own tools read to ask here, with a cache folder unless it is empty. The
  // secret in it is secret().
  std::map<std::string, std::string> Environment(const std::filesystem::path& cache = {}) const;
  const std::string& secret() const { return secret_; }
  // Copies all files below `folder` into the bucket, under `prefix`.
  void Put(const std::filesystem::path& folder, const std::string& prefix) const;

 private:
  CloudStore() = default;

  Scratch scratch_;
  std::map<std::string, std::string> environment_;
  std::string secret_;
  PutPlace put_;
  std::unique_ptr<Running> server_, proxy_;
};

}  // namespace protium::whole
