// SPDX-License-Identifier: Apache-2.0
// A real object store for tests: moto, which speaks the protocol of S3, on a free port of the
// loopback address. It ends with its object and keeps nothing.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "whole/command.h"

namespace protium::whole {

// The secret half of the key to every store; a test that looks for secrets looks for this.
inline constexpr const char* kStoreCanary = "canary-4e9a-secret";

class ObjectServer {
 public:
  // Null, with the reason in `why`, where moto is not set up or does not start.
  static std::unique_ptr<ObjectServer> Start(std::string& why);

  // "http://127.0.0.1:40123".
  std::string url() const;
  // What AWS's own tools read to ask here.
  std::map<std::string, std::string> Environment() const;
  // Copies all files below `folder` into the bucket "lake", under `prefix`.
  void Put(const std::filesystem::path& folder, const std::string& prefix) const;
  void Delete(const std::string& key) const;

 private:
  ObjectServer() = default;
  Scratch scratch_;
  int port_ = 0;
  std::unique_ptr<Running> server_;
};

// Runs a Python program of the tests with what ./dev setup --test-servers brought.
Outcome RunLakePython(const std::string& program, const std::vector<std::string>& words,
                      const std::filesystem::path& folder);

}  // namespace protium::whole
