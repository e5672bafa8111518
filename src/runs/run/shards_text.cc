// SPDX-License-Identifier: Apache-2.0
#include "run/shards_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "run/terminal.h"

namespace protium {

namespace {

// What a step computes: a batch of rows, or a round of trees over all of them.
std::string StepText(const Json& training, int64_t shards) {
  if (const int64_t rounds = WholeAt(training, "rounds"); rounds > 0) {
    return fmt::format("{} rounds of trees over all rows, in {}", Grouped(rounds),
                       Counted(shards, "shard"));
  }
  const int64_t batch = WholeAt(training, "batch_size");
  return fmt::format("{} rows per step = {} x {} rows", batch, Counted(shards, "shard"),
                     batch % shards == 0 ? std::to_string(batch / shards)
                                         : fmt::format("about {}", batch / shards));
}

// Shards are never split: if the workers do not divide them evenly, some workers idle for a part of
// each step, and the text says how much.
std::string ShareText(const Json& training) {
  const int64_t workers = std::max<int64_t>(1, WholeAt(training, "workers", 1));
  const int64_t shards = std::max<int64_t>(1, WholeAt(training, "shards", 1));
  const std::string text = StepText(training, shards);
  // Of one worker.
  const int64_t most = (shards - 1) / workers + 1;
  if (workers > shards)
    return text + fmt::format("; {} workers, more than there are shards", workers);
  if (workers == 1) return text + "; 1 worker";
  if (shards % workers == 0) {
    return text +
           fmt::format("; {} workers with {} shard{} each", workers, most, most > 1 ? "s" : "");
  }
  // A step takes as long as the worker with the most shards.
  const double idle = 1 - double(shards) / (double(most) * double(workers));
  return text + fmt::format("; {} workers with {} or {} shards, {:.0f}% of them idle", workers,
                            most - 1, most, 100 * idle);
}

// What is promised about the weights where servers make steps one gradient at a time.
std::string StalenessText(const Json& training) {
  if (!training.is_object() || !training.contains("staleness")) return {};
  const Json& staleness = training["staleness"];
  const std::string apart =
      staleness.is_number_integer()
          ? fmt::format("is up to {} ahead of another", Counted(staleness.get<int64_t>(), "step"))
          : std::string("waits for no other");
  return "; a worker " + apart + ", so every run ends with other weights";
}

}  // namespace

std::string ShardsText(const Json& training) {
  std::string text = ShareText(training);
  const int64_t alone = WholeAt(training, "steps_alone");
  if (alone > 0) text += fmt::format("; each shard makes up to {} steps alone", Grouped(alone));
  text += StalenessText(training);
  const int64_t servers = WholeAt(training, "servers");
  if (servers > 0) {
    text += fmt::format(
        "; {} server{} hold{} the rows of ids, on the disk if they do not fit "
        "engine.rows_memory",
        servers, servers > 1 ? "s" : "", servers > 1 ? "" : "s");
  }
  if (!TextAt(training, "gradients").empty()) {
    text += fmt::format("; sums of gradients are rounded to {}: other weights than with float32",
                        TextAt(training, "gradients"));
  }
  if (training.is_object() && training.value("shared", Json()) == Json(true)) {
    text += "; each worker holds its part of the optimizer's state";
  }
  const int64_t bytes = WholeAt(training, "row_bytes");
  if (bytes == 0) return text;
  return text +
         fmt::format("; {} bytes per row: {} rows fit in engine.rows_memory, more go to disk",
                     bytes, Grouped(WholeAt(training, "rows_in_memory")));
}

}  // namespace protium
