// SPDX-License-Identifier: Apache-2.0
// Sends runs to services over HTTP. The code that speaks HTTP is in a library of its own,
// libprotium_export.so, which only `protium export --uri` opens.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "export/facts.h"

namespace protium {

struct SendOptions {
  std::string to;             // A name of SentFormats().
  std::string uri;            // "http://127.0.0.1:5000"
  std::filesystem::path run;  // The run folder.
  bool again = false;         // Send the run even if the service already has it.
};

struct Sent {
  std::string where;  // Where to look at it there.
  std::vector<std::string> left_out;
  std::vector<std::string> notes;
};

struct SentFormat {
  std::string name;      // "mlflow"
  std::string says;      // One line for help.
  std::string variable;  // The environment variable that names the service if no --uri does.
};
std::span<const SentFormat> SentFormats();

// Sends the run. A service that cannot be reached, or refuses, is a fault of Exit::kRemote. Every
// request has a deadline of a minute.
Result<Sent> SendRun(const SendOptions& options, const RunFacts& facts);

// Increase it whenever the layout of what the library receives changes.
inline constexpr int32_t kSendLibraryVersion = 2;

// The library's only entry, protium_send_run. Returns false if it was built for another version.
using SendEntry = bool (*)(int32_t version, const SendOptions& options, const RunFacts& facts,
                           Result<Sent>& sent);

}  // namespace protium
