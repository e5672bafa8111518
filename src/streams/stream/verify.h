// SPDX-License-Identifier: Apache-2.0
// Makes batches that have ended once more, and compares them with what lies in the sink.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "stream/stream_run.h"

namespace protium {

struct VerifyResult {
  int64_t equal = 0;                 // Batches with the same bytes.
  std::vector<std::string> differ;   // "batch 12: ..."
  std::vector<std::string> unknown;  // Batches that cannot be made again, with the reason.
};

// The batches `from` up to and without `to` of a stream whose sink is a folder; may run beside the
// stream. Each is made by the model that scored it, wherever that lay, and with the other tables as
// they are now; if these have changed, or its events or its model are gone, it is unknown.
Result<VerifyResult> VerifyStream(const StreamRequest& request, int64_t from, int64_t to,
                                  const std::stop_token& stop);

}  // namespace protium
