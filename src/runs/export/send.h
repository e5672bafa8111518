// SPDX-License-Identifier: Apache-2.0
// Services that runs are sent to, over HTTP. What speaks it lies in a library of its own,
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
  bool again = false;         // Though the service has the run already.
};

struct Sent {
  std::string where;  // What to look at there.
  std::vector<std::string> left_out;
  std::vector<std::string> notes;
};

struct SentFormat {
  std::string name;      // "mlflow"
  std::string says;      // One line for help.
  std::string variable;  // Of the environment, which names the service where no --uri does.
};
std::span<const SentFormat> SentFormats();

// Sends the run. A service that cannot be reached, or refuses, is a fault of Exit::kRemote. Every
// request has a deadline of a minute.
Result<Sent> SendRun(const SendOptions& options, const RunFacts& facts);

// Grows whenever what the library is given changes its layout.
inline constexpr int32_t kSendLibraryVersion = 1;

// The library's one entry, protium_send_run. Gives false when it was built for another version.
using SendEntry = bool (*)(int32_t version, const SendOptions& options, const RunFacts& facts,
                           Result<Sent>& sent);

}  // namespace protium
