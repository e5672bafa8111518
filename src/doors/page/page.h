// SPDX-License-Identifier: Apache-2.0
// The page of runs and streams: an HTTP server that shows the contents of their folders, live and
// long after.
// Without a token it only reads; it cannot disturb a run, however it ends. The server is in a
// library of its own, libprotium_page.so, which only `protium ui` opens: workers carry none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "base/status.h"

namespace protium {

struct PageOptions {
  std::filesystem::path runs;      // The folder of runs; it may appear later.
  std::filesystem::path streams;   // That of streams; the same.
  std::string host = "127.0.0.1";  // The address to listen on.
  int32_t port = 0;                // 0: 4040, or the next one that is free.
  std::string token;               // What requests must show; empty: none is asked for, and nothing
                                   // can be changed.
};

class Page {
 public:
  virtual ~Page() = default;

  // "http://127.0.0.1:4040/"
  virtual std::string address() const = 0;

  // Serves until `stop` is set; then ends within about a second, including open event streams. Call
  // it once.
  virtual Status Serve(std::stop_token stop) = 0;
};

// Takes the port but does not respond yet. A port in use is a fault of Exit::kEnvironment.
Result<std::unique_ptr<Page>> OpenPage(const PageOptions& options);

// Increases whenever the layout of Page or PageOptions changes.
inline constexpr int32_t kPageLibraryVersion = 2;

// The library's only entry point, protium_open_page. Returns false if it was built for another
// version.
using PageEntry = bool (*)(int32_t version, const PageOptions& options,
                           Result<std::unique_ptr<Page>>& page);

}  // namespace protium
