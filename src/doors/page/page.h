// SPDX-License-Identifier: Apache-2.0
// The page of runs: an HTTP server that shows what lies in the folders of runs, live and long
// after. Without a token it only reads; it cannot disturb a run, however it ends. The server lives
// in a library of its own, libprotium_page.so, which only `protium ui` opens: workers carry none.
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

  // Responses until `stop` is set; then within about a second, open event streams included. Once.
  virtual Status Serve(std::stop_token stop) = 0;
};

// Takes the port and answers nothing yet. A port in use is a fault of Exit::kEnvironment.
Result<std::unique_ptr<Page>> OpenPage(const PageOptions& options);

// Grows whenever Page or PageOptions change their layout.
inline constexpr int32_t kPageLibraryVersion = 1;

// The library's one entry, protium_open_page. Gives false when it was built for another version.
using PageEntry = bool (*)(int32_t version, const PageOptions& options,
                           Result<std::unique_ptr<Page>>& page);

}  // namespace protium
