// SPDX-License-Identifier: Apache-2.0
// A real object store for tests: moto, which speaks the protocol of S3, behind a proxy that is busy
// now and then, or away. On free ports of the loopback address; both end with their object and keep
// nothing.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "whole/command.h"

namespace protium::whole {

// The secret half of the key to every store; a test that looks for secrets looks for this.
inline constexpr const char* kStoreCanary = "canary-4e9a-secret";

class ObjectServer {
 public:
  // Null, with the reason in `why`, where moto is not set up or does not start. Makes the bucket
  // "lake". Every `busy_every`-th request is refused; 0: none.
  static std::unique_ptr<ObjectServer> Start(int busy_every, std::string& why);

  // "http://127.0.0.1:40123".
  std::string url() const;
  // What AWS's own tools read to ask here, and a cache folder unless it is empty.
  std::map<std::string, std::string> Environment(const std::filesystem::path& cache = {}) const;
  // Copies all files below `folder` into the bucket, under `prefix`.
  void Put(const std::filesystem::path& folder, const std::string& prefix) const;
  // Replaces the object `key` of the bucket.
  void PutText(const std::string& key, const std::string& text) const;
  void Delete(const std::string& key) const;
  // From now on every request is refused, or no more.
  void SetAway(bool away) const;
  // From now on answers end in their middle: those that would be refused, or all.
  void SetCut(bool all) const;
  // From now on every request is refused as one of a clock that is off.
  void SetSkewed() const;

 private:
  ObjectServer() = default;
  std::string Behind() const;

  Scratch scratch_;
  int port_ = 0, behind_ = 0;
  std::unique_ptr<Running> moto_;
  std::unique_ptr<Running> proxy_;
};

// Starts a server that ends with its object, and with the test even if that is killed.
std::unique_ptr<Running> StartServer(std::vector<std::string> words,
                                     const std::filesystem::path& folder,
                                     const std::map<std::string, std::string>& environment);

// What stands before a store and disturbs its answers (object_proxy.py).
struct StoreProxy {
  int port = 0;
  int behind = 0;
  int busy_every = 0;
};
std::unique_ptr<Running> StartProxy(const StoreProxy& proxy, const std::filesystem::path& folder);

// Makes the bucket "lake" of a store, unless it is there, and copies all files below `folder` into
// it, under `prefix` (store_put.py).
struct PutPlace {
  std::string kind;  // "amazon", "google" or "azure": whose protocol.
  std::string url;   // Of Azure's with the account.
  std::string azure_key;
};
Outcome PutFiles(const PutPlace& place, const std::filesystem::path& folder,
                 const std::string& prefix, const std::filesystem::path& scratch);

// Runs a Python program of the tests with what ./dev setup --test-servers brought.
Outcome RunLakePython(const std::string& program, const std::vector<std::string>& words,
                      const std::filesystem::path& folder);

}  // namespace protium::whole
